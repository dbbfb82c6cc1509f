// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A plan, or a move, and all that is said of it.

#ifndef PCTL_TOOLS_PCTL_PLAN_ANSWER_H
#define PCTL_TOOLS_PCTL_PLAN_ANSWER_H

#include "Question.h"

#include "pctl/Redistribute/Certificate.h"
#include "pctl/Redistribute/ExpandMove.h"

#include "llvm/Support/JSON.h"

#include <variant>
#include <vector>

namespace pctl::plan {

/// A valid plan, what it costs and which bound it meets.
struct Answer {
  layout::ElementType element;
  redistribute::PlannerOptions options;
  /// A move where the two sides differ in more than the layout.
  std::variant<redistribute::Plan, redistribute::Move> what;
  redistribute::PlanCost cost;
  redistribute::Bound bound;
  redistribute::Certificate certificate;
  /// Who sends what to whom; empty unless it was asked for.
  std::optional<std::vector<redistribute::ExpandedStep>> expanded;

  /// Lists who sends what to whom. Errors: those of expandPlan and expandMove.
  llvm::Expected<std::vector<redistribute::ExpandedStep>> listTransfers() const;

  /// Returns the keyword of each step, one for each of the costs: those of
  /// Step, or `crossing`.
  llvm::SmallVector<llvm::StringRef> getOps() const;
  /// Returns the plan or move as the library prints it.
  std::string getText() const;
  llvm::json::Value getJson() const;
};

/// Plans what \p question asks. Errors: those of planRedistribution and
/// planMove.
llvm::Expected<Answer> answerQuestion(const Question &question);

/// Says what is to be said of \p plan, which must be valid.
Answer describe(redistribute::Plan plan, layout::ElementType element,
                redistribute::PlannerOptions options);
/// The same of a move.
Answer describe(redistribute::Move move, layout::ElementType element,
                redistribute::PlannerOptions options);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_ANSWER_H
