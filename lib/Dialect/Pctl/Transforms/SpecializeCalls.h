// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A function has one set of layouts. Calls that bring tensors which users laid
/// out in different ways would make it redistribute for all but one of them;
/// they get bodies of their own. docs/propagation.md, "Functions".

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SPECIALIZECALLS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SPECIALIZECALLS_H

#include "mlir/IR/BuiltinOps.h"

namespace pctl {

/// Clones each function of \p module whose calls state different layouts for
/// one argument, one clone for each set of layouts after the first, and has the
/// calls call them. Calls that state nothing go with the first they fit.
/// Declarations, functions that are called from inside an op that is done whole
/// or whose address is taken, and arguments with layouts of their own stay as
/// they are, as do programs with recursion, which propagation refuses.
///
/// Worked example: @f(%x) is called with an argument cut by x along dim 0 and
/// with one cut by x along dim 1. The second call then calls @f_0, a private
/// clone.
void specializeCalls(mlir::ModuleOp module);

} // namespace pctl

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SPECIALIZECALLS_H
