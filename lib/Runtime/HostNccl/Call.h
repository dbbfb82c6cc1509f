// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// One call of one rank, as data: what it asks for, the memory it reads and
/// writes, and how an error names it.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_CALL_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_CALL_H

#include "Reduction.h"
#include "pctl/Runtime/nccl.h"
#include <cstdint>
#include <memory>
#include <string>

namespace pctl::hostnccl {

struct Clique;
struct ThreadState;

enum class CallKind {
  Init,
  Split,
  AllReduce,
  Reduce,
  Broadcast,
  AllGather,
  ReduceScatter,
  AlltoAll,
  Gather,
  Scatter,
  Send,
  Recv
};

inline bool isPointToPoint(CallKind kind) {
  return kind == CallKind::Send || kind == CallKind::Recv;
}
/// Whether the calls of all ranks move data together.
inline bool isCollective(CallKind kind) {
  return kind >= CallKind::AllReduce && kind <= CallKind::Scatter;
}
inline bool isReducing(CallKind kind) {
  return kind == CallKind::AllReduce || kind == CallKind::Reduce ||
         kind == CallKind::ReduceScatter;
}
/// Whether `peer` of the signature is a root.
inline bool isRooted(CallKind kind) {
  return kind == CallKind::Reduce || kind == CallKind::Broadcast ||
         kind == CallKind::Gather || kind == CallKind::Scatter;
}

/// The part of a call that its peers must agree with.
struct Signature {
  CallKind kind = CallKind::Init;
  size_t count = 0;
  ncclDataType_t type = ncclNumTypes;
  Reduction reduction = Reduction::Sum;
  /// Root of a rooted collective, peer of a send or receive.
  int peer = -1;
  /// Place among the collectives of its communicator in its group, from 0, and
  /// how many they are: NCCL runs them as one, so all ranks group alike.
  int groupIndex = 0;
  int groupCount = 1;
};

/// "ncclAllReduce".
const char *nameOfCall(CallKind kind);

/// "ncclAllReduce of 16 float32 (sum)", "ncclSend of 4 float32 to rank 1".
std::string describe(const Signature &signature);

/// Whether the collectives of two ranks are the same call.
bool agree(const Signature &a, const Signature &b);

/// Bytes that a collective's rank, or one side of a message, reads and writes.
struct Footprint {
  uint64_t sendBytes = 0;
  uint64_t recvBytes = 0;
  /// Where, relative to the larger buffer, the smaller one lies when the call
  /// is in place; meaningless unless inPlaceAllowed.
  uint64_t inPlaceOffset = 0;
  bool inPlaceAllowed = false;
};

/// The memory of a call on rank `rank` of `size`. Assumes that checkArguments
/// has accepted the signature.
Footprint footprintOf(const Signature &signature, int rank, int size);

/// A call that has been made, and what has become of it.
struct Call {
  Signature signature;
  std::shared_ptr<Clique> clique;
  int rank = 0;
  const void *send = nullptr;
  void *recv = nullptr;
  Factor factor;
  /// Collectives of this rank so far, from 1; messages of a pair, from 1.
  uint64_t number = 0;
  int groupSize = 1;
  std::shared_ptr<ThreadState> thread;

  // ncclCommSplit and ncclCommInitRank.
  int color = 0;
  int key = 0;
  int device = 0;
  std::string name;
  ncclComm_t *newComm = nullptr;

  // Guarded by the engine's mutex.
  bool done = false;
  bool started = false;
  ncclResult_t result = ncclSuccess;
  std::string error;
  int64_t startNs = 0;
  int64_t endNs = 0;
};

/// What is wrong with the numbers and buffers of a call, or an empty string.
std::string checkArguments(const Call &call, int size);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_CALL_H
