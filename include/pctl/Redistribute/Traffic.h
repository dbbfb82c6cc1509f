// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How many elements the steps of a plan move. Each formula is here once; cost
/// models multiply it by bytes and time.

#ifndef PCTL_REDISTRIBUTE_TRAFFIC_H
#define PCTL_REDISTRIBUTE_TRAFFIC_H

#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// Counts of elements. What a rank keeps is neither sent nor received.
struct Traffic {
  /// The most that any rank receives.
  int64_t maxReceived = 0;
  /// The most that any rank sends.
  int64_t maxSent = 0;
  /// What all ranks together receive, which is also what they send.
  int64_t totalReceived = 0;
  /// The most that any rank holds before or after a step. Source and result of
  /// one step are not added up.
  int64_t maxHeld = 0;
  /// Whether the counts are met; if not, they are upper bounds.
  bool exact = true;
};

/// Returns the traffic of one valid step, without enumerating ranks, in a group
/// of g ranks, with the greatest slices |from| and |to|, as the formulas of
/// docs/redistribution.md say:
///
///   all_gather      |to| - |from|            reduce_scatter  (g - 1) |to|
///   all_to_all      |from| - |from| / g      permute         |from|
///   all_reduce      |from| + (g - 2) ceil(|from| / g), which is 2 (g - 1) / g
///                   of |from| where g divides it, by ring or by direct sends
///   broadcast       |to|, as each member but the last passes it on
///   exchange        the most of |to_d| - |to_d and from_d| over ranks d
///
/// The last one, and what an exchange sends, is counted where the positions
/// along the axes that cut dims in any layout of the step, times
/// 16, are at most \p maxPairs; beyond, the bounds |to| and (g - 1) |from|
/// stand for them, and the result says so. A dim of unknown size counts as 1,
/// and a count that int64_t does not hold as INT64_MAX; neither is exact.
Traffic getTraffic(const layout::Mesh &mesh,
                   llvm::ArrayRef<int64_t> globalShape, const Step &step,
                   int64_t maxPairs = 1 << 16);

/// Returns the traffic of a valid plan: the sums over its steps (so that
/// maxReceived and maxSent are upper bounds where different ranks have the most
/// in different steps), and the greatest maxHeld.
Traffic getTraffic(const Plan &plan, int64_t maxPairs = 1 << 16);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_TRAFFIC_H
