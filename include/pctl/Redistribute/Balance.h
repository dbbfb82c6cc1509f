// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Who sends what in an exchange: replicas of the source share the sending.
/// docs/redistribution.md, "Owners".

#ifndef PCTL_REDISTRIBUTE_BALANCE_H
#define PCTL_REDISTRIBUTE_BALANCE_H

#include "pctl/Cost/Cluster.h"
#include "pctl/Redistribute/PlanCost.h"

namespace pctl::redistribute {

/// Returns an exchange from \p from to \p to whose owners are such that it
/// takes little time on \p cluster: among layouts that cut what replicas hold
/// under \p from further by the axes that it leaves free, in some order along
/// some dims. The search ends as soon as an exchange is found in which no rank
/// sends more than the most that a rank lacks, or all layouts up to a limit
/// are priced. Both layouts must be in normal form and differ.
///
/// Worked example, on `x=2, y=3` and 36 elements from `[{y}]` to `[{x}]`: some
/// rank lacks 18 elements, and without owners some rank sends 24. With the
/// owners `[{y,x}]` each holder of a block sends one half of it, and no rank
/// more than 12 elements.
Step makeBalancedExchange(const layout::Mesh &mesh,
                          llvm::ArrayRef<int64_t> globalShape,
                          const layout::Layout &from, const layout::Layout &to,
                          const cost::Cluster &cluster, int64_t elementBytes,
                          int64_t chunkBytes);

/// Returns an exchange that lists its transfers, in which the greater of the
/// most that a rank sends and the most that a rank receives is the least that
/// any choice of sources reaches: an integral flow, for blocks that no owners
/// share evenly. Nothing where no rank lacks anything, where a size is not
/// known, on meshes of more than 64 ranks, or where more than \p maxTransfers
/// boxes would be looked at or listed.
///
/// With a \p cluster of units, what some rank of the receiver's unit holds
/// comes from there, and the most is the least that this allows.
///
/// Worked example, on `x=2, y=2` and 7 elements from `[{x}]` to `[{}]`: the two
/// holders of elements 0 to 3 send 4 elements each, as two ranks lack all four.
std::optional<Step> makeListedExchange(const layout::Mesh &mesh,
                                       llvm::ArrayRef<int64_t> shape,
                                       const layout::Layout &from,
                                       const layout::Layout &to,
                                       int64_t maxTransfers = 1 << 14,
                                       const cost::Cluster *cluster = nullptr);

/// Returns the exchange of makeBalancedExchange, or that of makeListedExchange
/// where the listed one takes less time, which it may where owners leave some
/// rank sending more than any receives, or where units of the cluster are not
/// along axes; and what it costs, on a sample of ranks where there are many.
PricedStep makeFastestExchange(const layout::Mesh &mesh,
                               llvm::ArrayRef<int64_t> globalShape,
                               const layout::Layout &from,
                               const layout::Layout &to,
                               const cost::Cluster &cluster,
                               int64_t elementBytes, int64_t chunkBytes);

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_BALANCE_H
