// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Lists of transfers done on global arrays of symbols. Layouts say here only
/// what each device has at the start and what it must have at the end.

#include "Crossing.h"
#include "Symbols.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/ExpandMove.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <climits>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;

namespace {

/// What one device has at the start and must have at the end, in coordinates of
/// the tensor.
struct Ends {
  int64_t device = 0;
  /// What messages call it.
  std::string name;
  std::optional<Box> held, wanted;
  /// What elements of these are made of.
  Terms heldTerms, wantedTerms;
};

/// Devices, each with a number of Terms, or none, for every element of the
/// global tensor.
class Devices {
public:
  Devices(ArrayRef<int64_t> shape, ArrayRef<Ends> ends);

  Error run(ArrayRef<ExpandedStep> steps);
  Evaluation takeEvaluation() &&;

private:
  static constexpr unsigned notHeld = UINT_MAX;
  /// What a receiver got in a step: nothing, what it added, what it stored.
  enum class Arrival : char { None, Added, Stored };
  /// A value on its way to an element of a device.
  struct Message {
    size_t place;
    int64_t element;
    unsigned terms;
    bool isAdded;
  };

  Error runStep(const ExpandedStep &step);
  Error check();
  Expected<size_t> getPlace(int64_t device);
  Error send(const ExpandedTransfer &transfer, std::vector<Message> &messages);
  Error receive(const Message &message, Arrival &arrival);
  unsigned &getCell(size_t place, int64_t element) {
    return cells[place * numElements + element];
  }

  const ArrayRef<int64_t> shape;
  const ArrayRef<Ends> ends;
  const int64_t numElements;
  /// Where each device is in \ref ends.
  DeviceMap<size_t> places;
  TermTable terms;
  std::vector<unsigned> cells;
  std::vector<Arrival> arrivals;
  Evaluation evaluation;
};

} // namespace

Devices::Devices(ArrayRef<int64_t> shape, ArrayRef<Ends> ends)
    : shape(shape), ends(ends),
      numElements(Box::ofShape(shape).getNumElements()),
      cells(ends.size() * numElements, notHeld), arrivals(cells.size()) {
  evaluation.sent.assign(ends.size(), 0);
  evaluation.received.assign(ends.size(), 0);
  for (auto [place, end] : llvm::enumerate(ends)) {
    places[end.device] = place;
    if (!end.held)
      continue;
    unsigned own = terms.getId(end.heldTerms);
    for (int64_t element : getNumbers(*end.held, shape))
      getCell(place, element) = own;
  }
}

Expected<size_t> Devices::getPlace(int64_t device) {
  if (auto found = places.find(device); found != places.end())
    return found->second;
  return makeError("device {0} is none of the mesh", device);
}

/// Reads what \p transfer sends.
Error Devices::send(const ExpandedTransfer &transfer,
                    std::vector<Message> &messages) {
  Expected<size_t> source = getPlace(transfer.from);
  if (!source)
    return source.takeError();
  Expected<size_t> target = getPlace(transfer.to);
  if (!target)
    return target.takeError();
  if (*source == *target)
    return makeError("the device sends to itself");
  if (transfer.box.getTensorRank() != shape.size() || transfer.box.isEmpty() ||
      !Box::ofShape(shape).contains(transfer.box))
    return makeError("{0} is no box of the tensor with elements in it",
                     toString(transfer.box));
  for (int64_t element : getNumbers(transfer.box, shape)) {
    unsigned held = getCell(*source, element);
    if (held == notHeld)
      return makeError("the sender does not hold element {0}",
                       printIndex(element, shape));
    messages.push_back({*target, element, held, transfer.reduce.has_value()});
  }
  evaluation.sent[*source] += transfer.box.getNumElements();
  evaluation.received[*target] += transfer.box.getNumElements();
  return Error::success();
}

