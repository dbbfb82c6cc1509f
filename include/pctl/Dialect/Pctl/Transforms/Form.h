// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The forms of a program on its way from the annotated to the executable one:
/// what holds in each, and who is allowed to start from it. docs/forms.md has
/// the table.

#ifndef PCTL_DIALECT_PCTL_TRANSFORMS_FORM_H
#define PCTL_DIALECT_PCTL_TRANSFORMS_FORM_H

#include "pctl/Dialect/Pctl/IR/Forms.h"

#include "mlir/IR/BuiltinOps.h"

namespace pctl {

/// Returns the form that \p module says it is in, if it says so.
std::optional<Form> getForm(mlir::ModuleOp module);

/// Makes \p module say that it is in \p form.
void setForm(mlir::ModuleOp module, Form form);

/// Fails, having reported it, where \p module says that it is in another form
/// than \p form, which pass \p pass needs and pass \p producer makes. A module
/// that says nothing is taken to be in it.
llvm::LogicalResult requireForm(mlir::ModuleOp module, Form form,
                                llvm::StringRef pass, llvm::StringRef producer);

/// Fails, having reported it, where \p module is not in the annotated form,
/// which pass \p pass needs: it says that it is in a later one, or it says
/// nothing and an op breaks a rule of the annotated form.
llvm::LogicalResult requireAnnotatedForm(mlir::ModuleOp module,
                                         llvm::StringRef pass);

/// Returns whether \p op has a meaning on one rank only: a collective, a
/// question for the rank's place, or a redistribute in its local spelling. Such
/// ops may be in `pctl.manual` or in local code, not in a global view.
bool isLocalToRank(mlir::Operation *op);

/// Checks that what must hold in \p form holds in \p module, whatever form the
/// module says it is in. Reports each op that breaks a rule, with the rule.
///
/// Rules, each with its label in the messages:
/// - annotated to planned: (D1) the resource that a constant names is there,
///   with as many bytes as the constant has.
/// - annotated: (A1) no op that is local to a rank (isLocalToRank) outside of
///   `pctl.manual`; (A2) nothing that a function takes or gives has a
///   `pctl.global_type`; (A3) no argument or result is a tensor with an encoding
///   (a sparse one); layouts are checked by the dialect.
/// - laid-out: what verifyLaidOut (ValueLayouts.h) says: every tensor has a
///   layout, each op's layouts are those of one cut of its rule, no
///   `pctl.shard` is left.
/// - local: (C1) no `pctl.layouts`, `pctl.rule`, `pctl.shard` or `pctl.manual`;
///   (C2) `pctl.redistribute` is in its local spelling; (C3) what a function
///   takes or gives with a `pctl.layout` has the local type of its
///   `pctl.global_type`.
/// - planned: (P1) the same, without `pctl.redistribute`.
/// - buffers: (B1) no tensor types; (B2) no ops of the global view.
/// - executable: (E1) only the LLVM and gpu dialects and builtin.module; gpu
///   only as gpu.binary.
llvm::LogicalResult verifyForm(mlir::ModuleOp module, Form form);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_TRANSFORMS_FORM_H
