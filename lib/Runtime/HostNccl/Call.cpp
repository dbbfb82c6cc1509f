// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How calls are named, compared and checked.

#include "Call.h"
#include "DataTypes.h"
#include "Errors.h"

using namespace pctl::hostnccl;

const char *pctl::hostnccl::nameOfCall(CallKind kind) {
  constexpr const char *names[] = {
      "ncclCommInitRank", "ncclCommSplit", "ncclAllReduce",     "ncclReduce",
      "ncclBroadcast",    "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll",
      "ncclGather",       "ncclScatter",   "ncclSend",          "ncclRecv"};
  return names[static_cast<int>(kind)];
}

std::string pctl::hostnccl::describe(const Signature &signature) {
  CallKind kind = signature.kind;
  std::string text = nameOfCall(kind);
  if (kind == CallKind::Init)
    return text + format(" of %zu ranks", signature.count);
  if (kind == CallKind::Split)
    return text;
  text += format(" of %zu %s", signature.count, nameOfType(signature.type));
  if (isReducing(kind))
    text += format(" (%s)", nameOfReduction(signature.reduction));
  switch (kind) {
  case CallKind::Reduce:
  case CallKind::Gather:
    return text + format(" to root %d", signature.peer);
  case CallKind::Broadcast:
  case CallKind::Scatter:
    return text + format(" from root %d", signature.peer);
  case CallKind::Send:
    return text + format(" to rank %d", signature.peer);
  case CallKind::Recv:
    return text + format(" from rank %d", signature.peer);
  default:
    return text;
  }
}

bool pctl::hostnccl::agree(const Signature &a, const Signature &b) {
  return a.kind == b.kind && a.count == b.count && a.type == b.type &&
         a.reduction == b.reduction && a.peer == b.peer &&
         a.groupIndex == b.groupIndex && a.groupCount == b.groupCount;
}

Footprint pctl::hostnccl::footprintOf(const Signature &signature, int rank,
                                      int size) {
  if (!isCollective(signature.kind) && !isPointToPoint(signature.kind))
    return {};
  uint64_t one = signature.count * sizeOfType(signature.type);
  uint64_t all = one * size;
  uint64_t mine = one * rank;
  bool isRoot = signature.peer == rank;
  switch (signature.kind) {
  case CallKind::AllReduce:
    return {one, one, 0, true};
  case CallKind::Reduce:
    return {one, isRoot ? one : 0, 0, true};
  case CallKind::Broadcast:
    return {isRoot ? one : 0, one, 0, true};
  case CallKind::AllGather:
    return {one, all, mine, true};
  case CallKind::ReduceScatter:
    return {all, one, mine, true};
  case CallKind::AlltoAll:
    return {all, all, 0, false};
  case CallKind::Gather:
    return {one, isRoot ? all : 0, mine, true};
  case CallKind::Scatter:
    return {isRoot ? all : 0, one, mine, true};
  case CallKind::Send:
    return {one, 0, 0, false};
  case CallKind::Recv:
    return {0, one, 0, false};
  default:
    return {};
  }
}

/// What is wrong with where the buffers lie, or an empty string.
static std::string checkBuffers(const Call &call, int size) {
  Footprint foot = footprintOf(call.signature, call.rank, size);
  if (foot.sendBytes && !call.send)
    return "the send buffer is null";
  if (foot.recvBytes && !call.recv)
    return "the receive buffer is null";
  uintptr_t send = reinterpret_cast<uintptr_t>(call.send);
  uintptr_t recv = reinterpret_cast<uintptr_t>(call.recv);
  size_t alignment = sizeOfType(call.signature.type);
  if (foot.sendBytes && send % alignment)
    return format("the send buffer 0x%zx is not aligned to %zu bytes",
                  static_cast<size_t>(send), alignment);
  if (foot.recvBytes && recv % alignment)
    return format("the receive buffer 0x%zx is not aligned to %zu bytes",
                  static_cast<size_t>(recv), alignment);
  if (!foot.sendBytes || !foot.recvBytes)
    return "";
  if (send >= recv + foot.recvBytes || recv >= send + foot.sendBytes)
    return "";
  bool sendIsLarger = foot.sendBytes > foot.recvBytes;
  uintptr_t offset = sendIsLarger ? recv - send : send - recv;
  if (foot.inPlaceAllowed && offset == foot.inPlaceOffset)
    return "";
  std::string text = format(
      "the send buffer [0x%zx, 0x%zx) overlaps the receive buffer "
      "[0x%zx, 0x%zx); ",
      static_cast<size_t>(send), static_cast<size_t>(send + foot.sendBytes),
      static_cast<size_t>(recv), static_cast<size_t>(recv + foot.recvBytes));
  if (!foot.inPlaceAllowed)
    return text + "this call has no in-place form";
  if (foot.sendBytes == foot.recvBytes && foot.inPlaceOffset == 0)
    return text + "in place, the two are the same";
  return text + format("in place, %s is %s + %zu bytes on this rank",
                       sendIsLarger ? "receive" : "send",
                       sendIsLarger ? "send" : "receive",
                       static_cast<size_t>(foot.inPlaceOffset));
}

std::string pctl::hostnccl::checkArguments(const Call &call, int size) {
  const Signature &signature = call.signature;
  if (!isDataType(signature.type))
    return format("%d is no data type", static_cast<int>(signature.type));
  if (isRooted(signature.kind) &&
      (signature.peer < 0 || signature.peer >= size))
    return format("root %d is not below the number of ranks, %d",
                  signature.peer, size);
  if (isPointToPoint(signature.kind) &&
      (signature.peer < 0 || signature.peer >= size))
    return format("peer %d is not below the number of ranks, %d",
                  signature.peer, size);
  uint64_t elementBytes = static_cast<uint64_t>(sizeOfType(signature.type)) *
                          static_cast<uint64_t>(size);
  if (signature.count > static_cast<uint64_t>(INT64_MAX) / elementBytes)
    return format("%zu elements for each of %d ranks are more bytes than "
                  "64 bits count",
                  signature.count, size);
  return checkBuffers(call, size);
}
