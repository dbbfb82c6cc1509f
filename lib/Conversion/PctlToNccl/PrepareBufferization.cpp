// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_PREPAREBUFFERIZATIONPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// Marks the arguments of an entry read-only, so that bufferization copies
/// before it writes.
static void protectArguments(func::FuncOp function) {
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  BoolAttr no = BoolAttr::get(function.getContext(), false);
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (isa<TensorType>(function.getArgumentTypes()[i]) &&
        !function.getArgAttr(i, writable))
      function.setArgAttr(i, writable, no);
}

/// Drops what function boundaries say of tensors.
static void dropTensorAttributes(func::FuncOp function) {
  for (StringRef name : {pctl::kLayoutAttrName, pctl::kGlobalTypeAttrName,
                         pctl::kDataAttrName}) {
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
      function.removeArgAttr(i, name);
    for (unsigned i = 0, e = function.getNumResults(); i != e; ++i)
      function.removeResultAttr(i,
                                StringAttr::get(function.getContext(), name));
  }
}

/// Replaces \p op by the ops that it stands for.
static LogicalResult decompose(linalg::AggregatedOpInterface op,
                               IRRewriter &rewriter) {
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return op->emitOpError("is on buffers; only on tensors is it taken apart");
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
  if (failed(values))
    return op->emitOpError("cannot be taken apart");
  rewriter.replaceOp(op, *values);
  return success();
}

namespace {
struct PrepareBufferization
    : pctl::impl::PrepareBufferizationPassBase<PrepareBufferization> {
  void runOnOperation() override {
    // A program that does not say its form is held to the rules alone: layouts
    // that are still wishes must not be dropped unheard.
    if (failed(pctl::requireForm(getOperation(), pctl::Form::Planned,
                                 getArgument(), "pctl-plan-redistribution")) ||
        failed(pctl::verifyForm(getOperation(), pctl::Form::Planned)))
      return signalPassFailure();

    SmallVector<linalg::AggregatedOpInterface> composites;
    getOperation().walk(
        [&](linalg::AggregatedOpInterface op) { composites.push_back(op); });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      dropTensorAttributes(function);
      if (function.isPublic() && !function.isExternal())
        protectArguments(function);
    }
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface composite : composites)
      if (failed(decompose(composite, rewriter)))
        return signalPassFailure();
  }
};
} // namespace
