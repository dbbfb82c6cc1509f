// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans as text, for people and for tests: a line for the question, then a
/// line for each step. What is printed parses back to an equal plan. Meshes,
/// layouts and axes are those of LayoutText.h:
///
/// \verbatim
///   plan     ::= shape `on` mesh `:` change (`,` int (`step` | `steps`))? step*
///   shape    ::= `scalar` | size (`x` size)*
///   size     ::= int | `?`
///   change   ::= layout `->` layout
///   step     ::= what group? `:` change suffix*
///   what     ::= `all_slice` | `exchange` | `all_gather` `dim` int
///              | `all_to_all` `concat` `dim` int `,` `split` `dim` int
///              | `reduce_scatter` kind `dim` int | `all_reduce` kind
///              | `permute` (`(` int `,` int `)`)*
///              | `broadcast` `from` `position` int
///   group    ::= `over` `{` axisref (`,` axisref)* `}`
///   suffix   ::= `,` (`owners` layout | int `rounds`
///                    | `transfers` transfer+
///                    | `at most`? int `elements received a rank`)
///   transfer ::= int `->` int `[` (int `:` int (`,` int `:` int)*)? `]`
/// \endverbatim
///
/// Spaces and line breaks between tokens do not count. Owners, rounds and
/// transfers are of exchanges.

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
/// is no count where a dim is of unknown size. The step must be valid, as what
/// it moves is counted. Members that its kind does not use are not printed.
std::string toString(const layout::Mesh &mesh,
                     llvm::ArrayRef<int64_t> globalShape, const Step &step);

/// Prints a plan, each line ended by a line break:
///
///   8x6 on data=4, model=2: [{data},{model}] -> [{data},{}], 1 step
///     all_gather dim 1 over {model}: ...
std::string toString(const Plan &plan);

/// Parses a plan. It may be wrong, which verifyPlan says. Counts of elements
/// received are no part of a plan and are read over; a number of steps, where
/// there is one, must be right.
///
/// Errors, by line and column: a syntax error; axes and layouts that parseMesh
/// and parseLayout reject; a suffix given twice, or to a step that is no
/// exchange; another number of steps than is said.
llvm::Expected<Plan> parsePlan(llvm::StringRef text);

/// Parses a step as toString prints it. Errors: as those of parsePlan.
llvm::Expected<Step> parseStep(llvm::StringRef text, const layout::Mesh &mesh);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANTEXT_H
