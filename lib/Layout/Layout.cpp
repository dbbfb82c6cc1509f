// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The meaning of a layout. getBlock is the one owner of the block formula, and
/// all other sizes come from it or from the same two numbers.
/// docs/layout.md, "Blocks".

#include "pctl/Layout/Layout.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace pctl;
using namespace pctl::layout;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Reduction kinds
//===----------------------------------------------------------------------===//

static constexpr std::pair<ReductionKind, const char *> kindKeywords[] = {
    {ReductionKind::Sum, "sum"},          {ReductionKind::Product, "product"},
    {ReductionKind::MaxSigned, "maxsi"},  {ReductionKind::MaxUnsigned, "maxui"},
    {ReductionKind::Maximum, "maximumf"}, {ReductionKind::MaxNum, "maxnumf"},
    {ReductionKind::MinSigned, "minsi"},  {ReductionKind::MinUnsigned, "minui"},
    {ReductionKind::Minimum, "minimumf"}, {ReductionKind::MinNum, "minnumf"},
    {ReductionKind::And, "and"},          {ReductionKind::Or, "or"},
    {ReductionKind::Xor, "xor"},
};

StringRef layout::stringifyReductionKind(ReductionKind kind) {
  for (auto [candidate, keyword] : kindKeywords)
    if (candidate == kind)
      return keyword;
  return "";
}

std::optional<ReductionKind> layout::symbolizeReductionKind(StringRef keyword) {
  for (auto [kind, candidate] : kindKeywords)
    if (keyword == candidate)
      return kind;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Range layout::getBlock(const DimLayout &dim, int64_t globalSize,
                       int64_t position) {
  if (!dim.blockSizes.empty()) {
    ArrayRef<int64_t> before = ArrayRef(dim.blockSizes).take_front(position);
    return {std::accumulate(before.begin(), before.end(), int64_t(0)),
            dim.blockSizes[position]};
  }
  int64_t block = ceilDiv(globalSize, getNumPositions(dim.axes));
  // Dividing keeps position * block from overflowing near 2^63.
  if (block == 0 || position > globalSize / block)
    return {globalSize, 0};
  int64_t offset = position * block;
  return {offset, std::min(block, globalSize - offset)};
}

/// Returns whether \p dim can hold anything but the whole dim on a rank.
static bool isCut(const DimLayout &dim) {
  return !dim.blockSizes.empty() || getNumPositions(dim.axes) > 1;
}

std::optional<int64_t> layout::getEvenBlockSize(const DimLayout &dim,
                                                int64_t globalSize) {
  if (!isCut(dim))
    return globalSize;
  if (!dim.blockSizes.empty()) {
    if (!llvm::all_equal(dim.blockSizes))
      return std::nullopt;
    return dim.blockSizes.front();
  }
  int64_t positions = getNumPositions(dim.axes);
  if (globalSize < 0 || globalSize % positions != 0)
    return std::nullopt;
  return globalSize / positions;
}

bool layout::isEven(const Layout &layout, ArrayRef<int64_t> globalShape) {
  return llvm::all_of(llvm::zip_equal(layout.dims, globalShape), [](auto pair) {
    auto [dim, size] = pair;
    return getEvenBlockSize(dim, size).has_value();
  });
}

SmallVector<int64_t> layout::getLocalShape(const Layout &layout,
                                           ArrayRef<int64_t> globalShape) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::zip_equal(layout.dims, globalShape))
    shape.push_back(getEvenBlockSize(dim, size).value_or(kDynamic));
  return shape;
}

Box layout::getBox(const Mesh &mesh, const Layout &layout,
                   ArrayRef<int64_t> globalShape, int64_t rank) {
  SmallVector<Range, 4> ranges;
  for (auto [dim, size] : llvm::zip_equal(layout.dims, globalShape))
    ranges.push_back(getBlock(dim, size, mesh.getCoordinate(rank, dim.axes)));
  return Box(ranges);
}

int64_t layout::getMaxLocalElements(const Layout &layout,
                                    ArrayRef<int64_t> globalShape) {
  // No axis cuts two dims, so some rank holds the largest block of every dim.
  SmallVector<Range, 4> largest;
  for (auto [dim, size] : llvm::zip_equal(layout.dims, globalShape))
    largest.push_back({0, dim.blockSizes.empty()
                              ? getBlock(dim, size, 0).size
                              : *llvm::max_element(dim.blockSizes)});
  return Box(largest).getNumElements();
}

//===----------------------------------------------------------------------===//
// Layouts as values
//===----------------------------------------------------------------------===//

Layout Layout::replicated(unsigned tensorRank, bool open) {
  Layout layout;
  layout.dims.resize(tensorRank);
  for (DimLayout &dim : layout.dims)
    dim.open = open;
  return layout;
}

SmallVector<AxisRef> Layout::getPartialAxes() const {
  SmallVector<AxisRef> axes;
  for (const PartialAxes &entry : partial)
    axes.append(entry.axes.begin(), entry.axes.end());
  return axes;
}

SmallVector<AxisRef> Layout::getUsedAxes() const {
  SmallVector<AxisRef> axes;
  for (const DimLayout &dim : dims)
    axes.append(dim.axes.begin(), dim.axes.end());
  llvm::append_range(axes, getPartialAxes());
  return axes;
}

/// Returns whether the explicit block sizes of \p dim are those of the rule.
static bool followsBlockRule(const DimLayout &dim) {
  if (static_cast<int64_t>(dim.blockSizes.size()) != getNumPositions(dim.axes))
    return false;
  int64_t globalSize =
      std::accumulate(dim.blockSizes.begin(), dim.blockSizes.end(), int64_t(0));
  DimLayout byRule{dim.axes, false, {}};
  for (auto [position, size] : llvm::enumerate(dim.blockSizes))
    if (getBlock(byRule, globalSize, position).size != size)
      return false;
  return true;
}

