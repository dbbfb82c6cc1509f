// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Why calls do not get on, and how that is told.
///
/// A thread waits for all of its calls at once, so threads that wait for each
/// other in a ring never go on: a cycle is as sure as it is early. Its edges
/// lead from a call to the thread that has been using the end of the rank it
/// waits for; an end that several threads use has no edge. As a further thread
/// might still step in, a cycle counts only once a thread has been waiting for
/// a moment (Engine::wait), which also keeps all of this off the fast path.

#include "Engine.h"
#include "Errors.h"
#include "Overlap.h"
#include <algorithm>
#include <set>

using namespace pctl::hostnccl;

std::string pctl::hostnccl::nameOf(const Clique &clique) {
  return format("communicator '%s' (%d ranks)", clique.name.c_str(),
                clique.size);
}

/// "call 7", "send 3": a rank's k-th collective, or its k-th message to a peer.
static std::string nameOfNumber(const Signature &signature, uint64_t number) {
  const char *what = signature.kind == CallKind::Send   ? "send"
                     : signature.kind == CallKind::Recv ? "receive"
                                                        : "call";
  return format("%s %llu", what, static_cast<unsigned long long>(number));
}

std::string pctl::hostnccl::whereIs(const Call &call) {
  return format("rank %d of ", call.rank) + nameOf(*call.clique) + ", " +
         nameOfNumber(call.signature, call.number);
}

static const Rendezvous *findRendezvous(const Call &call) {
  for (const std::unique_ptr<Rendezvous> &rendezvous : call.clique->waiting)
    if (rendezvous->number == call.number)
      return rendezvous.get();
  return nullptr;
}

static std::vector<int> missingRanks(const Rendezvous &rendezvous) {
  std::vector<int> ranks;
  for (size_t rank = 0; rank < rendezvous.calls.size(); ++rank)
    if (!rendezvous.calls[rank])
      ranks.push_back(static_cast<int>(rank));
  return ranks;
}

std::vector<int> pctl::hostnccl::awaitedRanks(const Call &call) {
  if (call.done || call.started)
    return {};
  if (isPointToPoint(call.signature.kind))
    return {call.signature.peer};
  const Rendezvous *rendezvous = findRendezvous(call);
  return rendezvous ? missingRanks(*rendezvous) : std::vector<int>();
}

static bool hasLeft(const Clique &clique, int rank) {
  const ncclComm *handle = clique.handles[rank];
  return handle && handle->state != ncclComm::State::Live;
}

/// What a rank that has not come is last known to be doing.
static std::string lastKnown(const Clique &clique, int rank) {
  const ncclComm *handle = clique.handles[rank];
  if (!handle)
    return "it has not called";
  if (handle->state == ncclComm::State::Destroyed)
    return "it has destroyed the communicator";
  if (handle->state == ncclComm::State::Finalized)
    return "it has finalized the communicator";
  const ThreadState *user = handle->isShared ? nullptr : handle->user.get();
  if (user && user->isBlocked())
    for (const Call *call : user->issued)
      if (!call->done)
        return "it waits as " + whereIs(*call) + ": " +
               describe(call->signature);
  std::string last = handle->lastNumber ? "its last call here was " +
                                              nameOfNumber(handle->lastCall,
                                                           handle->lastNumber) +
                                              ", " + describe(handle->lastCall)
                                        : "it has made no call here";
  if (user && user->hasEnded)
    return last + ", and its thread has ended";
  if (user && user->groupDepth)
    return last + ", and its thread has a group open";
  return last;
}

/// "rank 3", "ranks 0, 1".
static std::string listRanks(const std::vector<int> &ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += format(i ? ", %d" : " %d", ranks[i]);
  return text;
}

/// Who waits, where: the beginning of the text about peers that do not come.
static std::string describeWait(const Call &call) {
  const Rendezvous *rendezvous =
      isPointToPoint(call.signature.kind) ? nullptr : findRendezvous(call);
  if (!rendezvous)
    return whereIs(call) + ": " + describe(call.signature) + " waits";
  std::vector<int> here;
  for (const Call *other : rendezvous->calls)
    if (other)
      here.push_back(other->rank);
  return nameOf(*call.clique) + ", " +
         nameOfNumber(call.signature, call.number) + ": " + listRanks(here) +
         (here.size() == 1 ? " waits in " : " wait in ") +
         describe(rendezvous->calls[here[0]]->signature);
}

void Engine::failIfUnreachable(Clique &clique) {
  if (clique.leftCount == 0)
    return;
  auto check = [&](const Call *call) {
    if (!call || clique.error != ncclSuccess)
      return;
    for (int rank : awaitedRanks(*call))
      if (hasLeft(clique, rank))
        return fail(clique, ncclRemoteError,
                    describeWait(*call) +
                        format("; rank %d will not come: ", rank) +
                        lastKnown(clique, rank));
  };
  std::vector<Call *> calls;
  for (const std::unique_ptr<Rendezvous> &rendezvous : clique.waiting)
    if (!rendezvous->started)
      for (Call *call : rendezvous->calls)
        calls.push_back(call);
  for (const auto &entry : clique.messages) {
    const MessageQueue &queue = entry.second;
    calls.insert(calls.end(), queue.sends.begin(), queue.sends.end());
    calls.insert(calls.end(), queue.recvs.begin(), queue.recvs.end());
  }
  // A failure ends all of them, but none is freed before the mutex is.
  for (Call *call : calls)
    check(call);
}

