// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Wrong exchanges with owners, listed transfers and rounds, and wrong
/// broadcasts: as VerifyPlanTest.cpp, by the labels of docs/redistribution.md.

#include "TestSupport.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

constexpr const char *mesh22 = "x=2,y=2";

void expectWrong(const Plan &plan, llvm::StringRef verifyMessage,
                 llvm::StringRef evaluateMessage) {
  EXPECT_EQ(getMessage(verifyPlan(plan)), verifyMessage);
  EXPECT_EQ(getMessage(evaluatePlan(plan)), evaluateMessage);
}

/// Parses \p step of a plan that goes from where the step starts to where it
/// ends.
Plan makePlanOf(llvm::StringRef meshText, llvm::ArrayRef<int64_t> shape,
                llvm::StringRef step) {
  Plan plan{
      makeMesh(meshText), llvm::SmallVector<int64_t, 4>(shape), {}, {}, {}};
  plan.steps.push_back(llvm::cantFail(parseStep(step, plan.mesh)));
  plan.from = plan.steps[0].from;
  plan.to = plan.steps[0].to;
  return plan;
}

//===----------------------------------------------------------------------===//
// Owners
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, exchange_c1_owners) {
  // With owners, their axes are those of the group.
  EXPECT_TRUE(isRight(makePlanOf(
      mesh22, {8}, "exchange over {x,y}: [{x}] -> [{y}], owners [{x,y}]")));
  expectWrong(makePlanOf("x=2,y=2,z=2", {8},
                         "exchange over {x,y,z}: [{x}] -> [{y}], owners "
                         "[{x,y}]"),
              "step 1 (exchange): group {x,y,z} has axes that cut no dim "
              "before, only {x,y} do",
              "step 1 (exchange): rank 2 receives element [4] twice");
}

TEST(VerifyPlan, exchange_c2_owners) {
  expectWrong(makePlanOf(mesh22, {8},
                         "exchange over {x}: [{x}] -> [{y}], owners [{x,y}]"),
              "step 1 (exchange): group {x} lacks some of {x,y}, along which "
              "what its members will hold is spread",
              "step 1 (exchange): no member sends rank 1 what belongs at [0] "
              "of its slice");
}

TEST(VerifyPlan, exchange_c4) {
  expectWrong(makePlanOf(mesh22, {8},
                         "exchange over {x,y}: [{x}] -> [{y}], owners [{y,x}]"),
              "step 1 (exchange): dim 0 is cut by {x} before and by {y,x} "
              "among owners, not inside the blocks before",
              "step 1 (exchange): rank 2 sends [2:4] of its slice [4:8] to the "
              "slice [0:4] of rank 0");
  // Parts of 5 elements cut by two axes are not parts of those cut by one.
  expectWrong(makePlanOf(mesh22, {5},
                         "exchange over {x,y}: [{x}] -> [{y}], owners [{x,y}]"),
              "step 1 (exchange): dim 0 is cut by {x} before and by {x,y} "
              "among owners, not inside the blocks before",
              "step 1 (exchange): no member sends rank 1 what belongs at [0] "
              "of its slice");
}

TEST(VerifyPlan, exchange_c4_partial) {
  expectWrong(makePlanOf("x=2,y=2,z=2", {8},
                         "exchange over {x,y}: [{x}] partial=[sum(z)] -> [{y}] "
                         "partial=[sum(z)], owners [{x,y}]"),
              "step 1 (exchange): partial axes of owners are none, those "
              "before are sum(z)",
              "success");
}

TEST(VerifyPlan, exchange_c4_layout) {
  Plan plan = makePlanOf(
      mesh22, {8}, "exchange over {x,y}: [{x}] -> [{y}], owners [{x,y},{}]");
  expectWrong(plan,
              "step 1 (exchange): owners: layout has 2 dims, tensor has rank 1",
              "step 1 (exchange): owners: layout has 2 dims, tensor has rank "
              "1");
}

//===----------------------------------------------------------------------===//
// Listed transfers
//===----------------------------------------------------------------------===//

Plan makeListed(llvm::StringRef transfers, llvm::StringRef axes = "x") {
  return makePlanOf(
      "x=2,y=2", {4},
      ("exchange over {" + axes + "}: [{x}] -> [{}], transfers " + transfers)
          .str());
}

constexpr const char *rightToRest = "2->0 [2:4] 3->1 [2:4] 0->2 [0:2] ";

