// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Checks a question, prices the ways to get there, searches on where a bound
/// leaves room for something faster, and takes the fastest under the cap.
/// docs/redistribution.md, "The planner".

#include "pctl/Redistribute/Planner.h"

#include "Algebra.h"
#include "ExchangeCount.h"
#include "Search.h"
#include "Ways.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Traffic.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

static constexpr double noLimitSec = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks that each axis that is partial in \p to is so, with the same kind, in
/// \p from.
static Error verifyStaysPartial(const Mesh &mesh, const Layout &from,
                                const Layout &to) {
  for (const PartialAxes &entry : to.partial)
    for (AxisRef ref : entry.axes)
      if (llvm::none_of(from.partial, [&](const PartialAxes &source) {
            return source.kind == entry.kind &&
                   containsAxes(mesh, source.axes, ref);
          }))
        return makeError(
            "layout change would make axis '{0}' partial ({1}), it is not so "
            "in the source",
            toString(mesh, ref), stringifyReductionKind(entry.kind));
  return Error::success();
}

/// Checks that the partial axes of \p to, each of which is partial in \p from
/// with the same kind, are what is left of those when they are reduced in
/// order.
static Error verifyReductionOrder(const Mesh &mesh, const Layout &from,
                                  const Layout &to) {
  if (to.partial.empty())
    return Error::success();
  auto later = ArrayRef(to.partial).drop_front();
  if (to.partial.size() <= from.partial.size()) {
    // The kinds agree: an axis is partial once, and verifyStaysPartial found
    // it with the kind that it has in the target.
    auto rest = ArrayRef(from.partial).take_back(to.partial.size());
    if (rest.drop_front() == later &&
        containsAxes(mesh, rest.front().axes, to.partial.front().axes))
      return Error::success();
  }
  return makeError("layout change from {0} to {1} would reduce partial axes "
                   "out of order, the first entry is reduced first",
                   toString(mesh, from), toString(mesh, to));
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {

/// The steps of a plan, the most that any of them holds beyond the cap, and
/// their time.
struct Choice {
  Choice(std::vector<PricedStep> steps, int64_t capBytes);

  /// Returns whether it holds less beyond the cap or, if as much, takes less
  /// time.
  bool isBetter(const Choice &other) const {
    if (excessBytes != other.excessBytes)
      return excessBytes < other.excessBytes;
    return takesLess(timeSec, other.timeSec);
  }
  /// Returns the time that another plan must take less than to be better.
  double getLimitSec() const { return excessBytes == 0 ? timeSec : noLimitSec; }

  std::vector<PricedStep> steps;
  int64_t excessBytes = 0;
  double timeSec = 0;
};

} // namespace

Choice::Choice(std::vector<PricedStep> priced, int64_t capBytes)
    : steps(std::move(priced)) {
  for (const PricedStep &step : steps) {
    excessBytes = std::max(excessBytes, step.cost.liveBytes - capBytes);
    timeSec += step.cost.timeSec;
  }
}

/// Returns what a rank may hold in a step: the cap if there is one, else the
/// greater of its slices and what it should stage.
static int64_t getCapBytes(const Pricer &pricer, const Layout &from,
                           const Layout &to) {
  const PlannerOptions &options = pricer.options;
  if (options.capBytes)
    return *options.capBytes;
  llvm::SmallVector<int64_t> shape = getCountedShape(pricer.globalShape);
  int64_t held = std::max(getMaxLocalElements(from, shape),
                          getMaxLocalElements(to, shape));
  return addCounts(multiplyCounts(held, options.elementBytes),
                   options.chunkBytes);
}

/// Returns the best of the ways, the first where several are.
static Choice chooseWay(Pricer &pricer, const Layout &from, const Layout &to,
                        int64_t capBytes) {
  std::optional<Choice> best;
  for (const Way &way : listWays(from, to, pricer.options.cluster)) {
    // One collective is never slower than the exchange of the same elements.
    if (way.exchangeOnly && best->excessBytes == 0 && best->steps.size() <= 1)
      continue;
    auto steps =
        planWay(pricer, from, to, way, best ? best->getLimitSec() : noLimitSec);
    if (!steps)
      continue;
    Choice choice(std::move(*steps), capBytes);
    if (!best || choice.isBetter(*best))
      best = std::move(choice);
  }
  return std::move(*best);
}

/// Returns whether the change is one all-reduce over several axes and messages
/// take no time of their own. It stays one, see
/// docs/decisions/0005-one-all-reduce-stays-one.md.
static bool staysOneAllReduce(const Layout &from, const Layout &to,
                              const cost::Cluster &cluster) {
  return cluster.baseSec == 0 && from.dims == to.dims &&
         from.partial.size() == 1 && !to.isPartial() &&
         from.partial.front().axes.size() > 1;
}

/// Returns the best of the ways, or a better path over layouts where bounds
/// leave room for one.
static Choice choosePlan(Pricer &pricer, const Layout &from, const Layout &to) {
  int64_t capBytes = getCapBytes(pricer, from, to);
  Choice best = chooseWay(pricer, from, to, capBytes);
  if (best.excessBytes == 0 &&
      (staysOneAllReduce(from, to, pricer.options.cluster) ||
       !takesLess(pricer.getLeastSec(from, to), best.timeSec)))
    return best;
  if (auto steps = searchPlan(pricer, from, to, capBytes, best.getLimitSec()))
    return Choice(std::move(*steps), capBytes);
  return best;
}

/// Makes the error for \p choice, which holds more than the cap, of the step
/// that holds the most.
static Error makeCapError(const Choice &choice, int64_t capBytes) {
  auto most = llvm::max_element(choice.steps,
                                [](const PricedStep &a, const PricedStep &b) {
                                  return a.cost.liveBytes < b.cost.liveBytes;
                                });
  return makeError("step {0} ({1}) holds {2} bytes on a rank, the cap is {3}; "
                   "no plan that was tried holds less",
                   most - choice.steps.begin() + 1,
                   stringifyStepKind(most->step.kind), most->cost.liveBytes,
                   capBytes);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

Expected<Plan> redistribute::planRedistribution(const Mesh &mesh,
                                                ArrayRef<int64_t> globalShape,
                                                const Layout &from,
                                                const Layout &to,
                                                const PlannerOptions &options) {
  for (const Layout *layout : {&from, &to})
    if (Error error = verifyLayout(mesh, *layout, globalShape))
      return std::move(error);
  Layout normalFrom = from.getNormalForm(), normalTo = to.getNormalForm();
  if (Error error = verifyStaysPartial(mesh, normalFrom, normalTo))
    return std::move(error);
  if (Error error = verifyReductionOrder(mesh, normalFrom, normalTo))
    return std::move(error);
  Plan plan{mesh, llvm::SmallVector<int64_t, 4>(globalShape), from, to, {}};
  if (normalFrom == normalTo)
    return plan;
  Pricer pricer(mesh, globalShape, options);
  Choice best = choosePlan(pricer, normalFrom, normalTo);
  if (options.capBytes && best.excessBytes > 0)
    return makeCapError(best, *options.capBytes);
  for (PricedStep &priced : best.steps)
    plan.steps.push_back(std::move(priced.step));
  return plan;
}
