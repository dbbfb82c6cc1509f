// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// .npy files: what is written reads back, what NumPy writes is read, and each
/// way a file can be wrong has its message.

#include "pctl/Tensor/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace pctl::tensor;

static const ElementKind allKinds[] = {
    ElementKind::I1,   ElementKind::I8,  ElementKind::I16,
    ElementKind::I32,  ElementKind::I64, ElementKind::F16,
    ElementKind::BF16, ElementKind::F32, ElementKind::F64};

/// Returns a version 1 file with this header and \p dataBytes zeros.
static std::string makeFile(const std::string &header, size_t dataBytes) {
  std::string file = "\x93NUMPY";
  file += {1, 0, static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  return file + header + std::string(dataBytes, '\0');
}

static std::string getError(llvm::StringRef file) {
  llvm::Expected<HostTensor> tensor = parseNpy(file);
  return tensor ? "no error" : llvm::toString(tensor.takeError());
}

TEST(Npy, WhatIsPrintedParsesBack) {
  for (ElementKind kind : allKinds)
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{}, {0}, {5}, {2, 3}, {2, 0, 4}}) {
      HostTensor tensor = llvm::cantFail(HostTensor::create(kind, shape));
      fillRandom(tensor, 7);
      std::string file = printNpy(tensor);
      HostTensor back = llvm::cantFail(parseNpy(file));
      EXPECT_EQ(back.getKind(), kind);
      EXPECT_EQ(back.getShape(), llvm::ArrayRef<int64_t>(shape));
      ASSERT_EQ(back.getSizeBytes(), tensor.getSizeBytes());
      EXPECT_EQ(0, std::memcmp(back.getData(), tensor.getData(),
                               tensor.getSizeBytes()));
      EXPECT_EQ((file.size() - tensor.getSizeBytes()) % 64, 0u);
    }
}

TEST(Npy, ReadsWhatNumpyWrites) {
  std::string file = makeFile(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n", 24);
  HostTensor tensor = llvm::cantFail(parseNpy(file));
  EXPECT_EQ(tensor.getKind(), ElementKind::F32);
  EXPECT_EQ(tensor.getShape(), llvm::ArrayRef<int64_t>({2, 3}));
  // A Fortran-ordered vector is the same in C order.
  EXPECT_EQ("no error",
            getError(makeFile(
                "{'descr': '<i2', 'fortran_order': True, 'shape': (3,)}", 6)));
}

// Versions 2 and 3 differ in the width of the header's length.
TEST(Npy, ReadsLaterVersions) {
  std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}";
  for (char version : {2, 3}) {
    std::string file = "\x93NUMPY";
    file += {version, 0, static_cast<char>(header.size()), 0, 0, 0};
    HostTensor tensor = llvm::cantFail(parseNpy(file + header + "\x05\xff"));
    EXPECT_EQ(tensor.getAsDouble(0), 5);
    EXPECT_EQ(tensor.getAsDouble(1), -1);
  }
}

TEST(Npy, FilesReadBack) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("pctl", "npy", path));
  llvm::FileRemover remover(path);
  HostTensor tensor =
      llvm::cantFail(HostTensor::create(ElementKind::BF16, {3, 5}));
  fillRandom(tensor, 3);
  ASSERT_EQ(llvm::toString(writeNpy(path, tensor)), "");
  EXPECT_EQ(compare(llvm::cantFail(readNpy(path)), tensor, 0).numWrong, 0);
  EXPECT_EQ(llvm::toString(writeNpy("/nonexistent/x.npy", tensor)),
            "/nonexistent/x.npy: No such file or directory");
}

TEST(Npy, EveryFaultHasItsMessage) {
  const char *malformed = "the .npy header is not a dictionary of 'descr', "
                          "'fortran_order' and 'shape'";
  EXPECT_EQ(getError(""), "not a .npy file");
  EXPECT_EQ(getError("PK\x03\x04 an archive"), "not a .npy file");
  EXPECT_EQ(getError(llvm::StringRef("\x93NUMPY\x09\x00", 8)),
            "version 9 of the .npy format is not 1, 2 or 3");
  EXPECT_EQ(getError(llvm::StringRef("\x93NUMPY\x01\x00\x40", 9)),
            "the .npy header is cut off");
  EXPECT_EQ(getError(llvm::StringRef("\x93NUMPY\x01\x00\x40\x00{", 11)),
            "the .npy header is cut off");
  EXPECT_EQ(getError(makeFile("", 0)), malformed);
  EXPECT_EQ(getError(makeFile("{'descr': '<f4'}", 0)), malformed);
  EXPECT_EQ(getError(makeFile(
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 0)),
            malformed);
  EXPECT_EQ(getError(makeFile("{'descr': '<f4', 'fortran_order': Maybe, "
                              "'shape': (1,)}",
                              4)),
            malformed);
  EXPECT_EQ(getError(makeFile(
                "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4)),
            "element type '>f4' is big-endian; little-endian is right");
  EXPECT_EQ(getError(makeFile(
                "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8)),
            "element type '<c8' is not one of bool, integers of 8 to 64 bits, "
            "float16, bfloat16 (V2), float32, float64");
  EXPECT_EQ(
      getError(makeFile(
          "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24)),
      "the .npy data is in Fortran order; C order is right");
  EXPECT_EQ(
      getError(makeFile(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 20)),
      "the .npy data has 20 bytes, its shape and type make 24");
  EXPECT_EQ(
      getError(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': "
                        "(4611686018427387904, 8)}",
                        0)),
      "the .npy data has 0 bytes, its shape and type make "
      "18446744073709551615");
  EXPECT_EQ(getError(makeFile(
                "{'descr': '<<f4', 'fortran_order': False, 'shape': (1,)}", 4)),
            "element type '<<f4' is not one of bool, integers of 8 to 64 bits, "
            "float16, bfloat16 (V2), float32, float64");
  std::string bools =
      makeFile("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3);
  bools.back() = '\x02';
  EXPECT_EQ(getError(bools),
            "element 2 of the .npy data is a bool of 2; 0 or 1 is right");
  EXPECT_EQ(llvm::toString(readNpy("/nonexistent/x.npy").takeError()),
            "/nonexistent/x.npy: No such file or directory");
}
