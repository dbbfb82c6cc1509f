// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The values behind the options: what is asked, on which cluster.

#ifndef PCTL_TOOLS_PCTL_PLAN_QUESTION_H
#define PCTL_TOOLS_PCTL_PLAN_QUESTION_H

#include "Arguments.h"

#include "pctl/Layout/TensorType.h"
#include "pctl/Redistribute/Planner.h"

#include <map>

namespace pctl::plan {

/// Clusters that were loaded before, by what was typed.
using ClusterCache = std::map<std::string, cost::Cluster>;

/// Where a tensor is.
struct Side {
  layout::Mesh mesh;
  llvm::SmallVector<int64_t, 4> shape;
  layout::Layout layout;
};

/// A tensor in one place that is wanted in another.
struct Question {
  layout::ElementType element;
  Side from;
  Side to;
  /// Element t of the target is element t + offset of the source; empty for
  /// zeros.
  llvm::SmallVector<int64_t, 4> offset;
  redistribute::PlannerOptions options;

  /// Returns whether the two sides differ in more than the layout.
  bool isMove() const {
    return !(from.mesh == to.mesh) || from.shape != to.shape ||
           llvm::any_of(offset, [](int64_t by) { return by != 0; });
  }
};

/// Reads the options that hold for any plan: the cluster, the cap, the chunk.
/// Errors, each with the option: those of cost::loadCluster; a number that is
/// none, or too small.
llvm::Expected<redistribute::PlannerOptions>
readPlannerOptions(const Arguments &arguments, ClusterCache &clusters);

/// Reads a question. Errors: an option that is missing (UsageError); those of
/// readPlannerOptions; and, each with the option, those of parsing it, a layout
/// that can't lay the tensor over the mesh, a reduction that the element type
/// does not have, another element type on the other side.
llvm::Expected<Question> readQuestion(const Arguments &arguments,
                                      ClusterCache &clusters);

} // namespace pctl::plan

#endif // PCTL_TOOLS_PCTL_PLAN_QUESTION_H
