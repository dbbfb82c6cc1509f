// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Making, splitting, asking and ending communicators. Joining and splitting
/// are collectives of the engine, so they wait and fail like any other.

#include "DataTypes.h"
#include "Engine.h"
#include "Errors.h"
#include "Groups.h"
#include <algorithm>
#include <cstring>
#include <set>

using namespace pctl::hostnccl;

/// How the ids of this library begin; the number of the id follows.
static constexpr char idMark[] = "pctl-host-nccl";

static uint64_t numberOfId(const ncclUniqueId &id) {
  if (std::memcmp(id.internal, idMark, sizeof(idMark)) != 0)
    return 0;
  uint64_t number;
  std::memcpy(&number, id.internal + sizeof(idMark), sizeof(number));
  return number;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId) {
  if (!uniqueId)
    return report(ncclInvalidArgument, "ncclGetUniqueId: uniqueId is null");
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  uint64_t number = ++engine.idCount;
  engine.ids[number] = nullptr;
  std::memset(uniqueId, 0, sizeof(*uniqueId));
  std::memcpy(uniqueId->internal, idMark, sizeof(idMark));
  std::memcpy(uniqueId->internal + sizeof(idMark), &number, sizeof(number));
  return ncclSuccess;
}

/// What is wrong with a configuration, or an empty string.
static std::string checkConfig(const ncclConfig_t *config) {
  if (!config)
    return "";
  if (config->size != sizeof(ncclConfig_t) ||
      config->magic != NCCL_CONFIG_MAGIC)
    return "config was not set to NCCL_CONFIG_INITIALIZER";
  if (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 1)
    return format("config.blocking is %d, but the host library only has "
                  "blocking communicators (1)",
                  config->blocking);
  return "";
}

static std::string nameFrom(const ncclConfig_t *config) {
  return config && config->commName ? config->commName : "";
}

/// What is wrong with joining the communicator of an id, or an empty string.
/// Makes the communicator for the first that joins.
static std::string findJoined(Engine &engine, Call &call, uint64_t id,
                              int size) {
  auto it = engine.ids.find(id);
  if (id == 0 || it == engine.ids.end())
    return "commId was not made by ncclGetUniqueId of this process";
  if (size < 1)
    return format("nranks is %d, not at least 1", size);
  if (call.rank < 0 || call.rank >= size)
    return format("rank %d is not below nranks, %d", call.rank, size);
  if (!it->second)
    it->second = engine.makeClique(
        format("comm%llu", static_cast<unsigned long long>(id)), size);
  Clique &clique = *it->second;
  call.clique = it->second;
  // The final name is makeFirst's; until then, errors have what there is.
  if (!call.name.empty() && !clique.handles[0])
    clique.name = call.name;
  if (clique.error != ncclSuccess)
    return "";
  if (clique.handles[0])
    return format("all %d ranks of %s have joined already", clique.size,
                  nameOf(clique).c_str());
  if (clique.size != size)
    return format("rank %d joins with nranks %d, but others joined with %d",
                  call.rank, size, clique.size);
  return "";
}

/// Whether a rank has joined already or waits to in this thread's group.
static bool isTaken(const Call &call) {
  const Clique &clique = *call.clique;
  if (!clique.waiting.empty() && clique.waiting.front()->calls[call.rank])
    return true;
  const auto &queued = Engine::thisThread()->groupCalls;
  return std::any_of(
      queued.begin(), queued.end(), [&](const std::unique_ptr<Call> &other) {
        return other->clique == call.clique && other->rank == call.rank;
      });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks,
                                    ncclUniqueId commId, int rank,
                                    ncclConfig_t *config) {
  constexpr const char *function = "ncclCommInitRank";
  if (!comm)
    return reportInGroup(ncclInvalidArgument,
                         format("%s: comm is null", function));
  *comm = nullptr;
  std::string error = checkConfig(config);
  auto call = std::make_unique<Call>();
  call->signature.kind = CallKind::Init;
  call->signature.count = nranks > 0 ? nranks : 0;
  call->rank = call->device = rank;
  call->name = nameFrom(config);
  call->newComm = comm;
  call->thread = Engine::thisThread();
  {
    Engine &engine = Engine::get();
    std::lock_guard<std::mutex> lock(engine.mutex);
    if (error.empty())
      error = findJoined(engine, *call, numberOfId(commId), nranks);
    if (error.empty() && call->clique->error == ncclSuccess && isTaken(*call))
      error =
          format("rank %d joins %s twice", rank, nameOf(*call->clique).c_str());
    // Those who wait to join would wait for good.
    if (!error.empty() && call->clique && !call->clique->handles[0])
      engine.fail(*call->clique, ncclInvalidArgument,
                  format("%s: %s", function, error.c_str()));
  }
  if (!error.empty())
    return reportInGroup(ncclInvalidArgument,
                         format("%s: %s", function, error.c_str()));
  return submitChecked(std::move(call));
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId,
                              int rank) {
  return ncclCommInitRankConfig(comm, nranks, commId, rank, nullptr);
}

