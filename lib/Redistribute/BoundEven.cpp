// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The bound in closed form. Where cuts are even, axes and dims split into
/// factors such that an element is on a rank exactly if, for each factor of a
/// dim that an axis factor cuts, the two have the same position. So counts are
/// products of sizes, over factors that are not bound to each other.
/// docs/redistribution.md, "Bounds".

#include "BoundCount.h"

#include "Algebra.h"
#include "ExchangeCount.h"

#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace pctl;
using namespace pctl::cost;
using namespace pctl::layout;
using namespace pctl::redistribute;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

namespace {

/// Where an axis or a dim is split: products of leading factors.
class Splits {
public:
  /// Adds \p point; returns whether it is new.
  bool add(int64_t point) {
    auto *place = llvm::lower_bound(points, point);
    if (place != points.end() && *place == point)
      return false;
    points.insert(place, point);
    return true;
  }
  /// Returns whether each point divides the next one.
  bool isChain() const {
    for (size_t i = 1; i < points.size(); ++i)
      if (points[i] % points[i - 1] != 0)
        return false;
    return true;
  }
  ArrayRef<int64_t> get() const { return points; }

private:
  SmallVector<int64_t, 8> points = {1};
};

/// A factor of a dim, and the axis factors that cut it, -1 for none.
struct DimFactor {
  int64_t size;
  int from = -1;
  int to = -1;
};

/// A factor of an axis.
struct AxisFactor {
  AxisRef ref;
  /// The factors of dims that it cuts, -1 for none.
  int from = -1;
  int to = -1;
};

/// All factors of one question, and counts of them.
class EvenCounter {
public:
  EvenCounter(const Mesh &mesh, ArrayRef<int64_t> shape, const Layout &from,
              const Layout &to, ArrayRef<AxisRef> reduced,
              ArrayRef<AxisRef> kept)
      : mesh(mesh), shape(shape), from(from), to(to), reduced(reduced),
        kept(kept), axisSplits(mesh.getNumAxes()), dimSplits(shape.size()) {}

  /// Returns whether there are common factors.
  bool split(const Cluster &cluster);
  BoundCounts count(const Cluster &cluster) const;

private:
  bool splitCut(const DimLayout &cut, Splits &dim, bool &changed);
  bool splitCuts();
  void makeFactors();
  void bind(const DimLayout &cut, ArrayRef<int64_t> points, size_t first,
            bool before);

  using Count = __int128;
  Count countHeld(bool after) const;
  Count countTotal() const;
  Count countLeaving() const;
  Count countMostDemand() const;
  UnitCount countUnits(int64_t numDevices) const;
  bool isOutside(const AxisFactor &factor, int64_t numDevices) const {
    return mesh.getStride(factor.ref) >= numDevices;
  }

  const Mesh &mesh;
  const ArrayRef<int64_t> shape;
  const Layout &from, &to;
  const ArrayRef<AxisRef> reduced, kept;
  std::vector<Splits> axisSplits, dimSplits;
  SmallVector<DimFactor, 8> dims;
  SmallVector<AxisFactor, 8> axes;
  /// Elements, those of different positions along `kept` being different.
  Count elements = 1;
  int64_t numRanks = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

/// Makes the splits of one cut those of its dim, and the other way round.
bool EvenCounter::splitCut(const DimLayout &cut, Splits &dim, bool &changed) {
  int64_t before = 1;
  for (AxisRef ref : cut.axes) {
    Splits &axis = axisSplits[ref.axis];
    for (int64_t point : SmallVector<int64_t>(axis.get()))
      if (point >= ref.preSize && point <= ref.preSize * ref.size) {
        if (point % ref.preSize != 0)
          return false;
        changed |= dim.add(before * (point / ref.preSize));
      }
    for (int64_t point : SmallVector<int64_t>(dim.get()))
      if (point >= before && point <= before * ref.size) {
        if (point % before != 0)
          return false;
        changed |= axis.add(ref.preSize * (point / before));
      }
    before *= ref.size;
  }
  return true;
}

bool EvenCounter::splitCuts() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Layout *layout : {&from, &to})
      for (auto [cut, splits] : llvm::zip_equal(layout->dims, dimSplits))
        if (!splitCut(cut, splits, changed))
          return false;
    if (!llvm::all_of(axisSplits, [](auto &list) { return list.isChain(); }) ||
        !llvm::all_of(dimSplits, [](auto &list) { return list.isChain(); }))
      return false;
  }
  return true;
}

