// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Prices, bounds and rounds, and the pairs of permutes.

#include "Pricer.h"

#include "Algebra.h"
#include "ExchangeCount.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Bound.h"
#include "pctl/Redistribute/Traffic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;

/// Returns on how many ranks bounds that are no formula, and times that are
/// only to rule exchanges out, are counted at most: on a sample where ranks are
/// many, which leaves them bounds.
static int64_t getMaxBoundRanks(const Mesh &mesh) {
  return mesh.getNumRanks() <= 64 ? 64 : 8;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

StepCost Pricer::getCost(const Step &step) const {
  return getStepCost(mesh, globalShape, step, options.cluster,
                     options.elementBytes, options.chunkBytes,
                     getPlanningRanks(mesh));
}

double Pricer::getLeastSec(const Layout &from, const Layout &to) const {
  return getBound(mesh, globalShape, from, to, options.cluster,
                  options.elementBytes, getMaxBoundRanks(mesh))
      .timeSec;
}

/// Returns the least bandwidth of a link of \p cluster.
static double getLeastBandwidth(const cost::Cluster &cluster) {
  double least = cluster.levels.front().link.bandwidthBytesPerSec;
  for (const cost::Level &level : cluster.levels)
    least = std::min(least, level.link.bandwidthBytesPerSec);
  for (const cost::AxisLink &axis : cluster.axes)
    least = std::min(least, axis.link.bandwidthBytesPerSec);
  return least;
}

/// Where senders share, latencies are added, and nothing but bytes is taken
/// off: those that some rank sends beyond what any receives, over the slowest
/// link at worst, and twice over memory where they are packed.
double Pricer::getLeastExchangeSec(const Layout &from, const Layout &to) const {
  Step step;
  step.kind = StepKind::Exchange;
  step.from = from;
  step.to = to;
  step.axes = getExchangeAxes(getCountedShape(globalShape), from, to);
  StepCost cost = getStepCost(mesh, globalShape, step, options.cluster,
                              options.elementBytes, options.chunkBytes,
                              getMaxBoundRanks(mesh));
  auto shared = static_cast<double>(
      std::max<int64_t>(cost.sentBytes - cost.receivedBytes, 0));
  return cost.timeSec - shared / getLeastBandwidth(options.cluster) -
         2 * shared / options.cluster.memoryBandwidthBytesPerSec;
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// Cuts the messages of \p step, an exchange, such that a round stages about a
/// chunk: what is sent and received is counted on few ranks alone, and taken
/// for twice the greater slice on many.
void Pricer::setRounds(Step &step) const {
  llvm::SmallVector<int64_t> shape = getCountedShape(globalShape);
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

const PricedStep &Pricer::makeExchange(const Layout &from, const Layout &to) {
  for (const auto &made : exchanges)
    if (made->step.from == from && made->step.to == to)
      return *made;
  auto priced = std::make_unique<PricedStep>(
      makeFastestExchange(mesh, globalShape, from, to, options.cluster,
                          options.elementBytes, options.chunkBytes));
  setRounds(priced->step);
  if (priced->step.rounds != 1)
    priced->cost = getCost(priced->step);
  exchanges.push_back(std::move(priced));
  return *exchanges.back();
}

//===----------------------------------------------------------------------===//
// Permutes
//===----------------------------------------------------------------------===//

Step redistribute::makePermute(const Mesh &mesh, const Layout &from,
                               const Layout &to, ArrayRef<AxisRef> sent,
                               ArrayRef<AxisRef> received) {
  Step step;
  step.kind = StepKind::Permute;
  step.from = from;
  step.to = to;
  step.axes = getAxisSet(AxisList(sent));
  for (int64_t source = 0; source < getNumPositions(step.axes); ++source) {
    int64_t sender = mesh.withCoordinate(0, step.axes, source);
    int64_t receiver =
        mesh.withCoordinate(0, received, mesh.getCoordinate(sender, sent));
    step.pairs.push_back({source, mesh.getCoordinate(receiver, step.axes)});
  }
  return step;
}
