// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans against all paths over layouts, under caps, and on networks of two
/// levels.

#include "Measure.h"

#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/Bound.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

constexpr int64_t elementBytes = 4;

PlannerOptions getOptions(const cost::Cluster &cluster) {
  PlannerOptions options;
  options.cluster = cluster;
  options.elementBytes = elementBytes;
  return options;
}

/// Nodes where time is bytes and the network has a fourth of the bandwidth.
cost::Cluster makeNodes(int64_t numDevices) {
  cost::Cluster cluster = *cost::getNamedCluster("bytes");
  cluster.name = "nodes";
  cluster.levels = {{"node", numDevices, {0, 4e6}}, {"network", 0, {0, 1e6}}};
  return cluster;
}

/// Compares plans between all of \p layouts with the fastest paths of
/// collectives, of an exchange, and of collectives, through any of them.
void expectNoFasterPath(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<Layout> layouts,
                        const cost::Cluster &cluster) {
  BestCollectives best(mesh, shape, layouts, cluster, elementBytes);
  PlannerOptions options = getOptions(cluster);
  const size_t size = layouts.size();
  // The least time from each layout to each by a path that may end in an
  // exchange.
  std::vector<double> leastSec(size * size);
  for (size_t to = 0; to < size; ++to) {
    for (size_t from = 0; from < size; ++from)
      leastSec[from * size + to] = best.getTimeSec(from, to);
    for (size_t via = 0; via < size && !layouts[to].isPartial(); ++via) {
      if (via == to || layouts[via].isPartial())
        continue;
      PricedStep exchange =
          makeFastestExchange(mesh, shape, layouts[via], layouts[to], cluster,
                              elementBytes, options.chunkBytes);
      for (size_t from = 0; from < size; ++from)
        leastSec[from * size + to] =
            std::min(leastSec[from * size + to],
                     best.getTimeSec(from, via) + exchange.cost.timeSec);
    }
  }
  for (size_t from = 0; from < size; ++from)
    for (size_t to = 0; to < size; ++to) {
      // One all-reduce over several axes stays one where time is bytes.
      if (layouts[to].isPartial() ||
          (cluster.baseSec == 0 && layouts[from].getPartialAxes().size() > 1 &&
           layouts[from].withoutPartial() == layouts[to]))
        continue;
      double least = leastSec[from * size + to];
      for (size_t via = 0; via < size; ++via)
        least = std::min(least, leastSec[from * size + via] +
                                    best.getTimeSec(via, to));
      Plan plan = llvm::cantFail(
          planRedistribution(mesh, shape, layouts[from], layouts[to], options));
      PlanCost cost =
          getPlanCost(plan, cluster, elementBytes, options.chunkBytes);
      EXPECT_LE(cost.timeSec, least * (1 + 1e-9)) << toString(plan);
      EXPECT_EQ(getMessage(evaluatePlan(plan)), "success");
    }
}

TEST(Search, no_path_is_faster) {
  for (const char *name : {"bytes", "h100"}) {
    cost::Cluster cluster = *cost::getNamedCluster(name);
    for (const char *text : {"x=2,y=2", "x=2,y=3"}) {
      Mesh mesh = makeMesh(text);
      expectNoFasterPath(mesh, {36, 36}, listLayouts(mesh, 2, true), cluster);
    }
    Mesh mesh = makeMesh("x=2,y=2,z=2");
    expectNoFasterPath(mesh, {16}, listLayouts(mesh, 1, true), cluster);
  }
}

TEST(Search, shares_a_reduction_between_replicas) {
  Plan plan =
      makePlan(makeMesh("x=4,y=2"), {16}, "[{}] partial=[sum(x)]", "[{}]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  all_slice: [{}] partial=[sum(x)] -> [{y}] partial=[sum(x)], 0 "
            "elements received a rank\n"
            "  all_reduce sum over {x}: [{y}] partial=[sum(x)] -> [{y}], 12 "
            "elements received a rank\n"
            "  all_gather dim 0 over {y}: [{y}] -> [{}], 8 elements received a "
            "rank\n");
  // Where messages take time one all-reduce is faster.
  plan = llvm::cantFail(
      planRedistribution(plan.mesh, {16}, plan.from, plan.to,
                         getOptions(*cost::getNamedCluster("h100"))));
  EXPECT_EQ(plan.steps.size(), 1u);
}

#ifdef PCTL_LONG_TESTS
constexpr size_t maxNodePairs = SIZE_MAX;
#else
constexpr size_t maxNodePairs = 300;
#endif

