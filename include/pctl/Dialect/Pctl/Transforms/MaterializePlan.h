// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans of layout changes as ops: one collective of the local view a step, in
/// destination-passing style. Planning and writing are apart, so that any plan
/// can be run, also one that no planner would make.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_MATERIALIZEPLAN_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_MATERIALIZEPLAN_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Redistribute/Plan.h"

namespace pctl {

/// Writes the steps of \p plan, which must be right (verifyPlan), at the place
/// of \p builder and returns what the last one leaves on a rank. \p input is
/// what a rank has under the first layout of a tensor of type \p globalType,
/// \p mesh the symbol of the plan's mesh. Each step is one op, with a
/// `tensor.empty` to write to; a slice is one for each dim, or a
/// `tensor.extract_slice` where blocks do not nest.
///
/// Errors, over \p emitError: listed transfers of a tensor with a dim of unknown
/// size.
mlir::FailureOr<mlir::Value>
materializePlan(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::FlatSymbolRefAttr mesh, mlir::Value input,
                mlir::RankedTensorType globalType,
                const redistribute::Plan &plan, EmitErrorFn emitError);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_MATERIALIZEPLAN_H
