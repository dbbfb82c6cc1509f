// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The ways themselves: reduce what is partial, then collectives where one
/// all-to-all and all-gathers do it, else a permute, else an exchange.
/// docs/redistribution.md, "The planner", says why each of these moves no
/// element that its receiver holds.

#include "Ways.h"

#include "Algebra.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Builds the steps from one layout to another, both in normal form.
class WayPlanner {
public:
  WayPlanner(Pricer &pricer, const Layout &from, const Layout &to,
             const Way &way)
      : mesh(pricer.mesh), globalShape(pricer.globalShape),
        shape(getCountedShape(globalShape)), current(from), target(to),
        pricer(pricer), way(way) {}

  std::optional<std::vector<PricedStep>> plan(double limitSec) &&;

private:
  void reducePartial();
  AxisList getAxesToReduce() const;
  bool reduceScatter(ArrayRef<AxisRef> axes);
  bool scatterAnywhere(ArrayRef<AxisRef> axes);
  void appendReduceScatter(unsigned dim, const DimLayout &extended,
                           ArrayRef<AxisRef> joined);
  void allReduce(ArrayRef<AxisRef> axes);

  bool moveByCollectives();
  bool appendAllToAll(Layout &at, std::vector<Step> &moves) const;
  bool appendGathers(Layout &at, std::vector<Step> &moves) const;
  bool moveByPermute();
  bool permutesBlocks(const Layout &at) const;

  Layout getSliced() const;
  DimLayout extendCut(unsigned dim, AxisList run, bool even) const;
  void slice();
  void append(Step step) {
    StepCost cost = pricer.getCost(step);
    append({std::move(step), cost});
  }
  void append(PricedStep priced) {
    current = priced.step.to;
    timeSec += priced.cost.timeSec;
    steps.push_back(std::move(priced));
  }

  const Mesh &mesh;
  const ArrayRef<int64_t> globalShape;
  const SmallVector<int64_t> shape;
  Layout current;
  const Layout target;
  Pricer &pricer;
  const Way way;
  std::vector<PricedStep> steps;
  double timeSec = 0;
};

} // namespace

static Step makeStep(StepKind kind, const Layout &from, const Layout &to,
                     ArrayRef<AxisRef> axes = {}) {
  Step step;
  step.kind = kind;
  step.from = from;
  step.to = to;
  step.axes.assign(axes.begin(), axes.end());
  return step;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Returns the cut of \p dim once as much of \p run as possible joins its minor
/// end: the result nests in the cut that there is, the target nests in it, and
/// with \p even it is even. Returns the cut that there is if nothing can join.
DimLayout WayPlanner::extendCut(unsigned dim, AxisList run, bool even) const {
  const DimLayout &cut = current.dims[dim], &wanted = target.dims[dim];
  for (; !run.empty(); run.pop_back()) {
    DimLayout extended;
    extended.axes = concatAxes(cut.axes, run);
    if (extended.axes == wanted.axes)
      extended = wanted;
    if (nests(cut, extended, shape[dim]) &&
        nests(extended, wanted, shape[dim]) &&
        (!even || getEvenBlockSize(extended, shape[dim])))
      return extended;
  }
  return cut;
}

/// Returns the current layout with its dims cut further, as the target cuts
/// them, by axes along which it has replicas.
Layout WayPlanner::getSliced() const {
  Layout sliced = current;
  SmallVector<AxisRef> used = current.getUsedAxes();
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const DimLayout &cut = current.dims[dim], &wanted = target.dims[dim];
    if (nests(cut, wanted, shape[dim]))
      sliced.dims[dim] =
          extendCut(dim, takeDisjoint(dropPrefix(wanted.axes, cut.axes), used),
                    /*even=*/false);
  }
  return sliced;
}

void WayPlanner::slice() {
  Layout sliced = getSliced();
  if (sliced != current)
    append(makeStep(StepKind::Slice, current, sliced));
}

//===----------------------------------------------------------------------===//
// Partial axes
//===----------------------------------------------------------------------===//

