// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Layout/AxisFactors.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace pctl::layout;

/// Returns the places at which \p refs cut axis number \p axis of \p size: the
/// products of what is before them, 1 and \p size among them, ascending.
/// Nothing but these two where the places are no chain of divisors.
static SmallVector<int64_t> getCuts(unsigned axis, int64_t size,
                                    ArrayRef<AxisRef> refs) {
  SmallVector<int64_t> cuts = {1, size};
  for (AxisRef ref : refs)
    if (ref.axis == axis)
      cuts.append({ref.preSize, ref.preSize * ref.size});
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  for (auto [before, after] : llvm::zip(cuts, ArrayRef(cuts).drop_front()))
    if (after % before != 0)
      return {1, size};
  return cuts;
}

AxisFactors AxisFactors::get(const Mesh &mesh, ArrayRef<AxisRef> refs) {
  AxisFactors result;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis) {
    int64_t size = mesh.getAxes()[axis].size;
    if (size == 1)
      continue;
    SmallVector<int64_t> cuts = getCuts(axis, size, refs);
    for (auto [before, after] : llvm::zip(cuts, ArrayRef(cuts).drop_front()))
      result.factors.push_back({axis, before, after / before});
  }
  return result;
}

FactorBits AxisFactors::getTouched(ArrayRef<AxisRef> refs) const {
  FactorBits bits = 0;
  for (auto [index, factor] : llvm::enumerate(factors))
    for (AxisRef ref : refs)
      if (ref.overlaps(factor))
        bits |= FactorBits(1) << index;
  return bits;
}

FactorBits AxisFactors::getCovered(ArrayRef<AxisRef> refs) const {
  FactorBits bits = 0;
  for (auto [index, factor] : llvm::enumerate(factors))
    for (AxisRef ref : refs)
      if (ref.axis == factor.axis && factor.preSize % ref.preSize == 0 &&
          (ref.preSize * ref.size) % (factor.preSize * factor.size) == 0)
        bits |= FactorBits(1) << index;
  return bits;
}

SmallVector<AxisRef> AxisFactors::getAxes(FactorBits bits) const {
  SmallVector<AxisRef> axes;
  for (auto [index, factor] : llvm::enumerate(factors)) {
    if (!(bits >> index & 1))
      continue;
    if (!axes.empty() && axes.back().axis == factor.axis &&
        axes.back().preSize * axes.back().size == factor.preSize)
      axes.back().size *= factor.size;
    else
      axes.push_back(factor);
  }
  return axes;
}
