// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The nccl dialect and its constraints, labelled as in
/// dialects/nccl/NcclOps.td. The size of a communicator is not known here, so
/// only what holds for every size is checked.

#include "pctl/Dialect/Nccl/IR/Nccl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pctl::nccl;

#include "pctl/Dialect/Nccl/IR/NcclDialect.cpp.inc"
#include "pctl/Dialect/Nccl/IR/NcclEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "pctl/Dialect/Nccl/IR/NcclTypes.cpp.inc"

#define GET_OP_CLASSES
#include "pctl/Dialect/Nccl/IR/NcclOps.cpp.inc"

void NcclDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pctl/Dialect/Nccl/IR/NcclTypes.cpp.inc"
      >();
}

namespace {
/// A call stays a call, wherever its function is inlined.
struct NcclInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void NcclDialect::initialize() {
  registerTypes();
  addInterfaces<NcclInliner>();
  addOperations<
#define GET_OP_LIST
#include "pctl/Dialect/Nccl/IR/NcclOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Checks that an op that passes its elements as unsigned has integers.
static LogicalResult verifyUnsigned(Operation *op, bool isUnsigned,
                                    MemRefType type) {
  if (isUnsigned && !type.getElementType().isInteger())
    return op->emitOpError()
           << "is unsigned, but elements are of type " << type.getElementType();
  return success();
}

template <typename OpT> static LogicalResult verifyElements(OpT op) {
  return verifyUnsigned(op, op.getIsUnsigned(), op.getSend().getType());
}

/// Checks that both buffers have as many elements, where that is known.
template <typename OpT> static LogicalResult verifySameSize(OpT op) {
  if (failed(verifyElements(op)))
    return failure();
  MemRefType send = op.getSend().getType(), recv = op.getRecv().getType();
  if (send.hasStaticShape() && recv.hasStaticShape() &&
      send.getNumElements() != recv.getNumElements())
    return op.emitOpError()
           << "sends " << send.getNumElements() << " elements but receives "
           << recv.getNumElements() << ", expected equal counts";
  return success();
}

/// Checks that the elements of \p whole are those of \p part some times over,
/// where that is known.
template <typename OpT>
static LogicalResult verifyMultiple(OpT op, MemRefType part, MemRefType whole) {
  if (failed(verifyElements(op)))
    return failure();
  if (!part.hasStaticShape() || !whole.hasStaticShape())
    return success();
  int64_t partSize = part.getNumElements(), wholeSize = whole.getNumElements();
  bool isMultiple = partSize == 0 ? wholeSize == 0
                                  : wholeSize % partSize == 0 && wholeSize > 0;
  if (isMultiple)
    return success();
  return op.emitOpError() << "has a buffer of " << wholeSize
                          << " elements, expected a multiple of the "
                          << partSize << " of the other";
}

LogicalResult AllReduceOp::verify() { return verifySameSize(*this); }
LogicalResult ReduceOp::verify() { return verifySameSize(*this); }
LogicalResult BroadcastOp::verify() { return verifySameSize(*this); }
LogicalResult AllToAllOp::verify() { return verifySameSize(*this); }

LogicalResult AllGatherOp::verify() {
  return verifyMultiple(*this, getSend().getType(), getRecv().getType());
}
LogicalResult GatherOp::verify() {
  return verifyMultiple(*this, getSend().getType(), getRecv().getType());
}
LogicalResult ReduceScatterOp::verify() {
  return verifyMultiple(*this, getRecv().getType(), getSend().getType());
}
LogicalResult ScatterOp::verify() {
  return verifyMultiple(*this, getRecv().getType(), getSend().getType());
}

LogicalResult SendOp::verify() {
  return verifyUnsigned(*this, getIsUnsigned(), getBuffer().getType());
}
LogicalResult RecvOp::verify() {
  return verifyUnsigned(*this, getIsUnsigned(), getBuffer().getType());
}
