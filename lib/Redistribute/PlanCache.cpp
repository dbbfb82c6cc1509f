// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A list of plans in the order in which they were last asked for, and an index
/// of it by hash. What a hash finds is compared in full.

#include "pctl/Redistribute/PlanCache.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <list>
#include <mutex>
#include <unordered_map>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::hash_code;
using llvm::hash_combine;

static hash_code hash(ArrayRef<AxisRef> refs) {
  hash_code code(refs.size());
  for (AxisRef ref : refs)
    code = hash_combine(code, ref.axis, ref.preSize, ref.size);
  return code;
}

static hash_code hash(const Layout &layout) {
  hash_code code(layout.dims.size());
  for (const DimLayout &dim : layout.dims)
    code = hash_combine(code, hash(dim.axes),
                        llvm::hash_combine_range(dim.blockSizes));
  for (const PartialAxes &entry : layout.partial)
    code = hash_combine(code, entry.kind, hash(entry.axes));
  return code;
}

static hash_code hash(const Mesh &mesh) {
  hash_code code(mesh.getNumAxes());
  for (const MeshAxis &axis : mesh.getAxes())
    code = hash_combine(code, llvm::StringRef(axis.name), axis.size);
  return code;
}

static bool isEqual(const PlannerOptions &a, const PlannerOptions &b) {
  return a.elementBytes == b.elementBytes && a.capBytes == b.capBytes &&
         a.chunkBytes == b.chunkBytes && a.cluster == b.cluster;
}

namespace {

struct Entry {
  size_t hash;
  PlannerOptions options;
  /// Has the rest of the question, too.
  std::shared_ptr<const Plan> plan;
};

} // namespace

struct PlanCache::Store {
  using Entries = std::list<Entry>;

  Entries::iterator find(size_t code, const Mesh &mesh, ArrayRef<int64_t> shape,
                         const Layout &from, const Layout &to,
                         const PlannerOptions &options);

  size_t maxPlans;
  mutable std::mutex mutex;
  /// The one that was asked for last is first.
  Entries entries;
  std::unordered_multimap<size_t, Entries::iterator> index;
  uint64_t numHits = 0;
};

PlanCache::Store::Entries::iterator
PlanCache::Store::find(size_t code, const Mesh &mesh, ArrayRef<int64_t> shape,
                       const Layout &from, const Layout &to,
                       const PlannerOptions &options) {
  for (auto [it, end] = index.equal_range(code); it != end; ++it) {
    const Entry &entry = *it->second;
    const Plan &plan = *entry.plan;
    if (ArrayRef<int64_t>(plan.globalShape) == shape && plan.from == from &&
        plan.to == to && plan.mesh == mesh && isEqual(entry.options, options))
      return it->second;
  }
  return entries.end();
}

PlanCache::PlanCache(size_t maxPlans) : store(std::make_unique<Store>()) {
  store->maxPlans = std::max<size_t>(maxPlans, 1);
}

PlanCache::~PlanCache() = default;

size_t PlanCache::size() const {
  std::lock_guard<std::mutex> lock(store->mutex);
  return store->entries.size();
}

uint64_t PlanCache::getNumHits() const {
  std::lock_guard<std::mutex> lock(store->mutex);
  return store->numHits;
}

Expected<std::shared_ptr<const Plan>>
PlanCache::plan(const Mesh &mesh, ArrayRef<int64_t> globalShape,
                const Layout &from, const Layout &to,
                const PlannerOptions &options) {
  // Normal forms are of valid layouts alone.
  for (const Layout *layout : {&from, &to})
    if (llvm::Error error = verifyLayout(mesh, *layout, globalShape))
      return std::move(error);
  Layout normalFrom = from.getNormalForm(), normalTo = to.getNormalForm();
  size_t code = hash_combine(
      hash(mesh), llvm::hash_combine_range(globalShape), hash(normalFrom),
      hash(normalTo), options.elementBytes, options.chunkBytes,
      options.capBytes.value_or(-1), llvm::StringRef(options.cluster.name));
  {
    std::lock_guard<std::mutex> lock(store->mutex);
    auto found =
        store->find(code, mesh, globalShape, normalFrom, normalTo, options);
    if (found != store->entries.end()) {
      store->entries.splice(store->entries.begin(), store->entries, found);
      ++store->numHits;
      return found->plan;
    }
  }
  Expected<Plan> made =
      planRedistribution(mesh, globalShape, normalFrom, normalTo, options);
  if (!made)
    return made.takeError();
  auto plan = std::make_shared<const Plan>(std::move(*made));
  std::lock_guard<std::mutex> lock(store->mutex);
  // Another thread may have made it meanwhile.
  auto found =
      store->find(code, mesh, globalShape, normalFrom, normalTo, options);
  if (found != store->entries.end())
    return found->plan;
  store->entries.push_front({code, options, plan});
  store->index.emplace(code, store->entries.begin());
  if (store->entries.size() > store->maxPlans) {
    auto oldest = std::prev(store->entries.end());
    auto [it, end] = store->index.equal_range(oldest->hash);
    store->index.erase(std::find_if(
        it, end, [&](const auto &item) { return item.second == oldest; }));
    store->entries.erase(oldest);
  }
  return plan;
}
