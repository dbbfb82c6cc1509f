// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the planner chooses, what it refuses, and that it never enumerates
/// ranks.

#include "TestSupport.h"

#include "pctl/Redistribute/PlanCost.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

std::string planSteps(const char *mesh, llvm::ArrayRef<int64_t> shape,
                      const char *from, const char *to) {
  Plan plan = makePlan(makeMesh(mesh), shape, from, to);
  EXPECT_TRUE(isRight(plan));
  return getStepLines(plan);
}

TEST(Planner, slices_before_it_gathers) {
  EXPECT_EQ(planSteps("x=2,y=2", {8, 8}, "[{x},{}]", "[{},{y}]"),
            "  all_slice: [{x},{}] -> [{x},{y}], 0 elements received a rank\n"
            "  all_gather dim 0 over {x}: [{x},{y}] -> [{},{y}], 16 elements "
            "received a rank\n");
}

TEST(Planner, slices_all_dims_at_once) {
  EXPECT_EQ(planSteps("x=2,y=2,z=2", {8, 8}, "[{x},{}]", "[{x,z},{y}]"),
            "  all_slice: [{x},{}] -> [{x,z},{y}], 0 elements received a "
            "rank\n");
}

TEST(Planner, gathers_several_minor_axes_at_once) {
  EXPECT_EQ(planSteps("x=2,y=2,z=2", {8}, "[{x,y,z}]", "[{x}]"),
            "  all_gather dim 0 over {y,z}: [{x,y,z}] -> [{x}], 3 elements "
            "received a rank\n");
}

TEST(Planner, moves_an_axis_then_gathers_what_is_left) {
  EXPECT_EQ(planSteps("x=2,y=2", {8, 8}, "[{x,y},{}]", "[{},{y}]"),
            "  all_to_all concat dim 0, split dim 1 over {y}: [{x,y},{}] -> "
            "[{x},{y}], 8 elements received a rank\n"
            "  all_gather dim 0 over {x}: [{x},{y}] -> [{},{y}], 16 elements "
            "received a rank\n");
}

TEST(Planner, two_moves_are_an_exchange) {
  EXPECT_EQ(planSteps("a=2,b=2", {8, 8, 8}, "[{a},{b},{}]", "[{},{a},{b}]"),
            "  exchange over {a,b}: [{a},{b},{}] -> [{},{a},{b}], 128 elements "
            "received a rank\n");
}

TEST(Planner, exchanges_only_along_axes_that_change) {
  EXPECT_EQ(planSteps("x=2,y=3", {5, 12}, "[{x},{y}]", "[{},{y}]"),
            "  exchange over {x}: [{x},{y}] -> [{},{y}], 12 elements received "
            "a rank\n");
}

TEST(Planner, reduces_what_it_sliced) {
  EXPECT_EQ(
      planSteps("x=2,y=2", {5, 4}, "[{},{}] partial=[sum(y)]", "[{x},{}]"),
      "  all_slice: [{},{}] partial=[sum(y)] -> [{x},{}] partial=[sum(y)], 0 "
      "elements received a rank\n"
      "  all_reduce sum over {y}: [{x},{}] partial=[sum(y)] -> [{x},{}], 12 "
      "elements received a rank\n");
}

TEST(Planner, scatters_behind_sliced_axes) {
  EXPECT_EQ(
      planSteps("x=2,y=2", {8}, "[{}] partial=[maxsi(y)]", "[{x,y}]"),
      "  all_slice: [{}] partial=[maxsi(y)] -> [{x}] partial=[maxsi(y)], 0 "
      "elements received a rank\n"
      "  reduce_scatter maxsi dim 0 over {y}: [{x}] partial=[maxsi(y)] -> "
      "[{x,y}], 2 elements received a rank\n");
}

TEST(Planner, scatters_over_two_dims_then_reduces_the_rest) {
  EXPECT_EQ(
      planSteps("x=2,y=2,z=2", {4, 4}, "[{},{}] partial=[sum(x,y,z)]",
                "[{y},{x}]"),
      "  reduce_scatter sum dim 0 over {y}: [{},{}] partial=[sum(x,y,z)] -> "
      "[{y},{}] partial=[sum(x,z)], 8 elements received a rank\n"
      "  reduce_scatter sum dim 1 over {x}: [{y},{}] partial=[sum(x,z)] -> "
      "[{y},{x}] partial=[sum(z)], 4 elements received a rank\n"
      "  all_reduce sum over {z}: [{y},{x}] partial=[sum(z)] -> [{y},{x}], 4 "
      "elements received a rank\n");
}

TEST(Planner, reduces_a_part_of_an_axis) {
  EXPECT_EQ(planSteps("x=4", {3}, "[{}] partial=[sum(x)]",
                      "[{}] partial=[sum(x:(1)2)]"),
            "  all_reduce sum over {x:(2)2}: [{}] partial=[sum(x)] -> [{}] "
            "partial=[sum(x:(1)2)], 3 elements received a rank\n");
}

