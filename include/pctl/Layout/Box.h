// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Boxes: the shape of every slice that a rank holds, sends or lacks. What a
/// layout leaves on a rank is one box; what a rank must fetch is a difference
/// of boxes; what one rank can give another is an intersection.

#ifndef PCTL_LAYOUT_BOX_H
#define PCTL_LAYOUT_BOX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace pctl::layout {

/// A half-open interval of indices along one dim.
struct Range {
  int64_t offset = 0;
  int64_t size = 0;

  int64_t getEnd() const { return offset + size; }
  friend bool operator==(Range a, Range b) {
    return a.offset == b.offset && a.size == b.size;
  }
};

/// Returns what both ranges hold; of size 0 where they are disjoint.
Range intersect(Range a, Range b);

/// An axis-parallel set of elements of a tensor, a range for each dim. A box
/// with a range of size 0 is empty; the box of a scalar has no dims and holds
/// one element.
class Box {
public:
  Box() = default;
  explicit Box(llvm::ArrayRef<Range> ranges)
      : ranges(ranges.begin(), ranges.end()) {}

  /// Returns the box of all elements of a tensor of shape \p shape.
  static Box ofShape(llvm::ArrayRef<int64_t> shape);

  llvm::ArrayRef<Range> getRanges() const { return ranges; }
  Range operator[](unsigned dim) const { return ranges[dim]; }
  unsigned getTensorRank() const { return ranges.size(); }
  bool isEmpty() const;
  int64_t getNumElements() const;

  /// Returns whether every element of \p other is in this box. An empty box is
  /// in every box.
  bool contains(const Box &other) const;
  bool contains(llvm::ArrayRef<int64_t> index) const;

  /// Returns this box in the coordinates of \p outer's first element.
  Box relativeTo(const Box &outer) const;

  friend bool operator==(const Box &a, const Box &b) {
    return a.ranges == b.ranges;
  }

private:
  llvm::SmallVector<Range, 4> ranges;
};

/// Returns the elements that both boxes hold, or nothing where there are none.
/// Both must have the same number of dims.
std::optional<Box> intersect(const Box &a, const Box &b);

/// Returns the elements of \p a that \p b lacks, as disjoint boxes that are not
/// empty, at most two a dim.
llvm::SmallVector<Box> subtract(const Box &a, const Box &b);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_BOX_H
