// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The sharding rule of an op, whoever states it: an attribute on the op, the
/// op's own interface, or nobody, and then the op is done whole. Propagation
/// and partitioning ask here and nowhere else. docs/propagation.md has the
/// rules of the ops that are served, and how to attach one.

#ifndef PCTL_DIALECT_PCTL_INTERFACES_SHARDINGRULEINTERFACE_H
#define PCTL_DIALECT_PCTL_INTERFACES_SHARDINGRULEINTERFACE_H

#include "pctl/Propagation/Rule.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h.inc"

namespace pctl {

/// A ranked tensor that an op reads.
struct TensorOperand {
  mlir::Value value;
  /// The operand, or null for a tensor that is defined above the op and read
  /// only inside its regions.
  mlir::OpOperand *operand = nullptr;

  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
};

/// Returns the ranked tensors that \p op reads: its operands in order, then the
/// values that its regions capture, each once, in the order of their first use;
/// not those of regions that are laid out op by op (hasLaidOutRegions). A rule
/// has an operand for each.
llvm::SmallVector<TensorOperand> getTensorOperands(mlir::Operation *op);

/// Returns the results of \p op that are ranked tensors.
llvm::SmallVector<mlir::OpResult> getTensorResults(mlir::Operation *op);

/// Makes \p op read \p replacement where it reads \p operand, one of its tensor
/// operands; of a captured tensor all uses inside the op's regions.
void replaceTensorOperand(mlir::Operation *op, const TensorOperand &operand,
                          mlir::Value replacement);

/// Returns the shapes of the tensor operands and of the tensor results of an
/// op, as propagation::verifyRule takes them.
llvm::SmallVector<llvm::SmallVector<int64_t>>
getShapes(llvm::ArrayRef<TensorOperand> operands);
llvm::SmallVector<llvm::SmallVector<int64_t>>
getShapes(llvm::ArrayRef<mlir::OpResult> results);

/// Returns the rule of \p op: that of its `pctl.rule` attribute, else that of
/// its interface, else that of its Elementwise trait, else that of an op done
/// whole. Captured tensors that the first two say nothing about are wanted
/// whole. Errors, emitted at the op: a rule that does not fit the op's tensors
/// (propagation::verifyRule).
mlir::FailureOr<propagation::Rule> getRule(mlir::Operation *op);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_INTERFACES_SHARDINGRULEINTERFACE_H
