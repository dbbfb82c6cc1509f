// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves as lists of transfers, and lists that are wrong.

#include "MoveSupport.h"
#include "TestSupport.h"

#include "pctl/Redistribute/ExpandMove.h"
#include "pctl/Redistribute/MoveText.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

std::string print(llvm::ArrayRef<ExpandedStep> steps) {
  std::string text;
  for (const ExpandedStep &step : steps) {
    text += step.op + ":";
    for (const ExpandedTransfer &transfer : step.transfers) {
      text += " " + std::to_string(transfer.from) + "->" +
              std::to_string(transfer.to) + " " + toString(transfer.box);
      if (transfer.reduce)
        text += stringifyReductionKind(*transfer.reduce).str();
    }
    text += "\n";
  }
  return text;
}

/// Expands the plan of \p question and evaluates that, which must find what
/// evaluateMove does; returns the list.
std::string expand(const MoveQuestion &question) {
  Move move = llvm::cantFail(planMove(question));
  SCOPED_TRACE(toString(move));
  std::vector<ExpandedStep> steps = llvm::cantFail(expandMove(move));
  MoveEvaluation right = llvm::cantFail(evaluateMove(move));
  llvm::Expected<MoveEvaluation> found = evaluateExpanded(question, steps);
  if (!found) {
    ADD_FAILURE() << llvm::toString(found.takeError());
    return "";
  }
  // What is counted of padding, which a list does not have.
  bool padded = false;
  for (size_t dim = 0; dim < question.offset.size(); ++dim)
    padded |= question.offset[dim] < 0 ||
              question.offset[dim] + question.to.globalShape[dim] >
                  question.from.globalShape[dim];
  if (!padded) {
    EXPECT_EQ(found->getMaxReceived(), right.getMaxReceived());
    EXPECT_EQ(found->getMaxSent(), right.getMaxSent());
  }
  return print(steps);
}

TEST(ExpandMove, lists_each_part) {
  EXPECT_EQ(expand({place("a=2", "[{a}]", {4}),
                    place("b=1 devices=[5]", "[{}]", {4}),
                    {}}),
            "crossing: 0->5 [0:2] 1->5 [2:4]\n");
  EXPECT_EQ(expand({place("a=2", "[{}] partial=[sum(a)]", {4}),
                    place("b=1 devices=[7]", "[{}]", {4}),
                    {}}),
            "reduce_scatter: 1->0 [0:2]sum 0->1 [2:4]sum\n"
            "crossing: 0->7 [0:2] 1->7 [2:4]\n");
  // One mesh of common factors.
  EXPECT_EQ(
      expand({place("a=4", "[{a}]", {4}), place("x=2,y=2", "[{x}]", {4}), {}}),
      "all_gather: 1->0 [1:2] 0->1 [0:1] 3->2 [3:4] 2->3 [2:3]\n");
}

TEST(ExpandMove, has_coordinates_of_the_source) {
  EXPECT_EQ(
      expand({place("a=2", "[{a}]", {8}), place("a=2", "[{a}]", {4}), {1}}),
      "crossing: 0->1 [3:4]\n");
  // Each of two replicas gets a half, and they gather them.
  EXPECT_EQ(expand({place("a=1 devices=[9]", "[{}]", {8}),
                    place("b=2", "[{}]", {4}),
                    {2}}),
            "crossing: 9->0 [2:4] 9->1 [4:6]\n"
            "all_gather: 1->0 [4:6] 0->1 [2:4]\n");
  // Of what four of them gather, padding on both sides is not listed.
  EXPECT_EQ(expand({place("a=1 devices=[9]", "[{}]", {4}),
                    place("b=4", "[{}]", {8}),
                    {-2}}),
            "crossing: 9->1 [0:2] 9->2 [2:4]\n"
            "all_gather: 1->0 [0:2] 2->0 [2:4] 2->1 [2:4] 1->2 [0:2] "
            "1->3 [0:2] 2->3 [2:4]\n");
}

