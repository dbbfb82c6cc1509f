// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The forms of a program by their keywords, which `pctl.form` holds and
/// options take. What holds in each is pctl/Dialect/Pctl/Transforms/Form.h's
/// matter, and docs/forms.md has the table.

#ifndef PCTL_DIALECT_PCTL_IR_FORMS_H
#define PCTL_DIALECT_PCTL_IR_FORMS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace pctl {

/// How far compilation got. A module says it in `pctl.form`.
enum class Form {
  Annotated,  ///< layouts where the user wants them
  LaidOut,    ///< every tensor has a layout, each change of one is an op
  Local,      ///< types are what a rank holds
  Planned,    ///< changes of layout are collectives
  Buffers,    ///< no tensors are left
  Executable, ///< the LLVM dialect
};

/// Returns the keyword of \p form: `annotated`, `laid-out`, `local`, `planned`,
/// `buffers`, `executable`.
llvm::StringRef stringifyForm(Form form);

/// Returns the form that \p keyword names, if any.
std::optional<Form> symbolizeForm(llvm::StringRef keyword);

/// Returns all keywords, first form first, separated by commas: for messages.
std::string listForms();

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_IR_FORMS_H
