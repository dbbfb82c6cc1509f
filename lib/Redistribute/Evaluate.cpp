// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans done with symbols: local arrays of cells, and each collective as it is
/// defined. Layouts say here only what each rank holds at the start, which
/// boxes an exchange sends, and what is right after each step.

#include "pctl/Redistribute/Evaluate.h"

#include "Symbols.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Layout/ReplicaGroups.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

namespace {

/// One element in a local array.
struct Cell {
  static constexpr int64_t unset = -1;

  /// Row-major number in the global tensor.
  int64_t element = unset;
  /// Number of its Terms.
  unsigned terms = 0;
};

/// A local array, row-major.
struct LocalArray {
  SmallVector<int64_t, 4> shape;
  std::vector<Cell> cells;

  LocalArray() = default;
  explicit LocalArray(ArrayRef<int64_t> shape)
      : shape(shape), cells(Box::ofShape(shape).getNumElements()) {}
};

} // namespace

static SmallVector<int64_t, 4> getSizes(const Box &box) {
  SmallVector<int64_t, 4> sizes;
  for (Range range : box.getRanges())
    sizes.push_back(range.size);
  return sizes;
}

/// Returns the part \p box of \p array; it must lie inside.
static LocalArray extract(const LocalArray &array, const Box &box) {
  LocalArray part(getSizes(box));
  for (auto [cell, number] :
       llvm::zip_equal(part.cells, getNumbers(box, array.shape)))
    cell = array.cells[number];
  return part;
}

/// Returns the whole box of \p shape but for [offset, offset + size) of \p dim.
static Box getPart(ArrayRef<int64_t> shape, unsigned dim, int64_t offset,
                   int64_t size) {
  SmallVector<Range, 4> ranges(Box::ofShape(shape).getRanges());
  ranges[dim] = {offset, size};
  return Box(ranges);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

namespace {

/// The state of all ranks, and the collectives on it.
class Machine {
public:
  explicit Machine(const Plan &plan);

  Error run(const Step &step);
  /// Checks that all ranks hold what \p layout says.
  Error check(const Layout &layout);
  Evaluation takeEvaluation() &&;

private:
  Error runSlice(const Step &step);
  Error runAllGather(const Step &step);
  Error runAllToAll(const Step &step);
  Error runReduceScatter(const Step &step);
  Error runAllReduce(const Step &step);
  Error runPermute(const Step &step);
  Error runExchange(const Step &step);
  Error runBroadcast(const Step &step);

  Error receiveBox(const Step &step, int64_t sender, const Box &box,
                   int64_t rank, const Box &wanted, LocalArray &result);
  Error receiveBoxes(const Step &step, int64_t rank, LocalArray &result);
  Expected<LocalArray> join(ArrayRef<LocalArray> parts, unsigned dim);
  Expected<LocalArray> reduce(ArrayRef<int64_t> members);
  Expected<LocalArray> split(const LocalArray &array, unsigned dim,
                             int64_t parts, int64_t position);
  Error checkRank(const Layout &layout, int64_t rank);
  Box getRankBox(const Layout &layout, int64_t rank) {
    return getBox(plan.mesh, layout, plan.globalShape, rank);
  }
  void count(int64_t sender, int64_t receiver, int64_t elements) {
    if (sender == receiver)
      return;
    evaluation.sent[sender] += elements;
    evaluation.received[receiver] += elements;
  }
  int64_t getNumRanks() const { return plan.mesh.getNumRanks(); }

  const Plan &plan;
  const SmallVector<AxisRef> partialAxes;
  TermTable terms;
  std::vector<LocalArray> arrays;
  std::vector<LocalArray> next;
  Evaluation evaluation;
};

} // namespace

Machine::Machine(const Plan &plan)
    : plan(plan), partialAxes(plan.from.getPartialAxes()),
      arrays(getNumRanks()), next(getNumRanks()) {
  evaluation.sent.assign(getNumRanks(), 0);
  evaluation.received.assign(getNumRanks(), 0);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    Box box = getRankBox(plan.from, rank);
    unsigned id = terms.getId(getOwnTerms(plan.mesh, partialAxes, rank));
    arrays[rank] = LocalArray(getSizes(box));
    for (auto [cell, number] :
         llvm::zip_equal(arrays[rank].cells, getNumbers(box, plan.globalShape)))
      cell = {number, id};
  }
}

