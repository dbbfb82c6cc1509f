// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads plans and moves back, and asks the library whether they are right.

#include "Check.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/MoveJson.h"
#include "pctl/Redistribute/MoveText.h"
#include "pctl/Redistribute/PlanJson.h"
#include "pctl/Redistribute/PlanText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::plan;
using namespace pctl::redistribute;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// What a file has.
struct PlanFile {
  std::variant<Plan, Move> what;
  /// Empty where the file does not say.
  std::string element;
  /// The transfers that a JSON file lists by step.
  std::optional<std::vector<ExpandedStep>> expanded;
};

} // namespace

static bool fromJSON(const json::Value &value, ExpandedTransfer &transfer,
                     json::Path path) {
  std::vector<int64_t> offset, size;
  std::optional<std::string> reduce;
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("from", transfer.from) ||
      !mapper.map("to", transfer.to) || !mapper.map("offset", offset) ||
      !mapper.map("size", size) || !mapper.map("reduce", reduce))
    return false;
  if (reduce) {
    transfer.reduce = symbolizeReductionKind(*reduce);
    if (!transfer.reduce) {
      path.field("reduce").report("is no kind of reduction");
      return false;
    }
  }
  if (offset.size() != size.size()) {
    path.field("size").report("has another number of dims than the offset");
    return false;
  }
  llvm::SmallVector<Range, 4> ranges;
  for (auto [start, length] : llvm::zip_equal(offset, size)) {
    if (start < 0 || length < 0 || !checkedAdd(start, length)) {
      path.field("size").report("is not of a range inside the tensor");
      return false;
    }
    ranges.push_back({start, length});
  }
  transfer.box = Box(ranges);
  return true;
}

/// Reads the transfers of all steps, where there are any.
static Error readTransfers(const json::Array &steps, PlanFile &file) {
  std::vector<ExpandedStep> expanded;
  bool any = false;
  for (auto [number, step] : llvm::enumerate(steps)) {
    const json::Object *object = step.getAsObject();
    const json::Value *transfers = object ? object->get("transfers") : nullptr;
    ExpandedStep &entry = expanded.emplace_back();
    if (!transfers)
      continue;
    any = true;
    entry.op = object->getString("op").value_or("").str();
    std::string name = llvm::formatv("steps[{0}].transfers", number).str();
    json::Path::Root root(name);
    const json::Array *array = transfers->getAsArray();
    if (!array)
      return makeError("{0} is no array", name);
    for (auto [index, transfer] : llvm::enumerate(*array))
      if (!fromJSON(transfer, entry.transfers.emplace_back(),
                    json::Path(root).index(index)))
        return root.getError();
  }
  if (any)
    file.expanded = std::move(expanded);
  return Error::success();
}

/// Drops later phases, which are no steps, from \p steps.
static void dropLaterPhases(json::Array &steps) {
  json::Array kept;
  for (json::Value &step : steps) {
    const json::Object *object = step.getAsObject();
    if (!object || !object->get("phase") || object->get("from"))
      kept.push_back(std::move(step));
  }
  steps = std::move(kept);
}

static Expected<PlanFile> readJson(StringRef text) {
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  PlanFile file{Plan{llvm::cantFail(Mesh::create({})), {}, {}, {}, {}}, "", {}};
  json::Object *object = value->getAsObject();
  if (object) {
    file.element = object->getString("element").value_or("").str();
    if (json::Array *steps = object->getArray("steps")) {
      if (Error error = readTransfers(*steps, file))
        return std::move(error);
      dropLaterPhases(*steps);
    }
  }
  if (object && object->get("to_mesh")) {
    Expected<Move> move = moveFromJson(*value);
    if (!move)
      return move.takeError();
    file.what = std::move(*move);
    return std::move(file);
  }
  Expected<Plan> plan = planFromJson(*value);
  if (!plan)
    return plan.takeError();
  file.what = std::move(*plan);
  return std::move(file);
}

/// Reads the text of a plan, or of a move, which says twice on what mesh it is.
static Expected<std::variant<Plan, Move>> parseWhat(StringRef text) {
  if (text.split('\n').first.count(" on ") > 1) {
    Expected<Move> move = parseMove(text);
    if (!move)
      return move.takeError();
    return std::move(*move);
  }
  Expected<Plan> plan = parsePlan(text);
  if (!plan)
    return plan.takeError();
  return std::move(*plan);
}

