// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Measure.h"

#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr int64_t elementBytes = 4;
static constexpr int64_t chunkBytes = 4 << 20;

//===----------------------------------------------------------------------===//
// The least that direct transfers need
//===----------------------------------------------------------------------===//

/// Calls \p visit with each box between neighbouring ends of \p boxes, none of
/// which has a part of one of them.
static void forEachCell(ArrayRef<Box> boxes, unsigned dim,
                        SmallVector<Range, 4> &cell,
                        llvm::function_ref<void(const Box &)> visit) {
  if (dim == boxes.front().getTensorRank())
    return visit(Box(cell));
  SmallVector<int64_t> ends;
  for (const Box &box : boxes) {
    ends.push_back(box[dim].offset);
    ends.push_back(box[dim].getEnd());
  }
  llvm::sort(ends);
  for (size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] == ends[i - 1])
      continue;
    cell.push_back({ends[i - 1], ends[i] - ends[i - 1]});
    forEachCell(boxes, dim + 1, cell, visit);
    cell.pop_back();
  }
}

DirectOptimum test::getDirectOptimum(const Mesh &mesh, ArrayRef<int64_t> shape,
                                     const Layout &from, const Layout &to) {
  const unsigned numRanks = mesh.getNumRanks();
  SmallVector<Box> held, wanted;
  for (unsigned rank = 0; rank < numRanks; ++rank) {
    held.push_back(getBox(mesh, from, shape, rank));
    wanted.push_back(getBox(mesh, to, shape, rank));
  }
  SmallVector<Box> boxes(held);
  boxes.append(wanted);
  std::vector<int64_t> demands(size_t(1) << numRanks, 0);
  SmallVector<int64_t> lacking(numRanks, 0);
  SmallVector<Range, 4> cell;
  forEachCell(boxes, 0, cell, [&](const Box &box) {
    uint32_t holders = 0;
    for (unsigned rank = 0; rank < numRanks; ++rank)
      if (held[rank].contains(box))
        holders |= 1u << rank;
    for (unsigned rank = 0; rank < numRanks; ++rank)
      if (wanted[rank].contains(box) && !(holders >> rank & 1)) {
        lacking[rank] += box.getNumElements();
        demands[holders] += box.getNumElements();
      }
  });
  for (unsigned rank = 0; rank < numRanks; ++rank)
    for (size_t set = 0; set < demands.size(); ++set)
      if (set >> rank & 1)
        demands[set] += demands[set ^ (size_t(1) << rank)];
  DirectOptimum optimum;
  optimum.maxReceived = *llvm::max_element(lacking);
  for (size_t set = 1; set < demands.size(); ++set)
    optimum.maxSent =
        std::max(optimum.maxSent, ceilDiv(demands[set], llvm::popcount(set)));
  return optimum;
}

//===----------------------------------------------------------------------===//
// The best collectives
//===----------------------------------------------------------------------===//

/// Returns the pairs of a permute over all axes that does a change in which
/// ranks swap whole slices; nothing if it is none.
static std::optional<Step> makePermute(const Mesh &mesh,
                                       ArrayRef<int64_t> shape,
                                       const Layout &from, const Layout &to) {
  Step step;
  step.kind = StepKind::Permute;
  step.from = from;
  step.to = to;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
    step.axes.push_back(mesh.getWholeAxis(axis));
  SmallVector<bool> taken(mesh.getNumRanks(), false);
  for (int64_t source = 0; source < mesh.getNumRanks(); ++source) {
    Box sent = getBox(mesh, from, shape, source);
    auto fits = [&](int64_t target) {
      return !taken[target] && getBox(mesh, to, shape, target) == sent;
    };
    int64_t target = source;
    if (!fits(target))
      for (target = 0; target < mesh.getNumRanks() && !fits(target);)
        ++target;
    if (target == mesh.getNumRanks())
      return std::nullopt;
    taken[target] = true;
    step.pairs.push_back({source, target});
  }
  return step;
}

/// Returns the axes behind \p prefix in \p axes where those begin with it.
static std::optional<SmallVector<AxisRef>> getRest(ArrayRef<AxisRef> axes,
                                                   ArrayRef<AxisRef> prefix) {
  if (getCommonPrefix(axes, prefix) != normalizeAxes(prefix))
    return std::nullopt;
  return dropPrefix(axes, prefix);
}

