// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Moves to and from JSON. MoveJson.h has the keys.

#include "pctl/Redistribute/MoveJson.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/PlanJson.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void addSteps(json::Array &steps, const Plan &plan, StringRef part) {
  for (const Step &step : plan.steps) {
    json::Object object = toJson(plan.mesh, step);
    object["part"] = part;
    steps.push_back(std::move(object));
  }
}

static json::Object crossingToJson(const Crossing &crossing) {
  json::Array listed;
  for (const Transfer &transfer : crossing.transfers)
    listed.push_back(toJson(transfer));
  return json::Object{{"op", "crossing"},
                      {"part", "crossing"},
                      {"axes", json::Array()},
                      {"rounds", crossing.rounds},
                      {"listed", std::move(listed)}};
}

json::Value redistribute::toJson(const Move &move) {
  json::Array steps;
  addSteps(steps, move.before, "before");
  if (!move.crossing.transfers.empty())
    steps.push_back(crossingToJson(move.crossing));
  addSteps(steps, move.after, "after");

  const auto &[from, to, offset] = move.question;
  const Plan &before = move.before, &after = move.after;
  return json::Object{
      {"mesh", toString(from.mesh)},
      {"shape", json::Array(from.globalShape)},
      {"from", toString(from.mesh, from.layout)},
      {"to_mesh", toString(to.mesh)},
      {"to_shape", json::Array(to.globalShape)},
      {"to", toString(to.mesh, to.layout)},
      {"offset", json::Array(offset)},
      {"before", json::Object{{"mesh", toString(before.mesh)},
                              {"from", toString(before.mesh, before.from)},
                              {"to", toString(before.mesh, before.to)}}},
      {"after", json::Object{{"mesh", toString(after.mesh)},
                             {"from", toString(after.mesh, after.from)},
                             {"to", toString(after.mesh, after.to)}}},
      {"steps", std::move(steps)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A transfer as it is read, its box still as two lists.
struct ReadTransfer {
  int64_t from = 0, to = 0;
  std::vector<int64_t> offset, size;
};

struct ReadStep {
  std::string op, part;
  /// Of the crossing alone.
  int64_t rounds = 1;
  std::vector<ReadTransfer> listed;
};

/// Where a plan starts and ends.
struct ReadEnds {
  std::string mesh, from, to;
};

struct ReadMove {
  std::string mesh, from, toMesh, to;
  std::vector<int64_t> shape, toShape, offset;
  ReadEnds before, after;
  std::vector<ReadStep> steps;
};

bool fromJSON(const json::Value &value, ReadTransfer &transfer,
              json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("from", transfer.from) &&
         mapper.map("to", transfer.to) &&
         mapper.map("offset", transfer.offset) &&
         mapper.map("size", transfer.size);
}

bool fromJSON(const json::Value &value, ReadStep &step, json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("op", step.op) || !mapper.map("part", step.part))
    return false;
  if (step.part != "crossing")
    return true;
  return mapper.mapOptional("rounds", step.rounds) &&
         mapper.map("listed", step.listed);
}

bool fromJSON(const json::Value &value, ReadEnds &ends, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("mesh", ends.mesh) &&
         mapper.map("from", ends.from) && mapper.map("to", ends.to);
}

bool fromJSON(const json::Value &value, ReadMove &move, json::Path path) {
  json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("mesh", move.mesh) &&
         mapper.map("shape", move.shape) && mapper.map("from", move.from) &&
         mapper.map("to_mesh", move.toMesh) &&
         mapper.map("to_shape", move.toShape) && mapper.map("to", move.to) &&
         mapper.mapOptional("offset", move.offset) &&
         mapper.map("before", move.before) && mapper.map("after", move.after) &&
         mapper.map("steps", move.steps);
}

} // namespace

/// Checks that the parts come one after the other.
static Error checkParts(llvm::ArrayRef<ReadStep> steps) {
  static constexpr StringRef parts[] = {"before", "crossing", "after"};
  size_t last = 0;
  for (auto [number, step] : llvm::enumerate(steps)) {
    size_t part = llvm::find(parts, step.part) - parts;
    if (part == std::size(parts))
      return makeError("steps[{0}].part is '{1}', it must be before, crossing "
                       "or after",
                       number, step.part);
    if (part < last || (part == 1 && number > 0 && last == 1))
      return makeError("steps[{0}].part is '{1}' after one that is '{2}'",
                       number, step.part, parts[last]);
    last = part;
  }
  return Error::success();
}

static Expected<Placement> readPlacement(StringRef meshKey, StringRef meshText,
                                         StringRef key, StringRef layoutText,
                                         llvm::ArrayRef<int64_t> shape) {
  Expected<Mesh> mesh = parseMesh(meshText);
  if (!mesh)
    return makeError("{0}: {1}", meshKey, llvm::toString(mesh.takeError()));
  Expected<Layout> layout = parseLayout(layoutText, *mesh);
  if (!layout)
    return makeError("{0}: {1}", key, llvm::toString(layout.takeError()));
  return Placement{std::move(*mesh), std::move(*layout),
                   llvm::SmallVector<int64_t, 4>(shape)};
}

/// Reads the plan whose steps have \p part.
static Expected<Plan> readPlan(const json::Value &value, StringRef part,
                               const ReadEnds &ends,
                               llvm::ArrayRef<int64_t> shape) {
  json::Array steps;
  for (const json::Value &step : *value.getAsObject()->getArray("steps"))
    if (step.getAsObject()->getString("part") == part)
      steps.push_back(step);
  Expected<Plan> plan = planFromJson(json::Object{{"mesh", ends.mesh},
                                                  {"shape", json::Array(shape)},
                                                  {"from", ends.from},
                                                  {"to", ends.to},
                                                  {"steps", std::move(steps)}});
  if (!plan)
    return makeError("{0}: {1}", part, llvm::toString(plan.takeError()));
  return plan;
}

static Expected<Transfer> makeTransfer(const ReadTransfer &read,
                                       size_t number) {
  if (read.offset.size() != read.size.size())
    return makeError("listed[{0}] of the crossing has {1} offsets and {2} "
                     "sizes",
                     number, read.offset.size(), read.size.size());
  SmallVector<Range, 4> ranges;
  for (auto [offset, size] : llvm::zip_equal(read.offset, read.size)) {
    if (offset < 0 || size < 0 || !checkedAdd(offset, size))
      return makeError("listed[{0}] of the crossing: {1} elements from {2} on "
                       "are no range",
                       number, size, offset);
    ranges.push_back({offset, size});
  }
  return Transfer{read.from, read.to, Box(ranges)};
}

static Error readCrossing(llvm::ArrayRef<ReadStep> steps, Crossing &crossing) {
  for (const ReadStep &step : steps) {
    if (step.part != "crossing")
      continue;
    crossing.rounds = step.rounds;
    for (auto [number, read] : llvm::enumerate(step.listed)) {
      Expected<Transfer> transfer = makeTransfer(read, number);
      if (!transfer)
        return transfer.takeError();
      crossing.transfers.push_back(std::move(*transfer));
    }
  }
  return Error::success();
}

Expected<Move> redistribute::moveFromJson(const json::Value &value) {
  ReadMove read;
  json::Path::Root root("move");
  if (!fromJSON(value, read, root))
    return root.getError();
  if (Error error = checkParts(read.steps))
    return std::move(error);
  Expected<Placement> from =
      readPlacement("mesh", read.mesh, "from", read.from, read.shape);
  if (!from)
    return from.takeError();
  Expected<Placement> to =
      readPlacement("to_mesh", read.toMesh, "to", read.to, read.toShape);
  if (!to)
    return to.takeError();
  Expected<Plan> before = readPlan(value, "before", read.before, read.shape);
  if (!before)
    return before.takeError();
  Expected<Plan> after = readPlan(value, "after", read.after, read.toShape);
  if (!after)
    return after.takeError();
  MoveQuestion question{
      std::move(*from), std::move(*to),
      SmallVector<int64_t, 4>(read.offset.begin(), read.offset.end())};
  Move move{std::move(question), std::move(*before), {}, std::move(*after)};
  if (Error error = readCrossing(read.steps, move.crossing))
    return std::move(error);
  return move;
}
