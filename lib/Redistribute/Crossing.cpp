// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Listed transfers between devices. Slices that a layout leaves on devices are
/// equal or disjoint, so that each element has one set of holders, and an even
/// share in each such set is the least that its members can send.

#include "Crossing.h"

#include "Demands.h"
#include "ExchangeCount.h"

#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;

/// Pairs of boxes that may be compared, for each transfer that may be listed.
static constexpr int64_t pairsPerTransfer = 256;

//===----------------------------------------------------------------------===//
// Holdings
//===----------------------------------------------------------------------===//

/// Returns \p box moved by \p offset, without what is outside of \p shape;
/// nothing where nothing is left.
static std::optional<Box> toSource(const Box &box, ArrayRef<int64_t> offset,
                                   ArrayRef<int64_t> shape) {
  SmallVector<Range, 4> ranges(box.getRanges());
  if (!offset.empty())
    for (auto [range, distance] : llvm::zip_equal(ranges, offset))
      range.offset += distance;
  return intersect(Box(ranges), Box::ofShape(shape));
}

llvm::Error redistribute::verifyListable(const Mesh &source,
                                         const Mesh &target) {
  static constexpr int64_t maxRanks = 1 << 16;
  for (const Mesh *mesh : {&source, &target})
    if (mesh->getNumRanks() > maxRanks)
      return makeError("move between meshes lists ranks, the limit is {0}; one "
                       "mesh has {1}",
                       maxRanks, mesh->getNumRanks());
  return llvm::Error::success();
}

