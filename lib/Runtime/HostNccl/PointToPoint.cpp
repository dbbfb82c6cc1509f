// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sends and receives: the k-th send of an ordered pair of ranks meets its
/// k-th receive, and the two must agree.

#include "Engine.h"
#include "Errors.h"
#include "Groups.h"

using namespace pctl::hostnccl;

/// What is wrong with a pair, or an empty string.
static std::string checkPair(const Call &send, const Call &recv) {
  const Signature &a = send.signature;
  const Signature &b = recv.signature;
  if (a.count != b.count || a.type != b.type)
    return whereIs(recv) + ": " + describe(b) +
           format(", but rank %d has ", send.rank) + describe(a);
  uintptr_t from = reinterpret_cast<uintptr_t>(send.send);
  uintptr_t to = reinterpret_cast<uintptr_t>(recv.recv);
  uint64_t bytes = footprintOf(a, send.rank, send.clique->size).sendBytes;
  if (bytes == 0 || from == to || from >= to + bytes || to >= from + bytes)
    return "";
  return whereIs(recv) + ": " + describe(b) +
         format(" into [0x%zx, 0x%zx), which overlaps what rank %d sends, "
                "[0x%zx, 0x%zx)",
                static_cast<size_t>(to), static_cast<size_t>(to + bytes),
                send.rank, static_cast<size_t>(from),
                static_cast<size_t>(from + bytes));
}

void Engine::issueMessage(Call &call) {
  bool isSend = call.signature.kind == CallKind::Send;
  int peer = call.signature.peer;
  MessageQueue &queue =
      call.clique->messages[isSend ? std::make_pair(call.rank, peer)
                                   : std::make_pair(peer, call.rank)];
  call.number = isSend ? ++queue.sendCount : ++queue.recvCount;
  auto &mine = isSend ? queue.sends : queue.recvs;
  auto &theirs = isSend ? queue.recvs : queue.sends;
  if (theirs.empty()) {
    mine.push_back(&call);
    return;
  }
  Call &other = *theirs.front();
  Call &send = isSend ? call : other;
  Call &recv = isSend ? other : call;
  std::string trouble = checkPair(send, recv);
  if (!trouble.empty()) {
    mine.push_back(&call); // So that it fails with the others.
    fail(*call.clique, ncclInvalidUsage, trouble);
    return;
  }
  theirs.pop_front();
  startMessage(send, recv);
}

static ncclResult_t submitMessage(CallKind kind, const void *send, void *recv,
                                  size_t count, ncclDataType_t type, int peer,
                                  ncclComm_t comm) {
  auto call = std::make_unique<Call>();
  call->signature.kind = kind;
  call->signature.count = count;
  call->signature.type = type;
  call->signature.peer = peer;
  call->send = send;
  call->recv = recv;
  return submit(std::move(call), comm);
}

ncclResult_t ncclSend(const void *sendbuff, size_t count,
                      ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return submitMessage(CallKind::Send, sendbuff, nullptr, count, datatype, peer,
                       comm);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  return submitMessage(CallKind::Recv, nullptr, recvbuff, count, datatype, peer,
                       comm);
}
