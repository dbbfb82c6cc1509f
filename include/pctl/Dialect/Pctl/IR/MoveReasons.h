// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Why values move, told from pass to pass. Propagation, which knows, says it
/// on the op that wants its operands otherwise; insertion takes it into the
/// location of the `pctl.redistribute`, where it hinders no pass from merging
/// equal ones; reports read it there.

#ifndef PCTL_DIALECT_PCTL_IR_MOVEREASONS_H
#define PCTL_DIALECT_PCTL_IR_MOVEREASONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace pctl {

/// Carries an array of texts, one for each entry of `pctl.operand_layouts`,
/// empty where the operand does not move.
inline constexpr llvm::StringLiteral kOperandReasonsAttrName =
    "pctl.operand_reasons";

/// Why a value moves.
struct MoveReason {
  /// The name of the op that wants it otherwise.
  llvm::StringRef wantedBy;
  llvm::StringRef why;
  /// Where the value is made, and where that op is.
  mlir::Location madeAt;
  mlir::Location wantedAt;
};

/// Returns \p loc, where a value is made, fused with that of \p user, which
/// wants it otherwise because of \p why.
mlir::Location attachMoveReason(mlir::Location loc, mlir::Operation *user,
                                mlir::StringAttr why);

/// Returns the first reason that \p loc carries.
std::optional<MoveReason> findMoveReason(mlir::Location loc);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_IR_MOVEREASONS_H
