// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A search for owners among layouts. Each candidate is priced, so that where
/// none is even the best of them stands.

#include "pctl/Redistribute/Balance.h"

#include "Algebra.h"
#include "ExchangeCount.h"

#include "pctl/Redistribute/PlanCost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns the most owners that are priced for one exchange: fewer where
/// pricing one takes milliseconds.
static unsigned getMaxPriced(const Mesh &mesh) {
  return mesh.getNumRanks() <= 256 ? 96 : 8;
}

namespace {

class OwnerSearch {
public:
  OwnerSearch(const Mesh &mesh, ArrayRef<int64_t> globalShape,
              const Layout &from, const Layout &to,
              const cost::Cluster &cluster, int64_t elementBytes,
              int64_t chunkBytes)
      : mesh(mesh), globalShape(globalShape),
        shape(getCountedShape(globalShape)), from(from), to(to),
        cluster(cluster), elementBytes(elementBytes), chunkBytes(chunkBytes),
        maxPriced(getMaxPriced(mesh)) {}

  Step run();
  /// Returns what the exchange that run returned costs.
  const StepCost &getCost() const { return bestCost; }
  StepCost price(const Step &step) const {
    return getStepCost(mesh, globalShape, step, cluster, elementBytes,
                       chunkBytes, getPlanningRanks(mesh));
  }

private:
  AxisList getFreeFactors() const;
  SmallVector<unsigned> getDims() const;
  bool isBalanced() const {
    return bestCost.sentBytes <= bestCost.receivedBytes;
  }
  void tryOwners(const Layout *owners);
  bool cut(Layout &owners, unsigned dim, ArrayRef<AxisRef> axes) const;
  void place(const Layout &owners, ArrayRef<AxisRef> left);

  const Mesh &mesh;
  const ArrayRef<int64_t> globalShape;
  const SmallVector<int64_t> shape;
  const Layout &from, &to;
  const cost::Cluster &cluster;
  const int64_t elementBytes, chunkBytes;
  const unsigned maxPriced;
  unsigned numPriced = 0;
  std::optional<Step> best;
  StepCost bestCost;
};

} // namespace

/// Returns the axes that the source leaves free, those that the target uses
/// first and split where those begin.
AxisList OwnerSearch::getFreeFactors() const {
  AxisList used = from.getUsedAxes();
  AxisList free = mesh.getComplement(used);
  AxisList inTarget;
  for (AxisRef ref : getCutAxes(to)) {
    AxisList taken = takeDisjoint(ref, used);
    inTarget.append(taken.begin(), taken.end());
  }
  AxisList factors = inTarget;
  factors.append(subtractAxes(mesh, free, inTarget));
  return factors;
}

/// Returns the dims, those first that the source cuts otherwise than the target
/// and of them those that the target does not cut.
SmallVector<unsigned> OwnerSearch::getDims() const {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, shape.size()));
  auto getWeight = [&](unsigned dim) {
    if (shape[dim] <= 1)
      return 3;
    if (!to.dims[dim].axes.empty())
      return 2;
    return from.dims[dim].axes.empty() ? 1 : 0;
  };
  llvm::sort(dims, [&](unsigned a, unsigned b) {
    return std::pair(getWeight(a), a) < std::pair(getWeight(b), b);
  });
  return dims;
}

/// Prices an exchange with \p owners, or with none.
void OwnerSearch::tryOwners(const Layout *owners) {
  if (numPriced >= maxPriced || (best && isBalanced()))
    return;
  ++numPriced;
  Step step;
  step.kind = StepKind::Exchange;
  step.from = from;
  step.to = to;
  if (owners)
    step.owners = owners->getNormalForm();
  step.axes = getExchangeAxes(shape, owners ? *owners : from, to);
  StepCost cost = price(step);
  auto getKey = [](const StepCost &cost) {
    return std::tuple(cost.timeSec,
                      std::max(cost.sentBytes, cost.receivedBytes));
  };
  if (best && getKey(cost) >= getKey(bestCost))
    return;
  best = std::move(step);
  bestCost = cost;
}

/// Cuts \p dim of \p owners further by \p axes. Returns whether the result
/// nests in the source's cut.
bool OwnerSearch::cut(Layout &owners, unsigned dim,
                      ArrayRef<AxisRef> axes) const {
  if (axes.empty())
    return true;
  DimLayout &inner = owners.dims[dim];
  if (!inner.blockSizes.empty() || globalShape[dim] == kDynamic)
    return false;
  inner.axes = concatAxes(inner.axes, axes);
  return nests(from.dims[dim], inner, shape[dim]);
}

/// Prices each way to give the axes \p left to the dims of \p owners.
void OwnerSearch::place(const Layout &owners, ArrayRef<AxisRef> left) {
  if (numPriced >= maxPriced || isBalanced())
    return;
  if (left.empty())
    return tryOwners(&owners);
  for (unsigned dim : getDims()) {
    Layout next = owners;
    if (cut(next, dim, left.front()))
      place(next, left.drop_front());
  }
  place(owners, left.drop_front());
}

Step OwnerSearch::run() {
  tryOwners(nullptr);
  AxisList factors = getFreeFactors();
  if (factors.empty() || isBalanced())
    return *best;
  // All of them along one dim, in this order and the other, come first.
  for (bool reversed : {false, true}) {
    AxisList order = factors;
    if (reversed)
      std::reverse(order.begin(), order.end());
    for (unsigned dim : getDims()) {
      Layout owners = from;
      if (cut(owners, dim, order))
        tryOwners(&owners);
    }
  }
  place(from, factors);
  AxisList reversed(llvm::reverse(factors));
  place(from, reversed);
  return *best;
}

Step redistribute::makeBalancedExchange(const Mesh &mesh,
                                        ArrayRef<int64_t> globalShape,
                                        const Layout &from, const Layout &to,
                                        const cost::Cluster &cluster,
                                        int64_t elementBytes,
                                        int64_t chunkBytes) {
  return OwnerSearch(mesh, globalShape, from, to, cluster, elementBytes,
                     chunkBytes)
      .run();
}

PricedStep redistribute::makeFastestExchange(
    const Mesh &mesh, ArrayRef<int64_t> globalShape, const Layout &from,
    const Layout &to, const cost::Cluster &cluster, int64_t elementBytes,
    int64_t chunkBytes) {
  OwnerSearch search(mesh, globalShape, from, to, cluster, elementBytes,
                     chunkBytes);
  PricedStep fastest = {search.run(), search.getCost()};
  auto tryListed = [&](const cost::Cluster *units) {
    if (std::optional<Step> listed = makeListedExchange(
            mesh, globalShape, from, to, /*maxTransfers=*/1 << 14, units))
      if (StepCost cost = search.price(*listed);
          cost.timeSec < fastest.cost.timeSec)
        fastest = {std::move(*listed), cost};
  };
  if (fastest.cost.sentBytes > fastest.cost.receivedBytes)
    tryListed(nullptr);
  // Where units are along axes each group fetches from its own as it is.
  if (cluster.getUnitLevel() &&
      (!mesh.getDeviceIds().empty() || !getUnitSplits(cluster, mesh)))
    tryListed(&cluster);
  return fastest;
}