Error Machine::runSlice(const Step &step) {
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    Box part =
        getRankBox(step.to, rank).relativeTo(getRankBox(step.from, rank));
    Box whole = Box::ofShape(arrays[rank].shape);
    for (auto [inner, outer] :
         llvm::zip_equal(part.getRanges(), whole.getRanges()))
      if (inner.offset < 0 || inner.getEnd() > outer.size)
        return makeError("slice {0} is not inside the {1} that rank {2} holds",
                         toString(part), toString(whole), rank);
    next[rank] = extract(arrays[rank], part);
  }
  return Error::success();
}

/// Joins \p parts along \p dim.
Expected<LocalArray> Machine::join(ArrayRef<LocalArray> parts, unsigned dim) {
  SmallVector<int64_t, 4> shape = parts.front().shape;
  shape[dim] = 0;
  for (const LocalArray &part : parts) {
    SmallVector<int64_t, 4> expected = parts.front().shape;
    expected[dim] = part.shape[dim];
    if (part.shape != expected)
      return makeError("joins slices {0} and {1} along dim {2}",
                       shapeToString(parts.front().shape),
                       shapeToString(part.shape), dim);
    shape[dim] += part.shape[dim];
  }
  LocalArray joined(shape);
  int64_t offset = 0;
  for (const LocalArray &part : parts) {
    Box place = getPart(shape, dim, offset, part.shape[dim]);
    for (auto [cell, number] :
         llvm::zip_equal(part.cells, getNumbers(place, shape)))
      joined.cells[number] = cell;
    offset += part.shape[dim];
  }
  return joined;
}

/// Returns the part at \p position of \p parts equal parts along \p dim.
Expected<LocalArray> Machine::split(const LocalArray &array, unsigned dim,
                                    int64_t parts, int64_t position) {
  if (array.shape[dim] % parts != 0)
    return makeError("splits {0} elements of dim {1} into {2} equal parts",
                     array.shape[dim], dim, parts);
  int64_t size = array.shape[dim] / parts;
  return extract(array, getPart(array.shape, dim, position * size, size));
}

/// Returns the element by element reduction of what \p members hold.
Expected<LocalArray> Machine::reduce(ArrayRef<int64_t> members) {
  LocalArray sum = arrays[members.front()];
  for (int64_t member : members.drop_front()) {
    const LocalArray &other = arrays[member];
    if (other.shape != sum.shape)
      return makeError("reduces slices {0} of rank {1} and {2} of rank {3}",
                       shapeToString(sum.shape), members.front(),
                       shapeToString(other.shape), member);
    for (auto [cell, term] : llvm::zip_equal(sum.cells, other.cells)) {
      if (cell.element != term.element)
        return makeError("reduces element {0} of rank {1} with element {2} of "
                         "rank {3}",
                         printIndex(cell.element, plan.globalShape),
                         members.front(),
                         printIndex(term.element, plan.globalShape), member);
      cell.terms = terms.getSum(cell.terms, term.terms);
    }
  }
  return sum;
}

Error Machine::runAllGather(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    std::vector<LocalArray> parts;
    for (int64_t member : groups.getMembers(rank)) {
      parts.push_back(arrays[member]);
      count(member, rank, arrays[member].cells.size());
    }
    Expected<LocalArray> joined = join(parts, step.dim);
    if (!joined)
      return joined.takeError();
    next[rank] = std::move(*joined);
  }
  return Error::success();
}

