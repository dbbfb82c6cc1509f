// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Propagation: what arrives where in small graphs, and what holds of the
/// outcome in random ones.

#include "pctl/Propagation/Propagate.h"

#include "pctl/Layout/LayoutText.h"

#include "gtest/gtest.h"

#include <random>

using namespace pctl;
using namespace pctl::propagation;
using layout::Layout;
using layout::Mesh;
using Use = Factor::Use;

namespace {

/// A graph of float matmuls and elementwise ops on matrices, written briefly.
class MatrixGraph {
public:
  explicit MatrixGraph(llvm::StringRef meshText)
      : graph(llvm::cantFail(layout::parseMesh(meshText))) {}

  unsigned value(int64_t rows, int64_t columns) {
    return graph.addValue({rows, columns}, rows * columns * 4);
  }
  unsigned value(int64_t rows, int64_t columns, llvm::StringRef text) {
    return graph.addAnnotatedValue(
        {rows, columns}, rows * columns * 4,
        llvm::cantFail(layout::parseLayout(text, graph.mesh)));
  }
  unsigned matmul(unsigned a, unsigned b) {
    int64_t m = graph.values[a].shape[0], n = graph.values[b].shape[1];
    unsigned result = value(m, n);
    Rule rule = {{{m}, {n}, {graph.values[a].shape[1], Use::Reduction}},
                 {{{0}, {2}}, {{2}, {1}}},
                 {{{0}, {1}}}};
    graph.addNode(rule, {a, b}, {result});
    return result;
  }
  unsigned add(unsigned a, unsigned b) {
    llvm::SmallVector<int64_t> shape = graph.values[a].shape;
    unsigned result = value(shape[0], shape[1]);
    graph.addNode(getElementwiseRule(shape, 2, 1), {a, b}, {result});
    return result;
  }
  std::string run() { return llvm::toString(propagate(graph, &statistics)); }
  std::string get(unsigned value) const {
    return toString(graph.mesh, graph.values[value].layout);
  }
  std::string wanted(unsigned node, unsigned operand) const {
    return toString(graph.mesh,
                    getWantedLayout(graph, graph.nodes[node], operand));
  }

  Graph graph;
  Statistics statistics;
};

} // namespace

TEST(Propagate, weights_alone_make_columns_then_rows) {
  MatrixGraph g("model=2");
  unsigned x = g.value(8, 16);
  unsigned w1 = g.value(16, 32, "[{},{model}]");
  unsigned w2 = g.value(32, 16);
  unsigned h = g.matmul(x, w1);
  unsigned y = g.matmul(h, w2);
  unsigned z = g.add(y, x);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(x), "[{},{}]");
  EXPECT_EQ(g.get(h), "[{},{model}]");
  EXPECT_EQ(g.get(w2), "[{model},{}]");
  EXPECT_EQ(g.get(y), "[{},{}] partial=[sum(model)]");
  EXPECT_EQ(g.wanted(2, 0), "[{},{}]");
  EXPECT_EQ(g.get(z), "[{},{}]");
}

TEST(Propagate, batch_travels_both_ways) {
  MatrixGraph g("data=4");
  unsigned x = g.value(8, 16);
  unsigned y = g.add(x, g.value(8, 16));
  unsigned z = g.add(y, y);
  unsigned out = g.value(8, 16, "[{data},{}]");
  g.graph.addTransfer(z, out);
  ASSERT_EQ(g.run(), "");
  for (unsigned value : {x, y, z, out})
    EXPECT_EQ(g.get(value), "[{data},{}]");
}

TEST(Propagate, residual_cut_by_the_weights_axis_is_gathered) {
  // The residual is held to rows by model, the weights are by model as well:
  // the activation is what moves.
  MatrixGraph g("model=2");
  unsigned x = g.value(8, 16, "[{model},{}]");
  unsigned x1 = g.add(x, x);
  unsigned h = g.matmul(x1, g.value(16, 32, "[{},{model}]"));
  unsigned y = g.matmul(h, g.value(32, 16, "[{model},{}]"));
  unsigned out = g.value(8, 16, "[{model},{}]");
  g.graph.addTransfer(y, out);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(x1), "[{model},{}]");
  EXPECT_EQ(g.wanted(1, 0), "[{},{}]");
  EXPECT_EQ(g.wanted(1, 1), "[{},{model}]");
  EXPECT_EQ(g.wanted(2, 1), "[{model},{}]");
  EXPECT_EQ(g.get(y), "[{},{}] partial=[sum(model)]");
  EXPECT_EQ(g.wanted(3, 0), "[{model},{}]");
}

TEST(Propagate, between_annotated_operands_the_larger_keeps_its_axis) {
  MatrixGraph g("x=2");
  unsigned small = g.value(4, 8, "[{x},{}]");
  unsigned large = g.value(8, 64, "[{},{x}]");
  unsigned y = g.matmul(small, large);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(y), "[{},{x}]");
  EXPECT_EQ(g.wanted(0, 0), "[{},{}]");
}

