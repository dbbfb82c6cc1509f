// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How near a plan comes to what no plan beats, and why not nearer.
/// docs/redistribution.md, "Certificates".

#ifndef PCTL_REDISTRIBUTE_CERTIFICATE_H
#define PCTL_REDISTRIBUTE_CERTIFICATE_H

#include "pctl/Redistribute/Move.h"

namespace pctl::redistribute {

/// Which bounds a plan meets.
struct Certificate {
  bool meetsReceived = false;
  /// Whether no rank sends more than some rank has to send or receive.
  bool meetsSent = false;
  bool meetsUnit = false;
  bool meetsTime = false;
  /// The plan's time over the bound: 1 where it is met.
  double ratio = 1;
  /// What of the time above its bound is base and latencies, the links' work on
  /// bytes, and packing.
  double extraLatencySec = 0;
  double extraTransferSec = 0;
  double packSec = 0;
  /// Which bound is met, or how far the plan is from each and why, e.g.
  /// `takes 1.333 times the bound: 6 us of bytes, as a rank sends 24 bytes
  /// where 18 are the bound, and 12 the least without forwarding`. Where a plan
  /// moves more bytes than the bound it says what an exchange takes, which does
  /// not: on links with latencies, fewer messages may be worth more bytes.
  std::string reason;
};

/// Returns how near \p plan, which costs \p cost with \p options, comes to
/// \p bound.
Certificate certify(const Plan &plan, const PlanCost &cost, const Bound &bound,
                    const PlannerOptions &options);

/// The same of a move.
Certificate certify(const Move &move, const PlanCost &cost, const Bound &bound);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_CERTIFICATE_H