Error Machine::runAllToAll(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    std::vector<LocalArray> parts;
    for (int64_t member : groups.getMembers(rank)) {
      Expected<LocalArray> part =
          split(arrays[member], step.dim, groups.getGroupSize(),
                groups.getPosition(rank));
      if (!part)
        return part.takeError();
      count(member, rank, part->cells.size());
      parts.push_back(std::move(*part));
    }
    Expected<LocalArray> joined = join(parts, step.concatDim);
    if (!joined)
      return joined.takeError();
    next[rank] = std::move(*joined);
  }
  return Error::success();
}

Error Machine::runReduceScatter(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    SmallVector<int64_t> members = groups.getMembers(rank);
    Expected<LocalArray> sum = reduce(members);
    if (!sum)
      return sum.takeError();
    Expected<LocalArray> part =
        split(*sum, step.dim, groups.getGroupSize(), groups.getPosition(rank));
    if (!part)
      return part.takeError();
    for (int64_t member : members)
      count(member, rank, part->cells.size());
    next[rank] = std::move(*part);
  }
  return Error::success();
}

Error Machine::runAllReduce(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  DimLayout flat;
  flat.axes = step.axes;
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    SmallVector<int64_t> members = groups.getMembers(rank);
    Expected<LocalArray> sum = reduce(members);
    if (!sum)
      return sum.takeError();
    next[rank] = std::move(*sum);
    // Each member reduces one part, then sends it to all others.
    int64_t size = next[rank].cells.size();
    for (auto [position, member] : llvm::enumerate(members)) {
      count(member, rank, getBlock(flat, size, groups.getPosition(rank)).size);
      count(member, rank, getBlock(flat, size, position).size);
    }
  }
  return Error::success();
}

Error Machine::runPermute(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  std::vector<bool> received(getNumRanks(), false);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    for (auto [source, target] : step.pairs) {
      if (source != groups.getPosition(rank))
        continue;
      if (target < 0 || target >= groups.getGroupSize())
        return makeError("target {0} is not a position of the group", target);
      int64_t receiver = groups.getMember(rank, target);
      if (received[receiver])
        return makeError("rank {0} receives twice", receiver);
      received[receiver] = true;
      count(rank, receiver, arrays[rank].cells.size());
      next[receiver] = arrays[rank];
    }
  }
  for (int64_t rank = 0; rank < getNumRanks(); ++rank)
    if (!received[rank])
      return makeError("rank {0} receives nothing", rank);
  return Error::success();
}

/// Puts \p box of what \p sender holds into the slice \p result of \p rank,
/// which is \p wanted.
Error Machine::receiveBox(const Step &step, int64_t sender, const Box &box,
                          int64_t rank, const Box &wanted, LocalArray &result) {
  Box held = getRankBox(step.from, sender);
  if (!held.contains(box) || !wanted.contains(box))
    return makeError("rank {0} sends {1} of its slice {2} to the slice {3} of "
                     "rank {4}",
                     sender, toString(box), toString(held), toString(wanted),
                     rank);
  LocalArray part = extract(arrays[sender], box.relativeTo(held));
  count(sender, rank, part.cells.size());
  for (auto [cell, number] : llvm::zip_equal(
           part.cells, getNumbers(box.relativeTo(wanted), result.shape))) {
    if (result.cells[number].element != Cell::unset)
      return makeError("rank {0} receives element {1} twice", rank,
                       printIndex(cell.element, plan.globalShape));
    result.cells[number] = cell;
  }
  return Error::success();
}

/// Puts what \p rank keeps, and what the members of its group own and it
/// lacks, into \p result.
Error Machine::receiveBoxes(const Step &step, int64_t rank,
                            LocalArray &result) {
  Box wanted = getRankBox(step.to, rank), own = getRankBox(step.from, rank);
  if (std::optional<Box> kept = intersect(own, wanted))
    if (Error error = receiveBox(step, rank, *kept, rank, wanted, result))
      return error;
  if (!step.transfers.empty()) {
    for (const Transfer &transfer : step.transfers)
      if (transfer.target == rank)
        if (Error error = receiveBox(step, transfer.source, transfer.box, rank,
                                     wanted, result))
          return error;
    return Error::success();
  }
  const Layout &owners = step.owners ? *step.owners : step.from;
  for (int64_t member : ReplicaGroups(plan.mesh, step.axes).getMembers(rank)) {
    // Members that hold the same send each other nothing.
    if (member == rank || getRankBox(step.from, member) == own)
      continue;
    if (std::optional<Box> box = intersect(getRankBox(owners, member), wanted))
      if (Error error = receiveBox(step, member, *box, rank, wanted, result))
        return error;
  }
  return Error::success();
}

