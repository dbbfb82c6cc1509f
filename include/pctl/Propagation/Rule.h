// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sharding rules: what an op asks of the layouts of its operands and results,
/// as data. A rule names the factors of an op (its loops) and says which of
/// them make up each dim of each tensor. To cut the op means to give axes to
/// factors; the layouts of all its tensors follow. docs/propagation.md teaches
/// rules by example.

#ifndef PCTL_PROPAGATION_RULE_H
#define PCTL_PROPAGATION_RULE_H

#include "pctl/Layout/Layout.h"

#include <optional>
#include <string>

namespace pctl::propagation {

/// One loop of an op.
struct Factor {
  enum class Use {
    PassThrough, ///< may be cut: each rank computes its part of the results
    Reduction,   ///< may be cut: each rank computes a contribution to them
    Combined,    ///< may be cut: as Reduction, but the op itself combines
    Replicate,   ///< must be whole on every rank
    Sliding,     ///< follows another factor, with blocks of its own
  };

  /// What the first and the last block of a dim have beyond what the blocks of
  /// another dim have.
  struct Edges {
    int64_t low = 0;
    int64_t high = 0;
  };

  /// Number of iterations; layout::kDynamic where it is not known, and then the
  /// factor is never cut.
  int64_t size = 1;
  Use use = Use::PassThrough;
  /// How contributions combine; means something for Use::Reduction only.
  layout::ReductionKind reduction = layout::ReductionKind::Sum;
  /// For Use::Sliding only: the number of the factor whose axes cut this one.
  unsigned leader = 0;
  /// For Use::Sliding only. With edges, the blocks are those of the leader, the
  /// first and the last longer by what is added at the ends: a padded dim.
  /// Without, they may be any, as the op itself completes what a rank holds:
  /// the dim that a window slides over.
  std::optional<Edges> edges = std::nullopt;

  friend bool operator==(const Factor &a, const Factor &b);
};

/// For each dim of a tensor the numbers of the factors that make it up, major
/// first: one for an ordinary dim, several where a reshape merges or splits
/// dims, none for a dim of size 1 that no factor runs over.
using TensorMap = llvm::SmallVector<llvm::SmallVector<unsigned, 1>, 4>;

/// Numbers of operands of an op, in order.
using OperandSet = llvm::SmallVector<unsigned, 2>;

/// What an op asks of its tensors.
///
/// Worked example: a matmul of 4x6 and 6x8 has the factors i (4, pass-through),
/// j (8, pass-through), k (6, reduction by sum), operands [i, k], [k, j] and
/// the accumulator [i, j], result [i, j]. With k cut by the axis model, the
/// operands are wanted as `[{},{model}]`, `[{model},{}]` and `[{},{}]`, and the
/// result is `[{},{}] partial=[sum(model)]`.
///
/// A convolution of 10 by 3 has the factors o (8, pass-through), k (3, whole)
/// and i (10, sliding with o), operands [i], [k], [o], result [o]. With o cut
/// by x, the first operand is wanted as `[{x}]`, in any blocks.
struct Rule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorMap, 3> operands;
  llvm::SmallVector<TensorMap, 1> results;
  /// Sets of operands in each of which the op is additive: what it makes of the
  /// sums of two lists of such operands, the others held, is the sum of what it
  /// makes of the two. For the matmul {0, 2} and {1, 2}. Operands of one set
  /// may be sums still to be done (getCarriedSums). Empty where nothing is
  /// known.
  llvm::SmallVector<OperandSet, 0> additive = {};

  friend bool operator==(const Rule &a, const Rule &b) {
    return a.factors == b.factors && a.operands == b.operands &&
           a.results == b.results && a.additive == b.additive;
  }
};

/// The shapes of the operands or the results of an op.
using Shapes = llvm::ArrayRef<llvm::SmallVector<int64_t>>;

/// Checks that \p rule is one for tensors of these shapes. Errors: another
/// number of operands, results or dims; a factor number that the rule lacks; a
/// factor of negative size; a dim whose size is not the product of its factors'
/// sizes (not checked where one is dynamic); a factor that may be cut but is
/// twice in one tensor, or part of a dim of unknown size, or that passes
/// through but lacks in a result, or that is reduced but is in a result or in
/// no operand (combined ones likewise); reductions of several kinds, whose
/// order no layout could say; a sliding factor that follows none or one that
/// slides itself, that makes up a dim together with others or whose leader
/// does, that is in one tensor with its leader, or whose edges are negative or
/// do not make its size of the leader's; a set of additive operands that names
/// one which the rule lacks, or of a rule with several results or with
/// reductions other than sums.
llvm::Error verifyRule(const Rule &rule, Shapes operandShapes,
                       Shapes resultShapes);

/// Marks as Replicate each factor of \p rule that is part of a dim of unknown
/// size, as no layout cuts such a dim: of 6x? collapsed to ? also the factor
/// of 6. Tensors, dims and factors that do not fit are left to verifyRule.
void keepUnknownDimsWhole(Rule &rule, Shapes operandShapes,
                          Shapes resultShapes);

