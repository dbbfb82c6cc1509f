// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The constraints on steps, by algebra. The labels are those of
/// docs/redistribution.md, "What each step means".

#include "Algebra.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Plan.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;

namespace {

/// Checks one step whose layouts are valid. \ref from and \ref to are in normal
/// form.
class StepVerifier {
public:
  StepVerifier(const Mesh &mesh, ArrayRef<int64_t> globalShape,
               const Step &step)
      : mesh(mesh), step(step), from(step.from.getNormalForm()),
        to(step.to.getNormalForm()), shape(getCountedShape(globalShape)) {}

  Error verify();

private:
  Error verifyGroup();
  Error verifyDimIndex(unsigned dim, const char *what);
  Error verifySlice();
  Error verifyAllGather();
  Error verifyAllToAll();
  Error verifyReduceScatter();
  Error verifyAllReduce();
  Error verifyPermute();
  Error verifyPermuteBlocks();
  Error verifyPairs();
  Error verifyExchange();
  Error verifyOwners();
  Error verifyTransfers();
  Error verifyTransfer(const Transfer &transfer);
  Error verifyBroadcast();

  Error verifySamePartial();
  Error verifyReduced();
  Error verifyOtherDimsAlike(ArrayRef<unsigned> changed);
  Error verifyLeaves(unsigned dim, const char *what);
  Error verifyJoins(unsigned dim, const char *what);
  Error verifyEven(const DimLayout &cut, unsigned dim);

  std::string print(ArrayRef<AxisRef> refs) {
    return "{" + toString(mesh, refs) + "}";
  }
  std::string print(ArrayRef<PartialAxes> partial);

  const Mesh &mesh;
  const Step &step;
  const Layout from, to;
  const SmallVector<int64_t> shape;
};

} // namespace

//===----------------------------------------------------------------------===//
// Constraints that several kinds have
//===----------------------------------------------------------------------===//

std::string StepVerifier::print(ArrayRef<PartialAxes> partial) {
  if (partial.empty())
    return "none";
  std::string text;
  for (const PartialAxes &entry : partial) {
    text += text.empty() ? "" : ",";
    text += stringifyReductionKind(entry.kind).str() + "(" +
            toString(mesh, entry.axes) + ")";
  }
  return text;
}

Error StepVerifier::verifyGroup() {
  // A group is checked as what partial axes are: distinct axes of the mesh.
  Layout group;
  group.partial.push_back({ReductionKind::Sum, step.axes});
  if (Error error = verifyLayout(mesh, group))
    return makeError("group {0}", llvm::toString(std::move(error)));
  return Error::success();
}

Error StepVerifier::verifyDimIndex(unsigned dim, const char *what) {
  if (dim < shape.size())
    return Error::success();
  return makeError("{0} is {1}, tensor has rank {2}", what, dim, shape.size());
}

Error StepVerifier::verifySamePartial() {
  if (from.partial == to.partial)
    return Error::success();
  return makeError("partial axes change from {0} to {1}, they must stay",
                   print(from.partial), print(to.partial));
}

/// Checks that just the axes of the group leave the first partial entry.
Error StepVerifier::verifyReduced() {
  if (from.partial.empty() || from.partial.front().kind != step.reduction ||
      !containsAxes(mesh, from.partial.front().axes, step.axes))
    return makeError("reduces {0} over {1}, what is to be reduced next is {2}",
                     stringifyReductionKind(step.reduction), print(step.axes),
                     print(ArrayRef(from.partial).take_front(1)));
  SmallVector<PartialAxes, 1> rest = reduceFirst(mesh, from.partial, step.axes);
  if (rest == to.partial)
    return Error::success();
  return makeError("partial axes after it are {0}, the reduction leaves {1}",
                   print(to.partial), print(rest));
}

Error StepVerifier::verifyOtherDimsAlike(ArrayRef<unsigned> changed) {
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!llvm::is_contained(changed, dim) &&
        !cutsAlike(from.dims[dim], to.dims[dim], shape[dim]))
      return makeError("dim {0} is cut by {1} before and {2} after, or has "
                       "other blocks; it must stay",
                       dim, print(from.dims[dim].axes),
                       print(to.dims[dim].axes));
  return Error::success();
}