Error Machine::runBroadcast(const Step &step) {
  ReplicaGroups groups(plan.mesh, step.axes);
  if (step.root < 0 || step.root >= groups.getGroupSize())
    return makeError("root {0} is not a position of the group", step.root);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    int64_t root = groups.getMember(rank, step.root);
    next[rank] = arrays[root];
    // It is passed on from member to member, and back to the root by none.
    if (rank != root) {
      int64_t size = groups.getGroupSize();
      int64_t before = (groups.getPosition(rank) + size - 1) % size;
      count(groups.getMember(rank, before), rank, arrays[root].cells.size());
    }
  }
  return Error::success();
}

Error Machine::runExchange(const Step &step) {
  if (step.rounds < 1)
    return makeError("{0} rounds send nothing", step.rounds);
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    next[rank] = LocalArray(getSizes(getRankBox(step.to, rank)));
    if (Error error = receiveBoxes(step, rank, next[rank]))
      return error;
    for (auto [number, cell] : llvm::enumerate(next[rank].cells))
      if (cell.element == Cell::unset)
        return makeError("no member sends rank {0} what belongs at {1} of its "
                         "slice",
                         rank, printIndex(number, next[rank].shape));
  }
  return Error::success();
}

Error Machine::run(const Step &step) {
  auto runKind = [&]() -> Error {
    switch (step.kind) {
    case StepKind::Slice:
      return runSlice(step);
    case StepKind::AllGather:
      return runAllGather(step);
    case StepKind::AllToAll:
      return runAllToAll(step);
    case StepKind::ReduceScatter:
      return runReduceScatter(step);
    case StepKind::AllReduce:
      return runAllReduce(step);
    case StepKind::Permute:
      return runPermute(step);
    case StepKind::Exchange:
      return runExchange(step);
    case StepKind::Broadcast:
      return runBroadcast(step);
    }
    return Error::success();
  };
  if (Error error = runKind())
    return error;
  std::swap(arrays, next);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// What is right
//===----------------------------------------------------------------------===//

Error Machine::checkRank(const Layout &layout, int64_t rank) {
  Box box = getRankBox(layout, rank);
  const LocalArray &array = arrays[rank];
  if (array.shape != getSizes(box))
    return makeError("rank {0} holds {1} elements, its slice {2} has {3}", rank,
                     shapeToString(array.shape), toString(box),
                     shapeToString(getSizes(box)));
  unsigned right =
      terms.getId(getRightTerms(plan.mesh, partialAxes, layout, rank));
  std::vector<int64_t> numbers = getNumbers(box, plan.globalShape);
  for (auto [place, cell] : llvm::enumerate(array.cells)) {
    if (cell.element != numbers[place])
      return makeError("rank {0} holds element {1} where element {2} belongs",
                       rank, printIndex(cell.element, plan.globalShape),
                       printIndex(numbers[place], plan.globalShape));
    if (cell.terms == right)
      continue;
    auto print = [&](unsigned id) { return printList(terms.get(id), ","); };
    return makeError("element {0} on rank {1} has the contributions of its "
                     "positions {2} times, {3} is right",
                     printIndex(cell.element, plan.globalShape), rank,
                     print(cell.terms), print(right));
  }
  return Error::success();
}

Error Machine::check(const Layout &layout) {
  if (Error error = verifyPartialAtStart(plan.mesh, partialAxes, layout))
    return error;
  Traffic &traffic = evaluation.traffic;
  for (int64_t rank = 0; rank < getNumRanks(); ++rank) {
    if (Error error = checkRank(layout, rank))
      return error;
    traffic.maxHeld = std::max(traffic.maxHeld,
                               static_cast<int64_t>(arrays[rank].cells.size()));
  }
  return Error::success();
}

Evaluation Machine::takeEvaluation() && {
  Traffic &traffic = evaluation.traffic;
  traffic.maxReceived = *llvm::max_element(evaluation.received);
  traffic.maxSent = *llvm::max_element(evaluation.sent);
  for (int64_t elements : evaluation.received)
    traffic.totalReceived += elements;
  return std::move(evaluation);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Checks what evaluating \p step relies on.
static Error checkStep(const Plan &plan, const Step &step) {
  for (const Layout *layout : {&step.from, &step.to})
    if (Error error = checkLayout(plan.mesh, plan.globalShape, *layout))
      return error;
  if (step.owners)
    if (Error error = checkLayout(plan.mesh, plan.globalShape, *step.owners))
      return makeError("owners: {0}", llvm::toString(std::move(error)));
  for (const Transfer &transfer : step.transfers)
    for (int64_t rank : {transfer.source, transfer.target})
      if (rank < 0 || rank >= plan.mesh.getNumRanks() ||
          transfer.box.getTensorRank() != plan.globalShape.size())
        return makeError("transfer of {0} from rank {1} to rank {2} is none of "
                         "this mesh and tensor",
                         toString(transfer.box), transfer.source,
                         transfer.target);
  Layout group;
  group.partial.push_back({ReductionKind::Sum, step.axes});
  if (Error error = verifyLayout(plan.mesh, group))
    return makeError("group {0}", llvm::toString(std::move(error)));
  // All other collectives leave at most what the layouts do, right or not.
  if (step.kind == StepKind::AllGather) {
    std::optional<int64_t> joined =
        checkedMul(getMaxLocalElements(step.from, plan.globalShape),
                   getNumPositions(step.axes));
    if (Error error =
            checkCount(plan.mesh, joined.value_or(INT64_MAX), "elements"))
      return error;
  }
  bool usesDim = step.kind == StepKind::AllGather ||
                 step.kind == StepKind::AllToAll ||
                 step.kind == StepKind::ReduceScatter;
  for (unsigned dim : {step.dim, step.concatDim})
    if (usesDim && dim >= plan.globalShape.size())
      return makeError("dim {0} of a tensor of rank {1}", dim,
                       plan.globalShape.size());
  return Error::success();
}

static Error runStep(const Plan &plan, Machine &machine, const Step &step) {
  if (Error error = checkStep(plan, step))
    return error;
  // What the steps before leave must be what this one starts from.
  if (Error error = machine.check(step.from))
    return makeError("before it, {0}", llvm::toString(std::move(error)));
  if (Error error = machine.run(step))
    return error;
  if (Error error = machine.check(step.to))
    return makeError("after it, {0}", llvm::toString(std::move(error)));
  return Error::success();
}

Expected<Evaluation> redistribute::evaluatePlan(const Plan &plan) {
  if (Error error =
          checkQuestion(plan.mesh, plan.globalShape, plan.from, plan.to))
    return std::move(error);
  Machine machine(plan);
  for (auto [index, step] : llvm::enumerate(plan.steps))
    if (Error error = runStep(plan, machine, step))
      return makeError("step {0} ({1}): {2}", index + 1,
                       stringifyStepKind(step.kind),
                       llvm::toString(std::move(error)));
  if (Error error = machine.check(plan.to))
    return makeError("after the last step, {0}",
                     llvm::toString(std::move(error)));
  return std::move(machine).takeEvaluation();
}

bool redistribute::canEvaluate(const Plan &plan) {
  int64_t most = std::max(getNumPositions(plan.from.getPartialAxes()),
                          getMaxLocalElements(plan.from, plan.globalShape));
  for (const Step &step : plan.steps)
    most = std::max(most, getMaxLocalElements(step.to, plan.globalShape));
  return canKeep(plan.mesh, most);
}
