// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Values that are made from nothing, such as the zeros into which products are
/// accumulated, are often shared by ops that have nothing else in common. Were
/// they one value for propagation, one op's layout would reach the others over
/// them. So each use gets its own copy, and copies that end up alike are
/// merged.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COPYSOURCES_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COPYSOURCES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace pctl {

/// Copies of ops that are made from nothing.
class SourceCopies {
public:
  /// Gives each use of such an op in the functions' bodies of \p module its own
  /// copy, next to the op; the uses inside of an op that captures it count as
  /// one. Time and copies are linear in the uses.
  explicit SourceCopies(mlir::ModuleOp module);

  /// Merges copies of one op that have equal attributes and operands.
  void merge();

private:
  void copyUses(mlir::Operation *op);

  /// For each copied op, in reverse program order, the op and its copies.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      groups;
};

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COPYSOURCES_H
