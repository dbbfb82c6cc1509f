// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Layout changes written briefly, all layouts of a mesh, and the one check
/// that every plan has to pass.

#ifndef PCTL_TEST_UNIT_REDISTRIBUTE_TESTSUPPORT_H
#define PCTL_TEST_UNIT_REDISTRIBUTE_TESTSUPPORT_H

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Evaluate.h"
#include "pctl/Redistribute/PlanText.h"
#include "pctl/Redistribute/Planner.h"

#include "gtest/gtest.h"

namespace pctl::redistribute::test {

layout::Mesh makeMesh(llvm::StringRef text);
layout::Layout makeLayout(const layout::Mesh &mesh, llvm::StringRef text);

/// Plans a change between layouts in text form; the test fails if that fails.
Plan makePlan(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> shape,
              llvm::StringRef from, llvm::StringRef to);

/// Returns the message of planning a change, `success` if there is none.
std::string getPlanError(const layout::Mesh &mesh,
                         llvm::ArrayRef<int64_t> shape, llvm::StringRef from,
                         llvm::StringRef to);

/// Returns the message of \p error, `success` if there is none.
std::string getMessage(llvm::Error error);
std::string getMessage(llvm::Expected<Evaluation> evaluation);

/// Returns the lines of the plan behind its header.
std::string getStepLines(const Plan &plan);

/// Returns every layout of a tensor of \p tensorRank over \p mesh, with the
/// prime factors of its axes as sub-axes in every order, each once; with
/// \p partial also those where each factor that cuts no dim is a sum to be
/// done.
std::vector<layout::Layout> listLayouts(const layout::Mesh &mesh,
                                        unsigned tensorRank,
                                        bool partial = false);

/// Returns whether \p to cuts a dim by an axis that is partial in \p from.
bool overlapsPartial(const layout::Layout &from, const layout::Layout &to);

/// Checks that \p plan verifies and evaluates, that getTraffic says what the
/// evaluation counts, and, where nothing is partial, that each rank receives
/// just what it lacks and holds no more than before or after the plan.
::testing::AssertionResult isRight(const Plan &plan);

} // namespace pctl::redistribute::test

#endif // PCTL_TEST_UNIT_REDISTRIBUTE_TESTSUPPORT_H
