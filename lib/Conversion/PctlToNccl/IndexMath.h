// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Arithmetic on sizes and positions, folded where both sides are known, so
/// that static programs keep static types and dynamic ones get the ops.

#ifndef PCTL_LIB_CONVERSION_PCTLTONCCL_INDEXMATH_H
#define PCTL_LIB_CONVERSION_PCTLTONCCL_INDEXMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace pctl {

/// Emits arithmetic on indices, none of which is negative, at one place.
class IndexMath {
public:
  using Fold = mlir::OpFoldResult;

  IndexMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  Fold constant(int64_t value) const { return builder.getIndexAttr(value); }
  static std::optional<int64_t> known(Fold value) {
    return mlir::getConstantIntValue(value);
  }
  mlir::Value toValue(Fold value) const {
    return mlir::getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  mlir::Value toI32(Fold value) const {
    return mlir::arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                            toValue(value));
  }

  Fold add(Fold a, Fold b) const;
  Fold sub(Fold a, Fold b) const;
  Fold mul(Fold a, Fold b) const;
  /// Rounds down; \p b is not 0.
  Fold div(Fold a, Fold b) const;
  Fold ceilDiv(Fold a, Fold b) const;
  Fold rem(Fold a, Fold b) const;
  Fold min(Fold a, Fold b) const;
  Fold max(Fold a, Fold b) const;
  Fold product(llvm::ArrayRef<Fold> factors) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace pctl

#endif // PCTL_LIB_CONVERSION_PCTLTONCCL_INDEXMATH_H
