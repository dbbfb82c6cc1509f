// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Wrong plans. Each test breaks one constraint, by its label in
/// docs/redistribution.md, in a plan that is right without it, and checks what
/// the verifier and the evaluator say, of which neither relies on the other.

#include "TestSupport.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

/// Returns a plan of one step that does what the arguments say.
Plan makeStep(llvm::StringRef meshText, llvm::ArrayRef<int64_t> shape,
              StepKind kind, llvm::StringRef from, llvm::StringRef to,
              llvm::StringRef axes, unsigned dim = 0, unsigned concatDim = 0) {
  Mesh mesh = makeMesh(meshText);
  Plan plan{mesh,
            llvm::SmallVector<int64_t, 4>(shape),
            makeLayout(mesh, from),
            makeLayout(mesh, to),
            {}};
  Step step;
  step.kind = kind;
  step.from = plan.from;
  step.to = plan.to;
  step.axes = makeLayout(mesh, ("[{" + axes + "}]").str()).dims[0].axes;
  step.dim = dim;
  step.concatDim = concatDim;
  plan.steps.push_back(step);
  return plan;
}

/// Checks that \p plan is right.
void expectRight(const Plan &plan) {
  EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
  EXPECT_EQ(getMessage(evaluatePlan(plan)), "success");
}

void expectWrong(const Plan &plan, llvm::StringRef verifyMessage,
                 llvm::StringRef evaluateMessage) {
  EXPECT_EQ(getMessage(verifyPlan(plan)), verifyMessage);
  EXPECT_EQ(getMessage(evaluatePlan(plan)), evaluateMessage);
}

constexpr const char *mesh22 = "x=2,y=2";

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, steps_lead_from_one_layout_to_the_next) {
  Plan plan = makePlan(makeMesh(mesh22), {8, 8}, "[{x},{}]", "[{},{y}]");
  expectRight(plan);
  Plan noSlice = plan;
  noSlice.steps.erase(noSlice.steps.begin());
  expectWrong(noSlice,
              "step 1 (all_gather): starts at [{x},{y}], the tensor is at "
              "[{x},{}]",
              "step 1 (all_gather): before it, rank 0 holds 4x8 elements, its "
              "slice [0:4, 0:4] has 4x4");
  Plan noGather = plan;
  noGather.steps.pop_back();
  expectWrong(noGather,
              "the steps end at [{x},{y}], the plan leads to [{},{y}]",
              "after the last step, rank 0 holds 4x4 elements, its slice [0:8, "
              "0:4] has 8x4");
}

TEST(VerifyPlan, a_missing_reduction) {
  Plan plan = makePlan(makeMesh(mesh22), {4}, "[{}] partial=[sum(x)]", "[{}]");
  plan.steps.clear();
  expectWrong(plan,
              "the steps end at [{}] partial=[sum(x)], the plan leads to [{}]",
              "after the last step, element [0] on rank 0 has the "
              "contributions of its positions 1,0 times, 1,1 is right");
}

TEST(VerifyPlan, a_contribution_counted_twice) {
  Plan plan = makePlan(makeMesh(mesh22), {4}, "[{}] partial=[sum(x)]", "[{}]");
  plan.steps.push_back(plan.steps.front());
  plan.steps.back().from = plan.to;
  expectWrong(plan,
              "step 2 (all_reduce): reduces sum over {x}, what is to be "
              "reduced next is none",
              "step 2 (all_reduce): after it, element [0] on rank 0 has the "
              "contributions of its positions 2,2 times, 1,1 is right");
}

TEST(VerifyPlan, groups_of_distinct_axes_of_the_mesh) {
  Plan plan = makeStep(mesh22, {8}, StepKind::AllGather, "[{x}]", "[{}]", "x");
  expectRight(plan);
  plan.steps[0].axes.push_back(plan.steps[0].axes[0]);
  expectWrong(plan,
              "step 1 (all_gather): group axis 'x' (size 2) is used twice in "
              "layout",
              "step 1 (all_gather): group axis 'x' (size 2) is used twice in "
              "layout");
}

