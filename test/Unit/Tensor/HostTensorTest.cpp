// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Host tensors: slices against indexing by hand, random data, and comparisons
/// that must find what differs.

#include "pctl/Tensor/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace pctl::tensor;
using pctl::layout::Box;
using pctl::layout::Range;

static HostTensor makeTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(HostTensor::create(kind, shape));
}

template <typename T>
static HostTensor makeVector(ElementKind kind, llvm::ArrayRef<T> values) {
  HostTensor tensor = makeTensor(kind, {static_cast<int64_t>(values.size())});
  std::memcpy(tensor.getData(), values.data(), values.size() * sizeof(T));
  return tensor;
}

TEST(HostTensor, ExtractTakesTheElementsOfTheBox) {
  HostTensor whole = makeTensor(ElementKind::F32, {3, 4, 5});
  fillRandom(whole, 1);
  Box box({Range{1, 2}, Range{0, 3}, Range{2, 2}});
  HostTensor slice = whole.extract(box);
  ASSERT_EQ(slice.getShape(), llvm::ArrayRef<int64_t>({2, 3, 2}));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 2; ++k)
        EXPECT_EQ(slice.getAsDouble((i * 3 + j) * 2 + k),
                  whole.getAsDouble(((i + 1) * 4 + j) * 5 + k + 2));
}

TEST(HostTensor, InsertUndoesExtract) {
  HostTensor whole = makeTensor(ElementKind::I16, {5, 7});
  fillRandom(whole, 2);
  HostTensor copy = makeTensor(ElementKind::I16, {5, 7});
  for (int64_t row : {0, 2, 4})
    for (int64_t column : {0, 3, 6}) {
      Box box({Range{row, std::min<int64_t>(2, 5 - row)},
               Range{column, std::min<int64_t>(3, 7 - column)}});
      copy.insert(box, whole.extract(box));
    }
  EXPECT_EQ(compare(copy, whole, 0).numWrong, 0);
}

TEST(HostTensor, EmptyBoxesAndScalars) {
  HostTensor whole = makeTensor(ElementKind::F64, {4, 4});
  EXPECT_EQ(whole.extract(Box({Range{4, 0}, Range{0, 4}})).getNumElements(), 0);
  HostTensor scalar = makeTensor(ElementKind::F64, {});
  fillRandom(scalar, 3);
  EXPECT_EQ(scalar.getNumElements(), 1);
  EXPECT_EQ(scalar.extract(Box()).getAsDouble(0), scalar.getAsDouble(0));
}

TEST(HostTensor, SizesAreChecked) {
  EXPECT_EQ(
      llvm::toString(HostTensor::create(ElementKind::F32, {2, -1}).takeError()),
      "tensor has a size of -1");
  EXPECT_EQ(
      llvm::toString(HostTensor::create(ElementKind::F64, {int64_t(1) << 60, 8})
                         .takeError()),
      "tensor of shape 1152921504606846976x8 is too large");
  EXPECT_EQ(
      makeTensor(ElementKind::F64, {int64_t(1) << 60, 8, 0}).getSizeBytes(), 0);
}

TEST(HostTensor, MemoryMayNotSuffice) {
  EXPECT_EQ(
      llvm::toString(
          HostTensor::create(ElementKind::F64, {int64_t(1) << 52}).takeError()),
      "tensor of shape 4503599627370496 does not fit in memory");
}

TEST(HostTensor, RandomDataDependsOnTheSeedAndStaysInRange) {
  HostTensor a = makeTensor(ElementKind::F16, {1000});
  HostTensor b = makeTensor(ElementKind::F16, {1000});
  fillRandom(a, 1);
  fillRandom(b, 1);
  EXPECT_EQ(compare(a, b, 0).numWrong, 0);
  fillRandom(b, 2);
  EXPECT_GT(compare(a, b, 0).numWrong, 900);
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_LE(std::fabs(a.getAsDouble(i)), 1.0);
  HostTensor bits = makeTensor(ElementKind::I1, {1000});
  fillRandom(bits, 1);
  double sum = 0;
  for (int64_t i = 0; i < 1000; ++i)
    sum += bits.getAsDouble(i);
  EXPECT_NEAR(sum, 500, 100);
}

TEST(Compare, IntegersMustBeEqual) {
  Comparison result =
      compare(makeVector<int32_t>(ElementKind::I32, {1, 2, 3, 5}),
              makeVector<int32_t>(ElementKind::I32, {1, 2, 4, 4}), 1000);
  EXPECT_EQ(result.numWrong, 2);
  EXPECT_EQ(result.firstWrong, 2);
  EXPECT_EQ(result.bound, 0);
  EXPECT_EQ(result.maxError, 1);
}

TEST(Compare, TheBoundOfFloatsGrowsWithTheSums) {
  HostTensor value = makeVector<float>(ElementKind::F32, {1.0f + 0x1p-20f});
  HostTensor reference = makeVector<float>(ElementKind::F32, {1.0f});
  EXPECT_EQ(compare(value, reference, 15).numWrong, 1);
  EXPECT_EQ(compare(value, reference, 16).numWrong, 0);
  EXPECT_EQ(compare(value, reference, 16).bound, 0x1p-20);
}

TEST(Compare, NanAndInfinityMeetTheirLikes) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  float inf = std::numeric_limits<float>::infinity();
  HostTensor value =
      makeVector<float>(ElementKind::F32, {nan, inf, -inf, nan, 0, inf});
  HostTensor reference =
      makeVector<float>(ElementKind::F32, {nan, inf, inf, 0, nan, 0});
  Comparison result = compare(value, reference, 1 << 20);
  EXPECT_EQ(result.numWrong, 4);
  EXPECT_EQ(result.firstWrong, 2);
  EXPECT_EQ(result.wrongValue, -inf);
  EXPECT_EQ(result.wrongReference, inf);
}
