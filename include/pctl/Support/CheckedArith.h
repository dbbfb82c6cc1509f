// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Arithmetic on sizes that says so when an int64_t does not hold the result.
/// Shapes and meshes come from users; their products must not wrap.

#ifndef PCTL_SUPPORT_CHECKEDARITH_H
#define PCTL_SUPPORT_CHECKEDARITH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <optional>

namespace pctl {

/// Returns \p a plus \p b, or nothing when it overflows.
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (llvm::AddOverflow(a, b, sum))
    return std::nullopt;
  return sum;
}

/// Returns \p a times \p b, or nothing when it overflows.
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product;
  if (llvm::MulOverflow(a, b, product))
    return std::nullopt;
  return product;
}

/// Returns the product of \p factors (1 for none), or nothing when it
/// overflows. With a 0 among them it is 0, however large the others are.
inline std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> factors) {
  if (llvm::is_contained(factors, 0))
    return 0;
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product))
      return std::nullopt;
  return product;
}

/// Returns the least integer that is at least n / k, for n >= 0 and k > 0.
inline int64_t ceilDiv(int64_t n, int64_t k) { return n / k + (n % k != 0); }

} // namespace pctl

#endif // PCTL_SUPPORT_CHECKEDARITH_H