/// Checks that the axes of the group leave the minor end of \p dim, which is
/// cut evenly before.
Error StepVerifier::verifyLeaves(unsigned dim, const char *what) {
  const DimLayout &before = from.dims[dim], &after = to.dims[dim];
  if (concatAxes(after.axes, step.axes) != before.axes ||
      !nests(after, before, shape[dim]))
    return makeError("{0} {1} is cut by {2} before and {3} after, that is not "
                     "{4} leaving its minor end",
                     what, dim, print(before.axes), print(after.axes),
                     print(step.axes));
  return verifyEven(before, dim);
}

/// Checks that the axes of the group join the minor end of \p dim, which is cut
/// evenly after.
Error StepVerifier::verifyJoins(unsigned dim, const char *what) {
  const DimLayout &before = from.dims[dim], &after = to.dims[dim];
  if (concatAxes(before.axes, step.axes) != after.axes ||
      !nests(before, after, shape[dim]))
    return makeError("{0} {1} is cut by {2} before and {3} after, that is not "
                     "{4} joining its minor end",
                     what, dim, print(before.axes), print(after.axes),
                     print(step.axes));
  return verifyEven(after, dim);
}

Error StepVerifier::verifyEven(const DimLayout &cut, unsigned dim) {
  if (getEvenBlockSize(cut, shape[dim]))
    return Error::success();
  return makeError("dim {0} (size {1}) is cut unevenly by {2}", dim, shape[dim],
                   print(cut.axes));
}

//===----------------------------------------------------------------------===//
// Each kind
//===----------------------------------------------------------------------===//

Error StepVerifier::verifySlice() {
  // Slice_C1: the blocks of each dim are cut further, inside themselves.
  if (!step.axes.empty())
    return makeError("has a group {0}, a slice has none", print(step.axes));
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!nests(from.dims[dim], to.dims[dim], shape[dim]))
      return makeError("dim {0} is cut by {1} before and {2} after, not inside "
                       "the blocks before",
                       dim, print(from.dims[dim].axes),
                       print(to.dims[dim].axes));
  // Slice_C2: partial axes stay.
  return verifySamePartial();
}

Error StepVerifier::verifyAllGather() {
  if (Error error = verifyDimIndex(step.dim, "dim"))
    return error;
  // AllGather_C1, AllGather_C2: the axes leave the dim, which was even.
  if (Error error = verifyLeaves(step.dim, "dim"))
    return error;
  // AllGather_C3: all else stays.
  if (Error error = verifyOtherDimsAlike(step.dim))
    return error;
  return verifySamePartial();
}

Error StepVerifier::verifyAllToAll() {
  if (Error error = verifyDimIndex(step.dim, "split dim"))
    return error;
  if (Error error = verifyDimIndex(step.concatDim, "concat dim"))
    return error;
  // AllToAll_C1: two dims.
  if (step.dim == step.concatDim)
    return makeError("split dim and concat dim are both {0}", step.dim);
  // AllToAll_C2, AllToAll_C3: the axes leave one dim and join the other, evenly
  // both times.
  if (Error error = verifyLeaves(step.concatDim, "concat dim"))
    return error;
  if (Error error = verifyJoins(step.dim, "split dim"))
    return error;
  // AllToAll_C4: all else stays.
  if (Error error = verifyOtherDimsAlike({step.dim, step.concatDim}))
    return error;
  return verifySamePartial();
}

Error StepVerifier::verifyReduceScatter() {
  if (Error error = verifyDimIndex(step.dim, "dim"))
    return error;
  // ReduceScatter_C1: the axes are the next to be reduced, and are reduced.
  if (Error error = verifyReduced())
    return error;
  // ReduceScatter_C2, ReduceScatter_C3: they join the dim, which is even then.
  if (Error error = verifyJoins(step.dim, "dim"))
    return error;
  // ReduceScatter_C4: all else stays.
  return verifyOtherDimsAlike(step.dim);
}

Error StepVerifier::verifyAllReduce() {
  // AllReduce_C1: the axes are the next to be reduced, and are reduced.
  if (Error error = verifyReduced())
    return error;
  // AllReduce_C2: all else stays.
  return verifyOtherDimsAlike({});
}

