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

} // namespace
