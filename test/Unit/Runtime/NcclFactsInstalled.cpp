// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The facts of NVIDIA's nccl.h, where it is installed. This project's header
/// is included after it and has to add nothing and clash with nothing.

#ifdef PCTL_TEST_INSTALLED_NCCL
#include <nccl.h>

#include "pctl/Runtime/nccl.h"

#include "NcclFacts.inc"

std::vector<std::string> factsOfInstalledHeader() { return collectFacts(); }
#else
#include "NcclFacts.h"

std::vector<std::string> factsOfInstalledHeader() { return {}; }
#endif
