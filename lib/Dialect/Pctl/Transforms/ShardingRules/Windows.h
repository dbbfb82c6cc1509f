// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Indices of structured ops that several loops make up: the windows of
/// convolutions and poolings. Rules say from them which dims slide,
/// partitioning which places a rank needs. docs/partition.md, Windows.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_WINDOWS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_WINDOWS_H

#include "pctl/Layout/Box.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineExpr.h"

#include <optional>

namespace pctl::detail {

/// An index that is a window sliding with one loop, the leader: at iteration o
/// of that, all iterations of the other loops together read no place before
/// `stride * o` and none behind `stride * o + reach`.
struct Window {
  unsigned leader = 0;
  int64_t stride = 1;
  int64_t reach = 0;

  /// Returns the places that \p iterations of the leader read, empty where
  /// there are none.
  layout::Range getPlaces(layout::Range iterations) const;
};

/// Returns the window that \p expr, the index of a dim of \p dimSize, is over
/// loops of \p loopSizes and \p iteratorTypes: a sum of loops times factors and
/// a constant. The leader is the longest loop, parallel ones counting double,
/// of equal ones the first. Nothing where the expression is of another form,
/// where the size of a loop in it is not known, or where a place would be
/// outside of the dim or the factor of the leader is not positive.
///
/// Worked example: `d0 * 2 + d1 * 3` with d0 of 8 and d1 of 3 is a window that
/// slides with d0 by 2 and reaches 6 places on.
std::optional<Window>
getWindow(mlir::AffineExpr expr, int64_t dimSize,
          llvm::ArrayRef<int64_t> loopSizes,
          llvm::ArrayRef<mlir::utils::IteratorType> iteratorTypes);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_WINDOWS_H
