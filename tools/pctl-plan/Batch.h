// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Many questions, a line each.

#ifndef PCTL_TOOLS_PCTL_PLAN_BATCH_H
#define PCTL_TOOLS_PCTL_PLAN_BATCH_H

#include "Arguments.h"

#include "llvm/Support/raw_ostream.h"

namespace pctl::plan {

/// Answers the lines of the file that `--batch` names, each before the next is
/// read, and returns whether all of them were good. A line is split by
/// splitWords and parsed over the other options of \p arguments; one without
/// words has no answer, a bad one has `{"error": "..."}`.
///
/// Errors: an option that makes no sense beside `--batch` (UsageError); a file
/// that can't be read.
llvm::Expected<bool> runBatch(const Arguments &arguments,
                              llvm::raw_ostream &os);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_BATCH_H
