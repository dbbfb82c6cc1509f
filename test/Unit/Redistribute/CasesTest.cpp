// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layout changes that other systems get wrong, or do with a full gather, each
/// with what is right.

#include "TestSupport.h"

#include "pctl/Layout/ReplicaGroups.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

using Groups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

Groups getGroups(const Plan &plan, size_t step) {
  return ReplicaGroups(plan.mesh, plan.steps[step].axes).getAllGroups();
}

llvm::SmallVector<int64_t> getLocalSizes(const Plan &plan,
                                         const Layout &layout) {
  llvm::SmallVector<int64_t> sizes;
  for (int64_t rank = 0; rank < plan.mesh.getNumRanks(); ++rank)
    sizes.push_back(
        getBox(plan.mesh, layout, plan.globalShape, rank).getNumElements());
  return sizes;
}

TEST(Cases, two_axes_that_swap_dims_leave_4x8_of_16x16) {
  Mesh mesh = makeMesh("x=2,y=4");
  Plan plan = makePlan(mesh, {16, 16}, "[{x},{y}]", "[{y},{x}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalShape(plan.to, {16, 16}),
            (llvm::SmallVector<int64_t>{4, 8}));
  EXPECT_EQ(getTraffic(plan).maxHeld, 32);
  EXPECT_EQ(getStepLines(plan),
            "  exchange over {x,y}: [{x},{y}] -> [{y},{x}], 32 elements "
            "received a rank\n");
}

TEST(Cases, the_minor_axis_of_one_dim_moves_to_another) {
  Plan plan =
      makePlan(makeMesh("x=2,y=4"), {16, 16}, "[{x,y},{}]", "[{x},{y}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalShape(plan.to, {16, 16}),
            (llvm::SmallVector<int64_t>{8, 4}));
  EXPECT_EQ(getStepLines(plan),
            "  all_to_all concat dim 0, split dim 1 over {y}: [{x,y},{}] -> "
            "[{x},{y}], 24 elements received a rank\n");
}

TEST(Cases, reordered_axes_are_one_permute) {
  Plan plan = makePlan(makeMesh("x=2,y=4"), {16}, "[{x,y}]", "[{y,x}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  permute (0,0)(1,4)(2,1)(3,5)(4,2)(5,6)(6,3)(7,7) over {x,y}: "
            "[{x,y}] -> [{y,x}], 2 elements received a rank\n");
}

