// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What docs/runtime.md promises of the host library's reductions beyond what
/// every NCCL does: how they accumulate, round, divide and order.

#include "HostNcclRanks.h"
#include <cmath>
#include <cstring>
#include <limits>

/// All-reduces one element of each rank and returns what rank 0 has.
template <typename T>
static T reduced(ncclDataType_t type, ncclRedOp_t op,
                 const std::vector<T> &contributions) {
  std::vector<T> values = contributions;
  std::vector<Outcome> outcomes =
      onRanks(static_cast<int>(values.size()), [&](int rank, ncclComm_t comm) {
        return ncclAllReduce(&values[rank], &values[rank], 1, type, op, comm,
                             nullptr);
      });
  for (size_t rank = 0; rank < values.size(); ++rank) {
    EXPECT_EQ(outcomes[rank].text, "");
    EXPECT_EQ(std::memcmp(&values[rank], &values[0], sizeof(T)), 0);
  }
  return values[0];
}

/// Bits of bfloat16: the upper half of a float.
static uint16_t bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

TEST(HostNcclReduction, bfloat16_sums_in_float_and_rounds_once) {
  std::vector<uint16_t> values(8, bfloat16(1));
  values[0] = bfloat16(256);
  // 263 lies between 262 and 264 and goes to the even one. Rounding at each
  // step would stay at 256.
  EXPECT_EQ(reduced(ncclBfloat16, ncclSum, values), bfloat16(264));
}

TEST(HostNcclReduction, float16_sums_in_float_and_rounds_once) {
  // 2048 + 1 + 1 is 2050; rounding at each step would stay at 2048.
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x6800, 0x3c00, 0x3c00}),
            0x6801);
  // 65504 + 65504 - 65504 does not overflow on the way.
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x7bff, 0x7bff, 0xfbff}),
            0x7bff);
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x7bff, 0x7bff}), 0x7c00);
}

TEST(HostNcclReduction, eight_bit_floats_saturate) {
  // 448 + 448, and 57344 + 57344.
  EXPECT_EQ(reduced<uint8_t>(ncclFloat8e4m3, ncclSum, {0x7e, 0x7e}), 0x7e);
  EXPECT_EQ(reduced<uint8_t>(ncclFloat8e5m2, ncclSum, {0x7b, 0x7b}), 0x7b);
  EXPECT_EQ(reduced<uint8_t>(ncclFloat8e4m3, ncclSum, {0xfe, 0xfe}), 0xfe);
  // An infinity is one already, and NaN stays NaN.
  EXPECT_EQ(reduced<uint8_t>(ncclFloat8e5m2, ncclSum, {0x7c, 0x3c}), 0x7c);
  EXPECT_EQ(reduced<uint8_t>(ncclFloat8e4m3, ncclSum, {0x7f, 0x38}), 0x7f);
}

/// A sum with one rank widens and narrows each value: it has to come back.
TEST(HostNcclReduction, every_small_float_widens_and_narrows_to_itself) {
  for (ncclDataType_t type :
       {ncclFloat16, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2}) {
    bool isByte = type == ncclFloat8e4m3 || type == ncclFloat8e5m2;
    size_t count = isByte ? 256 : 65536;
    std::vector<uint16_t> words(count);
    std::vector<uint8_t> bytes(count);
    for (size_t i = 0; i < count; ++i) {
      words[i] = static_cast<uint16_t>(i);
      bytes[i] = static_cast<uint8_t>(i);
    }
    void *data = isByte ? static_cast<void *>(bytes.data()) : words.data();
    onRanks(1, [&](int, ncclComm_t comm) {
      return ncclAllReduce(data, data, count, type, ncclSum, comm, nullptr);
    });
    const uint32_t infinity = type == ncclFloat16      ? 0x7c00
                              : type == ncclBfloat16   ? 0x7f80
                              : type == ncclFloat8e5m2 ? 0x7c
                                                       : 0x7e;
    uint32_t sign = isByte ? 0x80 : 0x8000;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t got = isByte ? bytes[i] : words[i];
      bool isNaN = (i & ~sign) > infinity;
      if (isNaN)
        EXPECT_GT(got & ~sign, infinity) << i << " of type " << type;
      else
        EXPECT_EQ(got, i) << "of type " << type;
    }
  }
}

