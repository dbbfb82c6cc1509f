// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The pctl dialect: meshes, layouts, the global view and the local view of
/// programs over many ranks. Declared in dialects/pctl/, where each op has its
/// meaning, its constraints and an example; the why is in Rationale.md there.

#ifndef PCTL_DIALECT_PCTL_IR_PCTL_H
#define PCTL_DIALECT_PCTL_IR_PCTL_H

#include "pctl/Dialect/Pctl/IR/PctlAttrs.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "pctl/Dialect/Pctl/IR/PctlDialect.h.inc"
#include "pctl/Dialect/Pctl/IR/PctlInterfaces.h.inc"

namespace pctl::detail {

/// Checks the constraints that all collectives share, then those of the op.
mlir::LogicalResult verifyCollective(CollectiveOpInterface op,
                                     mlir::SymbolTableCollection &symbolTable);
/// Lists the effects of a collective: none on tensors; on buffers it reads the
/// input and writes the output.
void getCollectiveEffects(
    CollectiveOpInterface op,
    llvm::SmallVectorImpl<
        mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
        &effects);

} // namespace pctl::detail

#define GET_OP_CLASSES
#include "pctl/Dialect/Pctl/IR/PctlOps.h.inc"

#endif // PCTL_DIALECT_PCTL_IR_PCTL_H
