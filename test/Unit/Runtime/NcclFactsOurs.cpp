// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The facts of this project's nccl.h.

#include "pctl/Runtime/nccl.h"

#include "NcclFacts.inc"

std::vector<std::string> factsOfOurHeader() { return collectFacts(); }
