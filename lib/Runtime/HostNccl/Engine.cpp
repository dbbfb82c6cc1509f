// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Issuing, matching, running and ending calls.

#include "Engine.h"
#include "DataTypes.h"
#include "Errors.h"
#include "Groups.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace pctl::hostnccl;
using Clock = std::chrono::steady_clock;

/// Matches that move fewer bytes than this are moved by the thread that
/// completes them: waking the others to share the work would take longer.
static constexpr uint64_t sharedWorkBytes = 64 * 1024;

static std::chrono::milliseconds initialTimeout() {
  constexpr int64_t usual = 30000;
  const char *text = std::getenv("PCTL_NCCL_TIMEOUT_MS");
  int64_t value = text ? std::strtoll(text, nullptr, 10) : usual;
  return std::chrono::milliseconds(value > 0 ? value : usual);
}

static int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             Clock::now().time_since_epoch())
      .count();
}

Engine::Engine() : timeout(initialTimeout()) {}

Engine &Engine::get() {
  // Outlives every thread, so it is never destroyed.
  static Engine &engine = *new Engine();
  return engine;
}

namespace {
/// Ends a thread's state with the thread.
struct ThreadHolder {
  std::shared_ptr<ThreadState> state = std::make_shared<ThreadState>();
  ~ThreadHolder() {
    abandonGroup(*state);
    std::lock_guard<std::mutex> lock(Engine::get().mutex);
    state->hasEnded = true;
  }
};
} // namespace

const std::shared_ptr<ThreadState> &Engine::thisThread() {
  static thread_local ThreadHolder holder;
  return holder.state;
}

ncclComm *Engine::find(ncclComm_t comm) {
  auto it = handles.find(comm);
  return it == handles.end() ? nullptr : it->second.get();
}

std::shared_ptr<Clique> Engine::makeClique(std::string name, int size) {
  auto clique = std::make_shared<Clique>();
  clique->id = ++cliqueCount;
  clique->name = std::move(name);
  clique->size = size;
  clique->handles.assign(size, nullptr);
  return clique;
}

ncclComm *Engine::makeHandle(const std::shared_ptr<Clique> &clique, int rank,
                             int device, std::shared_ptr<ThreadState> user) {
  auto handle = std::make_unique<ncclComm>();
  ncclComm *raw = handle.get();
  raw->clique = clique;
  raw->rank = rank;
  raw->device = device;
  raw->name = clique->name;
  raw->user = std::move(user);
  clique->handles[rank] = raw;
  handles[raw] = std::move(handle);
  return raw;
}

void Engine::bind(ncclComm &handle, const std::shared_ptr<ThreadState> &user) {
  if (handle.user == user || handle.isShared)
    return;
  if (handle.user && !handle.user->hasEnded)
    handle.isShared = true;
  handle.user = user;
}

void Engine::finish(Call &call, ncclResult_t result, std::string text) {
  call.done = true;
  call.result = result;
  call.error = std::move(text);
  call.endNs = nowNs();
  ThreadState &thread = *call.thread;
  thread.lastProgress = Clock::now();
  if (--thread.unfinished == 0)
    thread.wakeUp.notify_one();
}

void Engine::fail(Clique &clique, ncclResult_t code, const std::string &text) {
  if (clique.error == ncclSuccess) {
    clique.error = code;
    clique.errorText = text;
    for (ncclComm *handle : clique.handles)
      if (handle)
        handle->lastError = text;
  }
  // What moves data already goes on to its end: its memory is in use.
  auto isIdle = [](const std::unique_ptr<Rendezvous> &rendezvous) {
    return !rendezvous->started;
  };
  auto firstIdle =
      std::find_if(clique.waiting.begin(), clique.waiting.end(), isIdle);
  for (auto it = firstIdle; it != clique.waiting.end(); ++it)
    for (Call *call : (*it)->calls)
      if (call)
        finish(*call, clique.error, clique.errorText);
  clique.waiting.erase(firstIdle, clique.waiting.end());
  for (auto &entry : clique.messages) {
    for (Call *call : entry.second.sends)
      finish(*call, clique.error, clique.errorText);
    for (Call *call : entry.second.recvs)
      finish(*call, clique.error, clique.errorText);
    entry.second.sends.clear();
    entry.second.recvs.clear();
  }
}

void Engine::issue(Call &call) {
  call.startNs = nowNs();
  call.thread->issued.push_back(&call);
  ++call.thread->unfinished;
  Clique &clique = *call.clique;
  if (clique.error != ncclSuccess) {
    finish(call, clique.error, clique.errorText);
    return;
  }
  if (ncclComm *handle = clique.handles[call.rank])
    bind(*handle, call.thread);
  if (isPointToPoint(call.signature.kind))
    issueMessage(call);
  else
    issueCollective(call);
  if (ncclComm *handle = clique.handles[call.rank]) {
    handle->lastCall = call.signature;
    handle->lastNumber = call.number;
  }
  failIfUnreachable(clique);
}