TEST(Planner, slices_by_the_free_part_of_an_axis) {
  EXPECT_EQ(planSteps("x=4,y=2", {3, 8}, "[{x:(2)2},{}] partial=[sum(y)]",
                      "[{},{x}]"),
            "  all_slice: [{x:(2)2},{}] partial=[sum(y)] -> "
            "[{x:(2)2},{x:(1)2}] partial=[sum(y)], 0 elements received a rank\n"
            "  all_reduce sum over {y}: [{x:(2)2},{x:(1)2}] partial=[sum(y)] "
            "-> [{x:(2)2},{x:(1)2}], 8 elements received a rank\n"
            "  exchange over {x:(2)2}: [{x:(2)2},{x:(1)2}] -> [{},{x}], 4 "
            "elements received a rank\n");
}

TEST(Planner, does_not_slice_into_blocks_that_the_target_straddles) {
  EXPECT_EQ(planSteps("x=2,y=2", {5}, "[{}] partial=[sum(y)]", "[{x,y}]"),
            "  all_reduce sum over {y}: [{}] partial=[sum(y)] -> [{}], 5 "
            "elements received a rank\n"
            "  all_slice: [{}] -> [{x,y}], 0 elements received a rank\n");
}

TEST(Planner, carries_partial_axes_through_an_exchange) {
  EXPECT_EQ(planSteps("x=2,y=2,z=3", {5, 7}, "[{x},{}] partial=[sum(z)]",
                      "[{},{x}] partial=[sum(z)]"),
            "  exchange over {x}: [{x},{}] partial=[sum(z)] -> [{},{x}] "
            "partial=[sum(z)], 9 elements received a rank\n");
}

TEST(Planner, reduces_kinds_in_their_order) {
  EXPECT_EQ(planSteps("x=2,y=2", {4}, "[{}] partial=[maxsi(y),sum(x)]",
                      "[{}] partial=[sum(x)]"),
            "  all_reduce maxsi over {y}: [{}] partial=[maxsi(y),sum(x)] -> "
            "[{}] partial=[sum(x)], 4 elements received a rank\n");
  EXPECT_EQ(
      planSteps("x=2,y=2", {4}, "[{}] partial=[maxsi(y),sum(x)]", "[{}]"),
      "  reduce_scatter maxsi dim 0 over {y}: [{}] partial=[maxsi(y),sum(x)] "
      "-> [{y}] partial=[sum(x)], 2 elements received a rank\n"
      "  reduce_scatter sum dim 0 over {x}: [{y}] partial=[sum(x)] -> [{y,x}], "
      "1 elements received a rank\n"
      "  all_gather dim 0 over {y,x}: [{y,x}] -> [{}], 3 elements received a "
      "rank\n");
}

TEST(Planner, open_dims_are_placed_as_closed_ones) {
  Mesh mesh = makeMesh("x=2");
  EXPECT_TRUE(makePlan(mesh, {4}, "[{x,?}]", "[{x}]").steps.empty());
  EXPECT_TRUE(isRight(makePlan(mesh, {4}, "[{x,?}]", "[{?}]")));
}

TEST(Planner, scalars) {
  Mesh mesh = makeMesh("x=2,y=2");
  EXPECT_TRUE(makePlan(mesh, {}, "[]", "[]").steps.empty());
  Plan plan = makePlan(mesh, {}, "[] partial=[sum(x,y)]", "[]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(toString(plan),
            "scalar on x=2, y=2: [] partial=[sum(x,y)] -> [], 1 step\n"
            "  all_reduce sum over {x,y}: [] partial=[sum(x,y)] -> [], 3 "
            "elements received a rank\n");
}

TEST(Planner, dims_without_elements) {
  Mesh mesh = makeMesh("x=2,y=2");
  std::vector<Layout> layouts = listLayouts(mesh, 2, /*partial=*/true);
  for (const Layout &from : layouts)
    for (const Layout &to : layouts)
      for (llvm::SmallVector<int64_t> shape :
           {llvm::SmallVector<int64_t>{0, 6}, {3, 0}}) {
        llvm::Expected<Plan> plan = planRedistribution(mesh, shape, from, to);
        if (plan)
          ASSERT_TRUE(isRight(*plan));
        else
          llvm::consumeError(plan.takeError());
      }
}

TEST(Planner, dims_of_unknown_size_that_stay_whole) {
  Mesh mesh = makeMesh("x=2,y=2");
  Plan plan = makePlan(mesh, {kDynamic, 8}, "[{},{x}]", "[{},{}]");
  EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
  EXPECT_EQ(toString(plan),
            "?x8 on x=2, y=2: [{},{x}] -> [{},{}], 1 step\n"
            "  all_gather dim 1 over {x}: [{},{x}] -> [{},{}]\n");
  EXPECT_EQ(getMessage(evaluatePlan(plan)),
            "dim 0 has no known size, which evaluation needs");
}

