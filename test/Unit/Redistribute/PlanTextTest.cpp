// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What is printed of plans, as text and as JSON, is read back; what is not a
/// plan is refused with its place.

#include "TestSupport.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/PlanJson.h"

#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;
using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

namespace {

std::string printJson(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream(text) << toJson(plan);
  return text;
}

/// Checks that \p plan comes back from both forms: what is read from one is
/// printed in the other.
AssertionResult comesBack(const Plan &plan) {
  std::string text = toString(plan), json = printJson(plan);
  llvm::Expected<Plan> fromText = parsePlan(text);
  if (!fromText)
    return AssertionFailure() << llvm::toString(fromText.takeError()) << "\n"
                              << text;
  llvm::Expected<Plan> fromJson = parsePlanJson(json);
  if (!fromJson)
    return AssertionFailure() << llvm::toString(fromJson.takeError()) << "\n"
                              << json;
  if (printJson(*fromText) != json || toString(*fromJson) != text ||
      !(fromText->mesh == plan.mesh) || !(fromJson->mesh == plan.mesh))
    return AssertionFailure() << text << toString(*fromJson) << json << "\n"
                              << printJson(*fromText);
  return AssertionSuccess();
}

std::string getTextError(llvm::StringRef text) {
  return getMessage(parsePlan(text).takeError());
}

std::string getJsonError(llvm::StringRef text) {
  return getMessage(parsePlanJson(text).takeError());
}

//===----------------------------------------------------------------------===//
// There and back
//===----------------------------------------------------------------------===//

/// A plan of each kind of step, and of everything that a step may have.
const char *const texts[] = {
    "8x6 on data=4, model=2: [{data},{model}] -> [{data},{}], 1 step\n"
    "  all_gather dim 1 over {model}: [{data},{model}] -> [{data},{}], 6 "
    "elements received a rank\n",
    "8x8 on x=2, y=2: [{x,y},{}] -> [{},{y}], 2 steps\n"
    "  all_to_all concat dim 0, split dim 1 over {y}: [{x,y},{}] -> [{x},{y}], "
    "8 elements received a rank\n"
    "  all_gather dim 0 over {x}: [{x},{y}] -> [{},{y}], 16 elements received "
    "a rank\n",
    "8x8 on x=2, y=2: [{},{}] partial=[sum(y),maxsi(x)] -> [{y},{}], 2 steps\n"
    "  reduce_scatter sum dim 0 over {y}: [{},{}] partial=[sum(y),maxsi(x)] -> "
    "[{y},{}] partial=[maxsi(x)], 32 elements received a rank\n"
    "  all_reduce maxsi over {x}: [{y},{}] partial=[maxsi(x)] -> [{y},{}], 32 "
    "elements received a rank\n",
    "16 on x=2, y=4 devices=[7,6,5,4,3,2,1,0]: [{x,y}] -> [{x,y:(2)2,y:(1)2}], "
    "1 step\n"
    "  permute (0,0)(1,2)(2,1)(3,3) over {y}: [{x,y}] -> "
    "[{x,y:(2)2,y:(1)2}], 2 elements received a rank\n",
    "6 on x=2, \"a b\"=2: [{x,\"a b\"}:[0,3,0,3]] -> [{x}], 1 step\n"
    "  broadcast from position 1 over {\"a b\"}: [{x,\"a b\"}:[0,3,0,3]] -> "
    "[{x}], 3 elements received a rank\n",
    "8 on x=2, y=2: [{x}] -> [{y}], 1 step\n"
    "  exchange over {x,y}: [{x}] -> [{y}], owners [{x,y}], 4 rounds, 4 "
    "elements received a rank\n",
    "4x1 on x=2: [{x},{}] -> [{},{}], 1 step\n"
    "  exchange over {x}: [{x},{}] -> [{},{}], transfers 1->0 [2:4, 0:1] 0->1 "
    "[0:1, 0:1] 0->1 [1:2, 0:1], 2 elements received a rank\n",
    "?x8 on x=2: [{},{x}] -> [{},{}], 1 step\n"
    "  all_gather dim 1 over {x}: [{},{x}] -> [{},{}]\n",
    "scalar on x=2: [] partial=[xor(x)] -> [], 1 step\n"
    "  all_reduce xor over {x}: [] partial=[xor(x)] -> [], 1 elements received "
    "a rank\n",
    "0 on : [{}] -> [{}], 0 steps\n",
};

TEST(PlanText, each_step_comes_back) {
  for (llvm::StringRef text : texts) {
    llvm::Expected<Plan> plan = parsePlan(text);
    ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError()) << text.str();
    EXPECT_EQ(getMessage(verifyPlan(*plan)), "success") << text.str();
    EXPECT_EQ(toString(*plan), text);
    EXPECT_TRUE(comesBack(*plan));
  }
}