TEST(VerifyPlan, dims_in_range) {
  expectWrong(
      makeStep(mesh22, {8}, StepKind::AllGather, "[{x}]", "[{}]", "x", 1),
      "step 1 (all_gather): dim is 1, tensor has rank 1",
      "step 1 (all_gather): dim 1 of a tensor of rank 1");
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, slice_c1) {
  expectRight(makeStep(mesh22, {8}, StepKind::Slice, "[{x}]", "[{x,y}]", ""));
  expectWrong(makeStep(mesh22, {8}, StepKind::Slice, "[{x}]", "[{y,x}]", ""),
              "step 1 (all_slice): dim 0 is cut by {x} before and {y,x} after, "
              "not inside the blocks before",
              "step 1 (all_slice): slice [4:6] is not inside the [0:4] that "
              "rank 1 holds");
  expectWrong(makeStep(mesh22, {5}, StepKind::Slice, "[{x}]", "[{x,y}]", ""),
              "step 1 (all_slice): dim 0 is cut by {x} before and {x,y} after, "
              "not inside the blocks before",
              "step 1 (all_slice): slice [2:4] is not inside the [0:3] that "
              "rank 1 holds");
}

TEST(VerifyPlan, slice_c1_group) {
  // What the group of a slice is makes no difference to the evaluator.
  expectWrong(makeStep(mesh22, {8}, StepKind::Slice, "[{}]", "[{x}]", "x"),
              "step 1 (all_slice): has a group {x}, a slice has none",
              "success");
}

TEST(VerifyPlan, slice_c2) {
  expectWrong(makeStep(mesh22, {8}, StepKind::Slice, "[{}] partial=[sum(x)]",
                       "[{y}]", ""),
              "step 1 (all_slice): partial axes change from sum(x) to none, "
              "they must stay",
              "step 1 (all_slice): after it, element [0] on rank 0 has the "
              "contributions of its positions 1,0 times, 1,1 is right");
}

TEST(VerifyPlan, slice_c2_whole_becomes_partial) {
  expectWrong(makeStep(mesh22, {8}, StepKind::Slice, "[{}]",
                       "[{}] partial=[sum(y)]", ""),
              "step 1 (all_slice): partial axes change from none to sum(y), "
              "they must stay",
              "step 1 (all_slice): after it, axis 'y' is partial, it was not "
              "at the start");
}

//===----------------------------------------------------------------------===//
// AllGather
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, all_gather_c1) {
  expectWrong(
      makeStep(mesh22, {8}, StepKind::AllGather, "[{x}]", "[{}]", "y"),
      "step 1 (all_gather): dim 0 is cut by {x} before and {} after, that is "
      "not {y} leaving its minor end",
      "step 1 (all_gather): after it, rank 0 holds element [0] where element "
      "[4] belongs");
  expectWrong(
      makeStep(mesh22, {8}, StepKind::AllGather, "[{x,y}]", "[{}]", "y,x"),
      "step 1 (all_gather): dim 0 is cut by {x,y} before and {} after, that is "
      "not {y,x} leaving its minor end",
      "step 1 (all_gather): after it, rank 0 holds element [4] where element "
      "[2] belongs");
}

TEST(VerifyPlan, all_gather_c1_other_dim) {
  expectWrong(makeStep(mesh22, {5, 4}, StepKind::AllGather, "[{x},{}]",
                       "[{},{}]", "x", 1),
              "step 1 (all_gather): dim 1 is cut by {} before and {} after, "
              "that is not {x} leaving its minor end",
              "step 1 (all_gather): joins slices 3x4 and 2x4 along dim 1");
}

TEST(VerifyPlan, all_gather_c2) {
  // Joining slices of other sizes gives the right elements; the collective
  // cannot do it.
  Plan plan = makeStep(mesh22, {5}, StepKind::AllGather, "[{x}]", "[{}]", "x");
  expectWrong(plan,
              "step 1 (all_gather): dim 0 (size 5) is cut unevenly by {x}",
              "success");
}

TEST(VerifyPlan, all_gather_c3) {
  expectWrong(makeStep(mesh22, {8, 8}, StepKind::AllGather, "[{x},{y}]",
                       "[{},{}]", "x"),
              "step 1 (all_gather): dim 1 is cut by {y} before and {} after, "
              "or has other blocks; it must stay",
              "step 1 (all_gather): after it, rank 0 holds 8x4 elements, its "
              "slice [0:8, 0:8] has 8x8");
}

//===----------------------------------------------------------------------===//
// AllToAll
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, all_to_all_c1) {
  expectWrong(makeStep(mesh22, {8, 8}, StepKind::AllToAll, "[{x},{}]",
                       "[{},{x}]", "x", 1, 1),
              "step 1 (all_to_all): split dim and concat dim are both 1",
              "step 1 (all_to_all): after it, rank 0 holds 4x8 elements, its "
              "slice [0:8, 0:4] has 8x4");
}

