// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Where the threads of a process meet: communicators, the calls that wait in
/// them, and the one lock that guards it all.
///
/// A call is issued (Engine::issue) and waited for (Engine::wait). The call
/// that completes a match turns it into work items, each of which moves a part
/// of the data and is run, outside the lock, by a thread that waits for one of
/// the matched calls. No item reads what another writes: in a reduction, item r
/// reads and writes chunk r of all buffers, and a gather's item r writes rank
/// r's buffer alone and reads only what no item writes. So a match has two
/// steps that all ranks take together, coming and being done, and in-place
/// calls need no copies.
///
/// A thread that has waited for a while without its calls having started looks
/// for the reason (Diagnose.cpp): ranks that differ, a cycle of threads that
/// wait for each other, ranks that have left. Whatever the reason, all ranks
/// of the communicator get the same error, now and in each later call.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_ENGINE_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_ENGINE_H

#include "Call.h"
#include "pctl/Runtime/HostNccl.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

/// One rank's end of a communicator. Handles are never freed, so that one used
/// after it was destroyed is told apart from a newer one.
struct ncclComm {
  std::shared_ptr<pctl::hostnccl::Clique> clique;
  int rank = 0;
  int device = 0;
  std::string name;
  enum class State { Live, Finalized, Destroyed, Aborted } state = State::Live;

  /// The only thread that has used this end so far, unless isShared.
  std::shared_ptr<pctl::hostnccl::ThreadState> user;
  bool isShared = false;

  uint64_t collectiveCount = 0;
  /// What this rank last issued here; meaningless while nothing was.
  pctl::hostnccl::Signature lastCall;
  uint64_t lastNumber = 0;
  std::string lastError;

  struct MadeReduction {
    bool isLive = true;
    ncclDataType_t type = ncclNumTypes;
    pctl::hostnccl::Factor factor;
    /// Read at each call where it is not null.
    const void *scalar = nullptr;
  };
  std::vector<MadeReduction> madeReductions;
  std::map<uint64_t, size_t> registrations;
  uint64_t registrationCount = 0;
};

namespace pctl::hostnccl {

/// A collective that ranks of a communicator have come to.
struct Rendezvous {
  uint64_t number = 0;
  std::vector<Call *> calls; // By rank; null where the rank has not come.
  int cameCount = 0;
  bool differs = false;
  bool started = false;
  int itemCount = 0;
  int itemsDone = 0;
  Contributions contributions;
  std::vector<void *> targets;
};

/// Unmatched sends, or unmatched receives, of one ordered pair of ranks.
struct MessageQueue {
  std::list<Call *> sends;
  std::list<Call *> recvs;
  uint64_t sendCount = 0;
  uint64_t recvCount = 0;
};

/// What all ranks of a communicator share.
struct Clique {
  uint64_t id = 0;
  std::string name;
  int size = 0;
  std::vector<ncclComm *> handles; // By rank; null until all have joined.
  std::deque<std::unique_ptr<Rendezvous>> waiting;      // In order of number.
  std::map<std::pair<int, int>, MessageQueue> messages; // By source, target.
  int leftCount = 0; // Ranks that have destroyed or finalized their end.
  ncclResult_t error = ncclSuccess;
  std::string errorText;
};

/// A part of a match, to be run by one thread.
struct WorkItem {
  std::shared_ptr<Clique> clique;
  Rendezvous *rendezvous = nullptr;
  int firstPart = 0;
  int partCount = 0;
  // Or one message.
  Call *send = nullptr;
  Call *recv = nullptr;
};

/// What the engine knows of a thread.
struct ThreadState {
  std::condition_variable wakeUp;
  std::vector<Call *> issued; // Those that it waits for.
  size_t unfinished = 0;
  std::deque<WorkItem> work;
  bool isRunning = false; // Moves data, outside the lock.
  bool hasEnded = false;
  std::chrono::steady_clock::time_point lastProgress;