TEST(PlanText, spaces_and_counts_are_read_over) {
  llvm::Expected<Plan> plan = parsePlan("8x6 on\ndata=4,model=2:[{data},"
                                        "{model}]->[{data},{}]\nall_gather "
                                        "dim 1 over{model}:[{data},{model}]->["
                                        "{data},{}],at most 77 elements "
                                        "received a rank");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(toString(*plan), texts[0]);
}

TEST(PlanText, all_plans_come_back) {
  for (const char *text : {"x=2,y=2", "x=6"}) {
    Mesh mesh = makeMesh(text);
    std::vector<Layout> layouts = listLayouts(mesh, 2, /*partial=*/true);
    for (const Layout &from : layouts)
      for (const Layout &to : layouts) {
        llvm::Expected<Plan> plan = planRedistribution(mesh, {6, 5}, from, to);
        if (plan)
          ASSERT_TRUE(comesBack(*plan));
        else
          llvm::consumeError(plan.takeError());
      }
  }
}

TEST(PlanText, balanced_and_listed_exchanges_come_back) {
  Mesh mesh = makeMesh("x=2,y=3");
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  std::vector<Layout> layouts = listLayouts(mesh, 1);
  int owners = 0, lists = 0;
  for (const Layout &from : layouts)
    for (const Layout &to : layouts) {
      if (from == to || getExchangeAxes({7}, from, to).empty())
        continue;
      Step step = makeBalancedExchange(mesh, {7}, from, to, bytes, 1, 1 << 20);
      owners += step.owners.has_value();
      EXPECT_TRUE(comesBack({mesh, {7}, from, to, {step}}));
      std::optional<Step> listed = makeListedExchange(mesh, {7}, from, to);
      lists += listed.has_value();
      if (listed)
        EXPECT_TRUE(comesBack({mesh, {7}, from, to, {*listed}}));
    }
  EXPECT_GT(owners + lists, 0);
  EXPECT_GT(lists, 0);
}

//===----------------------------------------------------------------------===//
// Errors in text
//===----------------------------------------------------------------------===//

TEST(PlanText, errors_in_the_question) {
  EXPECT_EQ(getTextError(""),
            "line 1, column 1: expected a shape such as 8x?x6, or 'scalar', "
            "found the end of the text");
  EXPECT_EQ(getTextError("8y on x=2: [{x}] -> [{}]"),
            "line 1, column 1: expected a shape such as 8x?x6, or 'scalar', "
            "found '8y'");
  EXPECT_EQ(getTextError("8 in x=2: [{x}] -> [{}]"),
            "line 1, column 3: expected 'on', found 'in'");
  EXPECT_EQ(getTextError("8 on x=2; [{x}] -> [{}]"),
            "line 1, column 9: expected ':', found ';'");
  EXPECT_EQ(getTextError("8 on x=2, x=3: [{x}] -> [{}]"),
            "line 1, column 6: mesh has two axes named 'x'");
  EXPECT_EQ(getTextError("8 on x=2: [{x}], [{}]"),
            "line 1, column 16: expected '->', found ','");
  EXPECT_EQ(
      getTextError("8 on x=2: [{x}] -> [{z}]"),
      "line 1, column 22: mesh has no axis 'z'; its axes are 'x' (size 2)");
  EXPECT_EQ(getTextError("8 on x=2: [{x}] -> [{},{x,x}]"),
            "line 1, column 20: axis 'x' (size 2) is used twice in layout");
  EXPECT_EQ(getTextError("8 on x=2: [{x}] -> [{x}], 1 step\n"),
            "line 1, column 27: the plan is said to have 1 steps, it has 0");
  EXPECT_EQ(getTextError("8 on x=2: [{x}] -> [{x}], 1 stop\n"),
            "line 1, column 29: expected 'steps', found 'stop'");
}