TEST(VerifyPlan, all_to_all_c2) {
  expectRight(makeStep(mesh22, {8, 8}, StepKind::AllToAll, "[{x},{}]",
                       "[{},{x}]", "x", 1, 0));
  expectWrong(makeStep(mesh22, {8, 8}, StepKind::AllToAll, "[{x,y},{}]",
                       "[{y},{x}]", "x", 1, 0),
              "step 1 (all_to_all): concat dim 0 is cut by {x,y} before and "
              "{y} after, that is not {x} leaving its minor end",
              "step 1 (all_to_all): after it, rank 0 holds element [4, 0] "
              "where element [2, 0] belongs");
  expectWrong(makeStep(mesh22, {8, 8}, StepKind::AllToAll, "[{x},{y}]",
                       "[{},{x,y}]", "x", 1, 0),
              "step 1 (all_to_all): split dim 1 is cut by {y} before and {x,y} "
              "after, that is not {x} joining its minor end",
              "step 1 (all_to_all): after it, rank 1 holds element [0, 4] "
              "where element [0, 2] belongs");
}

TEST(VerifyPlan, all_to_all_c3) {
  expectWrong(makeStep(mesh22, {8, 5}, StepKind::AllToAll, "[{x},{}]",
                       "[{},{x}]", "x", 1, 0),
              "step 1 (all_to_all): dim 1 (size 5) is cut unevenly by {x}",
              "step 1 (all_to_all): splits 5 elements of dim 1 into 2 equal "
              "parts");
}

TEST(VerifyPlan, all_to_all_c4) {
  expectWrong(makeStep(mesh22, {8, 8, 8}, StepKind::AllToAll, "[{x},{},{}]",
                       "[{},{x},{y}]", "x", 1, 0),
              "step 1 (all_to_all): dim 2 is cut by {} before and {y} after, "
              "or has other blocks; it must stay",
              "step 1 (all_to_all): after it, rank 0 holds 8x4x8 elements, its "
              "slice [0:8, 0:4, 0:4] has 8x4x4");
}

//===----------------------------------------------------------------------===//
// ReduceScatter
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, reduce_scatter_c1) {
  expectRight(makeStep(mesh22, {8}, StepKind::ReduceScatter,
                       "[{}] partial=[sum(x)]", "[{x}]", "x"));
  expectWrong(makeStep(mesh22, {8}, StepKind::ReduceScatter,
                       "[{}] partial=[sum(x)]", "[{y}] partial=[sum(x)]", "y"),
              "step 1 (reduce_scatter): reduces sum over {y}, what is to be "
              "reduced next is sum(x)",
              "step 1 (reduce_scatter): after it, element [0] on rank 0 has "
              "the contributions of its positions 2,0 times, 1,0 is right");
}

TEST(VerifyPlan, reduce_scatter_c1_kind) {
  Plan plan = makeStep(mesh22, {8}, StepKind::ReduceScatter,
                       "[{}] partial=[sum(x)]", "[{x}]", "x");
  plan.steps[0].reduction = ReductionKind::Xor;
  EXPECT_EQ(getMessage(verifyPlan(plan)),
            "step 1 (reduce_scatter): reduces xor over {x}, what is to be "
            "reduced next is sum(x)");
}

TEST(VerifyPlan, reduce_scatter_c1_rest) {
  expectWrong(makeStep(mesh22, {8}, StepKind::ReduceScatter,
                       "[{}] partial=[sum(x,y)]", "[{x}]", "x"),
              "step 1 (reduce_scatter): partial axes after it are none, the "
              "reduction leaves sum(y)",
              "step 1 (reduce_scatter): after it, element [0] on rank 0 has "
              "the contributions of its positions 1,0,1,0 times, 1,1,1,1 is "
              "right");
}

TEST(VerifyPlan, reduce_scatter_c2) {
  expectWrong(makeStep(mesh22, {8}, StepKind::ReduceScatter,
                       "[{y}] partial=[sum(x)]", "[{x,y}]", "x"),
              "step 1 (reduce_scatter): dim 0 is cut by {y} before and {x,y} "
              "after, that is not {x} joining its minor end",
              "step 1 (reduce_scatter): after it, rank 1 holds element [4] "
              "where element [2] belongs");
}

TEST(VerifyPlan, reduce_scatter_c3) {
  expectWrong(makeStep(mesh22, {5}, StepKind::ReduceScatter,
                       "[{}] partial=[sum(x)]", "[{x}]", "x"),
              "step 1 (reduce_scatter): dim 0 (size 5) is cut unevenly by {x}",
              "step 1 (reduce_scatter): splits 5 elements of dim 0 into 2 "
              "equal parts");
}

