// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What planning a layout change costs: over random pairs of layouts on meshes
/// of 8, of 4096 and of 1,048,576 ranks, with the median and the 99th
/// percentile a plan beside the mean; and what the parts cost that a search
/// repeats.

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Balance.h"
#include "pctl/Redistribute/PlanCache.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/Planner.h"

#include "llvm/ADT/STLExtras.h"

#include "benchmark/benchmark.h"

#include <algorithm>
#include <chrono>
#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;

namespace {

/// A mesh, the shape of a tensor and pairs of layouts.
struct Questions {
  Questions(llvm::StringRef meshText, llvm::ArrayRef<int64_t> shape,
            unsigned count)
      : mesh(llvm::cantFail(parseMesh(meshText))), shape(shape) {
    for (unsigned i = 0; i < count; ++i) {
      Layout from = drawLayout(), to = drawLayout();
      pairs.push_back({from, to});
    }
  }

  /// Gives each axis, in random order, to a random dim or to none.
  Layout drawLayout() {
    Layout layout = Layout::replicated(shape.size());
    llvm::SmallVector<AxisRef> axes;
    for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
      axes.push_back(mesh.getWholeAxis(axis));
    std::shuffle(axes.begin(), axes.end(), random);
    for (AxisRef ref : axes)
      if (size_t dim = random() % (shape.size() + 1); dim < shape.size())
        layout.dims[dim].axes.push_back(ref);
    return layout.getNormalForm();
  }