/// Returns the one step of collectives that leads from \p from to \p to by
/// their axes; it need not be valid.
static std::optional<Step> guessStep(const Mesh &mesh, ArrayRef<int64_t> shape,
                                     const Layout &from, const Layout &to) {
  Step step;
  step.from = from;
  step.to = to;
  SmallVector<unsigned> lost, gained;
  SmallVector<AxisRef> leaving, joining;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    ArrayRef<AxisRef> before = from.dims[dim].axes, after = to.dims[dim].axes;
    if (normalizeAxes(before) == normalizeAxes(after))
      continue;
    if (auto rest = getRest(after, before)) {
      gained.push_back(dim);
      joining = *rest;
    } else if (auto rest = getRest(before, after)) {
      lost.push_back(dim);
      leaving = *rest;
    } else {
      return makePermute(mesh, shape, from, to);
    }
  }
  if (from.partial != to.partial) {
    if (!lost.empty() || gained.size() > 1 || from.partial.empty())
      return std::nullopt;
    step.kind = gained.empty() ? StepKind::AllReduce : StepKind::ReduceScatter;
    step.reduction = from.partial.front().kind;
    step.dim = gained.empty() ? 0 : gained.front();
    SmallVector<AxisRef> reduced;
    for (AxisRef ref : from.getPartialAxes())
      if (!llvm::is_contained(to.getPartialAxes(), ref))
        reduced.push_back(ref);
    step.axes = gained.empty() ? reduced : joining;
    return step;
  }
  if (lost.empty()) {
    step.kind = StepKind::Slice;
    return step;
  }
  if (lost.size() == 1 && gained.empty()) {
    step.kind = StepKind::AllGather;
    step.dim = lost.front();
    step.axes = leaving;
    return step;
  }
  if (lost.size() == 1 && gained.size() == 1 && leaving == joining) {
    step.kind = StepKind::AllToAll;
    step.dim = gained.front();
    step.concatDim = lost.front();
    step.axes = leaving;
    return step;
  }
  return makePermute(mesh, shape, from, to);
}

