// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The collectives that lead from one state to others.

#include "SearchSpace.h"

#include "Algebra.h"
#include "Pricer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

/// With no more atoms than this all orders of them are tried for a permute or a
/// scatter. Else only swaps of two, and the order of the mesh.
static constexpr unsigned maxOrderedAtoms = 4;

/// Returns whether \p dim can be cut further by \p atom: evenly, or as far as
/// the target is cut.
bool SearchSpace::canSlice(const State &state, unsigned dim, Atom atom) const {
  if (state.isExplicit(dim) || globalShape[dim] == kDynamic)
    return false;
  AtomList cut = state.dims[dim];
  cut.push_back(atom);
  if (cutsEvenly(dim, cut))
    return true;
  const AtomList &wanted = target.dims[dim];
  if (cut.size() > wanted.size() ||
      !std::equal(cut.begin(), cut.end(), wanted.begin()) ||
      (target.explicitTo >> dim & 1))
    return false;
  DimLayout before, after;
  before.axes = getAxes(state.dims[dim]);
  after.axes = getAxes(cut);
  return nests(before, after, shape[dim]) &&
         nests(after, to.dims[dim], shape[dim]);
}

void SearchSpace::visitSlices(const State &state, Visit visit) const {
  AtomSet free = getFree(state);
  for (Atom atom : toList(free))
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      if (!canSlice(state, dim, atom))
        continue;
      SearchMove move;
      move.next = state;
      move.next.dims[dim].push_back(atom);
      visit(std::move(move));
    }
  // All the rest of a dim at once, where the blocks in between do not nest.
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const AtomList &cut = state.dims[dim], &wanted = target.dims[dim];
    if (state.isExplicit(dim) || wanted.size() <= cut.size() ||
        cutsEvenly(dim, wanted) ||
        !std::equal(cut.begin(), cut.end(), wanted.begin()))
      continue;
    DimLayout before;
    before.axes = getAxes(cut);
    if ((toSet(ArrayRef(wanted).drop_front(cut.size())) & ~free) != 0 ||
        !nests(before, to.dims[dim], shape[dim]))
      continue;
    SearchMove move;
    move.next = state;
    move.next.dims[dim] = wanted;
    move.next.explicitTo |= target.explicitTo & uint32_t(1) << dim;
    visit(std::move(move));
  }
}

/// All-gathers and all-to-alls of each minor end of each dim.
void SearchSpace::visitSuffixMoves(const State &state, Visit visit) const {
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const AtomList &cut = state.dims[dim];
    if (state.isExplicit(dim) || !cutsEvenly(dim, cut))
      continue;
    for (size_t kept = 0; kept < cut.size(); ++kept) {
      SearchMove move;
      move.kind = StepKind::AllGather;
      move.atoms.assign(cut.begin() + kept, cut.end());
      move.dim = dim;
      move.next = state;
      move.next.dims[dim].resize(kept);
      const State gathered = move.next;
      visit(move);
      move.kind = StepKind::AllToAll;
      move.concatDim = dim;
      for (unsigned split = 0; split < shape.size(); ++split) {
        if (split == dim || state.isExplicit(split))
          continue;
        move.next = gathered;
        move.next.dims[split].append(move.atoms);
        if (!cutsEvenly(split, move.next.dims[split]) ||
            !cutsEvenly(split, state.dims[split]))
          continue;
        move.dim = split;
        visit(move);
      }
    }
  }
}

namespace {

/// Where atoms are that may change place: those that cut evenly cut dims, dim
/// by dim, then the free ones.
struct Places {
  void add(unsigned dim, unsigned index, Atom atom) {
    dims.push_back(dim);
    indices.push_back(index);
    atoms.push_back(atom);
  }
  State put(State state, ArrayRef<Atom> order) const;
  AtomSet getGroup(ArrayRef<Atom> order) const;

  SmallVector<unsigned, 16> dims, indices;
  AtomList atoms;
  size_t numCut = 0;
};

} // namespace

/// Returns \p state with the atoms in \p order at the places.
State Places::put(State state, ArrayRef<Atom> order) const {
  for (size_t i = 0; i < numCut; ++i)
    state.dims[dims[i]][indices[i]] = order[i];
  return state;
}

/// Returns the atoms that change place where \p order takes theirs: those at
/// and behind the first change in each dim, before and after.
AtomSet Places::getGroup(ArrayRef<Atom> order) const {
  AtomSet group = 0;
  bool changed = false;
  for (size_t i = 0; i < numCut; ++i) {
    changed =
        order[i] != atoms[i] || (changed && i > 0 && dims[i] == dims[i - 1]);
    if (changed)
      group |= AtomSet(1) << order[i] | AtomSet(1) << atoms[i];
  }
  return group;
}

