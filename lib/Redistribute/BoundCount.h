// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Bounds as counts of elements, by listing devices or by a closed formula, and
/// what they say about time.

#ifndef PCTL_LIB_REDISTRIBUTE_BOUNDCOUNT_H
#define PCTL_LIB_REDISTRIBUTE_BOUNDCOUNT_H

#include "pctl/Redistribute/Bound.h"

namespace pctl::redistribute {

/// What has to come into units of one level.
struct UnitCount {
  /// The most into any unit.
  int64_t received = 0;
  /// The most into any unit for each of its devices.
  double receivedPerDevice = 0;
};

/// The least that has to move, in elements.
struct BoundCounts {
  int64_t received = 0;
  int64_t sent = 0;
  std::optional<int64_t> directSent;
  int64_t total = 0;
  /// What takes the busiest device time: the greater of `received` and `sent`
  /// before shares of a sum are rounded up, as collectives may share better.
  double busiest = 0;
  /// One entry for each level but the outermost, innermost first.
  llvm::SmallVector<UnitCount, 2> units;
  bool exact = true;
};

/// What one device has before and is to have after. Boxes are of one common
/// coordinate system; those held are equal or disjoint, and those wanted too.
struct Holding {
  int64_t device = 0;
  std::optional<layout::Box> held;
  std::optional<layout::Box> wanted;
  /// Which contribution to the elements of `held` it has, where they are still
  /// to be reduced.
  int64_t contribution = 0;
};

/// Counts what has to move between listed devices, where each wanted element is
/// reduced of \p numContributions.
BoundCounts countBound(llvm::ArrayRef<Holding> holdings,
                       int64_t numContributions, const cost::Cluster &cluster);

/// Counts the same for all ranks of a mesh, by a closed formula, if axes and
/// dims have common factors, blocks are even, and units are along axes. The
/// axes \p reduced stop being partial, \p kept stay so.
std::optional<BoundCounts>
countEvenBound(const layout::Mesh &mesh, llvm::ArrayRef<int64_t> shape,
               const layout::Layout &from, const layout::Layout &to,
               llvm::ArrayRef<layout::AxisRef> reduced,
               llvm::ArrayRef<layout::AxisRef> kept,
               const cost::Cluster &cluster);

/// Returns \p counts in bytes, and the time that they need; no message goes
/// over links outside the level \p outermost.
Bound makeBound(const BoundCounts &counts, const cost::Cluster &cluster,
                unsigned outermost, int64_t elementBytes);

} // namespace pctl::redistribute

#endif // PCTL_LIB_REDISTRIBUTE_BOUNDCOUNT_H
