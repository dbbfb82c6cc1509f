// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Which reductions NCCL does, and the others as loops. NCCL says nothing of
/// what max and min do with a NaN, so float ones are done here, by the op whose
/// rule the kind names.

#include "Lowering.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pctl;
using layout::ReductionKind;

bool pctl::hasNcclReduction(ReductionKind kind, Type type) {
  if (!isNcclType(type))
    return false;
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Product:
    return true;
  case ReductionKind::MaxSigned:
  case ReductionKind::MaxUnsigned:
  case ReductionKind::MinSigned:
  case ReductionKind::MinUnsigned:
    return isa<IntegerType>(type);
  default:
    return false;
  }
}

bool pctl::hasLocalReduction(ReductionKind kind, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return hasLocalReduction(kind, complexType.getElementType());
  // There is no arithmetic on the small floats in code for the host.
  if (auto number = dyn_cast<FloatType>(type))
    return number.getWidth() >= 16;
  return type.isSignlessIntOrIndex();
}

/// Emits the op of arith for \p kind on integers (\p Int) or floats.
template <typename Int, typename Float>
static Value emitByType(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return Float::create(builder, loc, a, b);
  return Int::create(builder, loc, a, b);
}

Value pctl::emitReduction(OpBuilder &builder, Location loc, ReductionKind kind,
                          Value a, Value b) {
  bool isComplex = isa<ComplexType>(a.getType());
  switch (kind) {
  case ReductionKind::Sum:
    if (isComplex)
      return complex::AddOp::create(builder, loc, a, b);
    return emitByType<arith::AddIOp, arith::AddFOp>(builder, loc, a, b);
  case ReductionKind::Product:
    if (isComplex)
      return complex::MulOp::create(builder, loc, a, b);
    return emitByType<arith::MulIOp, arith::MulFOp>(builder, loc, a, b);
  case ReductionKind::MaxSigned:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case ReductionKind::MaxUnsigned:
    return arith::MaxUIOp::create(builder, loc, a, b);
  case ReductionKind::MinSigned:
    return arith::MinSIOp::create(builder, loc, a, b);
  case ReductionKind::MinUnsigned:
    return arith::MinUIOp::create(builder, loc, a, b);
  case ReductionKind::Maximum:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case ReductionKind::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, a, b);
  case ReductionKind::Minimum:
    return arith::MinimumFOp::create(builder, loc, a, b);
  case ReductionKind::MinNum:
    return arith::MinNumFOp::create(builder, loc, a, b);
  case ReductionKind::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case ReductionKind::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  case ReductionKind::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

void pctl::emitLocalReduction(OpBuilder &builder, Location loc,
                              BufferEmitter &buffers, ReductionKind kind,
                              int64_t numParts, Value parts, Value result) {
  const IndexMath &math = buffers.math;
  OpFoldResult zero = math.constant(0);
  OpFoldResult length = buffers.getSize(parts, 1);
  auto getPart = [&](OpFoldResult number) {
    return buffers.slice(parts, {number, zero}, {math.constant(1), length}, 1);
  };
  buffers.copy(getPart(zero), result);

  auto loop = scf::ForOp::create(builder, loc, math.toValue(math.constant(1)),
                                 math.toValue(math.constant(numParts)),
                                 math.toValue(math.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  linalg::GenericOp::create(
      builder, loc, getPart(loop.getInductionVar()), result,
      ArrayRef<AffineMap>{identity, identity},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
      [&](OpBuilder &nested, Location bodyLoc, ValueRange elements) {
        Value combined =
            emitReduction(nested, bodyLoc, kind, elements[1], elements[0]);
        linalg::YieldOp::create(nested, bodyLoc, combined);
      });
}
