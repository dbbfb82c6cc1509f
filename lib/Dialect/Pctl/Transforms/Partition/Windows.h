// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Completes what a rank holds of a dim over which a window slides.
/// docs/partition.md, Windows.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_WINDOWS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_WINDOWS_H

#include "../ShardingRules/Windows.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

namespace pctl::detail {

/// A dim of a tensor over which a window slides, and the loop that it slides
/// with, both cut by the same axes.
struct WindowDim {
  Window window;
  layout::DimLayout held;
  int64_t size = 0;
  layout::DimLayout leader;
  int64_t iterations = 0;

  /// The places that the rank at \p position holds, and that it reads.
  layout::Range getHeld(int64_t position) const;
  layout::Range getRead(int64_t position) const;
};

/// How many places ranks lack before and behind those that they hold: the most
/// that any rank does.
struct Halo {
  int64_t before = 0;
  int64_t after = 0;
};
Halo getHalo(const WindowDim &dim);

/// Returns a tensor that has in dim \p number, instead of what this rank holds
/// in
/// \p local, the places that its iterations of the leader read, the first of
/// them being place 0. Exchanges with the ranks that hold what is missing.
mlir::Value completeWindow(PartitionContext &ctx, mlir::Location loc,
                           mlir::Value local, unsigned number,
                           const WindowDim &dim);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_WINDOWS_H
