// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Planning of moves between meshes. docs/redistribution.md, "Moves".

#include "pctl/Redistribute/Move.h"

#include "Algebra.h"
#include "Crossing.h"
#include "ExchangeCount.h"

#include "pctl/Layout/LayoutText.h"
#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static Error verifyPlacement(const Placement &placement, const char *side) {
  if (Error error =
          verifyLayout(placement.mesh, placement.layout, placement.globalShape))
    return makeError("{0} of the move: {1}", side,
                     llvm::toString(std::move(error)));
  for (auto [dim, size] : llvm::enumerate(placement.globalShape))
    if (size == kDynamic)
      return makeError("{0} of the move: dim {1} has an unknown size, a move "
                       "between meshes lists boxes",
                       side, dim);
  return Error::success();
}

Error redistribute::verifyQuestion(const MoveQuestion &question) {
  if (Error error = verifyPlacement(question.from, "source"))
    return error;
  if (Error error = verifyPlacement(question.to, "target"))
    return error;
  ArrayRef<int64_t> before = question.from.globalShape;
  ArrayRef<int64_t> after = question.to.globalShape;
  if (before.size() != after.size())
    return makeError("source of the move has {0} dims, its target has {1}",
                     before.size(), after.size());
  ArrayRef<int64_t> offset = question.offset;
  if (!offset.empty() && offset.size() != before.size())
    return makeError("offset of the move has {0} dims, the tensors have {1}",
                     offset.size(), before.size());
  for (size_t dim = 0; dim < before.size(); ++dim) {
    int64_t start = offset.empty() ? 0 : offset[dim];
    std::optional<int64_t> end = checkedAdd(start, after[dim]);
    if (!end)
      return makeError("offset {0} and size {1} of dim {2} are beyond 2^63 - 1",
                       start, after[dim], dim);
    if (before[dim] > 0 && after[dim] > 0 &&
        (*end <= 0 || start >= before[dim]))
      return makeError("dim {0} of the target is [{1}:{2}] of the source, "
                       "which has {3}",
                       dim, start, *end, before[dim]);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Meshes of the same devices
//===----------------------------------------------------------------------===//

bool redistribute::haveSameDevices(const Mesh &a, const Mesh &b) {
  return a.getNumRanks() == b.getNumRanks() &&
         a.getDeviceIds() == b.getDeviceIds();
}

/// Appends the axes of \p other that make up \p ref, of \p mesh.
static bool rewriteAxis(const Mesh &mesh, AxisRef ref, const Mesh &other,
                        SmallVector<AxisRef, 2> &refs) {
  int64_t before = mesh.getNumRanks() / mesh.getStride(ref) / ref.size;
  Expected<SmallVector<AxisRef>> parts = other.getFlatFactor(before, ref.size);
  if (!parts) {
    llvm::consumeError(parts.takeError());
    return false;
  }
  refs.append(parts->begin(), parts->end());
  return true;
}

std::optional<Layout> redistribute::rewriteLayout(const Mesh &mesh,
                                                  const Layout &layout,
                                                  const Mesh &other) {
  Layout result = layout;
  auto rewrite = [&](SmallVector<AxisRef, 2> &refs) {
    SmallVector<AxisRef, 2> rewritten;
    bool done = llvm::all_of(refs, [&](AxisRef ref) {
      return rewriteAxis(mesh, ref, other, rewritten);
    });
    refs = std::move(rewritten);
    return done;
  };
  for (DimLayout &dim : result.dims)
    if (!rewrite(dim.axes))
      return std::nullopt;
  for (PartialAxes &partial : result.partial)
    if (!rewrite(partial.axes))
      return std::nullopt;
  return result.getNormalForm();
}

/// Returns a mesh of the devices of both whose axes are factors of those of
/// either: one of the two where it is that, if there is one.
static std::optional<Mesh> getCommonMesh(const Mesh &a, const Mesh &b) {
  auto getPoints = [](const Mesh &mesh) {
    SmallVector<int64_t> points = {1};
    for (const MeshAxis &axis : mesh.getAxes())
      if (axis.size > 1)
        points.push_back(points.back() * axis.size);
    return points;
  };
  SmallVector<int64_t> pointsA = getPoints(a), pointsB = getPoints(b), points;
  std::set_union(pointsA.begin(), pointsA.end(), pointsB.begin(), pointsB.end(),
                 std::back_inserter(points));
  for (size_t i = 1; i < points.size(); ++i)
    if (points[i] % points[i - 1] != 0)
      return std::nullopt;
  if (points == pointsA)
    return a;
  if (points == pointsB)
    return b;
  SmallVector<MeshAxis> axes;
  for (size_t i = 1; i < points.size(); ++i)
    axes.push_back({"f" + std::to_string(i), points[i] / points[i - 1]});
  Expected<Mesh> mesh = Mesh::create(axes, a.getDeviceIds());
  if (mesh)
    return std::move(*mesh);
  llvm::consumeError(mesh.takeError());
  return std::nullopt;
}

std::optional<CommonQuestion>
redistribute::getCommonQuestion(const MoveQuestion &question) {
  const Placement &from = question.from, &to = question.to;
  if (!haveSameDevices(from.mesh, to.mesh) ||
      from.globalShape != to.globalShape ||
      llvm::any_of(question.offset, [](int64_t start) { return start != 0; }))
    return std::nullopt;
  std::optional<Mesh> mesh = getCommonMesh(from.mesh, to.mesh);
  if (!mesh)
    return std::nullopt;
  std::optional<Layout> before = rewriteLayout(from.mesh, from.layout, *mesh);
  std::optional<Layout> after = rewriteLayout(to.mesh, to.layout, *mesh);
  if (!before || !after)
    return std::nullopt;
  return CommonQuestion{std::move(*mesh), std::move(*before),
                        std::move(*after)};
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {

/// Tries layouts between which a tensor crosses and keeps the least time.
class MovePlanner {
public:
  MovePlanner(const MoveQuestion &question, const PlannerOptions &options,
              int64_t maxTransfers)
      : question(question), options(options), maxTransfers(maxTransfers) {}

  Expected<Move> plan();

private:
  std::vector<Layout> listSources() const;
  std::vector<Layout> listTargets() const;
  Error tryPair(const Layout &source, const Layout &target);
  void setRounds(Crossing &crossing, ArrayRef<Holding> holdings) const;
  Error verifyCap(const PlanCost &cost) const;

  const MoveQuestion &question;
  const PlannerOptions &options;
  const int64_t maxTransfers;
  std::optional<Move> best;
  double bestTimeSec = 0;
};

} // namespace

/// Appends \p axes to each dim of \p layout in turn that they cut evenly inside
/// its blocks.
static void addRefinements(const Layout &layout, ArrayRef<AxisRef> axes,
                           ArrayRef<int64_t> shape,
                           std::vector<Layout> &layouts) {
  if (axes.empty())
    return;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    Layout refined = layout;
    DimLayout &cut = refined.dims[dim];
    cut.axes = concatAxes(cut.axes, axes);
    if (size > 0 && cut.blockSizes.empty() && getEvenBlockSize(cut, size) &&
        nests(layout.dims[dim], cut, size))
      layouts.push_back(refined.getNormalForm());
  }
}

/// Returns the layouts from which the source may leave its mesh: all is
/// reduced, and cut by the axes reduced over where that is even.
std::vector<Layout> MovePlanner::listSources() const {
  const Placement &from = question.from;
  Layout whole = from.layout.withoutPartial().getNormalForm();
  std::vector<Layout> layouts;
  SmallVector<AxisRef> partial = from.layout.getPartialAxes();
  addRefinements(whole, getAxisSet(AxisList(partial)), from.globalShape,
                 layouts);
  layouts.push_back(whole);
  return layouts;
}

/// Returns the layouts in which the target may get its tensor: its own, and
/// those in which its replicas share it.
std::vector<Layout> MovePlanner::listTargets() const {
  const Placement &to = question.to;
  Layout whole = to.layout.getNormalForm();
  std::vector<Layout> layouts = {whole};
  addRefinements(whole, to.mesh.getComplement(whole.getUsedAxes()),
                 to.globalShape, layouts);
  return layouts;
}

/// Cuts messages such that a device stages about a chunk in a round.
void MovePlanner::setRounds(Crossing &crossing,
                            ArrayRef<Holding> holdings) const {
  StepCost cost = getCrossingCost(crossing, holdings, options.cluster,
                                  options.elementBytes);
  int64_t longest = 1;
  for (const Transfer &transfer : crossing.transfers)
    for (Range range : transfer.box.getRanges())
      longest = std::max(longest, range.size);
  crossing.rounds = getRounds(cost.stagingBytes, options.chunkBytes, longest);
}

/// Plans a move that crosses from \p source to \p target and keeps it if it is
/// the best one.
Error MovePlanner::tryPair(const Layout &source, const Layout &target) {
  const Placement &from = question.from, &to = question.to;
  Expected<Plan> before = planRedistribution(from.mesh, from.globalShape,
                                             from.layout, source, options);
  if (!before)
    return before.takeError();
  Expected<Plan> after =
      planRedistribution(to.mesh, to.globalShape, target, to.layout, options);
  if (!after)
    return after.takeError();
  std::vector<Holding> holdings =
      listHoldings({from.mesh, source, from.globalShape},
                   {to.mesh, target, to.globalShape}, question.offset);
  Expected<std::vector<Transfer>> transfers =
      balanceTransfers(holdings, options.cluster, maxTransfers);
  if (!transfers)
    return transfers.takeError();
  Move move{question, std::move(*before), {}, std::move(*after)};
  move.crossing.transfers = std::move(*transfers);
  setRounds(move.crossing, holdings);
  PlanCost cost = getMoveCost(move, options.cluster, options.elementBytes,
                              options.chunkBytes);
  if (Error error = verifyCap(cost))
    return error;
  if (best && cost.timeSec >= bestTimeSec)
    return Error::success();
  best = std::move(move);
  bestTimeSec = cost.timeSec;
  return Error::success();
}

/// Checks that a device holds no more in the crossing than the cap.
Error MovePlanner::verifyCap(const PlanCost &cost) const {
  if (!options.capBytes || cost.peakBytes <= *options.capBytes)
    return Error::success();
  return makeError("move between meshes holds {0} bytes on a device, the cap "
                   "is {1}",
                   cost.peakBytes, *options.capBytes);
}

Expected<Move> MovePlanner::plan() {
  if (question.to.layout.isPartial())
    return makeError("target layout {0} of a move has partial axes; only "
                     "between meshes of the same devices in the same order, "
                     "with common factors, can they stay",
                     toString(question.to.mesh, question.to.layout));
  if (Error error = verifyListable(question.from.mesh, question.to.mesh))
    return std::move(error);
  Error first = Error::success();
  for (const Layout &source : listSources())
    for (const Layout &target : listTargets())
      if (Error error = tryPair(source, target)) {
        if (first)
          llvm::consumeError(std::move(error));
        else
          first = std::move(error);
      }
  if (!best)
    return std::move(first);
  llvm::consumeError(std::move(first));
  return std::move(*best);
}

Expected<Move> redistribute::planMove(const MoveQuestion &question,
                                      const PlannerOptions &options,
                                      int64_t maxTransfers) {
  if (Error error = verifyQuestion(question))
    return std::move(error);
  std::optional<CommonQuestion> common = getCommonQuestion(question);
  if (!common)
    return MovePlanner(question, options, maxTransfers).plan();
  Expected<Plan> before =
      planRedistribution(common->mesh, question.from.globalShape, common->from,
                         common->to, options);
  if (!before)
    return before.takeError();
  const Placement &to = question.to;
  Plan after{to.mesh, to.globalShape, to.layout, to.layout, {}};
  return Move{question, std::move(*before), {}, std::move(after)};
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

PlanCost redistribute::getMoveCost(const Move &move,
                                   const cost::Cluster &cluster,
                                   int64_t elementBytes, int64_t chunkBytes) {
  PlanCost cost = getPlanCost(move.before, cluster, elementBytes, chunkBytes);
  PlanCost after = getPlanCost(move.after, cluster, elementBytes, chunkBytes);
  unsigned moving = (cost.maxReceivedBytes > 0) + (after.maxReceivedBytes > 0);
  auto add = [](int64_t &sum, int64_t more) { sum = addCounts(sum, more); };
  if (!move.crossing.transfers.empty()) {
    std::vector<Holding> holdings = listHoldings(
        {move.before.mesh, move.before.to, move.before.globalShape},
        {move.after.mesh, move.after.from, move.after.globalShape},
        move.question.offset);
    StepCost step =
        getCrossingCost(move.crossing, holdings, cluster, elementBytes);
    std::map<int64_t, int64_t> units;
    int64_t total = 0;
    for (const Transfer &transfer : move.crossing.transfers) {
      int64_t bytes =
          multiplyCounts(transfer.box.getNumElements(), elementBytes);
      add(total, bytes);
      int64_t unit = cluster.getUnit(transfer.target);
      if (cluster.getUnit(transfer.source) != unit)
        add(units[unit], bytes);
    }
    int64_t mostIntoUnit = 0;
    for (auto [unit, bytes] : units)
      mostIntoUnit = std::max(mostIntoUnit, bytes);
    add(cost.maxUnitReceivedBytes, mostIntoUnit);
    add(cost.totalReceivedBytes, total);
    add(cost.maxReceivedBytes, step.receivedBytes);
    add(cost.maxSentBytes, step.sentBytes);
    cost.peakBytes = std::max(cost.peakBytes, step.liveBytes);
    cost.timeSec += step.timeSec;
    cost.steps.push_back(step);
    ++moving;
  }
  add(cost.maxReceivedBytes, after.maxReceivedBytes);
  add(cost.maxSentBytes, after.maxSentBytes);
  add(cost.totalReceivedBytes, after.totalReceivedBytes);
  add(cost.maxUnitReceivedBytes, after.maxUnitReceivedBytes);
  cost.peakBytes = std::max(cost.peakBytes, after.peakBytes);
  cost.timeSec += after.timeSec;
  cost.exact &= after.exact && moving <= 1;
  cost.steps.append(after.steps.begin(), after.steps.end());
  return cost;
}

Bound redistribute::getMoveBound(const MoveQuestion &question,
                                 const cost::Cluster &cluster,
                                 int64_t elementBytes) {
  if (std::optional<CommonQuestion> common = getCommonQuestion(question))
    return getBound(common->mesh, question.from.globalShape, common->from,
                    common->to, cluster, elementBytes);
  std::vector<Holding> holdings =
      listHoldings(question.from, question.to, question.offset);
  int64_t contributions =
      getNumPositions(question.from.layout.getPartialAxes());
  unsigned outermost = 0;
  for (const Holding &holding : holdings)
    outermost = std::max(
        outermost, getLevel(cluster, holdings.front().device, holding.device));
  return makeBound(countBound(holdings, contributions, cluster), cluster,
                   outermost, elementBytes);
}
