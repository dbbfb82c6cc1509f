// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The lines that describe an nccl.h (NcclFacts.inc): ours and NVIDIA's.

#ifndef PCTL_TEST_UNIT_RUNTIME_NCCLFACTS_H
#define PCTL_TEST_UNIT_RUNTIME_NCCLFACTS_H

#include <string>
#include <vector>

std::vector<std::string> factsOfOurHeader();
/// Empty where NVIDIA's header was not found at build time.
std::vector<std::string> factsOfInstalledHeader();

#endif // PCTL_TEST_UNIT_RUNTIME_NCCLFACTS_H