Error Devices::receive(const Message &message, Arrival &arrival) {
  unsigned &cell = getCell(message.place, message.element);
  auto print = [&] { return printIndex(message.element, shape); };
  if (arrival == Arrival::Stored ||
      (arrival == Arrival::Added && !message.isAdded))
    return makeError("the receiver gets element {0} twice", print());
  if (!message.isAdded) {
    arrival = Arrival::Stored;
    cell = message.terms;
    return Error::success();
  }
  if (cell == notHeld)
    return makeError("the receiver adds to element {0}, which it does not hold",
                     print());
  arrival = Arrival::Added;
  cell = terms.getSum(cell, message.terms);
  return Error::success();
}

Error Devices::runStep(const ExpandedStep &step) {
  std::vector<Message> messages;
  std::vector<size_t> ends;
  auto locate = [&](const ExpandedTransfer &transfer, Error error) {
    return makeError("transfer {0} -> {1}: {2}", transfer.from, transfer.to,
                     llvm::toString(std::move(error)));
  };
  for (const ExpandedTransfer &transfer : step.transfers) {
    if (Error error = send(transfer, messages))
      return locate(transfer, std::move(error));
    ends.push_back(messages.size());
    if (messages.size() > static_cast<size_t>(maxCells))
      return makeError("more than {0} elements in one step are too many to "
                       "evaluate",
                       maxCells);
  }
  llvm::fill(arrivals, Arrival::None);
  size_t next = 0;
  for (auto [transfer, end] : llvm::zip_equal(step.transfers, ends))
    for (; next < end; ++next) {
      const Message &message = messages[next];
      Arrival &arrival =
          arrivals[message.place * numElements + message.element];
      if (Error error = receive(message, arrival))
        return locate(transfer, std::move(error));
    }
  return Error::success();
}

Error Devices::check() {
  for (auto [place, end] : llvm::enumerate(ends)) {
    if (!end.wanted)
      continue;
    unsigned right = terms.getId(end.wantedTerms);
    for (int64_t element : getNumbers(*end.wanted, shape)) {
      unsigned cell = getCell(place, element);
      if (cell == notHeld)
        return makeError("{0} lacks element {1}", end.name,
                         printIndex(element, shape));
      if (cell != right)
        return makeError("element {0} on {1} has the contributions of its "
                         "positions {2} times, {3} is right",
                         printIndex(element, shape), end.name,
                         printList(terms.get(cell), ","),
                         printList(terms.get(right), ","));
    }
  }
  return Error::success();
}

Error Devices::run(ArrayRef<ExpandedStep> steps) {
  for (auto [index, step] : llvm::enumerate(steps))
    if (Error error = runStep(step))
      return makeError("step {0} ({1}): {2}", index + 1, step.op,
                       llvm::toString(std::move(error)));
  if (Error error = check())
    return makeError("after the last step, {0}",
                     llvm::toString(std::move(error)));
  return Error::success();
}

Evaluation Devices::takeEvaluation() && {
  Traffic &traffic = evaluation.traffic;
  for (size_t place = 0; place < ends.size(); ++place) {
    traffic.maxReceived =
        std::max(traffic.maxReceived, evaluation.received[place]);
    traffic.maxSent = std::max(traffic.maxSent, evaluation.sent[place]);
    traffic.totalReceived += evaluation.received[place];
    int64_t held = 0;
    for (int64_t element = 0; element < numElements; ++element)
      held += getCell(place, element) != notHeld;
    traffic.maxHeld = std::max(traffic.maxHeld, held);
  }
  return std::move(evaluation);
}

//===----------------------------------------------------------------------===//
// One mesh
//===----------------------------------------------------------------------===//

Expected<Evaluation>
redistribute::evaluateExpanded(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                               const Layout &from, const Layout &to,
                               ArrayRef<ExpandedStep> steps) {
  if (Error error = checkQuestion(mesh, globalShape, from, to))
    return std::move(error);
  if (Error error = checkCount(mesh, Box::ofShape(globalShape).getNumElements(),
                               "elements"))
    return std::move(error);
  static constexpr int64_t maxRanks = 1 << 20;
  if (mesh.getNumRanks() > maxRanks)
    return makeError("{0} ranks are too many to evaluate transfers of, at most "
                     "{1} can be",
                     mesh.getNumRanks(), maxRanks);
  SmallVector<AxisRef> partialAxes = from.getPartialAxes();
  if (Error error = verifyPartialAtStart(mesh, partialAxes, to))
    return makeError("after the last step, {0}",
                     llvm::toString(std::move(error)));
  std::vector<Ends> ends;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
    ends.push_back({mesh.getDevice(rank), "rank " + std::to_string(rank),
                    getBox(mesh, from, globalShape, rank),
                    getBox(mesh, to, globalShape, rank),
                    getOwnTerms(mesh, partialAxes, rank),
                    getRightTerms(mesh, partialAxes, to, rank)});
  Devices devices(globalShape, ends);
  if (Error error = devices.run(steps))
    return std::move(error);
  return std::move(devices).takeEvaluation();
}

