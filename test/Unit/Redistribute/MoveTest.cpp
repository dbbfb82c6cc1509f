// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves between meshes are right, near their bound, and wrong ones are
/// refused.

#include "MoveSupport.h"
#include "TestSupport.h"

#include "pctl/Redistribute/Certificate.h"
#include "pctl/Redistribute/MoveText.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

std::string getMoveError(const MoveQuestion &question,
                         const PlannerOptions &options = {},
                         int64_t maxTransfers = 1 << 14) {
  llvm::Expected<Move> move = planMove(question, options, maxTransfers);
  return move ? "success" : llvm::toString(move.takeError());
}

/// Plans, verifies and evaluates.
Move checkMove(const MoveQuestion &question,
               const PlannerOptions &options = {}) {
  Move move = llvm::cantFail(planMove(question, options));
  EXPECT_EQ(getMessage(verifyMove(move)), "success") << toString(move);
  llvm::Expected<MoveEvaluation> evaluation = evaluateMove(move);
  EXPECT_TRUE(static_cast<bool>(evaluation)) << toString(move);
  if (!evaluation) {
    ADD_FAILURE() << llvm::toString(evaluation.takeError());
    return move;
  }
  PlanCost cost = getMoveCost(move, options.cluster, 1, 1 << 20);
  Bound bound = getMoveBound(question, options.cluster, 1);
  EXPECT_GE(cost.maxReceivedBytes, evaluation->getMaxReceived());
  EXPECT_GE(cost.maxSentBytes, evaluation->getMaxSent());
  EXPECT_GE(evaluation->getMaxReceived(), bound.maxReceivedBytes)
      << toString(move);
  EXPECT_GE(evaluation->getMaxSent(), bound.maxSentBytes) << toString(move);
  EXPECT_GE(cost.timeSec * (1 + 1e-9), bound.timeSec) << toString(move);
  EXPECT_GE(cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes)
      << toString(move);
  return move;
}

