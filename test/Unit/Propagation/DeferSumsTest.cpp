// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sums that wait: when they do, and, by running random graphs on all ranks of
/// a mesh element by element, that what comes out is what the uncut graph
/// gives.

#include "pctl/Propagation/Propagate.h"

#include "pctl/Layout/LayoutText.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace pctl;
using namespace pctl::propagation;
using layout::AxisRef;
using layout::Box;
using layout::Layout;
using layout::Mesh;
using llvm::ArrayRef;
using Use = Factor::Use;

namespace {

/// A matrix of integers that wrap around.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<uint64_t> elements;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(rows * columns) {}
  uint64_t &at(int64_t i, int64_t j) { return elements[i * columns + j]; }

  friend bool operator==(const Matrix &a, const Matrix &b) {
    return a.rows == b.rows && a.columns == b.columns &&
           a.elements == b.elements;
  }
};

enum class Op { Matmul, Add, Sub, Mul, Negate, Transpose };

/// A graph of ops on matrices that can be run, whole and on ranks.
class Program {
public:
  explicit Program(llvm::StringRef meshText)
      : graph(llvm::cantFail(layout::parseMesh(meshText))) {}

  unsigned value(int64_t rows, int64_t columns, llvm::StringRef text = "") {
    if (text.empty())
      return graph.addValue({rows, columns}, rows * columns * 4);
    return graph.addAnnotatedValue(
        {rows, columns}, rows * columns * 4,
        llvm::cantFail(layout::parseLayout(text, graph.mesh)));
  }
  unsigned matmul(unsigned a, unsigned b, unsigned init) {
    int64_t m = shape(a)[0], k = shape(a)[1], n = shape(b)[1];
    Rule rule = {{{m}, {n}, {k, Use::Reduction}},
                 {{{0}, {2}}, {{2}, {1}}, {{0}, {1}}},
                 {{{0}, {1}}}};
    rule.additive = {{0, 2}, {1, 2}};
    return add(Op::Matmul, rule, {a, b, init}, m, n);
  }
  unsigned elementwise(Op op, ArrayRef<unsigned> operands) {
    ArrayRef<int64_t> dims = shape(operands[0]);
    Rule rule = getElementwiseRule(dims, operands.size(), 1);
    if (op == Op::Mul)
      rule.additive = {{0}, {1}};
    else if (op == Op::Negate)
      rule.additive = {{0}};
    else
      rule.additive = {{0, 1}};
    return add(op, rule, operands, dims[0], dims[1]);
  }
  unsigned transpose(unsigned a) {
    int64_t m = shape(a)[0], n = shape(a)[1];
    Rule rule = {{{m}, {n}}, {{{0}, {1}}}, {{{1}, {0}}}};
    rule.additive = {{0}};
    return add(Op::Transpose, rule, {a}, n, m);
  }
  ArrayRef<int64_t> shape(unsigned value) { return graph.values[value].shape; }
  std::string run() { return llvm::toString(propagate(graph)); }
  std::string get(unsigned value) const {
    return toString(graph.mesh, graph.values[value].layout);
  }

  void checkOnRanks(std::mt19937 &random);

  Graph graph;
  std::vector<Op> ops;

private:
  unsigned add(Op op, Rule rule, ArrayRef<unsigned> operands, int64_t rows,
               int64_t columns) {
    unsigned result = value(rows, columns);
    graph.addNode(std::move(rule), operands, {result});
    ops.push_back(op);
    return result;
  }
};

/// What every rank holds of a value.
using Parts = std::vector<Matrix>;

} // namespace

