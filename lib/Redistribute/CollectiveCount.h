// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What members of a group send and receive in each kind of collective: the
/// formulas behind all counts of traffic and bytes.
/// docs/redistribution.md, "Traffic".

#ifndef PCTL_LIB_REDISTRIBUTE_COLLECTIVECOUNT_H
#define PCTL_LIB_REDISTRIBUTE_COLLECTIVECOUNT_H

#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// Elements that one member receives and sends.
struct Moved {
  int64_t received = 0;
  int64_t sent = 0;
};

/// Returns what the member at \p position moves in \p step, which is no
/// exchange, where its slices have \p before and \p after elements. A count
/// that an int64_t does not hold is INT64_MAX.
///
/// Worked example: in an all_reduce of 10 elements over 4 ranks the member at
/// position 0 reduces the first 3 of them. It receives those of three others,
/// and 7 that others reduced: 16 in all, and sends as many.
Moved getMoved(const Step &step, int64_t position, int64_t before,
               int64_t after);

/// Returns the most elements that a member receives in \p step, which is no
/// exchange, where \p mostBefore and \p mostAfter are the greatest slices.
int64_t getMostReceived(const Step &step, int64_t mostBefore,
                        int64_t mostAfter);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_COLLECTIVECOUNT_H
