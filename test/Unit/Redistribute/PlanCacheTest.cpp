// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the cache takes for the same question, what it drops, and threads.

#include "TestSupport.h"

#include "pctl/Redistribute/PlanCache.h"

#include <thread>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

class PlanCacheTest : public ::testing::Test {
protected:
  std::shared_ptr<const Plan> plan(llvm::ArrayRef<int64_t> shape,
                                   const char *from, const char *to,
                                   const PlannerOptions &options = {}) {
    return llvm::cantFail(cache.plan(mesh, shape, makeLayout(mesh, from),
                                     makeLayout(mesh, to), options));
  }

  Mesh mesh = makeMesh("x=2,y=2");
  PlanCache cache{3};
};

TEST_F(PlanCacheTest, finds_equal_normal_forms) {
  auto first = plan({8, 8}, "[{x},{}]", "[{},{y}]");
  EXPECT_TRUE(isRight(*first));
  EXPECT_EQ(plan({8, 8}, "[{x,?},{}]", "[{},{y}]"), first);
  EXPECT_EQ(cache.getNumHits(), 1u);
  EXPECT_EQ(cache.size(), 1u);
}

TEST_F(PlanCacheTest, tells_questions_apart) {
  auto first = plan({8, 8}, "[{x},{}]", "[{},{y}]");
  EXPECT_NE(plan({8, 4}, "[{x},{}]", "[{},{y}]"), first);
  EXPECT_NE(plan({8, 8}, "[{},{y}]", "[{x},{}]"), first);
  Mesh devices = llvm::cantFail(
      Mesh::create({{"x", 2}, {"y", 2}}, llvm::ArrayRef<int64_t>{4, 5, 6, 7}));
  EXPECT_NE(
      llvm::cantFail(cache.plan(devices, {8, 8}, makeLayout(mesh, "[{x},{}]"),
                                makeLayout(mesh, "[{},{y}]"))),
      first);
  auto again = plan({8, 8}, "[{x},{}]", "[{},{y}]");
  PlannerOptions options;
  options.elementBytes = 2;
  EXPECT_NE(plan({8, 8}, "[{x},{}]", "[{},{y}]", options), again);
  options = {};
  options.capBytes = 1 << 30;
  EXPECT_NE(plan({8, 8}, "[{x},{}]", "[{},{y}]", options), again);
  options = {};
  options.chunkBytes = 64;
  EXPECT_NE(plan({8, 8}, "[{x},{}]", "[{},{y}]", options), again);
  // Of one name, but not the same.
  options = {};
  options.cluster.baseSec = 1;
  EXPECT_NE(plan({8, 8}, "[{x},{}]", "[{},{y}]", options), again);
  EXPECT_EQ(cache.getNumHits(), 0u);
}

TEST_F(PlanCacheTest, drops_what_was_not_asked_for_the_longest) {
  auto first = plan({2}, "[{x}]", "[{}]");
  plan({4}, "[{x}]", "[{}]");
  plan({6}, "[{x}]", "[{}]");
  EXPECT_EQ(plan({2}, "[{x}]", "[{}]"), first);
  plan({8}, "[{x}]", "[{}]");
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(plan({2}, "[{x}]", "[{}]"), first);
  uint64_t hits = cache.getNumHits();
  plan({4}, "[{x}]", "[{}]");
  EXPECT_EQ(cache.getNumHits(), hits);
}

TEST_F(PlanCacheTest, passes_errors_on_and_stores_none) {
  auto plan = cache.plan(mesh, {4}, makeLayout(mesh, "[{}]"),
                         makeLayout(mesh, "[{}] partial=[sum(x)]"));
  EXPECT_EQ(llvm::toString(plan.takeError()),
            "layout change would make axis 'x' partial (sum), it is not so in "
            "the source");
  EXPECT_EQ(cache.size(), 0u);
}

TEST_F(PlanCacheTest, serves_threads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 200; ++i) {
        int64_t size = 2 * (i % 5);
        auto made = cache.plan(mesh, {size}, makeLayout(mesh, "[{x}]"),
                               makeLayout(mesh, "[{}]"));
        EXPECT_EQ(llvm::cantFail(std::move(made))->globalShape[0], size);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(cache.size(), 3u);
}

} // namespace
