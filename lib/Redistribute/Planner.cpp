// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A planner that is right for every pair of layouts: reduce what is partial,
/// then collectives where one all-to-all and all-gathers do it, else a permute,
/// else an exchange. docs/redistribution.md, "The planner", says why each of
/// these moves no element that its receiver holds. Where there are several ways
/// to reduce or to move, each is priced and the fastest stands.

#include "pctl/Redistribute/Planner.h"

#include "Algebra.h"
#include "ExchangeCount.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/Traffic.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;

/// A permute lists a pair for each rank of its group, so beyond this size an
/// exchange stands for it, which moves the same elements.
static constexpr int64_t maxPermuteGroup = 1024;

namespace {

/// One of the ways that the planner has.
struct Way {
  /// Reduce-scatter into this dim what is not scattered as the target asks,
  /// instead of an all-reduce.
  std::optional<unsigned> scatterDim;
  /// Move by one exchange, whatever collectives could do it.
  bool exchangeOnly = false;
};

/// Builds the steps from one layout to another, both in normal form.
class Planner {
public:
  Planner(const Mesh &mesh, ArrayRef<int64_t> globalShape, const Layout &from,
          const Layout &to, const PlannerOptions &options, const Way &way)
      : mesh(mesh), globalShape(globalShape),
        shape(getCountedShape(globalShape)), current(from), target(to),
        options(options), way(way) {}

  std::vector<Step> plan() &&;

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
  void moveByExchange();

  Layout getSliced() const;
  DimLayout extendCut(unsigned dim, AxisList run, bool even) const;
  void slice();
  void append(Step step) {
    current = step.to;
    steps.push_back(std::move(step));
  }

