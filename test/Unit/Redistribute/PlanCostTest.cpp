// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Costs against counts of single messages, against evaluations, and against
/// times worked out by hand.

#include "TestSupport.h"

#include "pctl/Layout/ReplicaGroups.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <random>

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;
using llvm::ArrayRef;

namespace {

constexpr int64_t chunk = 1 << 20;

Cluster makeCluster(ArrayRef<int64_t> sizes) {
  Cluster cluster = *getNamedCluster("bytes");
  cluster.baseSec = 1000;
  cluster.levels.clear();
  double bandwidth = 16, latency = 1;
  for (int64_t size : sizes) {
    cluster.levels.push_back({"inner", size, {latency, bandwidth}});
    bandwidth /= 4;
    latency *= 8;
  }
  cluster.levels.push_back({"all", 0, {latency, bandwidth}});
  return cluster;
}

Step makeExchange(const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from,
                  const Layout &to) {
  Step step;
  step.kind = StepKind::Exchange;
  step.from = from;
  step.to = to;
  step.axes = getExchangeAxes(shape, from, to);
  return step;
}

//===----------------------------------------------------------------------===//
// Exchanges, message by message
//===----------------------------------------------------------------------===//

/// What an exchange costs by looking at each pair of ranks.
struct Counted {
  Counted(const Mesh &mesh, ArrayRef<int64_t> shape, const Step &step,
          const Cluster &cluster);

