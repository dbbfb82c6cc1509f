// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What plans cost on a cluster: bytes moved and held, and time.
/// docs/redistribution.md, "Costs", states the formulas; Traffic.h has counts
/// of elements, Cluster.h the times of collectives.

#ifndef PCTL_REDISTRIBUTE_PLANCOST_H
#define PCTL_REDISTRIBUTE_PLANCOST_H

#include "pctl/Cost/Cluster.h"
#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// What one step costs. Counts that an int64_t does not hold are INT64_MAX.
struct StepCost {
  /// The most that any rank receives, sends.
  int64_t receivedBytes = 0;
  int64_t sentBytes = 0;
  /// The most that any rank holds: the greater of its slices before and after,
  /// and what it stages.
  int64_t liveBytes = 0;
  /// The most that any rank stages in buffers beside its slices: of what an
  /// exchange packs and unpacks, what goes in one round; of what a collective
  /// packs and unpacks, a chunk or a row of it, but all where no dim is before
  /// those that it cuts and joins, or some slices are uneven.
  int64_t stagingBytes = 0;
  /// The most that any rank packs and unpacks, as NCCL sends contiguous data
  /// only.
  int64_t packBytes = 0;
  double timeSec = 0;
  /// What of the time is base and latencies, whatever the bytes, and what is
  /// packing.
  double latencySec = 0;
  double packSec = 0;
  /// Whether the counts are met. If not, those of an exchange are from a sample
  /// of ranks or, where not even that can be counted, upper bounds; others are
  /// upper bounds.
  bool exact = true;
};

/// A step and what it costs.
struct PricedStep {
  Step step;
  StepCost cost;
};

/// What a plan costs.
struct PlanCost {
  /// The most that any rank receives, sends, in all steps.
  int64_t maxReceivedBytes = 0;
  int64_t maxSentBytes = 0;
  /// What all ranks together receive.
  int64_t totalReceivedBytes = 0;
  /// The greatest liveBytes of a step; of a plan without steps what a rank
  /// holds.
  int64_t peakBytes = 0;
  /// The most that comes into one unit of the level inside the outermost one
  /// (a node) from outside, in all steps; 0 in a cluster of one level. An
  /// all-gather brings each slice into a unit once, rings send into it what
  /// they send to each member.
  int64_t maxUnitReceivedBytes = 0;
  /// The sum over steps.
  double timeSec = 0;
  bool exact = true;
  llvm::SmallVector<StepCost, 4> steps;
};

/// Returns what one valid step costs, where an element takes \p elementBytes
/// and what a collective packs goes through buffers of \p chunkBytes.
///
/// A collective takes what cost::getCollectiveTime says over the slowest
/// link that its group crosses. An exchange takes
///
///     base
///   + rounds * (most over ranks: sum over peers of the latency to each)
///   + most over links: (most over ranks: max(sent, received) over that link)
///                      / its bandwidth
///
/// as links of different levels work at once. Packing adds twice its bytes, as
/// they are read and written, over the memory bandwidth. A slice takes no time.
///
/// Costs time in the number of axes for a collective. An exchange is counted on
/// at most \p maxRanks ranks: all that differ along axes that cut dims, where
/// there are no more; else a spread sample of them.
StepCost getStepCost(const layout::Mesh &mesh,
                     llvm::ArrayRef<int64_t> globalShape, const Step &step,
                     const cost::Cluster &cluster, int64_t elementBytes,
                     int64_t chunkBytes, int64_t maxRanks = 4096);

/// Returns what a valid plan costs. Up to \p maxRanks ranks it sums over steps
/// for each rank and each unit; beyond that it adds up the maxima of steps,
/// which are upper bounds.
PlanCost getPlanCost(const Plan &plan, const cost::Cluster &cluster,
                     int64_t elementBytes, int64_t chunkBytes,
                     int64_t maxRanks = 4096);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANCOST_H
