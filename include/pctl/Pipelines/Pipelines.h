// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// All pipelines: from a program for one device to planned programs
/// (Spmd.h), and from there to code (ToLLVM.h).

#ifndef PCTL_PIPELINES_PIPELINES_H
#define PCTL_PIPELINES_PIPELINES_H

#include "pctl/Pipelines/Spmd.h"
#include "pctl/Pipelines/ToLLVM.h"

namespace pctl {

/// Registers all pipelines with MLIR's command line.
inline void registerPipelines() {
  registerSpmdPipeline();
  registerToLLVMPipelines();
}

} // namespace pctl

#endif // PCTL_PIPELINES_PIPELINES_H
