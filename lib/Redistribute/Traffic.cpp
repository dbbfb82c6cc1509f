// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The formulas of traffic. docs/redistribution.md, "Traffic", derives them.

#include "pctl/Redistribute/Traffic.h"

#include "CollectiveCount.h"
#include "ExchangeCount.h"

#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns \p result, or INT64_MAX where there is none, and then clears
/// \p exact: how a count that does not fit is told.
static int64_t saturate(std::optional<int64_t> result, bool &exact) {
  exact &= result.has_value();
  return result.value_or(INT64_MAX);
}

namespace {

/// Computes the traffic of one step over a shape whose sizes are all known.
class StepTraffic {
public:
  StepTraffic(const Mesh &mesh, ArrayRef<int64_t> shape, const Step &step)
      : mesh(mesh), shape(shape), step(step),
        groupSize(getNumPositions(step.axes)),
        mostFrom(getMaxLocalElements(step.from, shape)),
        mostTo(getMaxLocalElements(step.to, shape)) {}

  Traffic compute(int64_t maxPairs);

private:
  void computeAllReduce();
  void computePermute();
  void computeExchange(int64_t maxPairs);
  void setMoved() {
    int64_t elements = getMostReceived(step, mostFrom, mostTo);
    traffic.maxReceived = traffic.maxSent = elements;
    traffic.exact &= elements != INT64_MAX;
  }
  int64_t add(int64_t a, int64_t b) {
    return saturate(checkedAdd(a, b), traffic.exact);
  }
  int64_t multiply(int64_t a, int64_t b) {
    return saturate(checkedMul(a, b), traffic.exact);
  }
  int64_t getTotalHeld(const Layout &layout);

  const Mesh &mesh;
  ArrayRef<int64_t> shape;
  const Step &step;
  const int64_t groupSize;
  const int64_t mostFrom, mostTo;
  Traffic traffic;
};

} // namespace

/// Returns how many elements all ranks together hold: the blocks along the axes
/// that cut dims make up the tensor once, and all other axes repeat that.
int64_t StepTraffic::getTotalHeld(const Layout &layout) {
  int64_t copies = mesh.getNumRanks() / getNumPositions(getCutAxes(layout));
  return multiply(Box::ofShape(shape).getNumElements(), copies);
}

void StepTraffic::computeAllReduce() {
  if (groupSize == 1)
    return;
  setMoved();
  traffic.totalReceived =
      multiply(2, multiply(getTotalHeld(step.from) / groupSize, groupSize - 1));
}

void StepTraffic::computePermute() {
  int64_t moved = llvm::count_if(
      step.pairs, [](auto pair) { return pair.first != pair.second; });
  if (moved == 0)
    return;
  setMoved();
  traffic.totalReceived = multiply(getTotalHeld(step.from) / groupSize, moved);
  // In a group whose axes cut a dim unevenly the slices differ.
  for (auto [dim, size] : llvm::zip_equal(step.from.dims, shape))
    if (overlap(dim.axes, step.axes) && !getEvenBlockSize(dim, size))
      traffic.exact = false;
}

void StepTraffic::computeExchange(int64_t maxPairs) {
  // Where nothing depends on links, a cluster of one level is as good as any.
  static const cost::Cluster bytes = *cost::getNamedCluster("bytes");
  ExchangeCounter counter(mesh, shape, step, bytes, maxPairs);
  const AxisList &varying = counter.getVaryingAxes();
  int64_t positions = getNumPositions(varying);
  if (counter.canCount() && positions <= maxPairs / pairsPerRank) {
    int64_t total = 0;
    for (int64_t position = 0; position < positions; ++position) {
      RankFlows flows =
          counter.count(mesh.withCoordinate(0, varying, position));
      int64_t received = flows.getAllReceived().elements;
      traffic.maxReceived = std::max(traffic.maxReceived, received);
      traffic.maxSent = std::max(traffic.maxSent, flows.getAllSent().elements);
      total = add(total, received);
    }
    traffic.totalReceived = multiply(total, mesh.getNumRanks() / positions);
    return;
  }
  traffic.maxReceived = mostTo;
  traffic.maxSent = multiply(mostFrom, groupSize - 1);
  traffic.totalReceived = getTotalHeld(step.to);
  traffic.exact = false;
}

Traffic StepTraffic::compute(int64_t maxPairs) {
  traffic.maxHeld = std::max(mostFrom, mostTo);
  switch (step.kind) {
  case StepKind::Slice:
    break;
  case StepKind::AllGather:
  case StepKind::Broadcast:
    setMoved();
    traffic.totalReceived = getTotalHeld(step.to) - getTotalHeld(step.from);
    break;
  case StepKind::AllToAll: {
    setMoved();
    int64_t held = getTotalHeld(step.from);
    traffic.totalReceived = held - held / groupSize;
    break;
  }
  case StepKind::ReduceScatter:
    setMoved();
    traffic.totalReceived = multiply(getTotalHeld(step.to), groupSize - 1);
    break;
  case StepKind::AllReduce:
    computeAllReduce();
    break;
  case StepKind::Permute:
    computePermute();
    break;
  case StepKind::Exchange:
    computeExchange(maxPairs);
    break;
  }
  return traffic;
}

Traffic redistribute::getTraffic(const Mesh &mesh,
                                 ArrayRef<int64_t> globalShape,
                                 const Step &step, int64_t maxPairs) {
  SmallVector<int64_t> shape = getCountedShape(globalShape);
  Traffic traffic = StepTraffic(mesh, shape, step).compute(maxPairs);
  traffic.exact &= !llvm::is_contained(globalShape, kDynamic);
  return traffic;
}

Traffic redistribute::getTraffic(const Plan &plan, int64_t maxPairs) {
  Traffic sum;
  auto add = [&](int64_t &total, int64_t count) {
    total = saturate(checkedAdd(total, count), sum.exact);
  };
  SmallVector<int64_t> shape = getCountedShape(plan.globalShape);
  sum.maxHeld = getMaxLocalElements(plan.from, shape);
  for (const Step &step : plan.steps) {
    Traffic traffic = getTraffic(plan.mesh, plan.globalShape, step, maxPairs);
    add(sum.maxReceived, traffic.maxReceived);
    add(sum.maxSent, traffic.maxSent);
    add(sum.totalReceived, traffic.totalReceived);
    sum.maxHeld = std::max(sum.maxHeld, traffic.maxHeld);
    sum.exact &= traffic.exact;
  }
  return sum;
}