/// Connects the factors of dims from \p first on, split at \p points, with
/// those of the axes of \p cut.
void EvenCounter::bind(const DimLayout &cut, ArrayRef<int64_t> points,
                       size_t first, bool before) {
  size_t place = first;
  for (AxisRef ref : normalizeAxes(cut.axes))
    for (auto [index, axis] : llvm::enumerate(axes)) {
      if (!axis.ref.overlaps(ref))
        continue;
      (before ? dims[place].from : dims[place].to) = static_cast<int>(index);
      (before ? axis.from : axis.to) = static_cast<int>(place);
      ++place;
    }
}

void EvenCounter::makeFactors() {
  for (auto [axis, splits] : llvm::enumerate(axisSplits))
    for (size_t i = 1; i < splits.get().size(); ++i) {
      int64_t preSize = splits.get()[i - 1];
      axes.push_back(
          {{static_cast<unsigned>(axis), preSize, splits.get()[i] / preSize}});
    }
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    ArrayRef<int64_t> points = dimSplits[dim].get();
    size_t first = dims.size();
    for (size_t i = 1; i < points.size(); ++i)
      dims.push_back({points[i] / points[i - 1]});
    bind(from.dims[dim], points, first, /*before=*/true);
    bind(to.dims[dim], points, first, /*before=*/false);
    elements *= shape[dim];
  }
  // Positions along axes that stay partial are a dim that both sides cut.
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (!overlap(axis.ref, kept))
      continue;
    int number = static_cast<int>(index);
    axis.from = axis.to = static_cast<int>(dims.size());
    dims.push_back({axis.ref.size, number, number});
    elements *= axis.ref.size;
  }
}