/// Returns the error of a plan on `x=2` whose second line is \p step.
std::string getStepError(llvm::StringRef step) {
  return getTextError(("8 on x=2: [{x}] -> [{}]\n" + step).str());
}

TEST(PlanText, errors_in_steps) {
  EXPECT_EQ(getStepError("  gather over {x}: [{x}] -> [{}]"),
            "line 2, column 3: expected a step (all_slice, all_gather, "
            "all_to_all, reduce_scatter, all_reduce, permute, exchange, "
            "broadcast), found 'gather'");
  EXPECT_EQ(getStepError("all_gather over {x}: [{x}] -> [{}]"),
            "line 2, column 12: expected 'dim', found 'over'");
  EXPECT_EQ(getStepError("all_gather dim -1 over {x}: [{x}] -> [{}]"),
            "line 2, column 16: -1 is no dim of a tensor");
  EXPECT_EQ(getStepError("all_gather dim 4294967296 over {x}: [{x}] -> [{}]"),
            "line 2, column 16: 4294967296 is no dim of a tensor");
  EXPECT_EQ(getStepError("all_to_all concat dim 0 split dim 1: [{x}] -> [{}]"),
            "line 2, column 25: expected ',', found 'split'");
  EXPECT_EQ(getStepError("all_reduce plus over {x}: [{x}] -> [{}]"),
            "line 2, column 12: expected a reduction kind, found 'plus'");
  EXPECT_EQ(getStepError("permute (0,1)(1 over {x}: [{x}] -> [{}]"),
            "line 2, column 17: expected ',', found 'over'");
  EXPECT_EQ(getStepError("broadcast over {x}: [{x}] -> [{}]"),
            "line 2, column 11: expected 'from', found 'over'");
  EXPECT_EQ(
      getStepError("exchange over {z}: [{x}] -> [{}]"),
      "line 2, column 16: mesh has no axis 'z'; its axes are 'x' (size 2)");
  EXPECT_EQ(getStepError("exchange over {x} [{x}] -> [{}]"),
            "line 2, column 19: expected ':', found '['");
}

TEST(PlanText, errors_in_suffixes) {
  EXPECT_EQ(getStepError("exchange over {x}: [{x}] -> [{}], owner"),
            "line 2, column 35: expected owners, transfers, or a number of "
            "rounds or elements, found 'owner'");
  EXPECT_EQ(getStepError("exchange over {x}: [{x}] -> [{}], "),
            "line 2, column 35: expected owners, transfers, or a number of "
            "rounds or elements, found the end of the text");
  EXPECT_EQ(getStepError("exchange: [{x}] -> [{}], owners [{x}], owners [{x}]"),
            "line 2, column 40: expected owners once, found 'owners'");
  EXPECT_EQ(getStepError("exchange: [{x}] -> [{}], 2 rounds, 3 rounds"),
            "line 2, column 38: expected rounds once, found 'rounds'");
  EXPECT_EQ(getStepError("exchange: [{x}] -> [{}], transfers 0->1 [0:1], "
                         "transfers 0->1 [1:2]"),
            "line 2, column 48: expected transfers once, found 'transfers'");
  EXPECT_EQ(getStepError("exchange: [{x}] -> [{}], transfers"),
            "line 2, column 35: expected a number, found the end of the text");
  EXPECT_EQ(getStepError("exchange: [{x}] -> [{}], transfers 0->1 [4:2]"),
            "line 2, column 42: 4:2 is no range, its start is at least 0 and "
            "its end no less");
  EXPECT_EQ(getStepError("all_slice: [{x}] -> [{}], owners [{x}]"),
            "line 2, column 27: owners are of an exchange, the step is "
            "all_slice");
  EXPECT_EQ(getStepError("all_slice: [{x}] -> [{}], 2 rounds"),
            "line 2, column 27: rounds are of an exchange, the step is "
            "all_slice");
  EXPECT_EQ(getStepError("all_slice: [{x}] -> [{}], transfers 0->1 [0:1]"),
            "line 2, column 27: transfers are of an exchange, the step is "
            "all_slice");
  EXPECT_EQ(getStepError("all_slice: [{x}] -> [{}], at least 4"),
            "line 2, column 30: expected 'most', found 'least'");
  EXPECT_EQ(
      getMessage(
          parseStep("all_slice: [{}] -> [{x}] x", makeMesh("x=2")).takeError()),
      "line 1, column 26: expected the end of the text, found 'x'");
}