/// "", or how a call is grouped, where two calls differ in nothing else.
static std::string describeGroup(const Signature &signature) {
  if (signature.groupCount == 1)
    return " on its own";
  return format(" as collective %d of %d of its group",
                signature.groupIndex + 1, signature.groupCount);
}

void Engine::failAsDifferent(Clique &clique, const Rendezvous &rendezvous) {
  const Call *first = nullptr;
  for (const Call *call : rendezvous.calls) {
    if (!call)
      continue;
    if (!first)
      first = call;
    if (agree(first->signature, call->signature))
      continue;
    std::string mine = describe(call->signature);
    std::string theirs = describe(first->signature);
    if (mine == theirs) {
      mine += describeGroup(call->signature);
      theirs += describeGroup(first->signature);
    }
    return fail(clique, ncclInvalidUsage,
                whereIs(*call) + ": " + mine +
                    format(", but rank %d has ", first->rank) + theirs);
  }
}

void Engine::failAsLate(ThreadState &self, std::chrono::milliseconds limit) {
  const std::vector<Call *> issued = self.issued;
  for (const Call *call : issued) {
    std::vector<int> missing = awaitedRanks(*call);
    if (missing.empty())
      continue;
    std::string text =
        describeWait(*call) + format(" and gave up after %lld ms",
                                     static_cast<long long>(limit.count()));
    for (int rank : missing)
      text += format("; rank %d has not come: ", rank) +
              lastKnown(*call->clique, rank);
    fail(*call->clique, ncclRemoteError, text);
  }
}

bool Engine::failAsOverlapping(Clique &clique, const Rendezvous &rendezvous) {
  if (!isCollective(rendezvous.calls[0]->signature.kind))
    return false;
  std::optional<Conflict> conflict =
      findConflict({rendezvous.calls.begin(), rendezvous.calls.end()});
  if (!conflict)
    return false;
  fail(clique, ncclInvalidArgument,
       whereIs(*conflict->first) + ": " + describe(conflict->first->signature) +
           " " +
           describe(*conflict, format("rank %d", conflict->second->rank)));
  return true;
}

namespace {
/// A call, and a rank that it waits for.
struct Edge {
  const Call *call;
  int awaited;
};

/// The search for a way back to the thread that asks.
struct CycleSearch {
  const ThreadState *goal;
  std::set<const ThreadState *> seen;
  std::vector<Edge> path;

  bool visit(const ThreadState &at) {
    for (const Call *call : at.issued)
      for (int rank : awaitedRanks(*call))
        if (follow(*call, rank))
          return true;
    return false;
  }

  bool follow(const Call &call, int rank) {
    const ncclComm *handle = call.clique->handles[rank];
    const ThreadState *next =
        handle && !handle->isShared ? handle->user.get() : nullptr;
    if (!next || !next->isBlocked())
      return false;
    path.push_back({&call, rank});
    if (next == goal)
      return true;
    if (seen.insert(next).second && visit(*next))
      return true;
    path.pop_back();
    return false;
  }
};
} // namespace

bool Engine::failAsCycle(ThreadState &self) {
  CycleSearch search{&self, {&self}, {}};
  if (!search.visit(self))
    return false;
  std::vector<Edge> &path = search.path;
  // Whichever thread looks first, the text begins at the same place.
  std::rotate(path.begin(),
              std::min_element(
                  path.begin(), path.end(),
                  [](const Edge &a, const Edge &b) {
                    return std::make_pair(a.call->clique->id, a.call->rank) <
                           std::make_pair(b.call->clique->id, b.call->rank);
                  }),
              path.end());
  std::string text = "deadlock: ";
  for (size_t i = 0; i < path.size(); ++i) {
    if (i)
      text += ", which is busy as ";
    text += whereIs(*path[i].call) + ": " + describe(path[i].call->signature) +
            format(" waits for rank %d", path[i].awaited);
  }
  text +=
      path.size() == 1 ? ", itself" : ", which is busy in the first of these";
  std::vector<std::shared_ptr<Clique>> cliques;
  for (const Edge &edge : path)
    cliques.push_back(edge.call->clique);
  for (const std::shared_ptr<Clique> &clique : cliques)
    fail(*clique, ncclInvalidUsage, text);
  return true;
}

void Engine::lookForTrouble(ThreadState &self) {
  const std::vector<Call *> issued = self.issued;
  for (const Call *call : issued) {
    if (call->done || call->started || isPointToPoint(call->signature.kind))
      continue;
    const Rendezvous *rendezvous = findRendezvous(*call);
    if (rendezvous && rendezvous->differs)
      failAsDifferent(*call->clique, *rendezvous);
  }
  if (self.isBlocked())
    failAsCycle(self);
}