/// The name that the lowest rank with one asks for, or `otherwise`.
static std::string chooseName(const std::vector<Call *> &calls,
                              std::string otherwise) {
  for (const Call *call : calls)
    if (!call->name.empty())
      return call->name;
  return otherwise;
}

void pctl::hostnccl::makeFirst(Engine &engine, Clique &clique,
                               Rendezvous &rendezvous) {
  clique.name = chooseName(rendezvous.calls, clique.name);
  std::set<const ThreadState *> threads;
  for (const Call *call : rendezvous.calls)
    threads.insert(call->thread.get());
  // A thread that joins for several ranks does so for others to use.
  bool isOneEach = threads.size() == rendezvous.calls.size();
  for (Call *call : rendezvous.calls)
    *call->newComm = engine.makeHandle(call->clique, call->rank, call->device,
                                       isOneEach ? call->thread : nullptr);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist) {
  if (!comm)
    return report(ncclInvalidArgument, "ncclCommInitAll: comm is null");
  if (ndev < 1)
    return report(ncclInvalidArgument,
                  "ncclCommInitAll: ndev is %d, not at least 1", ndev);
  std::set<int> devices;
  for (int i = 0; devlist && i < ndev; ++i)
    if (devlist[i] < 0 || !devices.insert(devlist[i]).second)
      return report(ncclInvalidArgument, "ncclCommInitAll: device %d is %s",
                    devlist[i], devlist[i] < 0 ? "negative" : "listed twice");
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  uint64_t number = ++engine.idCount;
  std::shared_ptr<Clique> clique = engine.makeClique(
      format("comm%llu", static_cast<unsigned long long>(number)), ndev);
  for (int rank = 0; rank < ndev; ++rank)
    comm[rank] = engine.makeHandle(clique, rank, devlist ? devlist[rank] : rank,
                                   nullptr);
  return ncclSuccess;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t *newcomm, ncclConfig_t *config) {
  constexpr const char *function = "ncclCommSplit";
  if (newcomm)
    *newcomm = nullptr;
  Engine &engine = Engine::get();
  auto call = std::make_unique<Call>();
  call->thread = Engine::thisThread();
  {
    std::lock_guard<std::mutex> lock(engine.mutex);
    std::string error;
    ncclResult_t code = ncclSuccess;
    ncclComm *handle = findUsable(engine, comm, function, code, error);
    if (!handle)
      return reportInGroup(code, error);
    Clique &clique = *handle->clique;
    error = checkConfig(config);
    code = ncclInvalidArgument;
    if (!newcomm)
      error = "newcomm is null";
    else if (color < 0 && color != NCCL_SPLIT_NOCOLOR)
      error = format("color %d is neither NCCL_SPLIT_NOCOLOR nor at least 0",
                     color);
    if (error.empty() && call->thread->groupDepth) {
      code = ncclInvalidUsage;
      error = "it is called inside a group; a split is a call of its own";
    }
    if (!error.empty()) {
      engine.fail(clique, code,
                  format("rank %d of %s: %s: %s", handle->rank,
                         nameOf(clique).c_str(), function, error.c_str()));
      return reportInGroup(clique.error, clique.errorText);
    }
    call->clique = handle->clique;
    call->rank = handle->rank;
    call->device = handle->device;
  }
  call->signature.kind = CallKind::Split;
  call->color = color;
  call->key = key;
  call->name = nameFrom(config);
  call->newComm = newcomm;
  return submitChecked(std::move(call));
}

void pctl::hostnccl::makeSplit(Engine &engine, Clique &parent,
                               Rendezvous &rendezvous) {
  std::map<int, std::vector<Call *>> byColor;
  for (Call *call : rendezvous.calls)
    if (call->color != NCCL_SPLIT_NOCOLOR)
      byColor[call->color].push_back(call);
  for (auto &entry : byColor) {
    std::vector<Call *> &calls = entry.second;
    // Equal keys keep the order of the parent.
    std::sort(calls.begin(), calls.end(), [](const Call *a, const Call *b) {
      return std::make_pair(a->key, a->rank) < std::make_pair(b->key, b->rank);
    });
    std::string name =
        format("%s/call%llu/color%d", parent.name.c_str(),
               static_cast<unsigned long long>(rendezvous.number), entry.first);
    std::shared_ptr<Clique> child = engine.makeClique(
        chooseName(calls, name), static_cast<int>(calls.size()));
    for (int rank = 0; rank < child->size; ++rank)
      *calls[rank]->newComm = engine.makeHandle(
          child, rank, calls[rank]->device, calls[rank]->thread);
  }
}

/// Runs `action` on a live end of a communicator, under the lock.
template <typename ActionT>
static ncclResult_t withLive(ncclComm_t comm, const char *function,
                             ActionT action) {
  Engine &engine = Engine::get();
  std::lock_guard<std::mutex> lock(engine.mutex);
  std::string error;
  ncclComm *handle = findLive(engine, comm, function, error);
  if (!handle)
    return reportText(ncclInvalidArgument, error);
  return action(engine, *handle);
}

