// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans as text, for people and for tests: a line for the question, then a
/// line for each step.

#ifndef PCTL_REDISTRIBUTE_PLANTEXT_H
#define PCTL_REDISTRIBUTE_PLANTEXT_H

#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// Prints what a step does, from where to where, and what it moves, without a
/// line break:
///
///   all_gather dim 1 over {model}: [{data},{model}] -> [{data},{}], 6 elements
///   received a rank
///
/// (in one line). `at most` stands before a count that is a bound only; there
/// is no count where a dim is of unknown size.
std::string toString(const layout::Mesh &mesh,
                     llvm::ArrayRef<int64_t> globalShape, const Step &step);

/// Prints a plan, each line ended by a line break:
///
///   8x6 on data=4, model=2: [{data},{model}] -> [{data},{}], 1 step
///     all_gather dim 1 over {model}: ...
std::string toString(const Plan &plan);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANTEXT_H
