// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Neutral elements of reductions.

#include "Neutral.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace pctl::detail {

using layout::ReductionKind;

bool isIdempotent(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Product:
  case ReductionKind::Xor:
    return false;
  default:
    return true;
  }
}

/// Returns the neutral element of a sum or product of real floats.
static FloatAttr getNeutralFloat(ReductionKind kind, FloatType type) {
  APFloat value = kind == ReductionKind::Sum
                      ? APFloat::getZero(type.getFloatSemantics(),
                                         /*Negative=*/true)
                      : APFloat(type.getFloatSemantics(), 1);
  return FloatAttr::get(type, value);
}

Value createNeutral(OpBuilder &builder, Location loc, ReductionKind kind,
                    Type elementType) {
  if (isIdempotent(kind))
    return {};
  if (isa<IntegerType, IndexType>(elementType))
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(elementType, kind == ReductionKind::Product));
  if (kind == ReductionKind::Xor)
    return {};
  if (auto type = dyn_cast<FloatType>(elementType))
    return arith::ConstantOp::create(builder, loc, getNeutralFloat(kind, type));
  auto complexType = dyn_cast<ComplexType>(elementType);
  if (!complexType || kind != ReductionKind::Sum)
    return {};
  auto partType = dyn_cast<FloatType>(complexType.getElementType());
  if (!partType)
    return {};
  Attribute part = getNeutralFloat(kind, partType);
  return complex::ConstantOp::create(builder, loc, complexType,
                                     builder.getArrayAttr({part, part}));
}

bool isNeutral(Attribute scalar, ReductionKind kind) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(scalar))
    return kind == ReductionKind::Product ? integer.getValue().isOne()
                                          : integer.getValue().isZero();
  if (auto real = dyn_cast_or_null<FloatAttr>(scalar))
    return kind == ReductionKind::Product ? real.getValue().isExactlyValue(1.0)
                                          : real.getValue().isZero();
  return false;
}

} // namespace pctl::detail
