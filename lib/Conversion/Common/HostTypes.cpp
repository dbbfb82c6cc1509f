// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/HostTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

std::optional<int64_t> pctl::getHostElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = getHostElementBytes(complex.getElementType());
    return part ? std::optional<int64_t>(2 * *part) : std::nullopt;
  }
  unsigned width = 0;
  if (auto integer = dyn_cast<IntegerType>(type))
    width = integer.getWidth();
  else if (auto number = dyn_cast<FloatType>(type);
           number && !isa<FloatTF32Type>(number))
    width = number.getWidth();
  if (width == 0 || width > 128)
    return std::nullopt;
  return llvm::PowerOf2Ceil(llvm::divideCeil(width, 8));
}
