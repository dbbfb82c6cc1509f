// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The element types of NCCL on the host: sizes, names, and the conversions
/// between the small floating point types and float.
///
/// A small type widens to float exactly. Float narrows to it with rounding to
/// nearest, ties to even. float16 and bfloat16 overflow to infinity; the two
/// eight-bit types saturate at their largest finite value, as CUDA's
/// conversions do, except that an infinity stays one where the type has it.
/// docs/runtime.md is where a user reads this.

#ifndef PCTL_LIB_RUNTIME_HOSTNCCL_DATATYPES_H
#define PCTL_LIB_RUNTIME_HOSTNCCL_DATATYPES_H

#include "pctl/Runtime/nccl.h"
#include <cstdint>
#include <cstring>

namespace pctl::hostnccl {

inline bool isDataType(ncclDataType_t type) {
  return static_cast<unsigned>(type) < static_cast<unsigned>(ncclNumTypes);
}

/// Bytes of one element. The type must be one of NCCL's (isDataType).
int64_t sizeOfType(ncclDataType_t type);

/// "float32", "bfloat16". The type must be one of NCCL's (isDataType).
const char *nameOfType(ncclDataType_t type);

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// One of two words, without a branch that keeps a loop from being vectorized.
inline uint32_t choose(bool condition, uint32_t ifTrue, uint32_t ifFalse) {
  uint32_t mask = 0u - static_cast<uint32_t>(condition);
  return (ifTrue & mask) | (ifFalse & ~mask);
}

/// A binary floating point format smaller than float, with gradual underflow:
/// a sign, ExponentBits, MantissaBits. Where HasInfinity is false the all-ones
/// exponent holds numbers, and only an all-ones mantissa with it is NaN.
/// Branch-free, so that loops over it vectorize.
template <typename BitsT, int ExponentBits, int MantissaBits, bool HasInfinity,
          bool Saturates>
struct SmallFloat {
  BitsT bits;

  static constexpr int shift = 23 - MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr uint32_t magnitudeMask =
      (1u << (ExponentBits + MantissaBits)) - 1;
  static constexpr uint32_t exponentMask = ((1u << ExponentBits) - 1)
                                           << MantissaBits;
  static constexpr uint32_t nan =
      HasInfinity ? exponentMask | (1u << (MantissaBits - 1)) : magnitudeMask;
  static constexpr uint32_t largest =
      HasInfinity ? exponentMask - 1 : magnitudeMask - 1;

  static float toFloat(SmallFloat value) {
    uint32_t magnitude = value.bits & magnitudeMask;
    uint32_t sign = static_cast<uint32_t>(value.bits & ~magnitudeMask)
                    << (31 - ExponentBits - MantissaBits);
    uint32_t normal = (magnitude << shift) + ((127u - bias) << 23);
    // A subnormal is its mantissa times the smallest step, a power of two.
    uint32_t subnormal =
        bitsOf(static_cast<float>(static_cast<int>(magnitude)) *
               floatOf((128u - bias - MantissaBits) << 23));
    uint32_t result =
        choose(magnitude < (1u << MantissaBits), subnormal, normal);
    if (HasInfinity)
      result = choose(magnitude >= exponentMask,
                      (magnitude << shift) | 0x7f800000u, result);
    else
      result = choose(magnitude == nan, 0x7fc00000u, result);
    return floatOf(result | sign);
  }

  static SmallFloat fromFloat(float value) {
    uint32_t bits = bitsOf(value);
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t sign = (bits >> 31) << (ExponentBits + MantissaBits);
    // Adding half a step less one, plus the lowest bit kept, rounds to even.
    uint32_t odd = (magnitude >> shift) & 1u;
    uint32_t normal =
        (magnitude - ((127u - bias) << 23) + ((1u << (shift - 1)) - 1) + odd) >>
        shift;
    // Adding a power of two whose step is the smallest one rounds a subnormal.
    constexpr uint32_t rounder = (150u + 1 - bias - MantissaBits) << 23;
    uint32_t subnormal =
        bitsOf(floatOf(magnitude) + floatOf(rounder)) - rounder;
    uint32_t result =
        choose(magnitude < ((128u - bias) << 23), subnormal, normal);
    result =
        choose(result > largest, Saturates ? largest : exponentMask, result);
    if (HasInfinity)
      result = choose(magnitude == 0x7f800000u, exponentMask, result);
    result = choose(magnitude > 0x7f800000u, nan, result);
    return {static_cast<BitsT>(result | sign)};
  }
};

using Float16 = SmallFloat<uint16_t, 5, 10, true, false>;
using Float8e4m3 = SmallFloat<uint8_t, 4, 3, false, true>;
using Float8e5m2 = SmallFloat<uint8_t, 5, 2, true, true>;

/// The upper half of a float.
struct BFloat16 {
  uint16_t bits;

  static float toFloat(BFloat16 value) {
    return floatOf(static_cast<uint32_t>(value.bits) << 16);
  }
  static BFloat16 fromFloat(float value) {
    uint32_t bits = bitsOf(value);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    bool isNaN = (bits & 0x7fffffffu) > 0x7f800000u;
    return {
        static_cast<uint16_t>(choose(isNaN, (bits >> 16) | 0x40u, rounded))};
  }
};

} // namespace pctl::hostnccl

#endif // PCTL_LIB_RUNTIME_HOSTNCCL_DATATYPES_H
