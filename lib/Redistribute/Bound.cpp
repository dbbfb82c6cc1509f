// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Bounds of listed devices, bounds in time, and certificates.
/// docs/redistribution.md, "Bounds".

#include "BoundCount.h"

#include "Algebra.h"
#include "ExchangeCount.h"

#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <map>

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The most pairs of different boxes that are compared for what holders of a
/// block have to send.
static constexpr size_t maxBoxPairs = size_t(1) << 20;

/// Ranks that are looked at where a mesh has too many.
static constexpr int64_t sampleSize = 256;

//===----------------------------------------------------------------------===//
// Listed devices
//===----------------------------------------------------------------------===//

namespace {

/// Different boxes, numbered.
class BoxTable {
public:
  unsigned getId(const Box &box) {
    SmallVector<int64_t, 8> key;
    for (Range range : box.getRanges())
      key.append({range.offset, range.size});
    auto [entry, isNew] = ids.try_emplace(std::move(key), boxes.size());
    if (isNew)
      boxes.push_back(box);
    return entry->second;
  }
  ArrayRef<Box> get() const { return boxes; }
  int64_t getNumElements() const {
    int64_t sum = 0;
    for (const Box &box : boxes)
      sum = addCounts(sum, box.getNumElements());
    return sum;
  }

private:
  std::map<SmallVector<int64_t, 8>, unsigned> ids;
  std::vector<Box> boxes;
};

/// Counts over a list of devices.
class ListedCounter {
public:
  ListedCounter(ArrayRef<Holding> holdings, int64_t numContributions)
      : holdings(holdings), numContributions(numContributions) {}

  BoundCounts count(const Cluster &cluster);

private:
  void countReceived();
  void countSent();
  UnitCount countUnits(int64_t numDevices) const;
  int64_t countUnit(ArrayRef<const Holding *> members, int64_t &contributions,
                    int64_t &wantedElements) const;

  const ArrayRef<Holding> holdings;
  const int64_t numContributions;
  BoxTable wanted;
  BoundCounts counts;
};

} // namespace

static int64_t getOverlap(const Box &a, const Box &b) {
  std::optional<Box> both = intersect(a, b);
  return both ? both->getNumElements() : 0;
}

/// Counts what each device and all together have to receive. Of k contributions
/// k - 1 messages make a first sum, where a contributor also wants it, else k;
/// and each other device that wants the element needs one more.
void ListedCounter::countReceived() {
  BoxTable kept;
  for (const Holding &holding : holdings) {
    if (!holding.wanted)
      continue;
    wanted.getId(*holding.wanted);
    int64_t elements = holding.wanted->getNumElements();
    if (holding.held)
      if (std::optional<Box> both = intersect(*holding.held, *holding.wanted)) {
        kept.getId(*both);
        if (numContributions == 1)
          elements -= both->getNumElements();
      }
    counts.received = std::max(counts.received, elements);
    counts.total = addCounts(counts.total, elements);
  }
  counts.busiest = static_cast<double>(counts.received);
  if (numContributions == 1)
    return;
  int64_t elements = wanted.getNumElements();
  counts.total =
      addCounts(counts.total, multiplyCounts(elements, numContributions - 2));
  counts.total = addCounts(counts.total, elements - kept.getNumElements());
  counts.received =
      std::max(counts.received,
               ceilDiv(counts.total, std::max<int64_t>(holdings.size(), 1)));
}

/// Counts what devices have to send. The holders of a block are the same for
/// all its elements, and share what others want of it.
void ListedCounter::countSent() {
  counts.sent = ceilDiv(counts.total, std::max<int64_t>(holdings.size(), 1));
  if (!holdings.empty())
    counts.busiest =
        std::max(counts.busiest, static_cast<double>(counts.total) /
                                     static_cast<double>(holdings.size()));
  if (numContributions != 1)
    return;
  BoxTable held, targets;
  SmallVector<int64_t> holders, wanters;
  std::map<std::pair<unsigned, unsigned>, int64_t> both;
  auto increment = [](SmallVector<int64_t> &numbers, unsigned id) {
    if (id == numbers.size())
      numbers.push_back(0);
    ++numbers[id];
  };
  for (const Holding &holding : holdings) {
    unsigned source = 0, target = 0;
    if (holding.held)
      increment(holders, source = held.getId(*holding.held));
    if (holding.wanted)
      increment(wanters, target = targets.getId(*holding.wanted));
    if (holding.held && holding.wanted)
      ++both[{source, target}];
  }
  if (held.get().size() * targets.get().size() > maxBoxPairs) {
    counts.exact = false;
    return;
  }
  counts.directSent = 0;
  for (auto [source, box] : llvm::enumerate(held.get())) {
    int64_t leaving = 0, demand = 0;
    for (auto [target, other] : llvm::enumerate(targets.get())) {
      auto inside = both.find({source, target});
      int64_t outside =
          wanters[target] - (inside == both.end() ? 0 : inside->second);
      if (outside == 0)
        continue;
      int64_t elements = getOverlap(box, other);
      leaving = addCounts(leaving, elements);
      demand = addCounts(demand, multiplyCounts(elements, outside));
    }
    counts.sent = std::max(counts.sent, ceilDiv(leaving, holders[source]));
    counts.busiest =
        std::max(counts.busiest, static_cast<double>(leaving) /
                                     static_cast<double>(holders[source]));
    counts.directSent =
        std::max(*counts.directSent, ceilDiv(demand, holders[source]));
  }
}

