// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Bounds are what counting element by element gives, no plan beats them, and
/// certificates say which are met.

#include "Measure.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Certificate.h"

#include <algorithm>
#include <random>
#include <set>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

/// The cluster of \p text, nodes of \p devices in one network.
cost::Cluster makeNodes(int64_t devices) {
  cost::Cluster cluster = *cost::getNamedCluster("bytes");
  cost::Level node = cluster.levels.front();
  node.name = "node";
  node.numDevices = devices;
  node.link.bandwidthBytesPerSec *= 8;
  cluster.levels.insert(cluster.levels.begin(), node);
  return cluster;
}

/// Bounds counted element by element.
class BruteForce {
public:
  BruteForce(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
             const Layout &from, const Layout &to, int64_t unitSize)
      : mesh(mesh), numRanks(mesh.getNumRanks()), unitSize(unitSize) {
    AxisRefs kept = to.getPartialAxes();
    for (AxisRef ref : from.getPartialAxes())
      if (llvm::none_of(kept, [&](AxisRef k) { return k.overlaps(ref); }))
        reduced.push_back(ref);
    numContributions = getNumPositions(reduced);
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      held.push_back(getBox(mesh, from, shape, rank));
      wanted.push_back(getBox(mesh, to, shape, rank));
      positions.push_back(mesh.getCoordinate(rank, kept));
    }
    received.assign(numRanks, 0);
    unitReceived.assign(numRanks / unitSize + 1, 0);
    for (int64_t position = 0; position < getNumPositions(kept); ++position)
      visit(shape, position);
    finish();
  }

  int64_t maxReceived = 0, maxSent = 0, directSent = 0, total = 0, maxUnit = 0;

private:
  using AxisRefs = llvm::SmallVector<AxisRef>;

  void visit(llvm::ArrayRef<int64_t> shape, int64_t position) {
    Box all = Box::ofShape(shape);
    for (int64_t i = 0; i < all.getNumElements(); ++i) {
      llvm::SmallVector<int64_t> index(shape.size());
      int64_t rest = i;
      for (int64_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
        index[dim] = rest % shape[dim];
      addElement(index, position);
    }
  }

  void addElement(llvm::ArrayRef<int64_t> index, int64_t position) {
    std::set<int64_t> holders, wanters, wantingUnits;
    std::map<int64_t, std::set<int64_t>> unitContributions;
    bool shared = false;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      if (positions[rank] != position)
        continue;
      bool has = held[rank].contains(index),
           wants = wanted[rank].contains(index);
      if (has) {
        holders.insert(rank);
        unitContributions[rank / unitSize].insert(
            mesh.getCoordinate(rank, reduced));
      }
      if (wants) {
        wanters.insert(rank);
        wantingUnits.insert(rank / unitSize);
      }
      shared |= has && wants;
      received[rank] += wants && (numContributions > 1 || !has);
    }
    int64_t m = wanters.size();
    if (numContributions > 1)
      total += numContributions - 1 + m - 1 + !shared;
    for (int64_t unit : wantingUnits)
      unitReceived[unit] +=
          static_cast<int64_t>(unitContributions[unit].size()) <
          numContributions;
    int64_t most = 0;
    for (auto &[unit, contributions] : unitContributions)
      most = std::max<int64_t>(most, contributions.size());
    mostInUnit = std::max(mostInUnit, most);
    wantingPairs += wantingUnits.size();
    ++elements;
    if (numContributions > 1)
      return;
    int64_t outside = 0;
    for (int64_t rank : wanters)
      outside += !holders.count(rank);
    total += outside;
    leaving[holders] += outside > 0;
    demand[holders] += outside;
  }

  void finish() {
    for (int64_t count : received)
      maxReceived = std::max(maxReceived, count);
    for (int64_t count : unitReceived)
      maxUnit = std::max(maxUnit, count);
    int64_t share = (total + numRanks - 1) / numRanks;
    maxSent = share;
    if (numContributions > 1)
      maxReceived = std::max(maxReceived, share);
    for (auto &[holders, count] : leaving)
      maxSent = std::max<int64_t>(maxSent, (count + holders.size() - 1) /
                                               holders.size());
    for (auto &[holders, count] : demand)
      directSent = std::max<int64_t>(directSent, (count + holders.size() - 1) /
                                                     holders.size());
    int64_t numUnits = (numRanks + unitSize - 1) / unitSize;
    int64_t parts =
        mostInUnit == 0 ? 1 : (numContributions + mostInUnit - 1) / mostInUnit;
    if (parts > 1 && numUnits > 1)
      maxUnit = std::max(
          maxUnit,
          (wantingPairs + elements * (parts - 2) + numUnits - 1) / numUnits);
    if (numUnits == 1)
      maxUnit = 0;
  }

  const Mesh &mesh;
  const int64_t numRanks, unitSize;
  AxisRefs reduced;
  int64_t numContributions = 1, mostInUnit = 0, wantingPairs = 0, elements = 0;
  std::vector<Box> held, wanted;
  std::vector<int64_t> positions, received, unitReceived;
  std::map<std::set<int64_t>, int64_t> leaving, demand;
};

