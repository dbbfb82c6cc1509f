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

//===----------------------------------------------------------------------===//
// Tensors without elements
//===----------------------------------------------------------------------===//

/// Upstream writes the parts of what it joins or pads as slices, and a slice at
/// the end of a dim, of no elements, is no valid op: such parts go before.
static bool hasNoElements(Value value) {
  return llvm::is_contained(cast<RankedTensorType>(value.getType()).getShape(),
                            0);
}

/// Replaces \p op, whose result has no elements, by a tensor without a source.
static LogicalResult replaceByEmpty(Operation *op, IRRewriter &rewriter) {
  ReifiedRankedShapedTypeDims sizes;
  rewriter.setInsertionPoint(op);
  if (failed(reifyResultShapes(rewriter, op, sizes)))
    return op->emitOpError("has a result whose sizes cannot be told");
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
      op, sizes.front(), getElementTypeOrSelf(op->getResult(0)));
  return success();
}

static LogicalResult dropEmptyParts(tensor::ConcatOp op, IRRewriter &rewriter) {
  if (hasNoElements(op.getResult()))
    return replaceByEmpty(op, rewriter);
  SmallVector<Value> parts;
  for (Value part : op.getInputs())
    if (!hasNoElements(part))
      parts.push_back(part);
  // All parts may be empty though the result does not say so.
  if (parts.size() == op.getInputs().size() || parts.empty())
    return success();
  rewriter.setInsertionPoint(op);
  Value joined = parts.front();
  if (parts.size() > 1)
    joined =
        tensor::ConcatOp::create(rewriter, op.getLoc(), op.getDim(), parts);
  if (joined.getType() != op.getType())
    joined =
        tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), joined);
  rewriter.replaceOp(op, joined);
  return success();
}

/// Of a source without elements nothing is left but the padding.
static LogicalResult dropEmptySource(tensor::PadOp op, IRRewriter &rewriter) {
  if (hasNoElements(op.getResult()))
    return replaceByEmpty(op, rewriter);
  if (!hasNoElements(op.getSource()))
    return success();
  ReifiedRankedShapedTypeDims sizes;
  rewriter.setInsertionPoint(op);
  if (failed(reifyResultShapes(rewriter, op, sizes)))
    return op->emitOpError("has a result whose sizes cannot be told");
  SmallVector<Value> dynamicSizes;
  for (OpFoldResult size : sizes.front())
    if (auto value = dyn_cast<Value>(size))
      dynamicSizes.push_back(value);
  auto padding = tensor::GenerateOp::create(rewriter, op.getLoc(),
                                            op.getResultType(), dynamicSizes);
  rewriter.inlineRegionBefore(op.getRegion(), padding.getBody(),
                              padding.getBody().begin());
  rewriter.replaceOp(op, padding);
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
    SmallVector<tensor::ConcatOp> concats;
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](Operation *op) {
      if (auto composite = dyn_cast<linalg::AggregatedOpInterface>(op))
        composites.push_back(composite);
      else if (auto concat = dyn_cast<tensor::ConcatOp>(op))
        concats.push_back(concat);
      else if (auto pad = dyn_cast<tensor::PadOp>(op))
        pads.push_back(pad);
    });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      dropTensorAttributes(function);
      if (function.isPublic() && !function.isExternal())
        protectArguments(function);
    }
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface composite : composites)
      if (failed(decompose(composite, rewriter)))
        return signalPassFailure();
    for (tensor::ConcatOp concat : concats)
      if (failed(dropEmptyParts(concat, rewriter)))
        return signalPassFailure();
    for (tensor::PadOp pad : pads)
      if (failed(dropEmptySource(pad, rewriter)))
        return signalPassFailure();
  }
};
} // namespace
