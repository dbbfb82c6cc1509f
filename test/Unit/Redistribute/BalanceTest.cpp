// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Balanced exchanges are right, and meet the optimum over all choices of
/// sources.

#include "Measure.h"

#include "pctl/Redistribute/Balance.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

/// Balances the exchanges of pairs and returns how many of them miss the
/// optimum.
int countMisses(const char *text, llvm::ArrayRef<int64_t> shape,
                size_t maxPairs, std::string &first) {
  Mesh mesh = makeMesh(text);
  std::vector<Layout> layouts = listLayouts(mesh, shape.size());
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  std::mt19937_64 random(3);
  int misses = 0;
  size_t pairs = std::min(maxPairs, layouts.size() * layouts.size());
  for (size_t i = 0; i < pairs; ++i) {
    size_t number = pairs == maxPairs ? random() : i;
    const Layout &from = layouts[number % layouts.size()];
    const Layout &to = layouts[number / layouts.size() % layouts.size()];
    if (from == to || getExchangeAxes(shape, from, to).empty())
      continue;
    Step step = makeBalancedExchange(mesh, shape, from, to, bytes, 1, 1 << 20);
    Plan plan{mesh, llvm::SmallVector<int64_t, 4>(shape), from, to, {step}};
    EXPECT_TRUE(isRight(plan));
    StepCost cost = getStepCost(mesh, shape, step, bytes, 1, 1 << 20);
    // What a rank lacks it has to receive, so that this is the optimum.
    if (cost.sentBytes <= cost.receivedBytes)
      continue;
    DirectOptimum optimum = getDirectOptimum(mesh, shape, from, to);
    if (std::max(cost.sentBytes, cost.receivedBytes) <= optimum.getMost())
      continue;
    if (misses++ == 0)
      first = toString(plan) +
              (step.owners ? toString(mesh, *step.owners) : "no owners") +
              " sends " + std::to_string(cost.sentBytes) + ", the optimum is " +
              std::to_string(optimum.getMost());
  }
  return misses;
}

TEST(BalancedExchange, lets_holders_share) {
  Mesh mesh = makeMesh("x=2,y=3");
  Layout from = makeLayout(mesh, "[{y}]"), to = makeLayout(mesh, "[{x}]");
  cost::Cluster bytes = *cost::getNamedCluster("bytes");
  Step step = makeBalancedExchange(mesh, {36}, from, to, bytes, 1, 1 << 20);
  ASSERT_TRUE(step.owners);
  EXPECT_EQ(toString(mesh, *step.owners), "[{y,x}]");
  EXPECT_EQ(toString(mesh, step.axes), "x,y");
  EXPECT_EQ(getStepCost(mesh, {36}, step, bytes, 1, 1 << 20).sentBytes, 12);
  step.owners.reset();
  step.axes = {mesh.getWholeAxis(1)};
  EXPECT_EQ(getStepCost(mesh, {36}, step, bytes, 1, 1 << 20).sentBytes, 24);
}

TEST(BalancedExchange, of_even_pairs_meets_the_optimum) {
  struct Set {
    const char *mesh;
    llvm::SmallVector<int64_t> shape;
  };
  for (const Set &set :
       {Set{"x=2,y=2", {8}}, Set{"x=2,y=2", {8, 8}}, Set{"x=2,y=4", {16}},
        Set{"x=2,y=4", {16, 16}}, Set{"x=2,y=4", {16, 16, 16}},
        Set{"x=2,y=2,z=2", {16}}, Set{"x=2,y=2,z=2", {16, 16}},
        Set{"x=2,y=2,z=2", {16, 16, 16}}, Set{"x=2,y=3", {36}},
        Set{"x=2,y=3", {36, 36}}, Set{"x=2,y=3", {36, 36, 36}},
        Set{"x=4,y=2,z=2", {16}}, Set{"x=4,y=2,z=2", {16, 16}},
        Set{"x=4,y=2,z=2", {16, 16, 16}}}) {
    std::string first;
    EXPECT_EQ(countMisses(set.mesh, set.shape, 400, first), 0)
        << set.mesh << " " << shapeToString(set.shape) << " " << first;
  }
}

TEST(ListedExchange, of_uneven_pairs_meets_the_optimum) {
  std::mt19937_64 random(17);
  static constexpr int64_t sizes[] = {5, 6, 7, 12};
  for (const char *text :
       {"x=2,y=2", "x=2,y=4", "x=2,y=2,z=2", "x=2,y=3", "x=3,y=3"}) {
    Mesh mesh = makeMesh(text);
    for (unsigned rank : {1, 2, 3}) {
      std::vector<Layout> layouts = listLayouts(mesh, rank, /*partial=*/true);
      for (int i = 0; i < 60; ++i) {
        llvm::SmallVector<int64_t, 4> shape;
        for (unsigned dim = 0; dim < rank; ++dim)
          shape.push_back(sizes[random() % 4]);
        Layout from = layouts[random() % layouts.size()];
        Layout to = layouts[random() % layouts.size()];
        if (overlapsPartial(from, to))
          continue;
        to.partial = from.partial;
        std::optional<Step> step = makeListedExchange(mesh, shape, from, to);
        if (!step)
          continue;
        Plan plan{mesh, shape, from, to, {*step}};
        ASSERT_TRUE(isRight(plan));
        if (from.isPartial())
          continue;
        StepCost cost = getStepCost(
            mesh, shape, *step, *cost::getNamedCluster("bytes"), 1, 1 << 20);
        ASSERT_EQ(std::max(cost.sentBytes, cost.receivedBytes),
                  getDirectOptimum(mesh, shape, from, to).getMost());
      }
    }
  }
}

TEST(ListedExchange, is_none_where_it_cannot_be) {
  Mesh mesh = makeMesh("x=2");
  Layout cut = makeLayout(mesh, "[{x}]"), whole = makeLayout(mesh, "[{}]");
  EXPECT_TRUE(makeListedExchange(mesh, {5}, cut, whole));
  EXPECT_FALSE(makeListedExchange(mesh, {5}, whole, cut));
  EXPECT_FALSE(makeListedExchange(mesh, {5}, cut, whole, 1));
  Mesh large = makeMesh("x=65");
  EXPECT_FALSE(makeListedExchange(large, {65}, makeLayout(large, "[{x}]"),
                                  makeLayout(large, "[{}]")));
}

} // namespace
