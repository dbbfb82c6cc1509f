// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// This project's nccl.h against NVIDIA's, and as C.

#include "NcclFacts.h"
#include "pctl/Runtime/nccl.h"
#include "gtest/gtest.h"
#include <algorithm>

extern "C" int configSizeInC(void);

TEST(NcclHeader, agrees_with_the_installed_one) {
  std::vector<std::string> ours = factsOfOurHeader();
  std::vector<std::string> theirs = factsOfInstalledHeader();
  if (theirs.empty())
    GTEST_SKIP() << "NVIDIA's nccl.h is not installed";
  // One newer than 2.28 may have grown; its own test would be another header.
  if (std::find(theirs.begin(), theirs.end(), "NCCL_MINOR = 28") ==
      theirs.end())
    GTEST_SKIP() << "the installed nccl.h is not of NCCL 2.28";
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(ours[i], theirs[i]);
}

TEST(NcclHeader, is_c) {
  EXPECT_EQ(static_cast<size_t>(configSizeInC()), sizeof(ncclConfig_t));
}
