// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the ranks of a run called, as Chrome trace events: the JSON that
/// Perfetto and chrome://tracing open (Google's "Trace Event Format").

#ifndef PCTL_TOOLS_PCTLRUN_TRACE_H
#define PCTL_TOOLS_PCTLRUN_TRACE_H

#include "pctl/Runtime/HostNccl.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <string>
#include <vector>

namespace pctl::run {

/// Collects the calls of all ranks while it lives. There may be one at a time,
/// made and destroyed while no rank runs.
class Trace {
public:
  Trace();
  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  /// Says that the calling thread is rank \p rank of the world from here on.
  static void enterRank(int64_t rank);

  /// Writes all events, a track for each rank. Errors: those of writing, with
  /// the path.
  llvm::Error write(llvm::StringRef path) const;

private:
  struct Event {
    int64_t rank;
    std::string op;
    std::string comm;
    int rankCount;
    uint64_t sendBytes;
    uint64_t recvBytes;
    int64_t startNs;
    int64_t endNs;
  };

  static void record(const pctlNcclTraceEvent *event, void *trace);

  std::mutex mutex;
  std::vector<Event> events;
};

} // namespace pctl::run

#endif // PCTL_TOOLS_PCTLRUN_TRACE_H