//===----------------------------------------------------------------------===//
// Errors in JSON
//===----------------------------------------------------------------------===//

TEST(PlanJson, is_stable) {
  Plan plan = llvm::cantFail(parsePlan(texts[6]));
  EXPECT_EQ(printJson(plan),
            "{\"from\":\"[{x},{}]\",\"mesh\":\"x=2\",\"shape\":[4,1],\"steps\":"
            "[{\"axes\":[\"x\"],\"from\":\"[{x},{}]\",\"listed\":[{\"from\":1,"
            "\"offset\":[2,0],\"size\":[2,1],\"to\":0},{\"from\":0,\"offset\":["
            "0,0],\"size\":[1,1],\"to\":1},{\"from\":0,\"offset\":[1,0],"
            "\"size\":[1,1],\"to\":1}],\"op\":\"exchange\",\"to\":\"[{},{}]\"}"
            "],\"to\":\"[{},{}]\"}");
}

TEST(PlanJson, reads_over_what_others_add) {
  Plan plan = llvm::cantFail(parsePlan(texts[0]));
  llvm::json::Value value = toJson(plan);
  llvm::json::Object &object = *value.getAsObject();
  object["bound"] = 4;
  (*(*object.getArray("steps"))[0].getAsObject())["transfers"] = "any";
  EXPECT_EQ(toString(llvm::cantFail(planFromJson(value))), texts[0]);
}

/// Returns the error of a plan on `x=2` with the one step \p step.
std::string getJsonStepError(llvm::StringRef step) {
  return getJsonError((R"({"mesh":"x=2","shape":[8],"from":"[{x}]",)"
                       R"("to":"[{}]","steps":[)" +
                       step + "]}")
                          .str());
}

TEST(PlanJson, errors_in_the_question) {
  EXPECT_EQ(getJsonError("[1"),
            "no JSON: [1:2, byte=2]: Expected , or ] after array "
            "element");
  EXPECT_EQ(getJsonError("[]"), "plan is an array, it must be an object");
  EXPECT_EQ(getJsonError("{}"), "mesh is missing");
  EXPECT_EQ(getJsonError(R"({"mesh":4})"), "mesh is 4, it must be a string");
  EXPECT_EQ(getJsonError(R"({"mesh":"x"})"),
            "mesh: column 2: expected '=', found the end of the text");
  EXPECT_EQ(getJsonError(R"({"mesh":"x=2"})"), "shape is missing");
  EXPECT_EQ(getJsonError(R"({"mesh":"x=2","shape":[1,-4]})"),
            "shape[1] is -4, it must be a size, or \"?\"");
  EXPECT_EQ(getJsonError(R"({"mesh":"x=2","shape":[1],"from":"[{z}]"})"),
            "from: mesh has no axis 'z'; its axes are 'x' (size 2)");
  EXPECT_EQ(getJsonError(R"({"mesh":"x=2","shape":[1],"from":"[{}]",)"
                         R"("to":"[{}]","steps":{}})"),
            "steps is an object, it must be an array");
}

