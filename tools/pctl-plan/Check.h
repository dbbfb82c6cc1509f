// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans that are read back and held to what they say.

#ifndef PCTL_TOOLS_PCTL_PLAN_CHECK_H
#define PCTL_TOOLS_PCTL_PLAN_CHECK_H

#include "Answer.h"

namespace pctl::plan {

/// What was found of a plan that is right.
struct CheckResult {
  /// The most elements that a device receives and sends when the plan is done
  /// element by element; not there where it is too large for that.
  std::optional<int64_t> received, sent;
  /// Why it was not done so.
  std::string whyNot;
  /// How many transfers were listed and found to give every device its slice.
  std::optional<int64_t> transfers;
};

struct CheckedPlan {
  Answer answer;
  CheckResult result;
};

/// Reads the plan in the file that `--check` names, as pctl-plan or the library
/// prints it, text or JSON, and checks it: the constraints of its steps, its
/// evaluation, and the transfers that its JSON lists. The type of an element is
/// what the file says, else what `--shape` says, else f32.
///
/// Errors: an option that makes a question (UsageError); a file that can't be
/// read; and, each with the name of the file, those of parsePlan, parseMove,
/// planFromJson and moveFromJson, verifyPlan and verifyMove, evaluatePlan and evaluateMove,
/// and evaluateExpanded; more bytes held than the cap; a `--shape` that is not
/// the plan's.
llvm::Expected<CheckedPlan> checkPlan(const Arguments &arguments,
                                      ClusterCache &clusters);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_CHECK_H