TEST(VerifyPlan, reduce_scatter_c4) {
  expectWrong(makeStep(mesh22, {8, 8}, StepKind::ReduceScatter,
                       "[{},{}] partial=[sum(x)]", "[{x},{y}]", "x"),
              "step 1 (reduce_scatter): dim 1 is cut by {} before and {y} "
              "after, or has other blocks; it must stay",
              "step 1 (reduce_scatter): after it, rank 0 holds 4x8 elements, "
              "its slice [0:4, 0:4] has 4x4");
}

//===----------------------------------------------------------------------===//
// AllReduce
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, all_reduce_c1) {
  expectRight(makeStep(mesh22, {5}, StepKind::AllReduce,
                       "[{y}] partial=[sum(x)]", "[{y}]", "x"));
  expectWrong(makeStep(mesh22, {5}, StepKind::AllReduce,
                       "[{}] partial=[sum(x)]", "[{}]", "y"),
              "step 1 (all_reduce): reduces sum over {y}, what is to be "
              "reduced next is sum(x)",
              "step 1 (all_reduce): after it, element [0] on rank 0 has the "
              "contributions of its positions 2,0 times, 1,1 is right");
  expectWrong(makeStep(mesh22, {5}, StepKind::AllReduce,
                       "[{}] partial=[sum(x)]", "[{}]", "x,y"),
              "step 1 (all_reduce): reduces sum over {x,y}, what is to be "
              "reduced next is sum(x)",
              "step 1 (all_reduce): after it, element [0] on rank 0 has the "
              "contributions of its positions 2,2 times, 1,1 is right");
}

TEST(VerifyPlan, all_reduce_c1_axis_that_cuts) {
  expectWrong(makeStep(mesh22, {4}, StepKind::AllReduce,
                       "[{x}] partial=[sum(y)]", "[{x}]", "x"),
              "step 1 (all_reduce): reduces sum over {x}, what is to be "
              "reduced next is sum(y)",
              "step 1 (all_reduce): reduces element [0] of rank 0 with element "
              "[2] of rank 2");
  expectWrong(makeStep(mesh22, {5}, StepKind::AllReduce,
                       "[{x}] partial=[sum(y)]", "[{x}]", "x"),
              "step 1 (all_reduce): reduces sum over {x}, what is to be "
              "reduced next is sum(y)",
              "step 1 (all_reduce): reduces slices 3 of rank 0 and 2 of rank "
              "2");
}

TEST(VerifyPlan, all_reduce_c1_order) {
  EXPECT_EQ(getMessage(verifyPlan(makeStep(mesh22, {5}, StepKind::AllReduce,
                                           "[{}] partial=[maxsi(y),sum(x)]",
                                           "[{}] partial=[maxsi(y)]", "x"))),
            "step 1 (all_reduce): reduces sum over {x}, what is to be reduced "
            "next is maxsi(y)");
}

TEST(VerifyPlan, all_reduce_c2) {
  expectWrong(makeStep(mesh22, {8}, StepKind::AllReduce,
                       "[{}] partial=[sum(x)]", "[{x}]", "x"),
              "step 1 (all_reduce): dim 0 is cut by {} before and {x} after, "
              "or has other blocks; it must stay",
              "step 1 (all_reduce): after it, rank 0 holds 8 elements, its "
              "slice [0:4] has 4");
}

//===----------------------------------------------------------------------===//
// Permute
//===----------------------------------------------------------------------===//

Plan makePermute(std::initializer_list<std::pair<int64_t, int64_t>> pairs) {
  Plan plan =
      makeStep(mesh22, {8}, StepKind::Permute, "[{x,y}]", "[{y,x}]", "x,y");
  plan.steps[0].pairs.assign(pairs.begin(), pairs.end());
  return plan;
}

