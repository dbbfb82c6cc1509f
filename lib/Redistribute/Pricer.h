// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the ways and the search of the planner share: the price of a step, the
/// exchange between two layouts, and the time that is left at least.
/// docs/redistribution.md, "The planner".

#ifndef PCTL_LIB_REDISTRIBUTE_PRICER_H
#define PCTL_LIB_REDISTRIBUTE_PRICER_H

#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/Planner.h"

#include <memory>

namespace pctl::redistribute {

/// A permute lists a pair for each rank of its group, so beyond this size an
/// exchange stands for it, which moves the same elements.
inline constexpr int64_t maxPermuteGroup = 1024;

/// Returns whether a plan takes less time than another: sums that are equal on
/// paper differ in their last bits.
inline bool takesLess(double timeSec, double thanSec) {
  return timeSec < thanSec * (1 - 1e-9);
}

/// Prices the steps of one question, and makes its exchanges, each of them
/// once. What it is made of must outlive it.
class Pricer {
public:
  Pricer(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> globalShape,
         const PlannerOptions &options)
      : mesh(mesh), globalShape(globalShape), options(options) {}

  StepCost getCost(const Step &step) const;

  /// Returns the fastest exchange between two layouts in normal form that
  /// differ, in as many rounds as keep what a rank stages to about a chunk.
  const PricedStep &makeExchange(const layout::Layout &from,
                                 const layout::Layout &to);

  /// Returns a time that the exchange is not below, whoever shares the sending,
  /// in less time than it takes to make it.
  double getLeastExchangeSec(const layout::Layout &from,
                             const layout::Layout &to) const;

  /// Returns a time that no plan is below.
  double getLeastSec(const layout::Layout &from,
                     const layout::Layout &to) const;

  const layout::Mesh &mesh;
  const llvm::ArrayRef<int64_t> globalShape;
  const PlannerOptions &options;

private:
  void setRounds(Step &step) const;

  std::vector<std::unique_ptr<PricedStep>> exchanges;
};

/// Returns the permute from \p from to \p to in which the rank at a position
/// along \p sent sends its slice to the rank at this position along
/// \p received. Both list all axes of the group.
Step makePermute(const layout::Mesh &mesh, const layout::Layout &from,
                 const layout::Layout &to, llvm::ArrayRef<layout::AxisRef> sent,
                 llvm::ArrayRef<layout::AxisRef> received);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_PRICER_H
