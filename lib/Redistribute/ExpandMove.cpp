// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The transfers of both plans of a move and between them, in one system of
/// coordinates.

#include "pctl/Redistribute/ExpandMove.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;

static ExpandedStep expandCrossing(const Crossing &crossing) {
  ExpandedStep expanded;
  expanded.op = "crossing";
  for (const Transfer &transfer : crossing.transfers)
    expanded.transfers.push_back(
        {transfer.source, transfer.target, transfer.box, std::nullopt});
  // No two boxes to one device start at the same element.
  auto getStart = [](const Box &box) {
    SmallVector<int64_t, 4> start;
    for (Range range : box.getRanges())
      start.push_back(range.offset);
    return start;
  };
  llvm::sort(expanded.transfers,
             [&](const ExpandedTransfer &a, const ExpandedTransfer &b) {
               if (std::tie(a.to, a.from) != std::tie(b.to, b.from))
                 return std::tie(a.to, a.from) < std::tie(b.to, b.from);
               return getStart(a.box) < getStart(b.box);
             });
  return expanded;
}

/// Returns \p box, of the target, in coordinates of the source.
static Box shift(const Box &box, ArrayRef<int64_t> offset) {
  SmallVector<Range, 4> ranges(box.getRanges());
  for (auto [range, by] : llvm::zip(ranges, offset))
    range.offset += by;
  return Box(ranges);
}

/// Keeps, in coordinates of the source, what of \p step the source has.
static void takeToSource(ExpandedStep &step, const MoveQuestion &question) {
  Box source = Box::ofShape(question.from.globalShape);
  std::vector<ExpandedTransfer> kept;
  for (ExpandedTransfer &transfer : step.transfers)
    if (std::optional<Box> box =
            intersect(shift(transfer.box, question.offset), source)) {
      transfer.box = std::move(*box);
      kept.push_back(std::move(transfer));
    }
  step.transfers = std::move(kept);
}

Expected<std::vector<ExpandedStep>> redistribute::expandMove(const Move &move) {
  Expected<std::vector<ExpandedStep>> steps = expandPlan(move.before);
  if (!steps)
    return steps;
  if (!move.crossing.transfers.empty())
    steps->push_back(expandCrossing(move.crossing));
  Expected<std::vector<ExpandedStep>> after = expandPlan(move.after);
  if (!after)
    return after;
  for (ExpandedStep &step : *after) {
    takeToSource(step, move.question);
    steps->push_back(std::move(step));
  }
  return steps;
}
