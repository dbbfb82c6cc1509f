// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layouts as the search keeps them: the axes of the mesh are split into atoms,
/// small enough that both ends of the question are made of whole ones, and a
/// layout is a place for each atom. And the moves from one to others.

#ifndef PCTL_LIB_REDISTRIBUTE_SEARCHSPACE_H
#define PCTL_LIB_REDISTRIBUTE_SEARCHSPACE_H

#include "pctl/Cost/Cluster.h"
#include "pctl/Redistribute/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace pctl::redistribute {

/// The number of an atom: a factor of an axis, in mesh order.
using Atom = uint8_t;
using AtomList = llvm::SmallVector<Atom, 8>;
/// A set of atoms, a bit for each.
using AtomSet = uint32_t;

/// Returns the atoms of \p set in mesh order.
AtomList toList(AtomSet set);
AtomSet toSet(llvm::ArrayRef<Atom> list);

/// A layout made of atoms.
struct State {
  /// The atoms that cut each dim, the major one first.
  llvm::SmallVector<AtomList, 4> dims;
  /// What is left of each partial entry of the source.
  llvm::SmallVector<AtomSet, 1> partial;
  /// The dims that have the explicit block sizes of the source, of the target.
  uint32_t explicitFrom = 0, explicitTo = 0;

  bool isExplicit(unsigned dim) const {
    return ((explicitFrom | explicitTo) >> dim & 1) != 0;
  }
  /// Returns what tells states apart, as bytes.
  std::string getKey() const;
};

/// A step other than an exchange, by atoms.
struct SearchMove {
  StepKind kind = StepKind::Slice;
  State next;
  AtomList atoms;
  unsigned dim = 0, concatDim = 0;
};

/// The states between two layouts.
class SearchSpace {
public:
  /// Splits the axes of \p mesh into atoms. Nothing is searched, see isUsable,
  /// where no split of an axis has the factors of both layouts, or where there
  /// are more atoms or dims than sets hold.
  SearchSpace(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> globalShape,
              const layout::Layout &from, const layout::Layout &to,
              const cost::Cluster &cluster);

  bool isUsable() const { return usable; }
  const State &getSource() const { return source; }
  const State &getTarget() const { return target; }

  /// Returns the layout of \p state, in normal form.
  layout::Layout getLayout(const State &state) const;
  /// Returns the step that \p move is, from \p before to \p after. The pairs of
  /// a permute are listed with \p withPairs; else one pair stands for them.
  Step getStep(const SearchMove &move, const layout::Layout &before,
               const layout::Layout &after, bool withPairs) const;

  /// Calls \p visit with each slice, all-gather, all-to-all, permute,
  /// reduce-scatter and all-reduce that can be done at \p state.
  void forEachMove(const State &state,
                   llvm::function_ref<void(SearchMove)> visit) const;

  /// Returns the atoms that \p state leaves free.
  AtomSet getFree(const State &state) const;
  /// Returns the states that refine the target by all atoms that it leaves free
  /// and that are inside units of the innermost level. What comes into a unit
  /// on the way to one of them comes once.
  llvm::SmallVector<State, 4> listRefinedTargets() const;
  /// Returns \p atoms as axes, in normal form.
  llvm::SmallVector<layout::AxisRef> getAxes(llvm::ArrayRef<Atom> atoms) const;

private:
  using Visit = llvm::function_ref<void(SearchMove)>;

  bool split();
  bool toState(const layout::Layout &layout, State &state) const;
  bool appendAtoms(llvm::ArrayRef<layout::AxisRef> refs, AtomList &atoms) const;
  bool cutsEvenly(unsigned dim, llvm::ArrayRef<Atom> atoms) const;
  int64_t getSize(llvm::ArrayRef<Atom> atoms) const;
  bool canSlice(const State &state, unsigned dim, Atom atom) const;
  AtomSet getReducible(const State &state) const;
  void visitSlices(const State &state, Visit visit) const;
  void visitSuffixMoves(const State &state, Visit visit) const;
  void visitPermutes(const State &state, Visit visit) const;
  void visitReductions(const State &state, Visit visit) const;
  void refine(const State &state, AtomSet left, unsigned &visits,
              llvm::SmallVectorImpl<State> &refined) const;
  void visitScatters(const State &state, llvm::ArrayRef<Atom> chosen,
                     Visit visit) const;
  void visitAllScatters(const State &state, AtomSet left, AtomList &chosen,
                        Visit visit) const;
  bool keepsBlocks(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<Atom> before,
                   llvm::ArrayRef<Atom> order) const;

  const layout::Mesh &mesh;
  const llvm::ArrayRef<int64_t> globalShape;
  const llvm::SmallVector<int64_t> shape;
  const layout::Layout &from, &to;
  const cost::Cluster &cluster;
  llvm::SmallVector<layout::AxisRef> atoms;
  State source, target;
  bool usable = false;
};

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_SEARCHSPACE_H
