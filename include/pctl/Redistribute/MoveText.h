// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves as text: a line for the question, then a line for each step of the
/// plan before, for each transfer between the meshes, and for each step of the
/// plan after. What is printed parses back to an equal move. What is not said
/// here is as in PlanText.h:
///
/// \verbatim
///   move      ::= placement `->` placement (`,` `offset` ints)?
///                 part(`before`) transfer* (`in` int `rounds`)? part(`after`)
///   placement ::= shape `on` mesh `:` layout
///   part(p)   ::= (p `on` mesh `:` change)? (p `:` step)*
///   transfer  ::= `device` int `->` int `:` box
///   ints      ::= `[` (int (`,` int)*)? `]`
///   box       ::= `[` (int `:` int (`,` int `:` int)*)? `]`
/// \endverbatim
///
/// The plan before is on the mesh of the source, starts at its layout and ends
/// where its last step does, unless `before on` says otherwise; the plan after
/// is on the mesh of the target, starts where its first step does and ends at
/// the target's layout, unless `after on` does.

#ifndef PCTL_REDISTRIBUTE_MOVETEXT_H
#define PCTL_REDISTRIBUTE_MOVETEXT_H

#include "pctl/Redistribute/Move.h"

namespace pctl::redistribute {

/// Prints a move, whose steps must be valid, each line ended by a line break:
///
///   12 on a=6: [{a}] -> 12 on b=4: [{b}]
///     device 1 -> 0: [2:3]
///     device 2 -> 1: [4:6]
///     ...
std::string toString(const Move &move);

/// Parses a move. It may be wrong, which verifyMove says.
///
/// Errors, by line and column: a syntax error, and those of parsePlan for
/// meshes, layouts and steps.
llvm::Expected<Move> parseMove(llvm::StringRef text);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_MOVETEXT_H
