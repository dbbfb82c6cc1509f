// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The sharding rules of MLIR's own ops, as external models of
/// ShardingRuleOpInterface. docs/propagation.md lists them.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pctl {

/// Registers the rules of all dialects that are served: arith, linalg, tensor.
/// A tool that has pctl's passes calls it once for its registry.
void registerShardingRules(mlir::DialectRegistry &registry);

/// Registers the rules of `arith.constant`. Element-wise ops need none: their
/// trait says it all.
void registerArithShardingRules(mlir::DialectRegistry &registry);
/// Registers the rules of all structured ops of linalg and of linalg.softmax.
void registerLinalgShardingRules(mlir::DialectRegistry &registry);
/// Registers the rules of the tensor dialect.
void registerTensorShardingRules(mlir::DialectRegistry &registry);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_H