/// Returns how many elements \p members have to get from other units: those
/// that they want, but for those of which they have all contributions.
int64_t ListedCounter::countUnit(ArrayRef<const Holding *> members,
                                 int64_t &contributions,
                                 int64_t &wantedElements) const {
  BoxTable targets;
  std::map<int64_t, BoxTable> sources;
  for (const Holding *holding : members) {
    if (holding->wanted)
      targets.getId(*holding->wanted);
    if (holding->held)
      sources[holding->contribution].getId(*holding->held);
  }
  contributions = sources.size();
  wantedElements = targets.getNumElements();
  if (contributions < numContributions)
    return wantedElements;
  // The elements with all contributions are among those with any one of them.
  int64_t least = wantedElements;
  for (auto &[contribution, boxes] : sources) {
    int64_t kept = 0;
    for (const Box &source : boxes.get())
      for (const Box &target : targets.get())
        kept += getOverlap(source, target);
    least = std::min(least, kept);
  }
  return wantedElements - least;
}

UnitCount ListedCounter::countUnits(int64_t numDevices) const {
  llvm::MapVector<int64_t, SmallVector<const Holding *>> units;
  for (const Holding &holding : holdings)
    units[holding.device / numDevices].push_back(&holding);
  UnitCount result;
  if (units.size() <= 1)
    return result;
  int64_t mostContributions = 1, total = 0;
  size_t mostMembers = 1;
  for (auto &[unit, members] : units) {
    int64_t contributions = 0, wantedElements = 0;
    int64_t received = countUnit(members, contributions, wantedElements);
    mostContributions = std::max(mostContributions, contributions);
    mostMembers = std::max(mostMembers, members.size());
    total = addCounts(total, wantedElements);
    result.received = std::max(result.received, received);
    result.receivedPerDevice = std::max(
        result.receivedPerDevice,
        static_cast<double>(received) / static_cast<double>(members.size()));
  }
  // As many units at least as it takes to have all contributions of an element
  // send to each other as single devices would.
  int64_t parts = ceilDiv(numContributions, mostContributions);
  if (parts < 2)
    return result;
  total = addCounts(total, multiplyCounts(wanted.getNumElements(), parts - 2));
  int64_t numUnits = units.size();
  result.received = std::max(result.received, ceilDiv(total, numUnits));
  result.receivedPerDevice =
      std::max(result.receivedPerDevice, static_cast<double>(total) /
                                             static_cast<double>(numUnits) /
                                             static_cast<double>(mostMembers));
  return result;
}

BoundCounts ListedCounter::count(const Cluster &cluster) {
  countReceived();
  countSent();
  for (const Level &level : ArrayRef(cluster.levels).drop_back())
    counts.units.push_back(countUnits(level.numDevices));
  return std::move(counts);
}

