// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Boxes against sets of elements: every pair of boxes of small tensors.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Index = std::vector<int64_t>;

std::vector<Range> allRanges(int64_t size) {
  std::vector<Range> ranges;
  for (int64_t begin = 0; begin <= size; ++begin)
    for (int64_t end = begin; end <= size; ++end)
      ranges.push_back({begin, end - begin});
  return ranges;
}

std::vector<Box> allBoxes(llvm::ArrayRef<int64_t> shape) {
  std::vector<std::vector<Range>> all = {{}};
  for (int64_t size : shape) {
    std::vector<std::vector<Range>> longer;
    for (const std::vector<Range> &head : all)
      for (Range range : allRanges(size)) {
        longer.push_back(head);
        longer.back().push_back(range);
      }
    all = std::move(longer);
  }
  std::vector<Box> boxes;
  for (const std::vector<Range> &ranges : all)
    boxes.push_back(Box(ranges));
  return boxes;
}

std::vector<Index> allIndices(llvm::ArrayRef<int64_t> shape) {
  std::vector<Index> all = {{}};
  for (int64_t size : shape) {
    std::vector<Index> longer;
    for (const Index &head : all)
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(head);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

/// The indices of \p all inside \p box.
std::set<Index> elementsOf(const Box &box, const std::vector<Index> &all) {
  std::set<Index> elements;
  for (const Index &index : all) {
    bool inside = true;
    for (size_t dim = 0; dim < index.size(); ++dim)
      inside &= index[dim] >= box[dim].offset &&
                index[dim] < box[dim].offset + box[dim].size;
    if (inside)
      elements.insert(index);
  }
  return elements;
}

void checkPair(const Box &a, const Box &b, const std::set<Index> &inA,
               const std::set<Index> &inB, const std::vector<Index> &all) {
  SCOPED_TRACE(toString(a) + " and " + toString(b));
  std::set<Index> inBoth, onlyInA;
  llvm::copy_if(inA, std::inserter(inBoth, inBoth.end()),
                [&](const Index &index) { return inB.count(index); });
  llvm::copy_if(inA, std::inserter(onlyInA, onlyInA.end()),
                [&](const Index &index) { return !inB.count(index); });

  std::optional<Box> common = intersect(a, b);
  ASSERT_EQ(common.has_value(), !inBoth.empty());
  if (common) {
    ASSERT_EQ(elementsOf(*common, all), inBoth);
  }

  std::set<Index> covered;
  llvm::SmallVector<Box> pieces = subtract(a, b);
  ASSERT_LE(pieces.size(), std::max<size_t>(2 * a.getTensorRank(), 1));
  for (const Box &piece : pieces) {
    ASSERT_FALSE(piece.isEmpty());
    for (const Index &index : elementsOf(piece, all))
      ASSERT_TRUE(covered.insert(index).second) << "pieces overlap";
  }
  ASSERT_EQ(covered, onlyInA);
  ASSERT_EQ(a.contains(b),
            std::includes(inA.begin(), inA.end(), inB.begin(), inB.end()));
}

TEST(Box, SetOperationsOnEveryPair) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{}, {0}, {1}, {5}, {3, 3}, {4, 2}}) {
    std::vector<Index> all = allIndices(shape);
    std::vector<Box> boxes = allBoxes(shape);
    std::vector<std::set<Index>> elements;
    for (const Box &box : boxes)
      elements.push_back(elementsOf(box, all));
    for (size_t a = 0; a < boxes.size(); ++a)
      for (size_t b = 0; b < boxes.size(); ++b)
        checkPair(boxes[a], boxes[b], elements[a], elements[b], all);
  }
}

TEST(Box, SetOperationsOnRandomBoxesOfThreeDims) {
  std::mt19937_64 random(7);
  std::vector<Index> all = allIndices({5, 4, 3});
  std::vector<Box> boxes = allBoxes({5, 4, 3});
  std::uniform_int_distribution<size_t> pick(0, boxes.size() - 1);
  for (int i = 0; i < 500; ++i) {
    const Box &a = boxes[pick(random)], &b = boxes[pick(random)];
    checkPair(a, b, elementsOf(a, all), elementsOf(b, all), all);
  }
}

TEST(Box, CountsAndContainsElements) {
  std::vector<Index> all = allIndices({4, 3});
  for (const Box &box : allBoxes({4, 3})) {
    std::set<Index> elements = elementsOf(box, all);
    ASSERT_EQ(box.getNumElements(), static_cast<int64_t>(elements.size()));
    ASSERT_EQ(box.isEmpty(), elements.empty());
    for (const Index &index : all)
      ASSERT_EQ(box.contains(index), elements.count(index) == 1);
  }
}

TEST(Box, OfAScalarHoldsOneElement) {
  Box scalar = Box::ofShape({});
  EXPECT_EQ(scalar.getTensorRank(), 0u);
  EXPECT_EQ(scalar.getNumElements(), 1);
  EXPECT_TRUE(intersect(scalar, scalar) == scalar);
  EXPECT_TRUE(subtract(scalar, scalar).empty());
}

TEST(Box, RelativeToAnother) {
  Box inner(llvm::ArrayRef<Range>{{5, 2}, {4, 1}});
  Box outer(llvm::ArrayRef<Range>{{4, 4}, {4, 3}});
  EXPECT_EQ(toString(inner.relativeTo(outer)), "[1:3, 0:1]");
  EXPECT_EQ(toString(inner.relativeTo(Box::ofShape({9, 9}))), toString(inner));
}

TEST(Box, OfHugeShapesDoesNotOverflow) {
  int64_t huge = INT64_C(1) << 62;
  EXPECT_EQ(Box::ofShape({huge, 0, huge}).getNumElements(), 0);
  EXPECT_EQ(Box::ofShape({huge, 1}).getNumElements(), huge);
  Box all = Box::ofShape({INT64_MAX});
  Box end(llvm::ArrayRef<Range>{{INT64_MAX - 3, 3}});
  EXPECT_EQ(toString(subtract(all, end)[0]), "[0:9223372036854775804]");
}

TEST(Range, DisjointRangesShareNothing) {
  EXPECT_EQ(intersect(Range{0, 2}, Range{2, 2}).size, 0);
  EXPECT_EQ(intersect(Range{0, 2}, Range{5, 2}).size, 0);
  EXPECT_TRUE((intersect(Range{0, 5}, Range{3, 9}) == Range{3, 2}));
}

} // namespace
