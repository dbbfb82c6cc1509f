// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Bytes and times of steps and plans. docs/redistribution.md, "Costs".

#include "pctl/Redistribute/PlanCost.h"

#include "CollectiveCount.h"
#include "ExchangeCount.h"

#include "pctl/Layout/ReplicaGroups.h"
#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

namespace {

/// Whether what an exchange takes out of slices, and puts into them, is no run
/// of memory. Then it goes through staging memory.
struct Gaps {
  bool inSent = false, inReceived = false;
};

/// What costs of one step are made of.
class StepCoster {
public:
  StepCoster(const Mesh &mesh, ArrayRef<int64_t> shape, const Step &step,
             const Cluster &cluster, int64_t elementBytes, int64_t chunkBytes)
      : mesh(mesh), shape(shape), step(step), cluster(cluster),
        elementBytes(elementBytes), chunkBytes(chunkBytes),
        groupSize(getNumPositions(step.axes)),
        mostFrom(getMaxLocalElements(step.from, shape)),
        mostTo(getMaxLocalElements(step.to, shape)) {}

  StepCost compute(int64_t maxRanks);

private:
  void setCollective(Collective kind);
  void setExchange(int64_t maxRanks);
  void setUncounted();
  bool hasGapsBefore(const Layout &layout, unsigned dim) const;
  int64_t getPacked() const;
  int64_t getStaged() const;
  bool isWhole(unsigned dim) const;
  Gaps getGaps() const;
  int64_t toBytes(int64_t elements) const {
    return multiplyCounts(elements, elementBytes);
  }

  const Mesh &mesh;
  const ArrayRef<int64_t> shape;
  const Step &step;
  const Cluster &cluster;
  const int64_t elementBytes, chunkBytes, groupSize, mostFrom, mostTo;
  StepCost cost;
  Duration time;
};

} // namespace

void redistribute::setTime(StepCost &cost, Duration links,
                           const Cluster &cluster) {
  cost.latencySec = links.latencySec;
  // What is packed is read and written.
  cost.packSec = 2 * static_cast<double>(cost.packBytes) /
                 cluster.memoryBandwidthBytesPerSec;
  cost.timeSec = links.getSec() + cost.packSec;
}

/// Sets what a collective costs.
void StepCoster::setCollective(Collective kind) {
  cost.receivedBytes = cost.sentBytes =
      toBytes(getMostReceived(step, mostFrom, mostTo));
  cost.packBytes = toBytes(getPacked());
  cost.stagingBytes = getStaged();
  int64_t input = kind == Collective::Broadcast ? mostTo : mostFrom;
  time = getCollectiveTime(kind, groupSize, static_cast<double>(toBytes(input)),
                           getGroupLink(cluster, mesh, step.axes),
                           cluster.baseSec);
}

/// Returns whether a slice along \p dim of a slice may be several runs of
/// memory: some dim before has not one element on every rank.
bool StepCoster::hasGapsBefore(const Layout &layout, unsigned dim) const {
  for (unsigned before = 0; before < dim; ++before)
    if (getEvenBlockSize(layout.dims[before], shape[before]) != 1)
      return true;
  return false;
}

/// Returns how many bytes a collective that packs stages. Dims before all that
/// it cuts and joins are rows, which it does a chunk, or else one, at a time,
/// where all ranks have the same.
int64_t StepCoster::getStaged() const {
  unsigned first = step.kind == StepKind::AllToAll
                       ? std::min(step.dim, step.concatDim)
                       : step.dim;
  int64_t rows = 1;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    auto size = getEvenBlockSize(step.from.dims[dim], shape[dim]);
    if (!size || !getEvenBlockSize(step.to.dims[dim], shape[dim]))
      return cost.packBytes;
    if (dim < first)
      rows = multiplyCounts(rows, std::max<int64_t>(*size, 1));
  }
  return std::min(cost.packBytes,
                  std::max(chunkBytes, ceilDiv(cost.packBytes, rows)));
}

/// Returns how many elements a rank packs and unpacks in a collective.
int64_t StepCoster::getPacked() const {
  int64_t packed = 0;
  bool splits =
      step.kind == StepKind::AllToAll || step.kind == StepKind::ReduceScatter;
  if (splits && hasGapsBefore(step.from, step.dim))
    packed = mostFrom;
  unsigned joined = step.kind == StepKind::AllToAll ? step.concatDim : step.dim;
  bool joins =
      step.kind == StepKind::AllToAll || step.kind == StepKind::AllGather;
  if (joins && hasGapsBefore(step.to, joined))
    packed = addCounts(packed, mostTo);
  return packed;
}

