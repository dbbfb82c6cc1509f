// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/InitAll.h"

#include "pctl/Conversion/Passes.h"
#include "pctl/Dialect/Nccl/IR/Nccl.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/ShardingRules.h"
#include "pctl/Pipelines/Pipelines.h"

void pctl::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<PctlDialect, nccl::NcclDialect>();
  registerPartitionExternalModels(registry);
  registerShardingRules(registry);
  registerToLLVMExtensions(registry);
}

void pctl::registerAllPasses() {
  registerPctlPasses();
  registerPctlConversionPasses();
  registerPipelines();
}