TEST(PlanJson, errors_in_steps) {
  EXPECT_EQ(getJsonStepError("4"), "steps[0] is 4, it must be an object");
  EXPECT_EQ(getJsonStepError(R"({"op":"gather"})"),
            "steps[0].op is \"gather\", it must be all_slice, all_gather, "
            "all_to_all, reduce_scatter, all_reduce, permute, exchange or "
            "broadcast");
  EXPECT_EQ(getJsonStepError(R"({"op":"all_gather","axes":["x y"]})"),
            "steps[0].axes[0]: column 3: expected the end of the text, found "
            "'y'");
  EXPECT_EQ(getJsonStepError(R"({"op":"all_gather","axes":["x"]})"),
            "steps[0].from is missing");
  auto getError = [](llvm::StringRef op, llvm::StringRef members) {
    return getJsonStepError((R"({"axes":["x"],"from":"[{x}]","to":"[{}]",)"
                             R"("op":")" +
                             op + "\"" + members + "}")
                                .str());
  };
  EXPECT_EQ(getError("all_gather", ""), "steps[0].dim is missing");
  EXPECT_EQ(getError("all_gather", R"(,"dim":-1)"),
            "steps[0].dim is -1, it must be a dim of a tensor");
  EXPECT_EQ(getError("all_to_all", R"(,"dim":1)"),
            "steps[0].concat_dim is missing");
  EXPECT_EQ(getError("all_reduce", R"(,"reduction":"plus")"),
            "steps[0].reduction is \"plus\", it must be a reduction kind");
  EXPECT_EQ(getError("permute", R"(,"pairs":[[0,1],[1]])"),
            "steps[0].pairs[1] is an array, it must be an array of a source "
            "and a target");
  EXPECT_EQ(getError("broadcast", R"(,"root":"x")"),
            "steps[0].root is \"x\", it must be an integer");
  EXPECT_EQ(getError("exchange", R"(,"rounds":1.5)"),
            "steps[0].rounds is 1.5, it must be an integer");
  EXPECT_EQ(getError("exchange", R"(,"owners":"[{z}]")"),
            "steps[0].owners: mesh has no axis 'z'; its axes are 'x' (size 2)");
  EXPECT_EQ(getError("exchange", R"(,"listed":[{"from":0,"to":1,"offset":[0],)"
                                 R"("size":[1,2]}])"),
            "steps[0].listed[0].size: has 2 numbers, the offset has 1");
  EXPECT_EQ(getError("exchange", R"(,"listed":[{"from":0,"to":1,"offset":[-1],)"
                                 R"("size":[1]}])"),
            "steps[0].listed[0].size: 1 elements from -1 on are no range");
}

//===----------------------------------------------------------------------===//
// Anything at all
//===----------------------------------------------------------------------===//

/// Returns \p text with a few characters dropped, doubled, or replaced.
std::string mutate(std::string text, std::mt19937_64 &random) {
  static constexpr llvm::StringRef chars = "0919[]{}(),:->x?=\"\\ \nas";
  for (int changes = 1 + random() % 3; changes > 0 && !text.empty();
       --changes) {
    size_t at = random() % text.size(), length = 1 + random() % 4;
    switch (random() % 4) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(at, length));
      break;
    case 2:
      text.resize(at);
      break;
    default:
      text[at] = chars[random() % chars.size()];
    }
  }
  return text;
}

TEST(PlanText, mutated_texts_are_refused_or_come_back) {
  std::mt19937_64 random(11);
  int parsed = 0, verified = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = mutate(texts[i % std::size(texts)], random);
    llvm::Expected<Plan> plan = parsePlan(text);
    if (!plan) {
      std::string message = llvm::toString(plan.takeError());
      EXPECT_TRUE(llvm::StringRef(message).starts_with("line ")) << message;
      continue;
    }
    ++parsed;
    if (llvm::Error error = verifyPlan(*plan)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    ++verified;
    EXPECT_TRUE(comesBack(*plan)) << text;
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(verified, 20);
}

TEST(PlanJson, mutated_texts_are_refused_or_come_back) {
  std::mt19937_64 random(12);
  int verified = 0;
  for (int i = 0; i < 20000; ++i) {
    Plan original = llvm::cantFail(parsePlan(texts[i % std::size(texts)]));
    llvm::Expected<Plan> plan =
        parsePlanJson(mutate(printJson(original), random));
    if (!plan) {
      EXPECT_NE(getMessage(plan.takeError()), "");
      continue;
    }
    if (llvm::Error error = verifyPlan(*plan)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    ++verified;
    EXPECT_TRUE(comesBack(*plan));
  }
  EXPECT_GT(verified, 20);
}

} // namespace
