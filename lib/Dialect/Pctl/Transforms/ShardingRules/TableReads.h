// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How the body of a structured op reads the tensors that it captures, as an
/// embedding reads its table. Rules say from it how a table may be cut,
/// partitioning rewrites the reads. docs/partition.md, Tables.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_TABLEREADS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_TABLEREADS_H

#include "pctl/Layout/Layout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace pctl::detail {

/// The reads of one captured tensor.
struct TableReads {
  mlir::Value table;
  /// For each dim the loop whose index all reads have there; nothing where a
  /// read computes its place or where not all uses are understood.
  llvm::SmallVector<std::optional<unsigned>> loops;
  /// Set where the op looks up one element of the table for each element of its
  /// one result and does nothing else. A rank that holds some of the places
  /// then gives what it has, the neutral element of this reduction elsewhere,
  /// and the reduction over the ranks is the result, bit for bit.
  std::optional<layout::ReductionKind> lookup;

  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(table.getType());
  }
};

/// Returns how the body of \p op reads each ranked tensor that it captures, in
/// the order of getTensorOperands.
///
/// Worked example: a body of the loops d0 and d1 that yields
/// `tensor.extract %t[%id, %i1]`, %id an element of an operand and %i1
/// `linalg.index 1`, reads dim 1 at loop 1, and is a lookup by sum.
llvm::SmallVector<TableReads> getTableReads(mlir::linalg::LinalgOp op);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_TABLEREADS_H
