// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Printing and reading of moves.

#include "pctl/Redistribute/MoveText.h"

#include "PlanParser.h"

#include "pctl/Layout/LayoutText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;

/// Sets what a text need not say of where the plans start and end, which have
/// their steps.
static void setEnds(const MoveQuestion &question, Plan &before, Plan &after) {
  before.mesh = question.from.mesh;
  before.from = question.from.layout;
  before.to = before.steps.empty() ? before.from : before.steps.back().to;
  after.mesh = question.to.mesh;
  after.to = question.to.layout;
  after.from = after.steps.empty() ? after.to : after.steps.front().from;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printPlacement(llvm::raw_ostream &os, const Placement &placement) {
  os << (placement.globalShape.empty() ? "scalar"
                                       : shapeToString(placement.globalShape))
     << " on " << toString(placement.mesh) << ": "
     << toString(placement.mesh, placement.layout);
}

/// Prints a plan as the part \p name, with its ends where they are not those of
/// \p expected.
static void printPart(llvm::raw_ostream &os, StringRef name, const Plan &plan,
                      const Plan &expected) {
  if (!(plan.mesh == expected.mesh) || !(plan.from == expected.from) ||
      !(plan.to == expected.to))
    os << "  " << name << " on " << toString(plan.mesh) << ": "
       << toString(plan.mesh, plan.from) << " -> "
       << toString(plan.mesh, plan.to) << "\n";
  for (const Step &step : plan.steps)
    os << "  " << name << ": " << toString(plan.mesh, plan.globalShape, step)
       << "\n";
}

std::string redistribute::toString(const Move &move) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlacement(os, move.question.from);
  os << " -> ";
  printPlacement(os, move.question.to);
  if (!move.question.offset.empty()) {
    os << ", offset [";
    llvm::interleaveComma(move.question.offset, os);
    os << "]";
  }
  os << "\n";
  Plan before = move.before, after = move.after;
  setEnds(move.question, before, after);
  printPart(os, "before", move.before, before);
  for (const Transfer &transfer : move.crossing.transfers)
    os << "  device " << transfer.source << " -> " << transfer.target << ": "
       << toString(transfer.box) << "\n";
  if (move.crossing.rounds != 1)
    os << "  in " << move.crossing.rounds << " rounds\n";
  printPart(os, "after", move.after, after);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the phrases of the grammar in MoveText.h.
class MoveParser : public PlanParser {
public:
  using PlanParser::PlanParser;

  Expected<Move> parseMove();

private:
  Expected<Placement> parsePlacement();
  Error parseOffset(SmallVector<int64_t, 4> &offset);
  Error parsePart(StringRef name, Plan &plan, std::optional<Plan> &ends);
  Error parseCrossing(Crossing &crossing);
};

} // namespace

Expected<Placement> MoveParser::parsePlacement() {
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
  Expected<Layout> layout = parser.parseLayout(*mesh);
  if (!layout)
    return layout.takeError();
  return Placement{std::move(*mesh), std::move(*layout), std::move(shape)};
}

Error MoveParser::parseOffset(SmallVector<int64_t, 4> &offset) {
  if (!parser.consume(","))
    return Error::success();
  if (Error error = expectWord("offset"))
    return error;
  if (Error error = parser.expect("["))
    return error;
  return parser.parseList(
      ']', [&]() -> Error { return readInt(offset.emplace_back()); });
}

/// Reads the steps of \p plan, and where it starts and ends if that is said.
Error MoveParser::parsePart(StringRef name, Plan &plan,
                            std::optional<Plan> &ends) {
  while (parser.consumeWord(name)) {
    if (plan.steps.empty() && !ends && parser.consumeWord("on")) {
      Expected<Mesh> mesh = parser.parseMesh(':');
      if (!mesh)
        return mesh.takeError();
      plan.mesh = std::move(*mesh);
      ends = plan;
      if (Error error = parser.expect(":"))
        return error;
      if (Error error = parseChange(plan.mesh, ends->from, ends->to))
        return error;
      continue;
    }
    if (Error error = parser.expect(":"))
      return error;
    Expected<Step> step = parseStep(plan.mesh);
    if (!step)
      return step.takeError();
    plan.steps.push_back(std::move(*step));
  }
  return Error::success();
}

Error MoveParser::parseCrossing(Crossing &crossing) {
  while (parser.consumeWord("device")) {
    Transfer &transfer = crossing.transfers.emplace_back();
    if (Error error = readInt(transfer.source))
      return error;
    if (Error error = parser.expect("->"))
      return error;
    if (Error error = readInt(transfer.target))
      return error;
    if (Error error = parser.expect(":"))
      return error;
    if (Error error = parseBox(transfer.box))
      return error;
  }
  if (!parser.consumeWord("in"))
    return Error::success();
  if (Error error = readInt(crossing.rounds))
    return error;
  return expectWord("rounds");
}

Expected<Move> MoveParser::parseMove() {
  Expected<Placement> from = parsePlacement();
  if (!from)
    return from.takeError();
  if (Error error = parser.expect("->"))
    return std::move(error);
  Expected<Placement> to = parsePlacement();
  if (!to)
    return to.takeError();
  MoveQuestion question{std::move(*from), std::move(*to), {}};
  if (Error error = parseOffset(question.offset))
    return std::move(error);
  Plan before{question.from.mesh, question.from.globalShape, {}, {}, {}};
  Plan after{question.to.mesh, question.to.globalShape, {}, {}, {}};
  Crossing crossing;
  std::optional<Plan> beforeEnds, afterEnds;
  if (Error error = parsePart("before", before, beforeEnds))
    return std::move(error);
  if (Error error = parseCrossing(crossing))
    return std::move(error);
  if (Error error = parsePart("after", after, afterEnds))
    return std::move(error);
  if (Error error = expectEnd())
    return std::move(error);
  setEnds(question, before, after);
  for (auto [plan, ends] :
       {std::pair(&before, &beforeEnds), std::pair(&after, &afterEnds)})
    if (*ends) {
      plan->mesh = (*ends)->mesh;
      plan->from = (*ends)->from;
      plan->to = (*ends)->to;
    }
  return Move{std::move(question), std::move(before), std::move(crossing),
              std::move(after)};
}

Expected<Move> redistribute::parseMove(StringRef text) {
  return MoveParser(text).parseMove();
}
