// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Where the data of each collective goes, and the functions that ask for it.
///
/// A collective of n ranks is moved in n parts that may run at once and in any
/// order. Part r of an all-reduce or a reduce reads and writes the r-th piece
/// of every buffer; part r of a gather writes the r-th block at the root; part
/// r of anything else writes the receive buffer of rank r. In place, the bytes
/// that a part would copy onto themselves are left alone, so nothing that
/// another part reads is ever written.

#include "DataTypes.h"
#include "Engine.h"
#include "Groups.h"
#include <algorithm>
#include <cstring>

using namespace pctl::hostnccl;

void pctl::hostnccl::prepare(Rendezvous &rendezvous, int size) {
  const Signature &signature = rendezvous.calls[0]->signature;
  if (!isReducing(signature.kind))
    return;
  for (const Call *call : rendezvous.calls) {
    rendezvous.contributions.sources.push_back(call->send);
    rendezvous.contributions.factors.push_back(call->factor);
    if (signature.kind == CallKind::AllReduce || signature.peer == call->rank)
      rendezvous.targets.push_back(call->recv);
  }
}

static void copy(void *to, uint64_t toOffset, const void *from,
                 uint64_t fromOffset, uint64_t bytes) {
  char *target = static_cast<char *>(to) + toOffset;
  const char *source = static_cast<const char *>(from) + fromOffset;
  if (target != source)
    std::memcpy(target, source, bytes);
}

/// Part `part` of an all-reduce or a reduce: a piece of every buffer.
static void reducePiece(const Rendezvous &rendezvous, int size, int part) {
  const Signature &signature = rendezvous.calls[0]->signature;
  // Whole pages of elements, so that two threads share no cache line.
  constexpr size_t unit = 4096;
  size_t units = (signature.count + unit - 1) / unit;
  size_t piece = (units + size - 1) / size * unit;
  size_t begin = std::min(signature.count, piece * part);
  size_t count = std::min(signature.count - begin, piece);
  reduceInto(rendezvous.contributions, rendezvous.targets, signature.type,
             signature.reduction, begin, count);
}

/// Part `part` of a reduce-scatter: all of what rank `part` receives.
static void reduceBlock(const Rendezvous &rendezvous, int part) {
  const Signature &signature = rendezvous.calls[0]->signature;
  size_t bytes = signature.count * sizeOfType(signature.type);
  Contributions block = rendezvous.contributions;
  for (const void *&source : block.sources)
    source = static_cast<const char *>(source) + bytes * part;
  reduceInto(block, {rendezvous.calls[part]->recv}, signature.type,
             signature.reduction, 0, signature.count);
}

void pctl::hostnccl::runPart(const Rendezvous &rendezvous, int size, int part) {
  const std::vector<Call *> &calls = rendezvous.calls;
  const Signature &signature = calls[0]->signature;
  uint64_t bytes = signature.count * sizeOfType(signature.type);
  void *recv = calls[part]->recv;
  int root = signature.peer;
  switch (signature.kind) {
  case CallKind::AllReduce:
  case CallKind::Reduce:
    return reducePiece(rendezvous, size, part);
  case CallKind::ReduceScatter:
    return reduceBlock(rendezvous, part);
  case CallKind::Broadcast:
    return copy(recv, 0, calls[root]->send, 0, bytes);
  case CallKind::Scatter:
    return copy(recv, 0, calls[root]->send, bytes * part, bytes);
  case CallKind::AllGather:
    for (const Call *call : calls)
      copy(recv, bytes * call->rank, call->send, 0, bytes);
    return;
  case CallKind::AlltoAll:
    for (const Call *call : calls)
      copy(recv, bytes * call->rank, call->send, bytes * part, bytes);
    return;
  case CallKind::Gather:
    copy(calls[root]->recv, bytes * part, calls[part]->send, 0, bytes);
    return;
  default:
    return;
  }
}

/// A call whose reduction, if it has one, submit looks up.
static std::unique_ptr<Call> makeCall(CallKind kind, const void *send,
                                      void *recv, size_t count,
                                      ncclDataType_t type, int root = -1) {
  auto call = std::make_unique<Call>();
  call->signature.kind = kind;
  call->signature.count = count;
  call->signature.type = type;
  call->signature.peer = root;
  call->send = send;
  call->recv = recv;
  return call;
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  return submit(
      makeCall(CallKind::AllReduce, sendbuff, recvbuff, count, datatype), comm,
      op);
}

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count,
                        ncclDataType_t datatype, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return submit(
      makeCall(CallKind::Reduce, sendbuff, recvbuff, count, datatype, root),
      comm, op);
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff,
                               size_t recvcount, ncclDataType_t datatype,
                               ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  return submit(makeCall(CallKind::ReduceScatter, sendbuff, recvbuff, recvcount,
                         datatype),
                comm, op);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
                           ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return submit(
      makeCall(CallKind::Broadcast, sendbuff, recvbuff, count, datatype, root),
      comm);
}

ncclResult_t ncclBcast(void *buff, size_t count, ncclDataType_t datatype,
                       int root, ncclComm_t comm, cudaStream_t stream) {
  return ncclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff,
                           size_t sendcount, ncclDataType_t datatype,
                           ncclComm_t comm, cudaStream_t stream) {
  return submit(
      makeCall(CallKind::AllGather, sendbuff, recvbuff, sendcount, datatype),
      comm);
}

ncclResult_t ncclAlltoAll(const void *sendbuff, void *recvbuff, size_t count,
                          ncclDataType_t datatype, ncclComm_t comm,
                          cudaStream_t stream) {
  return submit(
      makeCall(CallKind::AlltoAll, sendbuff, recvbuff, count, datatype), comm);
}

ncclResult_t ncclGather(const void *sendbuff, void *recvbuff, size_t count,
                        ncclDataType_t datatype, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return submit(
      makeCall(CallKind::Gather, sendbuff, recvbuff, count, datatype, root),
      comm);
}

ncclResult_t ncclScatter(const void *sendbuff, void *recvbuff, size_t count,
                         ncclDataType_t datatype, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  return submit(
      makeCall(CallKind::Scatter, sendbuff, recvbuff, count, datatype, root),
      comm);
}
