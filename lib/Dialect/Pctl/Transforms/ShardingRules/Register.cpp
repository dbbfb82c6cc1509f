// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Transforms/ShardingRules.h"

void pctl::registerShardingRules(mlir::DialectRegistry &registry) {
  registerArithShardingRules(registry);
  registerLinalgShardingRules(registry);
  registerTensorShardingRules(registry);
}
