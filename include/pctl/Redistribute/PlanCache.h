// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans that were made before. A program asks for the same few layout changes
/// over and over.

#ifndef PCTL_REDISTRIBUTE_PLANCACHE_H
#define PCTL_REDISTRIBUTE_PLANCACHE_H

#include "pctl/Redistribute/Planner.h"

#include <memory>

namespace pctl::redistribute {

/// A bounded store of plans, found by the whole question: mesh with devices,
/// shape, normal forms of both layouts, and options with their cluster. May be
/// used by several threads at once.
///
/// Worked example, on `x=2, y=2` and 8x8: once `[{x},{}]` to `[{},{y}]` is
/// planned, so is `[{x,?},{}]` to `[{},{y}]`, but not the same for a cap.
class PlanCache {
public:
  /// Holds at most \p maxPlans plans, at least one; what was not asked for the
  /// longest makes room.
  explicit PlanCache(size_t maxPlans = 1024);
  ~PlanCache();

  /// Returns what planRedistribution returns for the normal forms of \p from
  /// and \p to, from the store if it is there. The plan stays valid when the
  /// store drops it. Errors are those of planRedistribution; they are not
  /// stored.
  llvm::Expected<std::shared_ptr<const Plan>>
  plan(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> globalShape,
       const layout::Layout &from, const layout::Layout &to,
       const PlannerOptions &options = {});

  /// Returns how many plans are stored.
  size_t size() const;
  /// Returns how many questions were answered from the store.
  uint64_t getNumHits() const;

private:
  struct Store;
  std::unique_ptr<Store> store;
};

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANCACHE_H
