// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Structured control flow as layouts see it: which ops have bodies whose
/// tensors are laid out one by one, and what becomes of a tensor that enters or
/// leaves a body. Propagation, insertion of redistributions, the checker of the
/// laid-out form and partitioning ask here. docs/propagation.md, "Loops and
/// branches".

#ifndef PCTL_DIALECT_PCTL_INTERFACES_LAIDOUTREGIONS_H
#define PCTL_DIALECT_PCTL_INTERFACES_LAIDOUTREGIONS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace pctl {

/// Returns whether the tensors in the regions of \p op are laid out one by one,
/// as those of a function are: scf.for, while, if, index_switch and
/// execute_region, whose regions have one block each. The regions of any other
/// op are part of it and done as it is.
bool hasLaidOutRegions(mlir::Operation *op);

/// Returns the value that has the layout of \p value: for an argument of a body
/// that is a result of its op from another turn (the iteration arguments of
/// scf.for, the arguments of the second region of scf.while) that result, else
/// \p value itself.
mlir::Value getCarrier(mlir::Value value);

/// Returns what each operand of \p op becomes when it enters or leaves a body:
/// an initial value, a value that a body yields or passes on, each the value
/// that getCarrier returns for it. The entry is null for every other operand.
/// The list is empty where \p op carries nothing.
llvm::SmallVector<mlir::Value> getCarriedTargets(mlir::Operation *op);

/// Returns, for the first region's argument \p value of a scf.while, the
/// operand of the loop that it starts from; null for every other value.
mlir::OpOperand *getWhileInit(mlir::Value value);

/// Calls \p callback for the ops of \p region that are laid out by themselves,
/// in program order, an op before those in its bodies, until it returns false.
/// Returns whether it never did.
bool walkLaidOutOps(mlir::Region &region,
                    llvm::function_ref<bool(mlir::Operation *)> callback);

/// Returns the op that walkLaidOutOps meets of which \p op is a part: \p op
/// itself, or what it is done with.
mlir::Operation *getLaidOutAncestor(mlir::Operation *op);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_INTERFACES_LAIDOUTREGIONS_H