BestCollectives::BestCollectives(const Mesh &mesh, ArrayRef<int64_t> shape,
                                 ArrayRef<Layout> layouts,
                                 const cost::Cluster &cluster, int64_t bytes)
    : numLayouts(layouts.size()), times(numLayouts * numLayouts, infinity) {
  for (size_t from = 0; from < numLayouts; ++from)
    for (size_t to = 0; to < numLayouts; ++to) {
      double &time = times[from * numLayouts + to];
      if (from == to) {
        time = 0;
        continue;
      }
      auto step = guessStep(mesh, shape, layouts[from], layouts[to]);
      if (step && getMessage(verifyStep(mesh, shape, *step)) == "success")
        time =
            getStepCost(mesh, shape, *step, cluster, bytes, chunkBytes).timeSec;
    }
  for (size_t via = 0; via < numLayouts; ++via)
    for (size_t from = 0; from < numLayouts; ++from) {
      double first = times[from * numLayouts + via];
      if (first == infinity)
        continue;
      for (size_t to = 0; to < numLayouts; ++to)
        times[from * numLayouts + to] =
            std::min(times[from * numLayouts + to],
                     first + times[via * numLayouts + to]);
    }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

double Measures::getGeomean() const {
  return bounded == 0 ? 1 : std::exp(sumOfLogs / bounded);
}

void Measures::add(const Measures &other) {
  if (other.worstRatio > worstRatio)
    worstPair = other.worstPair;
  for (auto [own, others] : {std::pair(&firstWrong, &other.firstWrong),
                             std::pair(&firstOverCap, &other.firstOverCap),
                             std::pair(&firstSlower, &other.firstSlower)})
    if (own->empty())
      *own = *others;
  pairs += other.pairs;
  right += other.right;
  underCap += other.underCap;
  bounded += other.bounded;
  atBound += other.atBound;
  sumOfLogs += other.sumOfLogs;
  worstRatio = std::max(worstRatio, other.worstRatio);
  compared += other.compared;
  slower += other.slower;
}

/// Compares what ranks send and receive with the least possible.
static void measureBound(const Plan &plan, const PlanCost &cost,
                         Measures &measures) {
  if (plan.from.isPartial() || plan.mesh.getNumRanks() > 16)
    return;
  int64_t least =
      getDirectOptimum(plan.mesh, plan.globalShape, plan.from, plan.to)
          .getMost();
  int64_t most = std::max(cost.maxReceivedBytes, cost.maxSentBytes);
  if (least == 0)
    return;
  double ratio =
      static_cast<double>(most) / static_cast<double>(least * elementBytes);
  ++measures.bounded;
  measures.atBound += ratio <= 1;
  measures.sumOfLogs += std::log(ratio);
  if (ratio > measures.worstRatio) {
    measures.worstRatio = ratio;
    measures.worstPair = toString(plan);
  }
}

void test::measurePair(const Mesh &mesh, ArrayRef<int64_t> shape,
                       const Layout &from, const Layout &to,
                       const cost::Cluster &cluster,
                       std::optional<double> bestTimeSec, Measures &measures) {
  ++measures.pairs;
  PlannerOptions options;
  options.cluster = cluster;
  options.elementBytes = elementBytes;
  options.chunkBytes = chunkBytes;
  llvm::Expected<Plan> plan =
      planRedistribution(mesh, shape, from, to, options);
  std::string message =
      plan ? getMessage(verifyPlan(*plan)) : llvm::toString(plan.takeError());
  if (message == "success")
    message = getMessage(evaluatePlan(*plan));
  if (message != "success") {
    if (measures.firstWrong.empty())
      measures.firstWrong = toString(mesh) + " " + shapeToString(shape) + ": " +
                            toString(mesh, from) + " -> " + toString(mesh, to) +
                            ": " + message;
    return;
  }
  ++measures.right;
  PlanCost cost = getPlanCost(*plan, cluster, elementBytes, chunkBytes);
  int64_t cap = elementBytes * std::max(getMaxLocalElements(from, shape),
                                        getMaxLocalElements(to, shape)) +
                chunkBytes;
  if (cost.peakBytes <= cap)
    ++measures.underCap;
  else if (measures.firstOverCap.empty())
    measures.firstOverCap = toString(*plan);
  measureBound(*plan, cost, measures);
  if (!bestTimeSec)
    return;
  ++measures.compared;
  if (cost.timeSec <= *bestTimeSec * (1 + 1e-9))
    return;
  ++measures.slower;
  if (measures.firstSlower.empty())
    measures.firstSlower =
        toString(*plan) + "takes " + std::to_string(cost.timeSec * 1e6) +
        " us, collectives " + std::to_string(*bestTimeSec * 1e6) + " us";
}

/// Returns whether at most one axis of \p mesh is partial in \p layout, whole.
static bool hasOnePartialAxis(const Mesh &mesh, const Layout &layout) {
  SmallVector<AxisRef> axes = layout.getPartialAxes();
  return axes.empty() ||
         (axes.size() == 1 && axes[0] == mesh.getWholeAxis(axes[0].axis));
}

Measures test::measureAllPairs(llvm::StringRef meshText,
                               ArrayRef<int64_t> shape, bool partial,
                               size_t maxPairs, bool compareCollectives,
                               llvm::StringRef clusterName) {
  Mesh mesh = makeMesh(meshText);
  cost::Cluster cluster = *cost::getNamedCluster(clusterName);
  std::vector<Layout> layouts;
  for (const Layout &layout : listLayouts(mesh, shape.size(), partial))
    if (hasOnePartialAxis(mesh, layout))
      layouts.push_back(layout);
  std::optional<BestCollectives> best;
  if (compareCollectives)
    best.emplace(mesh, shape, layouts, cluster, elementBytes);
  Measures measures;
  auto measure = [&](size_t from, size_t to) {
    // With partial axes: those pairs that have one on the left alone.
    if (layouts[to].isPartial() || layouts[from].isPartial() != partial)
      return;
    std::optional<double> time;
    if (best)
      time = best->getTimeSec(from, to);
    measurePair(mesh, shape, layouts[from], layouts[to], cluster, time,
                measures);
  };
  size_t size = layouts.size();
  if (size * size <= maxPairs) {
    for (size_t from = 0; from < size; ++from)
      for (size_t to = 0; to < size; ++to)
        measure(from, to);
    return measures;
  }
  std::mt19937_64 random(20240301);
  for (size_t i = 0; i < maxPairs; ++i)
    measure(random() % size, random() % size);
  return measures;
}

//===----------------------------------------------------------------------===//
// Random pairs
//===----------------------------------------------------------------------===//

/// Draws a mesh of up to \p maxRanks ranks.
static Mesh drawMesh(int64_t maxRanks, std::mt19937_64 &random) {
  SmallVector<MeshAxis> axes;
  int64_t ranks = 1;
  for (const char *name : {"a", "b", "c", "d"}) {
    int64_t size = 1 + random() % 8;
    if (ranks * size > maxRanks)
      continue;
    ranks *= size;
    axes.push_back({name, size});
  }
  return llvm::cantFail(Mesh::create(axes));
}

/// Gives each prime factor of the mesh a random place in a random layout.
static Layout drawLayout(const Mesh &mesh, unsigned tensorRank, bool partial,
                         std::mt19937_64 &random) {
  Layout layout = Layout::replicated(tensorRank);
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    int64_t before = 1, left = mesh.getAxes()[axis].size;
    for (int64_t prime = 2; left > 1; ++prime)
      for (; left % prime == 0; left /= prime, before *= prime) {
        AxisRef ref{axis, before, prime};
        size_t place = random() % (tensorRank + 1 + partial);
        if (place < tensorRank) {
          auto &axes = layout.dims[place].axes;
          axes.insert(axes.begin() + random() % (axes.size() + 1), ref);
        } else if (place > tensorRank) {
          layout.partial.push_back({ReductionKind::Sum, {ref}});
        }
      }
  }
  return layout.getNormalForm();
}

Measures test::measureRandomPairs(size_t numPairs, int64_t maxRanks,
                                  uint64_t seed) {
  std::mt19937_64 random(seed);
  cost::Cluster cluster = *cost::getNamedCluster("bytes");
  static constexpr int64_t sizes[] = {8, 12, 16, 5, 6, 7, 1, 0};
  Measures measures;
  for (size_t i = 0; i < numPairs; ++i) {
    Mesh mesh = drawMesh(maxRanks, random);
    SmallVector<int64_t> shape;
    for (unsigned rank = 1 + random() % 3; rank > 0; --rank)
      shape.push_back(sizes[random() % 8]);
    bool partial = random() % 4 == 0;
    Layout from = drawLayout(mesh, shape.size(), partial, random);
    Layout to = drawLayout(mesh, shape.size(), false, random);
    measurePair(mesh, shape, from, to, cluster, std::nullopt, measures);
  }
  return measures;
}
