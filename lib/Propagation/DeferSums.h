// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Which sums wait: a value that is a sum still to be done along axes may be
/// passed on as it is through nodes that are additive in it, so that fewer
/// bytes are summed in the end. docs/propagation.md, "Sums that wait".

#ifndef PCTL_LIB_PROPAGATION_DEFERSUMS_H
#define PCTL_LIB_PROPAGATION_DEFERSUMS_H

#include "MoveCosts.h"

namespace pctl::propagation {

/// Decides for each node of \p graph, whose layouts are final but for that,
/// along which axes it takes operands that are sums still to be done, and makes
/// its results such sums, where that has the busiest rank receive fewer bytes
/// by
/// \p costs. Time is linear in the graph.
void deferSums(Graph &graph, MoveCosts &costs);

} // namespace pctl::propagation

#endif // PCTL_LIB_PROPAGATION_DEFERSUMS_H
