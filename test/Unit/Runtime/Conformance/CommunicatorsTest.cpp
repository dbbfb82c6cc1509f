// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Making and splitting communicators, and collectives inside the replica
/// groups that splits make.

#include "Elements.h"
#include "Harness.h"
#include "gtest/gtest.h"

using namespace conformance;

static void expectRank(ncclComm_t comm, int rank, int count) {
  int value = -1;
  EXPECT_NCCL(ncclCommUserRank(comm, &value));
  EXPECT_EQ(value, rank);
  EXPECT_NCCL(ncclCommCount(comm, &value));
  EXPECT_EQ(value, count);
}

/// What ncclCommSplit makes of the world; null for a rank that joins nothing.
static ncclComm_t split(const Rank &rank, int color, int key) {
  ncclComm_t comm = nullptr;
  EXPECT_NCCL(ncclCommSplit(rank.world, color, key, &comm, nullptr));
  return comm;
}

/// The world ranks of a communicator, in its order.
static std::vector<int32_t> members(ncclComm_t comm, const Rank &rank) {
  int count = 0;
  EXPECT_NCCL(ncclCommCount(comm, &count));
  Buffer mine(4), all(4 * count);
  uploadAll(mine, std::vector<int32_t>{rank.index});
  EXPECT_NCCL(
      ncclAllGather(mine.data(), all.data(), 1, ncclInt32, comm, rank.stream));
  synchronize(rank.stream);
  return downloadAll<int32_t>(all);
}

TEST(Communicator, version_is_2_28_or_later) {
  int version = 0;
  EXPECT_NCCL(ncclGetVersion(&version));
  EXPECT_GE(version, NCCL_VERSION(2, 28, 0));
}

TEST(Communicator, knows_rank_and_count) {
  onRanks(4, [](const Rank &rank) {
    expectRank(rank.world, rank.index, 4);
    ncclResult_t error = ncclInternalError;
    EXPECT_NCCL(ncclCommGetAsyncError(rank.world, &error));
    EXPECT_EQ(error, ncclSuccess);
  });
}

