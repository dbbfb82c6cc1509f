// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Attributes of the pctl dialect, and the names of those that other ops carry.
/// They hold the text of meshes, layouts and rules; LayoutBridge.h turns
/// layouts into values to compute with. Declared in dialects/pctl/PctlAttrs.td.

#ifndef PCTL_DIALECT_PCTL_IR_PCTLATTRS_H
#define PCTL_DIALECT_PCTL_IR_PCTLATTRS_H

#include "pctl/Layout/Layout.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"

namespace pctl {

/// The names of the discardable attributes that the dialect defines and
/// verifies; the dialect's description has what each holds.
inline constexpr llvm::StringLiteral kLayoutAttrName = "pctl.layout";
inline constexpr llvm::StringLiteral kDataAttrName = "pctl.data";
inline constexpr llvm::StringLiteral kGlobalTypeAttrName = "pctl.global_type";
inline constexpr llvm::StringLiteral kLayoutsAttrName = "pctl.layouts";
inline constexpr llvm::StringLiteral kOperandLayoutsAttrName =
    "pctl.operand_layouts";
inline constexpr llvm::StringLiteral kRuleAttrName = "pctl.rule";
inline constexpr llvm::StringLiteral kFormAttrName = "pctl.form";
inline constexpr llvm::StringLiteral kDatasetStrategyAttrName =
    "pctl.dataset_strategy";
inline constexpr llvm::StringLiteral kFullBatchAttrName = "pctl.full_batch";

/// Parses the keyword of a reduction kind. Errors: another word; the message
/// lists the kinds.
mlir::FailureOr<layout::ReductionKind> parseReductionKind(mlir::AsmParser &);

/// Returns whether elements of \p elementType can be reduced by \p kind: any
/// numbers by sum and product, floats by the kinds with a NaN rule, integers
/// by all others.
bool isKindFor(layout::ReductionKind kind, mlir::Type elementType);

} // namespace pctl

#define GET_ATTRDEF_CLASSES
#include "pctl/Dialect/Pctl/IR/PctlAttrs.h.inc"

#endif // PCTL_DIALECT_PCTL_IR_PCTLATTRS_H
