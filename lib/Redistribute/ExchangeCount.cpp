// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sums over the peers of a rank, by factors of the mesh. A step's `owners` say
/// who supplies what; a member that holds the same blocks before supplies
/// nothing, as the receiver has it. docs/redistribution.md, "Costs".

#include "ExchangeCount.h"

#include "pctl/Layout/ReplicaGroups.h"
#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

int64_t redistribute::addCounts(int64_t a, int64_t b) {
  return checkedAdd(a, b).value_or(INT64_MAX);
}

int64_t redistribute::multiplyCounts(int64_t a, int64_t b) {
  return checkedMul(a, b).value_or(INT64_MAX);
}

int64_t redistribute::getSampleStride(int64_t count) {
  auto stride = static_cast<int64_t>(static_cast<double>(count) * 0.618034) | 1;
  while (std::gcd(stride, count) != 1)
    stride += 2;
  return stride;
}

int64_t redistribute::getRounds(int64_t stagedBytes, int64_t chunkBytes,
                                int64_t longest) {
  return std::clamp<int64_t>(
      ceilDiv(stagedBytes, std::max<int64_t>(chunkBytes, 1)), 1,
      std::max<int64_t>(longest, 1));
}

int64_t redistribute::getFirstPart(const Box &box, int64_t rounds) {
  int64_t elements = box.getNumElements();
  for (Range range : box.getRanges())
    if (range.size > 1)
      return elements / range.size * ceilDiv(range.size, rounds);
  return elements;
}

std::optional<SmallVector<std::pair<unsigned, int64_t>>>
redistribute::getUnitSplits(const cost::Cluster &cluster, const Mesh &mesh) {
  SmallVector<std::pair<unsigned, int64_t>> splits;
  for (const cost::Level &level : ArrayRef(cluster.levels).drop_back()) {
    if (level.numDevices >= mesh.getNumRanks())
      continue;
    bool found = false;
    for (unsigned axis = 0; axis < mesh.getNumAxes() && !found; ++axis) {
      AxisRef whole = mesh.getWholeAxis(axis);
      int64_t stride = mesh.getStride(whole);
      int64_t inside = level.numDevices / stride;
      found = level.numDevices % stride == 0 && inside <= whole.size &&
              whole.size % inside == 0;
      if (found)
        splits.push_back({axis, whole.size / inside});
    }
    if (!found)
      return std::nullopt;
  }
  return splits;
}

static Flow sumFlows(ArrayRef<Flow> flows) {
  Flow sum;
  for (const Flow &flow : flows)
    sum += flow;
  return sum;
}

Flow RankFlows::getAllSent() const { return sumFlows(sent); }
Flow RankFlows::getAllReceived() const { return sumFlows(received); }

ExchangeCounter::ExchangeCounter(const Mesh &mesh, ArrayRef<int64_t> shape,
                                 const Step &step, const cost::Cluster &cluster,
                                 int64_t maxPairs)
    : mesh(mesh), shape(shape), step(step), cluster(cluster),
      owners(step.owners ? *step.owners : step.from) {
  for (const cost::Level &level : cluster.levels)
    links.push_back(level.link);
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
    varying.push_back(mesh.getWholeAxis(axis));
  if (!step.transfers.empty()) {
    mode = Mode::Listed;
    for (const cost::AxisLink &axis : cluster.axes)
      links.push_back(axis.link);
    collectListed();
    return;
  }
  if (split(/*withUnits=*/true)) {
    mode = Mode::Factors;
    return;
  }
  std::optional<int64_t> pairs =
      checkedMul(mesh.getNumRanks(), getNumPositions(step.axes));
  if (pairs && *pairs <= maxPairs) {
    mode = Mode::Pairs;
    for (const cost::AxisLink &axis : cluster.axes)
      links.push_back(axis.link);
    return;
  }
  exact = false;
  if (split(/*withUnits=*/false))
    mode = Mode::Factors;
}

RankFlows ExchangeCounter::makeFlows() const {
  RankFlows flows;
  flows.sent.resize(links.size());
  flows.received.resize(links.size());
  return flows;
}