/// Reads a plan as the library or printText prints it: behind the plan there
/// may be an empty line and a line `element TYPE`.
static Expected<PlanFile> readText(StringRef text) {
  auto [planText, rest] = text.split("\n\n");
  Expected<std::variant<Plan, Move>> what = parseWhat(planText);
  if (!what)
    return what.takeError();
  PlanFile file{std::move(*what), "", {}};
  StringRef firstLine = rest.ltrim().split('\n').first;
  if (firstLine.consume_front("element"))
    file.element = firstLine.trim().str();
  return std::move(file);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static bool hasKnownSizes(const Plan &plan) {
  return !llvm::is_contained(plan.globalShape, kDynamic);
}

static Error checkWhat(const Plan &plan, CheckResult &result) {
  if (!hasKnownSizes(plan))
    return makeError("the plan has a dim of no known size");
  if (Error error = verifyPlan(plan))
    return error;
  if (!canEvaluate(plan)) {
    result.whyNot = "it has too many elements";
    return Error::success();
  }
  Expected<Evaluation> evaluation = evaluatePlan(plan);
  if (!evaluation)
    return evaluation.takeError();
  result.received = evaluation->traffic.maxReceived;
  result.sent = evaluation->traffic.maxSent;
  return Error::success();
}

static Error checkWhat(const Move &move, CheckResult &result) {
  if (!hasKnownSizes(move.before) || !hasKnownSizes(move.after))
    return makeError("the move has a dim of no known size");
  if (Error error = verifyMove(move))
    return error;
  if (!canEvaluate(move.before) || !canEvaluate(move.after)) {
    result.whyNot = "it has too many elements";
    return Error::success();
  }
  Expected<MoveEvaluation> evaluation = evaluateMove(move);
  if (!evaluation)
    return evaluation.takeError();
  result.received = evaluation->getMaxReceived();
  result.sent = evaluation->getMaxSent();
  return Error::success();
}

/// Returns the error of the transfers that \p file lists with \p plan.
static Error checkTransfers(const Plan &plan,
                            llvm::ArrayRef<ExpandedStep> listed) {
  return evaluateExpanded(plan.mesh, plan.globalShape, plan.from, plan.to,
                          listed)
      .takeError();
}

static Error checkTransfers(const Move &move,
                            llvm::ArrayRef<ExpandedStep> listed) {
  return evaluateExpanded(move.question, listed).takeError();
}

static int64_t countTransfers(llvm::ArrayRef<ExpandedStep> steps) {
  int64_t count = 0;
  for (const ExpandedStep &step : steps)
    count += step.transfers.size();
  return count;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Checks that no option asks a question of its own.
static Error checkOptions(const Arguments &arguments) {
  for (auto [name, value] :
       {std::pair("mesh", &arguments.mesh), std::pair("from", &arguments.from),
        std::pair("to", &arguments.to), std::pair("to-mesh", &arguments.toMesh),
        std::pair("to-shape", &arguments.toShape),
        std::pair("offset", &arguments.offset)})
    if (*value)
      return llvm::make_error<UsageError>(
          llvm::Twine("option --") + name +
          " can't be beside --check, whose file has the question");
  return Error::success();
}

/// Returns the element type of \p file: its own, that of `--shape`, or f32.
static Expected<ElementType> getElement(const Arguments &arguments,
                                        const PlanFile &file) {
  if (!arguments.shape)
    return parseElementType(file.element.empty() ? "f32" : file.element);
  Expected<TensorType> type = parseTensorType(*arguments.shape);
  if (!type)
    return makeError("--shape: {0}", llvm::toString(type.takeError()));
  const Plan *plan = std::get_if<Plan>(&file.what);
  if (!plan)
    plan = &std::get<Move>(file.what).before;
  if (type->shape != plan->globalShape)
    return makeError("--shape: the sizes are {0}, those of the plan are {1}",
                     shapeToString(type->shape),
                     shapeToString(plan->globalShape));
  if (!file.element.empty() && file.element != type->element.name)
    return makeError("--shape: the element type is {0}, that of the plan is "
                     "{1}",
                     type->element.name, file.element);
  return std::move(type->element);
}

static Error checkCap(const Answer &answer) {
  std::optional<int64_t> cap = answer.options.capBytes;
  if (!cap || answer.cost.peakBytes <= *cap)
    return Error::success();
  return makeError("a device holds {0} bytes, --cap-bytes is {1}",
                   answer.cost.peakBytes, *cap);
}

static Expected<CheckedPlan> checkFile(const Arguments &arguments,
                                       PlannerOptions options, StringRef text) {
  Expected<PlanFile> file =
      text.ltrim().starts_with("{") ? readJson(text) : readText(text);
  if (!file)
    return file.takeError();
  CheckResult result;
  if (Error error =
          std::visit([&](const auto &what) { return checkWhat(what, result); },
                     file->what))
    return std::move(error);
  if (file->expanded) {
    if (Error error = std::visit(
            [&](const auto &what) {
              return checkTransfers(what, *file->expanded);
            },
            file->what))
      return std::move(error);
    result.transfers = countTransfers(*file->expanded);
  }
  Expected<ElementType> element = getElement(arguments, *file);
  if (!element)
    return element.takeError();
  options.elementBytes = element->getBytes();
  Answer answer = std::visit(
      [&](auto &what) { return describe(std::move(what), *element, options); },
      file->what);
  if (Error error = checkCap(answer))
    return std::move(error);
  return CheckedPlan{std::move(answer), std::move(result)};
}

Expected<CheckedPlan> plan::checkPlan(const Arguments &arguments,
                                      ClusterCache &clusters) {
  if (Error error = checkOptions(arguments))
    return std::move(error);
  Expected<PlannerOptions> options = readPlannerOptions(arguments, clusters);
  if (!options)
    return options.takeError();
  StringRef path = *arguments.check;
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return makeError("--check: {0}: {1}", path, buffer.getError().message());
  Expected<CheckedPlan> checked =
      checkFile(arguments, std::move(*options), (*buffer)->getBuffer());
  if (!checked)
    return makeError("{0}: {1}", path, llvm::toString(checked.takeError()));
  return checked;
}