  // Between ncclGroupStart and ncclGroupEnd; the thread's own.
  std::atomic<int> groupDepth{0}; // Read by others, for their messages.
  std::vector<std::unique_ptr<Call>> groupCalls;
  ncclResult_t groupError = ncclSuccess;
  std::string groupErrorText;

  bool isBlocked() const { return unfinished && work.empty() && !isRunning; }
};

class Engine {
public:
  static Engine &get();

  /// The state of this thread, made on first use.
  static const std::shared_ptr<ThreadState> &thisThread();

  std::mutex mutex;

  // All below: with the mutex held.

  /// The handle, or null where the pointer was never one.
  ncclComm *find(ncclComm_t comm);
  /// A new communicator without handles.
  std::shared_ptr<Clique> makeClique(std::string name, int size);
  /// A rank's end, registered; its thread is `user` (may be null).
  ncclComm *makeHandle(const std::shared_ptr<Clique> &clique, int rank,
                       int device, std::shared_ptr<ThreadState> user);

  /// Notes that a thread uses an end of a communicator.
  static void bind(ncclComm &handle, const std::shared_ptr<ThreadState> &user);
  /// Numbers a call and matches it as far as its peers have come.
  void issue(Call &call);
  /// Returns when none of the thread's issued calls is unfinished.
  void wait(ThreadState &self, std::unique_lock<std::mutex> &lock);
  /// Fails every call that waits in the communicator, and all later ones.
  void fail(Clique &clique, ncclResult_t code, const std::string &text);
  /// Ends one call.
  static void finish(Call &call, ncclResult_t result, std::string text);
  /// Fails the communicator if a call that waits needs a rank that has left.
  void failIfUnreachable(Clique &clique);

  std::chrono::milliseconds timeout;
  pctlNcclTraceHook traceHook = nullptr;
  void *traceUser = nullptr;
  /// Communicators that ranks are joining, and used ids (null), by id.
  std::map<uint64_t, std::shared_ptr<Clique>> ids;
  uint64_t idCount = 0;

private:
  Engine();

  void issueCollective(Call &call);
  void issueMessage(Call &call);
  void startReady(Clique &clique);
  void start(Clique &clique, Rendezvous &rendezvous);
  void startMoving(const std::shared_ptr<Clique> &clique,
                   Rendezvous &rendezvous);
  void startMessage(Call &send, Call &recv);
  static void hand(ThreadState &thread, WorkItem item);
  void run(ThreadState &self, std::unique_lock<std::mutex> &lock);
  void finishItem(WorkItem &item);
  void complete(Clique &clique, Rendezvous &rendezvous);

  /// Looks for what keeps a thread waiting; true where it failed something.
  void lookForTrouble(ThreadState &self);
  void failAsLate(ThreadState &self, std::chrono::milliseconds limit);
  bool failAsCycle(ThreadState &self);
  void failAsDifferent(Clique &clique, const Rendezvous &rendezvous);
  /// Fails a collective whose ranks touch each other's memory.
  bool failAsOverlapping(Clique &clique, const Rendezvous &rendezvous);

  std::unordered_map<ncclComm_t, std::unique_ptr<ncclComm>> handles;
  uint64_t cliqueCount = 0;
};

/// "rank 1 of communicator 'world' (4 ranks), call 7", or "send 3".
std::string whereIs(const Call &call);
/// The ranks whose coming a waiting call needs.
std::vector<int> awaitedRanks(const Call &call);
/// "communicator 'world' (4 ranks)".
std::string nameOf(const Clique &clique);

/// Hands out the parts of a collective: the number of them.
int partCount(const Rendezvous &rendezvous);
/// Fills in what all parts read. Called once, before any part runs.
void prepare(Rendezvous &rendezvous, int size);
/// Moves the data of one part.
void runPart(const Rendezvous &rendezvous, int size, int part);

/// Makes the communicators that a matched ncclCommSplit or ncclCommInitRank
/// asks for, and hands the ends to the calls.
void makeSplit(Engine &engine, Clique &parent, Rendezvous &rendezvous);
void makeFirst(Engine &engine, Clique &clique, Rendezvous &rendezvous);

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_ENGINE_H
