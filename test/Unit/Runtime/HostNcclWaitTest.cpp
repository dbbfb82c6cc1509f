// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Ranks that wait in vain: for one that never comes, for one that has left, or
/// for each other. None hangs, and all are told the same.

#include "HostNcclRanks.h"
#include <chrono>

static float data[8][64];

using HostNcclTimeout = ShortTimeout;

TEST_F(HostNcclTimeout, names_who_waits_and_who_has_not_come) {
  std::vector<Outcome> outcomes = onRanks(4, [](int rank, ncclComm_t comm) {
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(ncclAllReduce(data[rank], data[rank], 8, ncclFloat32, ncclSum,
                              comm, nullptr),
                ncclSuccess);
    if (rank % 2)
      return ncclSuccess;
    return ncclAllReduce(data[rank], data[rank], 16, ncclFloat32, ncclSum, comm,
                         nullptr);
  });
  const std::string last = ": its last call here was call 2, ncclAllReduce of "
                           "8 float32 (sum), and its thread has ended";
  expectAll({outcomes[0], outcomes[2]}, ncclRemoteError,
            "communicator 'world' (4 ranks), call 3: ranks 0, 2 wait in "
            "ncclAllReduce of 16 float32 (sum) and gave up after 500 ms; rank "
            "1 has not come" +
                last + "; rank 3 has not come" + last);
}

TEST_F(HostNcclTimeout, of_a_rank_that_never_called) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    if (rank)
      return ncclSuccess;
    return ncclBroadcast(data[0], data[0], 4, ncclInt32, 1, comm, nullptr);
  });
  expectAll({outcomes[0]}, ncclRemoteError,
            "communicator 'world' (2 ranks), call 1: rank 0 waits in "
            "ncclBroadcast of 4 int32 from root 1 and gave up after 500 ms; "
            "rank 1 has not come: it has made no call here, and its thread has "
            "ended");
}

TEST_F(HostNcclTimeout, of_a_message) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    if (rank)
      return ncclSuccess;
    return ncclSend(data[0], 4, ncclInt32, 1, comm, nullptr);
  });
  expectAll({outcomes[0]}, ncclRemoteError,
            "rank 0 of communicator 'world' (2 ranks), send 1: ncclSend of 4 "
            "int32 to rank 1 waits and gave up after 500 ms; rank 1 has not "
            "come: it has made no call here, and its thread has ended");
}

TEST_F(HostNcclTimeout, of_joining) {
  ncclUniqueId id = newId();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "new";
  ncclComm_t comm = nullptr;
  std::vector<Outcome> outcomes = {
      outcomeOf(ncclCommInitRankConfig(&comm, 3, id, 1, &config))};
  EXPECT_EQ(comm, nullptr);
  // The id is of no more use to those who come late.
  outcomes.push_back(outcomeOf(ncclCommInitRank(&comm, 3, id, 0)));
  expectAll(outcomes, ncclRemoteError,
            "communicator 'new' (3 ranks), call 0: rank 1 waits in "
            "ncclCommInitRank of 3 ranks and gave up after 500 ms; rank 0 has "
            "not come: it has not called; rank 2 has not come: it has not "
            "called");
}

TEST_F(HostNcclTimeout, tells_of_a_rank_that_waits_elsewhere) {
  // Rank 1 waits in a communicator of its own with rank 2, which does not come.
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.commName = "pair";
    ncclComm_t pair = nullptr;
    EXPECT_EQ(
        ncclCommSplit(comm, rank ? 0 : NCCL_SPLIT_NOCOLOR, 0, &pair, &config),
        ncclSuccess);
    ncclResult_t code = ncclSuccess;
    if (rank == 0)
      code = ncclAllReduce(data[0], data[0], 4, ncclFloat32, ncclSum, comm,
                           nullptr);
    if (rank == 1) {
      // It gives up later, so that it is still seen to wait.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      code = ncclAllReduce(data[1], data[1], 4, ncclFloat32, ncclSum, pair,
                           nullptr);
    }
    return code;
  });
  EXPECT_EQ(outcomes[0].code, ncclRemoteError);
  EXPECT_EQ(outcomes[0].text,
            "communicator 'world' (3 ranks), call 2: rank 0 waits in "
            "ncclAllReduce of 4 float32 (sum) and gave up after 500 ms; rank 1 "
            "has not come: it waits as rank 0 of communicator 'pair' (2 "
            "ranks), call 1: ncclAllReduce of 4 float32 (sum); rank 2 has not "
            "come: its last call here was call 1, ncclCommSplit, and its "
            "thread has ended");
}

