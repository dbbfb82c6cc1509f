// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "TestSupport.h"

#include <set>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using namespace pctl::redistribute::test;
using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

Mesh test::makeMesh(llvm::StringRef text) {
  return llvm::cantFail(parseMesh(text));
}

Layout test::makeLayout(const Mesh &mesh, llvm::StringRef text) {
  return llvm::cantFail(parseLayout(text, mesh));
}

Plan test::makePlan(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                    llvm::StringRef from, llvm::StringRef to) {
  return llvm::cantFail(planRedistribution(mesh, shape, makeLayout(mesh, from),
                                           makeLayout(mesh, to)));
}

std::string test::getPlanError(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
                               llvm::StringRef from, llvm::StringRef to) {
  llvm::Expected<Plan> plan = planRedistribution(
      mesh, shape, makeLayout(mesh, from), makeLayout(mesh, to));
  return plan ? "success" : llvm::toString(plan.takeError());
}

std::string test::getMessage(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "success";
}

std::string test::getMessage(llvm::Expected<Evaluation> evaluation) {
  return getMessage(evaluation.takeError());
}

std::string test::getStepLines(const Plan &plan) {
  std::string text = toString(plan);
  return text.substr(text.find('\n') + 1);
}

//===----------------------------------------------------------------------===//
// All layouts
//===----------------------------------------------------------------------===//

static std::vector<AxisRef> getPrimeFactors(const Mesh &mesh) {
  std::vector<AxisRef> factors;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    int64_t before = 1, left = mesh.getAxes()[axis].size;
    for (int64_t prime = 2; left > 1; ++prime)
      for (; left % prime == 0; left /= prime) {
        factors.push_back({axis, before, prime});
        before *= prime;
      }
  }
  return factors;
}

/// Gives each of \p factors every place that it can have beside those that
/// \p layout places already.
static void placeFactors(const Mesh &mesh, llvm::ArrayRef<AxisRef> factors,
                         bool partial, const Layout &layout,
                         std::vector<Layout> &layouts,
                         std::set<std::string> &seen) {
  if (factors.empty()) {
    Layout normal = layout.getNormalForm();
    if (seen.insert(toString(mesh, normal)).second)
      layouts.push_back(normal);
    return;
  }
  auto placeRest = [&](const Layout &next) {
    placeFactors(mesh, factors.drop_front(), partial, next, layouts, seen);
  };
  placeRest(layout);
  for (unsigned dim = 0; dim < layout.getTensorRank(); ++dim)
    for (size_t at = 0; at <= layout.dims[dim].axes.size(); ++at) {
      Layout next = layout;
      next.dims[dim].axes.insert(next.dims[dim].axes.begin() + at,
                                 factors.front());
      placeRest(next);
    }
  if (!partial)
    return;
  Layout next = layout;
  next.partial.push_back({ReductionKind::Sum, {factors.front()}});
  placeRest(next);
}

std::vector<Layout> test::listLayouts(const Mesh &mesh, unsigned tensorRank,
                                      bool partial) {
  std::vector<Layout> layouts;
  std::set<std::string> seen;
  placeFactors(mesh, getPrimeFactors(mesh), partial,
               Layout::replicated(tensorRank), layouts, seen);
  return layouts;
}

//===----------------------------------------------------------------------===//
// What every plan has to do
//===----------------------------------------------------------------------===//

/// Checks that each rank receives just what it lacks: the least possible.
static AssertionResult receivesWhatItLacks(const Plan &plan,
                                           const Evaluation &evaluation) {
  for (int64_t rank = 0; rank < plan.mesh.getNumRanks(); ++rank) {
    Box held = getBox(plan.mesh, plan.from, plan.globalShape, rank);
    Box wanted = getBox(plan.mesh, plan.to, plan.globalShape, rank);
    int64_t lacking = 0;
    for (const Box &piece : subtract(wanted, held))
      lacking += piece.getNumElements();
    if (evaluation.received[rank] != lacking)
      return AssertionFailure()
             << "rank " << rank << " lacks " << lacking << " elements, it "
             << "receives " << evaluation.received[rank] << "\n"
             << toString(plan);
  }
  int64_t most = std::max(getMaxLocalElements(plan.from, plan.globalShape),
                          getMaxLocalElements(plan.to, plan.globalShape));
  if (evaluation.traffic.maxHeld > most)
    return AssertionFailure()
           << "some rank holds " << evaluation.traffic.maxHeld << " elements\n"
           << toString(plan);
  return AssertionSuccess();
}

/// Checks that the closed formulas say what the evaluation counted. Summed over
/// several steps the greatest counts are bounds.
static AssertionResult trafficAgrees(const Plan &plan, const Traffic &counted) {
  Traffic traffic = getTraffic(plan);
  bool agrees = traffic.exact &&
                traffic.totalReceived == counted.totalReceived &&
                traffic.maxHeld == counted.maxHeld;
  if (plan.steps.size() > 1)
    agrees &= traffic.maxReceived >= counted.maxReceived &&
              traffic.maxSent >= counted.maxSent;
  else
    agrees &= traffic.maxReceived == counted.maxReceived &&
              traffic.maxSent == counted.maxSent;
  if (agrees)
    return AssertionSuccess();
  return AssertionFailure()
         << "received " << traffic.maxReceived << ", sent " << traffic.maxSent
         << ", in all " << traffic.totalReceived << ", held " << traffic.maxHeld
         << "; counted: received " << counted.maxReceived << ", sent "
         << counted.maxSent << ", in all " << counted.totalReceived << ", held "
         << counted.maxHeld << "\n"
         << toString(plan);
}

bool test::overlapsPartial(const Layout &from, const Layout &to) {
  for (AxisRef ref : from.getPartialAxes())
    for (const DimLayout &dim : to.dims)
      for (AxisRef other : dim.axes)
        if (ref.overlaps(other))
          return true;
  return false;
}

AssertionResult test::isRight(const Plan &plan) {
  if (llvm::Error error = verifyPlan(plan))
    return AssertionFailure() << llvm::toString(std::move(error)) << "\n"
                              << toString(plan);
  llvm::Expected<Evaluation> evaluation = evaluatePlan(plan);
  if (!evaluation)
    return AssertionFailure() << llvm::toString(evaluation.takeError()) << "\n"
                              << toString(plan);
  if (AssertionResult agrees = trafficAgrees(plan, evaluation->traffic);
      !agrees)
    return agrees;
  if (plan.from.isPartial())
    return AssertionSuccess();
  return receivesWhatItLacks(plan, *evaluation);
}