TEST(Communicator, takes_a_configuration) {
  onRanks(2, [](const Rank &rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    config.commName = "named";
    ncclComm_t comm = nullptr;
    EXPECT_NCCL(ncclCommSplit(rank.world, 0, 0, &comm, &config));
    expectRank(comm, rank.index, 2);
    EXPECT_NCCL(ncclCommFinalize(comm));
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

TEST(Communicator, memory_is_allocated_and_registered) {
  onRanks(2, [](const Rank &rank) {
    void *memory = nullptr;
    EXPECT_NCCL(ncclMemAlloc(&memory, 1000));
    ASSERT_NE(memory, nullptr);
    void *handle = nullptr;
    EXPECT_NCCL(ncclCommRegister(rank.world, memory, 1000, &handle));
    EXPECT_NCCL(ncclCommDeregister(rank.world, handle));
    EXPECT_NCCL(ncclMemFree(memory));
  });
}

TEST(Split, equal_keys_keep_the_order) {
  onRanks(8, [](const Rank &rank) {
    ncclComm_t comm = split(rank, rank.index % 2, 0);
    expectRank(comm, rank.index / 2, 4);
    EXPECT_EQ(members(comm, rank), rank.index % 2
                                       ? (std::vector<int32_t>{1, 3, 5, 7})
                                       : (std::vector<int32_t>{0, 2, 4, 6}));
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

TEST(Split, keys_order_the_ranks) {
  onRanks(4, [](const Rank &rank) {
    const int keys[] = {5, -3, 5, 0};
    ncclComm_t comm = split(rank, 7, keys[rank.index]);
    EXPECT_EQ(members(comm, rank), (std::vector<int32_t>{1, 3, 0, 2}));
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

TEST(Split, without_a_color_there_is_no_communicator) {
  onRanks(3, [](const Rank &rank) {
    ncclComm_t comm = split(rank, rank.index == 1 ? NCCL_SPLIT_NOCOLOR : 4, 0);
    if (rank.index == 1) {
      EXPECT_EQ(comm, nullptr);
      return;
    }
    EXPECT_EQ(members(comm, rank), (std::vector<int32_t>{0, 2}));
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

TEST(Split, of_a_split) {
  onRanks(8, [](const Rank &rank) {
    ncclComm_t half = split(rank, rank.index / 4, 0);
    ncclComm_t quarter = nullptr;
    EXPECT_NCCL(ncclCommSplit(half, rank.index % 2, 0, &quarter, nullptr));
    int first = rank.index / 4 * 4 + rank.index % 2;
    EXPECT_EQ(members(quarter, rank), (std::vector<int32_t>{first, first + 2}));
    EXPECT_NCCL(ncclCommDestroy(quarter));
    EXPECT_NCCL(ncclCommDestroy(half));
  });
}

/// Groups {0,2,4,6} and {1,3,5,7}.
TEST(ReplicaGroups, reduce_scatter_sums_inside_a_group) {
  onRanks(8, [](const Rank &rank) {
    int color = rank.index % 2;
    ncclComm_t comm = split(rank, color, 0);
    Buffer send(4 * 4), recv(4);
    uploadAll(send, std::vector<int32_t>{rank.index, 10 * rank.index,
                                         100 * rank.index, 1000 * rank.index});
    EXPECT_NCCL(ncclReduceScatter(send.data(), recv.data(), 1, ncclInt32,
                                  ncclSum, comm, rank.stream));
    synchronize(rank.stream);
    const int32_t scales[] = {1, 10, 100, 1000};
    int32_t sum = color ? 1 + 3 + 5 + 7 : 0 + 2 + 4 + 6;
    EXPECT_EQ(downloadAll<int32_t>(recv)[0], sum * scales[rank.index / 2]);
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

/// Groups {0,2} and {1,3}; 0..7 as 4x2, a row on each rank.
TEST(ReplicaGroups, all_to_all_keeps_the_order_of_the_group) {
  onRanks(4, [](const Rank &rank) {
    ncclComm_t comm = split(rank, rank.index % 2, 0);
    Buffer send(2 * 4), recv(2 * 4);
    uploadAll(send, std::vector<int32_t>{2 * rank.index, 2 * rank.index + 1});
    EXPECT_NCCL(ncclAlltoAll(send.data(), recv.data(), 1, ncclInt32, comm,
                             rank.stream));
    synchronize(rank.stream);
    const std::vector<int32_t> expected[] = {{0, 4}, {2, 6}, {1, 5}, {3, 7}};
    EXPECT_EQ(downloadAll<int32_t>(recv), expected[rank.index]);
    EXPECT_NCCL(ncclCommDestroy(comm));
  });
}

/// Three nodes of two: reduce-scatter in the node, all-reduce across,
/// all-gather in the node. 8 elements in 2 parts of 4, and nothing written
/// beyond them.
TEST(ReplicaGroups, hierarchical_all_reduce_of_8_over_6_ranks) {
  onRanks(6, [](const Rank &rank) {
    ncclComm_t node = split(rank, rank.index / 2, 0);
    ncclComm_t across = split(rank, rank.index % 2, 0);
    Buffer buffer(10 * sizeof(float));
    std::vector<float> values(10, 77);
    for (int i = 0; i < 8; ++i)
      values[i + 1] = float(rank.index + i);
    uploadAll(buffer, values);
    char *data = buffer.data() + sizeof(float);
    char *part = data + rank.index % 2 * 4 * sizeof(float);
    EXPECT_NCCL(ncclReduceScatter(data, part, 4, ncclFloat32, ncclSum, node,
                                  rank.stream));
    EXPECT_NCCL(ncclAllReduce(part, part, 4, ncclFloat32, ncclSum, across,
                              rank.stream));
    EXPECT_NCCL(ncclAllGather(part, data, 4, ncclFloat32, node, rank.stream));
    synchronize(rank.stream);
    std::vector<float> expected(10, 77);
    for (int i = 0; i < 8; ++i)
      expected[i + 1] = float(15 + 6 * i);
    EXPECT_EQ(downloadAll<float>(buffer), expected);
    EXPECT_NCCL(ncclCommDestroy(node));
    EXPECT_NCCL(ncclCommDestroy(across));
  });
}

TEST(ReplicaGroups, calls_of_two_communicators_in_one_group) {
  onRanks(4, [](const Rank &rank) {
    ncclComm_t row = split(rank, rank.index / 2, 0);
    ncclComm_t column = split(rank, rank.index % 2, 0);
    Buffer a(4), b(4);
    uploadAll(a, std::vector<int32_t>{rank.index});
    uploadAll(b, std::vector<int32_t>{rank.index});
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(a.data(), a.data(), 1, ncclInt32, ncclSum, row,
                              rank.stream));
    EXPECT_NCCL(ncclAllReduce(b.data(), b.data(), 1, ncclInt32, ncclSum, column,
                              rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    EXPECT_EQ(downloadAll<int32_t>(a)[0], rank.index / 2 ? 5 : 1);
    EXPECT_EQ(downloadAll<int32_t>(b)[0], rank.index % 2 ? 4 : 2);
    EXPECT_NCCL(ncclCommDestroy(row));
    EXPECT_NCCL(ncclCommDestroy(column));
  });
}
