// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Groups, and the checks that every call passes on its way to the engine.

#include "Groups.h"
#include "DataTypes.h"
#include "Engine.h"
#include "Errors.h"
#include "Overlap.h"
#include "Trace.h"
#include <algorithm>
#include <cstring>
#include <map>

using namespace pctl::hostnccl;

ncclComm *pctl::hostnccl::findLive(Engine &engine, ncclComm_t comm,
                                   const char *function, std::string &error) {
  ncclComm *handle = comm ? engine.find(comm) : nullptr;
  if (!handle) {
    error = format("%s: comm is %s", function,
                   comm ? "no communicator of this library" : "null");
    return nullptr;
  }
  if (handle->state != ncclComm::State::Destroyed &&
      handle->state != ncclComm::State::Aborted)
    return handle;
  error = format("%s: communicator '%s' was %s by this rank, %d", function,
                 handle->name.c_str(),
                 handle->state == ncclComm::State::Destroyed ? "destroyed"
                                                             : "aborted",
                 handle->rank);
  return nullptr;
}

ncclComm *pctl::hostnccl::findUsable(Engine &engine, ncclComm_t comm,
                                     const char *function, ncclResult_t &code,
                                     std::string &error) {
  code = ncclInvalidArgument;
  ncclComm *handle = findLive(engine, comm, function, error);
  if (!handle)
    return nullptr;
  if (handle->clique->error != ncclSuccess) {
    code = handle->clique->error;
    error = handle->clique->errorText;
    return nullptr;
  }
  if (handle->state != ncclComm::State::Finalized)
    return handle;
  code = ncclInvalidUsage;
  error = format("%s: communicator '%s' was finalized by this rank, %d",
                 function, handle->name.c_str(), handle->rank);
  return nullptr;
}

ncclResult_t pctl::hostnccl::reportInGroup(ncclResult_t code,
                                           std::string text) {
  ThreadState &self = *Engine::thisThread();
  if (self.groupDepth && self.groupError == ncclSuccess) {
    self.groupError = code;
    self.groupErrorText = text;
  }
  return reportText(code, std::move(text));
}

/// Looks up a call's reduction and this rank's factor; what is wrong with it,
/// or an empty string.
static std::string resolveReduction(Call &call, const ncclComm &handle,
                                    ncclRedOp_t op) {
  int value = static_cast<int>(op);
  if (value >= 0 && value < ncclNumOps) {
    call.signature.reduction = static_cast<Reduction>(value);
    return "";
  }
  size_t index = static_cast<size_t>(value) - ncclNumOps;
  if (value < 0 || index >= handle.madeReductions.size())
    return format("reduction %d is neither NCCL's nor made on this "
                  "communicator",
                  value);
  const ncclComm::MadeReduction &made = handle.madeReductions[index];
  if (!made.isLive)
    return format("reduction %d was destroyed", value);
  if (made.type != call.signature.type)
    return format("reduction %d was made for %s", value, nameOfType(made.type));
  call.signature.reduction = Reduction::PreMulSum;
  call.factor = made.factor;
  if (made.scalar)
    std::memcpy(call.factor.bytes, made.scalar, sizeOfType(made.type));
  return "";
}

ncclResult_t pctl::hostnccl::submit(std::unique_ptr<Call> call, ncclComm_t comm,
                                    ncclRedOp_t op) {
  Engine &engine = Engine::get();
  call->thread = Engine::thisThread();
  const char *function = nameOfCall(call->signature.kind);
  std::string error;
  {
    std::lock_guard<std::mutex> lock(engine.mutex);
    ncclResult_t code = ncclSuccess;
    ncclComm *handle = findUsable(engine, comm, function, code, error);
    if (!handle)
      return reportInGroup(code, error);
    Clique &clique = *handle->clique;
    call->clique = handle->clique;
    call->rank = handle->rank;
    error = checkArguments(*call, clique.size);
    if (error.empty() && isReducing(call->signature.kind))
      error = resolveReduction(*call, *handle, op);
    if (!error.empty()) {
      // The peers would wait for a call that never comes.
      engine.fail(clique, ncclInvalidArgument,
                  format("rank %d of %s: %s: %s", handle->rank,
                         nameOf(clique).c_str(), function, error.c_str()));
      return reportInGroup(clique.error, clique.errorText);
    }
  }
  return submitChecked(std::move(call));
}

ncclResult_t pctl::hostnccl::submitChecked(std::unique_ptr<Call> call) {
  ThreadState &self = *Engine::thisThread();
  if (self.groupDepth) {
    self.groupCalls.push_back(std::move(call));
    return ncclSuccess;
  }
  std::vector<std::unique_ptr<Call>> calls;
  calls.push_back(std::move(call));
  return issueTogether(std::move(calls));
}

