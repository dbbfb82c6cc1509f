// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Every ordered pair of layouts: axes in every order, sub-axes, even and
/// uneven sizes, partial sums. Of the largest sets the default run takes pairs
/// drawn with a fixed seed; with PCTL_ENABLE_LONG_TESTS all are taken.

#include "TestSupport.h"

#include <random>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;

namespace {

#ifdef PCTL_LONG_TESTS
constexpr bool longTests = true;
#else
constexpr bool longTests = false;
#endif

/// Pairs that the default run checks of one set.
constexpr size_t maxPairs = 800;

struct PairSet {
  const char *mesh;
  std::vector<int64_t> shape;
  bool partial = false;
};

class AllPairs : public ::testing::TestWithParam<PairSet> {};

/// Checks the pair that \p from and \p to make. A target may be partial only
/// where the source is.
::testing::AssertionResult isPairRight(const Mesh &mesh,
                                       llvm::ArrayRef<int64_t> shape,
                                       const Layout &from, const Layout &to) {
  llvm::Expected<Plan> plan = planRedistribution(mesh, shape, from, to);
  if (plan)
    return isRight(*plan);
  std::string message = llvm::toString(plan.takeError());
  llvm::SmallVector<AxisRef> whole = mesh.getComplement(from.getPartialAxes());
  for (AxisRef ref : to.getPartialAxes())
    for (AxisRef other : whole)
      if (ref.overlaps(other) &&
          message.find("would make axis") != std::string::npos)
        return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << message;
}

TEST_P(AllPairs, areRight) {
  const PairSet &set = GetParam();
  Mesh mesh = makeMesh(set.mesh);
  std::vector<Layout> layouts =
      listLayouts(mesh, set.shape.size(), set.partial);
  size_t pairs = layouts.size() * layouts.size();
  if (longTests || pairs <= maxPairs) {
    for (const Layout &from : layouts)
      for (const Layout &to : layouts)
        ASSERT_TRUE(isPairRight(mesh, set.shape, from, to));
    return;
  }
  std::mt19937_64 random(20240229);
  for (size_t i = 0; i < maxPairs; ++i)
    ASSERT_TRUE(isPairRight(mesh, set.shape, layouts[random() % layouts.size()],
                            layouts[random() % layouts.size()]));
}

std::string getName(const ::testing::TestParamInfo<PairSet> &info) {
  std::string name = info.param.partial ? "partial_" : "";
  for (char c : std::string(info.param.mesh))
    if (isdigit(c))
      name += c;
  name += "_of";
  for (int64_t size : info.param.shape)
    name += "_" + std::to_string(size);
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Whole, AllPairs,
    ::testing::Values(
        PairSet{"a=2,b=2", {8}}, PairSet{"a=2,b=2", {5}},
        PairSet{"a=2,b=2", {8, 4}}, PairSet{"a=2,b=2", {5, 6}},
        PairSet{"a=2,b=2", {1, 7}}, PairSet{"a=2,b=2", {4, 4, 4}},
        PairSet{"a=2,b=2", {5, 2, 6}}, PairSet{"a=2,b=4", {16}},
        PairSet{"a=2,b=4", {5}}, PairSet{"a=2,b=4", {12}},
        PairSet{"a=2,b=4", {8, 8}}, PairSet{"a=2,b=4", {12, 7}},
        PairSet{"a=2,b=4", {8, 8, 8}}, PairSet{"a=2,b=4", {5, 6, 4}},
        PairSet{"a=2,b=2,c=2", {8}}, PairSet{"a=2,b=2,c=2", {5}},
        PairSet{"a=2,b=2,c=2", {8, 8}}, PairSet{"a=2,b=2,c=2", {12, 5}},
        PairSet{"a=2,b=2,c=2", {8, 8, 8}}, PairSet{"a=2,b=2,c=2", {6, 5, 4}},
        PairSet{"a=2,b=3", {12}}, PairSet{"a=2,b=3", {7}},
        PairSet{"a=2,b=3", {6, 6}}, PairSet{"a=2,b=3", {12, 5}},
        PairSet{"a=2,b=3", {6, 12, 6}}, PairSet{"a=2,b=3", {7, 6, 5}},
        PairSet{"a=6", {12, 6}}, PairSet{"a=6", {7, 5}},
        PairSet{"a=4,b=2,c=2", {16, 16}}, PairSet{"a=4,b=2,c=2", {12, 7}},
        PairSet{"a=4,b=2,c=2", {16, 8, 4}}, PairSet{"a=4,b=2,c=2", {5, 6, 7}}),
    getName);

INSTANTIATE_TEST_SUITE_P(
    Partial, AllPairs,
    ::testing::Values(
        PairSet{"a=2,b=2", {8}, true}, PairSet{"a=2,b=2", {5}, true},
        PairSet{"a=2,b=2", {4, 4}, true}, PairSet{"a=2,b=4", {8, 8}, true},
        PairSet{"a=2,b=4", {5, 12}, true}, PairSet{"a=2,b=2,c=2", {8, 8}, true},
        PairSet{"a=2,b=2,c=2", {6, 7}, true}, PairSet{"a=2,b=3", {6, 6}, true},
        PairSet{"a=2,b=3", {12, 5}, true}, PairSet{"a=6", {6, 7}, true},
        PairSet{"a=4,b=2,c=2", {16, 6}, true}),
    getName);

/// Draws a cut of \p size into as many blocks as \p dim has positions.
llvm::SmallVector<int64_t, 0> drawBlockSizes(const DimLayout &dim, int64_t size,
                                             std::mt19937_64 &random) {
  llvm::SmallVector<int64_t, 0> cuts{0, size};
  for (int64_t i = 1; i < getNumPositions(dim.axes); ++i)
    cuts.push_back(random() % (size + 1));
  llvm::sort(cuts);
  llvm::SmallVector<int64_t, 0> sizes;
  for (size_t i = 1; i < cuts.size(); ++i)
    sizes.push_back(cuts[i] - cuts[i - 1]);
  return sizes;
}

TEST(ExplicitBlocks, random_pairs_are_right) {
  std::mt19937_64 random(7);
  for (const char *text : {"a=2,b=2", "a=2,b=3", "a=4,b=2"}) {
    Mesh mesh = makeMesh(text);
    std::vector<Layout> layouts = listLayouts(mesh, 2);
    auto draw = [&](llvm::ArrayRef<int64_t> shape) {
      Layout layout = layouts[random() % layouts.size()];
      for (auto [dim, size] : llvm::zip_equal(layout.dims, shape))
        if (random() % 2)
          dim.blockSizes = drawBlockSizes(dim, size, random);
      return layout;
    };
    for (int i = 0; i < 300; ++i) {
      int64_t shape[] = {int64_t(random() % 13), int64_t(random() % 7)};
      ASSERT_TRUE(isPairRight(mesh, shape, draw(shape), draw(shape)));
    }
  }
}

TEST(ExplicitBlocks, a_long_list_costs_its_length) {
  Mesh mesh = makeMesh("a=100000,b=2");
  Layout from = makeLayout(mesh, "[{a,b}]");
  from.dims[0].blockSizes.assign(200000, 1);
  from.dims[0].blockSizes.back() = 0;
  from.dims[0].blockSizes.front() = 2;
  Layout to = makeLayout(mesh, "[{a}]");
  to.dims[0].blockSizes.assign(100000, 2);
  to.dims[0].blockSizes.back() = 1;
  to.dims[0].blockSizes.front() = 3;
  Plan plan = llvm::cantFail(planRedistribution(mesh, {200000}, from, to));
  EXPECT_EQ(getMessage(verifyPlan(plan)), "success");
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(toString(mesh, plan.steps[0].axes), "b");
}

TEST(ExplicitBlocks, nested_in_a_prefix_are_sliced_and_exchanged_inside) {
  Mesh mesh = makeMesh("a=2,b=2");
  Plan plan = makePlan(mesh, {10}, "[{a}:[3,7]]", "[{a,b}:[1,2,3,4]]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  all_slice: [{a}:[3,7]] -> [{a,b}:[1,2,3,4]], 0 elements "
            "received a rank\n");
  plan = makePlan(mesh, {10}, "[{a,b}:[1,2,3,4]]", "[{a}:[3,7]]");
  EXPECT_TRUE(isRight(plan));
  EXPECT_EQ(getStepLines(plan),
            "  exchange over {b}: [{a,b}:[1,2,3,4]] -> [{a}:[3,7]], 4 elements "
            "received a rank\n");
}

} // namespace
