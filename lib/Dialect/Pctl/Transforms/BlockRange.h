// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The op that tells a rank its block of a dim, from the layout of the dim.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_BLOCKRANGE_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_BLOCKRANGE_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/IR/Builders.h"

namespace pctl {

/// Creates the block_range of a dim of \p globalSize elements laid out as
/// \p dim over \p mesh, whose symbol is \p symbol.
inline BlockRangeOp
createBlockRange(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::FlatSymbolRefAttr symbol, const layout::Mesh &mesh,
                 const layout::DimLayout &dim, int64_t globalSize) {
  mlir::DenseI64ArrayAttr blockSizes;
  if (!dim.blockSizes.empty())
    blockSizes = builder.getDenseI64ArrayAttr(dim.blockSizes);
  return BlockRangeOp::create(
      builder, loc, builder.getI64IntegerAttr(globalSize),
      toAttr(builder.getContext(), mesh, llvm::ArrayRef(dim.axes)), blockSizes,
      symbol);
}

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_BLOCKRANGE_H
