// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Runs upstream's conversions of TOSA, and nothing on functions without it.

#include "pctl/Conversion/Passes.h"

#include "pctl/Dialect/Pctl/IR/PctlAttrs.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_CONVERTTOSAPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

using namespace pctl;

/// Upstream's pipeline for this also holds programs to a TOSA profile, which
/// those of exporters do not keep.
static void addConversions(OpPassManager &passes) {
  passes.addPass(tosa::createTosaOptionalDecompositionsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(tosa::createTosaMakeBroadcastablePass());
  passes.addPass(tosa::createTosaToLinalgNamed());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  passes.addPass(tosa::createTosaMakeBroadcastablePass());
  passes.addPass(tosa::createTosaToLinalg());
  passes.addPass(createTosaToTensorPass());
  passes.addPass(createTosaToSCFPass());
  passes.addPass(createTosaToArithPass());
}

/// Returns whether \p func has TOSA ops, for none of which somebody else says
/// how it is cut.
static bool isToBeConverted(func::FuncOp func) {
  bool hasTosa = false;
  WalkResult walk = func.walk([&](Operation *op) {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    hasTosa = true;
    return op->hasAttr(kRuleAttrName) || isa<ShardingRuleOpInterface>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return hasTosa && !walk.wasInterrupted();
}

namespace {
struct ConvertTosa : pctl::impl::ConvertTosaPassBase<ConvertTosa> {
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(func::FuncOp::getOperationName());
    addConversions(passes);
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (!isToBeConverted(getOperation()))
      return markAllAnalysesPreserved();
    OpPassManager passes(func::FuncOp::getOperationName());
    addConversions(passes);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};
} // namespace