//===----------------------------------------------------------------------===//
// Two meshes
//===----------------------------------------------------------------------===//

/// Returns what each device has of the source and wants of the target, which
/// has no partial axes.
static std::vector<Ends> listEnds(const MoveQuestion &question) {
  const auto &[from, to, offset] = question;
  SmallVector<AxisRef> partialAxes = from.layout.getPartialAxes();
  std::vector<Ends> ends;
  DeviceMap<size_t> places;
  auto at = [&](int64_t device) -> Ends & {
    auto [place, isNew] = places.try_emplace(device, ends.size());
    if (isNew) {
      ends.emplace_back().device = device;
      ends.back().name = "device " + std::to_string(device);
    }
    return ends[place->second];
  };
  for (int64_t rank = 0; rank < from.mesh.getNumRanks(); ++rank) {
    Ends &end = at(from.mesh.getDevice(rank));
    end.held = getBox(from.mesh, from.layout, from.globalShape, rank);
    end.heldTerms = getOwnTerms(from.mesh, partialAxes, rank);
  }
  Box tensor = Box::ofShape(from.globalShape);
  for (int64_t rank = 0; rank < to.mesh.getNumRanks(); ++rank) {
    Ends &end = at(to.mesh.getDevice(rank));
    SmallVector<Range, 4> ranges(
        getBox(to.mesh, to.layout, to.globalShape, rank).getRanges());
    for (auto [range, start] : llvm::zip(ranges, offset))
      range.offset += start;
    end.wanted = intersect(Box(ranges), tensor);
    end.wantedTerms = Terms(getNumPositions(partialAxes), 1);
  }
  return ends;
}

Expected<MoveEvaluation>
redistribute::evaluateExpanded(const MoveQuestion &question,
                               ArrayRef<ExpandedStep> steps) {
  if (Error error = verifyQuestion(question))
    return std::move(error);
  MoveEvaluation counts;
  auto count = [&](int64_t device, const Evaluation &evaluation, size_t place) {
    counts.received[device] = evaluation.received[place];
    counts.sent[device] = evaluation.sent[place];
  };
  if (std::optional<CommonQuestion> common = getCommonQuestion(question)) {
    const auto &[mesh, from, to] = *common;
    Expected<Evaluation> evaluation =
        evaluateExpanded(mesh, question.from.globalShape, from, to, steps);
    if (!evaluation)
      return evaluation.takeError();
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
      count(mesh.getDevice(rank), *evaluation, rank);
    return counts;
  }
  const Placement &from = question.from, &to = question.to;
  if (to.layout.isPartial())
    return makeError("target of the move has partial axes, which need a mesh "
                     "of common factors");
  if (Error error = verifyListable(from.mesh, to.mesh))
    return std::move(error);
  for (const Mesh *mesh : {&from.mesh, &to.mesh})
    for (auto [number, what] :
         {std::pair(Box::ofShape(from.globalShape).getNumElements(),
                    "elements"),
          std::pair(getNumPositions(from.layout.getPartialAxes()),
                    "counts of contributions")})
      if (Error error = checkCount(*mesh, number, what))
        return std::move(error);
  std::vector<Ends> ends = listEnds(question);
  Devices devices(from.globalShape, ends);
  if (Error error = devices.run(steps))
    return std::move(error);
  Evaluation evaluation = std::move(devices).takeEvaluation();
  for (auto [place, end] : llvm::enumerate(ends))
    count(end.device, evaluation, place);
  return counts;
}
