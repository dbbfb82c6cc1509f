// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "pctl/Dialect/Pctl/IR/PctlDialect.cpp.inc"

namespace {
/// All ranks run the same calls, so what is inlined for one is for all.
struct PctlInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void pctl::PctlDialect::initialize() {
  registerAttributes();
  addInterfaces<PctlInliner>();
  addOperations<
#define GET_OP_LIST
#include "pctl/Dialect/Pctl/IR/PctlOps.cpp.inc"
      >();
}

Operation *pctl::PctlDialect::materializeConstant(OpBuilder &builder,
                                                  Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
