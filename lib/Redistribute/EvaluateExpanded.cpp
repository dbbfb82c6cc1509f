// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Lists of transfers done on global arrays of symbols. Layouts say here only
/// what each device has at the start and what it must have at the end.

#include "Symbols.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Expand.h"
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

/// The devices of a mesh, each with a number of Terms, or none, for every
/// element of the global tensor.
class Devices {
public:
  Devices(const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from);

  Error run(const ExpandedStep &step);
  Error check(const Layout &to);
  Evaluation takeEvaluation() &&;

private:
  static constexpr unsigned notHeld = UINT_MAX;
  /// What a receiver got in a step: nothing, what it added, what it stored.
  enum class Arrival : char { None, Added, Stored };
  /// A value on its way to an element of a rank.
  struct Message {
    int64_t rank;
    int64_t element;
    unsigned terms;
    bool isAdded;
  };

  Expected<int64_t> getRank(int64_t device);
  Error send(const ExpandedTransfer &transfer, std::vector<Message> &messages);
  Error receive(const Message &message, Arrival &arrival);
  unsigned &getCell(int64_t rank, int64_t element) {
    return cells[rank * numElements + element];
  }

  const Mesh &mesh;
  ArrayRef<int64_t> shape;
  const int64_t numElements;
  const SmallVector<AxisRef> partialAxes;
  std::map<int64_t, int64_t> ranks;
  TermTable terms;
  std::vector<unsigned> cells;
  std::vector<Arrival> arrivals;
  Evaluation evaluation;
};

} // namespace

Devices::Devices(const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from)
    : mesh(mesh), shape(shape),
      numElements(Box::ofShape(shape).getNumElements()),
      partialAxes(from.getPartialAxes()),
      cells(mesh.getNumRanks() * numElements, notHeld), arrivals(cells.size()) {
  evaluation.sent.assign(mesh.getNumRanks(), 0);
  evaluation.received.assign(mesh.getNumRanks(), 0);
  for (auto [rank, device] : llvm::enumerate(mesh.getDeviceIds()))
    ranks[device] = rank;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    unsigned own = terms.getId(getOwnTerms(mesh, partialAxes, rank));
    for (int64_t element : getNumbers(getBox(mesh, from, shape, rank), shape))
      getCell(rank, element) = own;
  }
}

Expected<int64_t> Devices::getRank(int64_t device) {
  if (mesh.getDeviceIds().empty()) {
    if (device >= 0 && device < mesh.getNumRanks())
      return device;
  } else if (auto found = ranks.find(device); found != ranks.end()) {
    return found->second;
  }
  return makeError("device {0} is none of the mesh", device);
}

/// Reads what \p transfer sends.
Error Devices::send(const ExpandedTransfer &transfer,
                    std::vector<Message> &messages) {
  Expected<int64_t> source = getRank(transfer.from);
  if (!source)
    return source.takeError();
  Expected<int64_t> target = getRank(transfer.to);
  if (!target)
    return target.takeError();
  if (*source == *target)
    return makeError("the device sends to itself");
  if (transfer.box.getRank() != shape.size() || transfer.box.isEmpty() ||
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
  unsigned &cell = getCell(message.rank, message.element);
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

Error Devices::run(const ExpandedStep &step) {
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
      Arrival &arrival = arrivals[message.rank * numElements + message.element];
      if (Error error = receive(message, arrival))
        return locate(transfer, std::move(error));
    }
  return Error::success();
}

Error Devices::check(const Layout &to) {
  if (Error error = verifyPartialAtStart(mesh, partialAxes, to))
    return error;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    unsigned right = terms.getId(getRightTerms(mesh, partialAxes, to, rank));
    for (int64_t element : getNumbers(getBox(mesh, to, shape, rank), shape)) {
      unsigned cell = getCell(rank, element);
      if (cell == notHeld)
        return makeError("rank {0} lacks element {1}", rank,
                         printIndex(element, shape));
      if (cell != right)
        return makeError("element {0} on rank {1} has the contributions of its "
                         "positions {2} times, {3} is right",
                         printIndex(element, shape), rank,
                         printList(terms.get(cell), ","),
                         printList(terms.get(right), ","));
    }
  }
  return Error::success();
}

Evaluation Devices::takeEvaluation() && {
  Traffic &traffic = evaluation.traffic;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    traffic.maxReceived =
        std::max(traffic.maxReceived, evaluation.received[rank]);
    traffic.maxSent = std::max(traffic.maxSent, evaluation.sent[rank]);
    traffic.totalReceived += evaluation.received[rank];
    int64_t held = 0;
    for (int64_t element = 0; element < numElements; ++element)
      held += getCell(rank, element) != notHeld;
    traffic.maxHeld = std::max(traffic.maxHeld, held);
  }
  return std::move(evaluation);
}

Expected<Evaluation>
redistribute::evaluateExpanded(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                               const Layout &from, const Layout &to,
                               ArrayRef<ExpandedStep> steps) {
  if (Error error = checkQuestion(mesh, globalShape, from, to))
    return std::move(error);
  if (Error error = checkCount(mesh, Box::ofShape(globalShape).getNumElements(),
                               "elements"))
    return std::move(error);
  Devices devices(mesh, globalShape, from);
  for (auto [index, step] : llvm::enumerate(steps))
    if (Error error = devices.run(step))
      return makeError("step {0} ({1}): {2}", index + 1, step.op,
                       llvm::toString(std::move(error)));
  if (Error error = devices.check(to))
    return makeError("after the last step, {0}",
                     llvm::toString(std::move(error)));
  return std::move(devices).takeEvaluation();
}
