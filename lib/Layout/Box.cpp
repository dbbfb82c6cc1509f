// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Set operations on boxes.

#include "pctl/Layout/Box.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::SmallVector;

Range layout::intersect(Range a, Range b) {
  int64_t begin = std::max(a.offset, b.offset);
  int64_t end = std::min(a.getEnd(), b.getEnd());
  return {begin, std::max<int64_t>(end - begin, 0)};
}

Box Box::ofShape(ArrayRef<int64_t> shape) {
  Box box;
  for (int64_t size : shape)
    box.ranges.push_back({0, size});
  return box;
}

bool Box::isEmpty() const {
  return llvm::any_of(ranges, [](Range range) { return range.size == 0; });
}

int64_t Box::getNumElements() const {
  // Zero first: the other sizes of an empty box may overflow.
  if (isEmpty())
    return 0;
  int64_t elements = 1;
  for (Range range : ranges)
    elements *= range.size;
  return elements;
}

bool Box::contains(const Box &other) const {
  if (other.isEmpty())
    return true;
  return llvm::all_of(llvm::zip_equal(ranges, other.ranges), [](auto pair) {
    auto [mine, theirs] = pair;
    return mine.offset <= theirs.offset && theirs.getEnd() <= mine.getEnd();
  });
}

bool Box::contains(ArrayRef<int64_t> index) const {
  return llvm::all_of(llvm::zip_equal(ranges, index), [](auto pair) {
    auto [range, position] = pair;
    return range.offset <= position && position < range.getEnd();
  });
}

Box Box::relativeTo(const Box &outer) const {
  Box box = *this;
  for (auto [range, origin] : llvm::zip_equal(box.ranges, outer.ranges))
    range.offset -= origin.offset;
  return box;
}

std::optional<Box> layout::intersect(const Box &a, const Box &b) {
  SmallVector<Range, 4> ranges;
  for (auto [rangeA, rangeB] : llvm::zip_equal(a.getRanges(), b.getRanges())) {
    Range common = intersect(rangeA, rangeB);
    if (common.size == 0)
      return std::nullopt;
    ranges.push_back(common);
  }
  return Box(ranges);
}

SmallVector<Box> layout::subtract(const Box &a, const Box &b) {
  if (a.isEmpty())
    return {};
  std::optional<Box> common = intersect(a, b);
  if (!common)
    return {a};

  // Peel off what lies below and above the common part, dim by dim; what stays
  // is the common part itself.
  SmallVector<Box> pieces;
  SmallVector<Range, 4> rest(a.getRanges());
  for (unsigned dim = 0; dim < a.getTensorRank(); ++dim) {
    Range whole = rest[dim], inner = (*common)[dim];
    for (Range side :
         {Range{whole.offset, inner.offset - whole.offset},
          Range{inner.getEnd(), whole.getEnd() - inner.getEnd()}}) {
      if (side.size == 0)
        continue;
      rest[dim] = side;
      pieces.push_back(Box(rest));
    }
    rest[dim] = inner;
  }
  return pieces;
}