TEST(Move, of_twelve_rows_from_six_devices_to_four) {
  Move move =
      checkMove({place("a=6", "[{a}]", {12}), place("b=4", "[{b}]", {12}), {}});
  EXPECT_EQ(toString(move), "12 on a=6: [{a}] -> 12 on b=4: [{b}]\n"
                            "  device 1 -> 0: [2:3]\n"
                            "  device 2 -> 1: [4:6]\n"
                            "  device 3 -> 2: [6:8]\n"
                            "  device 4 -> 2: [8:9]\n"
                            "  device 4 -> 3: [9:10]\n"
                            "  device 5 -> 3: [10:12]\n");
  for (int64_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(getBox(move.after.mesh, move.after.to, {12}, rank)[0].size, 3);
  Bound bound = getMoveBound(move.question, *cost::getNamedCluster("bytes"), 1);
  EXPECT_EQ(bound.maxReceivedBytes, 3);
  EXPECT_EQ(bound.maxSentBytes, 2);
  PlanCost cost =
      getMoveCost(move, *cost::getNamedCluster("bytes"), 1, 1 << 20);
  EXPECT_EQ(certify(move, cost, bound).reason,
            "meets the bound on time: some rank has to receive 3 bytes");
}

TEST(Move, between_meshes_of_the_same_devices_is_one_plan) {
  Move move = checkMove({place("a=4,b=2", "[{a},{b}]", {8, 8}),
                         place("x=2,y=2,z=2", "[{z},{x,y}]", {8, 8}),
                         {}});
  EXPECT_TRUE(move.crossing.transfers.empty());
  EXPECT_EQ(toString(move.before.mesh), "x=2, y=2, z=2");
  EXPECT_EQ(toString(move.before.mesh, move.before.from), "[{x,y},{z}]");
  EXPECT_FALSE(move.before.steps.empty());
  EXPECT_TRUE(move.after.steps.empty());
  // The same blocks by other names: nothing to do.
  move = checkMove({place("a=4,b=2", "[{a},{b}]", {8, 8}),
                    place("x=2,y=2,z=2", "[{x,y},{z}]", {8, 8}),
                    {}});
  EXPECT_TRUE(move.before.steps.empty());
  // 2x6 and 4x3 have the factors 2, 2, 3.
  move = checkMove(
      {place("a=2,b=6", "[{b}]", {36}), place("x=4,y=3", "[{y,x}]", {36}), {}});
  EXPECT_EQ(toString(move.before.mesh), "f1=2, f2=2, f3=3");
  EXPECT_TRUE(move.crossing.transfers.empty());
  // A sum that is to stay one.
  move = checkMove({place("a=4,b=2", "[{a}] partial=[sum(b)]", {8}),
                    place("x=2,y=2,z=2", "[{}] partial=[sum(z)]", {8}),
                    {}});
  EXPECT_TRUE(move.after.to.isPartial());
  EXPECT_TRUE(move.crossing.transfers.empty());
}

TEST(Move, between_meshes_without_common_factors_lists_transfers) {
  Move move = checkMove({place("a=2,b=3", "[{a},{b}]", {6, 6}),
                         place("x=3,y=2", "[{x},{y}]", {6, 6}),
                         {}});
  EXPECT_TRUE(move.before.steps.empty());
  EXPECT_FALSE(move.crossing.transfers.empty());
}

TEST(Move, reduces_on_the_mesh_of_the_source) {
  MoveQuestion question{place("a=2,b=2", "[{a},{}] partial=[sum(b)]", {8, 8}),
                        place("c=4 devices=[4,5,6,7]", "[{},{c}]", {8, 8}),
                        {}};
  Move move = checkMove(question);
  ASSERT_EQ(move.before.steps.size(), 1u);
  EXPECT_EQ(move.before.steps[0].kind, StepKind::ReduceScatter);
  // Of an odd size nothing is cut evenly.
  question.from = place("a=2,b=2", "[{},{}] partial=[sum(b)]", {5, 7});
  question.to.globalShape = {5, 7};
  move = checkMove(question);
  ASSERT_EQ(move.before.steps.size(), 1u);
  EXPECT_EQ(move.before.steps[0].kind, StepKind::AllReduce);
}

TEST(Move, brings_unique_bytes_into_a_node_once) {
  PlannerOptions options;
  options.cluster = llvm::cantFail(cost::parseCluster(
      R"({"name": "nodes", "levels": [
           {"name": "node", "devices": 4, "bandwidth_bytes_per_sec": 8e6},
           {"name": "network", "bandwidth_bytes_per_sec": 1e6}]})"));
  options.elementBytes = 1;
  MoveQuestion question{place("a=4", "[{a},{}]", {16, 16}),
                        place("b=4 devices=[4,5,6,7]", "[{},{}]", {16, 16}),
                        {}};
  Move move = checkMove(question, options);
  ASSERT_EQ(move.after.steps.size(), 1u);
  EXPECT_EQ(move.after.steps[0].kind, StepKind::AllGather);
  PlanCost cost = getMoveCost(move, options.cluster, 1, 1 << 20);
  EXPECT_EQ(cost.maxUnitReceivedBytes, 256);
  EXPECT_EQ(getMoveBound(question, options.cluster, 1).maxUnitReceivedBytes,
            256);
  // Where one byte takes the same everywhere fewer steps are as good.
  EXPECT_TRUE(checkMove(question).after.steps.empty());
}

TEST(Move, takes_from_its_own_node_what_is_there) {
  PlannerOptions options;
  options.cluster = *cost::getNamedCluster("h100");
  // Devices 0 and 8 hold all, 1 to 3 are in the node of 0.
  MoveQuestion question{place("a=2 devices=[0,8]", "[{}]", {12}),
                        place("b=3 devices=[1,2,3]", "[{b}]", {12}),
                        {}};
  for (const Transfer &transfer :
       checkMove(question, options).crossing.transfers)
    EXPECT_EQ(transfer.source, 0);
}

TEST(Move, of_slices_pads_and_operands_of_concatenations) {
  // A slice, [3:9] of 12.
  Move move =
      checkMove({place("a=4", "[{a}]", {12}), place("a=4", "[{a}]", {6}), {3}});
  EXPECT_EQ(toString(move), "12 on a=4: [{a}] -> 6 on a=4: [{a}], offset [3]\n"
                            "  device 1 -> 0: [3:5]\n"
                            "  device 2 -> 1: [6:7]\n");
  // A pad with 2 before and 4 behind.
  move = checkMove(
      {place("a=4", "[{a}]", {6}), place("a=4", "[{a}]", {12}), {-2}});
  EXPECT_EQ(toString(move), "6 on a=4: [{a}] -> 12 on a=4: [{a}], offset [-2]\n"
                            "  device 0 -> 1: [1:2]\n");
  // The second operand of a concatenation of 4 and 8 rows.
  checkMove({place("a=2,b=2", "[{a},{b}]", {8, 4}),
             place("a=2,b=2", "[{b},{a}]", {12, 4}),
             {-4, 0}});
}

