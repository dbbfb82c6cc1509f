// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Ranks that come to the same call with different ideas of it.

#include "HostNcclRanks.h"

static float data[64];
static float moreData[8][64];

TEST(HostNcclMismatch, count) {
  std::vector<float> many[4];
  for (std::vector<float> &buffer : many)
    buffer.resize(409600);
  std::vector<Outcome> outcomes = onRanks(4, [&](int rank, ncclComm_t comm) {
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(ncclAllReduce(moreData[rank], moreData[rank], 1, ncclFloat32,
                              ncclSum, comm, nullptr),
                ncclSuccess);
    return ncclAllReduce(many[rank].data(), many[rank].data(),
                         rank == 1 ? 409598 : 409600, ncclFloat32, ncclSum,
                         comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (4 ranks), call 7: ncclAllReduce "
            "of 409598 float32 (sum), but rank 0 has ncclAllReduce of 409600 "
            "float32 (sum)");
}

TEST(HostNcclMismatch, data_type) {
  static int64_t words[16];
  std::vector<Outcome> outcomes = onRanks(3, [&](int rank, ncclComm_t comm) {
    if (rank == 2)
      return ncclAllReduce(words, words, 16, ncclInt64, ncclSum, comm, nullptr);
    return ncclAllReduce(moreData[rank], moreData[rank], 16, ncclFloat32,
                         ncclSum, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 2 of communicator 'world' (3 ranks), call 1: ncclAllReduce "
            "of 16 int64 (sum), but rank 0 has ncclAllReduce of 16 float32 "
            "(sum)");
}

TEST(HostNcclMismatch, reduction) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    return ncclReduceScatter(moreData[rank], moreData[rank + 2], 4, ncclFloat32,
                             rank ? ncclMax : ncclSum, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: "
            "ncclReduceScatter of 4 float32 (max), but rank 0 has "
            "ncclReduceScatter of 4 float32 (sum)");
}

TEST(HostNcclMismatch, root) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    return ncclBroadcast(moreData[rank], moreData[rank], 4, ncclFloat32, rank,
                         comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: ncclBroadcast "
            "of 4 float32 from root 1, but rank 0 has ncclBroadcast of 4 "
            "float32 from root 0");
}

TEST(HostNcclMismatch, collective) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank)
      return ncclReduce(moreData[1], moreData[1], 4, ncclFloat32, ncclMin, 0,
                        comm, nullptr);
    return ncclAllGather(data, moreData[0], 4, ncclFloat32, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: ncclReduce of 4 "
            "float32 (min) to root 0, but rank 0 has ncclAllGather of 4 "
            "float32");
}

TEST(HostNcclMismatch, split_against_collective) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    ncclComm_t child;
    if (rank)
      return ncclCommSplit(comm, 0, 0, &child, nullptr);
    return ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: ncclCommSplit, "
            "but rank 0 has ncclAllReduce of 4 float32 (sum)");
}

TEST(HostNcclMismatch, group_structure) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank == 0)
      ncclGroupStart();
    ncclResult_t code = ncclAllReduce(moreData[2 * rank], moreData[2 * rank], 4,
                                      ncclFloat32, ncclSum, comm, nullptr);
    if (rank)
      return code;
    ncclAllReduce(moreData[1], moreData[1], 4, ncclFloat32, ncclSum, comm,
                  nullptr);
    return ncclGroupEnd();
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: ncclAllReduce "
            "of 4 float32 (sum) on its own, but rank 0 has ncclAllReduce of 4 "
            "float32 (sum) as collective 1 of 2 of its group");
}

/// Ranks that agree with each other wait for those that have not come, but not
/// long: a difference is told even if they never do.
TEST(HostNcclMismatch, is_told_before_all_have_come) {
  std::vector<Outcome> outcomes = onRanks(3, [&](int rank, ncclComm_t comm) {
    if (rank == 2)
      return ncclSuccess;
    return ncclAllReduce(moreData[rank], moreData[rank], 4 + rank, ncclFloat32,
                         ncclSum, comm, nullptr);
  });
  outcomes.pop_back();
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (3 ranks), call 1: ncclAllReduce "
            "of 5 float32 (sum), but rank 0 has ncclAllReduce of 4 float32 "
            "(sum)");
}

TEST(HostNcclMismatch, stays_the_error_of_the_communicator) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    ncclResult_t error = ncclInternalError;
    EXPECT_EQ(ncclCommGetAsyncError(comm, &error), ncclSuccess);
    EXPECT_EQ(error, ncclSuccess);
    ncclResult_t first = ncclAllReduce(moreData[rank], moreData[rank], 4 + rank,
                                       ncclFloat32, ncclSum, comm, nullptr);
    std::string text = ncclGetLastError(comm);
    EXPECT_EQ(ncclCommGetAsyncError(comm, &error), ncclSuccess);
    EXPECT_EQ(error, first);
    ncclResult_t second =
        ncclSend(data, 1, ncclFloat32, 1 - rank, comm, nullptr);
    EXPECT_EQ(second, first);
    EXPECT_EQ(ncclGetLastError(comm), text);
    ncclComm_t child;
    return ncclCommSplit(comm, 0, 0, &child, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), call 1: ncclAllReduce "
            "of 5 float32 (sum), but rank 0 has ncclAllReduce of 4 float32 "
            "(sum)");
}

TEST(HostNcclMismatch, message_count) {
  std::vector<Outcome> outcomes = onRanks(3, [&](int rank, ncclComm_t comm) {
    if (rank == 0)
      return ncclSend(data, 10, ncclFloat32, 1, comm, nullptr);
    if (rank == 1)
      return ncclRecv(moreData[0], 12, ncclFloat32, 0, comm, nullptr);
    return ncclAllReduce(moreData[1], moreData[1], 1, ncclFloat32, ncclSum,
                         comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (3 ranks), receive 1: ncclRecv of "
            "12 float32 from rank 0, but rank 0 has ncclSend of 10 float32 to "
            "rank 1");
}

TEST(HostNcclMismatch, message_type) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank == 0)
      return ncclSend(data, 10, ncclFloat32, 1, comm, nullptr);
    return ncclRecv(moreData[0], 10, ncclInt32, 0, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks), receive 1: ncclRecv of "
            "10 int32 from rank 0, but rank 0 has ncclSend of 10 float32 to "
            "rank 1");
}

TEST(HostNcclMismatch, ranks_of_a_new_communicator) {
  ncclUniqueId id = newId();
  Outcome outcomes[2];
  std::thread other([&] {
    ncclComm_t comm = nullptr;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    outcomes[1] = outcomeOf(ncclCommInitRankConfig(&comm, 2, id, 0, &config));
    EXPECT_EQ(comm, nullptr);
  });
  ncclComm_t comm = nullptr;
  outcomes[0] = outcomeOf(ncclCommInitRank(&comm, 3, id, 1));
  EXPECT_EQ(comm, nullptr);
  other.join();
  for (const Outcome &outcome : outcomes)
    EXPECT_EQ(outcome.code, ncclInvalidArgument);
  EXPECT_EQ(outcomes[0].text, outcomes[1].text);
  // Which of the two came first is not known.
  EXPECT_TRUE(outcomes[0].text == "ncclCommInitRank: rank 1 joins with nranks "
                                  "3, but others joined with 2" ||
              outcomes[0].text == "ncclCommInitRank: rank 0 joins with nranks "
                                  "2, but others joined with 3")
      << outcomes[0].text;
}
