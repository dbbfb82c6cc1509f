// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/RuntimeNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace pctl;

/// Returns whether \p name is \p prefix and a word after it: `ncclSend`.
static bool isWordOf(llvm::StringRef name, llvm::StringRef prefix) {
  return name.consume_front(prefix) && !name.empty() &&
         llvm::isUpper(name.front());
}

/// The functions of math and of complex numbers that upstream's lowerings call
/// and LLVM itself gives no meaning to.
static bool isMathFunction(llvm::StringRef name) {
  name.consume_back("f");
  return llvm::StringSwitch<bool>(name)
      .Cases({"cabs", "carg", "ccos", "cexp", "clog", "conj", "cpow"}, true)
      .Cases({"csin", "csqrt", "ctan", "ctanh", "erfc", "fma"}, true)
      .Default(false);
}

bool pctl::isRuntimeName(llvm::StringRef name) {
  if (isWordOf(name, "nccl") || isWordOf(name, "pctl") ||
      name.starts_with("pctl_name_nccl"))
    return true;
  if (name.starts_with("__") || name.starts_with("_mlir_") ||
      name.starts_with("llvm."))
    return true;
  // A fixed triple: the answer must not depend on where the compiler runs.
  static const llvm::TargetLibraryInfoImpl library(
      llvm::Triple("x86_64-unknown-linux-gnu"));
  llvm::LibFunc ignored;
  return library.getLibFunc(name, ignored) || isMathFunction(name);
}
