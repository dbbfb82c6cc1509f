// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Texts of errors: how they are put together, and where the last one of a
/// thread is kept.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_ERRORS_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_ERRORS_H

#include "pctl/Runtime/nccl.h"
#include <string>

namespace pctl::hostnccl {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);

/// Keeps a text as this thread's last error and returns the code, so that a
/// function can end in `return report(...)`.
[[gnu::format(printf, 2, 3)]] ncclResult_t report(ncclResult_t code,
                                                  const char *pattern, ...);
ncclResult_t reportText(ncclResult_t code, std::string text);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_ERRORS_H
