// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layouts: which elements of a tensor each rank of a mesh holds.
/// docs/layout.md states the meaning; this is the one place that computes it.
/// Local shapes, the slice of a rank and the evenness of a cut are asked for
/// here and derived nowhere else.

#ifndef PCTL_LAYOUT_LAYOUT_H
#define PCTL_LAYOUT_LAYOUT_H

#include "pctl/Layout/Box.h"
#include "pctl/Layout/Mesh.h"

namespace pctl::layout {

/// How the contributions of a partial value combine. Signedness and the NaN
/// rule are part of the kind, as the bits of an element do not tell them.
enum class ReductionKind {
  Sum,
  Product,
  MaxSigned,   ///< integers compared as signed
  MaxUnsigned, ///< integers compared as unsigned
  Maximum,     ///< floats; a NaN operand gives NaN (IEEE 754-2019 maximum)
  MaxNum,      ///< floats; a NaN operand is ignored (IEEE 754-2008 maxNum)
  MinSigned,
  MinUnsigned,
  Minimum,
  MinNum,
  And,
  Or,
  Xor,
};

/// Returns the keyword of \p kind in every text form: `sum`, `product`,
/// `maxsi`, `maxui`, `maximumf`, `maxnumf`, `minsi`, ..., `and`, `or`, `xor`.
llvm::StringRef stringifyReductionKind(ReductionKind kind);

/// Returns the kind that \p keyword names, if any.
std::optional<ReductionKind> symbolizeReductionKind(llvm::StringRef keyword);

/// How one dim is cut: by \ref axes taken as one axis, the first being major.
///
/// With k positions, a dim of n elements has blocks of b = ceil(n / k):
/// position i holds [min(i b, n), min((i + 1) b, n)). Trailing blocks may be
/// short or empty: 5 over 4 is 2, 2, 1, 0. Several axes cut flat, not one
/// inside the other. Explicit block sizes, one a position, replace the rule.
struct DimLayout {
  llvm::SmallVector<AxisRef, 2> axes;
  /// Whether propagation may add axes after these. Closed dims stay as they
  /// are.
  bool open = false;
  /// Explicit size of each block; empty for blocks of ceil(n / k).
  llvm::SmallVector<int64_t, 0> blockSizes;

  friend bool operator==(const DimLayout &a, const DimLayout &b) {
    return a.axes == b.axes && a.open == b.open && a.blockSizes == b.blockSizes;
  }
};

/// A reduction that is still to be done over some axes: along them each rank
/// holds a contribution to every element of its box.
struct PartialAxes {
  ReductionKind kind = ReductionKind::Sum;
  llvm::SmallVector<AxisRef, 2> axes;

  friend bool operator==(const PartialAxes &a, const PartialAxes &b) {
    return a.kind == b.kind && a.axes == b.axes;
  }
};

/// A way to lay a tensor over a mesh: each dim cut by axes, some axes partial,
/// all others replicated.
///
/// Worked example, on mesh `data=4, model=2` and an 8x6 tensor:
/// `[{data},{model}]` leaves 2x3 on each rank; `[{},{model}]` leaves 8x3, the
/// same on all four ranks along data; `[{data},{}] partial=[sum(model)]` leaves
/// 2x6, and the value is the sum of the two along model.
struct Layout {
  llvm::SmallVector<DimLayout, 4> dims;
  /// What is still to be reduced, the first entry first: with two kinds the
  /// order matters, as a maximum of sums is no sum of maxima.
  llvm::SmallVector<PartialAxes, 1> partial;

  /// Returns the layout that holds a tensor of rank \p tensorRank whole
  /// everywhere, with all dims open or all closed.
  static Layout replicated(unsigned tensorRank, bool open = false);

  unsigned getTensorRank() const { return dims.size(); }
  bool isPartial() const { return !partial.empty(); }

  /// Returns the axes of all partial entries, in order.
  llvm::SmallVector<AxisRef> getPartialAxes() const;
  /// Returns the axes that cut dims or are partial, dims first, in order.
  llvm::SmallVector<AxisRef> getUsedAxes() const;

  /// Returns this layout with every dim closed, axis lists normal, size-1 axes
  /// and empty partial entries gone, block sizes gone that follow the rule,
  /// neighbouring partial entries of one kind joined and their axes in mesh
  /// order. Layouts with equal normal forms place elements alike; without
  /// explicit block sizes only those do.
  Layout getNormalForm() const;
  /// Returns this layout without partial entries.
  Layout withoutPartial() const;

  friend bool operator==(const Layout &a, const Layout &b) {
    return a.dims == b.dims && a.partial == b.partial;
  }
  friend bool operator!=(const Layout &a, const Layout &b) { return !(a == b); }
};

/// Stands for a local size that differs between ranks, and, in a global shape,
/// for a size that is not known. Equals MLIR's ShapedType::kDynamic; the bridge
/// to MLIR checks that.
inline constexpr int64_t kDynamic = INT64_MIN;

/// Checks that \p layout can lay a tensor of shape \p globalShape over \p mesh.
/// Errors: another number of dims than the shape; an axis that the mesh lacks
/// or a sub-axis that does not divide it; an axis used twice (or parts of it
/// that overlap); a cut dim of size kDynamic; another negative size; explicit
/// block sizes that are negative, of another count than the positions, or of
/// another sum than the dim; explicit block sizes on an open dim; more elements
/// than an int64_t counts.
llvm::Error verifyLayout(const Mesh &mesh, const Layout &layout,
                         llvm::ArrayRef<int64_t> globalShape);

/// Checks what of that needs no shape: the axes, and the explicit block sizes
/// but for their sum.
llvm::Error verifyLayout(const Mesh &mesh, const Layout &layout);

/// Returns the block of position \p position of a dim of \p globalSize.
Range getBlock(const DimLayout &dim, int64_t globalSize, int64_t position);

/// Returns the size of each block where all positions hold the same number of
/// elements (that is, also blocks of 0 of an empty dim), else nothing.
std::optional<int64_t> getEvenBlockSize(const DimLayout &dim,
                                        int64_t globalSize);

/// Returns whether every dim of a tensor of \p globalShape is cut evenly.
bool isEven(const Layout &layout, llvm::ArrayRef<int64_t> globalShape);

/// Returns the shape of the slice of every rank: local [B/data, H] of global
/// [B, H]; kDynamic for a dim whose blocks differ, the global size (also where
/// that is kDynamic) for a dim that is not cut.
llvm::SmallVector<int64_t> getLocalShape(const Layout &layout,
                                         llvm::ArrayRef<int64_t> globalShape);

/// Returns the elements that \p rank holds, in global coordinates. All sizes of
/// \p globalShape must be known.
Box getBox(const Mesh &mesh, const Layout &layout,
           llvm::ArrayRef<int64_t> globalShape, int64_t rank);

/// Returns the greatest number of elements that any rank holds. All sizes of
/// \p globalShape must be known.
int64_t getMaxLocalElements(const Layout &layout,
                            llvm::ArrayRef<int64_t> globalShape);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_LAYOUT_H