Error StepVerifier::verifyPermute() {
  auto [changedFrom, changedTo] = getChangedAxes(shape, from, to);
  // Permute_C1: the group covers every axis that changes place; any other axis
  // is in it or apart from it.
  for (ArrayRef<AxisRef> changed : {ArrayRef(changedFrom), ArrayRef(changedTo)})
    if (!containsAxes(mesh, step.axes, changed))
      return makeError("group {0} lacks some of {1}, which change place",
                       print(step.axes), print(changed));
  SmallVector<AxisRef> outside = mesh.getComplement(step.axes);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    for (AxisRef ref :
         getSharedPrefix(from.dims[dim], to.dims[dim], shape[dim]))
      if (overlap(ref, step.axes) && overlap(ref, outside))
        return makeError("group {0} has only a part of {1}, which stays",
                         print(step.axes), print(ref));
  if (Error error = verifySamePartial())
    return error;
  if (Error error = verifyPermuteBlocks())
    return error;
  return verifyPairs();
}

/// Permute_C2: dims that change are cut evenly, into as many blocks as before.
Error StepVerifier::verifyPermuteBlocks() {
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const DimLayout &before = from.dims[dim], &after = to.dims[dim];
    if (cutsAlike(before, after, shape[dim]))
      continue;
    if (Error error = verifyEven(before, dim))
      return error;
    if (Error error = verifyEven(after, dim))
      return error;
    if (getNumPositions(before.axes) != getNumPositions(after.axes))
      return makeError("dim {0} is cut into {1} blocks before and {2} after",
                       dim, getNumPositions(before.axes),
                       getNumPositions(after.axes));
  }
  return Error::success();
}

Error StepVerifier::verifyPairs() {
  // Permute_C3: each position is a source once and a target once.
  int64_t groupSize = getNumPositions(step.axes);
  if (static_cast<int64_t>(step.pairs.size()) != groupSize)
    return makeError("has {0} pairs, group {1} has {2} positions",
                     step.pairs.size(), print(step.axes), groupSize);
  SmallVector<bool> isTarget(groupSize, false);
  for (auto [index, pair] : llvm::enumerate(step.pairs)) {
    auto [source, target] = pair;
    if (source != static_cast<int64_t>(index))
      return makeError("source {0} at place {1} of the pairs, sources are 0 to "
                       "{2} in order",
                       source, index, groupSize - 1);
    if (target < 0 || target >= groupSize)
      return makeError("target {0} is not a position of group {1}", target,
                       print(step.axes));
    if (std::exchange(isTarget[target], true))
      return makeError("target {0} is named twice", target);
  }
  // Permute_C4: what a source holds is what its target will hold. The other
  // axes cut alike before and after, so the group of rank 0 speaks for all.
  for (auto [source, target] : step.pairs) {
    Box sent =
        getBox(mesh, from, shape, mesh.withCoordinate(0, step.axes, source));
    Box wanted =
        getBox(mesh, to, shape, mesh.withCoordinate(0, step.axes, target));
    if (!(sent == wanted))
      return makeError("sends {0} of position {1} to position {2}, which will "
                       "hold {3}",
                       toString(sent), source, target, toString(wanted));
  }
  return Error::success();
}

/// Checks that the owners cut inside the blocks before.
Error StepVerifier::verifyOwners() {
  if (Error error = verifyLayout(mesh, *step.owners, shape))
    return makeError("owners: {0}", llvm::toString(std::move(error)));
  Layout owners = step.owners->getNormalForm();
  if (owners.partial != from.partial)
    return makeError("partial axes of owners are {0}, those before are {1}",
                     print(owners.partial), print(from.partial));
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!nests(from.dims[dim], owners.dims[dim], shape[dim]))
      return makeError("dim {0} is cut by {1} before and by {2} among owners, "
                       "not inside the blocks before",
                       dim, print(from.dims[dim].axes),
                       print(owners.dims[dim].axes));
  return Error::success();
}

