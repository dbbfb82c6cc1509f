// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Answers as text and as JSON. docs/pctl-plan.md names every key.

#ifndef PCTL_TOOLS_PCTL_PLAN_REPORT_H
#define PCTL_TOOLS_PCTL_PLAN_REPORT_H

#include "Answer.h"
#include "Check.h"

#include "llvm/Support/raw_ostream.h"

namespace pctl::plan {

/// Prints the plan, a table of what each step costs, and the certificate.
void printText(llvm::raw_ostream &os, const Answer &answer,
               const CheckResult *check = nullptr);

/// Prints one object: over several lines, each transfer on one of its own, or
/// on a single line without the line break at its end.
void printJson(llvm::raw_ostream &os, const Answer &answer, bool onOneLine,
               const CheckResult *check = nullptr);

/// Prints `{"error": "..."}`, without a line break.
void printJsonError(llvm::raw_ostream &os, llvm::StringRef message);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_REPORT_H
