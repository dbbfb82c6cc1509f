// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the changes of layout of a program cost, and why they are there, as
/// JSON.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REDISTRIBUTIONREPORT_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REDISTRIBUTIONREPORT_H

#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Redistribute/Plan.h"
#include "pctl/Redistribute/Planner.h"

#include "llvm/Support/JSON.h"

namespace pctl {

/// Collects one entry for each redistribute of a program.
class RedistributionReport {
public:
  /// Adds \p op, planned as \p plan with \p options.
  void add(RedistributeOp op, const redistribute::Plan &plan,
           const redistribute::PlannerOptions &options);

  /// Returns the entries with their sums; docs/reports.md has the keys.
  llvm::json::Value take(llvm::StringRef clusterName);

private:
  llvm::json::Array entries;
  int64_t receivedBytes = 0;
  double timeSec = 0;
};

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_REDISTRIBUTIONREPORT_H