BoundCounts redistribute::countBound(ArrayRef<Holding> holdings,
                                     int64_t numContributions,
                                     const Cluster &cluster) {
  return ListedCounter(holdings, numContributions).count(cluster);
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Returns the box of \p rank, with its position along \p kept as a dim of its
/// own, or nothing where it is empty.
static std::optional<Box> getExtendedBox(const Mesh &mesh, const Layout &layout,
                                         ArrayRef<int64_t> shape,
                                         ArrayRef<AxisRef> kept, int64_t rank) {
  Box box = getBox(mesh, layout, shape, rank);
  if (box.isEmpty())
    return std::nullopt;
  SmallVector<Range, 4> ranges(box.getRanges());
  ranges.push_back({mesh.getCoordinate(rank, kept), 1});
  return Box(ranges);
}

static Holding makeHolding(const Mesh &mesh, ArrayRef<int64_t> shape,
                           const Layout &from, const Layout &to,
                           ArrayRef<AxisRef> reduced, ArrayRef<AxisRef> kept,
                           int64_t rank) {
  return {mesh.getDevice(rank), getExtendedBox(mesh, from, shape, kept, rank),
          getExtendedBox(mesh, to, shape, kept, rank),
          mesh.getCoordinate(rank, reduced)};
}

/// Counts what a sample of ranks has to receive: what any rank needs is a bound
/// for the rank that needs most.
static BoundCounts countSample(const Mesh &mesh, ArrayRef<int64_t> shape,
                               const Layout &from, const Layout &to,
                               ArrayRef<AxisRef> reduced,
                               const Cluster &cluster) {
  BoundCounts counts;
  counts.exact = false;
  counts.units.resize(cluster.levels.size() - 1);
  int64_t numRanks = mesh.getNumRanks();
  int64_t stride = getSampleStride(numRanks);
  int64_t rank = 0;
  for (int64_t i = 0; i < std::min(sampleSize, numRanks); ++i) {
    Box wanted = getBox(mesh, to, shape, rank);
    int64_t elements = wanted.getNumElements();
    if (getNumPositions(reduced) == 1)
      elements -= getOverlap(wanted, getBox(mesh, from, shape, rank));
    counts.received = std::max(counts.received, elements);
    rank = (rank + stride) % numRanks;
  }
  counts.total = counts.received;
  counts.sent = ceilDiv(counts.total, numRanks);
  counts.busiest = static_cast<double>(counts.received);
  return counts;
}

Bound redistribute::getBound(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                             const Layout &before, const Layout &after,
                             const Cluster &cluster, int64_t elementBytes,
                             int64_t maxRanks) {
  SmallVector<int64_t> shape = getCountedShape(globalShape);
  Layout from = before.getNormalForm(), to = after.getNormalForm();
  AxisList kept = to.getPartialAxes();
  AxisList reduced = subtractAxes(mesh, from.getPartialAxes(), kept);
  std::optional<BoundCounts> counts =
      countEvenBound(mesh, shape, from, to, reduced, kept, cluster);
  if (!counts && mesh.getNumRanks() <= maxRanks) {
    std::vector<Holding> holdings;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
      holdings.push_back(
          makeHolding(mesh, shape, from, to, reduced, kept, rank));
    counts = countBound(holdings, getNumPositions(reduced), cluster);
  }
  if (!counts)
    counts = countSample(mesh, shape, from, to, reduced, cluster);
  AxisList all = mesh.getComplement({});
  Bound bound = makeBound(*counts, cluster, getGroupLevel(cluster, mesh, all),
                          elementBytes);
  bound.exact &= !llvm::is_contained(globalShape, kDynamic);
  return bound;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {

/// Links that work at once, taken as one.
struct LinkBundle {
  double bandwidth = 0;
  double latency = std::numeric_limits<double>::infinity();

  void add(const Link &link) {
    bandwidth += link.bandwidthBytesPerSec;
    latency = std::min(latency, link.latencySec);
  }
};

} // namespace

/// Returns the links between devices that are in no common unit of the levels
/// inside \p first, up to the level \p last.
static LinkBundle getLinks(const Cluster &cluster, unsigned first,
                           unsigned last) {
  LinkBundle bundle;
  for (unsigned level = first; level <= last; ++level)
    bundle.add(cluster.levels[level].link);
  for (const AxisLink &axis : cluster.axes)
    bundle.add(axis.link);
  return bundle;
}

Bound redistribute::makeBound(const BoundCounts &counts, const Cluster &cluster,
                              unsigned outermost, int64_t elementBytes) {
  auto toBytes = [&](int64_t elements) {
    return multiplyCounts(elements, elementBytes);
  };
  Bound bound;
  bound.maxReceivedBytes = toBytes(counts.received);
  bound.maxSentBytes = toBytes(counts.sent);
  bound.totalReceivedBytes = toBytes(counts.total);
  if (counts.directSent)
    bound.directSentBytes = toBytes(*counts.directSent);
  if (!counts.units.empty())
    bound.maxUnitReceivedBytes = toBytes(counts.units.back().received);
  bound.exact = counts.exact && bound.totalReceivedBytes != INT64_MAX;
  if (bound.maxReceivedBytes == 0)
    return bound;
  LinkBundle links = getLinks(cluster, 0, outermost);
  double latency = links.latency;
  double bytesSec =
      counts.busiest * static_cast<double>(elementBytes) / links.bandwidth;
  for (unsigned level = 0; level < outermost; ++level) {
    const UnitCount &unit = counts.units[level];
    if (unit.received == 0)
      continue;
    LinkBundle crossing = getLinks(cluster, level + 1, outermost);
    latency = std::max(latency, crossing.latency);
    bytesSec = std::max(bytesSec, unit.receivedPerDevice *
                                      static_cast<double>(elementBytes) /
                                      crossing.bandwidth);
  }
  bound.latencySec = cluster.baseSec + latency;
  bound.timeSec = bound.latencySec + bytesSec;
  return bound;
}