  const Mesh &mesh;
  const ArrayRef<int64_t> globalShape;
  const SmallVector<int64_t> shape;
  Layout current;
  const Layout target;
  const PlannerOptions &options;
  const Way way;
  std::vector<Step> steps;
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
DimLayout Planner::extendCut(unsigned dim, AxisList run, bool even) const {
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
Layout Planner::getSliced() const {
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

void Planner::slice() {
  Layout sliced = getSliced();
  if (sliced != current)
    append(makeStep(StepKind::Slice, current, sliced));
}

//===----------------------------------------------------------------------===//
// Partial axes
//===----------------------------------------------------------------------===//

/// Returns the axes over which the first partial entry is to be reduced now;
/// empty once the partial axes are those of the target.
AxisList Planner::getAxesToReduce() const {
  if (current.partial.empty())
    return {};
  ArrayRef<AxisRef> axes = current.partial.front().axes;
  if (current.partial.size() > target.partial.size())
    return AxisList(axes);
  return subtractAxes(mesh, axes, target.partial.front().axes);
}

/// Reduces over some of \p axes by which the target cuts a dim next and evenly.
/// Returns whether there are any.
bool Planner::reduceScatter(ArrayRef<AxisRef> axes) {
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
bool Planner::scatterAnywhere(ArrayRef<AxisRef> axes) {
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

void Planner::appendReduceScatter(unsigned dim, const DimLayout &extended,
                                  ArrayRef<AxisRef> joined) {
  Layout next = current;
  next.dims[dim] = extended;
  next.partial = reduceFirst(mesh, current.partial, joined);
  Step step = makeStep(StepKind::ReduceScatter, current, next, joined);
  step.dim = dim;
  step.reduction = current.partial.front().kind;
  append(std::move(step));
}

void Planner::allReduce(ArrayRef<AxisRef> axes) {
  Layout next = current;
  next.partial = reduceFirst(mesh, current.partial, axes);
  Step step = makeStep(StepKind::AllReduce, current, next, axes);
  step.reduction = current.partial.front().kind;
  append(std::move(step));
}

void Planner::reducePartial() {
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
bool Planner::appendAllToAll(Layout &at, std::vector<Step> &moves) const {
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
bool Planner::appendGathers(Layout &at, std::vector<Step> &moves) const {
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
bool Planner::moveByCollectives() {
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
bool Planner::permutesBlocks(const Layout &at) const {
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

bool Planner::moveByPermute() {
  Layout sliced = getSliced();
  if (!permutesBlocks(sliced))
    return false;
  slice();
  auto [changedFrom, changedTo] = getChangedAxes(shape, current, target);
  Step step =
      makeStep(StepKind::Permute, current, target, getAxisSet(changedFrom));
  for (int64_t source = 0; source < getNumPositions(step.axes); ++source) {
    int64_t sender = mesh.withCoordinate(0, step.axes, source);
    // The receiver has along the axes of each dim in the target the position
    // that the sender has along those in the source. Both lists are of equal
    // size dim by dim, so they can be set as one.
    int64_t receiver = mesh.withCoordinate(
        0, changedTo, mesh.getCoordinate(sender, changedFrom));
    step.pairs.push_back({source, mesh.getCoordinate(receiver, step.axes)});
  }
  append(std::move(step));
  return true;
}

void Planner::moveByExchange() {
  append(makeFastestExchange(mesh, globalShape, current, target,
                             options.cluster, options.elementBytes,
                             options.chunkBytes));
}

std::vector<Step> Planner::plan() && {
  reducePartial();
  if (current == target)
    return std::move(steps);
  if (way.exchangeOnly || (!moveByCollectives() && !moveByPermute()))
    moveByExchange();
  return std::move(steps);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Checks that each axis that is partial in \p to is so, with the same kind, in
/// \p from.
static Error verifyStaysPartial(const Mesh &mesh, const Layout &from,
                                const Layout &to) {
  for (const PartialAxes &entry : to.partial)
    for (AxisRef ref : entry.axes)
      if (llvm::none_of(from.partial, [&](const PartialAxes &source) {
            return source.kind == entry.kind &&
                   containsAxes(mesh, source.axes, ref);
          }))
        return makeError(
            "layout change would make axis '{0}' partial ({1}), it is not so "
            "in the source",
            toString(mesh, ref), stringifyReductionKind(entry.kind));
  return Error::success();
}

/// Checks that the partial axes of \p to, each of which is partial in \p from
/// with the same kind, are what is left of those when they are reduced in
/// order.
static Error verifyReductionOrder(const Mesh &mesh, const Layout &from,
                                  const Layout &to) {
  if (to.partial.empty())
    return Error::success();
  auto later = ArrayRef(to.partial).drop_front();
  if (to.partial.size() <= from.partial.size()) {
    // The kinds agree: an axis is partial once, and verifyStaysPartial found
    // it with the kind that it has in the target.
    auto rest = ArrayRef(from.partial).take_back(to.partial.size());
    if (rest.drop_front() == later &&
        containsAxes(mesh, rest.front().axes, to.partial.front().axes))
      return Error::success();
  }
  return makeError("layout change from {0} to {1} would reduce partial axes "
                   "out of order, the first entry is reduced first",
                   toString(mesh, from), toString(mesh, to));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Cuts the messages of \p step, an exchange, such that a round stages about a
/// chunk: what is sent and received is counted on few ranks alone, and taken
/// for twice the greater slice on many.
static void setRounds(const Mesh &mesh, ArrayRef<int64_t> shape, Step &step,
                      const PlannerOptions &options) {
  int64_t held = std::max(getMaxLocalElements(step.from, shape),
                          getMaxLocalElements(step.to, shape));
  // Most exchanges are seen to be small without counting.
  int64_t most = multiplyCounts(multiplyCounts(held, options.elementBytes),
                                addCounts(getNumPositions(step.axes), 1));
  if (most <= options.chunkBytes)
    return;
  Traffic traffic = getTraffic(mesh, shape, step, /*maxPairs=*/1 << 10);
  int64_t staged = traffic.exact
                       ? addCounts(traffic.maxReceived, traffic.maxSent)
                       : multiplyCounts(held, 2);
  int64_t longest = shape.empty() ? 1 : *llvm::max_element(shape);
  step.rounds = std::clamp<int64_t>(
      llvm::divideCeilSigned(multiplyCounts(staged, options.elementBytes),
                             options.chunkBytes),
      1, std::max<int64_t>(longest, 1));
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Lists the ways to get from \p from to \p to, those with the fewest steps
/// first.
static SmallVector<Way> listWays(const Layout &from, const Layout &to,
                                 const PlannerOptions &options) {
  SmallVector<Way> ways(1);
  if (from.partial != to.partial)
    for (unsigned dim = 0; dim < from.getRank(); ++dim) {
      Way way;
      way.scatterDim = dim;
      ways.push_back(way);
    }
  // Where time is bytes, collectives take no more of it than the exchange of
  // the same elements.
  if (options.cluster.baseSec > 0)
    for (Way way : SmallVector<Way>(ways)) {
      way.exchangeOnly = true;
      ways.push_back(way);
    }
  return ways;
}

/// Returns what a rank may hold in a step: the cap if there is one, else the
/// greater of its slices and what it should stage.
static int64_t getCapBytes(const Plan &plan, const PlannerOptions &options) {
  if (options.capBytes)
    return *options.capBytes;
  SmallVector<int64_t> shape = getCountedShape(plan.globalShape);
  int64_t held = std::max(getMaxLocalElements(plan.from, shape),
                          getMaxLocalElements(plan.to, shape));
  return addCounts(multiplyCounts(held, options.elementBytes),
                   options.chunkBytes);
}

namespace {

/// The steps of one way, and what each of them costs.
struct PricedWay {
  std::vector<Step> steps;
  SmallVector<StepCost, 4> costs;

  double getTimeSec() const {
    double timeSec = 0;
    for (const StepCost &cost : costs)
      timeSec += cost.timeSec;
    return timeSec;
  }
  int64_t getPeakBytes() const {
    int64_t bytes = 0;
    for (const StepCost &cost : costs)
      bytes = std::max(bytes, cost.liveBytes);
    return bytes;
  }
};

} // namespace

/// Plans one way of \p plan's question, and prices it where \p price says so.
static PricedWay planWay(const Plan &plan, const PlannerOptions &options,
                         const Layout &from, const Layout &to, const Way &way,
                         bool price) {
  PricedWay result;
  result.steps =
      Planner(plan.mesh, plan.globalShape, from, to, options, way).plan();
  for (Step &step : result.steps) {
    if (step.kind == StepKind::Exchange)
      setRounds(plan.mesh, getCountedShape(plan.globalShape), step, options);
    if (price)
      result.costs.push_back(getStepCost(plan.mesh, plan.globalShape, step,
                                         options.cluster, options.elementBytes,
                                         options.chunkBytes,
                                         getPlanningRanks(plan.mesh)));
  }
  return result;
}

/// Returns the fastest way under the cap, the first where several are; the
/// fastest of all where none is under it. The only way is priced for a cap that
/// was asked for alone.
static PricedWay planFastest(const Plan &plan, const PlannerOptions &options,
                             const Layout &from, const Layout &to) {
  SmallVector<Way> ways = listWays(from, to, options);
  if (ways.size() == 1)
    return planWay(plan, options, from, to, ways.front(),
                   options.capBytes.has_value());
  const int64_t capBytes = getCapBytes(plan, options);
  PricedWay best;
  std::optional<std::pair<bool, double>> bestKey;
  for (const Way &way : ways) {
    // One collective is never slower than the exchange of the same elements.
    if (way.exchangeOnly && bestKey && !bestKey->first &&
        best.steps.size() <= 1)
      continue;
    PricedWay next = planWay(plan, options, from, to, way, /*price=*/true);
    std::pair<bool, double> key(next.getPeakBytes() > capBytes,
                                next.getTimeSec());
    // Sums that are equal on paper differ in their last bits.
    if (bestKey && (key.first > bestKey->first ||
                    (key.first == bestKey->first &&
                     key.second >= bestKey->second * (1 - 1e-9))))
      continue;
    bestKey = key;
    best = std::move(next);
  }
  return best;
}

/// Checks that no step of \p way, which is priced if there is a cap, holds more
/// than the cap.
static Error verifyCap(const PricedWay &way, const PlannerOptions &options) {
  if (!options.capBytes)
    return Error::success();
  for (auto [number, step, cost] : llvm::enumerate(way.steps, way.costs))
    if (cost.liveBytes > *options.capBytes)
      return makeError("step {0} ({1}) holds {2} bytes on a rank, the cap is "
                       "{3}",
                       number + 1, stringifyStepKind(step.kind), cost.liveBytes,
                       *options.capBytes);
  return Error::success();
}

Expected<Plan> redistribute::planRedistribution(const Mesh &mesh,
                                                ArrayRef<int64_t> globalShape,
                                                const Layout &from,
                                                const Layout &to,
                                                const PlannerOptions &options) {
  for (const Layout *layout : {&from, &to})
    if (Error error = verifyLayout(mesh, *layout, globalShape))
      return std::move(error);
  Layout normalFrom = from.getNormalForm(), normalTo = to.getNormalForm();
  if (Error error = verifyStaysPartial(mesh, normalFrom, normalTo))
    return std::move(error);
  if (Error error = verifyReductionOrder(mesh, normalFrom, normalTo))
    return std::move(error);
  Plan plan{mesh, llvm::SmallVector<int64_t, 4>(globalShape), from, to, {}};
  if (normalFrom == normalTo)
    return plan;
  PricedWay fastest = planFastest(plan, options, normalFrom, normalTo);
  if (Error error = verifyCap(fastest, options))
    return std::move(error);
  plan.steps = std::move(fastest.steps);
  return plan;
}