Error StepVerifier::verifyTransfer(const Transfer &transfer) {
  int64_t numRanks = mesh.getNumRanks();
  auto [source, target, box] = transfer;
  for (int64_t rank : {source, target})
    if (rank < 0 || rank >= numRanks)
      return makeError("rank {0} is not one of the {1} of the mesh", rank,
                       numRanks);
  if (source == target)
    return makeError("source and target are one rank");
  if (mesh.withCoordinate(source, step.axes,
                          mesh.getCoordinate(target, step.axes)) != target)
    return makeError("source and target differ along other axes than {0}",
                     print(step.axes));
  if (box.getTensorRank() != shape.size() || box.isEmpty())
    return makeError("{0} is no box of the tensor with elements in it",
                     toString(box));
  if (Box held = getBox(mesh, from, shape, source); !held.contains(box))
    return makeError("the source holds {0}, not {1}", toString(held),
                     toString(box));
  if (Box wanted = getBox(mesh, to, shape, target); !wanted.contains(box))
    return makeError("the target will hold {0}, not {1}", toString(wanted),
                     toString(box));
  if (Box held = getBox(mesh, from, shape, target); intersect(held, box))
    return makeError("the target holds {0}, some of {1}", toString(held),
                     toString(box));
  return Error::success();
}

/// Checks that no two of \p boxes, which arrive at one rank, meet.
static Error verifyDisjoint(SmallVector<Box> &boxes) {
  if (boxes.empty() || boxes.front().getTensorRank() == 0)
    return Error::success();
  llvm::sort(boxes, [](const Box &a, const Box &b) {
    return a[0].offset < b[0].offset;
  });
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = i + 1;
         j < boxes.size() && boxes[j][0].offset < boxes[i][0].getEnd(); ++j)
      if (intersect(boxes[i], boxes[j]))
        return makeError("{0} and {1} have elements in common",
                         toString(boxes[i]), toString(boxes[j]));
  return Error::success();
}

Error StepVerifier::verifyTransfers() {
  if (step.owners)
    return makeError("has owners and transfers, only one of them can say who "
                     "sends");
  if (overlap(step.axes, from.getPartialAxes()))
    return makeError("group {0} has axes that are partial", print(step.axes));
  // What each rank gets is looked at.
  static constexpr int64_t maxRanks = 1 << 20;
  if (mesh.getNumRanks() > maxRanks)
    return makeError("lists transfers on a mesh of {0} ranks, the limit is {1}",
                     mesh.getNumRanks(), maxRanks);
  std::vector<SmallVector<Box>> arriving(mesh.getNumRanks());
  for (const Transfer &transfer : step.transfers) {
    if (Error error = verifyTransfer(transfer))
      return makeError("transfer {0} -> {1}: {2}", transfer.source,
                       transfer.target, llvm::toString(std::move(error)));
    arriving[transfer.target].push_back(transfer.box);
  }
  for (auto [rank, boxes] : llvm::enumerate(arriving)) {
    int64_t lacking = 0, count = 0;
    for (const Box &box : subtract(getBox(mesh, to, shape, rank),
                                   getBox(mesh, from, shape, rank)))
      lacking += box.getNumElements();
    for (const Box &box : boxes)
      count += box.getNumElements();
    if (Error error = verifyDisjoint(boxes))
      return makeError("transfers to rank {0}: {1}", rank,
                       llvm::toString(std::move(error)));
    if (count != lacking)
      return makeError("rank {0} lacks {1} elements, transfers bring it {2}",
                       rank, lacking, count);
  }
  return Error::success();
}

Error StepVerifier::verifyExchange() {
  // Exchange_C3: partial axes stay.
  if (Error error = verifySamePartial())
    return error;
  // Exchange_C6: there is a round.
  if (step.rounds < 1)
    return makeError("has {0} rounds, at least 1 is right", step.rounds);
  // Exchange_C5: what is listed is what is lacking.
  if (!step.transfers.empty())
    return verifyTransfers();
  // Exchange_C4: owners cut inside the blocks before.
  if (step.owners)
    if (Error error = verifyOwners())
      return error;
  Layout supplied = step.owners ? step.owners->getNormalForm() : from;
  // Exchange_C1: no two members supply the same element.
  AxisList cut = getCutAxes(supplied);
  if (!containsAxes(mesh, cut, step.axes))
    return makeError("group {0} has axes that cut no dim before, only {1} do",
                     print(step.axes), print(cut));
  // Exchange_C2: what a member will hold, the members supply.
  SmallVector<AxisRef> needed = getExchangeAxes(shape, supplied, to);
  if (!containsAxes(mesh, step.axes, needed))
    return makeError(
        "group {0} lacks some of {1}, along which what its members "
        "will hold is spread",
        print(step.axes), print(needed));
  return Error::success();
}

