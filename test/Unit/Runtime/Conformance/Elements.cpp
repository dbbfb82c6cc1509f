// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Elements as numbers: a codec for each data type, from its definition.

#include "Elements.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace conformance;

const std::vector<ncclDataType_t> conformance::allTypes = {
    ncclInt8,    ncclUint8,    ncclInt32,      ncclUint32,
    ncclInt64,   ncclUint64,   ncclFloat16,    ncclFloat32,
    ncclFloat64, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2};

const std::vector<ncclRedOp_t> conformance::allReductions = {
    ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};

namespace {
struct TypeFacts {
  const char *name;
  size_t size;
  bool isFloating;
  bool isSigned;
  // Of floating types: bits of the exponent and of the mantissa.
  int exponentBits;
  int mantissaBits;
};
} // namespace

static const TypeFacts &factsOf(ncclDataType_t type) {
  static const TypeFacts facts[] = {
      {"int8", 1, false, true, 0, 0},      {"uint8", 1, false, false, 0, 0},
      {"int32", 4, false, true, 0, 0},     {"uint32", 4, false, false, 0, 0},
      {"int64", 8, false, true, 0, 0},     {"uint64", 8, false, false, 0, 0},
      {"float16", 2, true, true, 5, 10},   {"float32", 4, true, true, 8, 23},
      {"float64", 8, true, true, 11, 52},  {"bfloat16", 2, true, true, 8, 7},
      {"float8e4m3", 1, true, true, 4, 3}, {"float8e5m2", 1, true, true, 5, 2}};
  return facts[type];
}

size_t conformance::sizeOf(ncclDataType_t type) { return factsOf(type).size; }
const char *conformance::nameOf(ncclDataType_t type) {
  return factsOf(type).name;
}
bool conformance::isFloating(ncclDataType_t type) {
  return factsOf(type).isFloating;
}
bool conformance::isSigned(ncclDataType_t type) {
  return factsOf(type).isSigned;
}

const char *conformance::nameOf(ncclRedOp_t op) {
  static const char *const names[] = {"sum", "prod", "max", "min", "avg"};
  return op < ncclNumOps ? names[op] : "made";
}

/// Bits of a finite value that the format holds exactly.
static uint64_t encodeFloat(const TypeFacts &facts, double value) {
  int bias = (1 << (facts.exponentBits - 1)) - 1;
  uint64_t sign = std::signbit(value) ? 1 : 0;
  double magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude = f * 2^exponent, f in [1/2, 1)
  int biased = magnitude == 0 ? 0 : std::max(exponent - 1 + bias, 0);
  int step = std::max(biased, 1) - bias - facts.mantissaBits;
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(magnitude, -step));
  if (biased > 0)
    mantissa -= 1ull << facts.mantissaBits;
  return (((sign << facts.exponentBits) + biased) << facts.mantissaBits) +
         mantissa;
}

static double decodeFloat(const TypeFacts &facts, uint64_t bits) {
  int bias = (1 << (facts.exponentBits - 1)) - 1;
  uint64_t mantissa = bits & ((1ull << facts.mantissaBits) - 1);
  int biased = static_cast<int>((bits >> facts.mantissaBits) &
                                ((1ull << facts.exponentBits) - 1));
  bool isNegative = bits >> (facts.exponentBits + facts.mantissaBits);
  double value;
  // The four-bit exponent has no infinity, and one NaN.
  if (facts.exponentBits == 4 && biased == 15 && mantissa == 7)
    value = NAN;
  else if (facts.exponentBits != 4 && biased == (1 << facts.exponentBits) - 1)
    value = mantissa ? NAN : INFINITY;
  else
    value =
        std::ldexp(biased ? mantissa + (1ull << facts.mantissaBits) : mantissa,
                   std::max(biased, 1) - bias - facts.mantissaBits);
  return isNegative ? -value : value;
}

static uint64_t encodeOne(const TypeFacts &facts, double value) {
  if (!facts.isFloating)
    return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                     : static_cast<uint64_t>(value);
  uint64_t bits = encodeFloat(facts, value);
  EXPECT_EQ(decodeFloat(facts, bits), value)
      << facts.name << " does not hold the value";
  return bits;
}

std::vector<char> conformance::encode(ncclDataType_t type,
                                      const std::vector<double> &values) {
  const TypeFacts &facts = factsOf(type);
  std::vector<char> bytes(values.size() * facts.size);
  for (size_t i = 0; i < values.size(); ++i) {
    // Little-endian, as every machine that NCCL runs on.
    uint64_t bits = encodeOne(facts, values[i]);
    std::memcpy(bytes.data() + i * facts.size, &bits, facts.size);
  }
  return bytes;
}

std::vector<double> conformance::decode(ncclDataType_t type,
                                        const std::vector<char> &bytes) {
  const TypeFacts &facts = factsOf(type);
  std::vector<double> values(bytes.size() / facts.size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * facts.size, facts.size);
    int unused = 64 - static_cast<int>(facts.size) * 8;
    if (facts.isFloating)
      values[i] = decodeFloat(facts, bits);
    else if (facts.isSigned)
      values[i] =
          static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
    else
      values[i] = static_cast<double>(bits);
  }
  return values;
}

double conformance::inputOf(ncclDataType_t type, ncclRedOp_t op, int rank,
                            size_t index) {
  size_t row = static_cast<size_t>(rank);
  size_t mix = row * 7 + index * 3 + index / 8 + (row * index) % 5;
  if (op == ncclProd) {
    static const double floats[] = {1, 2, -1, 0.5};
    static const double integers[] = {1, 2, 3, -1};
    double value = (isFloating(type) ? floats : integers)[mix % 4];
    return isSigned(type) ? value : std::fabs(value);
  }
  bool adds = op == ncclSum || op == ncclAvg;
  if (adds && sizeOf(type) == 1 && isFloating(type))
    return static_cast<double>(mix % 3) - 1;
  double value = static_cast<double>(mix % 15);
  return isSigned(type) ? value - 7 : value;
}

double conformance::reduceValues(ncclDataType_t type, ncclRedOp_t op,
                                 const std::vector<double> &values) {
  double result = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    if (op == ncclProd)
      result *= values[i];
    else if (op == ncclMax)
      result = std::max(result, values[i]);
    else if (op == ncclMin)
      result = std::min(result, values[i]);
    else
      result += values[i];
  }
  if (op != ncclAvg)
    return result;
  result /= static_cast<double>(values.size());
  return isFloating(type) ? result : std::trunc(result);
}