static Matrix compute(Op op, ArrayRef<Matrix> operands) {
  Matrix a = operands[0];
  if (op == Op::Transpose) {
    Matrix result(a.columns, a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.columns; ++j)
        result.at(j, i) = a.at(i, j);
    return result;
  }
  if (op == Op::Matmul) {
    Matrix b = operands[1], result = operands[2];
    for (int64_t i = 0; i < result.rows; ++i)
      for (int64_t j = 0; j < result.columns; ++j)
        for (int64_t k = 0; k < a.columns; ++k)
          result.at(i, j) += a.at(i, k) * b.at(k, j);
    return result;
  }
  for (auto [i, element] : llvm::enumerate(a.elements)) {
    if (op == Op::Negate) {
      element = -element;
      continue;
    }
    uint64_t other = operands[1].elements[i];
    element = op == Op::Add   ? element + other
              : op == Op::Sub ? element - other
                              : element * other;
  }
  return a;
}

static Matrix takeBox(Matrix whole, const Box &box) {
  layout::Range rows = box[0], columns = box[1];
  Matrix part(rows.size, columns.size);
  for (int64_t i = 0; i < part.rows; ++i)
    for (int64_t j = 0; j < part.columns; ++j)
      part.at(i, j) = whole.at(rows.offset + i, columns.offset + j);
  return part;
}

/// Returns parts of \p whole as \p layout has them: where it is a sum, random
/// terms of it.
static Parts split(const Mesh &mesh, const Layout &layout, const Matrix &whole,
                   std::mt19937 &random) {
  Parts parts;
  llvm::SmallVector<AxisRef> axes = layout.getPartialAxes();
  std::map<int64_t, Matrix> left;
  int64_t positions = layout::getNumPositions(axes);
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    Matrix part =
        takeBox(whole, getBox(mesh, layout, {whole.rows, whole.columns}, rank));
    int64_t first = mesh.withCoordinate(rank, axes, 0);
    auto rest = left.try_emplace(first, part).first;
    if (mesh.getCoordinate(rank, axes) == positions - 1) {
      parts.push_back(rest->second);
      continue;
    }
    for (auto [element, other] :
         llvm::zip_equal(part.elements, rest->second.elements)) {
      element = int64_t(random() % 7) - 3;
      other -= element;
    }
    parts.push_back(part);
  }
  return parts;
}

/// Returns the sum, on each rank, of what the ranks along the partial axes of
/// \p layout hold.
static Parts sumUp(const Mesh &mesh, const Layout &layout, const Parts &parts) {
  llvm::SmallVector<AxisRef> axes = layout.getPartialAxes();
  Parts sums;
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    Matrix sum(parts[rank].rows, parts[rank].columns);
    for (int64_t i = 0; i < layout::getNumPositions(axes); ++i)
      for (auto [element, term] :
           llvm::zip_equal(sum.elements,
                           parts[mesh.withCoordinate(rank, axes, i)].elements))
        element += term;
    sums.push_back(sum);
  }
  return sums;
}

/// Runs the graph whole and on ranks, and compares every value.
void Program::checkOnRanks(std::mt19937 &random) {
  const Mesh &mesh = graph.mesh;
  std::map<unsigned, Matrix> wholes;
  std::map<unsigned, Parts> held;
  auto lookup = [&](unsigned value) -> const Matrix & {
    auto found = wholes.find(value);
    if (found != wholes.end())
      return found->second;
    Matrix whole(shape(value)[0], shape(value)[1]);
    for (uint64_t &element : whole.elements)
      element = int64_t(random() % 5) - 2;
    held.emplace(value, split(mesh, graph.values[value].layout, whole, random));
    return wholes.emplace(value, whole).first->second;
  };
  for (auto [node, op] : llvm::zip_equal(graph.nodes, ops)) {
    std::vector<Matrix> operands;
    std::vector<Parts> local;
    std::vector<Layout> wanted;
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      operands.push_back(lookup(operand));
      wanted.push_back(getWantedLayout(graph, node, i));
      bool stays = wanted[i] == graph.values[operand].layout.getNormalForm();
      ASSERT_TRUE(stays || !wanted[i].isPartial());
      local.push_back(stays ? held.at(operand)
                            : split(mesh, wanted[i], operands[i], random));
    }
    auto sums = getCarriedSums(node.rule, node.cuts, wanted);
    ASSERT_TRUE(bool(sums)) << llvm::toString(sums.takeError());
    unsigned result = node.results[0];
    Matrix whole = compute(op, operands);
    Parts parts;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      std::vector<Matrix> own;
      for (auto [i, operandParts] : llvm::enumerate(local)) {
        own.push_back(operandParts[rank]);
        bool counts = mesh.getCoordinate(rank, sums->countedOnce[i]) == 0;
        // The accumulator of a cut sum is counted once along its axes, too.
        if (op == Op::Matmul && i == 2)
          counts &= mesh.getCoordinate(rank, node.cuts[2].axes) == 0;
        if (!counts)
          llvm::fill(own.back().elements, 0);
      }
      parts.push_back(compute(op, own));
    }
    const Layout &layout = graph.values[result].layout;
    Parts summed = sumUp(mesh, layout, parts);
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank)
      ASSERT_TRUE(summed[rank] ==
                  takeBox(whole, getBox(mesh, layout,
                                        {whole.rows, whole.columns}, rank)))
          << "rank " << rank << " of " << toString(mesh, layout);
    wholes.emplace(result, whole);
    held.emplace(result, parts);
  }
}

