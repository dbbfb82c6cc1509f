// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Levels of groups against all pairs of ranks, and the table of times.

#include "pctl/Cost/Cluster.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Layout/ReplicaGroups.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;

namespace {

Mesh makeMesh(llvm::StringRef text) { return llvm::cantFail(parseMesh(text)); }

/// Returns a cluster with a level of each of \p sizes, and the outermost.
Cluster makeCluster(llvm::ArrayRef<int64_t> sizes) {
  Cluster cluster = *getNamedCluster("bytes");
  cluster.levels.clear();
  for (int64_t size : sizes)
    cluster.levels.push_back({"inner", size, {0, 1e9}});
  cluster.levels.push_back({"all", 0, {0, 1e6}});
  EXPECT_FALSE(static_cast<bool>(verifyCluster(cluster)));
  return cluster;
}

/// Returns the highest level that joins two members of a group.
unsigned findGroupLevel(const Cluster &cluster, const Mesh &mesh,
                        llvm::ArrayRef<AxisRef> axes) {
  auto getDevice = [&](int64_t rank) {
    return mesh.getDeviceIds().empty() ? rank : mesh.getDeviceIds()[rank];
  };
  unsigned highest = 0;
  for (const auto &group : ReplicaGroups(mesh, axes).getAllGroups())
    for (int64_t a : group)
      for (int64_t b : group)
        highest =
            std::max(highest, getLevel(cluster, getDevice(a), getDevice(b)));
  return highest;
}

TEST(Level, is_the_innermost_that_has_both_devices) {
  Cluster cluster = makeCluster({4, 16});
  EXPECT_EQ(getLevel(cluster, 5, 5), 0u);
  EXPECT_EQ(getLevel(cluster, 4, 7), 0u);
  EXPECT_EQ(getLevel(cluster, 3, 4), 1u);
  EXPECT_EQ(getLevel(cluster, 15, 16), 2u);
}

TEST(GroupLevel, is_that_of_the_farthest_members) {
  const llvm::SmallVector<int64_t> allSizes[] = {{},  {2},    {3},       {4},
                                                 {6}, {2, 4}, {3, 6, 12}};
  for (const char *text :
       {"a=1", "a=8", "a=2,b=2", "a=2,b=3", "a=3,b=4", "a=4,b=2,c=2", "a=6,b=4",
        "a=5,b=3,c=2", "a=2,b=2 devices=[0,4,1,5]",
        "a=2,b=3 devices=[0,1,2,6,5,4]", "a=2,b=2 devices=[2,3,4,5]"}) {
    Mesh mesh = makeMesh(text);
    llvm::SmallVector<AxisRef> refs;
    for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
      for (int64_t pre = 1; pre <= mesh.getAxes()[axis].size; ++pre)
        for (int64_t size = 1; size * pre <= mesh.getAxes()[axis].size; ++size)
          if (mesh.getAxes()[axis].size % (pre * size) == 0)
            refs.push_back({axis, pre, size});
    for (const llvm::SmallVector<int64_t> &sizes : allSizes) {
      Cluster cluster = makeCluster(sizes);
      EXPECT_EQ(getGroupLevel(cluster, mesh, {}), 0u);
      for (AxisRef a : refs) {
        EXPECT_EQ(getGroupLevel(cluster, mesh, a),
                  findGroupLevel(cluster, mesh, a))
            << text << ": " << toString(mesh, a);
        for (AxisRef b : refs) {
          if (a.axis == b.axis)
            continue;
          EXPECT_EQ(getGroupLevel(cluster, mesh, {a, b}),
                    findGroupLevel(cluster, mesh, {a, b}));
        }
      }
    }
  }
}

TEST(GroupLevel, of_a_million_ranks_is_arithmetic) {
  Cluster cluster = *getNamedCluster("h100");
  Mesh mesh = makeMesh("data=131072,model=8");
  EXPECT_EQ(getGroupLevel(cluster, mesh, mesh.getWholeAxis(0)), 1u);
  EXPECT_EQ(getGroupLevel(cluster, mesh, mesh.getWholeAxis(1)), 0u);
}

TEST(GroupLink, of_described_axes_wins) {
  Cluster cluster = makeCluster({2});
  cluster.levels[0].link = {1e-6, 4e9};
  cluster.levels[1].link = {9e-6, 1e9};
  cluster.axes.push_back({"a", {2e-6, 2e9}});
  Mesh mesh = makeMesh("a=2,b=2,c=2");
  AxisRef a = mesh.getWholeAxis(0), b = mesh.getWholeAxis(1),
          c = mesh.getWholeAxis(2);
  EXPECT_EQ(getGroupLink(cluster, mesh, {a}), (Link{2e-6, 2e9}));
  EXPECT_EQ(getGroupLink(cluster, mesh, {c}), (Link{1e-6, 4e9}));
  EXPECT_EQ(getGroupLink(cluster, mesh, {a, c}), (Link{2e-6, 2e9}));
  EXPECT_EQ(getGroupLink(cluster, mesh, {a, b}), (Link{9e-6, 1e9}));
  EXPECT_EQ(getGroupLink(cluster, mesh, {}), (Link{1e-6, 4e9}));
  // A latency and a bandwidth may come from two links.
  cluster.axes[0].link.bandwidthBytesPerSec = 5e8;
  EXPECT_EQ(getGroupLink(cluster, mesh, {a, b}), (Link{9e-6, 5e8}));
}

TEST(CollectiveTime, is_that_of_the_table) {
  const Link link{2, 10};
  auto getTime = [&](Collective kind, int64_t groupSize, double bytes) {
    return getCollectiveTime(kind, groupSize, bytes, link, 100).getSec();
  };
  EXPECT_DOUBLE_EQ(getTime(Collective::AllGather, 4, 40), 100 + 6 + 12);
  EXPECT_DOUBLE_EQ(getTime(Collective::ReduceScatter, 4, 40), 100 + 6 + 3);
  EXPECT_DOUBLE_EQ(getTime(Collective::AllToAll, 4, 40), 100 + 6 + 3);
  EXPECT_DOUBLE_EQ(getTime(Collective::Permute, 4, 40), 100 + 2 + 4);
  EXPECT_DOUBLE_EQ(getTime(Collective::Broadcast, 4, 40), 100 + 6 + 4);
  // A ring for large tensors, a tree for small ones.
  EXPECT_DOUBLE_EQ(getTime(Collective::AllReduce, 4, 400), 100 + 12 + 60);
  EXPECT_DOUBLE_EQ(getTime(Collective::AllReduce, 4, 4), 100 + 8 + 0.8);
  EXPECT_DOUBLE_EQ(getTime(Collective::AllReduce, 5, 5), 100 + 12 + 1);
  EXPECT_EQ(getTime(Collective::AllReduce, 1, 400), 0);
}

TEST(CollectiveTime, is_in_two_parts) {
  Duration tree =
      getCollectiveTime(Collective::AllReduce, 4, 4, Link{2, 10}, 100);
  EXPECT_DOUBLE_EQ(tree.latencySec, 108);
  EXPECT_DOUBLE_EQ(tree.transferSec, 0.8);
  Duration ring =
      getCollectiveTime(Collective::AllReduce, 4, 400, Link{2, 10}, 100);
  EXPECT_DOUBLE_EQ(ring.latencySec, 112);
  EXPECT_DOUBLE_EQ(ring.transferSec, 60);
}

TEST(Cluster, has_units_of_the_level_inside_the_outermost) {
  Cluster cluster = *getNamedCluster("h100");
  ASSERT_NE(cluster.getUnitLevel(), nullptr);
  EXPECT_EQ(cluster.getUnitLevel()->name, "node");
  EXPECT_EQ(cluster.getUnit(7), 0);
  EXPECT_EQ(cluster.getUnit(16), 2);
  Cluster bytes = *getNamedCluster("bytes");
  EXPECT_EQ(bytes.getUnitLevel(), nullptr);
  EXPECT_EQ(bytes.getUnit(16), 0);
}

TEST(CollectiveTime, over_infinite_bandwidth_is_latency) {
  Link link{1, std::numeric_limits<double>::infinity()};
  EXPECT_DOUBLE_EQ(
      getCollectiveTime(Collective::AllGather, 3, 1e30, link, 0).getSec(), 2);
}

TEST(NamedCluster, bytes_take_a_microsecond_each) {
  Cluster bytes = *getNamedCluster("bytes");
  EXPECT_DOUBLE_EQ(getCollectiveTime(Collective::AllGather, 4, 100,
                                     bytes.levels[0].link, bytes.baseSec)
                       .getSec(),
                   300e-6);
  EXPECT_TRUE(std::isinf(bytes.memoryBandwidthBytesPerSec));
}

TEST(NamedCluster, has_each_listed_name) {
  for (llvm::StringRef name : listClusterNames()) {
    std::optional<Cluster> cluster = getNamedCluster(name);
    ASSERT_TRUE(cluster) << name.str();
    EXPECT_EQ(cluster->name, name);
    EXPECT_FALSE(static_cast<bool>(verifyCluster(*cluster)));
  }
  EXPECT_FALSE(getNamedCluster("v100"));
  EXPECT_EQ(getNamedCluster("h100")->levels[0].numDevices, 8);
}

} // namespace