  int64_t received = 0, sent = 0, total = 0, intoUnit = 0;
  /// Elements of a round: those of messages with gaps at that end, and of all.
  int64_t withGaps = 0, inFlight = 0;
  double timeSec = 0;
};

/// Returns whether \p box is several runs in an array of \p outer.
bool hasGaps(const Box &box, const Box &outer) {
  for (unsigned dim = 1; dim < box.getTensorRank(); ++dim) {
    int64_t before = 1;
    for (unsigned i = 0; i < dim; ++i)
      before *= box[i].size;
    if (before > 1 && box[dim].size != outer[dim].size)
      return true;
  }
  return false;
}

Counted::Counted(const Mesh &mesh, ArrayRef<int64_t> shape, const Step &step,
                 const Cluster &cluster) {
  size_t numRanks = mesh.getNumRanks(), numLevels = cluster.levels.size();
  using Table = std::vector<std::vector<int64_t>>;
  Table in(numRanks, std::vector<int64_t>(numLevels, 0)),
      out = in, inPeers = in, outPeers = in;
  std::vector<int64_t> gaps(numRanks, 0), flying(numRanks, 0);
  std::map<int64_t, int64_t> units;
  const Layout &owners = step.owners ? *step.owners : step.from;
  auto getDevice = [&](int64_t rank) {
    return mesh.getDeviceIds().empty() ? rank : mesh.getDeviceIds()[rank];
  };
  for (size_t p = 0; p < numRanks; ++p)
    for (int64_t q : ReplicaGroups(mesh, step.axes).getMembers(p)) {
      auto box = intersect(getBox(mesh, owners, shape, p),
                           getBox(mesh, step.to, shape, q));
      if (!box || getBox(mesh, step.from, shape, p) ==
                      getBox(mesh, step.from, shape, q))
        continue;
      unsigned level = getLevel(cluster, getDevice(p), getDevice(q));
      int64_t elements = box->getNumElements(), part = elements;
      for (Range range : box->getRanges())
        if (range.size > 1) {
          part = elements / range.size * ceilDiv(range.size, step.rounds);
          break;
        }
      out[p][level] += elements;
      in[q][level] += elements;
      ++outPeers[p][level];
      ++inPeers[q][level];
      for (auto [rank, layout] :
           {std::pair<int64_t, const Layout *>(p, &step.from), {q, &step.to}}) {
        flying[rank] += part;
        if (hasGaps(*box, getBox(mesh, *layout, shape, rank)))
          gaps[rank] += part;
      }
      if (numLevels > 1 && level == numLevels - 1)
        units[getDevice(q) / cluster.levels[numLevels - 2].numDevices] +=
            elements;
    }
  double latency = 0, transfer = 0;
  for (size_t rank = 0; rank < numRanks; ++rank) {
    int64_t sumIn = 0, sumOut = 0;
    double latencyIn = 0, latencyOut = 0;
    for (size_t level = 0; level < numLevels; ++level) {
      const Link &link = cluster.levels[level].link;
      sumIn += in[rank][level];
      sumOut += out[rank][level];
      latencyIn += link.latencySec * inPeers[rank][level];
      latencyOut += link.latencySec * outPeers[rank][level];
      transfer = std::max(transfer, link.getTransferSec(std::max(
                                        in[rank][level], out[rank][level])));
    }
    received = std::max(received, sumIn);
    sent = std::max(sent, sumOut);
    total += sumIn;
    latency = std::max({latency, latencyIn, latencyOut});
    withGaps = std::max(withGaps, gaps[rank]);
    inFlight = std::max(inFlight, flying[rank]);
  }
  for (auto [unit, elements] : units)
    intoUnit = std::max(intoUnit, elements);
  if (total != 0)
    timeSec = cluster.baseSec + step.rounds * latency + transfer;
}

/// Cuts \p layout further by axes that it leaves free, at random.
Layout drawOwners(const Mesh &mesh, const Layout &layout,
                  ArrayRef<int64_t> shape, std::mt19937_64 &random) {
  Layout owners = layout;
  for (AxisRef ref : mesh.getComplement(layout.getUsedAxes())) {
    if (random() % 3 == 0)
      continue;
    Layout next = owners;
    next.dims[random() % next.getTensorRank()].axes.push_back(ref);
    bool nested = true;
    for (unsigned dim = 0; dim < next.getTensorRank(); ++dim) {
      DimLayout &inner = next.dims[dim];
      const DimLayout &outer = layout.dims[dim];
      inner.axes = normalizeAxes(inner.axes);
      int64_t factor =
          getNumPositions(inner.axes) / getNumPositions(outer.axes);
      for (int64_t i = 0; i < getNumPositions(outer.axes); ++i)
        nested &= getBlock(outer, shape[dim], i).getEnd() ==
                  getBlock(inner, shape[dim], (i + 1) * factor - 1).getEnd();
    }
    if (nested)
      owners = next;
  }
  return owners;
}

void checkExchange(const Mesh &mesh, ArrayRef<int64_t> shape, const Step &step,
                   const Cluster &cluster) {
  Counted counted(mesh, shape, step, cluster);
  StepCost cost = getStepCost(mesh, shape, step, cluster, 2, chunk);
  EXPECT_TRUE(cost.exact);
  EXPECT_EQ(cost.receivedBytes, 2 * counted.received);
  EXPECT_EQ(cost.sentBytes, 2 * counted.sent);
  EXPECT_GE(cost.stagingBytes, 2 * counted.withGaps);
  EXPECT_LE(cost.stagingBytes, 2 * counted.inFlight);
  EXPECT_EQ(cost.stagingBytes == 0, cost.packBytes == 0);
  // The bytes of the transfer, and not the rest, are doubled.
  Cluster halved = cluster;
  for (Level &level : halved.levels)
    level.link.bandwidthBytesPerSec /= 2;
  EXPECT_DOUBLE_EQ(cost.timeSec, Counted(mesh, shape, step, halved).timeSec);

  Plan plan{
      mesh, llvm::SmallVector<int64_t, 4>(shape), step.from, step.to, {step}};
  PlanCost planCost = getPlanCost(plan, cluster, 2, chunk);
  EXPECT_TRUE(planCost.exact);
  EXPECT_EQ(planCost.maxReceivedBytes, 2 * counted.received);
  EXPECT_EQ(planCost.maxSentBytes, 2 * counted.sent);
  EXPECT_EQ(planCost.totalReceivedBytes, 2 * counted.total);
  EXPECT_EQ(planCost.maxUnitReceivedBytes, 2 * counted.intoUnit);
}

TEST(ExchangeCost, is_that_of_its_messages) {
  const llvm::SmallVector<int64_t> allSizes[] = {{}, {2}, {3}, {2, 4}};
  std::mt19937_64 random(11);
  for (const char *text :
       {"a=2,b=2", "a=2,b=4", "a=2,b=2,c=2", "a=2,b=3", "a=6", "a=4,b=2,c=2",
        "a=2,b=2,c=2 devices=[0,1,4,5,2,3,8,9]"}) {
    Mesh mesh = makeMesh(text);
    for (unsigned rank : {1, 2, 3}) {
      std::vector<Layout> layouts = listLayouts(mesh, rank);
      for (int i = 0; i < 60; ++i) {
        llvm::SmallVector<int64_t> shape;
        for (unsigned dim = 0; dim < rank; ++dim)
          shape.push_back(random() % 2 ? 12 : random() % 9);
        Step step =
            makeExchange(mesh, shape, layouts[random() % layouts.size()],
                         layouts[random() % layouts.size()]);
        if (step.axes.empty())
          continue;
        step.rounds = 1 + random() % 3;
        if (random() % 2) {
          step.owners = drawOwners(mesh, step.from, shape, random);
          step.axes = getExchangeAxes(shape, *step.owners, step.to);
        }
        if (step.axes.empty() ||
            getMessage(verifyStep(mesh, shape, step)) != "success")
          continue;
        SCOPED_TRACE(toString(mesh) + " " + shapeToString(shape) + " " +
                     toString(mesh, step.from) + " -> " +
                     toString(mesh, step.to));
        for (const llvm::SmallVector<int64_t> &sizes : allSizes)
          checkExchange(mesh, shape, step, makeCluster(sizes));
        if (HasFailure())
          return;
      }
    }
  }
}

TEST(ExchangeCost, of_a_sample_sees_every_position_of_a_minor_axis) {
  // The ranks at y = 4 hold 96 of 100 columns and send the most; 5120 ranks are
  // counted on a sample, 2560 one by one.
  auto getSent = [](const char *text, int64_t rows) {
    Mesh mesh = makeMesh(text);
    Step step;
    step.kind = StepKind::Exchange;
    step.from = makeLayout(mesh, "[{x},{y}:[1,1,1,1,96]]");
    step.to = makeLayout(mesh, "[{y},{x}]");
    step.axes = getExchangeAxes({rows, 100}, step.from, step.to);
    return getStepCost(mesh, {rows, 100}, step, *cost::getNamedCluster("bytes"),
                       /*elementBytes=*/1, /*chunkBytes=*/1 << 20)
        .sentBytes;
  };
  EXPECT_GT(getSent("x=512,y=5", 2560), 400);
  EXPECT_GT(getSent("x=1024,y=5", 5120), 400);
}

TEST(ExchangeCost, of_listed_transfers_is_theirs) {
  Mesh mesh = makeMesh("a=4");
  Step step;
  step.kind = StepKind::Exchange;
  step.from = makeLayout(mesh, "[{a}]");
  step.to = makeLayout(mesh, "[{}]");
  step.axes = {mesh.getWholeAxis(0)};
  Box first(Range{0, 2});
  step.transfers = {{0, 1, first}, {0, 2, first}, {0, 3, first}};
  StepCost cost = getStepCost(mesh, {8}, step, makeCluster({2}), 1, chunk);
  EXPECT_EQ(cost.sentBytes, 6);
  EXPECT_EQ(cost.receivedBytes, 2);
  EXPECT_EQ(cost.stagingBytes, 0);
  // One peer in the unit, two outside; two bytes inside, four outside.
  EXPECT_DOUBLE_EQ(cost.timeSec, 1000 + (1 + 8 + 8) + 4 / 4.0);
}

TEST(ExchangeCost, uses_links_of_described_axes) {
  Mesh mesh = makeMesh("a=2,b=2");
  Cluster cluster = makeCluster({});
  cluster.axes.push_back({"b", {100, 1}});
  Step step = makeExchange(mesh, {4, 4}, makeLayout(mesh, "[{a,b},{}]"),
                           makeLayout(mesh, "[{},{a,b}]"));
  StepCost cost = getStepCost(mesh, {4, 4}, step, cluster, 1, chunk);
  EXPECT_EQ(cost.receivedBytes, 3);
  // To one peer along a alone; to two along b.
  EXPECT_DOUBLE_EQ(cost.timeSec, 1000 + (1 + 100 + 100) + 2);
}

//===----------------------------------------------------------------------===//
// Plans, against evaluations
//===----------------------------------------------------------------------===//

void checkPlan(const Plan &plan) {
  Evaluation evaluation = llvm::cantFail(evaluatePlan(plan));
  PlanCost cost = getPlanCost(plan, *getNamedCluster("bytes"), 4, chunk);
  EXPECT_TRUE(cost.exact);
  EXPECT_EQ(cost.maxReceivedBytes, 4 * evaluation.traffic.maxReceived);
  EXPECT_EQ(cost.maxSentBytes, 4 * evaluation.traffic.maxSent);
  EXPECT_EQ(cost.totalReceivedBytes, 4 * evaluation.traffic.totalReceived);
  EXPECT_GE(cost.peakBytes, 4 * evaluation.traffic.maxHeld);
}

TEST(PlanCost, is_what_evaluations_count) {
  std::mt19937_64 random(5);
  for (const char *text : {"a=2,b=2", "a=2,b=4", "a=2,b=3", "a=4,b=2,c=2"}) {
    Mesh mesh = makeMesh(text);
    std::vector<Layout> layouts = listLayouts(mesh, 2, /*partial=*/true);
    for (int i = 0; i < 150; ++i) {
      llvm::SmallVector<int64_t> shape = {int64_t(random() % 13), 12};
      llvm::Expected<Plan> plan =
          planRedistribution(mesh, shape, layouts[random() % layouts.size()],
                             layouts[random() % layouts.size()]);
      if (!plan) {
        llvm::consumeError(plan.takeError());
        continue;
      }
      SCOPED_TRACE(toString(*plan));
      checkPlan(*plan);
    }
  }
}

TEST(PlanCost, of_a_broadcast_is_that_of_a_chain) {
  Plan plan =
      llvm::cantFail(parsePlan("12 on x=3,y=2: [{y,x}:[0,6,0,0,6,0]] -> [{y}]\n"
                               "broadcast from position 1 over {x}: "
                               "[{y,x}:[0,6,0,0,6,0]] -> [{y}]"));
  checkPlan(plan);
  Traffic traffic = getTraffic(plan);
  EXPECT_TRUE(traffic.exact);
  EXPECT_EQ(traffic.maxReceived, 6);
  EXPECT_EQ(traffic.maxSent, 6);
  EXPECT_EQ(traffic.totalReceived, 24);
  PlanCost cost = getPlanCost(plan, *getNamedCluster("bytes"), 4, chunk);
  EXPECT_EQ(cost.maxSentBytes, 24);
  // Each group of three crosses from one node into the other once.
  EXPECT_EQ(getPlanCost(plan, makeCluster({4}), 1, chunk).maxUnitReceivedBytes,
            12);
}

TEST(PlanCost, counts_what_comes_into_units) {
  auto getIntoUnit = [](const char *from, const char *to) {
    Mesh mesh = makeMesh("n=2,d=4");
    Plan plan = makePlan(mesh, {16, 16}, from, to);
    EXPECT_EQ(plan.steps.size(), 1u);
    return getPlanCost(plan, makeCluster({4}), 1, chunk).maxUnitReceivedBytes;
  };
  // A half of the tensor, once, whoever wants it.
  EXPECT_EQ(getIntoUnit("[{n,d},{}]", "[{},{}]"), 128);
  // Each of four ranks gathers a half of what it wants.
  EXPECT_EQ(getIntoUnit("[{n},{d}]", "[{},{d}]"), 4 * 32);
  EXPECT_EQ(getIntoUnit("[{d},{}]", "[{},{}]"), 0);
  // A half of what each of four ranks wants.
  EXPECT_EQ(getIntoUnit("[{n,d},{}]", "[{},{n,d}]"), 4 * 16);
  EXPECT_EQ(getIntoUnit("[{},{}] partial=[sum(n)]", "[{},{}]"), 4 * 256);
}

//===----------------------------------------------------------------------===//
// Times, staging, large meshes
//===----------------------------------------------------------------------===//

StepCost getOnlyStepCost(const char *mesh, ArrayRef<int64_t> shape,
                         const char *from, const char *to,
                         const Cluster &cluster) {
  Plan plan = makePlan(makeMesh(mesh), shape, from, to);
  EXPECT_EQ(plan.steps.size(), 1u);
  return getStepCost(plan.mesh, shape, plan.steps.front(), cluster, 4, 64);
}

TEST(StepCost, of_collectives_is_over_the_slowest_link) {
  Cluster cluster = makeCluster({2});
  // Three hops of 8 and three slices of 32 bytes at 4 bytes a second.
  EXPECT_DOUBLE_EQ(
      getOnlyStepCost("x=4", {32}, "[{x}]", "[{}]", cluster).timeSec,
      1000 + 3 * 8 + 3 * 32 / 4.0);
  EXPECT_DOUBLE_EQ(
      getOnlyStepCost("x=4,y=2", {32}, "[{y}]", "[{}]", cluster).timeSec,
      1000 + 1 + 64 / 16.0);
}

TEST(StepCost, packs_where_slices_have_gaps) {
  Cluster cluster = makeCluster({});
  cluster.memoryBandwidthBytesPerSec = 2;
  StepCost gather =
      getOnlyStepCost("x=4", {8, 8}, "[{},{x}]", "[{},{}]", cluster);
  EXPECT_EQ(gather.packBytes, 256);
  EXPECT_EQ(gather.stagingBytes, 64);
  EXPECT_EQ(gather.liveBytes, 256 + 64);
  EXPECT_DOUBLE_EQ(gather.timeSec, 1000 + 3 + 3 * 64 / 16.0 + 2 * 256 / 2);
  StepCost first =
      getOnlyStepCost("x=4", {8, 8}, "[{x},{}]", "[{},{}]", cluster);
  EXPECT_EQ(first.packBytes, 0);
  EXPECT_EQ(first.liveBytes, 256);
  EXPECT_DOUBLE_EQ(first.timeSec, 1000 + 3 + 3 * 64 / 16.0);
  // A dim of one element in front leaves no gaps.
  EXPECT_EQ(
      getOnlyStepCost("x=4", {1, 8}, "[{},{x}]", "[{},{}]", cluster).packBytes,
      0);
}

TEST(StepCost, stages_a_chunk_or_one_side_of_an_all_to_all_of_rows) {
  Cluster cluster = makeCluster({});
  StepCost rows =
      getOnlyStepCost("x=4", {32, 32}, "[{x},{}]", "[{},{x}]", cluster);
  EXPECT_EQ(rows.packBytes, 1024);
  EXPECT_EQ(rows.stagingBytes, 1024);
  StepCost inner =
      getOnlyStepCost("x=4", {8, 8, 8}, "[{},{x},{}]", "[{},{},{x}]", cluster);
  EXPECT_EQ(inner.packBytes, 1024);
  EXPECT_EQ(inner.stagingBytes, 128);
}

TEST(StepCost, stages_all_where_slices_are_uneven) {
  Mesh mesh = makeMesh("x=4,y=2");
  Step step;
  step.kind = StepKind::AllGather;
  step.from = makeLayout(mesh, "[{y},{x}]");
  step.to = makeLayout(mesh, "[{y},{}]");
  step.axes = {mesh.getWholeAxis(0)};
  step.dim = 1;
  auto getStaged = [&](int64_t rows) {
    EXPECT_EQ(getMessage(verifyStep(mesh, {rows, 64}, step)), "success");
    return getStepCost(mesh, {rows, 64}, step, makeCluster({}), 4, 256)
        .stagingBytes;
  };
  EXPECT_EQ(getStaged(8), 256);
  EXPECT_EQ(getStaged(7), 4 * 64 * 4);
}

TEST(ExchangeCost, stages_at_ends_with_gaps) {
  auto getStaged = [](ArrayRef<int64_t> shape, const char *from,
                      const char *to) {
    Mesh mesh = makeMesh("x=2,y=2");
    Step step =
        makeExchange(mesh, shape, makeLayout(mesh, from), makeLayout(mesh, to));
    return getStepCost(mesh, shape, step, makeCluster({}), 1, chunk)
        .stagingBytes;
  };
  // Rows of what a rank has of each, whole.
  EXPECT_EQ(getStaged({5, 8}, "[{x},{}]", "[{},{}]"), 0);
  EXPECT_EQ(getStaged({5, 8}, "[{x},{y}]", "[{},{y}]"), 0);
  EXPECT_EQ(getStaged({1, 5}, "[{},{x}]", "[{},{}]"), 0);
  // 3 columns of 8 are sent, and as many received.
  EXPECT_EQ(getStaged({8, 5}, "[{},{x}]", "[{},{}]"), 8 * 3 + 8 * 2);
  // An element of each of two rows is sent, and two rows of one arrive.
  EXPECT_EQ(getStaged({4, 4}, "[{x},{}]", "[{},{x,y}]"), 2 + 2);
}

TEST(StepCost, of_a_slice_is_nothing) {
  StepCost cost = getOnlyStepCost("x=4", {8}, "[{}]", "[{x}]", makeCluster({}));
  EXPECT_EQ(cost.receivedBytes, 0);
  EXPECT_EQ(cost.timeSec, 0);
  EXPECT_EQ(cost.liveBytes, 32);
}

TEST(PlanCost, without_steps_is_what_is_held) {
  PlanCost cost = getPlanCost(makePlan(makeMesh("x=4"), {8}, "[{x}]", "[{x}]"),
                              makeCluster({}), 4, 64);
  EXPECT_EQ(cost.peakBytes, 8);
  EXPECT_EQ(cost.timeSec, 0);
  EXPECT_TRUE(cost.exact);
}

TEST(PlanCost, of_large_meshes_costs_little) {
  auto start = std::chrono::steady_clock::now();
  Mesh mesh = makeMesh("a=32,b=32,c=32,d=32");
  Plan plan = makePlan(mesh, {1 << 20, 1 << 20, 1 << 20}, "[{a},{b,c},{d}]",
                       "[{d,b},{},{a,c}]");
  PlanCost cost = getPlanCost(plan, *getNamedCluster("h100"), 2, 4 << 20);
  // Every rank keeps at most one part in 32 of what it will hold.
  EXPECT_FALSE(cost.exact);
  EXPECT_GT(cost.maxReceivedBytes, 0);
  EXPECT_LE(cost.maxReceivedBytes, int64_t(2) << 45);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(PlanCost, that_no_int64_holds_is_the_greatest) {
  Plan plan = makePlan(makeMesh("x=2"), {int64_t(1) << 62}, "[{x}]", "[{}]");
  PlanCost cost = getPlanCost(plan, *getNamedCluster("bytes"), 16, 64);
  EXPECT_EQ(cost.maxReceivedBytes, INT64_MAX);
  EXPECT_FALSE(cost.exact);
}

} // namespace