TEST(HostNcclDeadlock, two_communicators_in_different_orders) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    ncclComm_t a = splitAll(comm, "a");
    ncclComm_t b = splitAll(comm, "b");
    ncclResult_t code = ncclAllReduce(data[rank], data[rank], 4, ncclFloat32,
                                      ncclSum, rank ? b : a, nullptr);
    std::string text = ncclGetLastError(nullptr);
    // The other communicator has the same error.
    EXPECT_EQ(ncclAllReduce(data[rank], data[rank], 4, ncclFloat32, ncclSum,
                            rank ? a : b, nullptr),
              code);
    EXPECT_EQ(ncclGetLastError(nullptr), text);
    return code;
  });
  expectAll(outcomes, ncclInvalidUsage,
            "deadlock: rank 0 of communicator 'a' (2 ranks), call 1: "
            "ncclAllReduce of 4 float32 (sum) waits for rank 1, which is busy "
            "as rank 1 of communicator 'b' (2 ranks), call 1: ncclAllReduce of "
            "4 float32 (sum) waits for rank 0, which is busy in the first of "
            "these");
}

TEST(HostNcclDeadlock, both_send_first_without_a_group) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    ncclResult_t code =
        ncclSend(data[rank], 4, ncclFloat32, 1 - rank, comm, nullptr);
    if (code != ncclSuccess)
      return code;
    return ncclRecv(data[rank + 2], 4, ncclFloat32, 1 - rank, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "deadlock: rank 0 of communicator 'world' (2 ranks), send 1: "
            "ncclSend of 4 float32 to rank 1 waits for rank 1, which is busy "
            "as rank 1 of communicator 'world' (2 ranks), send 1: ncclSend of "
            "4 float32 to rank 0 waits for rank 0, which is busy in the first "
            "of these");
}

TEST(HostNcclDeadlock, collective_against_message) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    if (rank)
      return ncclRecv(data[1], 4, ncclFloat32, 0, comm, nullptr);
    return ncclAllReduce(data[0], data[0], 4, ncclFloat32, ncclSum, comm,
                         nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "deadlock: rank 0 of communicator 'world' (2 ranks), call 1: "
            "ncclAllReduce of 4 float32 (sum) waits for rank 1, which is busy "
            "as rank 1 of communicator 'world' (2 ranks), receive 1: ncclRecv "
            "of 4 float32 from rank 0 waits for rank 0, which is busy in the "
            "first of these");
}

TEST(HostNcclDeadlock, ring_of_three_receives) {
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    return ncclRecv(data[rank], 4, ncclFloat32, (rank + 2) % 3, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "deadlock: rank 0 of communicator 'world' (3 ranks), receive 1: "
            "ncclRecv of 4 float32 from rank 2 waits for rank 2, which is busy "
            "as rank 2 of communicator 'world' (3 ranks), receive 1: ncclRecv "
            "of 4 float32 from rank 1 waits for rank 1, which is busy as rank "
            "1 of communicator 'world' (3 ranks), receive 1: ncclRecv of 4 "
            "float32 from rank 0 waits for rank 0, which is busy in the first "
            "of these");
}

TEST(HostNcclDeadlock, send_to_itself_without_a_group) {
  std::vector<Outcome> outcomes = onRanks(1, [](int rank, ncclComm_t comm) {
    return ncclSend(data[0], 4, ncclFloat32, 0, comm, nullptr);
  });
  expectAll(outcomes, ncclInvalidUsage,
            "deadlock: rank 0 of communicator 'world' (1 ranks), send 1: "
            "ncclSend of 4 float32 to rank 0 waits for rank 0, itself");
}

/// Slowness is no deadlock: rank 1 takes longer than a look for cycles does.
TEST(HostNcclDeadlock, is_not_seen_where_a_rank_is_late) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    if (rank)
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return ncclAllReduce(data[rank], data[rank], 4, ncclFloat32, ncclSum, comm,
                         nullptr);
  });
  expectAll(outcomes, ncclSuccess, "");
}

