// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sends, receives, and groups of them and of collectives.

#include "Elements.h"
#include "Harness.h"
#include "gtest/gtest.h"

using namespace conformance;

class PointToPoint : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, PointToPoint, ::testing::Values(1, 2, 3, 4, 8));

static int after(const Rank &rank) { return (rank.index + 1) % rank.count; }
static int before(const Rank &rank) {
  return (rank.index + rank.count - 1) % rank.count;
}

/// A buffer of int32 that all have the same value.
static void fill(Buffer &buffer, int32_t value) {
  uploadAll(buffer, std::vector<int32_t>(buffer.size() / 4, value));
}
static void expectFilled(const Buffer &buffer, int32_t value) {
  EXPECT_EQ(downloadAll<int32_t>(buffer),
            std::vector<int32_t>(buffer.size() / 4, value));
}

TEST_P(PointToPoint, ring_of_every_type_and_count) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (ncclDataType_t type : allTypes)
      for (size_t count : {0, 1, 7, 1000, 50000}) {
        size_t bytes = count * sizeOf(type);
        Buffer send(bytes), recv(bytes);
        uploadAll(send, std::vector<char>(bytes, char(rank.index)));
        EXPECT_NCCL(ncclGroupStart());
        EXPECT_NCCL(ncclSend(send.data(), count, type, after(rank), rank.world,
                             rank.stream));
        EXPECT_NCCL(ncclRecv(recv.data(), count, type, before(rank), rank.world,
                             rank.stream));
        EXPECT_NCCL(ncclGroupEnd());
        synchronize(rank.stream);
        EXPECT_EQ(downloadAll<char>(recv),
                  std::vector<char>(bytes, char(before(rank))));
      }
  });
}

TEST_P(PointToPoint, messages_of_a_pair_meet_in_order) {
  onRanks(GetParam(), [](const Rank &rank) {
    constexpr int messages = 10;
    std::vector<std::unique_ptr<Buffer>> sends, recvs;
    EXPECT_NCCL(ncclGroupStart());
    for (int i = 0; i < messages; ++i) {
      sends.push_back(std::make_unique<Buffer>(4 * (i + 1)));
      fill(*sends.back(), rank.index * messages + i);
      EXPECT_NCCL(ncclSend(sends.back()->data(), i + 1, ncclInt32, after(rank),
                           rank.world, rank.stream));
    }
    for (int i = 0; i < messages; ++i) {
      recvs.push_back(std::make_unique<Buffer>(4 * (i + 1)));
      EXPECT_NCCL(ncclRecv(recvs.back()->data(), i + 1, ncclInt32, before(rank),
                           rank.world, rank.stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    for (int i = 0; i < messages; ++i)
      expectFilled(*recvs[i], before(rank) * messages + i);
  });
}

TEST_P(PointToPoint, everyone_to_everyone_in_one_group) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer send(4 * rank.count), recv(4 * rank.count);
    std::vector<int32_t> values, expected;
    for (int peer = 0; peer < rank.count; ++peer) {
      values.push_back(rank.index * 100 + peer);
      expected.push_back(peer * 100 + rank.index);
    }
    uploadAll(send, values);
    EXPECT_NCCL(ncclGroupStart());
    for (int peer = 0; peer < rank.count; ++peer) {
      EXPECT_NCCL(ncclSend(send.data() + 4 * peer, 1, ncclInt32, peer,
                           rank.world, rank.stream));
      EXPECT_NCCL(ncclRecv(recv.data() + 4 * peer, 1, ncclInt32, peer,
                           rank.world, rank.stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    EXPECT_EQ(downloadAll<int32_t>(recv), expected);
  });
}

TEST_P(PointToPoint, down_a_line_without_groups) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer buffer(4 * 100);
    fill(buffer, 1);
    if (rank.index > 0)
      EXPECT_NCCL(ncclRecv(buffer.data(), 100, ncclInt32, rank.index - 1,
                           rank.world, rank.stream));
    if (rank.index + 1 < rank.count)
      EXPECT_NCCL(ncclSend(buffer.data(), 100, ncclInt32, rank.index + 1,
                           rank.world, rank.stream));
    synchronize(rank.stream);
    expectFilled(buffer, 1);
  });
}

