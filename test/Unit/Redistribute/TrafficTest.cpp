// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Traffic where it is a bound. That it is what the evaluation counts is
/// checked on all pairs.

#include "TestSupport.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

TEST(Traffic, an_exchange_too_large_to_count_is_bounded) {
  Plan plan = makePlan(makeMesh("x=2,y=3"), {6, 6}, "[{x},{y}]", "[{y},{x}]");
  Traffic counted = getTraffic(plan);
  EXPECT_TRUE(counted.exact);
  Traffic bound = getTraffic(plan, /*maxPairs=*/35);
  EXPECT_FALSE(bound.exact);
  EXPECT_EQ(bound.maxReceived, 6);
  EXPECT_EQ(bound.maxSent, 30);
  EXPECT_EQ(bound.totalReceived, 36);
  EXPECT_LE(counted.maxReceived, bound.maxReceived);
  EXPECT_LE(counted.maxSent, bound.maxSent);
  EXPECT_LE(counted.totalReceived, bound.totalReceived);
}

TEST(Traffic, counts_beyond_an_int64_are_capped) {
  Plan plan = makePlan(makeMesh("x=1024,y=1024"), {int64_t(1) << 50},
                       "[{}] partial=[sum(x)]", "[{}]");
  Traffic traffic = getTraffic(plan);
  EXPECT_FALSE(traffic.exact);
  EXPECT_EQ(traffic.totalReceived, INT64_MAX);
  // What the ranks of an exchange receive together.
  plan = makePlan(makeMesh("x=3"), {INT64_MAX}, "[{x}]", "[{}]");
  ASSERT_EQ(plan.steps[0].kind, StepKind::Exchange);
  traffic = getTraffic(plan);
  EXPECT_FALSE(traffic.exact);
  EXPECT_EQ(traffic.maxReceived, 6148914691236517206);
  EXPECT_EQ(traffic.totalReceived, INT64_MAX);
  // Twice one less than the group does not fit either.
  plan = makePlan(makeMesh("x=9223372036854775807"), {1},
                  "[{}] partial=[sum(x)]", "[{}]");
  traffic = getTraffic(plan);
  EXPECT_FALSE(traffic.exact);
  EXPECT_EQ(traffic.totalReceived, INT64_MAX);
}

TEST(Traffic, a_dim_of_unknown_size_counts_as_one) {
  Plan plan = makePlan(makeMesh("x=2"), {kDynamic, 8}, "[{},{x}]", "[{},{}]");
  Traffic traffic = getTraffic(plan);
  EXPECT_FALSE(traffic.exact);
  EXPECT_EQ(traffic.maxReceived, 4);
}

TEST(Traffic, plans_without_steps_hold_what_they_have) {
  Plan plan = makePlan(makeMesh("x=2"), {6}, "[{x}]", "[{x}]");
  Traffic traffic = getTraffic(plan);
  EXPECT_EQ(traffic.maxReceived, 0);
  EXPECT_EQ(traffic.maxHeld, 3);
}

TEST(Evaluate, refuses_what_is_too_large) {
  Plan plan = makePlan(makeMesh("x=8"), {int64_t(1) << 40}, "[{x}]", "[{}]");
  EXPECT_EQ(getMessage(evaluatePlan(plan)),
            "8 ranks that hold up to 137438953472 elements each are too many "
            "to evaluate, at most 67108864 elements in all can be");
  plan = makePlan(makeMesh("x=1"), {INT64_MAX}, "[{}]", "[{}]");
  EXPECT_EQ(getMessage(evaluatePlan(plan)),
            "1 ranks that hold up to 9223372036854775807 elements each are too "
            "many to evaluate, at most 67108864 elements in all can be");
  plan = makePlan(makeMesh("x=65536"), {1}, "[{}] partial=[sum(x)]", "[{}]");
  EXPECT_EQ(getMessage(evaluatePlan(plan)),
            "65536 ranks that hold up to 65536 counts of contributions each "
            "are too many to evaluate, at most 67108864 counts of "
            "contributions in all can be");
}

TEST(Evaluate, refuses_a_gather_that_is_wrong_and_too_large) {
  Plan plan = makePlan(makeMesh("x=2048"), {2048, 64}, "[{x},{}]", "[{x},{}]");
  Step step;
  step.kind = StepKind::AllGather;
  step.from = step.to = plan.from;
  step.axes = {plan.mesh.getWholeAxis(0)};
  plan.steps.push_back(step);
  EXPECT_EQ(getMessage(evaluatePlan(plan)),
            "step 1 (all_gather): 2048 ranks that hold up to 131072 elements "
            "each are too many to evaluate, at most 67108864 elements in all "
            "can be");
}

} // namespace
