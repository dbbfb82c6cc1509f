// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads, in the bodies of structured ops, of captured tensors of which a rank
/// holds a slice. docs/partition.md, Tables.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_TABLES_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_TABLES_H

#include "../ShardingRules/TableReads.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

namespace pctl::detail {

/// Checks that what ranks hold of \p tables, captured by \p op, is what its
/// body can do with: no partial table, and dims that are read at computed
/// places whole unless the op is a lookup. Fails, having reported why, if not.
llvm::LogicalResult checkTables(mlir::Operation *op,
                                llvm::ArrayRef<TableReads> tables,
                                const PartitionContext &ctx);

/// Returns the axes along which ranks hold different places of what is read at
/// computed places: the result is to be reduced along them.
llvm::SmallVector<layout::AxisRef>
getLookupAxes(llvm::ArrayRef<TableReads> tables, const PartitionContext &ctx);

/// Makes the body of \p op, the local form of an op with \p tables, read the
/// slices of the tables: places count from the start of the slice, sizes are
/// those of the whole table, and a place that this rank lacks gives the neutral
/// element.
void localizeTables(mlir::Operation *op, llvm::ArrayRef<TableReads> tables,
                    PartitionContext &ctx);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_PARTITION_TABLES_H
