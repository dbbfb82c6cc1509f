// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Neutral elements of reductions: what a rank starts from that must not count
/// the initial value again. docs/partition.md has the table.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_NEUTRAL_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_NEUTRAL_H

#include "pctl/Layout/Layout.h"

#include "mlir/IR/Builders.h"

namespace pctl::detail {

/// Returns whether `x op x` is x, in all bits, for every x: then an initial
/// value may be counted any number of times.
bool isIdempotent(layout::ReductionKind kind);

/// Returns the value `e` of \p elementType for which `e op x` is x, in all
/// bits, for every x. Null where there is none, or where the kind is not one
/// for the type: complex products, which make a NaN of 1 times infinity.
mlir::Value createNeutral(mlir::OpBuilder &builder, mlir::Location loc,
                          layout::ReductionKind kind, mlir::Type elementType);

/// Returns whether it makes no difference how many ranks start from \p scalar,
/// provided that at least one does.
bool isNeutral(mlir::Attribute scalar, layout::ReductionKind kind);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_NEUTRAL_H
