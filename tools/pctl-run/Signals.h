// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What becomes of a rank whose code divides by zero, reaches for memory that
/// it does not have, or gives up: a message that names it instead of a trace of
/// the compiler's stack.

#ifndef PCTL_TOOLS_PCTLRUN_SIGNALS_H
#define PCTL_TOOLS_PCTLRUN_SIGNALS_H

#include <csignal>
#include <cstdint>
#include <vector>

namespace pctl::run {

/// While it lives, a fault in the code of a rank ends the process with status 1
/// and a message such as `pctl-run: error: rank 2: integer division by zero`.
/// Faults of other threads go to whoever had them before.
class RankSignals {
public:
  RankSignals();
  ~RankSignals();
  RankSignals(const RankSignals &) = delete;
  RankSignals &operator=(const RankSignals &) = delete;

private:
  std::vector<struct sigaction> previous;
};

/// Makes the calling thread a rank's while it lives. The stack that signals
/// had before is theirs again afterwards: a sanitizer frees its own.
class RankThread {
public:
  explicit RankThread(int64_t rank);
  ~RankThread();
  RankThread(const RankThread &) = delete;
  RankThread &operator=(const RankThread &) = delete;

private:
  stack_t previousStack = {};
};

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_SIGNALS_H