TEST(Cases, one_axis_takes_the_place_of_another) {
  Plan plan = makePlan(makeMesh("x=2,y=4"), {16, 16}, "[{x},{}]", "[{y},{}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(plan.steps.size(), 1u);
}

TEST(Cases, three_dims_receive_448_elements_and_never_hold_all_4096) {
  Plan plan = makePlan(makeMesh("x=4,y=2"), {16, 16, 16}, "[{y},{},{x}]",
                       "[{},{x,y},{}]");
  EXPECT_TRUE(isRight(plan));
  Evaluation evaluation = llvm::cantFail(evaluatePlan(plan));
  EXPECT_EQ(evaluation.traffic.maxReceived, 448);
  EXPECT_EQ(evaluation.traffic.maxHeld, 512);
}

TEST(Cases, swapped_axes_of_equal_size_are_not_gathered) {
  Plan plan = makePlan(makeMesh("x=2,y=2"), {8, 8}, "[{x},{y}]", "[{y},{x}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  permute (0,0)(1,2)(2,1)(3,3) over {x,y}: [{x},{y}] -> "
            "[{y},{x}], 16 elements received a rank\n");
}

TEST(Cases, uneven_blocks_there_and_back_are_the_identity) {
  struct {
    const char *mesh;
    int64_t size;
    llvm::SmallVector<int64_t> blocks;
  } cuts[] = {{"x=4", 5, {2, 2, 1, 0}},
              {"x=2", 5, {3, 2}},
              {"x=4", 2, {1, 1, 0, 0}},
              {"x=4", 6, {2, 2, 2, 0}}};
  for (const auto &cut : cuts) {
    Mesh mesh = makeMesh(cut.mesh);
    Plan there = makePlan(mesh, {cut.size}, "[{}]", "[{x}]");
    EXPECT_TRUE(isRight(there));
    EXPECT_EQ(getLocalSizes(there, there.to), cut.blocks);
    EXPECT_TRUE(isRight(makePlan(mesh, {cut.size}, "[{x}]", "[{}]")));
  }
}

TEST(Cases, two_axes_cut_5_elements_in_flat_blocks) {
  Plan plan = makePlan(makeMesh("x=2,y=2"), {5}, "[{}]", "[{x,y}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalSizes(plan, plan.to),
            (llvm::SmallVector<int64_t>{2, 2, 1, 0}));
  // Blocks 3, 2 of x are not unions of these, so this is no slice.
  plan = makePlan(makeMesh("x=2,y=2"), {5}, "[{x}]", "[{x,y}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  exchange over {x}: [{x}] -> [{x,y}], 1 elements received a "
            "rank\n");
}

TEST(Cases, explicit_widths_are_honoured) {
  Mesh mesh = makeMesh("x=4");
  Plan plan = makePlan(mesh, {14}, "[{x}:[2,3,4,5]]", "[{}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  exchange over {x}: [{x}:[2,3,4,5]] -> [{}], 12 elements "
            "received a rank\n");
  plan = makePlan(mesh, {14}, "[{x}]", "[{x}:[2,3,4,5]]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalSizes(plan, plan.to),
            (llvm::SmallVector<int64_t>{2, 3, 4, 5}));
}

TEST(Cases, gathering_73_elements_of_4_ranks_gives_73) {
  Plan plan = makePlan(makeMesh("x=4"), {73}, "[{x}]", "[{}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalSizes(plan, plan.from),
            (llvm::SmallVector<int64_t>{19, 19, 19, 16}));
  EXPECT_EQ(getLocalSizes(plan, plan.to),
            (llvm::SmallVector<int64_t>{73, 73, 73, 73}));
}

TEST(Cases, all_to_all_keeps_rows_in_the_order_of_the_group) {
  Plan plan = makePlan(makeMesh("x=2,y=2"), {4, 2}, "[{x},{}]", "[{},{x}]");
  EXPECT_TRUE(isRight(plan));
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, StepKind::AllToAll);
  EXPECT_EQ(getGroups(plan, 0), (Groups{{0, 2}, {1, 3}}));
}

