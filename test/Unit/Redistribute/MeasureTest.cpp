// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans over whole sets of pairs, and the measuring itself.

#include "Measure.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

#ifdef PCTL_LONG_TESTS
constexpr size_t numRandomPairs = 100000;
#else
constexpr size_t numRandomPairs = 1500;
#endif

TEST(DirectOptimum, shares_what_replicas_hold) {
  Mesh mesh = makeMesh("a=2,b=2");
  auto get = [&](llvm::ArrayRef<int64_t> shape, const char *from,
                 const char *to) {
    DirectOptimum optimum = getDirectOptimum(
        mesh, shape, makeLayout(mesh, from), makeLayout(mesh, to));
    return std::pair(optimum.maxReceived, optimum.maxSent);
  };
  using Pair = std::pair<int64_t, int64_t>;
  // Each of two holders of a half serves one of two that lack it.
  EXPECT_EQ(get({8}, "[{a}]", "[{}]"), Pair(4, 4));
  // Three ranks lack what only one holds.
  EXPECT_EQ(get({8}, "[{a,b}:[8,0,0,0]]", "[{}]"), Pair(8, 24));
  // Blocks 2 2 1 0: the first two are lacked by three ranks each.
  EXPECT_EQ(get({5}, "[{a,b}]", "[{}]"), Pair(5, 6));
  // Two ranks hold 3 of 5 and send them to two others; an odd number is shared
  // unevenly.
  EXPECT_EQ(get({5}, "[{a}]", "[{}]"), Pair(3, 3));
  EXPECT_EQ(get({8, 8}, "[{a},{b}]", "[{a},{b}]"), Pair(0, 0));
}

TEST(BestCollectives, are_found_over_layouts_in_between) {
  Mesh mesh = makeMesh("a=2,b=2");
  std::vector<Layout> layouts = listLayouts(mesh, 2);
  BestCollectives best(mesh, {8, 8}, layouts, *cost::getNamedCluster("bytes"),
                       1);
  auto getMicroseconds = [&](const char *from, const char *to) {
    auto find = [&](const char *text) {
      return llvm::find(layouts, makeLayout(mesh, text)) - layouts.begin();
    };
    return 1e6 * best.getTimeSec(find(from), find(to));
  };
  EXPECT_DOUBLE_EQ(getMicroseconds("[{},{}]", "[{a},{b}]"), 0);
  EXPECT_DOUBLE_EQ(getMicroseconds("[{a},{}]", "[{},{}]"), 32);
  EXPECT_DOUBLE_EQ(getMicroseconds("[{a,b},{}]", "[{},{a,b}]"), 12);
  // Two quarters and a swap: a permute.
  EXPECT_DOUBLE_EQ(getMicroseconds("[{a},{b}]", "[{b},{a}]"), 16);
  // A slice, then a gather.
  EXPECT_DOUBLE_EQ(getMicroseconds("[{a},{}]", "[{},{b}]"), 16);
}

TEST(RandomPairs, are_right_and_under_the_cap) {
  Measures measures = measureRandomPairs(numRandomPairs, 64, 4711);
  EXPECT_EQ(measures.right, measures.pairs) << measures.firstWrong;
  EXPECT_EQ(measures.underCap, measures.pairs) << measures.firstOverCap;
}

TEST(DrawnPairs, meet_the_optimum_and_the_best_collectives) {
  struct Set {
    const char *mesh;
    std::vector<int64_t> shape;
  };
  for (const Set &set :
       {Set{"x=2,y=2", {8, 8}}, Set{"x=2,y=2", {5, 6, 7}},
        Set{"x=2,y=4", {16, 16}}, Set{"x=2,y=4", {12, 7}},
        Set{"x=2,y=2,z=2", {16, 16}}, Set{"x=2,y=2,z=2", {5, 12}},
        Set{"x=2,y=3", {36, 36}}, Set{"x=2,y=3", {7, 5}},
        Set{"x=4,y=2,z=2", {16, 16, 16}}, Set{"x=4,y=2,z=2", {5, 6, 7}}}) {
    bool even = set.shape[0] % 4 == 0 && set.shape.back() % 4 == 0;
    bool small = even && set.shape.size() < 3;
    Measures measures = measureAllPairs(set.mesh, set.shape, /*partial=*/false,
                                        /*maxPairs=*/400,
                                        /*compareCollectives=*/small);
    EXPECT_EQ(measures.right, measures.pairs) << measures.firstWrong;
    EXPECT_EQ(measures.underCap, measures.pairs) << measures.firstOverCap;
    EXPECT_GT(measures.bounded, 0);
    EXPECT_EQ(measures.atBound, measures.bounded) << measures.worstPair;
    EXPECT_EQ(measures.slower, 0) << measures.firstSlower;
  }
}

TEST(DrawnPairs, are_never_slower_than_the_best_collectives) {
  for (const char *cluster : {"bytes", "h100"})
    for (bool partial : {false, true})
      for (const char *mesh : {"x=2,y=2", "x=2,y=4", "x=2,y=3"}) {
        Measures measures =
            measureAllPairs(mesh, {36, 16}, partial, /*maxPairs=*/300,
                            /*compareCollectives=*/true, cluster);
        EXPECT_EQ(measures.right, measures.pairs) << measures.firstWrong;
        EXPECT_GT(measures.compared, 0);
        EXPECT_EQ(measures.slower, 0) << measures.firstSlower;
      }
}

} // namespace
