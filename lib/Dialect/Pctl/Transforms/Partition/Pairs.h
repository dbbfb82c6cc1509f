// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Combines the best elements of ranks, and their places.
/// docs/partition.md, Pairs.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_PAIRS_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_PAIRS_H

#include "../ShardingRules/PairReduction.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

namespace pctl::detail {

/// Completes \p local, the local form of \p op that reduces this rank's block
/// of the loop that \p pair may have cut, here by \p axes: gathers what the
/// ranks along them found and keeps the best, the first in their order. Sets
/// the local values of the results of \p op.
void combinePairs(mlir::linalg::GenericOp op, mlir::linalg::GenericOp local,
                  const PairReduction &pair,
                  llvm::ArrayRef<layout::AxisRef> axes, PartitionContext &ctx);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_PAIRS_H