Error StepVerifier::verifyBroadcast() {
  int64_t groupSize = getNumPositions(step.axes);
  // Broadcast_C1: the root is in the group.
  if (step.root < 0 || step.root >= groupSize)
    return makeError("root {0} is not a position of group {1}", step.root,
                     print(step.axes));
  // Broadcast_C2: one dim is cut by the axes of the group, at its minor end,
  // and only the root holds any of it.
  std::optional<unsigned> changed;
  for (unsigned dim = 0; dim < shape.size() && !changed; ++dim)
    if (!cutsAlike(from.dims[dim], to.dims[dim], shape[dim]))
      changed = dim;
  if (!changed)
    return makeError("all dims are cut alike, one must stop being cut by {0}",
                     print(step.axes));
  const DimLayout &before = from.dims[*changed], &after = to.dims[*changed];
  if (concatAxes(after.axes, step.axes) != before.axes)
    return makeError("dim {0} is cut by {1} before and {2} after, that is not "
                     "{3} leaving its minor end",
                     *changed, print(before.axes), print(after.axes),
                     print(step.axes));
  for (int64_t i = 0, e = getNumPositions(after.axes); i != e; ++i) {
    Range held = getBlock(before, shape[*changed], i * groupSize + step.root);
    if (!(held == getBlock(after, shape[*changed], i)))
      return makeError("dim {0} has elements outside of the block of root {1}",
                       *changed, step.root);
  }
  // Broadcast_C3: all else stays.
  if (Error error = verifyOtherDimsAlike(*changed))
    return error;
  return verifySamePartial();
}

Error StepVerifier::verify() {
  if (Error error = verifyGroup())
    return error;
  switch (step.kind) {
  case StepKind::Slice:
    return verifySlice();
  case StepKind::AllGather:
    return verifyAllGather();
  case StepKind::AllToAll:
    return verifyAllToAll();
  case StepKind::ReduceScatter:
    return verifyReduceScatter();
  case StepKind::AllReduce:
    return verifyAllReduce();
  case StepKind::Permute:
    return verifyPermute();
  case StepKind::Exchange:
    return verifyExchange();
  case StepKind::Broadcast:
    return verifyBroadcast();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Error redistribute::verifyStep(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                               const Step &step) {
  for (const Layout *layout : {&step.from, &step.to})
    if (Error error = verifyLayout(mesh, *layout, globalShape))
      return error;
  return StepVerifier(mesh, globalShape, step).verify();
}

/// Checks that \p step starts at \p current.
static Error verifyStart(const Mesh &mesh, const Step &step,
                         const Layout &current) {
  if (step.from.getNormalForm() == current.getNormalForm())
    return Error::success();
  return makeError("starts at {0}, the tensor is at {1}",
                   toString(mesh, step.from), toString(mesh, current));
}

Error redistribute::verifyPlan(const Plan &plan) {
  for (const Layout *layout : {&plan.from, &plan.to})
    if (Error error = verifyLayout(plan.mesh, *layout, plan.globalShape))
      return error;
  const Layout *current = &plan.from;
  for (auto [index, step] : llvm::enumerate(plan.steps)) {
    Error error = verifyLayout(plan.mesh, step.from, plan.globalShape);
    if (!error)
      error = verifyStart(plan.mesh, step, *current);
    if (!error)
      error = verifyStep(plan.mesh, plan.globalShape, step);
    if (error)
      return makeError("step {0} ({1}): {2}", index + 1,
                       stringifyStepKind(step.kind),
                       llvm::toString(std::move(error)));
    current = &step.to;
  }
  if (current->getNormalForm() == plan.to.getNormalForm())
    return Error::success();
  return makeError("the steps end at {0}, the plan leads to {1}",
                   toString(plan.mesh, *current), toString(plan.mesh, plan.to));
}