TEST(Propagate, a_reduction_counts_what_it_moves) {
  // Keeping the columns of b, which is larger, would have the result summed.
  MatrixGraph g("x=2");
  unsigned a = g.value(8, 8), b = g.value(8, 16);
  g.graph.addTransfer(g.value(8, 8, "[{x},{}]"), a);
  g.graph.addTransfer(g.value(8, 16, "[{x},{}]"), b);
  unsigned y = g.matmul(a, b);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(y), "[{x},{}]");
  EXPECT_EQ(g.wanted(2, 1), "[{},{}]");
}

TEST(Propagate, between_equals_the_first_operand_decides) {
  MatrixGraph g("x=2");
  unsigned y = g.add(g.value(4, 4, "[{x},{}]"), g.value(4, 4, "[{},{x}]"));
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(y), "[{x},{}]");
  EXPECT_EQ(g.wanted(0, 1), "[{x},{}]");
}

TEST(Propagate, closed_dims_stay) {
  MatrixGraph g("x=2");
  unsigned bias = g.value(4, 4, "[{},{}]");
  unsigned half = g.value(4, 4, "[{?},{}]");
  unsigned y = g.add(g.value(4, 4, "[{x},{}]"), bias);
  g.add(half, y);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(bias), "[{},{}]");
  EXPECT_EQ(g.wanted(0, 1), "[{x},{}]");
  EXPECT_EQ(g.get(half), "[{x},{}]");
}

TEST(Propagate, an_open_dim_is_extended_after_its_axes) {
  MatrixGraph g("x=2,y=2");
  unsigned a = g.value(8, 4, "[{x,?},{}]");
  unsigned b = g.value(8, 4, "[{x,y},{}]");
  g.add(a, b);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.get(a), "[{x,y},{}]");
}

TEST(Propagate, an_op_done_whole_stops_axes) {
  MatrixGraph g("x=2");
  unsigned a = g.value(8, 4, "[{x},{}]");
  unsigned b = g.value(8, 4);
  g.graph.addNode(getWholeRule({{8, 4}}, {{8, 4}}), {a}, {b});
  unsigned c = g.add(b, a);
  ASSERT_EQ(g.run(), "");
  EXPECT_EQ(g.wanted(0, 0), "[{},{}]");
  EXPECT_EQ(g.get(b), "[{},{}]");
  EXPECT_EQ(g.wanted(1, 0), "[{x},{}]");
  EXPECT_EQ(g.get(c), "[{x},{}]");
}

TEST(Propagate, says_what_is_wrong_with_a_graph) {
  MatrixGraph tooLong("x=2");
  tooLong.value(2, 2);
  tooLong.graph.addNode(getElementwiseRule({2, 2}, 1, 0), {5}, {});
  EXPECT_EQ(tooLong.run(), "node 0 names value 5, but there are 1 values");
  MatrixGraph twice("x=2");
  unsigned a = twice.value(2, 2), b = twice.value(2, 2);
  twice.graph.addNode(getElementwiseRule({2, 2}, 1, 1), {a}, {b});
  twice.graph.addNode(getElementwiseRule({2, 2}, 1, 1), {a}, {b});
  EXPECT_EQ(twice.run(), "value 1 is a result of two nodes");
  MatrixGraph misfit("x=2");
  unsigned c = misfit.value(2, 2);
  misfit.graph.addNode(getElementwiseRule({2, 3}, 1, 0), {c}, {});
  EXPECT_EQ(misfit.run(),
            "node 0: dim 1 of operand 0 has size 2, but its factors multiply "
            "to 3");
  MatrixGraph tooMuch("x=2");
  tooMuch.value(2, 2);
  tooMuch.value(2, 2, "[{x}:[1,2],{}]");
  EXPECT_EQ(tooMuch.run(),
            "value 1: explicit block sizes of dim 0 sum to 3, its size is 2");
}

//===----------------------------------------------------------------------===//
// Random graphs
//===----------------------------------------------------------------------===//

namespace {

/// Builds a graph of random ops over matrices of 8 x 8, some values of it
/// annotated at random.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random(seed), g("x=2,y=4,z=2") {
    for (int i = 0; i < 4; ++i)
      values.push_back(makeValue());
    for (int i = 0; i < 20; ++i)
      addNode();
  }

  std::mt19937 random;
  MatrixGraph g;
  llvm::SmallVector<unsigned> values;