TEST(Move, of_nothing_and_of_scalars) {
  Move move =
      checkMove({place("a=2", "[{a}]", {0}), place("b=3", "[{b}]", {0}), {}});
  EXPECT_TRUE(move.crossing.transfers.empty());
  move = checkMove(
      {place("a=2", "[]", {}), place("b=3 devices=[1,2,3]", "[]", {}), {}});
  EXPECT_EQ(move.crossing.transfers.size(), 2u);
  checkMove(
      {place("a=1", "[{a}]", {5}), place("b=1 devices=[9]", "[{}]", {5}), {}});
}

TEST(Move, in_rounds_stages_a_chunk) {
  PlannerOptions options;
  options.chunkBytes = 64;
  options.elementBytes = 4;
  Move move = checkMove({place("a=2", "[{},{a}]", {64, 8}),
                         place("b=2 devices=[2,3]", "[{b},{}]", {64, 8}),
                         {}},
                        options);
  EXPECT_GT(move.crossing.rounds, 1);
  PlanCost cost = getMoveCost(move, options.cluster, 4, 64);
  EXPECT_LE(cost.steps.front().stagingBytes, 64);
}

TEST(Move, at_random_is_right_and_balanced) {
  std::mt19937_64 random(41);
  static constexpr const char *meshes[] = {"a=2,b=2", "a=4",     "a=2,b=3",
                                           "a=3",     "a=2,b=4", "a=5"};
  static constexpr int64_t sizes[] = {0, 1, 4, 5, 6, 7, 12};
  auto draw = [&](unsigned rank, bool partial) {
    Mesh mesh = makeMesh(meshes[random() % std::size(meshes)]);
    llvm::SmallVector<int64_t> devices(12);
    std::iota(devices.begin(), devices.end(), 0);
    std::shuffle(devices.begin(), devices.end(), random);
    devices.resize(mesh.getNumRanks());
    std::vector<Layout> layouts = listLayouts(mesh, rank, partial);
    llvm::SmallVector<int64_t, 4> shape;
    for (unsigned dim = 0; dim < rank; ++dim)
      shape.push_back(sizes[random() % std::size(sizes)]);
    return Placement{llvm::cantFail(Mesh::create(mesh.getAxes(), devices)),
                     layouts[random() % layouts.size()], shape};
  };
  int moves = 0, direct = 0;
  for (int i = 0; i < 600; ++i) {
    unsigned rank = random() % 3;
    MoveQuestion question{draw(rank, true), draw(rank, false), {}};
    for (unsigned dim = 0; dim < rank; ++dim)
      question.offset.push_back(static_cast<int64_t>(random() % 7) - 3);
    PlannerOptions options;
    options.elementBytes = 1;
    llvm::Expected<Move> planned = planMove(question, options);
    if (!planned) {
      EXPECT_TRUE(llvm::StringRef(llvm::toString(planned.takeError()))
                      .contains("of the target is"));
      continue;
    }
    Move move = checkMove(question, options);
    ++moves;
    if (!move.before.steps.empty() || !move.after.steps.empty())
      continue;
    ++direct;
    llvm::Expected<MoveEvaluation> evaluation = evaluateMove(move);
    ASSERT_TRUE(static_cast<bool>(evaluation));
    Bound bound = getMoveBound(question, options.cluster, 1);
    ASSERT_EQ(evaluation->getMaxReceived(), bound.maxReceivedBytes);
    ASSERT_EQ(evaluation->getMaxSent(), *bound.directSentBytes);
  }
  EXPECT_GT(moves, 300);
  EXPECT_GT(direct, 100);
}