/// Plans pairs of layouts without partial axes, about maxNodePairs of them, and
/// compares what comes into nodes with what has to.
void expectUniqueBytesIntoNodes(llvm::StringRef meshText,
                                llvm::ArrayRef<int64_t> shape,
                                const cost::Cluster &cluster) {
  PlannerOptions options = getOptions(cluster);
  Mesh mesh = makeMesh(meshText);
  std::vector<Layout> layouts = listLayouts(mesh, shape.size());
  size_t pairs = layouts.size() * layouts.size(), counted = 0;
  for (size_t pair = 0; pair < pairs; pair += pairs / maxNodePairs | 1) {
    const Layout &from = layouts[pair / layouts.size()];
    const Layout &to = layouts[pair % layouts.size()];
    Plan plan =
        llvm::cantFail(planRedistribution(mesh, shape, from, to, options));
    EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
    EXPECT_EQ(getMessage(evaluatePlan(plan)), "success");
    Bound bound = getBound(mesh, shape, from, to, cluster, elementBytes);
    PlanCost cost =
        getPlanCost(plan, cluster, elementBytes, options.chunkBytes);
    EXPECT_EQ(cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes)
        << toString(plan);
    counted += bound.maxUnitReceivedBytes != 0;
  }
  EXPECT_GT(counted, 100u);
}

TEST(Search, brings_each_element_into_a_node_once) {
  for (const char *mesh : {"x=2,y=4", "x=4,y=2", "x=2,y=2,z=2"})
    expectUniqueBytesIntoNodes(mesh, {16, 16}, makeNodes(4));
  expectUniqueBytesIntoNodes("x=4,y=2,z=2", {16, 16}, makeNodes(8));
}

TEST(Search, fetches_from_the_own_node_what_is_there) {
  // Nodes of 4 are no part of an axis here: ranks 0 to 3, and 4 and 5.
  for (const char *text : {"x=2,y=3", "x=2,y=3 devices=[0,4,1,5,2,3]"}) {
    Mesh mesh = makeMesh(text);
    PlannerOptions options = getOptions(makeNodes(4));
    for (auto [from, to] : {std::pair("[{},{y}]", "[{},{x}]"),
                            std::pair("[{y},{}]", "[{x,y},{}]"),
                            std::pair("[{},{x}]", "[{},{y,x}]")}) {
      Layout before = makeLayout(mesh, from), after = makeLayout(mesh, to);
      Plan plan = llvm::cantFail(
          planRedistribution(mesh, {12, 12}, before, after, options));
      EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
      EXPECT_EQ(getMessage(evaluatePlan(plan)), "success");
      Bound bound = getBound(mesh, {12, 12}, before, after, options.cluster,
                             elementBytes);
      PlanCost cost =
          getPlanCost(plan, options.cluster, elementBytes, options.chunkBytes);
      EXPECT_EQ(cost.maxUnitReceivedBytes, bound.maxUnitReceivedBytes)
          << toString(plan);
    }
  }
}

TEST(Search, gathers_in_the_node_what_came_into_it) {
  Plan plan = llvm::cantFail(planRedistribution(
      makeMesh("x=2,y=4"), {16, 16},
      makeLayout(makeMesh("x=2,y=4"), "[{x},{}]"),
      makeLayout(makeMesh("x=2,y=4"), "[{},{}]"), getOptions(makeNodes(4))));
  EXPECT_EQ(getMessage(evaluatePlan(plan)), "success");
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].to, makeLayout(plan.mesh, "[{},{y}]"));
  EXPECT_EQ(plan.steps[1].kind, StepKind::AllGather);
}

TEST(Search, keeps_caps) {
  Mesh mesh = makeMesh("x=2,y=2");
  std::vector<Layout> layouts = listLayouts(mesh, 2);
  PlannerOptions options = getOptions(*cost::getNamedCluster("h100"));
  options.chunkBytes = 64;
  size_t planned = 0, refused = 0;
  for (const Layout &from : layouts)
    for (const Layout &to : layouts) {
      int64_t held = elementBytes * std::max(getMaxLocalElements(from, {8, 8}),
                                             getMaxLocalElements(to, {8, 8}));
      for (int64_t capBytes : {held, held + 64, held + 256}) {
        options.capBytes = capBytes;
        llvm::Expected<Plan> plan =
            planRedistribution(mesh, {8, 8}, from, to, options);
        if (!plan) {
          EXPECT_NE(llvm::toString(plan.takeError())
                        .find("no plan that was tried holds less"),
                    std::string::npos);
          ++refused;
          continue;
        }
        ++planned;
        EXPECT_EQ(getMessage(evaluatePlan(*plan)), "success");
        EXPECT_LE(
            getPlanCost(*plan, options.cluster, elementBytes, 64).peakBytes,
            capBytes)
            << toString(*plan);
      }
    }
  EXPECT_GT(planned, refused);
}

} // namespace