/// Returns whether each dim has as many blocks with the atoms in \p order.
bool SearchSpace::keepsBlocks(ArrayRef<unsigned> dims, ArrayRef<Atom> before,
                              ArrayRef<Atom> order) const {
  for (size_t begin = 0, end = 0; begin < dims.size(); begin = end) {
    while (end < dims.size() && dims[end] == dims[begin])
      ++end;
    if (getSize(before.slice(begin, end - begin)) !=
        getSize(order.slice(begin, end - begin)))
      return false;
  }
  return true;
}

void SearchSpace::visitPermutes(const State &state, Visit visit) const {
  Places places;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!state.isExplicit(dim) && cutsEvenly(dim, state.dims[dim]))
      for (auto [index, atom] : llvm::enumerate(state.dims[dim]))
        places.add(dim, index, atom);
  const size_t numCut = places.numCut = places.atoms.size();
  places.atoms.append(toList(getFree(state)));
  auto visitOrder = [&](ArrayRef<Atom> order) {
    if (!keepsBlocks(places.dims, places.atoms, order))
      return;
    SearchMove move;
    move.kind = StepKind::Permute;
    move.next = places.put(state, order);
    move.atoms = toList(places.getGroup(order));
    if (getSize(move.atoms) <= maxPermuteGroup)
      visit(std::move(move));
  };
  AtomList order = places.atoms;
  if (order.size() > maxOrderedAtoms) {
    for (size_t a = 0; a < numCut; ++a)
      for (size_t b = a + 1; b < order.size(); ++b) {
        std::swap(order[a], order[b]);
        visitOrder(order);
        std::swap(order[a], order[b]);
      }
    return;
  }
  llvm::sort(order);
  do {
    // The order of free atoms means nothing.
    if (order != places.atoms &&
        std::is_sorted(order.begin() + numCut, order.end()))
      visitOrder(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

/// Returns the atoms that the first partial entry has and the target lacks.
AtomSet SearchSpace::getReducible(const State &state) const {
  for (auto [left, wanted] : llvm::zip_equal(state.partial, target.partial))
    if (left != 0)
      return left & ~wanted;
  return 0;
}

/// Returns \p state once \p set is no longer partial in its first entry.
static State reduceAtoms(State state, AtomSet set) {
  for (AtomSet &entry : state.partial)
    if (entry != 0) {
      entry &= ~set;
      break;
    }
  return state;
}

/// Scatters over \p chosen into each dim that it cuts evenly then.
void SearchSpace::visitScatters(const State &state, ArrayRef<Atom> chosen,
                                Visit visit) const {
  SearchMove move;
  move.kind = StepKind::ReduceScatter;
  move.atoms.assign(chosen.begin(), chosen.end());
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    move.next = reduceAtoms(state, toSet(chosen));
    move.next.dims[dim].append(chosen.begin(), chosen.end());
    move.dim = dim;
    if (!state.isExplicit(dim) && cutsEvenly(dim, move.next.dims[dim]))
      visit(move);
  }
}

/// Scatters over each subset of \p left, behind \p chosen: in each order where
/// the mesh has few atoms, else in mesh order.
void SearchSpace::visitAllScatters(const State &state, AtomSet left,
                                   AtomList &chosen, Visit visit) const {
  if (!chosen.empty())
    visitScatters(state, chosen, visit);
  for (Atom atom : toList(left)) {
    if (atoms.size() > maxOrderedAtoms && !chosen.empty() &&
        atom < chosen.back())
      continue;
    chosen.push_back(atom);
    visitAllScatters(state, left & ~(AtomSet(1) << atom), chosen, visit);
    chosen.pop_back();
  }
}

void SearchSpace::visitReductions(const State &state, Visit visit) const {
  AtomSet reducible = getReducible(state);
  if (reducible == 0)
    return;
  bool few = llvm::popcount(reducible) <= int(maxOrderedAtoms);
  for (AtomSet set = reducible; set != 0; set = (set - 1) & reducible) {
    SearchMove move;
    move.kind = StepKind::AllReduce;
    move.atoms = toList(set);
    move.next = reduceAtoms(state, set);
    visit(std::move(move));
    if (!few)
      break;
  }
  if (few) {
    AtomList chosen;
    visitAllScatters(state, reducible, chosen, visit);
    return;
  }
  // All of them, and the runs by which the target cuts a dim next.
  visitScatters(state, toList(reducible), visit);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const AtomList &cut = state.dims[dim], &wanted = target.dims[dim];
    if (wanted.size() <= cut.size() ||
        !std::equal(cut.begin(), cut.end(), wanted.begin()))
      continue;
    ArrayRef<Atom> run =
        ArrayRef(wanted).drop_front(cut.size()).take_while([&](Atom atom) {
          return (reducible >> atom & 1) != 0;
        });
    if (!run.empty())
      visitScatters(state, run, visit);
  }
}

void SearchSpace::forEachMove(const State &state, Visit visit) const {
  visitReductions(state, visit);
  visitSlices(state, visit);
  visitSuffixMoves(state, visit);
  visitPermutes(state, visit);
}