//===----------------------------------------------------------------------===//
// When sums wait
//===----------------------------------------------------------------------===//

TEST(DeferSums, two_sums_are_added_before_they_are_done) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{x}]"), b = p.value(8, 8, "[{},{x}]");
  unsigned w = p.value(8, 8), zero = p.value(8, 8);
  unsigned first = p.matmul(a, w, zero), second = p.matmul(b, w, zero);
  unsigned sum = p.elementwise(Op::Add, {first, second});
  unsigned used = p.elementwise(Op::Mul, {sum, sum});
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(first), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(second), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(sum), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(used), "[{},{}]");
  EXPECT_FALSE(getWantedLayout(p.graph, p.graph.nodes[3], 0).isPartial());
}

TEST(DeferSums, one_sum_and_a_bias_gain_nothing_by_waiting) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{x}]");
  unsigned w = p.value(8, 8), bias = p.value(8, 8);
  unsigned product = p.matmul(a, w, bias);
  unsigned sum = p.elementwise(Op::Add, {product, bias});
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(product), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(sum), "[{},{}]");
}

TEST(DeferSums, a_bias_between_two_sums_is_counted_once) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{x}]"), b = p.value(8, 8, "[{},{x}]");
  unsigned w = p.value(8, 8), zero = p.value(8, 8), bias = p.value(8, 8);
  unsigned first = p.matmul(a, w, zero), second = p.matmul(b, w, zero);
  unsigned sum = p.elementwise(Op::Add, {first, bias});
  unsigned all = p.elementwise(Op::Sub, {sum, second});
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(sum), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(all), "[{},{}] partial=[sum(x)]");
  auto sums = getCarriedSums(p.graph.nodes[2].rule, p.graph.nodes[2].cuts,
                             {getWantedLayout(p.graph, p.graph.nodes[2], 0),
                              getWantedLayout(p.graph, p.graph.nodes[2], 1)});
  ASSERT_TRUE(bool(sums));
  EXPECT_TRUE(sums->countedOnce[0].empty());
  EXPECT_EQ(sums->countedOnce[1].size(), 1u);
}

TEST(DeferSums, a_product_of_two_sums_has_them_done_first) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{}] partial=[sum(x)]");
  unsigned b = p.value(8, 8, "[{},{}] partial=[sum(x)]");
  unsigned product = p.elementwise(Op::Mul, {a, b});
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(product), "[{},{}]");
}

TEST(DeferSums, what_shrinks_is_done_first) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{}] partial=[sum(x)]");
  unsigned w = p.value(8, 1), zero = p.value(8, 1);
  unsigned column = p.matmul(a, w, zero);
  unsigned grown = p.value(1, 8), init = p.value(8, 8);
  unsigned square = p.matmul(column, grown, init);
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(column), "[{},{}] partial=[sum(x)]");
  EXPECT_EQ(p.get(square), "[{},{}]");
}

