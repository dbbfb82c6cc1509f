// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves as lists of who sends what to whom, and a check of such lists.

#ifndef PCTL_REDISTRIBUTE_EXPANDMOVE_H
#define PCTL_REDISTRIBUTE_EXPANDMOVE_H

#include "pctl/Redistribute/Expand.h"
#include "pctl/Redistribute/Move.h"

namespace pctl::redistribute {

/// Lists all transfers of \p move as expandPlan does, by devices: those of the
/// plan before, then the crossing, an entry of op `crossing` where it has any,
/// then those of the plan after. All boxes are in coordinates of the source's
/// tensor; what a target has that the source does not, padding, is not listed.
///
/// Worked example, 4 elements on `a=2` from `[{a}]` to `b=1 devices=[5]` as
/// `[{}]`: one entry, with 0 -> 5 of [0:2] and 1 -> 5 of [2:4].
///
/// Errors: those of expandPlan for either plan.
llvm::Expected<std::vector<ExpandedStep>> expandMove(const Move &move);

/// Does \p steps on an array of the source's whole tensor for each device of
/// either mesh, as the other evaluateExpanded does, and checks that at the end
/// each device of the target has what of its slice the source has. It knows no
/// more of a move than the question. Returns what each device receives and
/// sends.
///
/// Errors: those of planMove for the question; a target with partial axes where
/// the meshes have no common factors; more than 2^16 ranks, 2^26 elements of
/// the source's tensor on all devices of a mesh, or as many counts of
/// contributions; and those of the other evaluateExpanded, which name devices
/// where there is no common mesh.
llvm::Expected<MoveEvaluation>
evaluateExpanded(const MoveQuestion &question,
                 llvm::ArrayRef<ExpandedStep> steps);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_EXPANDMOVE_H