/// Numbers the collectives of each end of a communicator within the group.
static void numberInGroup(std::vector<std::unique_ptr<Call>> &calls) {
  std::map<std::pair<const Clique *, int>, int> counts;
  for (std::unique_ptr<Call> &call : calls) {
    call->groupSize = static_cast<int>(calls.size());
    if (isCollective(call->signature.kind))
      call->signature.groupIndex = counts[{call->clique.get(), call->rank}]++;
  }
  for (std::unique_ptr<Call> &call : calls)
    if (isCollective(call->signature.kind))
      call->signature.groupCount = counts[{call->clique.get(), call->rank}];
}

ncclResult_t
pctl::hostnccl::issueTogether(std::vector<std::unique_ptr<Call>> calls) {
  Engine &engine = Engine::get();
  ThreadState &self = *Engine::thisThread();
  if (calls.size() > 1)
    numberInGroup(calls);
  pctlNcclTraceHook hook;
  void *user;
  {
    std::unique_lock<std::mutex> lock(engine.mutex);
    for (std::unique_ptr<Call> &call : calls)
      engine.issue(*call);
    engine.wait(self, lock);
    hook = engine.traceHook;
    user = engine.traceUser;
  }
  for (const std::unique_ptr<Call> &call : calls)
    if (hook && call->result == ncclSuccess)
      trace(*call, hook, user);
  for (std::unique_ptr<Call> &call : calls)
    if (call->result != ncclSuccess)
      return reportText(call->result, std::move(call->error));
  return ncclSuccess;
}

size_t pctl::hostnccl::countQueued(const ncclComm &handle) {
  const ThreadState &self = *Engine::thisThread();
  return std::count_if(self.groupCalls.begin(), self.groupCalls.end(),
                       [&](const std::unique_ptr<Call> &call) {
                         return call->clique == handle.clique &&
                                call->rank == handle.rank;
                       });
}

/// Fails the communicators of calls that will not be issued.
static void failAll(const std::vector<std::unique_ptr<Call>> &calls,
                    ncclResult_t code, const std::string &reason) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  for (const std::unique_ptr<Call> &call : calls)
    engine.fail(*call->clique, code,
                format("rank %d of %s: %s was not issued: %s", call->rank,
                       nameOf(*call->clique).c_str(),
                       describe(call->signature).c_str(), reason.c_str()));
}

void pctl::hostnccl::abandonGroup(ThreadState &thread) {
  failAll(thread.groupCalls, ncclInvalidUsage,
          "its thread ended with a group open");
  thread.groupCalls.clear();
}

/// Whether a group has both joining and other calls, which NCCL forbids.
static bool mixesJoining(const std::vector<std::unique_ptr<Call>> &calls) {
  auto joins = [](const std::unique_ptr<Call> &call) {
    return call->signature.kind == CallKind::Init;
  };
  return std::any_of(calls.begin(), calls.end(), joins) &&
         !std::all_of(calls.begin(), calls.end(), joins);
}

/// What is wrong with the calls of a group together, or an empty string.
static std::string checkGroup(const std::vector<std::unique_ptr<Call>> &calls) {
  if (mixesJoining(calls))
    return "the group has ncclCommInitRank and other calls";
  std::vector<const Call *> plain;
  for (const std::unique_ptr<Call> &call : calls)
    plain.push_back(call.get());
  std::optional<Conflict> conflict = findConflict(plain);
  if (!conflict)
    return "";
  return "calls of a group run at once, but " +
         describe(conflict->first->signature) + " " +
         describe(*conflict, describe(conflict->second->signature));
}

ncclResult_t ncclGroupStart() {
  ++Engine::thisThread()->groupDepth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  ThreadState &self = *Engine::thisThread();
  if (self.groupDepth == 0)
    return report(ncclInvalidUsage,
                  "ncclGroupEnd: no group is open on this thread");
  if (--self.groupDepth)
    return ncclSuccess;
  std::vector<std::unique_ptr<Call>> calls = std::move(self.groupCalls);
  self.groupCalls.clear();
  ncclResult_t error = self.groupError;
  std::string text = std::move(self.groupErrorText);
  self.groupError = ncclSuccess;
  self.groupErrorText.clear();
  if (error == ncclSuccess) {
    text = checkGroup(calls);
    error = text.empty() ? ncclSuccess : ncclInvalidUsage;
  }
  if (error != ncclSuccess) {
    failAll(calls, error, text);
    return reportText(error, std::move(text));
  }
  return issueTogether(std::move(calls));
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *simInfo) {
  return report(ncclInvalidUsage,
                "ncclGroupSimulateEnd: the host library has no times to "
                "predict; end the group with ncclGroupEnd");
}
