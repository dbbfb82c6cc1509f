// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// In which operands an op is additive, so that a sum of them that is still to
/// be done may be done after it. docs/propagation.md, "Sums that wait".

#ifndef PCTL_LIB_DIALECT_PCTL_INTERFACES_ADDITIVEOPERANDS_H
#define PCTL_LIB_DIALECT_PCTL_INTERFACES_ADDITIVEOPERANDS_H

#include "pctl/Propagation/Rule.h"

#include "mlir/IR/Operation.h"

namespace pctl {

/// Returns the sets of tensor operands of \p op, numbered as getTensorOperands
/// does, in each of which it is additive: its result for the sums of two lists
/// of such operands, the others held, is the sum of its results for the two.
///
/// Worked example: a product of a and b accumulated into c has {a, c} and
/// {b, c}; a sum of a and b has {a, b}, a product of a and b element by element
/// {a} and {b}. What rounds, saturates, compares or is not known has none.
llvm::SmallVector<propagation::OperandSet, 0>
getAdditiveOperands(mlir::Operation *op);

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_INTERFACES_ADDITIVEOPERANDS_H
