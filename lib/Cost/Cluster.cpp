// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Which links a group of devices needs, and the times of collectives over
/// them. docs/cost.md derives both.

#include "pctl/Cost/Cluster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;
using llvm::ArrayRef;

unsigned cost::getLevel(const Cluster &cluster, int64_t deviceA,
                        int64_t deviceB) {
  unsigned outermost = cluster.levels.size() - 1;
  for (unsigned level = 0; level < outermost; ++level) {
    int64_t size = cluster.levels[level].numDevices;
    if (deviceA / size == deviceB / size)
      return level;
  }
  return outermost;
}

/// Returns whether each group over \p axes is inside one run of \p unit ranks.
///
/// Ranks that differ along one axis are spread over an aligned run of stride
/// times size ranks, and some of them are at both ends of it: where runs do not
/// make up units, a boundary between units falls inside one, and ranks before
/// and behind it differ along the axis alone.
static bool isInsideUnit(const Mesh &mesh, ArrayRef<AxisRef> axes,
                         int64_t unit) {
  return mesh.getNumRanks() <= unit || llvm::all_of(axes, [&](AxisRef ref) {
           return ref.size == 1 || unit % (mesh.getStride(ref) * ref.size) == 0;
         });
}

unsigned cost::getGroupLevel(const Cluster &cluster, const Mesh &mesh,
                             ArrayRef<AxisRef> axes) {
  unsigned outermost = cluster.levels.size() - 1, level = 0;
  if (getNumPositions(axes) == 1)
    return level;
  if (mesh.getDeviceIds().empty()) {
    while (level < outermost &&
           !isInsideUnit(mesh, axes, cluster.levels[level].numDevices))
      ++level;
    return level;
  }
  for (int64_t rank = 0; rank < mesh.getNumRanks() && level < outermost;
       ++rank) {
    int64_t first = mesh.withCoordinate(rank, axes, 0);
    level = std::max(level, getLevel(cluster, mesh.getDeviceIds()[first],
                                     mesh.getDeviceIds()[rank]));
  }
  return level;
}

/// Returns a link that is as slow as either in each respect.
static Link getSlower(const Link &a, const Link &b) {
  return {std::max(a.latencySec, b.latencySec),
          std::min(a.bandwidthBytesPerSec, b.bandwidthBytesPerSec)};
}

Link cost::getGroupLink(const Cluster &cluster, const Mesh &mesh,
                        ArrayRef<AxisRef> axes) {
  if (cluster.axes.empty())
    return cluster.levels[getGroupLevel(cluster, mesh, axes)].link;
  std::optional<Link> slowest;
  llvm::SmallVector<AxisRef> others;
  for (AxisRef ref : axes) {
    if (ref.size == 1)
      continue;
    auto described = llvm::find_if(cluster.axes, [&](const AxisLink &link) {
      return link.axis == mesh.getAxes()[ref.axis].name;
    });
    if (described == cluster.axes.end())
      others.push_back(ref);
    else
      slowest =
          slowest ? getSlower(*slowest, described->link) : described->link;
  }
  if (slowest && others.empty())
    return *slowest;
  Link link = cluster.levels[getGroupLevel(cluster, mesh, others)].link;
  return slowest ? getSlower(*slowest, link) : link;
}

Duration cost::getCollectiveTime(Collective kind, int64_t groupSize,
                                 double inputBytes, const Link &link,
                                 double baseSec) {
  if (groupSize <= 1)
    return {};
  const double hops = static_cast<double>(groupSize - 1);
  const double latency = link.latencySec;
  const double transfer = link.getTransferSec(inputBytes);
  const double sharedTransfer = transfer * hops / (hops + 1);
  switch (kind) {
  case Collective::AllGather:
    return {baseSec + hops * latency, hops * transfer};
  case Collective::ReduceScatter:
  case Collective::AllToAll:
    return {baseSec + hops * latency, sharedTransfer};
  case Collective::AllReduce: {
    Duration ring = {baseSec + 2 * hops * latency, 2 * sharedTransfer};
    Duration tree = {baseSec + 2 * llvm::Log2_64_Ceil(groupSize) * latency,
                     2 * transfer};
    return tree.getSec() < ring.getSec() ? tree : ring;
  }
  case Collective::Permute:
    return {baseSec + latency, transfer};
  case Collective::Broadcast:
    return {baseSec + hops * latency, transfer};
  }
  return {};
}
