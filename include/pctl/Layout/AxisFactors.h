// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sets of directions in a mesh as bits. Analyses that ask along which axes
/// ranks differ need unions, differences and inclusions of axes and sub-axes,
/// many times; here each becomes one machine operation. The axes are split into
/// the coarsest factors of which all axes and sub-axes in question are
/// products.

#ifndef PCTL_LAYOUT_AXISFACTORS_H
#define PCTL_LAYOUT_AXISFACTORS_H

#include "pctl/Layout/Mesh.h"

namespace pctl::layout {

/// A set of factors, one bit each, by number.
using FactorBits = uint64_t;

/// The factors of the axes of a mesh, numbered from 0 in mesh order.
///
/// Worked example: on `x=8, y=2` the references y, `x:(1)2` and `x:(2)2` split
/// x into `x:(1)2`, `x:(2)2` and `x:(4)2`, so that there are four factors with
/// y's; x touches and covers the first three.
///
/// An axis of size 1 has no factor: no ranks differ along it. An axis that is
/// referred to in ways that no chain of divisors holds, as 6 = 2 x 3 and
/// 6 = 3 x 2, is one factor, which each of the references touches and none but
/// the whole axis covers.
class AxisFactors {
public:
  /// Splits the axes of \p mesh as far as \p refs ask for it.
  static AxisFactors get(const Mesh &mesh, llvm::ArrayRef<AxisRef> refs);

  unsigned size() const { return factors.size(); }
  AxisRef operator[](unsigned index) const { return factors[index]; }

  /// Returns all factors. There are at most 62, as a mesh has no more than
  /// 2^63 - 1 ranks.
  FactorBits getAll() const { return (FactorBits(1) << size()) - 1; }

  /// Returns the factors along which ranks may differ that differ along
  /// \p refs.
  FactorBits getTouched(llvm::ArrayRef<AxisRef> refs) const;

  /// Returns the factors that \p refs contain entirely.
  FactorBits getCovered(llvm::ArrayRef<AxisRef> refs) const;

  /// Returns the axes that \p bits stand for, in mesh order, factors of one
  /// axis that touch being one reference. Bits beyond the factors are ignored.
  llvm::SmallVector<AxisRef> getAxes(FactorBits bits) const;

private:
  /// In mesh order, factors of one axis from major to minor.
  llvm::SmallVector<AxisRef, 4> factors;
};

} // namespace pctl::layout

#endif // PCTL_LAYOUT_AXISFACTORS_H
