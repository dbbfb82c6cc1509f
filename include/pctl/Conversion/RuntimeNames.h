// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Which names of functions code for the host may call outside its program.
/// Code is linked by name alone, so a function of the program that had one of
/// these would be called in place of the library's, silently.

#ifndef PCTL_CONVERSION_RUNTIMENAMES_H
#define PCTL_CONVERSION_RUNTIMENAMES_H

#include "llvm/ADT/StringRef.h"

namespace pctl {

/// Returns whether \p name is one that lowering or LLVM may call, or gives a
/// meaning of its own: of NCCL, of the runtime, of the C and math libraries, or
/// one that starts as those of compilers do. `ncclSend`, `pctlCheck`, `tanhf`,
/// `malloc` and `__divti3` are, `main` and `layer` are not.
bool isRuntimeName(llvm::StringRef name);

} // namespace pctl

#endif // PCTL_CONVERSION_RUNTIMENAMES_H
