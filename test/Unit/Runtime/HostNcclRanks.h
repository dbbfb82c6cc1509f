// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Ranks as threads, with what each of them was told: for tests of the host
/// library's strictness.

#ifndef PCTL_TEST_UNIT_RUNTIME_HOSTNCCLRANKS_H
#define PCTL_TEST_UNIT_RUNTIME_HOSTNCCLRANKS_H

#include "pctl/Runtime/HostNccl.h"
#include "gtest/gtest.h"
#include <functional>
#include <string>
#include <thread>
#include <vector>

/// What a rank's last call returned, and the text that came with it.
struct Outcome {
  ncclResult_t code = ncclSuccess;
  std::string text;
};

inline Outcome outcomeOf(ncclResult_t code) {
  return {code, code == ncclSuccess ? "" : ncclGetLastError(nullptr)};
}

/// Joins a communicator with a name.
inline ncclComm_t join(ncclUniqueId id, int count, int rank, const char *name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, count, id, rank, &config),
            ncclSuccess)
      << ncclGetLastError(nullptr);
  return comm;
}

inline ncclUniqueId newId() {
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

/// A split that all ranks join, with a name.
inline ncclComm_t splitAll(ncclComm_t comm, const char *name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  ncclComm_t child = nullptr;
  EXPECT_EQ(ncclCommSplit(comm, 0, 0, &child, &config), ncclSuccess)
      << ncclGetLastError(nullptr);
  return child;
}

/// Runs `body` on each of `count` ranks of a new communicator 'world', and
/// gives what the result code it returns came with. Ends of the communicator
/// are destroyed when all have returned, so that nobody is seen to leave early.
inline std::vector<Outcome>
onRanks(int count,
        const std::function<ncclResult_t(int rank, ncclComm_t comm)> &body) {
  ncclUniqueId id = newId();
  std::vector<Outcome> outcomes(count);
  std::vector<ncclComm_t> comms(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      comms[rank] = join(id, count, rank, "world");
      outcomes[rank] = outcomeOf(body(rank, comms[rank]));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (ncclComm_t comm : comms)
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  return outcomes;
}

/// Expects the same error on every rank.
inline void expectAll(const std::vector<Outcome> &outcomes, ncclResult_t code,
                      const std::string &text) {
  for (const Outcome &outcome : outcomes) {
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.text, text);
  }
}

/// A short time to wait, for tests that wait it out.
class ShortTimeout : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(pctlNcclGetTimeoutMs(&before), ncclSuccess);
    ASSERT_EQ(pctlNcclSetTimeoutMs(timeoutMs), ncclSuccess);
  }
  void TearDown() override { pctlNcclSetTimeoutMs(before); }

  static constexpr int64_t timeoutMs = 500;
  int64_t before = 0;
};

#endif // PCTL_TEST_UNIT_RUNTIME_HOSTNCCLRANKS_H
