// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// How a rank ends when a call of NCCL fails.

#include "Harness.h"

#include "pctl/Runtime/Context.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <unistd.h>

using namespace pctl::test;

TEST(Check, ReturnsAfterSuccess) {
  pctlCheck(ncclSuccess, nullptr, "ncclAllReduce");
}

TEST(CheckDeathTest, NamesRankCallAndReason) {
  pctlSetRank(3);
  EXPECT_EXIT(pctlCheck(ncclInvalidArgument, nullptr, "ncclAllReduce"),
              testing::ExitedWithCode(1),
              "pctl: error: rank 3: ncclAllReduce: invalid argument");
  pctlSetRank(-1);
  EXPECT_EXIT(pctlCheck(ncclSystemError, nullptr, "ncclGroupEnd"),
              testing::ExitedWithCode(1),
              "pctl: error: rank \\?: ncclGroupEnd: ");
}

static void reportAndLeave(int rank, const char *message, void *user) {
  std::fprintf(stderr, "%s %d [%s]\n", static_cast<const char *>(user), rank,
               message);
  _exit(7);
}

TEST(CheckDeathTest, TellsTheHandler) {
  char name[] = "handler";
  pctlSetErrorHandler(reportAndLeave, name);
  pctlSetRank(5);
  EXPECT_EXIT(pctlCheck(ncclInternalError, nullptr, "ncclSend"),
              testing::ExitedWithCode(7),
              "handler 5 \\[pctl: error: rank 5: ncclSend: internal error");
  pctlSetErrorHandler(nullptr, nullptr);
  pctlSetRank(-1);
}

TEST(MemoryDeathTest, NamesRankAndSize) {
  // More than a process can address. Kept from the compiler, which may drop an
  // allocation of which nothing is used.
  volatile size_t sizeBytes = size_t(1) << 62;
  pctlSetRank(2);
  EXPECT_EXIT(_mlir_memref_to_llvm_alloc(sizeBytes), testing::ExitedWithCode(1),
              "pctl: error: rank 2: no memory for a buffer of "
              "4611686018427387904 bytes");
  pctlSetRank(-1);
}

TEST(CheckDeathTest, EndsAProgramWhoseRanksDisagree) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const char *text = R"(
    pctl.mesh @m <["x"=2]>
    func.func @main(%v: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %v, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = pctl.all_reduce ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>)
          kind = sum axes = ["x"] on @m -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
  EXPECT_EXIT(run(text, 2, {{Array::zeros({2}, 4)}, {Array::zeros({3}, 4)}}),
              testing::ExitedWithCode(1),
              "pctl: error: rank [01]: ncclAllReduce: ");
}
