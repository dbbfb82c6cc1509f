// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "IndexMath.h"

#include <algorithm>

using namespace mlir;
using namespace pctl;
using Fold = IndexMath::Fold;

Fold IndexMath::add(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::sub(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(*x - *y);
  if (y == 0)
    return a;
  return arith::SubIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::mul(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(*x * *y);
  if (x == 0 || y == 0)
    return constant(0);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::div(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(*x / *y);
  if (y == 1)
    return a;
  return arith::DivUIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::ceilDiv(Fold a, Fold b) const {
  return div(add(a, sub(b, constant(1))), b);
}

Fold IndexMath::rem(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(*x % *y);
  if (y == 1)
    return constant(0);
  return arith::RemUIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::min(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(std::min(*x, *y));
  if (x == 0 || y == 0)
    return constant(0);
  return arith::MinSIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::max(Fold a, Fold b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return constant(std::max(*x, *y));
  return arith::MaxSIOp::create(builder, loc, toValue(a), toValue(b))
      .getResult();
}

Fold IndexMath::product(ArrayRef<Fold> factors) const {
  Fold result = constant(1);
  for (Fold factor : factors)
    result = mul(result, factor);
  return result;
}