TEST(ExpandMove, at_random_is_right) {
  std::mt19937_64 random(3);
  const char *meshes[] = {"a=2,b=2", "a=6", "a=2,b=3 devices=[5,4,3,2,1,0]",
                          "a=3,b=2 devices=[9,1,7,2,8,0]"};
  auto draw = [&](bool partial, llvm::ArrayRef<int64_t> shape) {
    Mesh mesh = makeMesh(meshes[random() % 4]);
    std::vector<Layout> layouts = listLayouts(mesh, 2, partial);
    return Placement{mesh, layouts[random() % layouts.size()],
                     llvm::SmallVector<int64_t, 4>(shape)};
  };
  for (int i = 0; i < 300; ++i) {
    int64_t rows = 1 + random() % 9, columns = 1 + random() % 6;
    MoveQuestion question{draw(/*partial=*/random() % 2, {rows, columns}),
                          draw(/*partial=*/false, {rows, columns}),
                          {}};
    if (random() % 2) {
      question.to.globalShape = {1 + int64_t(random() % 9), columns};
      question.offset = {int64_t(random() % rows) - int64_t(random() % 3), 0};
    }
    llvm::Expected<Move> move = planMove(question);
    if (!move) {
      llvm::consumeError(move.takeError());
      continue;
    }
    expand(question);
    if (HasFailure())
      return;
  }
}

std::string evaluate(const MoveQuestion &question,
                     std::vector<ExpandedTransfer> transfers) {
  ExpandedStep step{"any", "", {}, std::move(transfers)};
  llvm::Expected<MoveEvaluation> evaluation = evaluateExpanded(question, step);
  return evaluation ? "success" : llvm::toString(evaluation.takeError());
}

TEST(EvaluateExpandedMove, wrong_lists) {
  MoveQuestion question{
      place("a=2", "[{a}]", {4}), place("b=2 devices=[1,9]", "[{b}]", {4}), {}};
  auto box = [](int64_t offset, int64_t size) { return Box({{offset, size}}); };
  EXPECT_EQ(evaluate(question, {{0, 1, box(0, 2), {}}, {1, 9, box(2, 2), {}}}),
            "success");
  EXPECT_EQ(evaluate(question, {{0, 1, box(0, 2), {}}}),
            "after the last step, device 9 lacks element [2]");
  EXPECT_EQ(evaluate(question, {{0, 3, box(0, 2), {}}}),
            "step 1 (any): transfer 0 -> 3: device 3 is none of the mesh");
  EXPECT_EQ(evaluate(question, {{1, 9, box(1, 3), {}}}),
            "step 1 (any): transfer 1 -> 9: the sender does not hold element "
            "[1]");
  question.from = place("a=2", "[{}] partial=[sum(a)]", {4});
  EXPECT_EQ(evaluate(question, {{0, 1, box(0, 2), ReductionKind::Sum},
                                {1, 9, box(2, 2), {}}}),
            "after the last step, element [2] on device 9 has the "
            "contributions of its positions 0,1 times, 1,1 is right");
}

TEST(EvaluateExpandedMove, refuses_what_it_cannot_do) {
  EXPECT_EQ(evaluate({place("a=2", "[{}] partial=[sum(a)]", {4}),
                      place("b=3", "[{}] partial=[sum(b)]", {4}),
                      {}},
                     {}),
            "target of the move has partial axes, which need a mesh of common "
            "factors");
  EXPECT_EQ(
      evaluate({place("a=65537", "[{a}]", {4}), place("b=3", "[{b}]", {4}), {}},
               {}),
      "move between meshes lists ranks, the limit is 65536; one mesh has "
      "65537");
  EXPECT_EQ(evaluate({place("a=1024", "[{a}]", {1 << 20}),
                      place("b=3", "[{b}]", {1 << 20}),
                      {}},
                     {}),
            "1024 ranks that hold up to 1048576 elements each are too many to "
            "evaluate, at most 67108864 elements in all can be");
  EXPECT_EQ(
      evaluate(
          {place("a=2", "[{a}]", {4}), place("b=3", "[{},{}]", {4, 1}), {}},
          {}),
      "source of the move has 1 dims, its target has 2");
}

} // namespace
