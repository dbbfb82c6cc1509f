// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The built-in clusters and where their figures come from.

#include "pctl/Cost/Cluster.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <limits>

using namespace pctl;
using namespace pctl::cost;
using llvm::Expected;
using llvm::StringRef;

// NCCL chooses its algorithm by tables of latencies and bandwidths (tuning.cc
// of its sources). Each protocol has its own latencies; chosen are those of
// Simple, as only Simple reaches the bandwidths below: a base of 8.4 us for a
// ring, 3.4 us for a hop over NVLink, 14.0 us for one over the network. (LL has
// 6.6, 0.6 and 2.7 us at half the bandwidth, LL128 14.0, 1.9 and 4.0 us.)
static constexpr double baseSec = 8.4e-6;
static constexpr double nodeLatencySec = 3.4e-6;
static constexpr double networkLatencySec = 14.0e-6;

/// Returns nodes of 8 devices. \p nodeBandwidth is that of NCCL's tables for
/// one device and direction; \p networkBandwidth is a network card a device,
/// chosen as what such nodes are commonly built with; \p memoryBandwidth is
/// that of the device's data sheet.
static Cluster makeNodesOf8(StringRef name, double nodeBandwidth,
                            double networkBandwidth, double memoryBandwidth) {
  Cluster cluster;
  cluster.name = name.str();
  cluster.baseSec = baseSec;
  cluster.memoryBandwidthBytesPerSec = memoryBandwidth;
  cluster.levels.push_back({"node", 8, {nodeLatencySec, nodeBandwidth}});
  cluster.levels.push_back(
      {"network", 0, {networkLatencySec, networkBandwidth}});
  return cluster;
}

static Cluster makeBytes() {
  Cluster cluster;
  cluster.name = "bytes";
  cluster.memoryBandwidthBytesPerSec = std::numeric_limits<double>::infinity();
  cluster.levels.push_back({"all", 0, {0, 1e6}});
  return cluster;
}

std::optional<Cluster> cost::getNamedCluster(StringRef name) {
  if (name == "bytes")
    return makeBytes();
  // 200 Gb/s of HDR InfiniBand a device; 80 GB modules.
  if (name == "a100")
    return makeNodesOf8(name, 87.7e9, 25e9, 2039e9);
  // 400 Gb/s of NDR InfiniBand a device; SXM5 modules.
  if (name == "h100")
    return makeNodesOf8(name, 320e9, 50e9, 3350e9);
  // The same network; HBM3e.
  if (name == "b200")
    return makeNodesOf8(name, 640e9, 50e9, 8000e9);
  return std::nullopt;
}

llvm::ArrayRef<StringRef> cost::listClusterNames() {
  static constexpr StringRef names[] = {"bytes", "a100", "h100", "b200"};
  return names;
}

Expected<Cluster> cost::loadCluster(StringRef nameOrFile) {
  if (std::optional<Cluster> named = getNamedCluster(nameOrFile))
    return *named;
  auto buffer = llvm::MemoryBuffer::getFile(nameOrFile, /*IsText=*/true);
  if (!buffer)
    return makeError("cluster '{0}' is none of {1}, nor a file that can be "
                     "read: {2}",
                     nameOrFile, llvm::join(listClusterNames(), ", "),
                     buffer.getError().message());
  Expected<Cluster> cluster = parseCluster((*buffer)->getBuffer());
  if (!cluster)
    return makeError("{0}: {1}", nameOrFile,
                     llvm::toString(cluster.takeError()));
  return cluster;
}
