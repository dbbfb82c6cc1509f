// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Types of tensors: what is read, what is refused, and with which message.

#include "pctl/Layout/TensorType.h"

#include "gtest/gtest.h"

using namespace pctl::layout;

namespace {

std::string parseAgain(llvm::StringRef text) {
  llvm::Expected<TensorType> type = parseTensorType(text);
  return type ? toString(*type) : llvm::toString(type.takeError());
}

int64_t getBits(llvm::StringRef name) {
  return llvm::cantFail(parseElementType(name)).bits;
}

int64_t getBytes(llvm::StringRef name) {
  return llvm::cantFail(parseElementType(name)).getBytes();
}

TEST(TensorType, shapes_and_scalars) {
  EXPECT_EQ(parseAgain("16x16x16xf32"), "16x16x16xf32");
  EXPECT_EQ(parseAgain(" 0x7xi1 "), "0x7xi1");
  EXPECT_EQ(parseAgain("f32"), "f32");
  EXPECT_EQ(parseAgain("xf32"), "f32");
  EXPECT_EQ(parseAgain("3xindex"), "3xindex");
  EXPECT_EQ(parseAgain("3xcomplex<bf16>"), "3xcomplex<bf16>");
  EXPECT_EQ(parseAgain("complex<i8>"), "complex<i8>");
  EXPECT_EQ(parseAgain("9223372036854775807xi8"), "9223372036854775807xi8");
}

TEST(TensorType, bits_and_bytes) {
  EXPECT_EQ(getBits("i1"), 1);
  EXPECT_EQ(getBits("ui4"), 4);
  EXPECT_EQ(getBits("si64"), 64);
  EXPECT_EQ(getBits("index"), 64);
  EXPECT_EQ(getBits("f4E2M1FN"), 4);
  EXPECT_EQ(getBits("f8E4M3FNUZ"), 8);
  EXPECT_EQ(getBits("tf32"), 19);
  EXPECT_EQ(getBits("complex<f64>"), 128);
  EXPECT_EQ(getBytes("i1"), 1);
  EXPECT_EQ(getBytes("i4"), 1);
  EXPECT_EQ(getBytes("i9"), 2);
  EXPECT_EQ(getBytes("bf16"), 2);
  EXPECT_EQ(getBytes("f80"), 10);
  EXPECT_EQ(getBytes("complex<f32>"), 8);
  EXPECT_EQ(getBytes("i16777215"), 2097152);
}

TEST(TensorType, wrong_shapes) {
  EXPECT_EQ(parseAgain(""),
            "no type; 16x16xf32 is one, f32 is that of a scalar");
  EXPECT_EQ(parseAgain("16"),
            "'16' has no element type at its end; 16x16xf32 has one");
  EXPECT_EQ(parseAgain("16x4"),
            "'16x4' has no element type at its end; 16x16xf32 has one");
  EXPECT_EQ(parseAgain("4x?xf32"),
            "size '?' of dim 1 is no number from 0 to 2^63 - 1");
  EXPECT_EQ(parseAgain("-4xf32"),
            "size '-4' of dim 0 is no number from 0 to 2^63 - 1");
  EXPECT_EQ(parseAgain("9223372036854775808xf32"),
            "size '9223372036854775808' of dim 0 is no number from 0 to "
            "2^63 - 1");
  EXPECT_EQ(parseAgain("4xxf32"),
            "'xf32' is no element type; f32, bf16, f8E4M3FN, i8, i1, index and "
            "complex<f32> are some");
}

TEST(TensorType, wrong_elements) {
  EXPECT_EQ(parseAgain("4x"), "'' is no element type; f32, bf16, f8E4M3FN, i8, "
                              "i1, index and complex<f32> are some");
  EXPECT_EQ(parseAgain("4xfloat"),
            "'float' is no element type; f32, bf16, f8E4M3FN, i8, i1, index "
            "and complex<f32> are some");
  EXPECT_EQ(parseAgain("4xi0"),
            "element type 'i0' has 0 bits, an integer has 1 to 16777215");
  EXPECT_EQ(parseAgain("4xi16777216"), "element type 'i16777216' has 16777216 "
                                       "bits, an integer has 1 to 16777215");
  EXPECT_EQ(parseAgain("4xcomplex<index>"),
            "element type 'complex<index>' has parts of type 'index', they "
            "must be integers or floats");
  EXPECT_EQ(parseAgain("4xcomplex<complex<f32>>"),
            "element type 'complex<complex<f32>>' has parts of type "
            "'complex<f32>', they must be integers or floats");
}

TEST(TensorType, reductions_by_class) {
  EXPECT_TRUE(isKindFor(ReductionKind::Sum, ElementClass::Complex));
  EXPECT_TRUE(isKindFor(ReductionKind::Maximum, ElementClass::Float));
  EXPECT_TRUE(isKindFor(ReductionKind::Or, ElementClass::Integer));
  EXPECT_FALSE(isKindFor(ReductionKind::Maximum, ElementClass::Integer));
  EXPECT_FALSE(isKindFor(ReductionKind::MaxSigned, ElementClass::Float));
  EXPECT_FALSE(isKindFor(ReductionKind::Xor, ElementClass::Complex));
}

} // namespace