private:
  unsigned pick() { return values[random() % values.size()]; }

  unsigned makeValue() {
    if (random() % 2)
      return g.value(8, 8);
    static constexpr const char *kLayouts[] = {
        "[{x},{y}]",       "[{y,?},{}]",
        "[{},{z,x}]",      "[{?},{x}]",
        "[{y:(1)2},{z}]",  "[{},{}]",
        "[{x}:[5,3],{y}]", "[{?},{}] partial=[sum(z)]",
        "[{z,y},{x,?}]",   "[{y:(2)2},{y:(1)2}]"};
    return g.value(8, 8, kLayouts[random() % std::size(kLayouts)]);
  }

  void addNode() {
    switch (random() % 5) {
    case 0:
      values.push_back(g.matmul(pick(), pick()));
      return;
    case 1: {
      unsigned result = makeValue();
      g.graph.addTransfer(pick(), result);
      values.push_back(result);
      return;
    }
    case 2: {
      unsigned flat = g.graph.addValue({64}, 256), back = g.value(8, 8);
      TensorMap split = {{0}, {1}}, merged = {{0, 1}};
      g.graph.addNode({{{8}, {8}}, {split}, {merged}}, {pick()}, {flat});
      g.graph.addNode({{{8}, {8}}, {merged}, {split}}, {flat}, {back});
      values.push_back(back);
      return;
    }
    case 3: {
      unsigned result = g.value(8, 8);
      TensorMap map = {{0}, {1}};
      g.graph.addNode({{{8}, {8, Use::Replicate}}, {map}, {map}}, {pick()},
                      {result});
      values.push_back(result);
      return;
    }
    default:
      values.push_back(g.add(pick(), pick()));
    }
  }
};

void expectConsistent(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    llvm::SmallVector<Layout, 4> operands, results;
    for (unsigned i = 0; i < node.operands.size(); ++i)
      operands.push_back(getOperandLayout(node.rule, i, node.cuts));
    for (unsigned i = 0; i < node.results.size(); ++i)
      results.push_back(getResultLayout(node.rule, i, node.cuts));
    // What the cuts say is a layout of each tensor, and says the cuts.
    for (auto [number, layout] : llvm::zip_equal(node.operands, operands))
      ASSERT_EQ(llvm::toString(verifyLayout(graph.mesh, layout,
                                            graph.values[number].shape)),
                "");
    auto cuts = inferFactorCuts(graph.mesh, node.rule, operands, results);
    ASSERT_TRUE(bool(cuts)) << llvm::toString(cuts.takeError());
    for (auto [cut, expected] : llvm::zip_equal(*cuts, node.cuts))
      ASSERT_EQ(cut.axes, expected.axes);
    if (node.transfer)
      continue;
    for (auto [number, layout] : llvm::zip_equal(node.results, results))
      ASSERT_EQ(graph.values[number].layout, layout);
  }
}

} // namespace

TEST(PropagateRandom, outcome_is_consistent_stable_and_keeps_what_is_closed) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomGraph random(seed);
    Graph &graph = random.g.graph;
    std::vector<Value> before = graph.values;
    ASSERT_EQ(random.g.run(), "");
    expectConsistent(graph);
    for (auto [was, is] : llvm::zip_equal(before, graph.values)) {
      ASSERT_EQ(llvm::toString(verifyLayout(graph.mesh, is.layout, is.shape)),
                "");
      if (!was.annotated)
        continue;
      ASSERT_EQ(was.layout.partial, is.layout.partial);
      for (auto [wasDim, isDim] :
           llvm::zip_equal(was.layout.dims, is.layout.dims)) {
        ASSERT_FALSE(isDim.open);
        if (!wasDim.open) {
          ASSERT_EQ(wasDim.axes, isDim.axes);
        }
        ASSERT_EQ(layout::getCommonPrefix(wasDim.axes, isDim.axes),
                  wasDim.axes);
      }
    }

    RandomGraph again(seed);
    ASSERT_EQ(again.g.run(), "");
    for (auto [a, b] : llvm::zip_equal(graph.values, again.g.graph.values))
      ASSERT_EQ(a.layout, b.layout);

    std::vector<Value> once = graph.values;
    ASSERT_EQ(random.g.run(), "");
    for (auto [a, b] : llvm::zip_equal(once, graph.values))
      ASSERT_EQ(toString(graph.mesh, a.layout), toString(graph.mesh, b.layout))
          << "seed " << seed;
  }
}

static Statistics runChain(int64_t length) {
  MatrixGraph g("x=4,y=4");
  unsigned value = g.value(64, 64);
  for (int64_t i = 0; i < length; ++i)
    value = g.add(value, value);
  g.graph.addTransfer(value, g.value(64, 64, "[{x},{y}]"));
  EXPECT_EQ(g.run(), "");
  EXPECT_EQ(g.get(0), "[{x},{y}]");
  return g.statistics;
}

// The axes enter at the far end of the chain, so they travel all of it.
TEST(Propagate, work_grows_with_the_program_and_not_with_its_square) {
  Statistics small = runChain(1000), large = runChain(10000);
  EXPECT_LE(large.numVisits, 10 * small.numVisits + 100);
  EXPECT_LE(large.numVisits, 4 * 10001);
  EXPECT_EQ(large.numExtensions, 2 * 10001);
}
