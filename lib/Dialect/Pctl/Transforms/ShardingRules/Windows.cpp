// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Windows, from affine expressions.

#include "Windows.h"

#include "pctl/Layout/Layout.h"
#include "pctl/Support/CheckedArith.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pctl;

layout::Range pctl::detail::Window::getPlaces(layout::Range iterations) const {
  if (iterations.size == 0)
    return {0, 0};
  return {stride * iterations.offset,
          stride * (iterations.size - 1) + reach + 1};
}

/// Adds \p scale times \p expr to the coefficients of the loops and to the
/// constant behind them. Fails where it is no such sum, or overflows.
static bool addTerms(AffineExpr expr, int64_t scale,
                     llvm::MutableArrayRef<int64_t> sum) {
  auto add = [&](int64_t &target, int64_t by) {
    std::optional<int64_t> scaled = checkedMul(scale, by);
    std::optional<int64_t> total =
        scaled ? checkedAdd(target, *scaled) : std::nullopt;
    if (total)
      target = *total;
    return total.has_value();
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return add(sum[dim.getPosition()], 1);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return add(sum.back(), constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), scale, sum) &&
           addTerms(binary.getRHS(), scale, sum);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor)
    return false;
  std::optional<int64_t> scaled = checkedMul(scale, factor.getValue());
  return scaled && addTerms(binary.getLHS(), *scaled, sum);
}

std::optional<pctl::detail::Window>
pctl::detail::getWindow(AffineExpr expr, int64_t dimSize,
                        llvm::ArrayRef<int64_t> loopSizes,
                        llvm::ArrayRef<utils::IteratorType> iteratorTypes) {
  llvm::SmallVector<int64_t> sum(loopSizes.size() + 1);
  if (dimSize == layout::kDynamic || !addTerms(expr, 1, sum))
    return std::nullopt;
  std::optional<unsigned> leader;
  // Windows may be longer than what slides, but not by much.
  auto getWeight = [&](unsigned loop) {
    bool isParallel = iteratorTypes[loop] == utils::IteratorType::parallel;
    return isParallel ? 2.0 * loopSizes[loop] : 1.0 * loopSizes[loop];
  };
  for (auto [loop, size] : llvm::enumerate(loopSizes)) {
    if (sum[loop] == 0)
      continue;
    if (size == layout::kDynamic || size == 0)
      return std::nullopt;
    if (!leader || getWeight(loop) > getWeight(*leader))
      leader = loop;
  }
  if (!leader || sum[*leader] <= 0)
    return std::nullopt;
  // The places that the other loops reach from where the leader stands.
  int64_t low = sum.back(), high = sum.back();
  for (auto [loop, size] : llvm::enumerate(loopSizes)) {
    if (loop == *leader || sum[loop] == 0)
      continue;
    std::optional<int64_t> span = checkedMul(sum[loop], size - 1);
    std::optional<int64_t> moved =
        span ? checkedAdd(*span < 0 ? low : high, *span) : std::nullopt;
    if (!moved)
      return std::nullopt;
    (*span < 0 ? low : high) = *moved;
  }
  std::optional<int64_t> last =
      checkedMul(sum[*leader], loopSizes[*leader] - 1);
  std::optional<int64_t> end = last ? checkedAdd(*last, high) : std::nullopt;
  if (low < 0 || !end || *end >= dimSize)
    return std::nullopt;
  return Window{*leader, sum[*leader], high};
}