/// Returns whether each message of an exchange has of \p dim all that its ends
/// hold.
bool StepCoster::isWhole(unsigned dim) const {
  const DimLayout &from = step.from.dims[dim];
  auto isAlike = [&](const Layout &other) {
    return other.dims[dim].axes == from.axes &&
           other.dims[dim].blockSizes == from.blockSizes;
  };
  if (!isAlike(step.to) || (step.owners && !isAlike(*step.owners)))
    return false;
  if (step.transfers.empty())
    return !overlap(from.axes, step.axes);
  // Offsets of what is listed are those of uncut dims.
  return getNumPositions(from.axes) == 1 &&
         llvm::all_of(step.transfers, [&](const Transfer &transfer) {
           return transfer.box[dim].size == shape[dim];
         });
}

/// Dims at the minor end that are whole are one with the last that is not.
Gaps StepCoster::getGaps() const {
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (!isWhole(dim))
      return {hasGapsBefore(step.from, dim), hasGapsBefore(step.to, dim)};
  return {};
}

/// Sets bounds for an exchange that cannot be counted.
void StepCoster::setUncounted() {
  cost.exact = false;
  int64_t sent = multiplyCounts(mostFrom, groupSize - 1);
  cost.receivedBytes = toBytes(mostTo);
  cost.sentBytes = toBytes(sent);
  Gaps gaps = getGaps();
  cost.packBytes = cost.stagingBytes =
      addCounts(gaps.inSent ? cost.sentBytes : 0,
                gaps.inReceived ? cost.receivedBytes : 0);
  Link link = getGroupLink(cluster, mesh, step.axes);
  time.latencySec = cluster.baseSec + static_cast<double>(step.rounds) *
                                          (groupSize - 1) * link.latencySec;
  time.transferSec =
      link.getTransferSec(static_cast<double>(toBytes(std::max(mostTo, sent))));
}

void StepCoster::setExchange(int64_t maxRanks) {
  ExchangeCounter counter(mesh, shape, step, cluster,
                          multiplyCounts(maxRanks, pairsPerRank));
  if (!counter.canCount())
    return setUncounted();
  const AxisList &varying = counter.getVaryingAxes();
  int64_t positions = getNumPositions(varying);
  int64_t counted = std::min(positions, maxRanks);
  cost.exact = counter.isExact() && counted == positions;
  int64_t stride = counted == positions ? 1 : getSampleStride(positions);

  Gaps gaps = getGaps();
  ArrayRef<Link> links = counter.getLinks();
  SmallVector<int64_t, 2> busiest(links.size(), 0);
  int64_t received = 0, sent = 0, staged = 0;
  double latency = 0;
  for (int64_t i = 0, position = 0; i < counted; ++i) {
    RankFlows flows = counter.count(mesh.withCoordinate(0, varying, position));
    position = (position + stride) % positions;
    double latencySent = 0, latencyReceived = 0;
    for (auto [index, link] : llvm::enumerate(links)) {
      const Flow &out = flows.sent[index], &in = flows.received[index];
      latencySent += link.latencySec * static_cast<double>(out.peers);
      latencyReceived += link.latencySec * static_cast<double>(in.peers);
      busiest[index] = std::max({busiest[index], out.elements, in.elements});
    }
    Flow out = flows.getAllSent(), in = flows.getAllReceived();
    latency = std::max({latency, latencySent, latencyReceived});
    received = std::max(received, in.elements);
    sent = std::max(sent, out.elements);
    staged = std::max(staged, addCounts(gaps.inReceived ? in.roundElements : 0,
                                        gaps.inSent ? out.roundElements : 0));
  }
  if (received == 0 && sent == 0)
    return;
  cost.receivedBytes = toBytes(received);
  cost.sentBytes = toBytes(sent);
  cost.packBytes = addCounts(gaps.inSent ? cost.sentBytes : 0,
                             gaps.inReceived ? cost.receivedBytes : 0);
  cost.stagingBytes = toBytes(staged);
  for (auto [elements, link] : llvm::zip_equal(busiest, links))
    time.transferSec =
        std::max(time.transferSec,
                 link.getTransferSec(static_cast<double>(toBytes(elements))));
  time.latencySec =
      cluster.baseSec + static_cast<double>(step.rounds) * latency;
}