TEST(VerifyPlan, exchange_c5) {
  EXPECT_TRUE(isRight(makeListed("2->0 [2:4] 3->1 [2:4] 0->2 [0:2] "
                                 "1->3 [0:2]")));
  // A message may come in parts, from anyone who has them.
  EXPECT_TRUE(isRight(makeListed("2->0 [2:3] 3->0 [3:4] 3->1 [2:4] 0->2 [0:2] "
                                 "1->3 [0:2]",
                                 "x,y")));
}

TEST(VerifyPlan, exchange_c5_ranks) {
  expectWrong(makeListed("2->0 [2:4] 3->4 [2:4]"),
              "step 1 (exchange): transfer 3 -> 4: rank 4 is not one of the 4 "
              "of the mesh",
              "step 1 (exchange): transfer of [2:4] from rank 3 to rank 4 is "
              "none of this mesh and tensor");
  expectWrong(makeListed((rightToRest + llvm::Twine("3->3 [2:4]")).str()),
              "step 1 (exchange): transfer 3 -> 3: source and target are one "
              "rank",
              "step 1 (exchange): rank 3 receives element [2] twice");
  expectWrong(makeListed((rightToRest + llvm::Twine("0->3 [0:2]")).str()),
              "step 1 (exchange): transfer 0 -> 3: source and target differ "
              "along other axes than {x}",
              "success");
}

TEST(VerifyPlan, exchange_c5_on_many_ranks) {
  Plan plan = llvm::cantFail(
      parsePlan("8 on x=1099511627776, y=2: [{y}] -> [{}], 1 step\n"
                "  exchange over {y}: [{y}] -> [{}], transfers 1->0 [4:8] "
                "0->1 [0:4]"));
  EXPECT_EQ(getMessage(verifyPlan(plan)),
            "step 1 (exchange): lists transfers on a mesh of 2199023255552 "
            "ranks, the limit is 1048576");
}

TEST(VerifyPlan, exchange_c5_boxes) {
  expectWrong(makeListed((rightToRest + llvm::Twine("1->3 [1:1]")).str()),
              "step 1 (exchange): transfer 1 -> 3: [1:1] is no box of the "
              "tensor with elements in it",
              "step 1 (exchange): no member sends rank 3 what belongs at [0] "
              "of its slice");
  expectWrong(makeListed((rightToRest + llvm::Twine("1->3 [0:2, 0:1]")).str()),
              "step 1 (exchange): transfer 1 -> 3: [0:2, 0:1] is no box of the "
              "tensor with elements in it",
              "step 1 (exchange): transfer of [0:2, 0:1] from rank 1 to rank 3 "
              "is none of this mesh and tensor");
  expectWrong(makeListed((rightToRest + llvm::Twine("1->3 [0:3]")).str()),
              "step 1 (exchange): transfer 1 -> 3: the source holds [0:2], not "
              "[0:3]",
              "step 1 (exchange): rank 1 sends [0:3] of its slice [0:2] to the "
              "slice [0:4] of rank 3");
}

TEST(VerifyPlan, exchange_c5_targets) {
  expectWrong(makePlanOf(mesh22, {4},
                         "exchange over {x}: [{x}] -> [{y}], transfers 2->0 "
                         "[2:4]"),
              "step 1 (exchange): transfer 2 -> 0: the target will hold [0:2], "
              "not [2:4]",
              "step 1 (exchange): rank 2 sends [2:4] of its slice [2:4] to the "
              "slice [0:2] of rank 0");
  expectWrong(
      makeListed((rightToRest + llvm::Twine("1->3 [0:2] 1->0 [0:1]")).str(),
                 "x,y"),
      "step 1 (exchange): transfer 1 -> 0: the target holds [0:2], "
      "some of [0:1]",
      "step 1 (exchange): rank 0 receives element [0] twice");
}

TEST(VerifyPlan, exchange_c5_once) {
  expectWrong(
      makeListed((rightToRest + llvm::Twine("1->3 [0:2] 1->3 [1:2]")).str()),
      "step 1 (exchange): transfers to rank 3: [0:2] and [1:2] have "
      "elements in common",
      "step 1 (exchange): rank 3 receives element [1] twice");
  expectWrong(makeListed((rightToRest + llvm::Twine("1->3 [0:1]")).str()),
              "step 1 (exchange): rank 3 lacks 2 elements, transfers bring it "
              "1",
              "step 1 (exchange): no member sends rank 3 what belongs at [1] "
              "of its slice");
}

