// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The way of a call into the engine: checked, then issued, at once or with
/// the group that is open on its thread.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_GROUPS_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_GROUPS_H

#include "Call.h"
#include "Engine.h"
#include <memory>
#include <vector>

namespace pctl::hostnccl {

/// Checks a call on a communicator, and issues it or adds it to the open
/// group. Fills in clique, rank, reduction, factor and thread.
///
/// Errors: ncclInvalidArgument for a communicator that is null, unknown or
/// destroyed; for numbers and buffers that checkArguments refuses, after which
/// the communicator has failed; ncclInvalidUsage after ncclCommFinalize; what
/// the wait ends with.
ncclResult_t submit(std::unique_ptr<Call> call, ncclComm_t comm,
                    ncclRedOp_t op = ncclSum);

/// The same for a call whose fields are all filled in and checked.
ncclResult_t submitChecked(std::unique_ptr<Call> call);

/// Remembers the error of a call of an open group, and returns its code.
ncclResult_t reportInGroup(ncclResult_t code, std::string text);

/// Issues calls together, waits for them all, reports them to the trace hook,
/// and returns the first error.
ncclResult_t issueTogether(std::vector<std::unique_ptr<Call>> calls);

/// Finds a live end of a communicator, with the engine's mutex held; otherwise
/// null, with `error` saying why.
ncclComm *findLive(Engine &engine, ncclComm_t comm, const char *function,
                   std::string &error);

/// The same for a communicator that a call is made on: it has not failed, and
/// this rank has not finalized it. `code` is the result code that `error` is
/// for.
ncclComm *findUsable(Engine &engine, ncclComm_t comm, const char *function,
                     ncclResult_t &code, std::string &error);

/// How many calls on this end wait in the group that is open on this thread.
size_t countQueued(const ncclComm &handle);

/// Fails the communicators that a thread leaves waiting when it ends with a
/// group open.
void abandonGroup(ThreadState &thread);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_GROUPS_H
