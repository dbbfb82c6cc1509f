// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Plans that are run: many at once, each as an entry of one program, on ranks
/// of the host library, compared bit for bit with the slices that the layouts
/// say.

#ifndef PCTL_TEST_UNIT_EXECUTION_PLANRUNNER_H
#define PCTL_TEST_UNIT_EXECUTION_PLANRUNNER_H

#include "Case.h"

#include "pctl/Redistribute/Plan.h"

namespace pctl::test {

/// A plan for a tensor of elements of some type.
struct TypedPlan {
  redistribute::Plan plan;
  ElementType type = {"i32", 4, 32};
};

/// Writes each of \p plans, all of one number of ranks, as a function, compiles
/// them together, runs each on all ranks and compares what each rank gets.
///
/// The value is random. Where it is partial before, each position along the
/// partial axes has a random contribution, and what is expected is those that
/// are still apart, each reduced over the others. A plan that verifyPlan
/// rejects fails the test. 0 for \p chunkBytes stands for the pipeline's own.
void runPlans(const std::vector<TypedPlan> &plans, int64_t chunkBytes = 0);

/// Runs \p typed on what each rank has of \p inputs and returns what each gets.
std::vector<Array> runPlan(const TypedPlan &typed,
                           const std::vector<Array> &inputs);

/// Returns the plan of the one \p step, of a tensor of \p shape.
redistribute::Plan makePlan(const layout::Mesh &mesh,
                            llvm::ArrayRef<int64_t> shape,
                            const redistribute::Step &step);

} // namespace pctl::test

#endif // PCTL_TEST_UNIT_EXECUTION_PLANRUNNER_H