TEST(VerifyPlan, exchange_c5_owners_too) {
  expectWrong(makePlanOf(mesh22, {4},
                         "exchange over {x}: [{x}] -> [{}], owners [{x}], "
                         "transfers 2->0 [2:4] 3->1 [2:4] 0->2 [0:2] 1->3 "
                         "[0:2]"),
              "step 1 (exchange): has owners and transfers, only one of them "
              "can say who sends",
              "success");
}

TEST(VerifyPlan, exchange_c5_partial) {
  expectWrong(makePlanOf(mesh22, {4},
                         "exchange over {x,y}: [{x}] partial=[sum(y)] -> [{}] "
                         "partial=[sum(y)], transfers 3->0 [2:4] 2->1 [2:4] "
                         "1->2 [0:2] 0->3 [0:2]"),
              "step 1 (exchange): group {x,y} has axes that are partial",
              "step 1 (exchange): after it, element [2] on rank 0 has the "
              "contributions of its positions 0,1 times, 1,0 is right");
}

TEST(VerifyPlan, exchange_c6) {
  EXPECT_TRUE(isRight(
      makePlanOf(mesh22, {4}, "exchange over {x}: [{x}] -> [{y}], 9 rounds")));
  expectWrong(
      makePlanOf(mesh22, {4}, "exchange over {x}: [{x}] -> [{y}], 0 rounds"),
      "step 1 (exchange): has 0 rounds, at least 1 is right",
      "step 1 (exchange): 0 rounds send nothing");
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

TEST(VerifyPlan, broadcast_c1) {
  EXPECT_TRUE(isRight(makePlanOf(
      mesh22, {4}, "broadcast from position 1 over {x}: [{x}:[0,4]] -> [{}]")));
  EXPECT_TRUE(isRight(makePlanOf(
      mesh22, {6},
      "broadcast from position 1 over {y}: [{x,y}:[0,3,0,3]] -> [{x}]")));
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position 2 over {x}: [{x}:[0,4]] -> [{}]"),
      "step 1 (broadcast): root 2 is not a position of group {x}",
      "step 1 (broadcast): root 2 is not a position of the group");
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position -1 over {x}: [{x}:[0,4]] -> [{}]"),
      "step 1 (broadcast): root -1 is not a position of group {x}",
      "step 1 (broadcast): root -1 is not a position of the group");
}

TEST(VerifyPlan, broadcast_c2) {
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position 0 over {x}: [{x}:[0,4]] -> [{}]"),
      "step 1 (broadcast): dim 0 has elements outside of the block of root 0",
      "step 1 (broadcast): after it, rank 0 holds 0 elements, its slice [0:4] "
      "has 4");
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position 1 over {x}: [{x}:[1,3]] -> [{}]"),
      "step 1 (broadcast): dim 0 has elements outside of the block of root 1",
      "step 1 (broadcast): after it, rank 0 holds 3 elements, its slice [0:4] "
      "has 4");
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position 1 over {y}: [{x}:[0,4]] -> [{}]"),
      "step 1 (broadcast): dim 0 is cut by {x} before and {} after, that is "
      "not {y} leaving its minor end",
      "step 1 (broadcast): after it, rank 0 holds 0 elements, its slice [0:4] "
      "has 4");
  expectWrong(
      makePlanOf(mesh22, {4},
                 "broadcast from position 0 over {x}: [{}] -> "
                 "[{}]"),
      "step 1 (broadcast): all dims are cut alike, one must stop being cut by "
      "{x}",
      "success");
}

TEST(VerifyPlan, broadcast_c3) {
  expectWrong(makePlanOf(mesh22, {4, 4},
                         "broadcast from position 1 over {x}: [{x}:[0,4],{}] "
                         "-> [{},{y}]"),
              "step 1 (broadcast): dim 1 is cut by {} before and {y} after, or "
              "has other blocks; it must stay",
              "step 1 (broadcast): after it, rank 0 holds 4x4 elements, its "
              "slice [0:4, 0:2] has 4x2");
  expectWrong(makePlanOf(mesh22, {4},
                         "broadcast from position 1 over {x}: [{x}:[0,4]] "
                         "partial=[sum(y)] -> [{}]"),
              "step 1 (broadcast): partial axes change from sum(y) to none, "
              "they must stay",
              "step 1 (broadcast): after it, element [0] on rank 0 has the "
              "contributions of its positions 1,0 times, 1,1 is right");
}

} // namespace
