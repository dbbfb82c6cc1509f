// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Runs a compiled entry on N ranks, each a thread of this process, over the
/// host library of the NCCL interface.

#ifndef PCTL_TOOLS_PCTLRUN_RUNNER_H
#define PCTL_TOOLS_PCTLRUN_RUNNER_H

#include "Signature.h"

#include "pctl/Execution/Engine.h"

namespace pctl::run {

/// What one rank gave: its slice of each result.
using RankResults = std::vector<tensor::HostTensor>;

/// Calls the entry of \p program that is called \p entryName once on every rank
/// of the mesh of \p signature, each with its slices of the global \p inputs,
/// and returns what each gave, by rank. Errors: a mesh of more
/// than 1024 ranks; those of Program::getEntry and Entry::call; a slice of
/// another shape than the layout gives; each names its rank. A failure in the
/// runtime, or a fault in the code of a rank, ends the process with its
/// message.
llvm::Expected<std::vector<RankResults>>
runOnRanks(const execution::Program &program, llvm::StringRef entryName,
           const Signature &signature,
           llvm::ArrayRef<tensor::HostTensor> inputs);

/// Checks that ranks that hold the same block of a result hold the same
/// elements, bit for bit. The error names the result, the block and two ranks.
llvm::Error checkReplicas(const Signature &signature,
                          llvm::ArrayRef<RankResults> results);

/// Joins the ranks' slices of result \p number, replicas of which are equal,
/// into the global tensor.
llvm::Expected<tensor::HostTensor>
joinResult(const Signature &signature, unsigned number,
           llvm::ArrayRef<RankResults> results);

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_RUNNER_H
