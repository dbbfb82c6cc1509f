// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The planner of layout changes: from two layouts of one tensor over one mesh
/// to the steps that lead from one to the other.

#ifndef PCTL_REDISTRIBUTE_PLANNER_H
#define PCTL_REDISTRIBUTE_PLANNER_H

#include "pctl/Cost/Cluster.h"
#include "pctl/Redistribute/Plan.h"

namespace pctl::redistribute {

/// What plans are made for.
struct PlannerOptions {
  /// The links of the devices, by which plans are chosen. In the default one,
  /// `bytes`, time is bytes.
  cost::Cluster cluster = *cost::getNamedCluster("bytes");
  int64_t elementBytes = 4;
  /// What a rank may hold in a step, what is staged included; if no plan needs
  /// less that is an error. Without it plans are preferred, whatever their
  /// time, in which no rank holds more than the greater of its two slices plus
  /// a chunk.
  std::optional<int64_t> capBytes;
  /// What a rank should stage: exchanges are done in as many rounds as that
  /// takes, as far as messages can be cut.
  int64_t chunkBytes = 4 << 20;
};

/// Plans how every rank of \p mesh gets from its slice in layout \p from of a
/// tensor of \p globalShape to its slice in layout \p to.
///
/// The plan is right for every pair of layouts: axes in any order, sub-axes,
/// uneven and explicit blocks. It is the fastest on the cluster and under the
/// cap of those that are made directly and those that a search over layouts
/// finds, which on small meshes is of all sequences of collectives and an
/// exchange; of equally fast ones that with the fewest steps. Where time is
/// bytes, nothing is partial, and an exchange holds no more than the cap, each
/// rank receives exactly |to \ from| elements, the least possible. Exchanges
/// are priced on up to 4096 ranks, or on a sample of a larger mesh.
///
/// Worked example, on `x=2, y=2` and 8x8: from `[{x},{}]` to `[{},{y}]` slices
/// to `[{x},{y}]`, then gathers dim 0 over {x}.
///
/// Errors: those of layout::verifyLayout for either layout; an axis that is
/// partial in \p to and not, or with another kind, in \p from; partial axes of
/// one kind that would be reduced while axes of another kind listed before them
/// stay partial; a cap below what the plan has a rank hold, with the step.
llvm::Expected<Plan> planRedistribution(const layout::Mesh &mesh,
                                        llvm::ArrayRef<int64_t> globalShape,
                                        const layout::Layout &from,
                                        const layout::Layout &to,
                                        const PlannerOptions &options = {});

} // namespace pctl::redistribute

#endif // PCTL_REDISTRIBUTE_PLANNER_H
