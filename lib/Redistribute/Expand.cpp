// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What each kind of step sends, box by box.

#include "pctl/Redistribute/Expand.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Layout/ReplicaGroups.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;

/// The most transfers that are listed, and pairs of ranks that are looked at.
static constexpr int64_t maxTransfers = int64_t(1) << 22;
static constexpr int64_t maxPairs = int64_t(1) << 24;

/// Adds the elements \p range of \p box, by their row-major numbers in it, as
/// boxes to \p boxes. \p dim and those behind it are whole still.
static void addFlatRange(const Box &box, unsigned dim, Range range,
                         SmallVector<Box> &boxes) {
  if (range.size == 0)
    return;
  if (dim == box.getTensorRank())
    return boxes.push_back(box);
  SmallVector<Range, 4> ranges(box.getRanges());
  int64_t rowSize = 1;
  for (Range inner : ArrayRef(ranges).drop_front(dim + 1))
    rowSize *= inner.size;
  auto getRows = [&](int64_t first, int64_t count) {
    ranges[dim] = {box[dim].offset + first, count};
    return Box(ranges);
  };
  int64_t first = range.offset / rowSize, last = range.getEnd() / rowSize;
  int64_t start = range.offset % rowSize, end = range.getEnd() % rowSize;
  if (first == last)
    return addFlatRange(getRows(first, 1), dim + 1, {start, range.size}, boxes);
  if (start != 0)
    addFlatRange(getRows(first, 1), dim + 1, {start, rowSize - start}, boxes);
  int64_t firstWhole = first + (start != 0);
  if (firstWhole < last)
    boxes.push_back(getRows(firstWhole, last - firstWhole));
  addFlatRange(getRows(last, 1), dim + 1, {0, end}, boxes);
}

namespace {

class Expander {
public:
  explicit Expander(const Plan &plan) : plan(plan) {}

  Error expand(const Step &step);
  std::vector<ExpandedStep> takeSteps() && { return std::move(steps); }

private:
  Error expandAllReduce(const Step &step);
  Error expandTransfers(const Step &step);
  /// Lists, for each rank and each other member of its group, what \p getBoxes
  /// adds to the boxes that the member sends to the rank.
  Error expandPairs(const Step &step, const char *phase,
                    std::optional<ReductionKind> reduce,
                    llvm::function_ref<void(int64_t member, int64_t rank,
                                            SmallVector<Box> &boxes)>
                        getBoxes);
  Error expandBroadcast(const Step &step);
  Error countPairs(const ReplicaGroups &groups);
  void start(const Step &step, llvm::StringRef phase);
  Error add(int64_t source, int64_t target, const Box &box,
            std::optional<ReductionKind> reduce);
  Box getRankBox(const Layout &layout, int64_t rank) {
    return getBox(plan.mesh, layout, plan.globalShape, rank);
  }

  const Plan &plan;
  std::vector<ExpandedStep> steps;
  /// The step of the last entry.
  const Step *started = nullptr;
  int64_t numTransfers = 0;
  int64_t numPairs = 0;
};

} // namespace

void Expander::start(const Step &step, llvm::StringRef phase) {
  ExpandedStep &expanded = steps.emplace_back();
  expanded.op = stringifyStepKind(step.kind).str();
  expanded.phase = phase.str();
  expanded.continues = &step == started;
  started = &step;
  for (AxisRef ref : step.axes)
    expanded.axes.push_back(toString(plan.mesh, ref));
}

Error Expander::add(int64_t source, int64_t target, const Box &box,
                    std::optional<ReductionKind> reduce) {
  if (source == target || box.isEmpty())
    return Error::success();
  if (++numTransfers > maxTransfers)
    return makeError("the plan has more than {0} transfers, which are too many "
                     "to list",
                     maxTransfers);
  steps.back().transfers.push_back(
      {plan.mesh.getDevice(source), plan.mesh.getDevice(target), box, reduce});
  return Error::success();
}

/// Counts the pairs of ranks of \p groups as looked at.
Error Expander::countPairs(const ReplicaGroups &groups) {
  std::optional<int64_t> pairs =
      checkedMul(plan.mesh.getNumRanks(), groups.getGroupSize());
  if (!pairs || *pairs > maxPairs - numPairs)
    return makeError("groups of {0} of the {1} ranks are too many to list what "
                     "they send",
                     groups.getGroupSize(), plan.mesh.getNumRanks());
  numPairs += *pairs;
  return Error::success();
}