Layout Layout::getNormalForm() const {
  Layout normal;
  for (const DimLayout &dim : dims) {
    DimLayout &normalDim = normal.dims.emplace_back();
    normalDim.axes = normalizeAxes(dim.axes);
    if (!followsBlockRule(dim))
      normalDim.blockSizes = dim.blockSizes;
  }
  // Entries are reduced in order, so only neighbours may be joined: a sum of
  // maxima of sums has three entries and stays so.
  for (const PartialAxes &entry : partial) {
    if (normalizeAxes(entry.axes).empty())
      continue;
    if (normal.partial.empty() || normal.partial.back().kind != entry.kind)
      normal.partial.push_back({entry.kind, {}});
    llvm::append_range(normal.partial.back().axes, entry.axes);
  }
  for (PartialAxes &entry : normal.partial) {
    llvm::sort(entry.axes);
    entry.axes = normalizeAxes(entry.axes);
  }
  return normal;
}

Layout Layout::withoutPartial() const {
  Layout layout = *this;
  layout.partial.clear();
  return layout;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static Error verifyAxis(const Mesh &mesh, AxisRef ref) {
  if (ref.axis >= mesh.getNumAxes())
    return makeError("layout uses axis number {0}, mesh has {1} axes", ref.axis,
                     mesh.getNumAxes());
  return mesh.getSubAxis(mesh.getAxes()[ref.axis].name, ref.preSize, ref.size)
      .takeError();
}

/// Checks that \p a and \p b, both of the mesh, can be used side by side.
static Error verifyDistinct(const Mesh &mesh, AxisRef a, AxisRef b) {
  const MeshAxis &axis = mesh.getAxes()[a.axis];
  if (a == b && a == mesh.getWholeAxis(a.axis))
    return makeError("axis '{0}' (size {1}) is used twice in layout", axis.name,
                     axis.size);
  if (a == b)
    return makeError("sub-axis '{0}' is used twice in layout",
                     toString(mesh, a));
  if (a.overlaps(b))
    return makeError("'{0}' and '{1}' in layout are not separate factors of "
                     "axis '{2}' (size {3})",
                     toString(mesh, a), toString(mesh, b), axis.name,
                     axis.size);
  return Error::success();
}

static Error verifyBlockSizes(const DimLayout &dim, unsigned index) {
  if (dim.blockSizes.empty())
    return Error::success();
  if (dim.open)
    return makeError("dim {0} is open, only a closed dim may have explicit "
                     "block sizes",
                     index);
  int64_t positions = getNumPositions(dim.axes);
  if (static_cast<int64_t>(dim.blockSizes.size()) != positions)
    return makeError("dim {0} has {1} explicit block sizes, its axes have {2} "
                     "positions",
                     index, dim.blockSizes.size(), positions);
  int64_t sum = 0;
  for (auto [position, size] : llvm::enumerate(dim.blockSizes)) {
    if (size < 0)
      return makeError("explicit block {0} of dim {1} has size {2}, it must be "
                       "at least 0",
                       position, index, size);
    if (llvm::AddOverflow(sum, size, sum))
      return makeError("explicit block sizes of dim {0} sum to more than "
                       "2^63 - 1",
                       index);
  }
  return Error::success();
}

Error layout::verifyLayout(const Mesh &mesh, const Layout &layout) {
  SmallVector<AxisRef> used = layout.getUsedAxes();
  for (auto [index, ref] : llvm::enumerate(used)) {
    if (Error error = verifyAxis(mesh, ref))
      return error;
    for (AxisRef earlier : ArrayRef(used).take_front(index))
      if (Error error = verifyDistinct(mesh, earlier, ref))
        return error;
  }
  for (auto [index, dim] : llvm::enumerate(layout.dims))
    if (Error error = verifyBlockSizes(dim, index))
      return error;
  return Error::success();
}

/// Checks one dim against its global size.
static Error verifyDimSize(const Mesh &mesh, const DimLayout &dim,
                           int64_t globalSize, unsigned index) {
  if (globalSize == kDynamic && isCut(dim))
    return makeError("dim {0} is cut by '{1}', so its size must be known",
                     index, toString(mesh, dim.axes));
  if (globalSize < 0 && globalSize != kDynamic)
    return makeError("dim {0} has size {1}, it must be at least 0", index,
                     globalSize);
  if (dim.blockSizes.empty())
    return Error::success();
  int64_t sum =
      std::accumulate(dim.blockSizes.begin(), dim.blockSizes.end(), int64_t(0));
  if (sum != globalSize)
    return makeError("explicit block sizes of dim {0} sum to {1}, its size is "
                     "{2}",
                     index, sum, globalSize);
  return Error::success();
}

Error layout::verifyLayout(const Mesh &mesh, const Layout &layout,
                           ArrayRef<int64_t> globalShape) {
  if (layout.getTensorRank() != globalShape.size())
    return makeError("layout has {0} dims, tensor has rank {1}",
                     layout.getTensorRank(), globalShape.size());
  if (Error error = verifyLayout(mesh, layout))
    return error;
  SmallVector<int64_t> known;
  for (auto [index, dim] : llvm::enumerate(layout.dims)) {
    if (Error error = verifyDimSize(mesh, dim, globalShape[index], index))
      return error;
    if (globalShape[index] != kDynamic)
      known.push_back(globalShape[index]);
  }
  if (!checkedProduct(known))
    return makeError("tensor of shape {0} has more than 2^63 - 1 elements",
                     shapeToString(globalShape));
  return Error::success();
}
