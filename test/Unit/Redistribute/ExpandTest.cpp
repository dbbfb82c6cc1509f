// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans written out as transfers bring every device what it must have, and
/// count as the evaluation of the plan counts; wrong lists are refused.

#include "TestSupport.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Expand.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;
using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

namespace {

std::string print(const ExpandedStep &step) {
  std::string text = step.op + " " + step.phase + "{";
  for (const std::string &axis : step.axes)
    text += axis + " ";
  text += "}";
  for (const ExpandedTransfer &transfer : step.transfers) {
    text += " " + std::to_string(transfer.from) + "->" +
            std::to_string(transfer.to) + " " + toString(transfer.box);
    if (transfer.reduce)
      text += stringifyReductionKind(*transfer.reduce).str();
  }
  return text;
}

std::string printAll(llvm::StringRef text) {
  Plan plan = llvm::cantFail(parsePlan(text));
  llvm::Expected<std::vector<ExpandedStep>> steps = expandPlan(plan);
  if (!steps)
    return llvm::toString(steps.takeError());
  std::string all;
  for (const ExpandedStep &step : *steps)
    all += print(step) + "\n";
  return all;
}

/// Checks that what \p plan is expanded to is right, and that it moves on each
/// rank what evaluatePlan counts.
AssertionResult expandsRight(const Plan &plan) {
  llvm::Expected<std::vector<ExpandedStep>> steps = expandPlan(plan);
  if (!steps)
    return AssertionFailure() << llvm::toString(steps.takeError()) << "\n"
                              << toString(plan);
  llvm::Expected<Evaluation> expanded =
      evaluateExpanded(plan.mesh, plan.globalShape, plan.from, plan.to, *steps);
  if (!expanded)
    return AssertionFailure() << llvm::toString(expanded.takeError()) << "\n"
                              << toString(plan);
  Evaluation evaluation = llvm::cantFail(evaluatePlan(plan));
  if (expanded->received != evaluation.received ||
      expanded->sent != evaluation.sent)
    return AssertionFailure() << "other counts\n" << toString(plan);
  return AssertionSuccess();
}

/// Checks all pairs of layouts of \p shape on a mesh.
void expectAllRight(const char *meshText, llvm::ArrayRef<int64_t> shape,
                    bool partial) {
  Mesh mesh = makeMesh(meshText);
  std::vector<Layout> layouts = listLayouts(mesh, shape.size(), partial);
  int plans = 0;
  for (const Layout &from : layouts)
    for (const Layout &to : layouts) {
      llvm::Expected<Plan> plan = planRedistribution(mesh, shape, from, to);
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      ++plans;
      ASSERT_TRUE(expandsRight(*plan));
    }
  EXPECT_GE(plans, static_cast<int>(layouts.size()));
}

TEST(Expand, all_pairs) {
  expectAllRight("x=2,y=2", {8, 8}, /*partial=*/true);
  expectAllRight("x=2,y=2", {5, 3}, /*partial=*/true);
  expectAllRight("x=2,y=3", {6, 7}, /*partial=*/true);
  expectAllRight("x=2,y=2,z=2", {8}, /*partial=*/true);
  expectAllRight("x=2,y=2", {2, 2, 2}, /*partial=*/false);
  expectAllRight("x=2", {}, /*partial=*/true);
  expectAllRight("x=4", {0, 3}, /*partial=*/true);
}

TEST(Expand, devices_of_the_mesh) {
  expectAllRight("x=2,y=2 devices=[9,3,12,1]", {4, 4}, /*partial=*/true);
  EXPECT_EQ(printAll("4 on x=2 devices=[9,3]: [{x}] -> [{}]\n"
                     "all_gather dim 0 over {x}: [{x}] -> [{}]"),
            "all_gather {x } 3->9 [2:4] 9->3 [0:2]\n");
}

TEST(Expand, balanced_and_listed_exchanges) {
  for (const char *meshText : {"x=2,y=3", "x=2,y=2,z=2"}) {
    Mesh mesh = makeMesh(meshText);
    cost::Cluster bytes = *cost::getNamedCluster("bytes");
    std::vector<Layout> layouts = listLayouts(mesh, 1);
    int owners = 0, lists = 0;
    for (int64_t size : {7, 24})
      for (const Layout &from : layouts)
        for (const Layout &to : layouts) {
          if (from == to || getExchangeAxes({size}, from, to).empty())
            continue;
          Step step =
              makeBalancedExchange(mesh, {size}, from, to, bytes, 1, 1 << 20);
          owners += step.owners.has_value();
          ASSERT_TRUE(expandsRight({mesh, {size}, from, to, {step}}));
          std::optional<Step> listed =
              makeListedExchange(mesh, {size}, from, to);
          lists += listed.has_value();
          if (listed)
            ASSERT_TRUE(expandsRight({mesh, {size}, from, to, {*listed}}));
        }
    EXPECT_GT(owners, 0);
    EXPECT_GT(lists, 0);
  }
}

TEST(Expand, each_kind) {
  EXPECT_EQ(printAll("4 on x=2: [{}] -> [{x}]\nall_slice: [{}] -> [{x}]"),
            "all_slice {}\n");
  EXPECT_EQ(printAll("2x2 on x=2: [{x},{}] -> [{},{x}]\nall_to_all concat dim "
                     "0, split dim 1 over {x}: [{x},{}] -> [{},{x}]"),
            "all_to_all {x } 1->0 [1:2, 0:1] 0->1 [0:1, 1:2]\n");
  EXPECT_EQ(printAll("4 on x=2: [{}] partial=[maxsi(x)] -> [{x}]\n"
                     "reduce_scatter maxsi dim 0 over {x}: [{}] "
                     "partial=[maxsi(x)] -> [{x}]"),
            "reduce_scatter {x } 1->0 [0:2]maxsi 0->1 [2:4]maxsi\n");
  EXPECT_EQ(printAll("4 on x=2,y=2: [{x,y}] -> [{y,x}]\npermute "
                     "(0,0)(1,2)(2,1)(3,3) over {x,y}: [{x,y}] -> [{y,x}]"),
            "permute {x y } 2->1 [2:3] 1->2 [1:2]\n");
  EXPECT_EQ(printAll("4 on x=3: [{x}:[0,4,0]] -> [{}]\nbroadcast from position "
                     "1 over {x}: [{x}:[0,4,0]] -> [{}]"),
            "broadcast hop 1{x } 1->2 [0:4]\nbroadcast hop 2{x } 2->0 "
            "[0:4]\n");
  EXPECT_EQ(printAll("8 on x=2,y=2: [{x}] -> [{y}]\nexchange over {x,y}: [{x}] "
                     "-> [{y}], owners [{x,y}], 2 rounds"),
            "exchange {x y } 2->1 [4:6] 3->1 [6:8] 0->2 [0:2] 1->2 [2:4]\n");
}

TEST(Expand, a_broadcast_is_a_chain) {
  EXPECT_TRUE(expandsRight(llvm::cantFail(
      parsePlan("12x2 on x=3,y=2: [{y,x}:[0,6,0,0,6,0],{}] -> [{y},{}]\n"
                "broadcast from position 1 over {x}: "
                "[{y,x}:[0,6,0,0,6,0],{}] -> [{y},{}]"))));
}

TEST(Expand, an_all_reduce_is_two_entries) {
  // A part of 3 of the 3x3 elements is a row; one of 5 and 4 is not.
  EXPECT_EQ(printAll("3x3 on x=2: [{},{}] partial=[sum(x)] -> [{},{}]\n"
                     "all_reduce sum over {x}: [{},{}] partial=[sum(x)] -> "
                     "[{},{}]"),
            "all_reduce reduce{x } 1->0 [0:1, 0:3]sum 1->0 [1:2, 0:2]sum 0->1 "
            "[1:2, 2:3]sum 0->1 [2:3, 0:3]sum\n"
            "all_reduce gather{x } 1->0 [1:2, 2:3] 1->0 [2:3, 0:3] 0->1 [0:1, "
            "0:3] 0->1 [1:2, 0:2]\n");
}

TEST(Expand, refuses) {
  EXPECT_EQ(printAll("4 on x=2: [{x}] -> [{}]"),
            "the steps end at [{x}], the plan leads to [{}]");
  EXPECT_EQ(printAll("?x4 on x=2: [{},{x}] -> [{},{x}]"),
            "dim 0 has no known size, which a list of transfers needs");
  EXPECT_EQ(printAll("16384 on x=16384: [{x}] -> [{}]\nall_gather dim 0 over "
                     "{x}: [{x}] -> [{}]"),
            "groups of 16384 of the 16384 ranks are too many to list what they "
            "send");
  EXPECT_EQ(printAll("4096 on x=4096: [{x}] -> [{}]\nall_gather dim 0 over "
                     "{x}: [{x}] -> [{}]"),
            "the plan has more than 4194304 transfers, which are too many to "
            "list");
}

//===----------------------------------------------------------------------===//
// Wrong lists
//===----------------------------------------------------------------------===//

/// Evaluates \p transfers, in one step, on `x=2` and 4 elements.
std::string evaluate(llvm::StringRef from, llvm::StringRef to,
                     std::vector<ExpandedTransfer> transfers,
                     llvm::StringRef meshText = "x=2") {
  Mesh mesh = makeMesh(meshText);
  ExpandedStep step{"any", "", {}, std::move(transfers)};
  return getMessage(evaluateExpanded(mesh, {4}, makeLayout(mesh, from),
                                     makeLayout(mesh, to), step));
}

Box makeBox(int64_t offset, int64_t size) { return Box({{offset, size}}); }

constexpr ReductionKind sum = ReductionKind::Sum;

TEST(EvaluateExpanded, right_lists) {
  EXPECT_EQ(evaluate("[{x}]", "[{}]",
                     {{1, 0, makeBox(2, 2), {}}, {0, 1, makeBox(0, 2), {}}}),
            "success");
  EXPECT_EQ(evaluate("[{}] partial=[sum(x)]", "[{x}]",
                     {{1, 0, makeBox(0, 2), sum}, {0, 1, makeBox(2, 2), sum}}),
            "success");
}

TEST(EvaluateExpanded, wrong_transfers) {
  EXPECT_EQ(evaluate("[{x}]", "[{x}]", {{2, 0, makeBox(0, 2), {}}}),
            "step 1 (any): transfer 2 -> 0: device 2 is none of the mesh");
  EXPECT_EQ(evaluate("[{x}]", "[{x}]", {{0, -1, makeBox(0, 2), {}}}),
            "step 1 (any): transfer 0 -> -1: device -1 is none of the mesh");
  EXPECT_EQ(evaluate("[{x}]", "[{x}]", {{8, 0, makeBox(0, 2), {}}},
                     "x=2 devices=[8,9]"),
            "step 1 (any): transfer 8 -> 0: device 0 is none of the mesh");
  EXPECT_EQ(evaluate("[{x}]", "[{x}]", {{0, 0, makeBox(0, 2), {}}}),
            "step 1 (any): transfer 0 -> 0: the device sends to itself");
  for (Box box : {makeBox(0, 0), makeBox(3, 2), makeBox(-1, 2), Box()})
    EXPECT_EQ(evaluate("[{x}]", "[{x}]", {{0, 1, box, {}}}),
              "step 1 (any): transfer 0 -> 1: " + toString(box) +
                  " is no box of the tensor with elements in it");
  EXPECT_EQ(evaluate("[{x}]", "[{}]", {{1, 0, makeBox(1, 3), {}}}),
            "step 1 (any): transfer 1 -> 0: the sender does not hold element "
            "[1]");
  EXPECT_EQ(evaluate("[{x}]", "[{}]",
                     {{1, 0, makeBox(2, 2), {}}, {1, 0, makeBox(3, 1), {}}}),
            "step 1 (any): transfer 1 -> 0: the receiver gets element [3] "
            "twice");
  EXPECT_EQ(evaluate("[{x}]", "[{}]",
                     {{1, 0, makeBox(2, 2), {}}, {1, 0, makeBox(3, 1), sum}}),
            "step 1 (any): transfer 1 -> 0: the receiver gets element [3] "
            "twice");
  EXPECT_EQ(evaluate("[{x}]", "[{}]", {{1, 0, makeBox(2, 2), sum}}),
            "step 1 (any): transfer 1 -> 0: the receiver adds to element [2], "
            "which it does not hold");
}

TEST(EvaluateExpanded, wrong_ends) {
  EXPECT_EQ(evaluate("[{x}]", "[{}]", {{1, 0, makeBox(2, 2), {}}}),
            "after the last step, rank 1 lacks element [0]");
  EXPECT_EQ(
      evaluate("[{}] partial=[sum(x)]", "[{}]", {{1, 0, makeBox(0, 4), sum}}),
      "after the last step, element [0] on rank 1 has the contributions "
      "of its positions 0,1 times, 1,1 is right");
  // Both read what was there before.
  EXPECT_EQ(evaluate("[{}] partial=[sum(x)]", "[{}]",
                     {{1, 0, makeBox(0, 4), sum}, {0, 1, makeBox(0, 4), {}}}),
            "after the last step, element [0] on rank 1 has the contributions "
            "of its positions 1,0 times, 1,1 is right");
  EXPECT_EQ(evaluate("[{}]", "[{}] partial=[sum(x)]", {}),
            "after the last step, axis 'x' is partial, it was not at the "
            "start");
}

TEST(EvaluateExpanded, refuses_what_is_too_large) {
  Mesh mesh = makeMesh("x=1024");
  Layout layout = makeLayout(mesh, "[{x}]");
  EXPECT_EQ(getMessage(evaluateExpanded(mesh, {1 << 20}, layout, layout, {})),
            "1024 ranks that hold up to 1048576 elements each are too many to "
            "evaluate, at most 67108864 elements in all can be");
  EXPECT_EQ(
      getMessage(evaluateExpanded(mesh, {kDynamic}, makeLayout(mesh, "[{}]"),
                                  makeLayout(mesh, "[{}]"), {})),
      "dim 0 has no known size, which evaluation needs");
}

} // namespace
