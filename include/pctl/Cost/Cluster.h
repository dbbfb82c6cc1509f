// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Clusters of devices as far as times of messages depend on them, and what a
/// collective takes on them: a latency for each hop and an inverse bandwidth
/// for each byte (Hockney's alpha-beta model). docs/cost.md has the formulas,
/// the JSON form and the sources of the built-in figures.

#ifndef PCTL_COST_CLUSTER_H
#define PCTL_COST_CLUSTER_H

#include "pctl/Layout/Mesh.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pctl::cost {

/// A device's part in one kind of link.
struct Link {
  /// What one hop takes, whatever its bytes.
  double latencySec = 0;
  /// Bytes that one device sends, and at the same time receives; may be
  /// infinite.
  double bandwidthBytesPerSec = 0;

  /// Returns what \p bytes take once they flow.
  double getTransferSec(double bytes) const {
    return bytes / bandwidthBytesPerSec;
  }

  friend bool operator==(const Link &a, const Link &b) {
    return a.latencySec == b.latencySec &&
           a.bandwidthBytesPerSec == b.bandwidthBytesPerSec;
  }
};

/// Devices that one kind of link joins: those of a node, of a rack, all.
struct Level {
  std::string name;
  /// Devices in one unit of this level: 8 where a node has 8, so that devices 0
  /// to 7 are one node. 0 for the outermost level, which has all devices.
  int64_t numDevices = 0;
  /// Joins two devices of one unit that are in no common unit of a level
  /// inside.
  Link link;

  friend bool operator==(const Level &a, const Level &b) {
    return a.name == b.name && a.numDevices == b.numDevices && a.link == b.link;
  }
};

/// The link between devices whose ranks differ along a mesh axis.
struct AxisLink {
  std::string axis;
  Link link;

  friend bool operator==(const AxisLink &a, const AxisLink &b) {
    return a.axis == b.axis && a.link == b.link;
  }
};

/// A cluster of devices, numbered such that the units of each level are runs of
/// devices.
///
/// Worked example: nodes of 8 are the levels {node, 8, NVLink} and {network, 0,
/// InfiniBand}; devices 3 and 5 are joined by NVLink, 7 and 8 by InfiniBand.
struct Cluster {
  std::string name;
  /// What a collective takes before its first byte moves.
  double baseSec = 0;
  /// For data that is packed or unpacked, read and written; may be infinite.
  double memoryBandwidthBytesPerSec = 0;
  /// Innermost first.
  llvm::SmallVector<Level, 2> levels;
  /// Win over levels for groups and transfers along these axes.
  llvm::SmallVector<AxisLink, 0> axes;

  /// Returns the level inside the outermost one, the units of which (nodes) are
  /// what data comes into and goes out of; null in a cluster of one level.
  const Level *getUnitLevel() const {
    return levels.size() > 1 ? &levels[levels.size() - 2] : nullptr;
  }
  /// Returns the number of the unit of that level that has \p device; 0 in a
  /// cluster of one level.
  int64_t getUnit(int64_t device) const {
    const Level *level = getUnitLevel();
    return level ? device / level->numDevices : 0;
  }

  friend bool operator==(const Cluster &a, const Cluster &b) {
    return a.name == b.name && a.baseSec == b.baseSec &&
           a.memoryBandwidthBytesPerSec == b.memoryBandwidthBytesPerSec &&
           a.levels == b.levels && a.axes == b.axes;
  }
};

//===----------------------------------------------------------------------===//
// Making clusters
//===----------------------------------------------------------------------===//

/// Checks a cluster. Errors, each with the key path that it has in JSON: no
/// level; a time that is negative or not finite; a bandwidth that is not above
/// 0; an outermost level that does not have all devices; another level that
/// has no whole number, above 1, of units of the level inside; an axis without
/// a name or named twice.
llvm::Error verifyCluster(const Cluster &cluster);

/// Parses
///
///   {"name": "mine", "base_sec": 8e-6,
///    "memory_bandwidth_bytes_per_sec": 2e12,
///    "levels": [{"name": "node", "devices": 4, "latency_sec": 1e-6,
///                "bandwidth_bytes_per_sec": 3e11},
///               {"name": "network", "latency_sec": 5e-6,
///                "bandwidth_bytes_per_sec": 5e10}],
///    "axes": [{"axis": "tp", "bandwidth_bytes_per_sec": 4e11}]}
///
/// Times that are left out are 0; a memory bandwidth that is left out, and any
/// that is "infinity", is infinite. The outermost level has no "devices".
/// Errors: no JSON, with line and column; values nested too deeply; and, each
/// with its key path, an unknown key, a key that is missing, a value of another
/// type, and those of verifyCluster.
llvm::Expected<Cluster> parseCluster(llvm::StringRef json);

/// Returns the JSON form of \p cluster, which parses back to it.
llvm::json::Value toJson(const Cluster &cluster);

/// Returns a built-in cluster: `bytes`, where one byte takes one microsecond
/// and nothing else any time, or `a100`, `h100`, `b200`, nodes of 8.
std::optional<Cluster> getNamedCluster(llvm::StringRef name);

/// Returns the names of the built-in clusters.
llvm::ArrayRef<llvm::StringRef> listClusterNames();

/// Returns the built-in cluster called \p nameOrFile, else what the file of
/// that name says. Errors: neither a name (the message lists them) nor a file
/// that can be read; those of parseCluster, with the file's name.
llvm::Expected<Cluster> loadCluster(llvm::StringRef nameOrFile);

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// Returns the innermost level that has both devices in one unit.
unsigned getLevel(const Cluster &cluster, int64_t deviceA, int64_t deviceB);

/// Returns the innermost level such that each group of ranks of \p mesh that
/// differ along \p axes only is inside one unit of it. By arithmetic on axes
/// where rank i of the mesh is device i; else its device list is read.
unsigned getGroupLevel(const Cluster &cluster, const layout::Mesh &mesh,
                       llvm::ArrayRef<layout::AxisRef> axes);

/// Returns the link that a collective over \p axes is bound by: the greatest
/// latency and the least bandwidth among those of the axes that \p cluster
/// describes and of the level that the other axes need.
Link getGroupLink(const Cluster &cluster, const layout::Mesh &mesh,
                  llvm::ArrayRef<layout::AxisRef> axes);

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

enum class Collective {
  AllGather,
  ReduceScatter,
  AllReduce,
  AllToAll,
  Permute,
  Broadcast,
};

/// What a message, or a collective, takes.
struct Duration {
  /// Before its first byte moves, and between hops.
  double latencySec = 0;
  /// While bytes move.
  double transferSec = 0;

  double getSec() const { return latencySec + transferSec; }
};

/// Returns what a collective in a group of \p groupSize = n devices takes that
/// each put in \p inputBytes = s (the root of a broadcast alone does), with
/// latency a and inverse bandwidth b of \p link:
///
///   all-gather      base + (n-1) a + (n-1) s b
///   reduce-scatter  base + (n-1) a + (n-1)/n s b
///   all-reduce      base + the least of
///                     ring 2(n-1) a + 2(n-1)/n s b
///                     tree 2 ceil(log2 n) a + 2 s b
///   all-to-all      base + (n-1) a + (n-1)/n s b
///   permute         base + a + s b
///   broadcast       base + (n-1) a + s b
///
/// A group of one device takes no time.
Duration getCollectiveTime(Collective kind, int64_t groupSize,
                           double inputBytes, const Link &link, double baseSec);

} // namespace pctl::cost

#endif // PCTL_COST_CLUSTER_H