TEST(Planner, a_million_ranks_cost_what_eight_do) {
  Mesh mesh = makeMesh("a=128,b=64,c=32,d=4");
  Plan plan = makePlan(mesh, {1 << 20, 1 << 20}, "[{a,b},{c}]", "[{b,a},{d}]");
  EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
  // Messages of 32 rows cannot be cut into parts of a chunk, so that one
  // exchange would be over the cap.
  PlannerOptions options;
  EXPECT_LE(getPlanCost(plan, options.cluster, 4, options.chunkBytes,
                        /*maxRanks=*/16)
                .peakBytes,
            4 * getMaxLocalElements(plan.to, plan.globalShape) +
                options.chunkBytes);
  // A permute would list 8192 pairs.
  plan = makePlan(mesh, {1 << 20}, "[{a,b}]", "[{b,a}]");
  EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
  EXPECT_EQ(getStepLines(plan),
            "  exchange over {a,b}: [{a,b}] -> [{b,a}], at most 128 elements "
            "received a rank\n");
  std::mt19937_64 random(3);
  auto draw = [&] {
    Layout layout = Layout::replicated(3);
    for (unsigned axis = 0; axis < 4; ++axis)
      for (AxisRef ref : {AxisRef{axis, 1, 2},
                          AxisRef{axis, 2, mesh.getAxes()[axis].size / 2}})
        if (unsigned dim = random() % 4; dim < 3) {
          auto &axes = layout.dims[dim].axes;
          axes.insert(axes.begin() + random() % (axes.size() + 1), ref);
        }
    return layout;
  };
  for (int i = 0; i < 100; ++i) {
    int64_t shape[] = {int64_t(random() % 5000), 1 << 22, 4096};
    Layout from = draw(), to = draw();
    plan = llvm::cantFail(planRedistribution(mesh, shape, from, to));
    ASSERT_EQ(getMessage(verifyPlan(plan)), "success") << toString(plan);
  }
}

TEST(Planner, more_than_2_to_31_elements) {
  Plan plan =
      makePlan(makeMesh("x=8"), {(int64_t(1) << 31) + 8}, "[{x}]", "[{}]");
  EXPECT_EQ(getStepLines(plan),
            "  all_gather dim 0 over {x}: [{x}] -> [{}], 1879048199 elements "
            "received a rank\n");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(PlannerErrors, making_partial) {
  Mesh mesh = makeMesh("x=2,y=2");
  EXPECT_EQ(getPlanError(mesh, {4}, "[{}]", "[{}] partial=[sum(x)]"),
            "layout change would make axis 'x' partial (sum), it is not so in "
            "the source");
  EXPECT_EQ(getPlanError(mesh, {4}, "[{}] partial=[sum(x)]",
                         "[{}] partial=[maxsi(x)]"),
            "layout change would make axis 'x' partial (maxsi), it is not so "
            "in the source");
  EXPECT_EQ(getPlanError(makeMesh("x=4"), {4}, "[{}] partial=[sum(x:(1)2)]",
                         "[{}] partial=[sum(x)]"),
            "layout change would make axis 'x' partial (sum), it is not so in "
            "the source");
}

TEST(PlannerErrors, reducing_out_of_order) {
  EXPECT_EQ(getPlanError(makeMesh("x=2,y=2"), {4},
                         "[{}] partial=[sum(x),maxsi(y)]",
                         "[{}] partial=[sum(x)]"),
            "layout change from [{}] partial=[sum(x),maxsi(y)] to [{}] "
            "partial=[sum(x)] would reduce partial axes out of order, the "
            "first entry is reduced first");
  EXPECT_EQ(getPlanError(makeMesh("x=2,y=4"), {4},
                         "[{}] partial=[sum(x),maxsi(y)]",
                         "[{}] partial=[sum(x),maxsi(y:(1)2)]"),
            "layout change from [{}] partial=[sum(x),maxsi(y)] to [{}] "
            "partial=[sum(x),maxsi(y:(1)2)] would reduce partial axes out of "
            "order, the first entry is reduced first");
}

TEST(PlannerErrors, layouts_that_do_not_fit) {
  Mesh mesh = makeMesh("x=2,y=2");
  EXPECT_EQ(getPlanError(mesh, {4, 4}, "[{x}]", "[{},{}]"),
            "layout has 1 dims, tensor has rank 2");
  EXPECT_EQ(getPlanError(mesh, {kDynamic}, "[{}]", "[{x}]"),
            "dim 0 is cut by 'x', so its size must be known");
  EXPECT_EQ(getPlanError(mesh, {5}, "[{x}:[2,2]]", "[{}]"),
            "explicit block sizes of dim 0 sum to 4, its size is 5");
}

} // namespace
