// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves printed and read back, as text and as JSON, and what is wrong in them.

#include "MoveSupport.h"
#include "TestSupport.h"

#include "pctl/Redistribute/MoveJson.h"
#include "pctl/Redistribute/MoveText.h"

#include "llvm/Support/FormatVariadic.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

std::string printJson(const Move &move) {
  return llvm::formatv("{0}", toJson(move));
}

/// Checks that both forms of \p move are read back as it is, by what the two
/// print of that.
void checkForms(const Move &move) {
  const std::string text = toString(move), json = printJson(move);
  SCOPED_TRACE(text);
  Move fromText = llvm::cantFail(parseMove(text));
  EXPECT_EQ(toString(fromText), text);
  EXPECT_EQ(printJson(fromText), json);
  Move fromJson =
      llvm::cantFail(moveFromJson(llvm::cantFail(llvm::json::parse(json))));
  EXPECT_EQ(toString(fromJson), text);
  EXPECT_EQ(printJson(fromJson), json);
}

TEST(MoveForms, are_read_back) {
  std::mt19937_64 random(31);
  const char *meshes[] = {"a=2,b=2", "a=6", "a=4,b=3", "c=2,d=2,e=3",
                          "a=2,\"b on c: \"=3 devices=[5,4,3,2,1,0]"};
  auto draw = [&](bool partial, llvm::ArrayRef<int64_t> shape) {
    Mesh mesh = makeMesh(meshes[random() % std::size(meshes)]);
    std::vector<Layout> layouts = listLayouts(mesh, 2, partial);
    return Placement{mesh, layouts[random() % layouts.size()],
                     llvm::SmallVector<int64_t, 4>(shape)};
  };
  PlannerOptions options;
  options.chunkBytes = 64;
  int moves = 0;
  for (int i = 0; i < 300; ++i) {
    MoveQuestion question{
        draw(/*partial=*/true, {12, 6}), draw(/*partial=*/false, {12, 6}), {}};
    if (random() % 2)
      question.offset = {int64_t(random() % 12) - 4, 0};
    llvm::Expected<Move> move = planMove(question, options);
    if (!move) {
      llvm::consumeError(move.takeError());
      continue;
    }
    ++moves;
    checkForms(*move);
    if (HasFailure())
      return;
  }
  EXPECT_GT(moves, 200);
}

TEST(MoveForms, of_scalars_and_wrong_moves_are_read_back) {
  checkForms(llvm::cantFail(
      planMove({place("a=2", "[]", {}), place("b=3", "[]", {}), {}})));
  Move move = llvm::cantFail(
      planMove({place("a=6", "[{a}]", {12}), place("b=4", "[{b}]", {12}), {}}));
  // Ends that no step leads to.
  move.before.to = makeLayout(move.before.mesh, "[{}]");
  move.after.mesh = makeMesh("d=2,e=2");
  move.after.from = makeLayout(move.after.mesh, "[{d}]");
  move.after.to = makeLayout(move.after.mesh, "[{d,e}]");
  move.crossing.rounds = 3;
  checkForms(move);
  EXPECT_NE(toString(move).find("  before on a=6: [{a}] -> [{}]\n"),
            std::string::npos);
  EXPECT_NE(toString(move).find("  after on d=2, e=2: [{d}] -> [{d,e}]\n"),
            std::string::npos);
}

std::string getTextError(llvm::StringRef text) {
  llvm::Expected<Move> move = parseMove(text);
  return move ? "success" : llvm::toString(move.takeError());
}

