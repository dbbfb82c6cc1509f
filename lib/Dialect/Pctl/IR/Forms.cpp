// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The one table of the forms' keywords.

#include "pctl/Dialect/Pctl/IR/Forms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;

static constexpr std::pair<Form, llvm::StringLiteral> kForms[] = {
    {Form::Annotated, "annotated"}, {Form::LaidOut, "laid-out"},
    {Form::Local, "local"},         {Form::Planned, "planned"},
    {Form::Buffers, "buffers"},     {Form::Executable, "executable"},
};

llvm::StringRef pctl::stringifyForm(Form form) {
  for (auto [value, keyword] : kForms)
    if (value == form)
      return keyword;
  return "";
}

std::optional<Form> pctl::symbolizeForm(llvm::StringRef keyword) {
  for (auto [value, known] : kForms)
    if (known == keyword)
      return value;
  return std::nullopt;
}

std::string pctl::listForms() {
  return llvm::join(llvm::make_second_range(kForms), ", ");
}
