// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The host library's own interface: trace hook and timeout.

#include "HostNcclRanks.h"
#include <map>
#include <mutex>

namespace {
/// Keeps what the hook is given, as text, for each rank.
struct Log {
  std::mutex mutex;
  std::map<int, std::vector<std::string>> lines;
  bool timesAreOrdered = true;

  static void add(const pctlNcclTraceEvent *event, void *user) {
    Log &log = *static_cast<Log *>(user);
    char text[256];
    std::snprintf(text, sizeof(text),
                  "%s(%d) %llu %s%s%s type %d count %zu bytes %llu in %llu out "
                  "%llu peer %d group %d",
                  event->commName, event->rankCount,
                  static_cast<unsigned long long>(event->call), event->op,
                  event->reduction ? " " : "",
                  event->reduction ? event->reduction : "",
                  static_cast<int>(event->datatype), event->count,
                  static_cast<unsigned long long>(event->bytes),
                  static_cast<unsigned long long>(event->sendBytes),
                  static_cast<unsigned long long>(event->recvBytes),
                  event->peer, event->groupSize);
    std::lock_guard<std::mutex> lock(log.mutex);
    log.lines[event->rank].push_back(text);
    log.timesAreOrdered &= event->startNs > 0 && event->startNs <= event->endNs;
  }
};
} // namespace

TEST(HostNcclTrace, sees_every_call_that_ends_well) {
  Log log;
  static float data[2][64];
  ASSERT_EQ(pctlNcclSetTraceHook(Log::add, &log), ncclSuccess);
  onRanks(2, [](int rank, ncclComm_t comm) {
    ncclAllGather(data[rank], data[rank] + 8, 4, ncclFloat32, comm, nullptr);
    ncclReduce(data[rank], data[rank], 3, ncclFloat32, ncclMax, 1, comm,
               nullptr);
    ncclGroupStart();
    ncclSend(data[rank], 2, ncclInt32, 1 - rank, comm, nullptr);
    ncclRecv(data[rank] + 32, 2, ncclInt32, 1 - rank, comm, nullptr);
    ncclGroupEnd();
    // This one does not.
    return ncclAllReduce(data[rank], data[rank], 1 + rank, ncclFloat32, ncclSum,
                         comm, nullptr);
  });
  ASSERT_EQ(pctlNcclSetTraceHook(nullptr, nullptr), ncclSuccess);
  onRanks(1, [](int, ncclComm_t comm) {
    return ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, comm, nullptr);
  });

  EXPECT_TRUE(log.timesAreOrdered);
  for (int rank = 0; rank < 2; ++rank) {
    std::string peer = std::to_string(1 - rank);
    std::vector<std::string> expected = {
        "world(2) 0 ncclCommInitRank type 12 count 0 bytes 0 in 0 out 0 peer "
        "-1 group 1",
        "world(2) 1 ncclAllGather type 7 count 4 bytes 16 in 16 out 32 peer -1 "
        "group 1",
        "world(2) 2 ncclReduce max type 7 count 3 bytes 12 in 12 out " +
            std::string(rank ? "12" : "0") + " peer 1 group 1",
        "world(2) 1 ncclSend type 2 count 2 bytes 8 in 8 out 0 peer " + peer +
            " group 2",
        "world(2) 1 ncclRecv type 2 count 2 bytes 8 in 0 out 8 peer " + peer +
            " group 2"};
    EXPECT_EQ(log.lines[rank], expected);
  }
}

TEST(HostNcclTimeoutSetting, is_kept_and_checked) {
  int64_t before = 0, now = 0;
  ASSERT_EQ(pctlNcclGetTimeoutMs(&before), ncclSuccess);
  EXPECT_EQ(pctlNcclSetTimeoutMs(1234), ncclSuccess);
  EXPECT_EQ(pctlNcclGetTimeoutMs(&now), ncclSuccess);
  EXPECT_EQ(now, 1234);
  EXPECT_EQ(pctlNcclSetTimeoutMs(0), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "pctlNcclSetTimeoutMs: 0 is not positive");
  EXPECT_EQ(pctlNcclGetTimeoutMs(nullptr), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "pctlNcclGetTimeoutMs: timeoutMs is null");
  EXPECT_EQ(pctlNcclSetTimeoutMs(before), ncclSuccess);
}

/// Run on its own by HostNcclEnvironment, with the variable set: the library
/// reads it at the first call of a process.
static void checkEnvironment(int64_t expected) {
  int64_t value = 0;
  bool isRight =
      pctlNcclGetTimeoutMs(&value) == ncclSuccess && value == expected;
  std::exit(isRight ? 0 : 1);
}

TEST(HostNcclTimeoutSettingDeathTest, comes_from_the_environment) {
  // "threadsafe" runs the statement in a process begun anew.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("PCTL_NCCL_TIMEOUT_MS", "4321", 1);
  EXPECT_EXIT(checkEnvironment(4321), ::testing::ExitedWithCode(0), "");
  setenv("PCTL_NCCL_TIMEOUT_MS", "nonsense", 1);
  EXPECT_EXIT(checkEnvironment(30000), ::testing::ExitedWithCode(0), "");
  unsetenv("PCTL_NCCL_TIMEOUT_MS");
}
