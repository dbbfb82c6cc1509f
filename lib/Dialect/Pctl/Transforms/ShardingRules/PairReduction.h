// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reductions to the best element and the place where it is first: argmax and
/// its like. docs/partition.md, Pairs.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_PAIRREDUCTION_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_PAIRREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace pctl::detail {

/// What a body does that keeps the better of two elements, and the place of it.
struct PairReduction {
  /// The numbers of the results.
  unsigned best = 0;
  unsigned place = 1;
  /// The op that says whether the candidate is better: a strict comparison of
  /// it with the best so far, or of that with it.
  mlir::Operation *compare = nullptr;
  bool candidateIsFirst = true;
  /// The op that gives the better of the two: a select by `compare`, or a
  /// maximum or minimum that agrees with it.
  mlir::Operation *choose = nullptr;
  /// The one loop that may be cut, the outermost of those reduced: blocks of
  /// any other do not follow each other in the order of the op.
  unsigned loop = 0;

  /// Returns whether a NaN ends the search for a better place while it becomes
  /// the best element, so that the best one before it is needed as well.
  bool stopsAtNaN() const;
};

/// Returns how \p op reduces to pairs, or nothing if it does anything else.
///
/// Worked example: of `c = cmpf ogt, x, v`, `b = maximumf x, v` and
/// `p = select c, i, w`, yielded as b and p, v and w being the accumulators,
/// `compare` is the first and `choose` the second.
std::optional<PairReduction> getPairReduction(mlir::Operation *op);

} // namespace pctl::detail

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_SHARDINGRULES_PAIRREDUCTION_H
