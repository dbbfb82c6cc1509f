// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the passes that put a strategy on a program share.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ANNOTATE_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ANNOTATE_H

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pctl {

/// Returns the function that a strategy is about where it names none: \p entry;
/// if that is empty, the only one that is public and has a body, or else `main`.
/// Errors: none of that name; neither of the others is there.
mlir::FailureOr<mlir::func::FuncOp> getDefaultFunction(mlir::ModuleOp module,
                                                       llvm::StringRef entry);

/// Returns the one mesh that \p module declares. Errors: none, or several.
mlir::FailureOr<MeshOp> getOnlyMesh(mlir::ModuleOp module);

/// An argument or a result of a function.
struct BoundaryRef {
  mlir::func::FuncOp func;
  unsigned index = 0;
  bool isResult = false;

  unsigned getCount() {
    return isResult ? func.getNumResults() : func.getNumArguments();
  }
  mlir::Type getType() {
    return isResult ? func.getResultTypes()[index]
                    : func.getArgumentTypes()[index];
  }
  llvm::StringRef getKind() const { return isResult ? "result" : "argument"; }
};

/// Writes \p layout on \p boundary. Errors, at the function: no such argument
/// or result, which is no ranked tensor, a layout that can't lay it out,
/// another layout that is there.
mlir::LogicalResult annotate(BoundaryRef boundary, MeshOp meshOp,
                             const layout::Mesh &mesh,
                             const layout::Layout &layout);

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_ANNOTATE_H