TEST(MoveText, errors_say_where) {
  EXPECT_EQ(getTextError("4 on a=2: [{a}]"),
            "line 1, column 16: expected '->', found the end of the text");
  EXPECT_EQ(getTextError("4 on a=2: [{b}] -> 4 on b=2: [{b}]"),
            "line 1, column 13: mesh has no axis 'b'; its axes are 'a' (size "
            "2)");
  EXPECT_EQ(getTextError("4 at a=2: [{a}]"),
            "line 1, column 3: expected 'on', found 'at'");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}], at [1]"),
            "line 1, column 37: expected 'offset', found 'at'");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}], offset 1"),
            "line 1, column 44: expected '[', found '1'");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}]\n"
                         "  device 0 -> 1: [2:1]"),
            "line 2, column 19: 2:1 is no range, its start is at least 0 and "
            "its end no less");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}]\n  in 2 parts"),
            "line 2, column 8: expected 'rounds', found 'parts'");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}]\n"
                         "  before on a=2 [{a}] -> [{a}]"),
            "line 2, column 17: expected ':', found '['");
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}]\n"
                         "  before: gather"),
            "line 2, column 11: expected a step (all_slice, all_gather, "
            "all_to_all, reduce_scatter, all_reduce, permute, exchange, "
            "broadcast), found 'gather'");
  // The parts are in order.
  EXPECT_EQ(getTextError("4 on a=2: [{a}] -> 4 on b=2: [{b}]\n"
                         "  after: all_slice: [{}] -> [{b}]\n"
                         "  device 0 -> 1: [0:1]"),
            "line 3, column 3: expected the end of the text, found 'device'");
}

/// Returns the error of a move whose JSON has \p text in place of \p what.
std::string getJsonError(llvm::StringRef what, llvm::StringRef text) {
  std::string json =
      R"({"mesh":"a=2","shape":[4],"from":"[{a}]","to_mesh":"b=2","to_shape":[4],)"
      R"("to":"[{}]","before":{"mesh":"a=2","from":"[{a}]","to":"[{a}]"},)"
      R"("after":{"mesh":"b=2","from":"[{b}]","to":"[{}]"},"steps":[)"
      R"({"op":"crossing","part":"crossing","axes":[],)"
      R"("listed":[{"from":0,"to":1,"offset":[0],"size":[2]}]},)"
      R"({"op":"all_gather","part":"after","axes":["b"],"dim":0,)"
      R"("from":"[{b}]","to":"[{}]"}]})";
  size_t place = json.find(what.str());
  EXPECT_NE(place, std::string::npos) << what.str();
  json.replace(place, what.size(), text.str());
  llvm::Expected<Move> move =
      moveFromJson(llvm::cantFail(llvm::json::parse(json)));
  return move ? "success" : llvm::toString(move.takeError());
}

TEST(MoveJson, errors_have_paths) {
  EXPECT_EQ(getJsonError("", ""), "success");
  EXPECT_EQ(getJsonError(R"("mesh":"a=2",)", ""), "missing value at move.mesh");
  EXPECT_EQ(getJsonError("[4]", "4"), "expected array at move.shape");
  EXPECT_EQ(getJsonError(R"("to_mesh":"b=2")", R"("to_mesh":"b")"),
            "to_mesh: column 2: expected '=', found the end of the text");
  EXPECT_EQ(getJsonError(R"("from":"[{a}]")", R"("from":"[{b}]")"),
            "from: mesh has no axis 'b'; its axes are 'a' (size 2)");
  EXPECT_EQ(getJsonError(R"("part":"crossing")", R"("part":"between")"),
            "steps[0].part is 'between', it must be before, crossing or after");
  EXPECT_EQ(getJsonError(R"("part":"after")", R"("part":"before")"),
            "steps[1].part is 'before' after one that is 'crossing'");
  EXPECT_EQ(
      getJsonError(R"("part":"after")", R"("part":"crossing","listed":[])"),
      "steps[1].part is 'crossing' after one that is 'crossing'");
  EXPECT_EQ(getJsonError(R"("size":[2])", R"("size":[2,1])"),
            "listed[0] of the crossing has 1 offsets and 2 sizes");
  EXPECT_EQ(getJsonError(R"("offset":[0])", R"("offset":[-1])"),
            "listed[0] of the crossing: 2 elements from -1 on are no range");
  EXPECT_EQ(getJsonError(R"("dim":0)", R"("dim":"x")"),
            "after: steps[0].dim is \"x\", it must be an integer");
  EXPECT_EQ(getJsonError(R"("from":"[{b}]","to":"[{}]"},"steps")",
                         R"("from":"[{a}]","to":"[{}]"},"steps")"),
            "after: from: mesh has no axis 'a'; its axes are 'b' (size 2)");
}

} // namespace
