// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Asks the library, which has a function for plans and one for moves each.

#include "Answer.h"

#include "pctl/Redistribute/MoveJson.h"
#include "pctl/Redistribute/MoveText.h"
#include "pctl/Redistribute/PlanJson.h"
#include "pctl/Redistribute/PlanText.h"

using namespace pctl;
using namespace pctl::plan;
using namespace pctl::redistribute;
using llvm::Expected;

/// Tells the overloads for plans and moves apart, which \p what holds.
template <typename Use> static auto visit(const Answer &answer, Use use) {
  return std::visit(use, answer.what);
}

static auto expandWhat(const Plan &plan) { return expandPlan(plan); }
static auto expandWhat(const Move &move) { return expandMove(move); }

Expected<std::vector<ExpandedStep>> Answer::listTransfers() const {
  return visit(*this, [](const auto &what) { return expandWhat(what); });
}

llvm::SmallVector<llvm::StringRef> Answer::getOps() const {
  llvm::SmallVector<llvm::StringRef> ops;
  auto add = [&](const Plan &plan) {
    for (const Step &step : plan.steps)
      ops.push_back(stringifyStepKind(step.kind));
  };
  if (const Plan *plan = std::get_if<Plan>(&what)) {
    add(*plan);
    return ops;
  }
  const Move &move = std::get<Move>(what);
  add(move.before);
  if (!move.crossing.transfers.empty())
    ops.push_back("crossing");
  add(move.after);
  return ops;
}

std::string Answer::getText() const {
  return visit(*this, [](const auto &what) { return toString(what); });
}

llvm::json::Value Answer::getJson() const {
  return visit(*this, [](const auto &what) { return toJson(what); });
}

Answer plan::describe(Plan plan, layout::ElementType element,
                      PlannerOptions options) {
  PlanCost cost = getPlanCost(plan, options.cluster, options.elementBytes,
                              options.chunkBytes);
  Bound bound = getBound(plan.mesh, plan.globalShape, plan.from, plan.to,
                         options.cluster, options.elementBytes);
  Certificate certificate = certify(plan, cost, bound, options);
  return Answer{std::move(element), std::move(options), std::move(plan),
                std::move(cost),    std::move(bound),   std::move(certificate),
                std::nullopt};
}

Answer plan::describe(Move move, layout::ElementType element,
                      PlannerOptions options) {
  PlanCost cost = getMoveCost(move, options.cluster, options.elementBytes,
                              options.chunkBytes);
  Bound bound =
      getMoveBound(move.question, options.cluster, options.elementBytes);
  Certificate certificate = certify(move, cost, bound);
  return Answer{std::move(element), std::move(options), std::move(move),
                std::move(cost),    std::move(bound),   std::move(certificate),
                std::nullopt};
}

Expected<Answer> plan::answerQuestion(const Question &question) {
  const Side &from = question.from, &to = question.to;
  if (question.isMove()) {
    Expected<Move> move = planMove({{from.mesh, from.layout, from.shape},
                                    {to.mesh, to.layout, to.shape},
                                    question.offset},
                                   question.options);
    if (!move)
      return move.takeError();
    return describe(std::move(*move), question.element, question.options);
  }
  Expected<Plan> plan = planRedistribution(from.mesh, from.shape, from.layout,
                                           to.layout, question.options);
  if (!plan)
    return plan.takeError();
  return describe(std::move(*plan), question.element, question.options);
}