TEST(Message, both_ranks_send_before_they_receive) {
  onRanks(2, [](const Rank &rank) {
    Buffer send(400), recv(400);
    fill(send, rank.index);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclSend(send.data(), 100, ncclInt32, 1 - rank.index,
                         rank.world, rank.stream));
    EXPECT_NCCL(ncclRecv(recv.data(), 100, ncclInt32, 1 - rank.index,
                         rank.world, rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    expectFilled(recv, 1 - rank.index);
  });
}

/// Rank 0 sends one element to each rank and receives one of itself; rank 1
/// sends none. Every pair is issued on both sides, and it ends.
TEST(Message, zero_counts_are_issued_on_both_sides) {
  const size_t sendCounts[2][2] = {{1, 1}, {0, 0}};
  onRanks(2, [&](const Rank &rank) {
    Buffer send(8), recv(8);
    uploadAll(send, std::vector<int32_t>{10, 11});
    uploadAll(recv, std::vector<int32_t>{-1, -1});
    EXPECT_NCCL(ncclGroupStart());
    for (int peer = 0; peer < 2; ++peer) {
      EXPECT_NCCL(ncclSend(send.data() + 4 * peer, sendCounts[rank.index][peer],
                           ncclInt32, peer, rank.world, rank.stream));
      EXPECT_NCCL(ncclRecv(recv.data() + 4 * peer, sendCounts[peer][rank.index],
                           ncclInt32, peer, rank.world, rank.stream));
    }
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    EXPECT_EQ(downloadAll<int32_t>(recv), rank.index
                                              ? (std::vector<int32_t>{11, -1})
                                              : (std::vector<int32_t>{10, -1}));
  });
}

TEST(Message, buffers_of_no_elements_may_be_null) {
  onRanks(2, [](const Rank &rank) {
    EXPECT_NCCL(ncclAllReduce(nullptr, nullptr, 0, ncclFloat32, ncclSum,
                              rank.world, rank.stream));
    if (rank.index == 0)
      EXPECT_NCCL(ncclSend(nullptr, 0, ncclInt8, 1, rank.world, rank.stream));
    else
      EXPECT_NCCL(ncclRecv(nullptr, 0, ncclInt8, 0, rank.world, rank.stream));
    synchronize(rank.stream);
  });
}

class Groups : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Groups, ::testing::Values(1, 2, 3, 4, 8));

TEST_P(Groups, several_collectives) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer a(40), b(40), gathered(40 * rank.count);
    fill(a, 1);
    fill(b, rank.index);
    Buffer mine(40);
    fill(mine, rank.index);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(a.data(), a.data(), 10, ncclInt32, ncclSum,
                              rank.world, rank.stream));
    EXPECT_NCCL(ncclAllReduce(b.data(), b.data(), 10, ncclInt32, ncclMax,
                              rank.world, rank.stream));
    EXPECT_NCCL(ncclAllGather(mine.data(), gathered.data(), 10, ncclInt32,
                              rank.world, rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    expectFilled(a, rank.count);
    expectFilled(b, rank.count - 1);
    std::vector<int32_t> expected;
    for (int i = 0; i < rank.count; ++i)
      expected.insert(expected.end(), 10, i);
    EXPECT_EQ(downloadAll<int32_t>(gathered), expected);
  });
}

TEST_P(Groups, collectives_and_messages) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer sum(400), send(400), recv(400);
    fill(sum, 2);
    fill(send, rank.index);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclSend(send.data(), 100, ncclInt32, after(rank), rank.world,
                         rank.stream));
    EXPECT_NCCL(ncclAllReduce(sum.data(), sum.data(), 100, ncclInt32, ncclSum,
                              rank.world, rank.stream));
    EXPECT_NCCL(ncclRecv(recv.data(), 100, ncclInt32, before(rank), rank.world,
                         rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    expectFilled(sum, 2 * rank.count);
    expectFilled(recv, before(rank));
  });
}

TEST_P(Groups, inner_groups_belong_to_the_outer_one) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer send(4), recv(4);
    fill(send, rank.index);
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclSend(send.data(), 1, ncclInt32, after(rank), rank.world,
                         rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclRecv(recv.data(), 1, ncclInt32, before(rank), rank.world,
                         rank.stream));
    EXPECT_NCCL(ncclGroupEnd());
    EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    expectFilled(recv, before(rank));
  });
}

TEST_P(Groups, may_be_empty) {
  onRanks(GetParam(), [](const Rank &rank) {
    EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclGroupEnd());
  });
}

TEST_P(Groups, of_one_collective_meet_a_call_without_a_group) {
  onRanks(GetParam(), [](const Rank &rank) {
    Buffer sum(4);
    fill(sum, 1);
    if (rank.index == 0)
      EXPECT_NCCL(ncclGroupStart());
    EXPECT_NCCL(ncclAllReduce(sum.data(), sum.data(), 1, ncclInt32, ncclSum,
                              rank.world, rank.stream));
    if (rank.index == 0)
      EXPECT_NCCL(ncclGroupEnd());
    synchronize(rank.stream);
    expectFilled(sum, rank.count);
  });
}

/// Only some ranks exchange; the others go on to the next collective.
TEST(Group, partial_exchanges_between_collectives) {
  onRanks(8, [](const Rank &rank) {
    for (int distance = 1; distance < 8; distance *= 2) {
      Buffer send(40), recv(40), sum(4);
      fill(send, rank.index);
      fill(recv, -1);
      fill(sum, 1);
      bool sends = rank.index % (2 * distance) == 0;
      bool receives = rank.index % (2 * distance) == distance;
      EXPECT_NCCL(ncclGroupStart());
      if (sends)
        EXPECT_NCCL(ncclSend(send.data(), 10, ncclInt32, rank.index + distance,
                             rank.world, rank.stream));
      if (receives)
        EXPECT_NCCL(ncclRecv(recv.data(), 10, ncclInt32, rank.index - distance,
                             rank.world, rank.stream));
      EXPECT_NCCL(ncclGroupEnd());
      EXPECT_NCCL(ncclAllReduce(sum.data(), sum.data(), 1, ncclInt32, ncclSum,
                                rank.world, rank.stream));
      synchronize(rank.stream);
      expectFilled(recv, receives ? rank.index - distance : -1);
      expectFilled(sum, 8);
    }
  });
}