/// Keeps an error of this end, without failing the communicator.
static ncclResult_t refuse(ncclComm &handle, ncclResult_t code,
                           std::string text) {
  handle.lastError = text;
  return reportText(code, std::move(text));
}

/// Takes a rank out of its communicator; peers that wait for it fail.
static ncclResult_t leave(ncclComm_t comm, const char *function,
                          ncclComm::State state) {
  return withLive(comm, function, [&](Engine &engine, ncclComm &handle) {
    if (size_t queued = countQueued(handle))
      return refuse(handle, ncclInvalidUsage,
                    format("%s: communicator '%s' has %zu calls in a group "
                           "that is open on this thread",
                           function, handle.name.c_str(), queued));
    if (handle.state == ncclComm::State::Live)
      ++handle.clique->leftCount;
    handle.state = state;
    engine.failIfUnreachable(*handle.clique);
    // Ends are kept for good; what only calls need is not.
    if (handle.clique->leftCount == handle.clique->size)
      handle.clique->messages.clear();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return leave(comm, "ncclCommFinalize", ncclComm::State::Finalized);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return leave(comm, "ncclCommDestroy", ncclComm::State::Destroyed);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return withLive(comm, "ncclCommAbort", [](Engine &engine, ncclComm &handle) {
    handle.state = ncclComm::State::Aborted;
    engine.fail(*handle.clique, ncclRemoteError,
                format("rank %d has aborted %s", handle.rank,
                       nameOf(*handle.clique).c_str()));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError) {
  return withLive(
      comm, "ncclCommGetAsyncError", [&](Engine &, ncclComm &handle) {
        if (!asyncError)
          return refuse(handle, ncclInvalidArgument,
                        "ncclCommGetAsyncError: asyncError is null");
        *asyncError = handle.clique->error;
        return ncclSuccess;
      });
}

/// Answers a question about an end of a communicator.
template <typename FieldT>
static ncclResult_t ask(ncclComm_t comm, const char *function, int *answer,
                        FieldT field) {
  return withLive(comm, function, [&](Engine &, ncclComm &handle) {
    if (!answer)
      return refuse(handle, ncclInvalidArgument,
                    format("%s: the result pointer is null", function));
    *answer = field(handle);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  return ask(comm, "ncclCommCount", count,
             [](const ncclComm &handle) { return handle.clique->size; });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  return ask(comm, "ncclCommCuDevice", device,
             [](const ncclComm &handle) { return handle.device; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  return ask(comm, "ncclCommUserRank", rank,
             [](const ncclComm &handle) { return handle.rank; });
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buff, size_t size,
                              void **handle) {
  return withLive(comm, "ncclCommRegister", [&](Engine &, ncclComm &end) {
    if (!buff || !handle)
      return refuse(end, ncclInvalidArgument,
                    "ncclCommRegister: buff or handle is null");
    uint64_t number = ++end.registrationCount;
    end.registrations[number] = size;
    *handle = reinterpret_cast<void *>(static_cast<uintptr_t>(number));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle) {
  return withLive(comm, "ncclCommDeregister", [&](Engine &, ncclComm &end) {
    if (!end.registrations.erase(reinterpret_cast<uintptr_t>(handle)))
      return refuse(end, ncclInvalidArgument,
                    "ncclCommDeregister: handle is not registered with this "
                    "communicator");
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar,
                                      ncclDataType_t datatype,
                                      ncclScalarResidence_t residence,
                                      ncclComm_t comm) {
  constexpr const char *function = "ncclRedOpCreatePreMulSum";
  return withLive(comm, function, [&](Engine &, ncclComm &handle) {
    if (!op || !scalar)
      return refuse(handle, ncclInvalidArgument,
                    format("%s: op or scalar is null", function));
    if (!isDataType(datatype))
      return refuse(handle, ncclInvalidArgument,
                    format("%s: %d is no data type", function,
                           static_cast<int>(datatype)));
    ncclComm::MadeReduction made;
    made.type = datatype;
    if (residence == ncclScalarDevice)
      made.scalar = scalar;
    else
      std::memcpy(made.factor.bytes, scalar, sizeOfType(datatype));
    *op = static_cast<ncclRedOp_t>(ncclNumOps + handle.madeReductions.size());
    handle.madeReductions.push_back(made);
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  return withLive(comm, "ncclRedOpDestroy", [&](Engine &, ncclComm &handle) {
    size_t index = static_cast<size_t>(op) - ncclNumOps;
    if (static_cast<int>(op) < ncclNumOps ||
        index >= handle.madeReductions.size() ||
        !handle.madeReductions[index].isLive)
      return refuse(handle, ncclInvalidArgument,
                    format("ncclRedOpDestroy: reduction %d was not made on "
                           "this communicator",
                           static_cast<int>(op)));
    handle.madeReductions[index].isLive = false;
    return ncclSuccess;
  });
}
