// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The nccl dialect: one op a call of the NCCL API. Declared in dialects/nccl/,
/// where each op has its meaning, its constraints and an example; the why is in
/// Rationale.md there.

#ifndef PCTL_DIALECT_NCCL_IR_NCCL_H
#define PCTL_DIALECT_NCCL_IR_NCCL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pctl::nccl {

/// What the library is in the middle of: its communicators, groups and queues.
/// Every op writes it, so that their order and number stay.
struct StateResource : public mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() override { return "NcclState"; }
};

} // namespace pctl::nccl

#include "pctl/Dialect/Nccl/IR/NcclDialect.h.inc"
#include "pctl/Dialect/Nccl/IR/NcclEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "pctl/Dialect/Nccl/IR/NcclTypes.h.inc"

#define GET_OP_CLASSES
#include "pctl/Dialect/Nccl/IR/NcclOps.h.inc"

#endif // PCTL_DIALECT_NCCL_IR_NCCL_H