/// Compares pairs with brute force, on nodes of \p unitSize.
void compare(const char *text, llvm::ArrayRef<int64_t> shape, bool partial,
             int64_t unitSize, size_t maxPairs) {
  Mesh mesh = makeMesh(text);
  std::vector<Layout> layouts = listLayouts(mesh, shape.size(), partial);
  cost::Cluster cluster = makeNodes(unitSize);
  std::mt19937_64 random(11);
  for (size_t i = 0; i < maxPairs; ++i) {
    const Layout &from = layouts[random() % layouts.size()];
    Layout to = layouts[random() % layouts.size()];
    to.partial.clear();
    if (random() % 3 == 0 && !overlapsPartial(from, to))
      to.partial = from.partial;
    BruteForce expected(mesh, shape, from, to, unitSize);
    Bound bound = getBound(mesh, shape, from, to, cluster, 1);
    std::string name = std::string(text) + " " + shapeToString(shape) + " " +
                       toString(mesh, from) + " -> " + toString(mesh, to);
    ASSERT_TRUE(bound.exact) << name;
    ASSERT_EQ(bound.maxReceivedBytes, expected.maxReceived) << name;
    ASSERT_EQ(bound.totalReceivedBytes, expected.total) << name;
    ASSERT_EQ(bound.maxSentBytes, expected.maxSent) << name;
    ASSERT_EQ(bound.directSentBytes.value_or(0), expected.directSent) << name;
    ASSERT_EQ(bound.directSentBytes.has_value(),
              from.getPartialAxes() == to.getPartialAxes())
        << name;
    ASSERT_EQ(bound.maxUnitReceivedBytes, expected.maxUnit) << name;
  }
}

TEST(Bound, is_what_counting_elements_gives) {
  for (bool partial : {false, true}) {
    compare("x=2,y=2", {4}, partial, 2, 200);
    compare("x=2,y=4", {8, 8}, partial, 4, 300);
    compare("x=2,y=4", {8, 4}, partial, 2, 300);
    compare("x=2,y=2,z=2", {8, 8}, partial, 4, 300);
    compare("x=4,y=2,z=2", {16, 16}, partial, 4, 100);
    compare("x=2,y=3", {6, 12}, partial, 3, 200);
    compare("x=2,y=2,z=2", {4, 4, 4}, partial, 2, 200);
  }
}

TEST(Bound, of_uneven_blocks_is_what_counting_elements_gives) {
  compare("x=2,y=2", {5}, false, 2, 200);
  compare("x=2,y=4", {5, 7}, false, 4, 300);
  compare("x=2,y=4", {0, 7}, false, 4, 10);
  compare("x=2,y=2,z=2", {6, 7}, false, 4, 300);
  compare("x=2,y=3", {5, 12}, false, 4, 200);
}

TEST(Bound, of_a_mesh_of_a_million_ranks_is_closed) {
  Mesh mesh = makeMesh("a=32,b=32,c=32,d=32");
  int64_t n = 1 << 20;
  Layout from = makeLayout(mesh, "[{a,b},{}]");
  Layout to = makeLayout(mesh, "[{},{c}]");
  Bound bound =
      getBound(mesh, {n, 32}, from, to, *cost::getNamedCluster("h100"), 2);
  EXPECT_TRUE(bound.exact);
  // Wanted is a column of n elements, of which a rank has n / 1024.
  EXPECT_EQ(bound.maxReceivedBytes, 2 * (n - n / 1024));
  EXPECT_EQ(bound.maxSentBytes, bound.maxReceivedBytes);
  Bound uneven =
      getBound(mesh, {n - 1, 32}, from, to, *cost::getNamedCluster("h100"), 2);
  EXPECT_FALSE(uneven.exact);
  EXPECT_GT(uneven.maxReceivedBytes, 0);
}

