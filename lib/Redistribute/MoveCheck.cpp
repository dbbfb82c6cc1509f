// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Whether a move is right, by boxes and by elements, and its text.

#include "Crossing.h"
#include "ExchangeCount.h"
#include "Symbols.h"

#include "pctl/Layout/LayoutText.h"
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
// Verification
//===----------------------------------------------------------------------===//

/// Checks that \p layout of \p mesh, an end of a plan, is that of \p placement.
static Error verifyEnd(const Placement &placement, const Mesh &mesh,
                       const Layout &layout, ArrayRef<int64_t> shape,
                       const char *place) {
  if (ArrayRef<int64_t>(placement.globalShape) != shape)
    return makeError("{0} of the move has shape {1}, its question has {2}",
                     place, shapeToString(shape),
                     shapeToString(placement.globalShape));
  std::optional<Layout> expected;
  if (haveSameDevices(placement.mesh, mesh))
    expected = rewriteLayout(placement.mesh, placement.layout, mesh);
  if (!expected)
    return makeError("{0} of the move is on mesh {1}, which has not the ranks "
                     "of {2}",
                     place, toString(mesh), toString(placement.mesh));
  if (*expected != layout.getNormalForm())
    return makeError("{0} of the move is {1}, it must be {2}", place,
                     toString(mesh, layout), toString(mesh, *expected));
  return Error::success();
}

/// Checks transfers of one device: they bring each element of \p lacking once.
static Error verifyArrivals(const Holding &holding,
                            ArrayRef<const Transfer *> arrivals) {
  int64_t lacking = 0;
  if (holding.wanted) {
    lacking = holding.wanted->getNumElements();
    if (holding.held)
      if (std::optional<Box> both = intersect(*holding.held, *holding.wanted))
        lacking -= both->getNumElements();
  }
  for (auto [index, transfer] : llvm::enumerate(arrivals)) {
    lacking -= transfer->box.getNumElements();
    for (const Transfer *other : arrivals.take_front(index))
      if (std::optional<Box> both = intersect(transfer->box, other->box))
        return makeError("elements {0} reach device {1} twice", toString(*both),
                         holding.device);
  }
  if (lacking != 0)
    return makeError("device {0} lacks {1} elements after the transfers",
                     holding.device, lacking);
  return Error::success();
}

static Error verifyTransfers(ArrayRef<Transfer> transfers,
                             ArrayRef<Holding> holdings, unsigned tensorRank) {
  DeviceMap<const Holding *> byDevice;
  for (const Holding &holding : holdings)
    byDevice[holding.device] = &holding;
  DeviceMap<SmallVector<const Transfer *>> arrivals;
  for (auto [number, transfer] : llvm::enumerate(transfers)) {
    for (int64_t device : {transfer.source, transfer.target})
      if (!byDevice.count(device))
        return makeError("transfer {0}: device {1} is in neither mesh", number,
                         device);
    if (transfer.box.getTensorRank() != tensorRank || transfer.box.isEmpty())
      return makeError("transfer {0}: {1} is no box of elements of the source",
                       number, toString(transfer.box));
    const Holding &source = *byDevice[transfer.source];
    const Holding &target = *byDevice[transfer.target];
    if (!source.held || !source.held->contains(transfer.box))
      return makeError("transfer {0}: device {1} does not have {2}", number,
                       transfer.source, toString(transfer.box));
    if (!target.wanted || !target.wanted->contains(transfer.box))
      return makeError("transfer {0}: device {1} does not want {2}", number,
                       transfer.target, toString(transfer.box));
    if (target.held && intersect(*target.held, transfer.box))
      return makeError("transfer {0}: device {1} already has some of {2}",
                       number, transfer.target, toString(transfer.box));
    arrivals[transfer.target].push_back(&transfer);
  }
  for (const Holding &holding : holdings)
    if (Error error = verifyArrivals(holding, arrivals[holding.device]))
      return error;
  return Error::success();
}

/// Returns whether the plan before leaves what the plan after starts from.
static bool meetsWithoutCrossing(const Move &move) {
  if (!move.crossing.transfers.empty() ||
      !haveSameDevices(move.before.mesh, move.after.mesh) ||
      llvm::any_of(move.question.offset, [](int64_t start) { return start; }))
    return false;
  std::optional<Layout> start =
      rewriteLayout(move.after.mesh, move.after.from, move.before.mesh);
  return start && *start == move.before.to.getNormalForm();
}