std::vector<Holding> redistribute::listHoldings(const Placement &source,
                                                const Placement &target,
                                                ArrayRef<int64_t> offset) {
  std::vector<Holding> holdings;
  DeviceMap<size_t> places;
  auto at = [&](const Mesh &mesh, int64_t rank) -> Holding & {
    int64_t device = mesh.getDevice(rank);
    auto [place, isNew] = places.try_emplace(device, holdings.size());
    if (isNew)
      holdings.emplace_back().device = device;
    return holdings[place->second];
  };
  SmallVector<AxisRef> partial = source.layout.getPartialAxes();
  for (int64_t rank = 0; rank < source.mesh.getNumRanks(); ++rank) {
    Holding &holding = at(source.mesh, rank);
    Box box = getBox(source.mesh, source.layout, source.globalShape, rank);
    if (!box.isEmpty())
      holding.held = std::move(box);
    holding.contribution = source.mesh.getCoordinate(rank, partial);
  }
  for (int64_t rank = 0; rank < target.mesh.getNumRanks(); ++rank)
    at(target.mesh, rank).wanted =
        toSource(getBox(target.mesh, target.layout, target.globalShape, rank),
                 offset, source.globalShape);
  return holdings;
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

namespace {

/// Devices that hold one block, and what others want of it.
struct Block {
  Box box;
  SmallVector<int64_t> holders;
};

} // namespace

static std::vector<Block> listBlocks(ArrayRef<Holding> holdings) {
  std::vector<Block> blocks;
  std::map<SmallVector<int64_t, 4>, size_t> places;
  for (const Holding &holding : holdings) {
    if (!holding.held)
      continue;
    // Blocks that are not empty differ in where they start.
    SmallVector<int64_t, 4> start;
    for (Range range : holding.held->getRanges())
      start.push_back(range.offset);
    auto [entry, isNew] = places.try_emplace(start, blocks.size());
    if (isNew)
      blocks.push_back({*holding.held, {}});
    blocks[entry->second].holders.push_back(holding.device);
  }
  return blocks;
}

/// Returns the holders that share a unit of the innermost possible level with
/// \p target.
static SmallVector<int64_t> getNearest(ArrayRef<int64_t> holders,
                                       int64_t target,
                                       const cost::Cluster &cluster) {
  unsigned nearest = cluster.levels.size();
  SmallVector<int64_t> result;
  for (int64_t holder : holders) {
    unsigned level = getLevel(cluster, holder, target);
    if (level > nearest)
      continue;
    if (level < nearest)
      result.clear();
    nearest = level;
    result.push_back(holder);
  }
  return result;
}

/// Lists transfers by which \p holders share \p demands evenly. Fails where
/// they are of more elements than an int64_t counts.
static llvm::Error shareDemands(ArrayRef<int64_t> holders,
                                ArrayRef<Demand> demands,
                                std::vector<Transfer> &transfers) {
  int64_t elements = 0, numHolders = holders.size();
  for (const Demand &demand : demands) {
    std::optional<int64_t> sum =
        checkedAdd(elements, demand.box.getNumElements());
    if (!sum)
      return makeError("move between meshes sends more elements of one block "
                       "than 64 bits count");
    elements = *sum;
  }
  SmallVector<Share> shares;
  for (auto [position, holder] : llvm::enumerate(holders))
    shares.push_back(
        {holder, elements / numHolders +
                     (static_cast<int64_t>(position) < elements % numHolders)});
  listTransfers(demands, shares, transfers);
  return llvm::Error::success();
}

Expected<std::vector<Transfer>>
redistribute::balanceTransfers(ArrayRef<Holding> holdings,
                               const cost::Cluster &cluster,
                               int64_t maxTransfers) {
  std::vector<Block> blocks = listBlocks(holdings);
  int64_t pairs = multiplyCounts(blocks.size(), holdings.size());
  int64_t maxPairs = multiplyCounts(maxTransfers, pairsPerTransfer);
  if (pairs > maxPairs)
    return makeError("move between meshes compares {0} pairs of blocks and "
                     "devices, the limit is {1}",
                     pairs, maxPairs);
  std::vector<Transfer> transfers;
  for (const Block &block : blocks) {
    // Sets of nearest holders are known by their first one and their size, as
    // units are nested.
    using Key = std::pair<int64_t, int64_t>;
    llvm::MapVector<Key, SmallVector<int64_t>> nearest;
    llvm::MapVector<Key, std::vector<Demand>> demands;
    for (const Holding &holding : holdings) {
      if (!holding.wanted || (holding.held && *holding.held == block.box))
        continue;
      std::optional<Box> box = intersect(*holding.wanted, block.box);
      if (!box)
        continue;
      SmallVector<int64_t> holders =
          getNearest(block.holders, holding.device, cluster);
      Key key(holders.front(), holders.size());
      nearest[key] = std::move(holders);
      demands[key].push_back({holding.device, *box});
    }
    for (auto &[key, list] : demands)
      if (llvm::Error error = shareDemands(nearest[key], list, transfers))
        return std::move(error);
    if (static_cast<int64_t>(transfers.size()) > maxTransfers)
      return makeError("move between meshes needs more than {0} transfers, the "
                       "limit",
                       maxTransfers);
  }
  return transfers;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {

/// What goes over the links of one device.
struct DeviceFlow {
  int64_t sent = 0, received = 0;
  int64_t packed = 0, round = 0;
  double latencySent = 0, latencyReceived = 0;
  SmallVector<int64_t, 2> sentAt, receivedAt;
};

} // namespace

/// Returns whether \p box is one run of memory in \p outer.
static bool isContiguous(const Box &box, const Box &outer) {
  bool inside = false;
  for (unsigned dim = 0; dim < box.getTensorRank(); ++dim) {
    if (inside && box[dim].size != outer[dim].size)
      return false;
    inside |= box[dim].size != 1;
  }
  return true;
}

StepCost redistribute::getCrossingCost(const Crossing &crossing,
                                       ArrayRef<Holding> holdings,
                                       const cost::Cluster &cluster,
                                       int64_t elementBytes) {
  size_t numLevels = cluster.levels.size();
  DeviceMap<const Holding *> byDevice;
  DeviceMap<DeviceFlow> flows;
  StepCost cost;
  int64_t held = 0;
  for (const Holding &holding : holdings) {
    byDevice[holding.device] = &holding;
    int64_t before = holding.held ? holding.held->getNumElements() : 0;
    int64_t after = holding.wanted ? holding.wanted->getNumElements() : 0;
    held = std::max({held, before, after});
    flows[holding.device].sentAt.resize(numLevels, 0);
    flows[holding.device].receivedAt.resize(numLevels, 0);
  }
  for (const Transfer &transfer : crossing.transfers) {
    DeviceFlow &out = flows[transfer.source], &in = flows[transfer.target];
    int64_t elements = transfer.box.getNumElements();
    unsigned level = getLevel(cluster, transfer.source, transfer.target);
    double latency = cluster.levels[level].link.latencySec;
    out.sent = addCounts(out.sent, elements);
    in.received = addCounts(in.received, elements);
    out.sentAt[level] = addCounts(out.sentAt[level], elements);
    in.receivedAt[level] = addCounts(in.receivedAt[level], elements);
    out.latencySent += latency;
    in.latencyReceived += latency;
    int64_t part = getFirstPart(transfer.box, crossing.rounds);
    for (auto [flow, outer] :
         {std::pair(&out, &byDevice[transfer.source]->held),
          std::pair(&in, &byDevice[transfer.target]->wanted)}) {
      if (isContiguous(transfer.box, **outer))
        continue;
      flow->packed = addCounts(flow->packed, elements);
      flow->round = addCounts(flow->round, part);
    }
  }
  auto toBytes = [&](int64_t elements) {
    return multiplyCounts(elements, elementBytes);
  };
  double latency = 0, bytesSec = 0;
  for (auto &[device, flow] : flows) {
    cost.receivedBytes = std::max(cost.receivedBytes, toBytes(flow.received));
    cost.sentBytes = std::max(cost.sentBytes, toBytes(flow.sent));
    cost.packBytes = std::max(cost.packBytes, toBytes(flow.packed));
    cost.stagingBytes = std::max(cost.stagingBytes, toBytes(flow.round));
    latency = std::max({latency, flow.latencySent, flow.latencyReceived});
    for (size_t level = 0; level < numLevels; ++level)
      bytesSec = std::max(
          bytesSec,
          cluster.levels[level].link.getTransferSec(static_cast<double>(
              toBytes(std::max(flow.sentAt[level], flow.receivedAt[level])))));
  }
  cost.liveBytes = addCounts(toBytes(held), cost.stagingBytes);
  if (crossing.transfers.empty())
    return cost;
  setTime(cost,
          {cluster.baseSec + static_cast<double>(crossing.rounds) * latency,
           bytesSec},
          cluster);
  return cost;
}
