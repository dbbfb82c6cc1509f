// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Cuts that share a prefix, and axes as sets. A set of axes is kept as a list;
/// what is outside it is Mesh::getComplement, and "inside" is "shares nothing
/// with what is outside".

#include "Algebra.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Cuts of a dim
//===----------------------------------------------------------------------===//

/// Returns where the ranges end that the blocks of each of the \p numSpans
/// leading positions make up. Listed sizes are added up along the way: getBlock
/// would start at the first one for every block.
static SmallVector<int64_t> getSpanEnds(const DimLayout &dim,
                                        int64_t globalSize, int64_t numSpans) {
  int64_t blocks = getNumPositions(dim.axes) / numSpans;
  ArrayRef<int64_t> listed = dim.blockSizes;
  SmallVector<int64_t> ends;
  for (int64_t span = 0; span < numSpans; ++span) {
    if (listed.empty()) {
      ends.push_back(
          getBlock(dim, globalSize, (span + 1) * blocks - 1).getEnd());
      continue;
    }
    ArrayRef<int64_t> sizes = listed.slice(span * blocks, blocks);
    ends.push_back(std::accumulate(sizes.begin(), sizes.end(),
                                   ends.empty() ? int64_t(0) : ends.back()));
  }
  return ends;
}

/// Returns whether each of the \p prefixSize leading positions holds the same
/// range in both cuts.
static bool spansAlike(const DimLayout &a, const DimLayout &b,
                       int64_t globalSize, int64_t prefixSize) {
  if (!a.blockSizes.empty() || !b.blockSizes.empty())
    return getSpanEnds(a, globalSize, prefixSize) ==
           getSpanEnds(b, globalSize, prefixSize);
  // Blocks of the rule are all of one size up to the end of the dim, so the
  // first span says where all others lie.
  auto getFirstEnd = [&](const DimLayout &dim) {
    int64_t blocks = getNumPositions(dim.axes) / prefixSize;
    return getBlock(dim, globalSize, blocks - 1).getEnd();
  };
  return getFirstEnd(a) == getFirstEnd(b);
}

AxisList redistribute::getSharedPrefix(const DimLayout &a, const DimLayout &b,
                                       int64_t globalSize) {
  AxisList prefix = getCommonPrefix(a.axes, b.axes);
  while (!prefix.empty() &&
         !spansAlike(a, b, globalSize, getNumPositions(prefix)))
    prefix.pop_back();
  return prefix;
}

bool redistribute::nests(const DimLayout &outer, const DimLayout &inner,
                         int64_t globalSize) {
  return getSharedPrefix(outer, inner, globalSize) == normalizeAxes(outer.axes);
}

bool redistribute::cutsAlike(const DimLayout &a, const DimLayout &b,
                             int64_t globalSize) {
  return normalizeAxes(a.axes) == normalizeAxes(b.axes) &&
         nests(a, b, globalSize);
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

AxisList redistribute::concatAxes(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  AxisList joined(a);
  joined.append(b.begin(), b.end());
  return normalizeAxes(joined);
}

std::optional<AxisList> redistribute::dropSuffix(ArrayRef<AxisRef> refs,
                                                 ArrayRef<AxisRef> suffix) {
  AxisList whole = normalizeAxes(refs);
  int64_t suffixSize = getNumPositions(suffix);
  if (suffixSize == 0 || getNumPositions(whole) % suffixSize != 0)
    return std::nullopt;
  int64_t left = getNumPositions(whole) / suffixSize;
  AxisList head;
  for (AxisRef ref : whole) {
    int64_t size = std::gcd(left, ref.size);
    if (size > 1)
      head.push_back({ref.axis, ref.preSize, size});
    left /= size;
    if (size != ref.size)
      break;
  }
  if (concatAxes(head, suffix) != whole)
    return std::nullopt;
  return head;
}

AxisList redistribute::takeDisjoint(ArrayRef<AxisRef> refs,
                                    ArrayRef<AxisRef> used) {
  AxisList taken;
  for (AxisRef ref : refs) {
    AxisRef part = ref;
    for (AxisRef other : used)
      if (part.overlaps(other))
        part.size = other.preSize % part.preSize == 0
                        ? std::gcd(part.size, other.preSize / part.preSize)
                        : 1;
    if (overlap(part, used))
      break;
    if (part.size > 1)
      taken.push_back(part);
    if (part.size != ref.size)
      break;
  }
  return taken;
}

//===----------------------------------------------------------------------===//
// Sets of axes
//===----------------------------------------------------------------------===//

bool redistribute::overlap(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  return llvm::any_of(a, [&](AxisRef ref) {
    return llvm::any_of(b, [&](AxisRef other) { return ref.overlaps(other); });
  });
}

bool redistribute::containsAxes(const Mesh &mesh, ArrayRef<AxisRef> outer,
                                ArrayRef<AxisRef> inner) {
  return !overlap(inner, mesh.getComplement(outer));
}

AxisList redistribute::subtractAxes(const Mesh &mesh, ArrayRef<AxisRef> refs,
                                    ArrayRef<AxisRef> removed) {
  AxisList others = mesh.getComplement(refs);
  others.append(removed.begin(), removed.end());
  return mesh.getComplement(others);
}

AxisList redistribute::getAxisSet(AxisList refs) {
  llvm::sort(refs);
  return normalizeAxes(refs);
}

AxisList redistribute::getCutAxes(const Layout &layout) {
  return layout.withoutPartial().getUsedAxes();
}

SmallVector<PartialAxes, 1>
redistribute::reduceFirst(const Mesh &mesh, ArrayRef<PartialAxes> partial,
                          ArrayRef<AxisRef> axes) {
  SmallVector<PartialAxes, 1> rest(partial);
  rest.front().axes = subtractAxes(mesh, rest.front().axes, axes);
  if (rest.front().axes.empty())
    rest.erase(rest.begin());
  return rest;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::pair<AxisList, AxisList>
redistribute::getChangedAxes(ArrayRef<int64_t> shape, const Layout &from,
                             const Layout &to) {
  AxisList changedFrom, changedTo;
  for (auto [dimFrom, dimTo, size] :
       llvm::zip_equal(from.dims, to.dims, shape)) {
    AxisList shared = getSharedPrefix(dimFrom, dimTo, size);
    llvm::append_range(changedFrom, dropPrefix(dimFrom.axes, shared));
    llvm::append_range(changedTo, dropPrefix(dimTo.axes, shared));
  }
  return {changedFrom, changedTo};
}

SmallVector<int64_t>
redistribute::getCountedShape(ArrayRef<int64_t> globalShape) {
  SmallVector<int64_t> shape(globalShape);
  llvm::replace(shape, kDynamic, int64_t(1));
  return shape;
}
