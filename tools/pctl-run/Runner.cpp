// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// One thread a rank: slices in, a call, slices out.

#include "Runner.h"

#include "Signals.h"
#include "Trace.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Runtime/Context.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <map>
#include <thread>

using namespace pctl;
using namespace pctl::run;
using tensor::HostTensor;

/// A thread that can't be had would end the process without a message.
static constexpr int64_t kMaxRanks = 1024;

static llvm::Error makeNcclError(const char *call, ncclResult_t result) {
  return makeError("{0}: {1}: {2}", call, ncclGetErrorString(result),
                   ncclGetLastError(nullptr));
}

/// Copies \p value, which the layout says has the shape of \p box.
static llvm::Expected<HostTensor> readResult(const execution::Value &value,
                                             const Port &port,
                                             const layout::Box &box) {
  llvm::SmallVector<int64_t> shape;
  for (layout::Range range : box.getRanges())
    shape.push_back(range.size);
  if (value.getShape() != llvm::ArrayRef<int64_t>(shape))
    return makeError(
        "a result has local shape [{0:$[, ]}], its layout gives "
        "[{1:$[, ]}]",
        llvm::make_range(value.getShape().begin(), value.getShape().end()),
        llvm::make_range(shape.begin(), shape.end()));
  llvm::Expected<HostTensor> slice = HostTensor::create(port.kind, shape);
  if (!slice)
    return slice.takeError();
  std::vector<char> bytes = value.copyBytes(tensor::getElementBytes(port.kind));
  if (!bytes.empty())
    std::memcpy(slice->getData(), bytes.data(), bytes.size());
  return slice;
}

/// What one rank's thread does.
static llvm::Expected<RankResults> runRank(const execution::Entry &entry,
                                           const Signature &signature,
                                           llvm::ArrayRef<HostTensor> inputs,
                                           ncclUniqueId id, int64_t rank) {
  Trace::enterRank(rank);
  RankThread thread(rank);
  pctlSetRank(rank);
  ncclComm_t world = nullptr;
  if (ncclResult_t result =
          ncclCommInitRank(&world, signature.mesh.getNumRanks(), id, rank))
    return makeNcclError("ncclCommInitRank", result);
  std::vector<void *> comms = entry.makeComms(world);

  std::vector<HostTensor> slices;
  std::vector<execution::Value> arguments;
  slices.reserve(inputs.size());
  for (auto [port, input] : llvm::zip_equal(signature.arguments, inputs)) {
    slices.push_back(input.extract(
        getBox(signature.mesh, port.layout, port.globalShape, rank)));
    arguments.push_back(execution::Value::ofBuffer(slices.back().getData(),
                                                   slices.back().getShape()));
  }
  llvm::Expected<std::vector<execution::Value>> values =
      entry.call({world, comms, nullptr}, arguments);
  if (!values)
    return values.takeError();

  RankResults results;
  for (auto [port, value] : llvm::zip_equal(signature.results, *values)) {
    llvm::Expected<HostTensor> slice =
        readResult(value, port,
                   getBox(signature.mesh, port.layout, port.globalShape, rank));
    if (!slice)
      return slice.takeError();
    results.push_back(std::move(*slice));
  }
  for (void *comm : comms)
    ncclCommDestroy(static_cast<ncclComm_t>(comm));
  ncclCommDestroy(world);
  return results;
}

llvm::Expected<std::vector<RankResults>>
run::runOnRanks(const execution::Program &program, llvm::StringRef entryName,
                const Signature &signature, llvm::ArrayRef<HostTensor> inputs) {
  int64_t numRanks = signature.mesh.getNumRanks();
  if (numRanks > kMaxRanks)
    return makeError("the mesh has {0} ranks; at most {1} run as threads of "
                     "one process",
                     numRanks, kMaxRanks);
  llvm::Expected<const execution::Entry *> entry = program.getEntry(entryName);
  if (!entry)
    return entry.takeError();
  ncclUniqueId id;
  if (ncclResult_t result = ncclGetUniqueId(&id))
    return makeNcclError("ncclGetUniqueId", result);

  RankSignals signals;
  std::vector<RankResults> results(numRanks);
  std::vector<std::string> errors(numRanks);
  std::vector<std::thread> threads;
  for (int64_t rank : llvm::seq(numRanks))
    threads.emplace_back([&, rank] {
      llvm::Expected<RankResults> result =
          runRank(**entry, signature, inputs, id, rank);
      if (result)
        results[rank] = std::move(*result);
      else
        errors[rank] = llvm::toString(result.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto [rank, error] : llvm::enumerate(errors))
    if (!error.empty())
      return makeError("rank {0}: {1}", rank, error);
  return results;
}

llvm::Error run::checkReplicas(const Signature &signature,
                               llvm::ArrayRef<RankResults> results) {
  for (auto [number, port] : llvm::enumerate(signature.results)) {
    // The first rank that holds a block, by the block's offsets and sizes.
    std::map<std::vector<int64_t>, size_t> holders;
    for (auto [rank, slices] : llvm::enumerate(results)) {
      layout::Box box =
          getBox(signature.mesh, port.layout, port.globalShape, rank);
      std::vector<int64_t> key;
      for (layout::Range range : box.getRanges())
        key.insert(key.end(), {range.offset, range.size});
      auto [holder, isFirst] = holders.try_emplace(std::move(key), rank);
      const HostTensor &slice = slices[number];
      const HostTensor &held = results[holder->second][number];
      if (isFirst || slice.getSizeBytes() == 0 ||
          std::memcmp(slice.getData(), held.getData(), held.getSizeBytes()) ==
              0)
        continue;
      return makeError("result {0}: ranks {1} and {2} differ in block {3}, of "
                       "which the layout, {4}, says that they hold replicas",
                       number, holder->second, rank, toString(box),
                       toString(signature.mesh, port.layout));
    }
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor>
run::joinResult(const Signature &signature, unsigned number,
                llvm::ArrayRef<RankResults> results) {
  const Port &port = signature.results[number];
  llvm::Expected<HostTensor> joined =
      HostTensor::create(port.kind, port.globalShape);
  if (!joined)
    return joined;
  for (int64_t rank = results.size(); rank-- > 0;)
    joined->insert(getBox(signature.mesh, port.layout, port.globalShape, rank),
                   results[rank][number]);
  return joined;
}
