// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The characters of words, for the printer and the parser alike.

#ifndef PCTL_LIB_LAYOUT_TEXTCHARS_H
#define PCTL_LIB_LAYOUT_TEXTCHARS_H

#include "llvm/ADT/StringExtras.h"

namespace pctl::layout {

/// Returns whether \p c is one of a name that stands without quotes.
inline bool isWordChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-';
}

} // namespace pctl::layout

#endif // PCTL_LIB_LAYOUT_TEXTCHARS_H