/// Checks that the crossing leads from one plan to the other.
static Error verifyCrossing(const Move &move) {
  if (move.crossing.rounds < 1)
    return makeError("crossing has {0} rounds, it must have at least 1",
                     move.crossing.rounds);
  if (meetsWithoutCrossing(move))
    return Error::success();
  for (const Layout *layout : {&move.before.to, &move.after.from})
    if (layout->isPartial())
      return makeError("crossing moves a tensor with partial axes");
  if (Error error = verifyListable(move.before.mesh, move.after.mesh))
    return error;
  return verifyTransfers(
      move.crossing.transfers,
      listHoldings({move.before.mesh, move.before.to, move.before.globalShape},
                   {move.after.mesh, move.after.from, move.after.globalShape},
                   move.question.offset),
      move.question.from.globalShape.size());
}

/// Checks the question of \p move and that its plans start and end as that
/// says.
static Error verifyEnds(const Move &move) {
  if (Error error = verifyQuestion(move.question))
    return error;
  if (Error error =
          verifyEnd(move.question.from, move.before.mesh, move.before.from,
                    move.before.globalShape, "source"))
    return error;
  return verifyEnd(move.question.to, move.after.mesh, move.after.to,
                   move.after.globalShape, "target");
}

Error redistribute::verifyMove(const Move &move) {
  for (const Plan *plan : {&move.before, &move.after})
    if (Error error = verifyPlan(*plan))
      return error;
  if (Error error = verifyEnds(move))
    return error;
  return verifyCrossing(move);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

int64_t MoveEvaluation::getMaxReceived() const {
  int64_t most = 0;
  for (auto [device, elements] : received)
    most = std::max(most, elements);
  return most;
}

int64_t MoveEvaluation::getMaxSent() const {
  int64_t most = 0;
  for (auto [device, elements] : sent)
    most = std::max(most, elements);
  return most;
}

namespace {

/// The slice of one device: for each place the number of the element that is in
/// it, -1 for none.
struct Slice {
  Box box;
  std::vector<int64_t> cells;
};

/// Does the transfers of a move on arrays.
class CrossingEvaluator {
public:
  explicit CrossingEvaluator(const Move &move) : move(move) {}

  Error run(MoveEvaluation &evaluation);

private:
  Error fill();
  Error apply(size_t number, const Transfer &transfer);
  Error check() const;
  /// Returns the box of \p rank after the crossing in coordinates of the
  /// source, where it may be in part outside of the tensor.
  Box getTargetBox(int64_t rank) const;
  /// Visits the indices of \p box in row-major order.
  template <typename Visit>
  static void visitIndices(const Box &box, Visit visit);
  static int64_t getPlace(const Box &box, ArrayRef<int64_t> index);

  const Move &move;
  std::map<int64_t, Slice> before, after;
};

} // namespace

template <typename Visit>
void CrossingEvaluator::visitIndices(const Box &box, Visit visit) {
  if (box.isEmpty())
    return;
  SmallVector<int64_t> index;
  for (Range range : box.getRanges())
    index.push_back(range.offset);
  for (bool more = true; more;) {
    visit(ArrayRef<int64_t>(index));
    more = false;
    for (unsigned dim = box.getTensorRank(); dim-- > 0 && !more;) {
      more = ++index[dim] < box[dim].getEnd();
      if (!more)
        index[dim] = box[dim].offset;
    }
  }
}

int64_t CrossingEvaluator::getPlace(const Box &box, ArrayRef<int64_t> index) {
  int64_t place = 0;
  for (auto [range, position] : llvm::zip_equal(box.getRanges(), index))
    place = place * range.size + (position - range.offset);
  return place;
}

Box CrossingEvaluator::getTargetBox(int64_t rank) const {
  Box box =
      getBox(move.after.mesh, move.after.from, move.after.globalShape, rank);
  SmallVector<Range, 4> ranges(box.getRanges());
  for (unsigned dim = 0; dim < move.question.offset.size(); ++dim)
    ranges[dim].offset += move.question.offset[dim];
  return Box(ranges);
}

/// Gives each device what it has, numbered by elements of the source, and in
/// its new slice what it keeps.
Error CrossingEvaluator::fill() {
  const Plan &plan = move.before;
  Box all = Box::ofShape(plan.globalShape);
  int64_t cells = 0;
  auto isTooMuch = [&](const Box &box) {
    cells = addCounts(cells, box.getNumElements());
    return cells > maxCells;
  };
  for (int64_t rank = 0; rank < plan.mesh.getNumRanks(); ++rank) {
    Slice slice{getBox(plan.mesh, plan.to, plan.globalShape, rank), {}};
    if (isTooMuch(slice.box))
      return makeError("move is of more than {0} elements on all devices",
                       maxCells);
    visitIndices(slice.box, [&](ArrayRef<int64_t> index) {
      slice.cells.push_back(getPlace(all, index));
    });
    before[plan.mesh.getDevice(rank)] = std::move(slice);
  }
  for (int64_t rank = 0; rank < move.after.mesh.getNumRanks(); ++rank) {
    Slice slice{getTargetBox(rank), {}};
    if (isTooMuch(slice.box))
      return makeError("move is of more than {0} elements on all devices",
                       maxCells);
    int64_t device = move.after.mesh.getDevice(rank);
    auto kept = before.find(device);
    visitIndices(slice.box, [&](ArrayRef<int64_t> index) {
      bool keeps = kept != before.end() && kept->second.box.contains(index);
      slice.cells.push_back(
          keeps ? kept->second.cells[getPlace(kept->second.box, index)] : -1);
    });
    after[device] = std::move(slice);
  }
  return Error::success();
}

Error CrossingEvaluator::apply(size_t number, const Transfer &transfer) {
  auto source = before.find(transfer.source);
  auto target = after.find(transfer.target);
  if (source == before.end() || !source->second.box.contains(transfer.box))
    return makeError("transfer {0}: device {1} does not have {2}", number,
                     transfer.source, toString(transfer.box));
  if (target == after.end() || !target->second.box.contains(transfer.box))
    return makeError("transfer {0}: device {1} has no place for {2}", number,
                     transfer.target, toString(transfer.box));
  bool overwrites = false;
  visitIndices(transfer.box, [&](ArrayRef<int64_t> index) {
    int64_t &cell = target->second.cells[getPlace(target->second.box, index)];
    overwrites |= cell != -1;
    cell = source->second.cells[getPlace(source->second.box, index)];
  });
  if (overwrites)
    return makeError("transfer {0}: device {1} already has some of {2}", number,
                     transfer.target, toString(transfer.box));
  return Error::success();
}

/// Checks that each place has its element, where the source has one.
Error CrossingEvaluator::check() const {
  Box all = Box::ofShape(move.before.globalShape);
  for (const auto &entry : after) {
    const Slice &slice = entry.second;
    size_t place = 0;
    std::string wrong;
    visitIndices(slice.box, [&](ArrayRef<int64_t> index) {
      int64_t expected = all.contains(index) ? getPlace(all, index) : -1;
      if (slice.cells[place++] != expected && wrong.empty())
        wrong = shapeToString(index);
    });
    if (!wrong.empty())
      return makeError("device {0} has not element {1} of the source after the "
                       "transfers",
                       entry.first, wrong);
  }
  return Error::success();
}

Error CrossingEvaluator::run(MoveEvaluation &evaluation) {
  if (Error error = fill())
    return error;
  for (auto [number, transfer] : llvm::enumerate(move.crossing.transfers)) {
    if (Error error = apply(number, transfer))
      return error;
    evaluation.sent[transfer.source] += transfer.box.getNumElements();
    evaluation.received[transfer.target] += transfer.box.getNumElements();
  }
  return check();
}

Expected<MoveEvaluation> redistribute::evaluateMove(const Move &move) {
  if (Error error = verifyEnds(move))
    return std::move(error);
  MoveEvaluation evaluation;
  for (const Plan *plan : {&move.before, &move.after}) {
    Expected<Evaluation> part = evaluatePlan(*plan);
    if (!part)
      return part.takeError();
    for (int64_t rank = 0; rank < plan->mesh.getNumRanks(); ++rank) {
      int64_t device = plan->mesh.getDevice(rank);
      evaluation.received[device] += part->received[rank];
      evaluation.sent[device] += part->sent[rank];
    }
  }
  if (meetsWithoutCrossing(move))
    return std::move(evaluation);
  for (const Layout *layout : {&move.before.to, &move.after.from})
    if (layout->isPartial())
      return makeError("crossing moves a tensor with partial axes");
  if (Error error = verifyListable(move.before.mesh, move.after.mesh))
    return std::move(error);
  if (Error error = CrossingEvaluator(move).run(evaluation))
    return std::move(error);
  return std::move(evaluation);
}