StepCost StepCoster::compute(int64_t maxRanks) {
  switch (step.kind) {
  case StepKind::Slice:
    break;
  case StepKind::AllGather:
    setCollective(Collective::AllGather);
    break;
  case StepKind::AllToAll:
    setCollective(Collective::AllToAll);
    break;
  case StepKind::ReduceScatter:
    setCollective(Collective::ReduceScatter);
    break;
  case StepKind::AllReduce:
    if (groupSize > 1)
      setCollective(Collective::AllReduce);
    break;
  case StepKind::Permute:
    if (llvm::any_of(step.pairs,
                     [](auto pair) { return pair.first != pair.second; }))
      setCollective(Collective::Permute);
    break;
  case StepKind::Broadcast:
    if (groupSize > 1)
      setCollective(Collective::Broadcast);
    break;
  case StepKind::Exchange:
    setExchange(maxRanks);
    break;
  }
  setTime(cost, time, cluster);
  cost.liveBytes =
      addCounts(toBytes(std::max(mostFrom, mostTo)), cost.stagingBytes);
  cost.exact &= cost.liveBytes != INT64_MAX && cost.receivedBytes != INT64_MAX;
  return cost;
}

StepCost redistribute::getStepCost(const Mesh &mesh,
                                   ArrayRef<int64_t> globalShape,
                                   const Step &step, const Cluster &cluster,
                                   int64_t elementBytes, int64_t chunkBytes,
                                   int64_t maxRanks) {
  bool known = !llvm::is_contained(globalShape, kDynamic);
  SmallVector<int64_t> counted;
  if (!known)
    counted = getCountedShape(globalShape);
  StepCost cost = StepCoster(mesh, known ? globalShape : ArrayRef(counted),
                             step, cluster, elementBytes, chunkBytes)
                      .compute(maxRanks);
  cost.exact &= known;
  return cost;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// Adds up what each rank and each unit of a mesh receives and sends.
class PlanCounter {
public:
  PlanCounter(const Mesh &mesh, ArrayRef<int64_t> shape, const Cluster &cluster)
      : mesh(mesh), shape(shape), cluster(cluster),
        received(mesh.getNumRanks(), 0), sent(mesh.getNumRanks(), 0) {}

  /// Returns whether all of it was counted.
  bool add(const Step &step);
  /// Sets the totals of \p cost, in elements times \p elementBytes.
  void fill(PlanCost &cost, int64_t elementBytes) const;

private:
  bool addExchange(const Step &step);
  void addGroup(const Step &step, ArrayRef<int64_t> members);
  void addToUnits(const Step &step, ArrayRef<int64_t> members);
  int64_t getElements(const Layout &layout, int64_t rank) const {
    return getBox(mesh, layout, shape, rank).getNumElements();
  }
  /// Returns the unit of the level inside the outermost that has \p rank.
  int64_t getUnit(int64_t rank) const {
    return cluster.getUnit(mesh.getDevice(rank));
  }
  bool hasUnits() const { return cluster.getUnitLevel(); }
  void moveIntoUnit(int64_t unit, int64_t elements) {
    int64_t &total = unitReceived[unit];
    total = addCounts(total, elements);
  }

  const Mesh &mesh;
  const ArrayRef<int64_t> shape;
  const Cluster &cluster;
  std::vector<int64_t> received, sent;
  llvm::MapVector<int64_t, int64_t> unitReceived;
};

} // namespace

bool PlanCounter::addExchange(const Step &step) {
  int64_t numRanks = mesh.getNumRanks();
  ExchangeCounter counter(mesh, shape, step, cluster, numRanks * pairsPerRank);
  if (!counter.canCount())
    return false;
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    RankFlows flows = counter.count(rank);
    received[rank] = addCounts(received[rank], flows.getAllReceived().elements);
    sent[rank] = addCounts(sent[rank], flows.getAllSent().elements);
    if (hasUnits())
      moveIntoUnit(getUnit(rank), flows.fromOtherUnits);
  }
  return counter.isExact();
}

/// Adds what the members of one group of a collective send and receive.
void PlanCounter::addGroup(const Step &step, ArrayRef<int64_t> members) {
  for (auto [position, rank] : llvm::enumerate(members)) {
    Moved moved = getMoved(step, position, getElements(step.from, rank),
                           getElements(step.to, rank));
    received[rank] = addCounts(received[rank], moved.received);
    sent[rank] = addCounts(sent[rank], moved.sent);
  }
}