Error Expander::expandPairs(
    const Step &step, const char *phase, std::optional<ReductionKind> reduce,
    llvm::function_ref<void(int64_t, int64_t, SmallVector<Box> &)> getBoxes) {
  start(step, phase);
  ReplicaGroups groups(plan.mesh, step.axes);
  if (Error error = countPairs(groups))
    return error;
  for (int64_t rank = 0; rank < plan.mesh.getNumRanks(); ++rank)
    for (int64_t i = 0; i < groups.getGroupSize(); ++i) {
      int64_t member = groups.getMember(rank, i);
      if (member == rank)
        continue;
      SmallVector<Box> boxes;
      getBoxes(member, rank, boxes);
      for (const Box &box : boxes)
        if (Error error = add(member, rank, box, reduce))
          return error;
    }
  return Error::success();
}

Error Expander::expandAllReduce(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  DimLayout flat;
  flat.axes = step.axes;
  auto addPart = [&](int64_t owner, SmallVector<Box> &boxes) {
    Box box = getRankBox(step.from, owner);
    Range part =
        getBlock(flat, box.getNumElements(), groups.getPosition(owner));
    addFlatRange(box, 0, part, boxes);
  };
  if (Error error =
          expandPairs(step, "reduce", step.reduction,
                      [&](int64_t, int64_t rank, SmallVector<Box> &boxes) {
                        addPart(rank, boxes);
                      }))
    return error;
  return expandPairs(step, "gather", std::nullopt,
                     [&](int64_t member, int64_t, SmallVector<Box> &boxes) {
                       addPart(member, boxes);
                     });
}

/// Expands a chain from the root through the group.
Error Expander::expandBroadcast(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  if (Error error = countPairs(groups))
    return error;
  int64_t size = groups.getGroupSize();
  auto allMembers = groups.getAllGroups();
  for (int64_t hop = 1; hop < size; ++hop) {
    start(step, "hop " + std::to_string(hop));
    for (const auto &members : allMembers) {
      int64_t rank = members[(step.root + hop) % size];
      int64_t before = members[(step.root + hop - 1) % size];
      if (Error error =
              add(before, rank, getRankBox(step.to, rank), std::nullopt))
        return error;
    }
  }
  return Error::success();
}

/// Expands an exchange that lists what it sends.
Error Expander::expandTransfers(const Step &step) {
  start(step, "");
  std::vector<size_t> order(step.transfers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    const Transfer &first = step.transfers[a], &second = step.transfers[b];
    return std::tie(first.target, first.source, a) <
           std::tie(second.target, second.source, b);
  });
  for (size_t index : order) {
    auto [source, target, box] = step.transfers[index];
    if (Error error = add(source, target, box, std::nullopt))
      return error;
  }
  return Error::success();
}

Error Expander::expand(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  auto addCommon = [&](const Layout &supplied, int64_t member, int64_t rank,
                       SmallVector<Box> &boxes) {
    if (std::optional<Box> box =
            intersect(getRankBox(supplied, member), getRankBox(step.to, rank)))
      boxes.push_back(*box);
  };
  switch (step.kind) {
  case StepKind::Slice:
    start(step, "");
    return Error::success();
  case StepKind::AllGather:
  case StepKind::AllToAll:
    return expandPairs(
        step, "", std::nullopt,
        [&](int64_t member, int64_t rank, SmallVector<Box> &boxes) {
          addCommon(step.from, member, rank, boxes);
        });
  case StepKind::ReduceScatter:
    return expandPairs(
        step, "", step.reduction,
        [&](int64_t member, int64_t rank, SmallVector<Box> &boxes) {
          addCommon(step.from, member, rank, boxes);
        });
  case StepKind::AllReduce:
    return expandAllReduce(step);
  case StepKind::Permute:
    return expandPairs(
        step, "", std::nullopt,
        [&](int64_t member, int64_t rank, SmallVector<Box> &boxes) {
          if (step.pairs[groups.getPosition(member)].second ==
              groups.getPosition(rank))
            boxes.push_back(getRankBox(step.from, member));
        });
  case StepKind::Broadcast:
    return expandBroadcast(step);
  case StepKind::Exchange:
    if (!step.transfers.empty())
      return expandTransfers(step);
    return expandPairs(
        step, "", std::nullopt,
        [&](int64_t member, int64_t rank, SmallVector<Box> &boxes) {
          if (!(getRankBox(step.from, member) == getRankBox(step.from, rank)))
            addCommon(step.owners ? *step.owners : step.from, member, rank,
                      boxes);
        });
  }
  return Error::success();
}

Expected<std::vector<ExpandedStep>> redistribute::expandPlan(const Plan &plan) {
  if (Error error = verifyPlan(plan))
    return std::move(error);
  for (auto [dim, size] : llvm::enumerate(plan.globalShape))
    if (size == kDynamic)
      return makeError("dim {0} has no known size, which a list of transfers "
                       "needs",
                       dim);
  Expander expander(plan);
  for (const Step &step : plan.steps)
    if (Error error = expander.expand(step))
      return std::move(error);
  return std::move(expander).takeSteps();
}
