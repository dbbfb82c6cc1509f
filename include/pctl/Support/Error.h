// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How the libraries without IR report what is wrong with an input: an
/// llvm::Error that holds one message, lower case and without a final period,
/// which names the entity, what was found and what is right. The passes turn it
/// into a diagnostic at the place in the program, the tools into a line on
/// stderr.

#ifndef PCTL_SUPPORT_ERROR_H
#define PCTL_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace pctl {

/// Makes an error whose message is \p format with \p values filled in, e.g.
/// `makeError("axis '{0}' (size {1}) is used twice in layout", name, size)`.
template <typename... Ts>
llvm::Error makeError(const char *format, Ts &&...values) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Ts>(values)...).str());
}

} // namespace pctl

#endif // PCTL_SUPPORT_ERROR_H