void Engine::issueCollective(Call &call) {
  Clique &clique = *call.clique;
  // Joining is call 0, before there are ends that count.
  ncclComm *handle = clique.handles[call.rank];
  call.number = handle ? ++handle->collectiveCount : 0;
  auto it = std::find_if(clique.waiting.begin(), clique.waiting.end(),
                         [&](const std::unique_ptr<Rendezvous> &rendezvous) {
                           return rendezvous->number == call.number;
                         });
  if (it == clique.waiting.end()) {
    clique.waiting.push_back(std::make_unique<Rendezvous>());
    it = std::prev(clique.waiting.end());
    (*it)->number = call.number;
    (*it)->calls.assign(clique.size, nullptr);
  }
  Rendezvous &rendezvous = **it;
  for (const Call *other : rendezvous.calls)
    if (other && !agree(other->signature, call.signature))
      rendezvous.differs = true;
  rendezvous.calls[call.rank] = &call;
  if (++rendezvous.cameCount < clique.size)
    return;
  if (rendezvous.differs)
    failAsDifferent(clique, rendezvous);
  else if (!failAsOverlapping(clique, rendezvous))
    startReady(clique);
}

/// Collectives of a communicator run one after the other.
void Engine::startReady(Clique &clique) {
  if (clique.waiting.empty())
    return;
  Rendezvous &first = *clique.waiting.front();
  if (!first.started && !first.differs && first.cameCount == clique.size)
    start(clique, first);
}

void Engine::start(Clique &clique, Rendezvous &rendezvous) {
  rendezvous.started = true;
  for (Call *call : rendezvous.calls)
    call->started = true;
  std::shared_ptr<Clique> keep = rendezvous.calls[0]->clique;
  CallKind kind = rendezvous.calls[0]->signature.kind;
  if (kind == CallKind::Init)
    makeFirst(*this, clique, rendezvous);
  else if (kind == CallKind::Split)
    makeSplit(*this, clique, rendezvous);
  else if (rendezvous.calls[0]->signature.count)
    return startMoving(keep, rendezvous);
  complete(clique, rendezvous);
}

void Engine::startMoving(const std::shared_ptr<Clique> &clique,
                         Rendezvous &rendezvous) {
  prepare(rendezvous, clique->size);
  uint64_t bytes = 0;
  for (const Call *call : rendezvous.calls)
    bytes += footprintOf(call->signature, call->rank, clique->size).recvBytes;
  WorkItem item;
  item.clique = clique;
  item.rendezvous = &rendezvous;
  if (clique->size == 1 || bytes < sharedWorkBytes) {
    rendezvous.itemCount = 1;
    item.partCount = clique->size;
    hand(*thisThread(), item);
    return;
  }
  rendezvous.itemCount = clique->size;
  item.partCount = 1;
  for (Call *call : rendezvous.calls) {
    item.firstPart = call->rank;
    hand(*call->thread, item);
  }
}

void Engine::hand(ThreadState &thread, WorkItem item) {
  thread.work.push_back(std::move(item));
  thread.wakeUp.notify_one();
}

void Engine::run(ThreadState &self, std::unique_lock<std::mutex> &lock) {
  WorkItem item = std::move(self.work.front());
  self.work.pop_front();
  self.isRunning = true;
  lock.unlock();
  if (item.rendezvous) {
    for (int part = 0; part < item.partCount; ++part)
      runPart(*item.rendezvous, item.clique->size, item.firstPart + part);
  } else {
    const Signature &signature = item.send->signature;
    std::memmove(item.recv->recv, item.send->send,
                 signature.count * sizeOfType(signature.type));
  }
  lock.lock();
  self.isRunning = false;
  finishItem(item);
}

void Engine::finishItem(WorkItem &item) {
  if (!item.rendezvous) {
    finish(*item.send, ncclSuccess, "");
    finish(*item.recv, ncclSuccess, "");
    return;
  }
  if (++item.rendezvous->itemsDone == item.rendezvous->itemCount)
    complete(*item.clique, *item.rendezvous);
}

void Engine::complete(Clique &clique, Rendezvous &rendezvous) {
  for (Call *call : rendezvous.calls)
    finish(*call, ncclSuccess, "");
  clique.waiting.pop_front(); // Only the first one is ever started.
  startReady(clique);
}

void Engine::startMessage(Call &send, Call &recv) {
  send.started = recv.started = true;
  WorkItem item;
  item.send = &send;
  item.recv = &recv;
  uint64_t bytes = send.signature.count * sizeOfType(send.signature.type);
  if (bytes == 0 || send.send == recv.recv)
    return finishItem(item);
  hand(bytes < sharedWorkBytes ? *thisThread() : *recv.thread, item);
}

void Engine::wait(ThreadState &self, std::unique_lock<std::mutex> &lock) {
  const auto limit = timeout;
  const auto patience =
      std::min<Clock::duration>(std::chrono::milliseconds(200), limit / 2);
  self.lastProgress = Clock::now();
  Clock::time_point nextLook = self.lastProgress + patience;
  while (self.unfinished || !self.work.empty()) {
    if (!self.work.empty()) {
      run(self, lock);
      continue;
    }
    self.wakeUp.wait_until(lock, std::min(nextLook, self.lastProgress + limit));
    Clock::time_point now = Clock::now();
    if (self.isBlocked() && now >= nextLook) {
      lookForTrouble(self);
      nextLook = now + patience;
    }
    if (self.isBlocked() && now >= self.lastProgress + limit) {
      failAsLate(self, limit);
      self.lastProgress = now;
    }
  }
  self.issued.clear();
}
