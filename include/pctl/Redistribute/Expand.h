// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans as lists of who sends what to whom, so that anyone can check or draw
/// them who knows nothing of layouts and collectives; and a check of such
/// lists, which knows neither the steps nor what they mean.

#ifndef PCTL_REDISTRIBUTE_EXPAND_H
#define PCTL_REDISTRIBUTE_EXPAND_H

#include "pctl/Redistribute/Evaluate.h"

#include <string>

namespace pctl::redistribute {

/// A box, in coordinates of the global tensor and not empty, that one device
/// sends to another.
struct ExpandedTransfer {
  int64_t from = 0;
  int64_t to = 0;
  layout::Box box;
  /// How the receiver adds it to what it holds; it stores it where there is
  /// none.
  std::optional<layout::ReductionKind> reduce;
};

/// What is sent at once: all transfers read what there is before the first of
/// them.
struct ExpandedStep {
  /// The keyword of the kind of step.
  std::string op;
  /// `reduce` and `gather`, the two halves of an all_reduce; `hop 1`, `hop 2`,
  /// ... of a broadcast; empty otherwise.
  std::string phase;
  /// The axes of the group, each as text.
  llvm::SmallVector<std::string> axes;
  std::vector<ExpandedTransfer> transfers;
  /// Whether it goes on with the step that the entry before is of.
  bool continues = false;
};

/// Lists all transfers of \p plan, step by step, those to one device next to
/// each other. What a device keeps is not listed, nor is what it drops: it may
/// hold data that the layout gives it no more. A slice has no transfers. An
/// all_reduce is two entries: each member reduces one part of the slice, and
/// sends it to the others; a part is the row-major range of
/// ceil(elements / group size) elements at its position, in boxes. A broadcast
/// is an entry for each member that is not the last to receive. The rounds of
/// an exchange are not told apart.
///
/// Worked example, on `x=2` and 4 elements from `[{x}]` to `[{}]`: one entry
/// all_gather over x, with the transfers 1 -> 0 of [2:4] and 0 -> 1 of [0:2].
///
/// Errors: those of verifyPlan; a dim of unknown size; more than 2^22
/// transfers, or 2^24 pairs of ranks to look at, in all steps.
llvm::Expected<std::vector<ExpandedStep>> expandPlan(const Plan &plan);

/// Does \p steps on an array of the whole global tensor for each device, in
/// which at the start it has what \p from says, and checks that at the end it
/// has, among others, what \p to says. Values are symbols as those of
/// evaluatePlan, and as little is known of the kinds of reductions.
///
/// Returns, by rank, what is sent and received; `maxHeld` is the most that a
/// device holds if it drops nothing.
///
/// Errors: those of verifyLayout for either layout; a dim of unknown size; more
/// than 2^20 ranks, 2^26 elements of global tensors on all devices, or 2^26
/// counts of contributions; and, naming the step and the transfer, a device that the mesh
/// lacks, a device that sends to itself, a box that is empty or not inside the
/// tensor, elements that the sender does not hold, that the receiver adds to
/// without holding them, or gets twice in one step unless it adds both; and the
/// first element that is missing or wrong at the end.
llvm::Expected<Evaluation> evaluateExpanded(const layout::Mesh &mesh,
                                            llvm::ArrayRef<int64_t> globalShape,
                                            const layout::Layout &from,
                                            const layout::Layout &to,
                                            llvm::ArrayRef<ExpandedStep> steps);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_EXPAND_H