/// Adds what comes into units in one group of a collective.
void PlanCounter::addToUnits(const Step &step, ArrayRef<int64_t> members) {
  struct Inside {
    int64_t members = 0;
    int64_t elements = 0;
  };
  llvm::MapVector<int64_t, Inside> units;
  int64_t size = members.size(), all = 0;
  for (int64_t rank : members) {
    Inside &inside = units[getUnit(rank)];
    int64_t elements = getElements(step.from, rank);
    ++inside.members;
    inside.elements = addCounts(inside.elements, elements);
    all = addCounts(all, elements);
  }
  if (units.size() == 1)
    return;
  int64_t slice = getElements(step.from, members.front());
  int64_t after = getElements(step.to, members.front());
  for (auto [unit, inside] : units) {
    switch (step.kind) {
    case StepKind::AllGather:
      moveIntoUnit(unit, all - inside.elements);
      break;
    case StepKind::AllToAll:
      moveIntoUnit(unit,
                   multiplyCounts(multiplyCounts(slice / size, inside.members),
                                  size - inside.members));
      break;
    case StepKind::ReduceScatter:
      moveIntoUnit(unit, multiplyCounts(after, size - 1));
      break;
    case StepKind::AllReduce:
      moveIntoUnit(unit, addCounts(slice, multiplyCounts(
                                              size - 2, ceilDiv(slice, size))));
      break;
    case StepKind::Broadcast:
      if (unit != getUnit(members[step.root]))
        moveIntoUnit(unit, after);
      break;
    case StepKind::Permute:
      for (auto [source, target] : step.pairs)
        if (getUnit(members[target]) == unit &&
            getUnit(members[source]) != unit)
          moveIntoUnit(unit, getElements(step.from, members[source]));
      break;
    case StepKind::Slice:
    case StepKind::Exchange:
      break;
    }
  }
}

bool PlanCounter::add(const Step &step) {
  if (step.kind == StepKind::Slice)
    return true;
  if (step.kind == StepKind::Exchange)
    return addExchange(step);
  if (getNumPositions(step.axes) == 1)
    return true;
  for (const auto &members : ReplicaGroups(mesh, step.axes).getAllGroups()) {
    addGroup(step, members);
    if (hasUnits())
      addToUnits(step, members);
  }
  return true;
}

void PlanCounter::fill(PlanCost &cost, int64_t elementBytes) const {
  auto toBytes = [&](int64_t elements) {
    return multiplyCounts(elements, elementBytes);
  };
  cost.maxReceivedBytes = toBytes(*llvm::max_element(received));
  cost.maxSentBytes = toBytes(*llvm::max_element(sent));
  int64_t total = 0;
  for (int64_t elements : received)
    total = addCounts(total, elements);
  cost.totalReceivedBytes = toBytes(total);
  for (auto [unit, elements] : unitReceived)
    cost.maxUnitReceivedBytes =
        std::max(cost.maxUnitReceivedBytes, toBytes(elements));
}

/// Adds bounds by the maxima of the steps.
static void addMaxima(const Plan &plan, const Cluster &cluster,
                      PlanCost &cost) {
  cost.maxReceivedBytes = cost.maxSentBytes = cost.maxUnitReceivedBytes = 0;
  const Level *unit = cluster.getUnitLevel();
  int64_t moving = 0;
  for (auto [step, stepCost] : llvm::zip_equal(plan.steps, cost.steps)) {
    int64_t received = stepCost.receivedBytes;
    moving += received != 0;
    cost.maxReceivedBytes = addCounts(cost.maxReceivedBytes, received);
    cost.maxSentBytes = addCounts(cost.maxSentBytes, stepCost.sentBytes);
    if (unit && getGroupLevel(cluster, plan.mesh, step.axes) ==
                    cluster.levels.size() - 1)
      cost.maxUnitReceivedBytes =
          addCounts(cost.maxUnitReceivedBytes,
                    multiplyCounts(received, unit->numDevices));
  }
  cost.totalReceivedBytes =
      multiplyCounts(cost.maxReceivedBytes, plan.mesh.getNumRanks());
  cost.exact &= moving == 0;
}

PlanCost redistribute::getPlanCost(const Plan &plan, const Cluster &cluster,
                                   int64_t elementBytes, int64_t chunkBytes,
                                   int64_t maxRanks) {
  SmallVector<int64_t> shape = getCountedShape(plan.globalShape);
  PlanCost cost;
  cost.peakBytes =
      multiplyCounts(std::max(getMaxLocalElements(plan.from, shape),
                              getMaxLocalElements(plan.to, shape)),
                     elementBytes);
  for (const Step &step : plan.steps) {
    cost.steps.push_back(getStepCost(plan.mesh, plan.globalShape, step, cluster,
                                     elementBytes, chunkBytes, maxRanks));
    const StepCost &last = cost.steps.back();
    cost.peakBytes = std::max(cost.peakBytes, last.liveBytes);
    cost.timeSec += last.timeSec;
    cost.exact &= last.exact;
  }
  if (plan.mesh.getNumRanks() <= maxRanks) {
    PlanCounter counter(plan.mesh, shape, cluster);
    if (llvm::all_of(plan.steps,
                     [&](const Step &step) { return counter.add(step); })) {
      counter.fill(cost, elementBytes);
      return cost;
    }
  }
  addMaxima(plan, cluster, cost);
  return cost;
}
