// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Calls that run at once must not touch each other's memory: those of one
/// group, and those of all ranks that meet in a collective.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_OVERLAP_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_OVERLAP_H

#include "Call.h"
#include <optional>
#include <vector>

namespace pctl::hostnccl {

/// Memory that one call writes and another reads or writes. `first` begins no
/// later than `second`, and each is given with what it does there.
struct Conflict {
  const Call *first;
  const Call *second;
  bool firstWrites;
  bool secondWrites;
  uintptr_t firstBegin, firstEnd;
  uintptr_t secondBegin, secondEnd;
};

/// A conflict between two of the calls, if there is one; the one at the lowest
/// address. In n log n steps.
std::optional<Conflict> findConflict(const std::vector<const Call *> &calls);

/// "writes [0x10, 0x20), of which rank 1 reads [0x18, 0x28)": follows the name
/// of the first call; `other` names the second one.
std::string describe(const Conflict &conflict, const std::string &other);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_OVERLAP_H
