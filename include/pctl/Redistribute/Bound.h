// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What no plan of a layout change beats; Certificate.h says how near one
/// comes. docs/redistribution.md, "Bounds", has the proofs.

#ifndef PCTL_REDISTRIBUTE_BOUND_H
#define PCTL_REDISTRIBUTE_BOUND_H

#include "pctl/Redistribute/PlanCost.h"

namespace pctl::redistribute {

/// The least that a layout change needs, whatever its steps. Counts that an
/// int64_t does not hold are INT64_MAX.
struct Bound {
  /// The most that some rank has to receive.
  int64_t maxReceivedBytes = 0;
  /// The most that some rank has to send: the even share of all that is
  /// received, or of what leaves the holders of one block.
  int64_t maxSentBytes = 0;
  /// The most that some rank sends at least where nothing is forwarded and each
  /// rank receives only what it lacks. Nothing where sums are to be done, or on
  /// meshes too large to count it.
  std::optional<int64_t> directSentBytes;
  /// What all ranks together have to receive.
  int64_t totalReceivedBytes = 0;
  /// The most that has to come into one unit of the level inside the outermost
  /// one (a node) from outside; 0 in a cluster of one level.
  int64_t maxUnitReceivedBytes = 0;
  /// What any plan takes: one base and one latency where something must move,
  /// and the longest of what the bytes take over the links of the busiest rank
  /// and over those into the busiest unit of each level.
  double timeSec = 0;
  /// What of it is the base and the latency.
  double latencySec = 0;
  /// Whether all ranks were counted. If not, all of this still holds, and more
  /// may be needed.
  bool exact = true;
};

/// Returns the bound of a change from \p from to \p to, which are valid and
/// such that planRedistribution plans it, on \p cluster.
///
/// Where axes cut dims evenly and units are along axes this is a closed formula
/// for a mesh of any size. Elsewhere up to \p maxRanks ranks are visited, and
/// of larger meshes a sample.
///
/// Worked example, on `x=4, y=2` and 16x16x16 from `[{y},{},{x}]` to
/// `[{},{x,y},{}]`, with elements of one byte: each rank has an eighth of the
/// 512 elements that it wants, so that it has to receive 448 bytes, and all
/// together 3584.
Bound getBound(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> globalShape,
               const layout::Layout &from, const layout::Layout &to,
               const cost::Cluster &cluster, int64_t elementBytes,
               int64_t maxRanks = 4096);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_BOUND_H