  std::mt19937_64 random{1};
  Mesh mesh;
  llvm::SmallVector<int64_t> shape;
  std::vector<std::pair<Layout, Layout>> pairs;
};

double getPercentile(std::vector<double> &times, double part) {
  auto place = times.begin() + static_cast<size_t>(part * (times.size() - 1));
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

/// Calls \p work with each pair in turn, and reports percentiles over all calls
/// in microseconds.
template <typename Work>
void timeEachPair(benchmark::State &state, const Questions &questions,
                  Work work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  size_t next = 0;
  for (auto _ : state) {
    const auto &[from, to] = questions.pairs[next++ % questions.pairs.size()];
    Clock::time_point start = Clock::now();
    work(from, to);
    times.push_back(
        std::chrono::duration<double, std::micro>(Clock::now() - start)
            .count());
  }
  state.counters["p50_us"] = getPercentile(times, 0.5);
  state.counters["p99_us"] = getPercentile(times, 0.99);
  state.counters["max_us"] = getPercentile(times, 1);
}

/// Plans each pair for a built-in cluster; with \p partial the axes that cut
/// nothing in the source are sums to be done.
void planPairs(benchmark::State &state, const char *mesh,
               llvm::ArrayRef<int64_t> shape, const char *cluster = "bytes",
               bool partial = false) {
  Questions questions(mesh, shape, 2000);
  if (partial)
    for (auto &[from, to] : questions.pairs)
      if (auto free = questions.mesh.getComplement(from.getUsedAxes());
          !free.empty())
        from.partial.push_back(
            {ReductionKind::Sum, {free.begin(), free.end()}});
  PlannerOptions options;
  options.cluster = *cost::getNamedCluster(cluster);
  timeEachPair(state, questions, [&](const Layout &from, const Layout &to) {
    benchmark::DoNotOptimize(llvm::cantFail(planRedistribution(
        questions.mesh, questions.shape, from, to, options)));
  });
}

constexpr int64_t small[] = {64, 64, 64};
constexpr int64_t large[] = {4096, 4096, 4096};
constexpr int64_t huge[] = {1 << 20, 1 << 20, 1 << 20};

void planOn2x2x2(benchmark::State &state, const char *cluster, bool partial) {
  planPairs(state, "a=2,b=2,c=2", small, cluster, partial);
}
void planUnevenOn2x2x2(benchmark::State &state) {
  planPairs(state, "a=2,b=2,c=2", {12, 7, 5});
}
void planOn4096Ranks(benchmark::State &state, const char *cluster,
                     bool partial) {
  planPairs(state, "a=8,b=8,c=8,d=8", large, cluster, partial);
}
void planOn1048576Ranks(benchmark::State &state, const char *cluster,
                        bool partial) {
  planPairs(state, "a=32,b=32,c=32,d=32", huge, cluster, partial);
}

/// Asks a cache that has all pairs.
void findPlanOn2x2x2(benchmark::State &state) {
  Questions questions("a=2,b=2,c=2", small, 500);
  PlanCache cache;
  PlannerOptions options;
  for (const auto &[from, to] : questions.pairs)
    llvm::cantFail(cache.plan(questions.mesh, small, from, to, options));
  timeEachPair(state, questions, [&](const Layout &from, const Layout &to) {
    benchmark::DoNotOptimize(llvm::cantFail(
        cache.plan(questions.mesh, questions.shape, from, to, options)));
  });
}

/// Prices the exchange of each pair, as a search does.
void priceExchanges(benchmark::State &state, const char *mesh,
                    llvm::ArrayRef<int64_t> shape) {
  Questions questions(mesh, shape, 2000);
  cost::Cluster cluster = *cost::getNamedCluster("h100");
  timeEachPair(state, questions, [&](const Layout &from, const Layout &to) {
    Step step;
    step.kind = StepKind::Exchange;
    step.from = from;
    step.to = to;
    step.axes = getExchangeAxes(questions.shape, from, to);
    benchmark::DoNotOptimize(getStepCost(questions.mesh, questions.shape, step,
                                         cluster, /*elementBytes=*/4,
                                         /*chunkBytes=*/4 << 20));
  });
}

void priceExchangeOn2x2x2(benchmark::State &state) {
  priceExchanges(state, "a=2,b=2,c=2", {64, 64, 64});
}
void priceExchangeOn4096Ranks(benchmark::State &state) {
  priceExchanges(state, "a=8,b=8,c=8,d=8", {4096, 4096, 4096});
}

/// Balances the exchange of each pair that needs one.
void balanceExchanges(benchmark::State &state, const char *mesh,
                      llvm::ArrayRef<int64_t> shape) {
  Questions questions(mesh, shape, 2000);
  llvm::erase_if(questions.pairs, [&](const auto &pair) {
    return getExchangeAxes(questions.shape, pair.first, pair.second).empty();
  });
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  timeEachPair(state, questions, [&](const Layout &from, const Layout &to) {
    benchmark::DoNotOptimize(makeBalancedExchange(
        questions.mesh, questions.shape, from, to, bytes, /*elementBytes=*/4,
        /*chunkBytes=*/4 << 20));
  });
}

void balanceExchangeOn2x2x2(benchmark::State &state) {
  balanceExchanges(state, "a=2,b=2,c=2", {64, 64, 64});
}
void balanceExchangeOn4096Ranks(benchmark::State &state) {
  balanceExchanges(state, "a=8,b=8,c=8,d=8", {4096, 4096, 4096});
}

void priceAllGather(benchmark::State &state) {
  Mesh mesh = llvm::cantFail(parseMesh("a=32,b=32"));
  cost::Cluster cluster = *cost::getNamedCluster("h100");
  Step step;
  step.kind = StepKind::AllGather;
  step.from = llvm::cantFail(parseLayout("[{},{a,b}]", mesh));
  step.to = llvm::cantFail(parseLayout("[{},{a}]", mesh));
  step.axes = {mesh.getWholeAxis(1)};
  step.dim = 1;
  for (auto _ : state)
    benchmark::DoNotOptimize(getStepCost(mesh, {4096, 4096}, step, cluster,
                                         /*elementBytes=*/4,
                                         /*chunkBytes=*/4 << 20));
}

} // namespace

BENCHMARK_CAPTURE(planOn2x2x2, bytes, "bytes", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn2x2x2, bytes_partial, "bytes", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn2x2x2, h100, "h100", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn2x2x2, h100_partial, "h100", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(findPlanOn2x2x2)->Unit(benchmark::kMicrosecond);
BENCHMARK(planUnevenOn2x2x2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn4096Ranks, bytes, "bytes", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn4096Ranks, bytes_partial, "bytes", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn4096Ranks, h100, "h100", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn4096Ranks, h100_partial, "h100", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn1048576Ranks, bytes, "bytes", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn1048576Ranks, bytes_partial, "bytes", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn1048576Ranks, h100, "h100", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planOn1048576Ranks, h100_partial, "h100", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(priceExchangeOn2x2x2)->Unit(benchmark::kMicrosecond);
BENCHMARK(priceExchangeOn4096Ranks)->Unit(benchmark::kMicrosecond);
BENCHMARK(balanceExchangeOn2x2x2)->Unit(benchmark::kMicrosecond);
BENCHMARK(balanceExchangeOn4096Ranks)->Unit(benchmark::kMicrosecond);
BENCHMARK(priceAllGather);