TEST(VerifyPlan, permute_c1) {
  expectRight(makePermute({{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
  Plan plan =
      makeStep(mesh22, {8}, StepKind::Permute, "[{x,y}]", "[{y,x}]", "x");
  plan.steps[0].pairs = {{0, 1}, {1, 0}};
  expectWrong(plan,
              "step 1 (permute): group {x} lacks some of {x,y}, which change "
              "place",
              "step 1 (permute): after it, rank 0 holds element [4] where "
              "element [0] belongs");
}

TEST(VerifyPlan, permute_c1_part_of_what_stays) {
  // Right, but the group of rank 0 alone does not show it: the verifier asks
  // for a simpler group.
  Plan plan = makeStep("x=4,a=2,b=2", {8, 4}, StepKind::Permute, "[{x},{a,b}]",
                       "[{x},{b,a}]", "x:(2)2,a,b");
  plan.steps[0].pairs = {{0, 0}, {1, 2}, {2, 1}, {3, 3},
                         {4, 4}, {5, 6}, {6, 5}, {7, 7}};
  expectWrong(plan,
              "step 1 (permute): group {x:(2)2,a,b} has only a part of {x}, "
              "which stays",
              "success");
}

TEST(VerifyPlan, permute_c2) {
  Plan plan = makeStep(mesh22, {5, 4}, StepKind::Permute, "[{x},{y}]",
                       "[{y},{x}]", "x,y");
  plan.steps[0].pairs = {{0, 0}, {1, 2}, {2, 1}, {3, 3}};
  EXPECT_EQ(getMessage(verifyPlan(plan)),
            "step 1 (permute): dim 0 (size 5) is cut unevenly by {x}");
  plan = makeStep("x=2,y=4", {8, 8}, StepKind::Permute, "[{x},{y}]",
                  "[{y},{x}]", "x,y");
  for (int64_t position = 0; position < 8; ++position)
    plan.steps[0].pairs.push_back({position, position});
  expectWrong(plan,
              "step 1 (permute): dim 0 is cut into 2 blocks before and 4 after",
              "step 1 (permute): after it, rank 0 holds 4x2 elements, its "
              "slice [0:2, 0:4] has 2x4");
}

TEST(VerifyPlan, permute_c3) {
  expectWrong(makePermute({{0, 0}, {1, 2}, {2, 1}}),
              "step 1 (permute): has 3 pairs, group {x,y} has 4 positions",
              "step 1 (permute): rank 3 receives nothing");
  expectWrong(makePermute({{0, 0}, {1, 2}, {2, 2}, {3, 3}}),
              "step 1 (permute): target 2 is named twice",
              "step 1 (permute): rank 2 receives twice");
  expectWrong(makePermute({{0, 0}, {0, 2}, {2, 1}, {3, 3}}),
              "step 1 (permute): source 0 at place 1 of the pairs, sources are "
              "0 to 3 in order",
              "step 1 (permute): after it, rank 2 holds element [0] where "
              "element [2] belongs");
  expectWrong(makePermute({{0, 4}, {1, 2}, {2, 1}, {3, 3}}),
              "step 1 (permute): target 4 is not a position of group {x,y}",
              "step 1 (permute): target 4 is not a position of the group");
}

TEST(VerifyPlan, permute_c4) {
  expectWrong(makePermute({{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
              "step 1 (permute): sends [2:4] of position 1 to position 1, "
              "which will hold [4:6]",
              "step 1 (permute): after it, rank 1 holds element [2] where "
              "element [4] belongs");
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, exchange_c1) {
  expectRight(makeStep(mesh22, {5}, StepKind::Exchange, "[{x}]", "[{y}]", "x"));
  expectWrong(
      makeStep(mesh22, {5}, StepKind::Exchange, "[{x}]", "[{y}]", "x,y"),
      "step 1 (exchange): group {x,y} has axes that cut no dim before, only "
      "{x} do",
      "step 1 (exchange): rank 1 receives element [3] twice");
}

TEST(VerifyPlan, exchange_c2) {
  // The whole of what cuts is a group too, only larger than it need be.
  expectRight(makeStep(mesh22, {6, 5}, StepKind::Exchange, "[{x},{y}]",
                       "[{x},{}]", "x,y"));
  expectWrong(makeStep(mesh22, {6, 5}, StepKind::Exchange, "[{x},{y}]",
                       "[{},{y}]", "y"),
              "step 1 (exchange): group {y} lacks some of {x}, along which "
              "what its members will hold is spread",
              "step 1 (exchange): no member sends rank 0 what belongs at [3, "
              "0] of its slice");
}

TEST(VerifyPlan, exchange_c3) {
  expectWrong(makeStep(mesh22, {5}, StepKind::Exchange,
                       "[{x}] partial=[sum(y)]", "[{}]", "x"),
              "step 1 (exchange): partial axes change from sum(y) to none, "
              "they must stay",
              "step 1 (exchange): after it, element [0] on rank 0 has the "
              "contributions of its positions 1,0 times, 1,1 is right");
}

} // namespace