TEST(Bound, is_beaten_by_no_plan) {
  std::mt19937_64 random(5);
  static constexpr int64_t sizes[] = {5, 6, 8, 12};
  for (const char *name : {"bytes", "h100"})
    for (const char *text : {"x=2,y=4", "x=2,y=2,z=2", "x=4,y=2,z=2"}) {
      Mesh mesh = makeMesh(text);
      PlannerOptions options;
      options.cluster = *cost::getNamedCluster(name);
      std::vector<Layout> layouts = listLayouts(mesh, 2, /*partial=*/true);
      for (int i = 0; i < 400; ++i) {
        llvm::SmallVector<int64_t> shape = {sizes[random() % 4],
                                            sizes[random() % 4]};
        const Layout &from = layouts[random() % layouts.size()];
        Layout to = layouts[random() % layouts.size()];
        to.partial.clear();
        Plan plan =
            llvm::cantFail(planRedistribution(mesh, shape, from, to, options));
        PlanCost cost = getPlanCost(plan, options.cluster, 4, 1 << 20);
        Bound bound = getBound(mesh, shape, from, to, options.cluster, 4);
        ASSERT_TRUE(bound.exact);
        ASSERT_GE(cost.maxReceivedBytes, bound.maxReceivedBytes)
            << toString(plan);
        ASSERT_GE(cost.maxSentBytes, bound.maxSentBytes) << toString(plan);
        ASSERT_GE(cost.totalReceivedBytes, bound.totalReceivedBytes)
            << toString(plan);
        ASSERT_GE(cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes)
            << toString(plan);
        ASSERT_GE(cost.timeSec * (1 + 1e-9), bound.timeSec) << toString(plan);
        Certificate certificate = certify(plan, cost, bound, options);
        ASSERT_EQ(certificate.meetsTime, certificate.ratio == 1);
        ASSERT_FALSE(certificate.reason.empty());
      }
    }
}

TEST(Bound, of_even_pairs_is_met_by_balanced_exchanges) {
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  for (const char *text : {"x=2,y=2", "x=2,y=4", "x=2,y=2,z=2", "x=2,y=3"}) {
    Mesh mesh = makeMesh(text);
    llvm::SmallVector<int64_t, 4> shape(2, 36 * 4);
    std::vector<Layout> layouts = listLayouts(mesh, 2);
    std::mt19937_64 random(23);
    for (int i = 0; i < 400; ++i) {
      const Layout &from = layouts[random() % layouts.size()];
      const Layout &to = layouts[random() % layouts.size()];
      if (from == to || getExchangeAxes(shape, from, to).empty())
        continue;
      Plan plan{
          mesh,
          shape,
          from,
          to,
          {makeBalancedExchange(mesh, shape, from, to, bytes, 1, 1 << 20)}};
      PlanCost cost = getPlanCost(plan, bytes, 1, 1 << 20);
      Bound bound = getBound(mesh, shape, from, to, bytes, 1);
      Certificate certificate = certify(plan, cost, bound, {});
      EXPECT_TRUE(certificate.meetsTime)
          << toString(plan) << certificate.reason;
      EXPECT_EQ(std::max(cost.maxReceivedBytes, cost.maxSentBytes),
                bound.maxReceivedBytes);
    }
  }
}

TEST(Bound, of_the_published_case) {
  Mesh mesh = makeMesh("x=4,y=2");
  Layout from = makeLayout(mesh, "[{y},{},{x}]");
  Layout to = makeLayout(mesh, "[{},{x,y},{}]");
  Bound bound = getBound(mesh, {16, 16, 16}, from, to,
                         *cost::getNamedCluster("bytes"), 1);
  EXPECT_EQ(bound.maxReceivedBytes, 448);
  EXPECT_EQ(bound.totalReceivedBytes, 3584);
  EXPECT_DOUBLE_EQ(bound.timeSec, 448e-6);
}

} // namespace
