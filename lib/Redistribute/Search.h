// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A search for the fastest plan over layouts: every step leads from a layout
/// to a layout, so a plan is a path, and its time is the sum of the times of
/// its steps. docs/redistribution.md, "The search".

#ifndef PCTL_LIB_REDISTRIBUTE_SEARCH_H
#define PCTL_LIB_REDISTRIBUTE_SEARCH_H

#include "Pricer.h"

namespace pctl::redistribute {

/// Returns the steps of a plan from \p from to \p to, both in normal form and
/// different, that takes less than \p limitSec and in which no step holds more
/// than \p capBytes, or nothing if none is found.
///
/// Best-first, with a bound as the time that is left at least. It visits a
/// limited number of layouts: every one that can be on a faster path where the
/// mesh has few prime factors.
std::optional<std::vector<PricedStep>>
searchPlan(Pricer &pricer, const layout::Layout &from, const layout::Layout &to,
           int64_t capBytes, double limitSec);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_SEARCH_H
