// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reductions over the contributions of the ranks of a communicator.
///
/// Each element is combined in ascending order of rank, so a result depends on
/// the data alone. float16, bfloat16 and the eight-bit floats are combined as
/// float and rounded once at the end; every other type is combined as itself,
/// integers modulo two to the power of their width. docs/runtime.md states the
/// rules for averages, factors and NaN.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_REDUCTION_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_REDUCTION_H

#include "pctl/Runtime/nccl.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pctl::hostnccl {

/// What a rank's contribution is combined with. The values are those of
/// ncclRedOp_t; every made operator counts as premulsum.
enum class Reduction { Sum, Prod, Max, Min, Avg, PreMulSum };

/// "sum", "premulsum".
const char *nameOfReduction(Reduction reduction);

/// The factor of a rank, in the element type of the reduction.
struct Factor {
  unsigned char bytes[8] = {};
};

/// Contributions to one reduction: for each rank, in order, where its elements
/// begin and its factor (read only for premulsum).
struct Contributions {
  std::vector<const void *> sources;
  std::vector<Factor> factors;
};

/// Combines elements [begin, begin + count) of all contributions and writes
/// them to the same elements of every target. No element is written before all
/// of its contributions are read, so targets may be sources.
void reduceInto(const Contributions &contributions,
                const std::vector<void *> &targets, ncclDataType_t type,
                Reduction reduction, size_t begin, size_t count);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_REDUCTION_H
