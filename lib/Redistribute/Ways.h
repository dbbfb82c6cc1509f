// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans that are made directly: right for every pair of layouts, and the
/// fastest of them for most. docs/redistribution.md, "The planner".

#ifndef PCTL_LIB_REDISTRIBUTE_WAYS_H
#define PCTL_LIB_REDISTRIBUTE_WAYS_H

#include "Pricer.h"

namespace pctl::redistribute {

/// What ways differ in.
struct Way {
  /// Reduce-scatter into this dim what is not scattered as the target asks,
  /// instead of an all-reduce.
  std::optional<unsigned> scatterDim;
  /// Move by one exchange, whatever collectives could do it.
  bool exchangeOnly = false;
};

/// Lists the ways from \p from to \p to that may be the fastest on \p cluster,
/// those with the fewest steps first.
llvm::SmallVector<Way> listWays(const layout::Layout &from,
                                const layout::Layout &to,
                                const cost::Cluster &cluster);

/// Returns the steps of \p way from \p from to \p to, both in normal form, or
/// nothing where bounds tell that they take no less than \p limitSec.
std::optional<std::vector<PricedStep>> planWay(Pricer &pricer,
                                               const layout::Layout &from,
                                               const layout::Layout &to,
                                               const Way &way, double limitSec);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_WAYS_H
