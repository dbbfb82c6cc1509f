// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// One formula for each kind of collective.

#include "CollectiveCount.h"

#include "ExchangeCount.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;

static bool movesFrom(const Step &step, int64_t position) {
  return step.pairs[position].second != position;
}

Moved redistribute::getMoved(const Step &step, int64_t position, int64_t before,
                             int64_t after) {
  int64_t size = getNumPositions(step.axes);
  switch (step.kind) {
  case StepKind::AllGather:
    return {after - before, multiplyCounts(before, size - 1)};
  case StepKind::AllToAll: {
    int64_t moved = before - before / size;
    return {moved, moved};
  }
  case StepKind::ReduceScatter: {
    int64_t moved = multiplyCounts(after, size - 1);
    return {moved, moved};
  }
  case StepKind::AllReduce: {
    // A reduce-scatter and an all-gather of parts of ceil(before / size)
    // elements, by ring and by direct sends alike.
    DimLayout flat;
    flat.axes = step.axes;
    int64_t part = getBlock(flat, before, position).size;
    int64_t moved = addCounts(before - part, multiplyCounts(part, size - 1));
    return {moved, moved};
  }
  case StepKind::Permute:
    // Who sends to another receives from another.
    if (movesFrom(step, position))
      return {after, before};
    return {};
  case StepKind::Broadcast: {
    // The chain starts at the root, and its last member passes nothing on.
    int64_t hop = (position - step.root + size) % size;
    return {hop == 0 ? 0 : after, hop == size - 1 ? 0 : after};
  }
  case StepKind::Slice:
  case StepKind::Exchange:
    break;
  }
  return {};
}

/// Returns the position of a member that receives no less than any other with
/// the same slices.
static int64_t getBusiest(const Step &step) {
  if (step.kind == StepKind::Broadcast)
    return (step.root + 1) % getNumPositions(step.axes);
  if (step.kind != StepKind::Permute)
    return 0;
  auto moving = llvm::find_if(
      step.pairs, [](auto pair) { return pair.first != pair.second; });
  return moving == step.pairs.end() ? 0 : moving->first;
}

int64_t redistribute::getMostReceived(const Step &step, int64_t mostBefore,
                                      int64_t mostAfter) {
  return getMoved(step, getBusiest(step), mostBefore, mostAfter).received;
}