TEST(Move, wrong_ones_are_refused) {
  Move move = checkMove({place("a=2", "[{a}]", {4}),
                         place("b=2 devices=[2,3]", "[{}]", {4}),
                         {}});
  ASSERT_EQ(move.crossing.transfers.size(), 4u);
  auto getErrors = [&](const Move &wrong) {
    llvm::Expected<MoveEvaluation> evaluation = evaluateMove(wrong);
    return getMessage(verifyMove(wrong)) + " | " +
           (evaluation ? "success" : llvm::toString(evaluation.takeError()));
  };
  Move wrong = move;
  wrong.crossing.transfers.pop_back();
  EXPECT_EQ(getErrors(wrong), "device 3 lacks 2 elements after the transfers | "
                              "device 3 has not element 2 of the source after "
                              "the transfers");
  wrong = move;
  wrong.crossing.transfers.push_back(move.crossing.transfers[0]);
  EXPECT_EQ(getErrors(wrong), "elements [0:2] reach device 2 twice | transfer "
                              "4: device 2 already has some of [0:2]");
  wrong = move;
  wrong.crossing.transfers[0].source = 1;
  EXPECT_EQ(getErrors(wrong), "transfer 0: device 1 does not have [0:2] | "
                              "transfer 0: device 1 does not have [0:2]");
  wrong = move;
  wrong.crossing.transfers[0].target = 1;
  EXPECT_EQ(getErrors(wrong), "transfer 0: device 1 does not want [0:2] | "
                              "transfer 0: device 1 has no place for [0:2]");
  wrong = move;
  wrong.crossing.transfers[0].target = -1;
  EXPECT_EQ(getMessage(verifyMove(wrong)),
            "transfer 0: device -1 is in neither mesh");
  wrong = move;
  wrong.crossing.rounds = 0;
  EXPECT_EQ(getMessage(verifyMove(wrong)),
            "crossing has 0 rounds, it must have at least 1");
  wrong = move;
  wrong.after.from = wrong.after.to = makeLayout(move.after.mesh, "[{b}]");
  EXPECT_EQ(getErrors(wrong), "target of the move is [{b}], it must be [{}] | "
                              "target of the move is [{b}], it must be [{}]");
}

TEST(Move, errors_say_where) {
  Placement from = place("a=2", "[{a}]", {8});
  EXPECT_EQ(getMoveError({from, place("b=3", "[{},{}]", {8, 8}), {}}),
            "source of the move has 1 dims, its target has 2");
  EXPECT_EQ(getMoveError({from, place("b=3", "[{b}]", {8}), {1, 2}}),
            "offset of the move has 2 dims, the tensors have 1");
  EXPECT_EQ(getMoveError({from, place("b=3", "[{b}]", {8}), {8}}),
            "dim 0 of the target is [8:16] of the source, which has 8");
  EXPECT_EQ(getMoveError({from, place("b=3", "[{b}]", {8}), {INT64_MAX - 3}}),
            "offset 9223372036854775804 and size 8 of dim 0 are beyond 2^63 - "
            "1");
  EXPECT_EQ(
      getMoveError({from, place("b=3", "[{}] partial=[sum(b)]", {8}), {}}),
      "target layout [{}] partial=[sum(b)] of a move has partial axes; "
      "only between meshes of the same devices in the same order, with "
      "common factors, can they stay");
  EXPECT_EQ(getMoveError({from, place("b=3", "[{}]", {kDynamic}), {}}),
            "target of the move: dim 0 has an unknown size, a move between "
            "meshes lists boxes");
  EXPECT_EQ(getMoveError({from, place("b=3", "[{b}]", {8}), {}}, {}, 1),
            "move between meshes needs more than 1 transfers, the limit");
  EXPECT_EQ(getMoveError({from, place("b=65537", "[{b}]", {8}), {}}),
            "move between meshes lists ranks, the limit is 65536; one mesh has "
            "65537");
  EXPECT_EQ(
      getMoveError(
          {place("a=600", "[{a}]", {600}), place("b=500", "[{b}]", {600}), {}},
          {}, 1000),
      "move between meshes compares 360000 pairs of blocks and devices, "
      "the limit is 256000");
  constexpr int64_t half = (int64_t(1) << 62) - 1;
  EXPECT_EQ(
      getMoveError({place("a=2", "[{a}]", {half}),
                    place("b=8 devices=[2,3,4,5,6,7,8,9]", "[{}]", {half}),
                    {}}),
      "move between meshes sends more elements of one block than 64 bits "
      "count");
  PlannerOptions options;
  options.capBytes = 10;
  EXPECT_EQ(getMoveError({from, place("b=3", "[{b}]", {8}), {}}, options),
            "move between meshes holds 16 bytes on a device, the cap is 10");
}

} // namespace