TEST(HostNcclReduction, float16_rounds_ties_to_even) {
  // 2048 + 1 and 2050 + 1 lie half way; subnormal and smallest normal sums.
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x6800, 0x3c00}), 0x6800);
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x6801, 0x3c00}), 0x6802);
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x0001, 0x0001}), 0x0002);
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclSum, {0x03ff, 0x0001}), 0x0400);
  // Half of the smallest subnormal goes to zero, three halves of it to two.
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclAvg, {0x0001, 0x0000}), 0x0000);
  EXPECT_EQ(reduced<uint16_t>(ncclFloat16, ncclAvg, {0x0003, 0x0000}), 0x0002);
}

TEST(HostNcclReduction, adds_in_ascending_order_of_rank) {
  const float big = 16777216; // 2^24, beyond which 1 is lost.
  EXPECT_EQ(reduced<float>(ncclFloat32, ncclSum, {1, 1, big}), big + 2);
  EXPECT_EQ(reduced<float>(ncclFloat32, ncclSum, {big, 1, 1}), big);
  EXPECT_EQ(reduced<float>(ncclFloat32, ncclSum, {1, big, -big}), 0);
}

TEST(HostNcclReduction, average_is_the_sum_divided_by_the_count) {
  EXPECT_EQ(reduced<float>(ncclFloat32, ncclAvg, {1, 1, 5}), 7.0f / 3.0f);
  EXPECT_EQ(reduced<double>(ncclFloat64, ncclAvg, {1, 1, 5}), 7.0 / 3.0);
  EXPECT_EQ(reduced<int32_t>(ncclInt32, ncclAvg, {-3, -2, -3}), -2);
  EXPECT_EQ(reduced<uint8_t>(ncclUint8, ncclAvg, {1, 2, 5}), 2);
  // The sum wraps before it is divided: 200 is -56.
  EXPECT_EQ(reduced<int8_t>(ncclInt8, ncclAvg, {100, 100}), -28);
  EXPECT_EQ(reduced<uint64_t>(ncclUint64, ncclAvg, {UINT64_MAX, 3}), 1u);
}

TEST(HostNcclReduction, integers_wrap) {
  EXPECT_EQ(reduced<int32_t>(ncclInt32, ncclSum, {INT32_MAX, 1}), INT32_MIN);
  EXPECT_EQ(reduced<int64_t>(ncclInt64, ncclProd, {INT64_MAX, 2}), -2);
  EXPECT_EQ(reduced<uint8_t>(ncclUint8, ncclProd, {200, 2}), 144);
  EXPECT_EQ(reduced<int8_t>(ncclInt8, ncclSum, {120, 100}), -36);
}

TEST(HostNcclReduction, zeros_are_ordered_in_max_and_min) {
  for (auto values : {std::vector<float>{-0.0f, 0.0f}, {0.0f, -0.0f}}) {
    EXPECT_FALSE(std::signbit(reduced(ncclFloat32, ncclMax, values)));
    EXPECT_TRUE(std::signbit(reduced(ncclFloat32, ncclMin, values)));
  }
  EXPECT_EQ(reduced<double>(ncclFloat64, ncclMax, {-3, -2, -2.5}), -2);
  EXPECT_EQ(reduced<double>(ncclFloat64, ncclMin, {-3, -2, -3.5}), -3.5);
}

TEST(HostNcclReduction, nan_loses_in_max_and_min_and_wins_in_sums) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (ncclRedOp_t op : {ncclMax, ncclMin}) {
    EXPECT_EQ(reduced<float>(ncclFloat32, op, {nan, -1, nan}), -1);
    EXPECT_TRUE(std::isnan(reduced<float>(ncclFloat32, op, {nan, nan})));
    EXPECT_EQ(reduced<uint16_t>(ncclFloat16, op, {0x7e00, 0xbc00}), 0xbc00);
    EXPECT_EQ(reduced<uint8_t>(ncclFloat8e4m3, op, {0x7f, 0xb8}), 0xb8);
  }
  EXPECT_TRUE(std::isnan(reduced<float>(ncclFloat32, ncclSum, {nan, 1})));
  EXPECT_TRUE(std::isnan(reduced<float>(ncclFloat32, ncclProd, {0, nan})));
}