/// Returns the axes over which the first partial entry is to be reduced now;
/// empty once the partial axes are those of the target.
AxisList WayPlanner::getAxesToReduce() const {
  if (current.partial.empty())
    return {};
  ArrayRef<AxisRef> axes = current.partial.front().axes;
  if (current.partial.size() > target.partial.size())
    return AxisList(axes);
  return subtractAxes(mesh, axes, target.partial.front().axes);
}

/// Reduces over some of \p axes by which the target cuts a dim next and evenly.
/// Returns whether there are any.
bool WayPlanner::reduceScatter(ArrayRef<AxisRef> axes) {
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const DimLayout &cut = current.dims[dim], &wanted = target.dims[dim];
    if (!nests(cut, wanted, shape[dim]))
      continue;
    AxisList run = takeDisjoint(dropPrefix(wanted.axes, cut.axes),
                                mesh.getComplement(axes));
    DimLayout extended = extendCut(dim, run, /*even=*/true);
    if (extended == cut)
      continue;
    appendReduceScatter(dim, extended, dropPrefix(extended.axes, cut.axes));
    return true;
  }
  return false;
}

/// Reduces over \p axes into the dim that the way names. Returns whether that
/// comes out even.
bool WayPlanner::scatterAnywhere(ArrayRef<AxisRef> axes) {
  if (!way.scatterDim || !current.dims[*way.scatterDim].blockSizes.empty())
    return false;
  const DimLayout &cut = current.dims[*way.scatterDim];
  DimLayout extended;
  extended.axes = concatAxes(cut.axes, axes);
  if (globalShape[*way.scatterDim] == kDynamic ||
      !nests(cut, extended, shape[*way.scatterDim]) ||
      !getEvenBlockSize(extended, shape[*way.scatterDim]))
    return false;
  appendReduceScatter(*way.scatterDim, extended, axes);
  return true;
}

void WayPlanner::appendReduceScatter(unsigned dim, const DimLayout &extended,
                                     ArrayRef<AxisRef> joined) {
  Layout next = current;
  next.dims[dim] = extended;
  next.partial = reduceFirst(mesh, current.partial, joined);
  Step step = makeStep(StepKind::ReduceScatter, current, next, joined);
  step.dim = dim;
  step.reduction = current.partial.front().kind;
  append(std::move(step));
}

void WayPlanner::allReduce(ArrayRef<AxisRef> axes) {
  Layout next = current;
  next.partial = reduceFirst(mesh, current.partial, axes);
  Step step = makeStep(StepKind::AllReduce, current, next, axes);
  step.reduction = current.partial.front().kind;
  append(std::move(step));
}

void WayPlanner::reducePartial() {
  for (AxisList axes = getAxesToReduce(); !axes.empty();
       axes = getAxesToReduce()) {
    // Less to reduce, and a scatter may then go on behind the sliced axes.
    slice();
    if (!reduceScatter(axes) && !scatterAnywhere(axes))
      allReduce(axes);
  }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Moves axes from the minor end of one dim to that of another if just one dim
/// lacks some. Returns whether no dim lacks any then.
bool WayPlanner::appendAllToAll(Layout &at, std::vector<Step> &moves) const {
  std::optional<unsigned> split;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (nests(target.dims[dim], at.dims[dim], shape[dim]))
      continue;
    if (split || !nests(at.dims[dim], target.dims[dim], shape[dim]))
      return false;
    split = dim;
  }
  if (!split)
    return true;
  if (!getEvenBlockSize(target.dims[*split], shape[*split]))
    return false;

  AxisList moved = dropPrefix(target.dims[*split].axes, at.dims[*split].axes);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const DimLayout &cut = at.dims[dim];
    std::optional<AxisList> rest = dropSuffix(cut.axes, moved);
    if (dim == *split || !rest || !getEvenBlockSize(cut, shape[dim]))
      continue;
    Layout next = at;
    next.dims[dim].axes.assign(rest->begin(), rest->end());
    next.dims[*split] = target.dims[*split];
    Step step = makeStep(StepKind::AllToAll, at, next, moved);
    step.dim = *split;
    step.concatDim = dim;
    moves.push_back(std::move(step));
    at = next;
    return nests(target.dims[dim], at.dims[dim], shape[dim]);
  }
  return false;
}

