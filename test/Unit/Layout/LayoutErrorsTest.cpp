// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What verifyLayout refuses, with the whole message.

#include "Enumerate.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

/// Makes a layout of one dim without the checks of the parser.
Layout unchecked(const Refs &axes, llvm::ArrayRef<int64_t> blockSizes = {}) {
  Layout layout = Layout::replicated(1);
  layout.dims[0].axes.assign(axes.begin(), axes.end());
  layout.dims[0].blockSizes.assign(blockSizes.begin(), blockSizes.end());
  return layout;
}

std::string verify(const Mesh &m, const Layout &layout,
                   llvm::ArrayRef<int64_t> shape) {
  return messageOf(verifyLayout(m, layout, shape));
}

TEST(LayoutErrors, NumberOfDims) {
  Mesh m = mesh("x=2");
  EXPECT_EQ(verify(m, Layout::replicated(2), {4, 4, 4}),
            "layout has 2 dims, tensor has rank 3");
  EXPECT_EQ(verify(m, Layout::replicated(1), {}),
            "layout has 1 dims, tensor has rank 0");
}

TEST(LayoutErrors, AxesThatTheMeshLacks) {
  Mesh m = mesh("x=2, y=8");
  EXPECT_EQ(verify(m, unchecked({{5, 1, 2}}), {8}),
            "layout uses axis number 5, mesh has 2 axes");
  EXPECT_EQ(verify(m, unchecked({{1, 1, 3}}), {8}),
            "sub-axis 'y:(1)3' does not divide axis 'y' (size 8)");
  EXPECT_EQ(verify(m, unchecked({{1, 0, 2}}), {8}),
            "sub-axis 'y:(0)2' has a size below 1");
  Layout partial = Layout::replicated(1);
  partial.partial.push_back({ReductionKind::Sum, {{2, 1, 2}}});
  EXPECT_EQ(verify(m, partial, {8}),
            "layout uses axis number 2, mesh has 2 axes");
}

TEST(LayoutErrors, AxesUsedTwice) {
  Mesh m = mesh("model=4, one=1, z=6");
  auto message = [&](Refs first, Refs second) {
    Layout layout = Layout::replicated(2);
    layout.dims[0].axes.assign(first.begin(), first.end());
    layout.dims[1].axes.assign(second.begin(), second.end());
    return verify(m, layout, {8, 8});
  };
  AxisRef model = m.getWholeAxis(0), one = m.getWholeAxis(1);
  EXPECT_EQ(message({model}, {model}),
            "axis 'model' (size 4) is used twice in layout");
  EXPECT_EQ(message({model, one, model}, {}),
            "axis 'model' (size 4) is used twice in layout");
  EXPECT_EQ(message({one}, {one}),
            "axis 'one' (size 1) is used twice in layout");
  EXPECT_EQ(message({{0, 2, 2}}, {{0, 2, 2}}),
            "sub-axis 'model:(2)2' is used twice in layout");
  EXPECT_EQ(message({model}, {{0, 1, 2}}),
            "'model' and 'model:(1)2' in layout are not separate factors of "
            "axis 'model' (size 4)");
  EXPECT_EQ(message({{2, 1, 2}}, {{2, 3, 2}}),
            "'z:(1)2' and 'z:(3)2' in layout are not separate factors of axis "
            "'z' (size 6)");
  EXPECT_EQ(message({{0, 1, 2}}, {{0, 2, 2}, one}), "");
}

TEST(LayoutErrors, AxesBothCuttingAndPartial) {
  Mesh m = mesh("x=2, y=2");
  Layout layout = unchecked({m.getWholeAxis(0)});
  layout.partial.push_back({ReductionKind::Sum, {m.getWholeAxis(1)}});
  EXPECT_EQ(verify(m, layout, {8}), "");
  layout.partial.push_back({ReductionKind::And, {m.getWholeAxis(0)}});
  EXPECT_EQ(verify(m, layout, {8}),
            "axis 'x' (size 2) is used twice in layout");
}

TEST(LayoutErrors, Sizes) {
  Mesh m = mesh("x=2, y=2");
  Layout cut = layout("[{x},{y}]", m);
  EXPECT_EQ(verify(m, cut, {4, kDynamic}),
            "dim 1 is cut by 'y', so its size must be known");
  EXPECT_EQ(verify(m, cut, {-3, 4}),
            "dim 0 has size -3, it must be at least 0");
  EXPECT_EQ(verify(m, Layout::replicated(2), {4, -1}),
            "dim 1 has size -1, it must be at least 0");
}

TEST(LayoutErrors, MoreElementsThanFit) {
  Mesh m = mesh("x=2");
  int64_t huge = INT64_C(1) << 62;
  Layout cut = layout("[{x},{},{}]", m);
  EXPECT_EQ(verify(m, cut, {huge, 2, kDynamic}),
            "tensor of shape 4611686018427387904x2x? has more than 2^63 - 1 "
            "elements");
  EXPECT_EQ(verify(m, cut, {huge, 1, 1}), "");
  EXPECT_EQ(verify(m, cut, {huge, huge, 0}), "");
  EXPECT_EQ(getMaxLocalElements(cut, {huge, huge, 0}), 0);
  EXPECT_EQ(getMaxLocalElements(cut, {huge, 1, 1}), huge / 2);
  EXPECT_EQ(verify(m, cut, {INT64_MAX, 1, 1}), "");
  EXPECT_EQ(getBox(m, cut, {INT64_MAX, 1, 1}, 1)[0],
            (Range{huge, INT64_MAX - huge}));
}

TEST(LayoutErrors, ExplicitBlockSizes) {
  Mesh m = mesh("x=4, y=2");
  AxisRef x = m.getWholeAxis(0);
  EXPECT_EQ(verify(m, unchecked({x}, {2, 3, 4, 4}), {14}),
            "explicit block sizes of dim 0 sum to 13, its size is 14");
  EXPECT_EQ(verify(m, unchecked({x}, {2, 3, 9}), {14}),
            "dim 0 has 3 explicit block sizes, its axes have 4 positions");
  EXPECT_EQ(verify(m, unchecked({}, {7, 7}), {14}),
            "dim 0 has 2 explicit block sizes, its axes have 1 positions");
  EXPECT_EQ(verify(m, unchecked({x}, {2, -2, 7, 7}), {14}),
            "explicit block 1 of dim 0 has size -2, it must be at least 0");
  EXPECT_EQ(verify(m, unchecked({x}, {INT64_MAX, 1, 0, 0}), {14}),
            "explicit block sizes of dim 0 sum to more than 2^63 - 1");
  EXPECT_EQ(verify(m, unchecked({x}, {1, 1, 1, 1}), {kDynamic}),
            "dim 0 is cut by 'x', so its size must be known");
  Layout open = unchecked({x}, {2, 3, 4, 5});
  open.dims[0].open = true;
  EXPECT_EQ(verify(m, open, {14}), "dim 0 is open, only a closed dim may have "
                                   "explicit block sizes");
}

TEST(LayoutErrors, WithoutAShapeTheRestIsChecked) {
  Mesh m = mesh("x=4");
  AxisRef x = m.getWholeAxis(0);
  EXPECT_EQ(messageOf(verifyLayout(m, unchecked({x, x}))),
            "axis 'x' (size 4) is used twice in layout");
  EXPECT_EQ(messageOf(verifyLayout(m, unchecked({x}, {1, 2}))),
            "dim 0 has 2 explicit block sizes, its axes have 4 positions");
  EXPECT_EQ(messageOf(verifyLayout(m, unchecked({x}, {9, 9, 9, 9}))), "");
}

} // namespace
