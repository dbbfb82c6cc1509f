// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Printing and reading of plans.

#include "PlanParser.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Traffic.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <climits>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints what is particular to the kind of \p step, and its group.
static void printDetails(llvm::raw_ostream &os, const Mesh &mesh,
                         const Step &step) {
  switch (step.kind) {
  case StepKind::AllGather:
    os << " dim " << step.dim;
    break;
  case StepKind::AllToAll:
    os << " concat dim " << step.concatDim << ", split dim " << step.dim;
    break;
  case StepKind::ReduceScatter:
    os << " " << stringifyReductionKind(step.reduction) << " dim " << step.dim;
    break;
  case StepKind::AllReduce:
    os << " " << stringifyReductionKind(step.reduction);
    break;
  case StepKind::Permute:
    os << " ";
    for (auto [source, target] : step.pairs)
      os << "(" << source << "," << target << ")";
    break;
  case StepKind::Broadcast:
    os << " from position " << step.root;
    break;
  case StepKind::Slice:
  case StepKind::Exchange:
    break;
  }
  if (!step.axes.empty())
    os << " over {" << toString(mesh, step.axes) << "}";
}

/// Prints who sends what in an exchange, and how, where that is not the
/// default.
static void printSources(llvm::raw_ostream &os, const Mesh &mesh,
                         const Step &step) {
  if (step.owners)
    os << ", owners " << toString(mesh, *step.owners);
  if (step.rounds != 1)
    os << ", " << step.rounds << " rounds";
  if (step.transfers.empty())
    return;
  os << ", transfers";
  for (const Transfer &transfer : step.transfers)
    os << " " << transfer.source << "->" << transfer.target << " "
       << toString(transfer.box);
}

std::string redistribute::toString(const Mesh &mesh,
                                   ArrayRef<int64_t> globalShape,
                                   const Step &step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyStepKind(step.kind);
  printDetails(os, mesh, step);
  os << ": " << toString(mesh, step.from) << " -> " << toString(mesh, step.to);
  if (step.kind == StepKind::Exchange)
    printSources(os, mesh, step);
  if (llvm::is_contained(globalShape, kDynamic))
    return text;
  Traffic traffic = getTraffic(mesh, globalShape, step);
  os << ", " << (traffic.exact ? "" : "at most ") << traffic.maxReceived
     << " elements received a rank";
  return text;
}