/// Gathers each dim that is cut further than in the target. Returns whether
/// that can be done.
bool WayPlanner::appendGathers(Layout &at, std::vector<Step> &moves) const {
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (cutsAlike(at.dims[dim], target.dims[dim], shape[dim]))
      continue;
    if (!getEvenBlockSize(at.dims[dim], shape[dim]))
      return false;
    Layout next = at;
    next.dims[dim] = target.dims[dim];
    Step step = makeStep(StepKind::AllGather, at, next,
                         dropPrefix(at.dims[dim].axes, target.dims[dim].axes));
    step.dim = dim;
    moves.push_back(std::move(step));
    at = next;
  }
  return true;
}

/// Slices, then at most one all-to-all, then all-gathers. More than one
/// all-to-all may move elements through ranks that do not want them.
bool WayPlanner::moveByCollectives() {
  Layout at = getSliced();
  std::vector<Step> moves;
  if (!appendAllToAll(at, moves) || !appendGathers(at, moves))
    return false;
  slice();
  for (Step &move : moves)
    append(std::move(move));
  return true;
}

/// Returns whether both layouts cut into the same blocks and the axes that
/// change place are the same ones, so that each block that a rank wants is just
/// what one other rank holds and no longer wants.
bool WayPlanner::permutesBlocks(const Layout &at) const {
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    const DimLayout &cut = at.dims[dim], &wanted = target.dims[dim];
    if (cutsAlike(cut, wanted, shape[dim]))
      continue;
    std::optional<int64_t> block = getEvenBlockSize(cut, shape[dim]);
    if (!block || block != getEvenBlockSize(wanted, shape[dim]) ||
        getNumPositions(cut.axes) != getNumPositions(wanted.axes))
      return false;
  }
  auto [changedFrom, changedTo] = getChangedAxes(shape, at, target);
  AxisList group = getAxisSet(changedFrom);
  return group == getAxisSet(changedTo) &&
         getNumPositions(group) <= maxPermuteGroup;
}

bool WayPlanner::moveByPermute() {
  Layout sliced = getSliced();
  if (!permutesBlocks(sliced))
    return false;
  slice();
  // Both lists are of equal sizes dim by dim, so they can be set as one.
  auto [changedFrom, changedTo] = getChangedAxes(shape, current, target);
  append(makePermute(mesh, current, target, changedFrom, changedTo));
  return true;
}

std::optional<std::vector<PricedStep>> WayPlanner::plan(double limitSec) && {
  reducePartial();
  if (current == target)
    return std::move(steps);
  // An exchange is slow to make where ranks are many.
  if (!takesLess(timeSec, limitSec) ||
      (limitSec != std::numeric_limits<double>::infinity() &&
       !takesLess(timeSec + pricer.getLeastSec(current, target), limitSec)))
    return std::nullopt;
  if (way.exchangeOnly || (!moveByCollectives() && !moveByPermute()))
    append(pricer.makeExchange(current, target));
  return std::move(steps);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

llvm::SmallVector<Way> redistribute::listWays(const Layout &from,
                                              const Layout &to,
                                              const cost::Cluster &cluster) {
  SmallVector<Way> ways(1);
  if (from.partial != to.partial)
    for (unsigned dim = 0; dim < from.getTensorRank(); ++dim) {
      Way way;
      way.scatterDim = dim;
      ways.push_back(way);
    }
  // Where time is bytes, collectives take no more of it than the exchange of
  // the same elements.
  if (cluster.baseSec > 0)
    for (Way way : SmallVector<Way>(ways)) {
      way.exchangeOnly = true;
      ways.push_back(way);
    }
  return ways;
}

std::optional<std::vector<PricedStep>>
redistribute::planWay(Pricer &pricer, const Layout &from, const Layout &to,
                      const Way &way, double limitSec) {
  return WayPlanner(pricer, from, to, way).plan(limitSec);
}
