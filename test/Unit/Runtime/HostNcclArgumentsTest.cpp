// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Calls that are wrong in themselves. A call on a communicator fails it for
/// all ranks, which would otherwise wait for a call that never comes.

#include "HostNcclRanks.h"

static float data[2][64];

/// What a call on a communicator of one rank ends with.
static Outcome alone(const std::function<ncclResult_t(ncclComm_t)> &body) {
  return onRanks(1, [&](int, ncclComm_t comm) { return body(comm); })[0];
}

static void expectError(const Outcome &outcome, ncclResult_t code,
                        const std::string &text) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.text, text);
}

static std::string range(const void *begin, size_t bytes) {
  char text[80];
  std::snprintf(text, sizeof(text), "[0x%zx, 0x%zx)",
                reinterpret_cast<size_t>(begin),
                reinterpret_cast<size_t>(begin) + bytes);
  return text;
}

static const std::string one = "rank 0 of communicator 'world' (1 ranks): ";

TEST(HostNcclArguments, fail_the_communicator_on_every_rank) {
  std::vector<Outcome> outcomes = onRanks(3, [](int rank, ncclComm_t comm) {
    if (rank == 1)
      return ncclBroadcast(data, data, 4, ncclFloat32, 3, comm, nullptr);
    return ncclAllReduce(data[rank / 2], data[rank / 2], 4, ncclFloat32,
                         ncclSum, comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclInvalidArgument,
                "rank 1 of communicator 'world' (3 ranks): ncclBroadcast: root "
                "3 is not below the number of ranks, 3");
}

TEST(HostNcclArguments, root_out_of_range) {
  expectError(alone([](ncclComm_t comm) {
                return ncclReduce(data, data, 4, ncclFloat32, ncclSum, -1, comm,
                                  nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclReduce: root -1 is not below the number of ranks, 1");
}

TEST(HostNcclArguments, peer_out_of_range) {
  expectError(alone([](ncclComm_t comm) {
                return ncclRecv(data, 4, ncclFloat32, 1, comm, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclRecv: peer 1 is not below the number of ranks, 1");
}

TEST(HostNcclArguments, data_type) {
  expectError(alone([](ncclComm_t comm) {
                return ncclSend(data, 4, ncclNumTypes, 0, comm, nullptr);
              }),
              ncclInvalidArgument, one + "ncclSend: 12 is no data type");
}

TEST(HostNcclArguments, reduction) {
  expectError(alone([](ncclComm_t comm) {
                return ncclAllReduce(data, data, 4, ncclFloat32, ncclNumOps,
                                     comm, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAllReduce: reduction 5 is neither NCCL's nor made on "
                    "this communicator");
}

TEST(HostNcclArguments, reduction_of_another_type) {
  expectError(
      alone([](ncclComm_t comm) {
        ncclRedOp_t op;
        float factor = 2;
        EXPECT_EQ(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat32,
                                           ncclScalarHostImmediate, comm),
                  ncclSuccess);
        return ncclAllReduce(data, data, 4, ncclFloat16, op, comm, nullptr);
      }),
      ncclInvalidArgument,
      one + "ncclAllReduce: reduction 5 was made for float32");
}

TEST(HostNcclArguments, reduction_destroyed) {
  expectError(
      alone([](ncclComm_t comm) {
        ncclRedOp_t op;
        float factor = 2;
        EXPECT_EQ(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat32,
                                           ncclScalarHostImmediate, comm),
                  ncclSuccess);
        EXPECT_EQ(ncclRedOpDestroy(op, comm), ncclSuccess);
        expectError(outcomeOf(ncclRedOpDestroy(op, comm)), ncclInvalidArgument,
                    "ncclRedOpDestroy: reduction 5 was not made on "
                    "this communicator");
        return ncclAllReduce(data, data, 4, ncclFloat32, op, comm, nullptr);
      }),
      ncclInvalidArgument, one + "ncclAllReduce: reduction 5 was destroyed");
}

TEST(HostNcclArguments, null_buffers) {
  expectError(alone([](ncclComm_t comm) {
                return ncclAllReduce(nullptr, data, 4, ncclFloat32, ncclSum,
                                     comm, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAllReduce: the send buffer is null");
  expectError(
      alone([](ncclComm_t comm) {
        return ncclAllGather(data, nullptr, 4, ncclFloat32, comm, nullptr);
      }),
      ncclInvalidArgument, one + "ncclAllGather: the receive buffer is null");
}

TEST(HostNcclArguments, misaligned_buffer) {
  char *odd = reinterpret_cast<char *>(data) + 2;
  char text[40];
  std::snprintf(text, sizeof(text), "0x%zx", reinterpret_cast<size_t>(odd));
  expectError(alone([&](ncclComm_t comm) {
                return ncclAllReduce(odd, odd, 4, ncclFloat32, ncclSum, comm,
                                     nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAllReduce: the send buffer " + text +
                  " is not aligned to 4 bytes");
}

TEST(HostNcclArguments, more_bytes_than_there_are) {
  expectError(alone([](ncclComm_t comm) {
                return ncclAllReduce(data, data, size_t(1) << 61, ncclFloat64,
                                     ncclSum, comm, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAllReduce: 2305843009213693952 elements for each of 1 "
                    "ranks are more bytes than 64 bits count");
}

TEST(HostNcclArguments, all_reduce_half_in_place) {
  float *send = data[0];
  float *recv = data[0] + 2;
  expectError(alone([&](ncclComm_t comm) {
                return ncclAllReduce(send, recv, 4, ncclFloat32, ncclSum, comm,
                                     nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAllReduce: the send buffer " + range(send, 16) +
                  " overlaps the receive buffer " + range(recv, 16) +
                  "; in place, the two are the same");
}

/// In place on rank 1 is send = receive + rank * n, not receive.
TEST(HostNcclArguments, gather_and_scatter_in_the_wrong_place) {
  float *base = data[1];
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank)
      return ncclAllGather(base, base, 4, ncclFloat32, comm, nullptr);
    return ncclAllGather(data[0], data[0] + 16, 4, ncclFloat32, comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclInvalidArgument,
                "rank 1 of communicator 'world' (2 ranks): ncclAllGather: the "
                "send buffer " +
                    range(base, 16) + " overlaps the receive buffer " +
                    range(base, 32) +
                    "; in place, send is receive + 16 bytes on this rank");
  outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank)
      return ncclReduceScatter(base, base, 4, ncclFloat32, ncclSum, comm,
                               nullptr);
    return ncclReduceScatter(data[0], data[0] + 16, 4, ncclFloat32, ncclSum,
                             comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclInvalidArgument,
                "rank 1 of communicator 'world' (2 ranks): ncclReduceScatter: "
                "the send buffer " +
                    range(base, 32) + " overlaps the receive buffer " +
                    range(base, 16) +
                    "; in place, receive is send + 16 bytes on this rank");
}

TEST(HostNcclArguments, all_to_all_in_place) {
  float *base = data[0];
  expectError(alone([&](ncclComm_t comm) {
                return ncclAlltoAll(base, base, 4, ncclFloat32, comm, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclAlltoAll: the send buffer " + range(base, 16) +
                  " overlaps the receive buffer " + range(base, 16) +
                  "; this call has no in-place form");
}

TEST(HostNcclArguments, ranks_that_share_memory) {
  float *shared = data[0];
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    return ncclAllReduce(shared + 2 * rank, shared + 2 * rank, 4, ncclFloat32,
                         ncclSum, comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclInvalidArgument,
                "rank 0 of communicator 'world' (2 ranks), call 1: "
                "ncclAllReduce of 4 float32 (sum) writes " +
                    range(shared, 16) + ", of which rank 1 writes " +
                    range(shared + 2, 16));
}

/// All may read the same.
TEST(HostNcclArguments, ranks_that_share_what_they_read) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    return ncclAllReduce(data[0], data[1] + 8 * rank, 4, ncclFloat32, ncclSum,
                         comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclSuccess, "");
}

TEST(HostNcclArguments, message_onto_itself) {
  std::vector<Outcome> outcomes = onRanks(2, [&](int rank, ncclComm_t comm) {
    if (rank)
      return ncclRecv(data[0] + 2, 4, ncclFloat32, 0, comm, nullptr);
    return ncclSend(data[0], 4, ncclFloat32, 1, comm, nullptr);
  });
  for (const Outcome &outcome : outcomes)
    expectError(outcome, ncclInvalidUsage,
                "rank 1 of communicator 'world' (2 ranks), receive 1: ncclRecv "
                "of 4 float32 from rank 0 into " +
                    range(data[0] + 2, 16) +
                    ", which overlaps what rank 0 sends, " +
                    range(data[0], 16));
}

TEST(HostNcclArguments, communicators_that_are_none) {
  expectError(outcomeOf(ncclAllReduce(data, data, 4, ncclFloat32, ncclSum,
                                      nullptr, nullptr)),
              ncclInvalidArgument, "ncclAllReduce: comm is null");
  int stranger = 0;
  ncclComm_t comm = reinterpret_cast<ncclComm_t>(&stranger);
  expectError(outcomeOf(ncclSend(data, 4, ncclFloat32, 0, comm, nullptr)),
              ncclInvalidArgument,
              "ncclSend: comm is no communicator of this library");
  expectError(outcomeOf(ncclCommDestroy(nullptr)), ncclInvalidArgument,
              "ncclCommDestroy: comm is null");
  EXPECT_STREQ(ncclGetLastError(comm),
               "ncclGetLastError: comm is no communicator of this library");
}

TEST(HostNcclArguments, destroyed_communicator) {
  ncclComm_t comm = join(newId(), 1, 0, "gone");
  ASSERT_EQ(ncclCommDestroy(comm), ncclSuccess);
  const std::string gone =
      ": communicator 'gone' was destroyed by this rank, 0";
  int value;
  expectError(outcomeOf(ncclCommCount(comm, &value)), ncclInvalidArgument,
              "ncclCommCount" + gone);
  expectError(outcomeOf(ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, comm,
                                      nullptr)),
              ncclInvalidArgument, "ncclAllReduce" + gone);
  expectError(outcomeOf(ncclCommDestroy(comm)), ncclInvalidArgument,
              "ncclCommDestroy" + gone);
  comm = join(newId(), 1, 0, "given up");
  ASSERT_EQ(ncclCommAbort(comm), ncclSuccess);
  expectError(outcomeOf(ncclCommAbort(comm)), ncclInvalidArgument,
              "ncclCommAbort: communicator 'given up' was aborted by this "
              "rank, 0");
}

TEST(HostNcclArguments, finalized_communicator) {
  expectError(alone([](ncclComm_t comm) {
                EXPECT_EQ(ncclCommFinalize(comm), ncclSuccess);
                return ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, comm,
                                     nullptr);
              }),
              ncclInvalidUsage,
              "ncclAllReduce: communicator 'world' was finalized by this rank, "
              "0");
}

TEST(HostNcclArguments, null_results) {
  expectError(alone([](ncclComm_t comm) {
                ncclResult_t code = ncclCommUserRank(comm, nullptr);
                EXPECT_STREQ(ncclGetLastError(comm),
                             "ncclCommUserRank: the result pointer is null");
                return code;
              }),
              ncclInvalidArgument,
              "ncclCommUserRank: the result pointer is null");
  expectError(outcomeOf(ncclGetVersion(nullptr)), ncclInvalidArgument,
              "ncclGetVersion: version is null");
  expectError(outcomeOf(ncclGetUniqueId(nullptr)), ncclInvalidArgument,
              "ncclGetUniqueId: uniqueId is null");
  expectError(outcomeOf(ncclMemAlloc(nullptr, 1)), ncclInvalidArgument,
              "ncclMemAlloc: ptr is null");
  expectError(outcomeOf(ncclCommInitAll(nullptr, 1, nullptr)),
              ncclInvalidArgument, "ncclCommInitAll: comm is null");
  expectError(alone([](ncclComm_t comm) {
                return ncclCommGetAsyncError(comm, nullptr);
              }),
              ncclInvalidArgument, "ncclCommGetAsyncError: asyncError is null");
  expectError(alone([](ncclComm_t comm) {
                return ncclCommRegister(comm, data, 4, nullptr);
              }),
              ncclInvalidArgument, "ncclCommRegister: buff or handle is null");
  expectError(alone([](ncclComm_t comm) {
                return ncclRedOpCreatePreMulSum(nullptr, data, ncclFloat32,
                                                ncclScalarDevice, comm);
              }),
              ncclInvalidArgument,
              "ncclRedOpCreatePreMulSum: op or scalar is null");
}

TEST(HostNcclArguments, memory_that_there_is_not) {
  void *memory;
  expectError(outcomeOf(ncclMemAlloc(&memory, SIZE_MAX)), ncclSystemError,
              "ncclMemAlloc: no memory for 18446744073709551615 bytes");
}

TEST(HostNcclArguments, registration_of_another) {
  expectError(
      alone([](ncclComm_t comm) { return ncclCommDeregister(comm, data); }),
      ncclInvalidArgument,
      "ncclCommDeregister: handle is not registered with this "
      "communicator");
}

TEST(HostNcclJoining, errors) {
  ncclComm_t comm = nullptr;
  ncclUniqueId stranger = {};
  expectError(outcomeOf(ncclCommInitRank(nullptr, 1, stranger, 0)),
              ncclInvalidArgument, "ncclCommInitRank: comm is null");
  expectError(outcomeOf(ncclCommInitRank(&comm, 1, stranger, 0)),
              ncclInvalidArgument,
              "ncclCommInitRank: commId was not made by ncclGetUniqueId of "
              "this process");
  expectError(outcomeOf(ncclCommInitRank(&comm, 0, newId(), 0)),
              ncclInvalidArgument,
              "ncclCommInitRank: nranks is 0, not at least 1");
  expectError(outcomeOf(ncclCommInitRank(&comm, 2, newId(), 2)),
              ncclInvalidArgument,
              "ncclCommInitRank: rank 2 is not below nranks, 2");
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  expectError(outcomeOf(ncclCommInitRankConfig(&comm, 1, newId(), 0, &config)),
              ncclInvalidArgument,
              "ncclCommInitRank: config.blocking is 0, but the host library "
              "only has blocking communicators (1)");
  config = {};
  expectError(outcomeOf(ncclCommInitRankConfig(&comm, 1, newId(), 0, &config)),
              ncclInvalidArgument,
              "ncclCommInitRank: config was not set to "
              "NCCL_CONFIG_INITIALIZER");
  int twice[] = {1, 1}, negative[] = {0, -1};
  ncclComm_t comms[2];
  expectError(outcomeOf(ncclCommInitAll(comms, 2, twice)), ncclInvalidArgument,
              "ncclCommInitAll: device 1 is listed twice");
  expectError(outcomeOf(ncclCommInitAll(comms, 2, negative)),
              ncclInvalidArgument, "ncclCommInitAll: device -1 is negative");
  expectError(outcomeOf(ncclCommInitAll(comms, 0, nullptr)),
              ncclInvalidArgument,
              "ncclCommInitAll: ndev is 0, not at least 1");
}

TEST(HostNcclJoining, twice_with_one_id) {
  ncclUniqueId id = newId();
  ncclComm_t first = join(id, 1, 0, "one");
  ncclComm_t second = nullptr;
  expectError(outcomeOf(ncclCommInitRank(&second, 1, id, 0)),
              ncclInvalidArgument,
              "ncclCommInitRank: all 1 ranks of communicator 'one' (1 ranks) "
              "have joined already");
  EXPECT_EQ(ncclCommDestroy(first), ncclSuccess);
}

TEST(HostNcclJoining, one_thread_for_all_ranks) {
  ncclUniqueId id = newId();
  ncclComm_t comms[3];
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(ncclCommInitRank(&comms[rank], 3, id, rank), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  // And all their calls, in one group.
  float values[3] = {1, 2, 4};
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(ncclAllReduce(&values[rank], &values[rank], 1, ncclFloat32,
                            ncclSum, comms[rank], nullptr),
              ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(values[rank], 7);
    int device = -1;
    EXPECT_EQ(ncclCommCuDevice(comms[rank], &device), ncclSuccess);
    EXPECT_EQ(device, rank);
    EXPECT_EQ(ncclCommDestroy(comms[rank]), ncclSuccess);
  }
}

TEST(HostNcclJoining, all_at_once_with_devices) {
  ncclComm_t comms[2];
  int devices[] = {3, 1};
  ASSERT_EQ(ncclCommInitAll(comms, 2, devices), ncclSuccess);
  for (int rank = 0; rank < 2; ++rank) {
    int device = -1;
    EXPECT_EQ(ncclCommCuDevice(comms[rank], &device), ncclSuccess);
    EXPECT_EQ(device, devices[rank]);
    EXPECT_EQ(ncclCommDestroy(comms[rank]), ncclSuccess);
  }
}

TEST(HostNcclJoining, a_rank_taken_twice) {
  ncclUniqueId id = newId();
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "twice";
  ncclComm_t comms[2];
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclCommInitRankConfig(&comms[0], 2, id, 0, &config), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&comms[1], 2, id, 0), ncclInvalidArgument);
  expectError(outcomeOf(ncclGroupEnd()), ncclInvalidArgument,
              "ncclCommInitRank: rank 0 joins communicator 'twice' (2 ranks) "
              "twice");
}

TEST(HostNcclSplit, errors) {
  expectError(alone([](ncclComm_t comm) {
                return ncclCommSplit(comm, 0, 0, nullptr, nullptr);
              }),
              ncclInvalidArgument, one + "ncclCommSplit: newcomm is null");
  expectError(alone([](ncclComm_t comm) {
                ncclComm_t child;
                return ncclCommSplit(comm, -2, 0, &child, nullptr);
              }),
              ncclInvalidArgument,
              one + "ncclCommSplit: color -2 is neither NCCL_SPLIT_NOCOLOR "
                    "nor at least 0");
  expectError(alone([](ncclComm_t comm) {
                ncclComm_t child;
                ncclGroupStart();
                ncclResult_t code = ncclCommSplit(comm, 0, 0, &child, nullptr);
                EXPECT_EQ(ncclGroupEnd(), code);
                return code;
              }),
              ncclInvalidUsage,
              one + "ncclCommSplit: it is called inside a group; a split is a "
                    "call of its own");
}

TEST(HostNcclGroup, ended_without_a_start) {
  expectError(outcomeOf(ncclGroupEnd()), ncclInvalidUsage,
              "ncclGroupEnd: no group is open on this thread");
}

TEST(HostNcclGroup, simulation) {
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  expectError(outcomeOf(ncclGroupSimulateEnd(&info)), ncclInvalidUsage,
              "ncclGroupSimulateEnd: the host library has no times to predict; "
              "end the group with ncclGroupEnd");
}

/// The calls before the bad one are not issued, and their peers hear of it.
TEST(HostNcclGroup, with_a_bad_call) {
  std::vector<Outcome> outcomes = onRanks(2, [](int rank, ncclComm_t comm) {
    ncclComm_t other = splitAll(comm, "other");
    if (rank == 0)
      return ncclAllReduce(data[0], data[0], 4, ncclFloat32, ncclSum, other,
                           nullptr);
    ncclGroupStart();
    EXPECT_EQ(ncclAllReduce(data[1], data[1], 4, ncclFloat32, ncclSum, other,
                            nullptr),
              ncclSuccess);
    EXPECT_EQ(ncclSend(data[1], 4, ncclFloat32, 9, comm, nullptr),
              ncclInvalidArgument);
    return ncclGroupEnd();
  });
  const std::string bad = "rank 1 of communicator 'world' (2 ranks): ncclSend: "
                          "peer 9 is not below the number of ranks, 2";
  expectError(outcomes[1], ncclInvalidArgument, bad);
  expectError(outcomes[0], ncclInvalidArgument,
              "rank 1 of communicator 'other' (2 ranks): ncclAllReduce of 4 "
              "float32 (sum) was not issued: " +
                  bad);
}

TEST(HostNcclGroup, whose_calls_touch_each_others_memory) {
  float *at = data[0];
  Outcome outcome = alone([&](ncclComm_t comm) {
    ncclGroupStart();
    ncclRecv(at + 2, 4, ncclFloat32, 0, comm, nullptr);
    ncclSend(at, 4, ncclFloat32, 0, comm, nullptr);
    return ncclGroupEnd();
  });
  expectError(outcome, ncclInvalidUsage,
              "calls of a group run at once, but ncclSend of 4 float32 to rank "
              "0 reads " +
                  range(at, 16) +
                  ", of which ncclRecv of 4 float32 from rank 0 writes " +
                  range(at + 2, 16));
}

/// The range that is written lies in one that began long before it.
TEST(HostNcclGroup, whose_call_writes_inside_what_another_reads) {
  float *at = data[0];
  Outcome outcome = alone([&](ncclComm_t comm) {
    ncclGroupStart();
    ncclSend(at, 16, ncclFloat32, 0, comm, nullptr);
    ncclSend(at + 1, 1, ncclFloat32, 0, comm, nullptr);
    ncclRecv(at + 8, 2, ncclFloat32, 0, comm, nullptr);
    return ncclGroupEnd();
  });
  expectError(outcome, ncclInvalidUsage,
              "calls of a group run at once, but ncclSend of 16 float32 to "
              "rank 0 reads " +
                  range(at, 64) +
                  ", of which ncclRecv of 2 float32 from rank 0 writes " +
                  range(at + 8, 8));
}

TEST(HostNcclGroup, of_joining_and_other_calls) {
  Outcome outcome = alone([&](ncclComm_t comm) {
    ncclComm_t other = nullptr;
    ncclGroupStart();
    ncclCommInitRank(&other, 1, newId(), 0);
    ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, comm, nullptr);
    return ncclGroupEnd();
  });
  expectError(outcome, ncclInvalidUsage,
              "the group has ncclCommInitRank and other calls");
}

TEST(HostNcclGroup, open_while_its_communicator_is_destroyed) {
  expectError(alone([&](ncclComm_t comm) {
                ncclGroupStart();
                ncclAllReduce(data, data, 4, ncclFloat32, ncclSum, comm,
                              nullptr);
                ncclResult_t code = ncclCommDestroy(comm);
                std::string text = ncclGetLastError(nullptr);
                EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
                EXPECT_EQ(text, "ncclCommDestroy: communicator 'world' has 1 "
                                "calls in a group that is open on this thread");
                EXPECT_EQ(code, ncclInvalidUsage);
                return ncclSuccess;
              }),
              ncclSuccess, "");
}

TEST(HostNcclErrors, have_names) {
  EXPECT_STREQ(ncclGetErrorString(ncclSuccess), "no error");
  EXPECT_STREQ(ncclGetErrorString(ncclInvalidArgument), "invalid argument");
  EXPECT_STREQ(ncclGetErrorString(ncclInvalidUsage), "invalid usage");
  EXPECT_STREQ(ncclGetErrorString(ncclRemoteError), "error of another rank");
  EXPECT_STREQ(ncclGetErrorString(ncclNumResults), "unknown result code");
}
