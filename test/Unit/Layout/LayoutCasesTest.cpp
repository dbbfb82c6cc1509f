// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Uneven cuts that other systems are known to get wrong, with the right sizes
/// written out.

#include "Enumerate.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Sizes = std::vector<int64_t>;

/// Returns the block size of each rank of a vector of \p size elements.
Sizes blocksOf(llvm::StringRef meshText, llvm::StringRef layoutText,
               int64_t size) {
  Mesh m = mesh(meshText);
  Layout l = layout(layoutText, m);
  EXPECT_EQ(messageOf(verifyLayout(m, l, {size})), "");
  Sizes sizes;
  for (int64_t rank = 0; rank < m.getNumRanks(); ++rank)
    sizes.push_back(getBox(m, l, {size}, rank)[0].size);
  return sizes;
}

TEST(LayoutCases, TrailingBlocksAreShortOrEmpty) {
  EXPECT_EQ(blocksOf("x=4", "[{x}]", 5), (Sizes{2, 2, 1, 0}));
  EXPECT_EQ(blocksOf("x=2", "[{x}]", 5), (Sizes{3, 2}));
  EXPECT_EQ(blocksOf("x=4", "[{x}]", 2), (Sizes{1, 1, 0, 0}));
  EXPECT_EQ(blocksOf("x=4", "[{x}]", 6), (Sizes{2, 2, 2, 0}));
  EXPECT_EQ(blocksOf("x=4", "[{x}]", 73), (Sizes{19, 19, 19, 16}));
  EXPECT_EQ(blocksOf("x=4", "[{x}]", 12), (Sizes{3, 3, 3, 3}));
}

// Cut by both axes of a 2x2 mesh, 5 elements are 2, 2, 1, 0 as on one axis of
// size 4; cut one axis inside the other they would be 2, 1, 1, 1.
TEST(LayoutCases, SeveralAxesCutFlat) {
  EXPECT_EQ(blocksOf("x=2, y=2", "[{x,y}]", 5), (Sizes{2, 2, 1, 0}));
  EXPECT_EQ(blocksOf("x=2, y=2", "[{y,x}]", 5), (Sizes{2, 1, 2, 0}));
  EXPECT_EQ(blocksOf("x=4", "[{x:(1)2,x:(2)2}]", 5), (Sizes{2, 2, 1, 0}));
}

TEST(LayoutCases, ExplicitBlockSizesAreHeld) {
  EXPECT_EQ(blocksOf("x=4", "[{x}:[2,3,4,5]]", 14), (Sizes{2, 3, 4, 5}));
  Mesh m = mesh("x=4");
  Layout l = layout("[{x}:[2,3,4,5]]", m);
  EXPECT_EQ(getBlock(l.dims[0], 14, 0), (Range{0, 2}));
  EXPECT_EQ(getBlock(l.dims[0], 14, 2), (Range{5, 4}));
  EXPECT_EQ(getBlock(l.dims[0], 14, 3), (Range{9, 5}));
  EXPECT_EQ(getLocalShape(l, {14})[0], kDynamic);
  EXPECT_EQ(getMaxLocalElements(l, {14}), 5);
  EXPECT_EQ(messageOf(verifyLayout(m, l, {16})),
            "explicit block sizes of dim 0 sum to 14, its size is 16");
}

TEST(LayoutCases, UnevenBlocksJoinToTheWhole) {
  Mesh m = mesh("x=4");
  Layout l = layout("[{x}]", m);
  int64_t next = 0;
  for (int64_t rank = 0; rank < 4; ++rank) {
    Range block = getBox(m, l, {73}, rank)[0];
    EXPECT_EQ(block.offset, next);
    next = block.getEnd();
  }
  EXPECT_EQ(next, 73);
}

// An empty block stands at the end of its dim, not beyond it.
TEST(LayoutCases, EmptyBlocksBeginAtTheEnd) {
  Mesh m = mesh("x=8");
  Layout l = layout("[{x}]", m);
  for (int64_t rank : {3, 5, 7})
    EXPECT_EQ(getBox(m, l, {3}, rank)[0], (Range{3, 0}));
  EXPECT_EQ(getBox(m, l, {0}, 7)[0], (Range{0, 0}));
}

} // namespace