RankFlows ExchangeCounter::count(int64_t rank) const {
  switch (mode) {
  case Mode::Factors:
    return countByFactors(rank);
  case Mode::Pairs:
    return countByPairs(rank);
  case Mode::Listed:
    return listed[rank];
  case Mode::None:
    break;
  }
  return makeFlows();
}

//===----------------------------------------------------------------------===//
// Message by message
//===----------------------------------------------------------------------===//

/// Returns the place in getLinks of the link between two ranks: of the slowest
/// described axis along which they differ, else of their level.
unsigned ExchangeCounter::getLinkIndex(int64_t source, int64_t target) const {
  std::optional<unsigned> slowest;
  for (auto [index, described] : llvm::enumerate(cluster.axes)) {
    std::optional<unsigned> axis = mesh.findAxis(described.axis);
    if (!axis)
      continue;
    AxisRef whole = mesh.getWholeAxis(*axis);
    unsigned link = cluster.levels.size() + index;
    if (mesh.getCoordinate(source, whole) !=
            mesh.getCoordinate(target, whole) &&
        (!slowest || described.link.bandwidthBytesPerSec <
                         links[*slowest].bandwidthBytesPerSec))
      slowest = link;
  }
  return slowest ? *slowest
                 : getLevel(cluster, mesh.getDevice(source),
                            mesh.getDevice(target));
}

void ExchangeCounter::addMessage(int64_t source, int64_t target, const Box &box,
                                 RankFlows *sender, RankFlows *receiver) const {
  Flow flow{box.getNumElements(), 1, getFirstPart(box, step.rounds)};
  unsigned link = getLinkIndex(source, target);
  if (sender)
    sender->sent[link] += flow;
  if (!receiver)
    return;
  receiver->received[link] += flow;
  unsigned outermost = cluster.levels.size() - 1;
  if (outermost > 0 && getLevel(cluster, mesh.getDevice(source),
                                mesh.getDevice(target)) == outermost)
    receiver->fromOtherUnits =
        addCounts(receiver->fromOtherUnits, flow.elements);
}

void ExchangeCounter::collectListed() {
  listed.assign(mesh.getNumRanks(), makeFlows());
  for (const Transfer &transfer : step.transfers)
    addMessage(transfer.source, transfer.target, transfer.box,
               &listed[transfer.source], &listed[transfer.target]);
}

RankFlows ExchangeCounter::countByPairs(int64_t rank) const {
  RankFlows flows = makeFlows();
  ReplicaGroups groups(mesh, step.axes);
  Box held = getBox(mesh, step.from, shape, rank);
  Box owned = getBox(mesh, owners, shape, rank);
  Box wanted = getBox(mesh, step.to, shape, rank);
  for (int64_t member : groups.getMembers(rank)) {
    if (getBox(mesh, step.from, shape, member) == held)
      continue;
    if (auto box = intersect(owned, getBox(mesh, step.to, shape, member)))
      addMessage(rank, member, *box, &flows, nullptr);
    if (auto box = intersect(getBox(mesh, owners, shape, member), wanted))
      addMessage(member, rank, *box, nullptr, &flows);
  }
  return flows;
}

//===----------------------------------------------------------------------===//
// Factors of the mesh
//===----------------------------------------------------------------------===//

/// Adds where \p refs begin and end inside their axes to \p points.
static void addPoints(ArrayRef<AxisRef> refs,
                      std::vector<SmallVector<int64_t>> &points) {
  for (AxisRef ref : refs) {
    points[ref.axis].push_back(ref.preSize);
    points[ref.axis].push_back(ref.preSize * ref.size);
  }
}

/// Splits axes at \p points. Returns whether each point divides the next one.
bool ExchangeCounter::makeDigits(
    const std::vector<SmallVector<int64_t>> &points) {
  digits.clear();
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    SmallVector<int64_t> ends = points[axis];
    ends.push_back(1);
    ends.push_back(mesh.getAxes()[axis].size);
    llvm::sort(ends);
    for (size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] % ends[i - 1] != 0)
        return false;
      if (ends[i] == ends[i - 1])
        continue;
      Digit digit;
      digit.ref = {axis, ends[i - 1], ends[i] / ends[i - 1]};
      digit.stride = mesh.getStride(digit.ref);
      digit.inGroup = overlap(digit.ref, step.axes);
      for (const DimLayout &dim : step.from.dims)
        digit.inFrom |= overlap(digit.ref, dim.axes);
      if (links.size() > 1)
        digit.link = getGroupLevel(cluster, mesh, digit.ref);
      digits.push_back(digit);
    }
  }
  return true;
}

