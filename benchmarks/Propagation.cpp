// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What propagation costs in programs of growing length: axes enter at the last
/// of a chain of ops and travel to the first. The time a node (the rate in the
/// last column is its inverse) stays the same.

#include "pctl/Layout/LayoutText.h"
#include "pctl/Propagation/Propagate.h"

#include "benchmark/benchmark.h"

using namespace pctl;
using namespace pctl::propagation;

/// Returns \p length additions in a row, each of the one before with itself.
static Graph makeChain(int64_t length) {
  Graph graph(llvm::cantFail(layout::parseMesh("x=4,y=4")));
  llvm::SmallVector<int64_t> shape = {64, 64};
  Rule rule = getElementwiseRule(shape, /*numOperands=*/2, /*numResults=*/1);
  unsigned value = graph.addValue(shape, 64 * 64 * 4);
  for (int64_t i = 0; i < length; ++i) {
    unsigned result = graph.addValue(shape, 64 * 64 * 4);
    graph.addNode(rule, {value, value}, {result});
    value = result;
  }
  graph.addTransfer(
      value, graph.addAnnotatedValue(
                 shape, 64 * 64 * 4,
                 llvm::cantFail(layout::parseLayout("[{x},{y}]", graph.mesh))));
  return graph;
}

static void propagateThroughChain(benchmark::State &state) {
  Graph chain = makeChain(state.range(0));
  for (auto _ : state) {
    Graph graph = chain;
    llvm::cantFail(propagate(graph));
    benchmark::DoNotOptimize(graph.values.front().layout);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(propagateThroughChain)
    ->RangeMultiplier(10)
    ->Range(100, 100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
