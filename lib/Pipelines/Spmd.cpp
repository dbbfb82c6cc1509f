// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Pipelines/Spmd.h"

#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace pctl {

/// Checks the rules of \p form, so that a fault shows where it was made.
static void addFormCheck(OpPassManager &passes, Form form) {
  VerifyFormPassOptions options;
  options.form = stringifyForm(form).str();
  passes.addPass(createVerifyFormPass(options));
}

/// The strategy becomes annotations.
static void addStrategy(OpPassManager &passes,
                        const SpmdPipelineOptions &options) {
  if (!options.mesh.empty() || !options.layouts.empty()) {
    ApplyStrategyPassOptions strategy;
    strategy.mesh = options.mesh;
    strategy.layouts = options.layouts;
    strategy.entry = options.entry;
    passes.addPass(createApplyStrategyPass(strategy));
  }
  ApplyDatasetStrategyPassOptions dataset;
  dataset.strategy = options.datasetStrategy;
  dataset.dataArgs.assign(options.dataArgs.begin(), options.dataArgs.end());
  dataset.entry = options.entry;
  dataset.ifAsked = true;
  passes.addPass(createApplyDatasetStrategyPass(dataset));
}

void buildSpmdPipeline(OpPassManager &passes,
                       const SpmdPipelineOptions &options) {
  passes.addNestedPass<func::FuncOp>(createConvertTosaPass());
  passes.addPass(createDecomposeOpsPass());
  passes.addPass(createNormalizeSlicesPass());
  addStrategy(passes, options);
  if (options.unfoldReshapes)
    passes.addPass(createUnfoldReshapesPass());
  PropagateLayoutsPassOptions propagation;
  propagation.remarks = options.remarks;
  propagation.reasons = !options.report.empty();
  passes.addPass(createPropagateLayoutsPass(propagation));
  passes.addPass(createInsertRedistributionPass());
  addFormCheck(passes, Form::LaidOut);

  passes.addPass(createPartitionPass());
  passes.addPass(createNormalizeSlicesPass());
  // Redistributions of one value to one layout meet, also through inits.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  addFormCheck(passes, Form::Local);

  PlanRedistributionPassOptions planning;
  planning.printPlans = options.printPlans;
  planning.report = options.report;
  planning.cluster = options.cluster;
  planning.capBytes = options.capBytes;
  planning.chunkBytes = options.chunkBytes;
  passes.addPass(createPlanRedistributionPass(planning));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (options.optimizeCollectives) {
    OptimizeCollectivesPassOptions optimization;
    optimization.mergeBytes = options.mergeBytes;
    optimization.remarks = options.remarks;
    optimization.report = options.rewriteReport;
    passes.addPass(createOptimizeCollectivesPass(optimization));
    passes.addPass(createCanonicalizerPass());
  }
  addFormCheck(passes, Form::Planned);
  passes.addPass(createVerifySpmdPass());
}

void registerSpmdPipeline() {
  PassPipelineRegistration<SpmdPipelineOptions>(
      "pctl-spmd-pipeline",
      "From a program for one device, with a strategy, to collectives",
      buildSpmdPipeline);
}

} // namespace pctl