std::string redistribute::toString(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (plan.globalShape.empty() ? "scalar" : shapeToString(plan.globalShape))
     << " on " << toString(plan.mesh) << ": " << toString(plan.mesh, plan.from)
     << " -> " << toString(plan.mesh, plan.to) << ", " << plan.steps.size()
     << (plan.steps.size() == 1 ? " step\n" : " steps\n");
  for (const Step &step : plan.steps)
    os << "  " << toString(plan.mesh, plan.globalShape, step) << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error PlanParser::parseShape(SmallVector<int64_t, 4> &shape) {
  if (parser.consumeWord("scalar"))
    return Error::success();
  StringRef text =
      parser.skipSpace().take_until([](char c) { return llvm::isSpace(c); });
  SmallVector<StringRef> sizes;
  text.split(sizes, 'x');
  for (StringRef size : sizes) {
    int64_t value = kDynamic;
    if (size != "?" && (size.getAsInteger(10, value) || value < 0))
      return parser.expected("a shape such as 8x?x6, or 'scalar'");
    shape.push_back(value);
  }
  parser.consume(text);
  return Error::success();
}

Error PlanParser::parseChange(const Mesh &mesh, Layout &from, Layout &to) {
  Expected<Layout> before = parser.parseLayout(mesh);
  if (!before)
    return before.takeError();
  if (Error error = parser.expect("->"))
    return error;
  Expected<Layout> after = parser.parseLayout(mesh);
  if (!after)
    return after.takeError();
  from = std::move(*before);
  to = std::move(*after);
  return Error::success();
}

Error PlanParser::checkStepCount(StringRef place, int64_t said, size_t found) {
  if (static_cast<uint64_t>(said) == found)
    return Error::success();
  return parser.locate(
      place,
      makeError("the plan is said to have {0} steps, it has {1}", said, found));
}

Expected<Plan> PlanParser::parsePlan() {
  SmallVector<int64_t, 4> shape;
  if (Error error = parseShape(shape))
    return std::move(error);
  if (Error error = expectWord("on"))
    return std::move(error);
  Expected<Mesh> mesh = parser.parseMesh(':');
  if (!mesh)
    return mesh.takeError();
  if (Error error = parser.expect(":"))
    return std::move(error);
  Plan plan{*mesh, std::move(shape), {}, {}, {}};
  if (Error error = parseChange(plan.mesh, plan.from, plan.to))
    return std::move(error);

  std::optional<int64_t> count;
  StringRef countPlace;
  if (parser.consume(",")) {
    countPlace = parser.skipSpace();
    if (Error error = readInt(count.emplace()))
      return std::move(error);
    if (!parser.consumeWord("step"))
      if (Error error = expectWord("steps"))
        return std::move(error);
  }
  while (!parser.skipSpace().empty()) {
    Expected<Step> step = parseStep(plan.mesh);
    if (!step)
      return step.takeError();
    plan.steps.push_back(std::move(*step));
  }
  if (count)
    if (Error error = checkStepCount(countPlace, *count, plan.steps.size()))
      return std::move(error);
  return plan;
}

Error PlanParser::parseKind(StepKind &kind) {
  if (std::optional<StepKind> known = symbolizeStepKind(parser.peekWord())) {
    kind = *known;
    return expectWord(stringifyStepKind(kind));
  }
  return parser.expected("a step (all_slice, all_gather, all_to_all, "
                         "reduce_scatter, all_reduce, permute, exchange, "
                         "broadcast)");
}

Error PlanParser::readDim(unsigned &dim) {
  if (Error error = expectWord("dim"))
    return error;
  StringRef place = parser.skipSpace();
  int64_t value = 0;
  if (Error error = readInt(value))
    return error;
  if (value < 0 || value > UINT_MAX)
    return parser.locate(place, makeError("{0} is no dim of a tensor", value));
  dim = value;
  return Error::success();
}

Error PlanParser::readReduction(ReductionKind &kind) {
  std::optional<ReductionKind> known =
      symbolizeReductionKind(parser.peekWord());
  if (!known)
    return parser.expected("a reduction kind");
  kind = *known;
  return expectWord(stringifyReductionKind(kind));
}

Error PlanParser::parsePairs(Step &step) {
  while (parser.consume("(")) {
    auto &[source, target] = step.pairs.emplace_back();
    if (Error error = readInt(source))
      return error;
    if (Error error = parser.expect(","))
      return error;
    if (Error error = readInt(target))
      return error;
    if (Error error = parser.expect(")"))
      return error;
  }
  return Error::success();
}

/// Reads what printDetails prints, but for the group.
Error PlanParser::parseDetails(Step &step) {
  switch (step.kind) {
  case StepKind::AllGather:
    return readDim(step.dim);
  case StepKind::AllToAll:
    if (Error error = expectWord("concat"))
      return error;
    if (Error error = readDim(step.concatDim))
      return error;
    if (Error error = parser.expect(","))
      return error;
    if (Error error = expectWord("split"))
      return error;
    return readDim(step.dim);
  case StepKind::ReduceScatter:
    if (Error error = readReduction(step.reduction))
      return error;
    return readDim(step.dim);
  case StepKind::AllReduce:
    return readReduction(step.reduction);
  case StepKind::Permute:
    return parsePairs(step);
  case StepKind::Broadcast:
    if (Error error = expectWords({"from", "position"}))
      return error;
    return readInt(step.root);
  case StepKind::Slice:
  case StepKind::Exchange:
    return Error::success();
  }
  return Error::success();
}

Error PlanParser::parseGroup(const Mesh &mesh, Step &step) {
  if (!parser.consumeWord("over"))
    return Error::success();
  if (Error error = parser.expect("{"))
    return error;
  return parser.parseList('}', [&]() -> Error {
    Expected<AxisRef> ref = parser.parseAxisRef(mesh);
    if (ref)
      step.axes.push_back(*ref);
    return ref.takeError();
  });
}

Expected<Range> PlanParser::parseRange() {
  StringRef place = parser.skipSpace();
  int64_t offset = 0, end = 0;
  if (Error error = readInt(offset))
    return std::move(error);
  if (Error error = parser.expect(":"))
    return std::move(error);
  if (Error error = readInt(end))
    return std::move(error);
  if (offset < 0 || end < offset)
    return parser.locate(place, makeError("{0}:{1} is no range, its start is "
                                          "at least 0 and its end no less",
                                          offset, end));
  return Range{offset, end - offset};
}

Error PlanParser::parseBox(Box &box) {
  if (Error error = parser.expect("["))
    return error;
  SmallVector<Range, 4> ranges;
  Error error = parser.parseList(']', [&]() -> Error {
    Expected<Range> range = parseRange();
    if (range)
      ranges.push_back(*range);
    return range.takeError();
  });
  box = Box(ranges);
  return error;
}

Error PlanParser::expectExchange(StringRef place, const Step &step,
                                 const char *what) {
  if (step.kind == StepKind::Exchange)
    return Error::success();
  return parser.locate(place, makeError("{0} are of an exchange, the step is "
                                        "{1}",
                                        what, stringifyStepKind(step.kind)));
}

Error PlanParser::parseOwners(const Mesh &mesh, Step &step) {
  if (step.owners)
    return parser.expected("owners once");
  parser.consumeWord("owners");
  Expected<Layout> owners = parser.parseLayout(mesh);
  if (owners)
    step.owners = std::move(*owners);
  return owners.takeError();
}

Error PlanParser::parseTransfers(Step &step) {
  if (!step.transfers.empty())
    return parser.expected("transfers once");
  parser.consumeWord("transfers");
  do {
    Transfer transfer;
    if (Error error = readInt(transfer.source))
      return error;
    if (Error error = parser.expect("->"))
      return error;
    if (Error error = readInt(transfer.target))
      return error;
    if (Error error = parseBox(transfer.box))
      return error;
    step.transfers.push_back(std::move(transfer));
  } while (nextIsNumber());
  return Error::success();
}

/// Reads `4 rounds`, or what a rank receives, which a plan does not hold.
Error PlanParser::parseNumberSuffix(Step &step) {
  StringRef place = parser.skipSpace();
  bool isBound = parser.consumeWord("at");
  if (isBound)
    if (Error error = expectWord("most"))
      return error;
  int64_t number = 0;
  if (Error error = readInt(number))
    return error;
  if (isBound || parser.peekWord() != "rounds")
    return expectWords({"elements", "received", "a", "rank"});
  if (Error error = expectExchange(place, step, "rounds"))
    return error;
  if (step.rounds != 1)
    return parser.expected("rounds once");
  step.rounds = number;
  return expectWord("rounds");
}

Error PlanParser::parseSuffix(const Mesh &mesh, Step &step) {
  StringRef place = parser.skipSpace();
  if (parser.peekWord() == "owners") {
    if (Error error = expectExchange(place, step, "owners"))
      return error;
    return parseOwners(mesh, step);
  }
  if (parser.peekWord() == "transfers") {
    if (Error error = expectExchange(place, step, "transfers"))
      return error;
    return parseTransfers(step);
  }
  if (parser.peekWord() == "at" || nextIsNumber())
    return parseNumberSuffix(step);
  return parser.expected(
      "owners, transfers, or a number of rounds or elements");
}

Expected<Step> PlanParser::parseStep(const Mesh &mesh) {
  Step step;
  if (Error error = parseKind(step.kind))
    return std::move(error);
  if (Error error = parseDetails(step))
    return std::move(error);
  if (Error error = parseGroup(mesh, step))
    return std::move(error);
  if (Error error = parser.expect(":"))
    return std::move(error);
  if (Error error = parseChange(mesh, step.from, step.to))
    return std::move(error);
  while (parser.consume(","))
    if (Error error = parseSuffix(mesh, step))
      return std::move(error);
  return step;
}

Expected<Plan> redistribute::parsePlan(StringRef text) {
  return PlanParser(text).parsePlan();
}

Expected<Step> redistribute::parseStep(StringRef text, const Mesh &mesh) {
  PlanParser parser(text);
  Expected<Step> step = parser.parseStep(mesh);
  if (!step)
    return step;
  if (Error error = parser.expectEnd())
    return std::move(error);
  return step;
}