/// Returns the rule of an op that is done whole on every rank: each dim of each
/// tensor is a Replicate factor of its own.
Rule getWholeRule(Shapes operandShapes, Shapes resultShapes);

/// Returns the rule of an op whose tensors all have shape \p shape and which
/// works element by element.
Rule getElementwiseRule(llvm::ArrayRef<int64_t> shape, unsigned numOperands,
                        unsigned numResults);

/// Returns whether no factor of \p rule may be cut though there are some.
bool isDoneWhole(const Rule &rule);

/// How each factor of a rule is cut: the axes, major first, and explicit block
/// sizes where the dims have them. `open` means nothing here.
using FactorCuts = llvm::SmallVector<layout::DimLayout, 4>;

/// Returns the cuts that the dims of \p layout, the layout of a tensor that
/// \p map describes, ask of the factors of \p rule; partial axes ask nothing.
///
/// A factor that is the sole one of every dim it is in takes the dim's axes as
/// they are, so its blocks may be uneven. A factor of a merged dim takes axes
/// while its size divides by their product, splitting an axis where needed, and
/// the next factor goes on once this one is cut fully: a dim of 8 = (2, 4) that
/// x of size 4 cuts gives `x:(1)2` to the first and `x:(2)2` to the second.
/// What fits no factor is left out, as is what a Replicate factor or one of
/// dynamic size would get. What a Sliding factor would get its leader gets: the
/// axes, and with edges the blocks without them.
FactorCuts projectLayout(const Rule &rule, const TensorMap &map,
                         const layout::Layout &layout);

/// Returns the layout that a tensor has under \p cuts, closed and in normal
/// form: the inverse of projectLayout. A merged dim has the axes of a factor
/// only when all factors before it are cut fully.
layout::Layout getLayout(const Rule &rule, const TensorMap &map,
                         llvm::ArrayRef<layout::DimLayout> cuts);

/// Gives the dims of \p wanted, the layout of a tensor that \p map describes,
/// the blocks that they have in \p held where a factor slides and leaves them
/// free.
void adoptFreeBlocks(const Rule &rule, const TensorMap &map,
                     layout::Layout &wanted, const layout::Layout &held);

/// Returns the layout that operand \p index must have under \p cuts, blocks
/// that are free being even.
layout::Layout getOperandLayout(const Rule &rule, unsigned index,
                                llvm::ArrayRef<layout::DimLayout> cuts);

/// Returns the layout that result \p index has under \p cuts: partial by the
/// axes of the reduced factors.
layout::Layout getResultLayout(const Rule &rule, unsigned index,
                               llvm::ArrayRef<layout::DimLayout> cuts);

/// How an op takes operands that are sums still to be done.
struct CarriedSums {
  /// The axes along which any operand is such a sum, and so the results.
  llvm::SmallVector<layout::AxisRef, 2> axes;
  /// For each operand those of them along which it is counted on the first rank
  /// only, the others having zeros in its place: it is in the set in which the
  /// op is additive, but no sum itself.
  llvm::SmallVector<llvm::SmallVector<layout::AxisRef, 2>, 3> countedOnce;
};

/// Returns how an op cut by \p cuts takes operands of layouts \p operands.
///
/// Worked example: the sum of a, partial by sum along x, and of b, which is
/// not. It is partial by sum along x, and b is counted once along x, or else
/// the sum would have it once for each rank.
///
/// Errors: an operand that is partial by another kind or several; partial
/// operands that no set in which the op is additive has together; one that is
/// partial along an axis that cuts the op, or along a part of an axis of which
/// another operand has another part.
llvm::Expected<CarriedSums>
getCarriedSums(const Rule &rule, llvm::ArrayRef<layout::DimLayout> cuts,
               llvm::ArrayRef<layout::Layout> operands);

/// Returns the one way of cutting the factors under which the tensors have
/// these layouts, where operands may be sums that the op takes as they are. \p
/// mesh is for the messages. Errors: another number of layouts than the rule
/// has tensors; layouts that no cut gives, naming the first tensor that
/// differs, its layout and the one it should have; an axis that cuts two
/// factors; those of getCarriedSums.
llvm::Expected<FactorCuts>
inferFactorCuts(const layout::Mesh &mesh, const Rule &rule,
                llvm::ArrayRef<layout::Layout> operandLayouts,
                llvm::ArrayRef<layout::Layout> resultLayouts);

/// Prints `([f0, f2], [f2, f1]) -> ([f0, f1]), f0=4, f1=8, f2=6 sum`; factors
/// to be kept whole are marked `whole`, dynamic sizes `?`; one that slides says
/// `with f0`, and ` plus 1 and 2` where it has edges. Sets of operands in which
/// the op is additive follow as `additive {0, 2}`.
std::string toString(const Rule &rule);

} // namespace pctl::propagation

#endif // PCTL_PROPAGATION_RULE_H
