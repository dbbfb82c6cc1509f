// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The passes over the pctl dialect. Passes.td says what each needs, leaves and
/// never does.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace pctl {

#define GEN_PASS_DECL
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_PASSES_H
