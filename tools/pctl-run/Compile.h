// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// From a parsed program in any form to code for the ranks, with what a run has
/// to know about it.

#ifndef PCTL_TOOLS_PCTLRUN_COMPILE_H
#define PCTL_TOOLS_PCTLRUN_COMPILE_H

#include "Signature.h"

#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Execution/Engine.h"

#include "mlir/IR/OwningOpRef.h"

namespace pctl::run {

/// What to compile of a program, and under which strategy.
struct CompileOptions {
  /// Name of the entry; empty for the obvious one.
  std::string entry;
  /// A mesh, layouts and a dataset strategy to put on a program that has none,
  /// as pctl-spmd-pipeline takes them, but each layout by itself.
  std::string mesh;
  std::vector<std::string> layouts;
  std::string datasetStrategy;
  std::vector<unsigned> dataArgs;
  /// What plans of layout changes are made for.
  PlanRedistributionPassOptions planning;
  /// Whether to compile the uncut program as well.
  bool withReference = false;
};

/// One collective of the plan, in words that outlive the program's IR.
struct PlannedCollective {
  /// The op, `all_reduce`, and the axes of its groups, `{model}`.
  std::string op;
  std::string axes;
  /// What a rank puts in, as a local type: `4x16x64xf32`.
  std::string localType;
  /// The most bytes that a rank receives; nothing where that is not known
  /// before the run.
  std::optional<int64_t> receivedBytes;
};

/// The uncut program, for one rank.
struct Reference {
  Signature signature;
  std::unique_ptr<execution::Program> program;
  /// See getSumLength.
  int64_t sumLength;
};

/// A program ready to run on the ranks of its mesh.
struct Compiled {
  std::string entryName;
  Signature signature;
  /// Each collective of the plan in program order, those of callees included.
  std::vector<PlannedCollective> collectives;
  std::unique_ptr<execution::Program> program;
  /// Set where it was asked for.
  std::optional<Reference> reference;
};

/// Compiles \p module. Errors, besides diagnostics that passes report at their
/// places: an option that is wrong, by its name on the command line; no entry;
/// a function that is called but only declared;
/// no mesh, or several that differ; a form from which tensors are gone; a
/// reference asked of a program that is no longer global; those of
/// readSignature and execution::compile.
llvm::Expected<Compiled>
compileForRanks(mlir::OwningOpRef<mlir::ModuleOp> module,
                const CompileOptions &options);

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_COMPILE_H