void ExchangeCounter::makeCuts(const Layout &layout, Cuts &cuts) {
  cuts.uses.assign(digits.size(), false);
  for (auto [dim, size] : llvm::zip_equal(layout.dims, shape)) {
    Cut &cut = cuts.dims.emplace_back();
    cut.globalSize = size;
    cut.blockSize = ceilDiv(size, getNumPositions(dim.axes));
    if (!dim.blockSizes.empty()) {
      cut.starts.push_back(0);
      for (int64_t block : dim.blockSizes)
        cut.starts.push_back(cut.starts.back() + block);
    }
    for (AxisRef ref : dim.axes)
      for (auto [index, digit] : llvm::enumerate(digits))
        if (digit.ref.overlaps(ref)) {
          cut.digits.push_back(index);
          cuts.uses[index] = true;
        }
  }
}

/// Splits the mesh into factors, with \p withUnits such that each is inside or
/// outside of units, else with one link for all. Returns whether it can be.
bool ExchangeCounter::split(bool withUnits) {
  if (withUnits && (!cluster.axes.empty() || (!mesh.getDeviceIds().empty() &&
                                              cluster.levels.size() > 1)))
    return false;
  if (!withUnits)
    links = {getGroupLink(cluster, mesh, step.axes)};
  std::vector<SmallVector<int64_t>> points(mesh.getNumAxes());
  addPoints(step.axes, points);
  for (const Layout *layout : {&step.from, &owners, &step.to})
    for (const DimLayout &dim : layout->dims)
      addPoints(dim.axes, points);
  if (withUnits) {
    auto units = getUnitSplits(cluster, mesh);
    if (!units)
      return false;
    for (auto [axis, point] : *units)
      points[axis].push_back(point);
  }
  if (!makeDigits(points))
    return false;
  makeCuts(owners, ownerCuts);
  makeCuts(step.to, targetCuts);
  AxisList used;
  for (auto [index, digit] : llvm::enumerate(digits)) {
    if (digit.inFrom || ownerCuts.uses[index] || targetCuts.uses[index])
      used.push_back(digit.ref);
  }
  varying = used;
  return true;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t ExchangeCounter::Cut::getStart(int64_t position) const {
  if (!starts.empty())
    return starts[position];
  // Blocks behind the end of the dim are empty, and there may be many of them.
  std::optional<int64_t> start = checkedMul(position, blockSize);
  return std::min(start.value_or(INT64_MAX), globalSize);
}

/// Returns the position of \p rank along the digits of \p cut.
int64_t ExchangeCounter::getPosition(int64_t rank, const Cut &cut) const {
  int64_t position = 0;
  for (unsigned index : cut.digits)
    position =
        position * digits[index].ref.size + getCoordinate(rank, digits[index]);
  return position;
}

/// Adds what the blocks [first, first + count) of \p cut have of \p range.
void ExchangeCounter::addBlocks(const Cut &cut, int64_t first, int64_t count,
                                Range range, DimSum &sum) const {
  auto add = [&](int64_t size, int64_t times) {
    if (size == 0 || times <= 0)
      return;
    sum.elements += size * times;
    sum.blocks += times;
    if (size == 1)
      sum.ones += times;
    else
      sum.parts += ceilDiv(size, step.rounds) * times;
  };
  int64_t begin = std::max(cut.getStart(first), range.offset);
  int64_t end = std::min(cut.getStart(first + count), range.getEnd());
  if (begin >= end)
    return;
  if (!cut.starts.empty()) {
    for (int64_t i = first; i < first + count; ++i)
      add(std::max<int64_t>(0, std::min(cut.getStart(i + 1), end) -
                                   std::max(cut.getStart(i), begin)),
          1);
    return;
  }
  // All blocks between the first and the last that meet the range lie in it.
  int64_t size = cut.blockSize;
  int64_t firstSize = size - begin % size;
  if (firstSize >= end - begin)
    return add(end - begin, 1);
  int64_t firstEnd = begin + firstSize;
  int64_t lastStart = (end - 1) / size * size;
  add(firstEnd - begin, 1);
  add(size, (lastStart - firstEnd) / size);
  add(end - lastStart, 1);
}

template <typename IsFree>
ExchangeCounter::DimSum ExchangeCounter::sumDim(int64_t rank, Range range,
                                                const Cut &cut,
                                                IsFree isFree) const {
  // Free digits at the minor end make runs of blocks; the others are counted
  // through.
  ArrayRef<unsigned> major = cut.digits;
  int64_t run = 1;
  for (; !major.empty() && isFree(digits[major.back()]);
       major = major.drop_back())
    run *= digits[major.back()].ref.size;
  int64_t base = 0, numRuns = 1;
  SmallVector<std::pair<int64_t, int64_t>, 4> counted; // size, weight
  int64_t weight = run;
  for (unsigned index : llvm::reverse(major)) {
    const Digit &digit = digits[index];
    if (isFree(digit)) {
      counted.push_back({digit.ref.size, weight});
      numRuns *= digit.ref.size;
    } else {
      base += getCoordinate(rank, digit) * weight;
    }
    weight *= digit.ref.size;
  }
  DimSum sum;
  for (int64_t i = 0; i < numRuns; ++i) {
    int64_t first = base, left = i;
    for (auto [size, digitWeight] : counted) {
      first += left % size * digitWeight;
      left /= size;
    }
    addBlocks(cut, first, run, range, sum);
  }
  return sum;
}

template <typename IsFree>
Flow ExchangeCounter::sumFactors(int64_t rank, const Cuts &own,
                                 const Cuts &others, IsFree isFree) const {
  // From the last dim to the first: the messages that have one element in all
  // dims before are cut along the next one.
  Flow flow{1, 1, 1};
  for (unsigned dim = own.dims.size(); dim-- > 0;) {
    int64_t position = getPosition(rank, own.dims[dim]);
    int64_t start = own.dims[dim].getStart(position);
    Range range{start, own.dims[dim].getStart(position + 1) - start};
    DimSum sum = sumDim(rank, range, others.dims[dim], isFree);
    flow.roundElements =
        addCounts(multiplyCounts(sum.parts, flow.elements),
                  multiplyCounts(sum.ones, flow.roundElements));
    flow.elements = multiplyCounts(flow.elements, sum.elements);
    flow.peers = multiplyCounts(flow.peers, sum.blocks);
  }
  int64_t copies = 1;
  for (auto [index, digit] : llvm::enumerate(digits))
    if (isFree(digit) && !others.uses[index])
      copies *= digit.ref.size;
  return {multiplyCounts(flow.elements, copies),
          multiplyCounts(flow.peers, copies),
          multiplyCounts(flow.roundElements, copies)};
}

/// What is over link i goes to those inside the unit of link i, without those
/// inside the one before, and without those that hold the same before.
RankFlows ExchangeCounter::countByFactors(int64_t rank) const {
  RankFlows flows = makeFlows();
  auto sumInside = [&](unsigned link, const Cuts &own,
                       const Cuts &others) -> Flow {
    Flow all = sumFactors(rank, own, others, [&](const Digit &digit) {
      return digit.inGroup && digit.link <= link;
    });
    Flow alike = sumFactors(rank, own, others, [&](const Digit &digit) {
      return digit.inGroup && digit.link <= link && !digit.inFrom;
    });
    return {all.elements - alike.elements, all.peers - alike.peers,
            all.roundElements - alike.roundElements};
  };
  auto fill = [&](SmallVectorImpl<Flow> &result, const Cuts &own,
                  const Cuts &others) {
    Flow before;
    for (unsigned link = 0; link < links.size(); ++link) {
      Flow inside = sumInside(link, own, others);
      result[link] = {inside.elements - before.elements,
                      inside.peers - before.peers,
                      inside.roundElements - before.roundElements};
      before = inside;
    }
  };
  fill(flows.sent, ownerCuts, targetCuts);
  fill(flows.received, targetCuts, ownerCuts);
  if (links.size() > 1)
    flows.fromOtherUnits = flows.received.back().elements;
  return flows;
}