/// A rank may use its communicators from different threads: that the thread
/// that last used an end waits elsewhere does not mean that no other will come.
TEST(HostNcclDeadlock, is_not_seen_where_threads_share_a_rank) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    ncclComm_t a = splitAll(comm, "a");
    ncclComm_t b = splitAll(comm, "b");
    auto sum = [&](ncclComm_t on, float *buffer) {
      return ncclAllReduce(buffer, buffer, 4, ncclFloat32, ncclSum, on,
                           nullptr);
    };
    auto useBoth = [&] {
      EXPECT_EQ(sum(a, data[rank]), ncclSuccess);
      EXPECT_EQ(sum(b, data[rank]), ncclSuccess);
    };
    std::thread(useBoth).join();
    useBoth();
    // This thread waits in one while the other comes late to the other one.
    std::thread late([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      EXPECT_EQ(sum(rank ? b : a, data[rank + 2]), ncclSuccess);
    });
    ncclResult_t code = sum(rank ? a : b, data[rank + 4]);
    late.join();
    return code;
  });
  expectAll(outcomes, ncclSuccess, "");
}

TEST(HostNcclLeaving, destroyed_while_others_wait) {
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    ncclComm_t part = splitAll(comm, "part");
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return ncclCommDestroy(part);
    }
    return ncclAllGather(data[rank], data[rank + 3], 4, ncclFloat32, part,
                         nullptr);
  });
  EXPECT_EQ(outcomes[1].code, ncclSuccess);
  expectAll({outcomes[0], outcomes[2]}, ncclRemoteError,
            "communicator 'part' (3 ranks), call 1: ranks 0, 2 wait in "
            "ncclAllGather of 4 float32; rank 1 will not come: it has "
            "destroyed the communicator");
}

TEST(HostNcclLeaving, finalized_before_others_call) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    ncclComm_t part = splitAll(comm, "part");
    if (rank) {
      EXPECT_EQ(ncclCommFinalize(part), ncclSuccess);
    }
    ncclAllReduce(data[rank], data[rank], 1, ncclFloat32, ncclSum, comm,
                  nullptr);
    return ncclSend(data[rank], 4, ncclFloat32, 1 - rank, part, nullptr);
  });
  expectAll({outcomes[0]}, ncclRemoteError,
            "rank 0 of communicator 'part' (2 ranks), send 1: ncclSend of 4 "
            "float32 to rank 1 waits; rank 1 will not come: it has finalized "
            "the communicator");
}

/// Ranks that have what they need are not disturbed by one that leaves.
TEST(HostNcclLeaving, does_not_matter_to_those_who_need_it_no_more) {
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    ncclComm_t part = splitAll(comm, "part");
    if (rank == 2) {
      EXPECT_EQ(ncclCommDestroy(part), ncclSuccess);
    }
    ncclAllReduce(data[rank], data[rank], 1, ncclFloat32, ncclSum, comm,
                  nullptr);
    if (rank == 0)
      return ncclSend(data[0], 4, ncclFloat32, 1, part, nullptr);
    if (rank == 1)
      return ncclRecv(data[1], 4, ncclFloat32, 0, part, nullptr);
    return ncclSuccess;
  });
  expectAll(outcomes, ncclSuccess, "");
}

TEST(HostNcclLeaving, abort_wakes_all_and_stays) {
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    ncclComm_t part = splitAll(comm, "part");
    if (rank == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return ncclCommAbort(part);
    }
    ncclResult_t code = ncclAllReduce(data[rank], data[rank], 4, ncclFloat32,
                                      ncclSum, part, nullptr);
    EXPECT_EQ(ncclAllReduce(data[rank], data[rank], 4, ncclFloat32, ncclSum,
                            part, nullptr),
              code);
    ncclResult_t error = ncclSuccess;
    EXPECT_EQ(ncclCommGetAsyncError(part, &error), ncclSuccess);
    EXPECT_EQ(error, code);
    EXPECT_EQ(ncclCommAbort(part), ncclSuccess);
    return code;
  });
  EXPECT_EQ(outcomes[2].code, ncclSuccess);
  expectAll({outcomes[0], outcomes[1]}, ncclRemoteError,
            "rank 2 has aborted communicator 'part' (3 ranks)");
}

TEST(HostNcclLeaving, thread_that_ends_with_a_group_open) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    if (rank) {
      EXPECT_EQ(ncclGroupStart(), ncclSuccess);
      return ncclAllReduce(data[1], data[1], 4, ncclFloat32, ncclSum, comm,
                           nullptr);
    }
    return ncclAllReduce(data[0], data[0], 4, ncclFloat32, ncclSum, comm,
                         nullptr);
  });
  expectAll({outcomes[0]}, ncclInvalidUsage,
            "rank 1 of communicator 'world' (2 ranks): ncclAllReduce of 4 "
            "float32 (sum) was not issued: its thread ended with a group open");
}
