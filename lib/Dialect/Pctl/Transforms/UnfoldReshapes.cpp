// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Folds reshapes into structured ops, by upstream's patterns for that. What is
/// added here is when: which ops become generic, and which are left alone.

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace pctl {
#define GEN_PASS_DEF_UNFOLDRESHAPESPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;

/// Returns whether \p op says something of layouts that folding would lose.
static bool carriesPctlAttr(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attr) {
    return isa_and_nonnull<PctlDialect>(attr.getNameDialect());
  });
}

/// Returns whether \p reshape merges or splits dims that are more than one
/// element long: others make no loop.
static bool mergesDims(Operation *reshape) {
  auto count = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? llvm::count_if(tensor.getShape(),
                                   [](int64_t size) { return size != 1; })
                  : 0;
  };
  return count(reshape->getOperand(0).getType()) !=
         count(reshape->getResult(0).getType());
}

namespace {

/// Makes a named op generic when a reshape that merges dims is next to it.
struct GeneralizeNeighbourOfReshape
    : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    // A fill folds into reshapes as it is.
    if (isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()))
      return rewriter.notifyMatchFailure(op, "needs no generalization");
    if (!op.hasPureTensorSemantics() || carriesPctlAttr(op))
      return rewriter.notifyMatchFailure(op, "is to stay as it is");
    if (!hasReshapeNextToIt(op))
      return rewriter.notifyMatchFailure(op, "has no reshape next to it");
    return linalg::generalizeNamedOp(rewriter, op);
  }

private:
  static bool hasReshapeNextToIt(Operation *op) {
    for (Value operand : op->getOperands())
      if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>())
        if (mergesDims(collapse))
          return true;
    for (Operation *user : op->getUsers())
      if (isa<tensor::ExpandShapeOp>(user) && mergesDims(user))
        return true;
    return false;
  }
};

struct UnfoldReshapes : pctl::impl::UnfoldReshapesPassBase<UnfoldReshapes> {
  using UnfoldReshapesPassBase::UnfoldReshapesPassBase;

  void runOnOperation() override {
    if (failed(requireAnnotatedForm(getOperation(), getArgument())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<GeneralizeNeighbourOfReshape>(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *operand) {
          Operation *producer = operand->get().getDefiningOp();
          Operation *reshape = isa<tensor::ExpandShapeOp>(operand->getOwner())
                                   ? operand->getOwner()
                                   : producer;
          return producer && mergesDims(reshape) &&
                 !carriesPctlAttr(producer) &&
                 !carriesPctlAttr(operand->getOwner());
        });
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    // Where the driver gives up early, the program is right all the same.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