TEST(DeferSums, nothing_waits_into_a_loop) {
  Program p("x=4");
  unsigned a = p.value(8, 8, "[{},{}] partial=[sum(x)]");
  unsigned w = p.value(8, 1), zero = p.value(8, 1);
  unsigned column = p.matmul(a, w, zero);
  p.graph.values[column].scope = 1;
  ASSERT_EQ(p.run(), "");
  EXPECT_EQ(p.get(column), "[{},{}]");
}

TEST(DeferSums, refuses_sums_that_can_not_wait) {
  Mesh mesh = llvm::cantFail(layout::parseMesh("x=2"));
  auto parse = [&](llvm::StringRef text) {
    return llvm::cantFail(layout::parseLayout(text, mesh));
  };
  Rule rule = getElementwiseRule({4, 4}, 2, 1);
  FactorCuts cuts(2);
  std::vector<Layout> operands = {parse("[{},{}] partial=[sum(x)]"),
                                  parse("[{},{}] partial=[sum(x)]")};
  auto getError = [&] {
    return llvm::toString(getCarriedSums(rule, cuts, operands).takeError());
  };
  EXPECT_EQ(getError(), "operand 0 is partial, and the op is not additive in "
                        "all operands that are");
  rule.additive = {{0}, {1}};
  EXPECT_EQ(getError(), "operand 0 is partial, and the op is not additive in "
                        "all operands that are");
  rule.additive = {{0, 1}};
  EXPECT_TRUE(bool(getCarriedSums(rule, cuts, operands)));
  operands[1] = parse("[{},{}] partial=[maxsi(x)]");
  EXPECT_EQ(getError(), "operand 1 is partial by maxsi, and only sums wait");
  operands[1] = parse("[{x},{}]");
  cuts[0] = operands[1].dims[0];
  EXPECT_EQ(getError(), "operand 0 is partial along an axis that cuts the op");
}

//===----------------------------------------------------------------------===//
// What they mean
//===----------------------------------------------------------------------===//

TEST(DeferSums, random_graphs_give_on_ranks_what_they_give_whole) {
  const char *layouts[] = {"",
                           "[{},{}] partial=[sum(x)]",
                           "[{},{}] partial=[sum(y)]",
                           "[{},{}] partial=[sum(x,y)]",
                           "[{x},{}]",
                           "[{},{x}]",
                           "[{y},{?}]",
                           "[{x},{}] partial=[sum(y)]"};
  int64_t numWaiting = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    Program p(seed % 2 ? "x=2,y=3" : "x=3,y=2");
    int64_t n = 1 + random() % 6;
    std::vector<unsigned> values;
    auto create = [&] {
      return p.value(n, n, layouts[random() % std::size(layouts)]);
    };
    // What is used once may wait, and hardly anything else.
    auto pick = [&] {
      if (values.empty() || random() % 3 == 0)
        return create();
      unsigned index = random() % values.size();
      unsigned value = values[index];
      if (random() % 4)
        values.erase(values.begin() + index);
      return value;
    };
    for (int i = 0; i < 8; ++i) {
      unsigned a = pick(), b = pick(), c = pick();
      unsigned which = random() % 6;
      if (which == 0)
        values.push_back(p.matmul(a, b, c));
      else if (which == 1)
        values.push_back(p.transpose(a));
      else if (which == 2)
        values.push_back(p.elementwise(Op::Negate, {a}));
      else
        values.push_back(p.elementwise(which == 3   ? Op::Add
                                       : which == 4 ? Op::Sub
                                                    : Op::Mul,
                                       {a, b}));
    }
    ASSERT_EQ(p.run(), "") << "seed " << seed;
    for (const Node &node : p.graph.nodes)
      numWaiting += !node.sums.empty();
    p.checkOnRanks(random);
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
  }
  // The test would say nothing if sums hardly ever waited.
  EXPECT_GT(numWaiting, 400);
}
