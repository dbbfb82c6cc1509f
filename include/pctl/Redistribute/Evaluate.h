// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The evaluator: does what a plan says with symbols for elements, on every
/// rank of a small mesh. It shares no reasoning with planners nor with
/// verifyPlan: each collective is done as it is defined, on local arrays.

#ifndef PCTL_REDISTRIBUTE_EVALUATE_H
#define PCTL_REDISTRIBUTE_EVALUATE_H

#include "pctl/Redistribute/Traffic.h"

namespace pctl::redistribute {

/// What an evaluation counted.
struct Evaluation {
  /// Exact for the whole plan: maxReceived and maxSent are the most over ranks
  /// of the sums over steps.
  Traffic traffic;
  /// Elements that each rank received and sent in all steps.
  llvm::SmallVector<int64_t, 0> received;
  llvm::SmallVector<int64_t, 0> sent;
};

/// Does \p plan element by element on every rank and counts what is moved.
///
/// A symbol names an element of the global tensor and counts, for each position
/// along the axes that are partial at the start, how often the contribution of
/// that position is in it. So a reduction that is missing, or adds something
/// twice, is seen whatever its kind.
///
/// Errors: layouts that verifyLayout rejects; a dim of unknown size; more than
/// 2^26 elements on all ranks together, or ranks times positions along the axes
/// that are partial at the start; a step that its collective cannot do
/// (slices of unequal shape in a reduction, a split that leaves a rest, ...);
/// and, naming the step, the first rank that holds after it another slice than
/// the step's layout says, or the first element that is wrong on it.
llvm::Expected<Evaluation> evaluatePlan(const Plan &plan);

/// Returns whether evaluatePlan takes on as many elements and contributions as
/// the layouts of \p plan, which verifyPlan must accept, leave on the ranks.
/// All sizes must be known.
bool canEvaluate(const Plan &plan);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_EVALUATE_H