bool EvenCounter::split(const Cluster &cluster) {
  bool hasBlocks = llvm::any_of(ArrayRef({&from, &to}), [](const Layout *side) {
    return llvm::any_of(side->dims, [](const DimLayout &dim) {
      return !dim.blockSizes.empty();
    });
  });
  if (hasBlocks || llvm::is_contained(shape, 0) ||
      (cluster.levels.size() > 1 && !mesh.getDeviceIds().empty()))
    return false;
  auto units = getUnitSplits(cluster, mesh);
  if (!units)
    return false;
  for (auto [axis, point] : *units)
    axisSplits[axis].add(point);
  numRanks = mesh.getNumRanks();
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
    axisSplits[axis].add(mesh.getAxes()[axis].size);
  for (ArrayRef<AxisRef> refs : {reduced, kept})
    for (AxisRef ref : refs) {
      axisSplits[ref.axis].add(ref.preSize);
      axisSplits[ref.axis].add(ref.preSize * ref.size);
    }
  for (const Layout *layout : {&from, &to})
    for (const DimLayout &dim : layout->dims)
      for (AxisRef ref : dim.axes) {
        axisSplits[ref.axis].add(ref.preSize);
        axisSplits[ref.axis].add(ref.preSize * ref.size);
      }
  if (!splitCuts())
    return false;
  for (auto [size, splits] : llvm::zip_equal(shape, dimSplits))
    if (size % splits.get().back() != 0)
      return false;
  makeFactors();
  return true;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static int64_t clamp(__int128 count) {
  return count > INT64_MAX ? INT64_MAX : static_cast<int64_t>(count);
}

static __int128 divideUp(__int128 n, __int128 k) {
  return n / k + (n % k != 0);
}

/// Returns how many elements a rank holds.
EvenCounter::Count EvenCounter::countHeld(bool after) const {
  Count held = elements;
  for (const DimFactor &dim : dims)
    if ((after ? dim.to : dim.from) >= 0)
      held /= dim.size;
  return held;
}

/// Returns what all ranks together receive at least.
EvenCounter::Count EvenCounter::countTotal() const {
  Count wanted = countHeld(/*after=*/true) * numRanks;
  unsigned numAxes = axes.size();
  llvm::IntEqClasses classes(numAxes + dims.size());
  auto join = [&](unsigned a, unsigned b, Count &count, int64_t size) {
    if (classes.findLeader(a) == classes.findLeader(b))
      return;
    classes.join(a, b);
    count /= size;
  };
  if (getNumPositions(reduced) == 1) {
    // Pairs of a rank and an element that it has before and after.
    Count kept = elements * numRanks;
    for (auto [index, dim] : llvm::enumerate(dims)) {
      if (dim.from >= 0)
        join(dim.from, numAxes + index, kept, dim.size);
      if (dim.to >= 0)
        join(dim.to, numAxes + index, kept, dim.size);
    }
    return wanted - kept;
  }
  // Elements that some rank has before and after.
  Count covered = elements;
  for (const AxisFactor &axis : axes)
    if (axis.from >= 0 && axis.to >= 0)
      join(numAxes + axis.from, numAxes + axis.to, covered, axis.ref.size);
  return wanted + elements * (getNumPositions(reduced) - 2) +
         (elements - covered);
}

/// Returns how many elements of a block before some rank that does not hold it
/// wants, for the block with most of them.
EvenCounter::Count EvenCounter::countLeaving() const {
  Count held = countHeld(/*after=*/false), staying = held;
  bool refines = true;
  for (const AxisFactor &axis : axes) {
    if (axis.from < 0 || axis.to == axis.from)
      continue;
    refines = false;
    if (axis.to < 0 || dims[axis.to].from >= 0)
      return held;
    staying /= axis.ref.size;
  }
  return refines ? 0 : held - staying;
}

/// Returns what the ranks that do not hold a block want of it, together, for
/// the block with most demand.
EvenCounter::Count EvenCounter::countMostDemand() const {
  Count held = countHeld(/*after=*/false);
  Count wanters = numRanks, holders = numRanks;
  for (const DimFactor &dim : dims) {
    if (dim.to >= 0)
      wanters /= dim.size;
    if (dim.from >= 0)
      holders /= dim.size;
  }
  Count inside = holders * held;
  for (const DimFactor &dim : dims) {
    if (dim.to < 0 || dim.to == dim.from)
      continue;
    if (dim.from >= 0 && axes[dim.to].from >= 0)
      return held * wanters;
    inside /= dim.size;
  }
  return held * wanters - inside;
}

UnitCount EvenCounter::countUnits(int64_t numDevices) const {
  UnitCount result;
  if (numDevices >= numRanks)
    return result;
  Count wanted = elements, kept = elements;
  int64_t parts = 1;
  for (const AxisFactor &axis : axes)
    if (overlap(axis.ref, reduced) && isOutside(axis, numDevices))
      parts *= axis.ref.size;
  bool lacksAll = parts > 1;
  for (const DimFactor &dim : dims) {
    bool before = dim.from >= 0 && isOutside(axes[dim.from], numDevices);
    bool after = dim.to >= 0 && isOutside(axes[dim.to], numDevices);
    if (after)
      wanted /= dim.size;
    if (before || after)
      kept /= dim.size;
    lacksAll |= before && after && dim.from != dim.to;
  }
  Count received = lacksAll ? wanted : wanted - kept;
  int64_t numUnits = numRanks / numDevices;
  if (parts > 1)
    received =
        std::max(received, divideUp(wanted * numUnits + elements * (parts - 2),
                                    numUnits));
  result.received = clamp(received);
  result.receivedPerDevice =
      static_cast<double>(received) / static_cast<double>(numDevices);
  return result;
}

BoundCounts EvenCounter::count(const Cluster &cluster) const {
  BoundCounts counts;
  Count total = countTotal(), held = countHeld(/*after=*/true);
  Count received = held, share = divideUp(total, numRanks);
  double busiest = static_cast<double>(total) / static_cast<double>(numRanks);
  if (getNumPositions(reduced) > 1) {
    counts.busiest = std::max(busiest, static_cast<double>(received));
    received = std::max(received, share);
    counts.sent = clamp(share);
  } else {
    bool disjoint = false;
    Count kept = held;
    Count holders = numRanks;
    for (const DimFactor &dim : dims) {
      disjoint |= dim.from >= 0 && dim.to >= 0 && dim.from != dim.to;
      if (dim.from >= 0 && dim.to < 0)
        kept /= dim.size;
      if (dim.from >= 0)
        holders /= dim.size;
    }
    if (!disjoint)
      received -= kept;
    Count leaving = countLeaving();
    counts.sent = clamp(std::max(share, divideUp(leaving, holders)));
    counts.busiest =
        std::max({busiest, static_cast<double>(received),
                  static_cast<double>(leaving) / static_cast<double>(holders)});
    counts.directSent = clamp(divideUp(countMostDemand(), holders));
  }
  counts.received = clamp(received);
  counts.total = clamp(total);
  for (const Level &level : ArrayRef(cluster.levels).drop_back())
    counts.units.push_back(countUnits(level.numDevices));
  return counts;
}

std::optional<BoundCounts>
redistribute::countEvenBound(const Mesh &mesh, ArrayRef<int64_t> shape,
                             const Layout &from, const Layout &to,
                             ArrayRef<AxisRef> reduced, ArrayRef<AxisRef> kept,
                             const Cluster &cluster) {
  EvenCounter counter(mesh, shape, from, to, reduced, kept);
  if (!counter.split(cluster))
    return std::nullopt;
  return counter.count(cluster);
}
