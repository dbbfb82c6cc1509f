// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans of layout changes, as values. A plan is a list of steps, each of which
/// takes every rank from what one layout leaves on it to what another leaves on
/// it. Planners make plans, the evaluator proves them element by element, a
/// pass turns each step into one collective: none of them needs another.
/// docs/redistribution.md states what every kind of step means on each rank.

#ifndef PCTL_REDISTRIBUTE_PLAN_H
#define PCTL_REDISTRIBUTE_PLAN_H

#include "pctl/Layout/Layout.h"

#include <utility>
#include <vector>

namespace pctl::redistribute {

/// The collective that a step is. On each rank:
enum class StepKind {
  /// Keeps a part of what the rank holds: each cut dim of the source is cut
  /// further, inside the blocks that it has. Nothing is sent.
  Slice,
  /// Joins the slices of the group along `dim`, in the order of the group: the
  /// `axes` leave the minor end of that dim.
  AllGather,
  /// Splits the slice along `dim` into a part for each member of the group and
  /// joins what the members sent along `concatDim`: the `axes` leave the minor
  /// end of `concatDim` and join the minor end of `dim`.
  AllToAll,
  /// Reduces the contributions of the group and keeps one part along `dim`: the
  /// `axes` stop being partial and join the minor end of that dim.
  ReduceScatter,
  /// Reduces the contributions of the group on all its members: the `axes` stop
  /// being partial.
  AllReduce,
  /// Sends the whole slice of the member at `pairs[i].first` to the member at
  /// `pairs[i].second`.
  Permute,
  /// Sends each member of the group the elements that it will hold and the
  /// sender holds; each element reaches a rank from exactly one member, which
  /// may be itself.
  Exchange,
  /// Gives the slice of the member at `root` to the whole group: the `axes`
  /// leave the minor end of a dim of which the other members hold nothing.
  /// Each member passes it on to the one at the next position, from the root
  /// round to the one before it.
  Broadcast,
};

/// A box that one rank of the mesh sends to another, in coordinates of the
/// global tensor. It is not empty.
struct Transfer {
  int64_t source = 0;
  int64_t target = 0;
  layout::Box box;
};

/// Returns the keyword of \p kind, which is also the name of the op that does
/// it: `all_slice`, `all_gather`, `all_to_all`, `reduce_scatter`, `all_reduce`,
/// `permute`, `exchange`, `broadcast`.
llvm::StringRef stringifyStepKind(StepKind kind);

/// Returns the kind that \p keyword names, if any.
std::optional<StepKind> symbolizeStepKind(llvm::StringRef keyword);

/// One collective: what each rank holds before and after, and how it gets
/// there.
///
/// \ref from and \ref to say what the step does; the other members say which
/// collective does it, and verifyPlan holds them to it. Both layouts are in
/// normal form in the plans of planRedistribution: closed, without size-1 axes.
///
/// Worked example, on mesh `data=4, model=2` and an 8x6 tensor: an AllGather
/// over {model} on dim 1 from `[{data},{model}]` to `[{data},{}]` makes local
/// 2x6 of local 2x3 in the groups {0,1}, {2,3}, {4,5}, {6,7}.
struct Step {
  StepKind kind = StepKind::Slice;
  layout::Layout from;
  layout::Layout to;
  /// The axes whose ranks form a group, major first; see
  /// layout::ReplicaGroups. Empty for Slice.
  llvm::SmallVector<layout::AxisRef, 2> axes;
  /// The dim gathered (AllGather), split (AllToAll) or scattered
  /// (ReduceScatter); 0 for others.
  unsigned dim = 0;
  /// The dim along which AllToAll joins; 0 for others.
  unsigned concatDim = 0;
  /// The reduction of ReduceScatter and AllReduce.
  layout::ReductionKind reduction = layout::ReductionKind::Sum;
  /// Permute only: (source, target) positions in the group of \ref axes, each
  /// position once as a source, in ascending order, and once as a target.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> pairs;
  /// Exchange only: cuts what replicas hold under \ref from further, so that
  /// they share the sending. Each member sends each other the intersection of
  /// what it owns with what the other will hold, unless the two hold the same
  /// under \ref from.
  std::optional<layout::Layout> owners;
  /// Exchange only: where not empty, all that is sent, and \ref axes are such
  /// that each source differs from its target along them alone.
  std::vector<Transfer> transfers;
  /// Exchange only: how many parts each message is cut into, along its first
  /// dim of more than one element in blocks of ceil(n / rounds). A round is
  /// done before the next one starts.
  int64_t rounds = 1;
  /// Broadcast only: the position that has what all will have.
  int64_t root = 0;
};

/// A layout change as a list of steps that are done one after the other.
struct Plan {
  layout::Mesh mesh;
  llvm::SmallVector<int64_t, 4> globalShape;
  layout::Layout from;
  layout::Layout to;
  /// Empty where both layouts place every element alike.
  std::vector<Step> steps;
};

/// Checks that the steps of \p plan lead from its first layout to its last one
/// and that each is what its kind says. Costs time in the numbers of steps,
/// axes, dims, explicit block sizes, pairs and transfers.
///
/// Errors, each naming the step: a layout that verifyLayout rejects; a step
/// that does not start where the one before ends; a group that is not made of
/// distinct axes of the mesh; a dim out of range; and for each kind the
/// constraints that docs/redistribution.md numbers:
/// Slice_C1..C2, AllGather_C1..C3, AllToAll_C1..C4, ReduceScatter_C1..C4,
/// AllReduce_C1..C2, Permute_C1..C4, Exchange_C1..C6, Broadcast_C1..C3. Only
/// listed transfers make it enumerate ranks.
llvm::Error verifyPlan(const Plan &plan);

/// Checks one step of a tensor of \p globalShape: its layouts, its group and
/// the constraints of its kind. The errors are those of verifyPlan, without the
/// place of the step.
llvm::Error verifyStep(const layout::Mesh &mesh,
                       llvm::ArrayRef<int64_t> globalShape, const Step &step);

/// Returns the axes of the group of an Exchange, in mesh order: those by which
/// \p from cuts dims, without what both layouts share at the major end of each
/// dim. In a group of them every element that a member will hold is held by
/// exactly one member, so that each rank receives |to \ from| elements, the
/// least possible; docs/redistribution.md has the proof.
///
/// Worked example, on `x=4, y=2`: from `[{y},{},{x}]` to `[{},{x,y},{}]` the
/// group is {x,y}; from `[{x},{y}]` to `[{x},{}]` it is {y}.
llvm::SmallVector<layout::AxisRef>
getExchangeAxes(llvm::ArrayRef<int64_t> globalShape, const layout::Layout &from,
                const layout::Layout &to);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLAN_H
