// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Positions and blocks as arithmetic on the number of a rank: what lib/Layout
/// computes for one rank while compiling, each rank computes for itself while
/// running. Nothing here depends on the size of the mesh but explicit block
/// sizes, which the program lists anyway.

#ifndef PCTL_LIB_CONVERSION_PCTLTONCCL_POSITIONS_H
#define PCTL_LIB_CONVERSION_PCTLTONCCL_POSITIONS_H

#include "IndexMath.h"

#include "pctl/Layout/Layout.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace pctl {

/// Where a block starts and how many elements it has.
struct EmittedRange {
  mlir::OpFoldResult offset;
  mlir::OpFoldResult size;
};

/// Emits what layout::Mesh::getCoordinate computes: the position of \p rank
/// along \p axes taken as one.
mlir::OpFoldResult emitCoordinate(const IndexMath &math,
                                  const layout::Mesh &mesh,
                                  llvm::ArrayRef<layout::AxisRef> axes,
                                  mlir::OpFoldResult rank);

/// Emits what layout::Mesh::withCoordinate computes: the rank that differs from
/// \p rank only along \p axes, where its position is \p coordinate.
mlir::OpFoldResult emitWithCoordinate(const IndexMath &math,
                                      const layout::Mesh &mesh,
                                      llvm::ArrayRef<layout::AxisRef> axes,
                                      mlir::OpFoldResult rank,
                                      mlir::OpFoldResult coordinate);

/// Tables of numbers, one global for each distinct one.
class ConstantTables {
public:
  explicit ConstantTables(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// Emits a reference to a constant buffer of \p shape that holds \p values.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> values);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Attribute, mlir::Operation *> globals;
};

/// Emits what layout::getBlock computes: the block of \p position of a dim of
/// \p globalSize elements cut as \p dim says.
EmittedRange emitBlock(mlir::OpBuilder &builder, mlir::Location loc,
                       ConstantTables &tables, const layout::DimLayout &dim,
                       int64_t globalSize, mlir::OpFoldResult position);

/// The same for equal blocks of a size that need not be known.
EmittedRange emitEqualBlock(const IndexMath &math, int64_t numPositions,
                            mlir::OpFoldResult globalSize,
                            mlir::OpFoldResult position);

/// Emits what layout::intersect computes for ranges: what both hold, of size 0
/// where they are disjoint.
EmittedRange emitIntersection(const IndexMath &math, EmittedRange a,
                              EmittedRange b);

} // namespace pctl

#endif // PCTL_LIB_CONVERSION_PCTLTONCCL_POSITIONS_H