TEST(Cases, reduce_scatter_stays_in_its_group) {
  Mesh mesh = makeMesh("x=4,y=2");
  Plan plan = makePlan(mesh, {8, 2}, "[{},{y}] partial=[sum(x)]", "[{x},{y}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  reduce_scatter sum dim 0 over {x}: [{},{y}] partial=[sum(x)] -> "
            "[{x},{y}], 6 elements received a rank\n");
  EXPECT_EQ(getGroups(plan, 0), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(Cases, replicas_share_a_reduce_scatter_in_its_groups) {
  Mesh mesh = makeMesh("x=4,y=2");
  Plan plan = makePlan(mesh, {8}, "[{}] partial=[sum(x)]", "[{x}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  all_slice: [{}] partial=[sum(x)] -> [{y}] partial=[sum(x)], 0 "
            "elements received a rank\n"
            "  reduce_scatter sum dim 0 over {x}: [{y}] partial=[sum(x)] -> "
            "[{y,x}], 3 elements received a rank\n"
            "  exchange over {x,y}: [{y,x}] -> [{x}], 2 elements received a "
            "rank\n");
  EXPECT_EQ(getGroups(plan, 1), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(Cases, two_partial_axes_apart_are_one_all_reduce) {
  Plan plan = makePlan(makeMesh("x=2,y=2,z=2"), {6},
                       "[{}] partial=[sum(x),sum(z)]", "[{}]");
  EXPECT_TRUE(isRight(plan));
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, StepKind::AllReduce);
  EXPECT_EQ(getGroups(plan, 0), (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(Cases, partial_axes_around_an_axis_that_cuts_are_not_flattened) {
  Plan plan = makePlan(makeMesh("x=2,y=2,z=2"), {12},
                       "[{y}] partial=[sum(x,z)]", "[{x,y,z}]");
  EXPECT_TRUE(isRight(plan));
  // Blocks of 12 over 8 are 2 2 2 2 2 2 0 0, no halves of quarters: what is
  // reduced into quarters is exchanged.
  EXPECT_EQ(getStepLines(plan),
            "  reduce_scatter sum dim 0 over {x}: [{y}] partial=[sum(x,z)] -> "
            "[{y,x}] partial=[sum(z)], 3 elements received a rank\n"
            "  all_reduce sum over {z}: [{y,x}] partial=[sum(z)] -> [{y,x}], 3 "
            "elements received a rank\n"
            "  exchange over {x,y}: [{y,x}] -> [{x,y,z}], 2 elements received "
            "a rank\n");
}

TEST(Cases, several_4_cycles_in_one_permute) {
  Plan plan =
      makePlan(makeMesh("a=2,b=2,c=2,d=2"), {16}, "[{a,b,c,d}]", "[{b,c,d,a}]");
  EXPECT_TRUE(isRight(plan));
  ASSERT_EQ(plan.steps.size(), 1u);
  const auto &pairs = plan.steps[0].pairs;
  auto follow = [&](int64_t start) {
    llvm::SmallVector<int64_t> cycle;
    for (int64_t at = start; cycle.empty() || at != start;
         at = pairs[at].second)
      cycle.push_back(at);
    return cycle;
  };
  EXPECT_EQ(follow(1), (llvm::SmallVector<int64_t>{1, 8, 4, 2}));
  EXPECT_EQ(follow(3), (llvm::SmallVector<int64_t>{3, 9, 12, 6}));
  EXPECT_EQ(follow(7), (llvm::SmallVector<int64_t>{7, 11, 13, 14}));
}

TEST(Cases, gathering_the_columns_of_5_ranks_gives_3x20) {
  Plan plan = makePlan(makeMesh("x=5"), {3, 20}, "[{},{x}]", "[{},{}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getLocalShape(plan.from, {3, 20}),
            (llvm::SmallVector<int64_t>{3, 4}));
  EXPECT_EQ(getStepLines(plan),
            "  all_gather dim 1 over {x}: [{},{x}] -> [{},{}], 48 elements "
            "received a rank\n");
}

TEST(Cases, an_axis_of_size_1_needs_no_step) {
  Mesh mesh = makeMesh("b=1,m=8");
  EXPECT_TRUE(makePlan(mesh, {8}, "[{b}]", "[{}]").steps.empty());
  EXPECT_TRUE(makePlan(mesh, {8}, "[{m,b}]", "[{b,m}]").steps.empty());
  EXPECT_TRUE(makePlan(mesh, {8, 8}, "[{},{m}]", "[{b},{m}]").steps.empty());
  EXPECT_TRUE(
      makePlan(mesh, {8}, "[{}] partial=[sum(b)]", "[{}]").steps.empty());
}

TEST(Cases, meshes_off_the_powers_of_two) {
  EXPECT_TRUE(isRight(makePlan(makeMesh("a=2,b=3,c=4"), {24, 24, 24},
                               "[{b},{c},{}]", "[{c},{a,b},{}]")));
  EXPECT_TRUE(isRight(
      makePlan(makeMesh("a=2,b=3,c=5"), {60, 60}, "[{a},{b}]", "[{b,c},{a}]")));
}

TEST(Cases, an_axis_split_over_two_dims_is_not_gathered) {
  Plan plan = makePlan(makeMesh("x=4"), {8, 8, 8, 8}, "[{x},{},{},{}]",
                       "[{x:(1)2},{},{},{x:(2)2}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  all_to_all concat dim 0, split dim 3 over {x:(2)2}: "
            "[{x},{},{},{}] -> [{x:(1)2},{},{},{x:(2)2}], 512 elements "
            "received a rank\n");
}

} // namespace
