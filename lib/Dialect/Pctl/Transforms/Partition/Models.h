// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The external models of PartitionOpInterface, by dialect.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_MODELS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_MODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace pctl::detail {

void registerControlFlowModels(mlir::DialectRegistry &registry);
void registerElementModels(mlir::DialectRegistry &registry);
void registerLinalgModels(mlir::DialectRegistry &registry);
void registerPctlModels(mlir::DialectRegistry &registry);
void registerReshapeModels(mlir::DialectRegistry &registry);
void registerSliceModels(mlir::DialectRegistry &registry);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_MODELS_H
