// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Everything of pctl in one call each, for tools and for compilers that take
/// pctl as a library.
///
///   DialectRegistry registry;
///   pctl::registerAllDialects(registry);
///   pctl::registerAllPasses();
///   MLIRContext context(registry);

#ifndef PCTL_INITALL_H
#define PCTL_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pctl {

/// Adds pctl's dialects to \p registry, and what they and others need to go
/// through pctl's pipelines: external models of interfaces, conversions.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers pctl's passes and pipelines with MLIR's command line.
void registerAllPasses();

} // namespace pctl

#endif // PCTL_INITALL_H
