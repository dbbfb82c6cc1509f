// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The host library's own interface: trace hook and timeout.

#include "Trace.h"
#include "DataTypes.h"
#include "Engine.h"
#include "Errors.h"

using namespace pctl::hostnccl;

void pctl::hostnccl::trace(const Call &call, pctlNcclTraceHook hook,
                           void *user) {
  const Signature &signature = call.signature;
  bool movesData =
      isCollective(signature.kind) || isPointToPoint(signature.kind);
  Footprint foot = footprintOf(signature, call.rank, call.clique->size);
  pctlNcclTraceEvent event = {};
  event.commId = call.clique->id;
  event.commName = call.clique->name.c_str();
  event.rank = call.rank;
  event.rankCount = call.clique->size;
  event.call = call.number;
  event.op = nameOfCall(signature.kind);
  event.reduction = isReducing(signature.kind)
                        ? nameOfReduction(signature.reduction)
                        : nullptr;
  event.datatype = signature.type;
  event.count = movesData ? signature.count : 0;
  event.bytes = movesData ? signature.count * sizeOfType(signature.type) : 0;
  event.sendBytes = foot.sendBytes;
  event.recvBytes = foot.recvBytes;
  event.peer = signature.peer;
  event.groupSize = call.groupSize;
  event.startNs = call.startNs;
  event.endNs = call.endNs;
  hook(&event, user);
}

ncclResult_t pctlNcclSetTraceHook(pctlNcclTraceHook hook, void *user) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  engine.traceHook = hook;
  engine.traceUser = user;
  return ncclSuccess;
}

ncclResult_t pctlNcclSetTimeoutMs(int64_t timeoutMs) {
  if (timeoutMs <= 0)
    return report(ncclInvalidArgument,
                  "pctlNcclSetTimeoutMs: %lld is not positive",
                  static_cast<long long>(timeoutMs));
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  engine.timeout = std::chrono::milliseconds(timeoutMs);
  return ncclSuccess;
}

ncclResult_t pctlNcclGetTimeoutMs(int64_t *timeoutMs) {
  if (!timeoutMs)
    return report(ncclInvalidArgument,
                  "pctlNcclGetTimeoutMs: timeoutMs is null");
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  *timeoutMs = engine.timeout.count();
  return ncclSuccess;
}
