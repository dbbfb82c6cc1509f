// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The passes declared in Passes.td.

#ifndef PCTL_CONVERSION_PASSES_H
#define PCTL_CONVERSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pctl {

#define GEN_PASS_DECL
#include "pctl/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pctl/Conversion/Passes.h.inc"

} // namespace pctl

#endif // PCTL_CONVERSION_PASSES_H
