// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The collectives that move elements without changing them: every type and
/// several counts, from every root, in place and not.

#include "Elements.h"
#include "Harness.h"
#include "gtest/gtest.h"

using namespace conformance;

static const size_t counts[] = {0, 1, 7, 1000};

/// Bytes unlike those of any other rank or block near by.
static std::vector<char> pattern(int rank, int block, size_t size) {
  std::vector<char> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>(rank * 31 + block * 17 + i + i / 251);
  return bytes;
}

static std::vector<char> blockOf(const Buffer &buffer, int block, size_t size) {
  std::vector<char> bytes(size);
  buffer.download(bytes.data(), size, block * size);
  return bytes;
}

namespace {
/// One collective of one type and count on one rank.
struct Case {
  const Rank &rank;
  ncclDataType_t type;
  size_t count;
  bool inPlace;

  size_t bytes() const { return count * sizeOf(type); }
  void fill(Buffer &buffer, int block, int atBlock) const {
    buffer.upload(pattern(rank.index, block, bytes()).data(), bytes(),
                  atBlock * bytes());
  }
  void expectBlock(const Buffer &buffer, int atBlock, int fromRank,
                   int block) const {
    EXPECT_EQ(blockOf(buffer, atBlock, bytes()),
              pattern(fromRank, block, bytes()))
        << "block " << atBlock;
  }

  void broadcast(int root) const;
  void allGather() const;
  void gather(int root) const;
  void scatter(int root) const;
  void allToAll() const;
};
} // namespace

void Case::broadcast(int root) const {
  Buffer send(bytes()), other(bytes());
  Buffer &recv = inPlace ? send : other;
  fill(send, 0, 0);
  if (inPlace)
    EXPECT_NCCL(
        ncclBcast(send.data(), count, type, root, rank.world, rank.stream));
  else
    EXPECT_NCCL(ncclBroadcast(send.data(), recv.data(), count, type, root,
                              rank.world, rank.stream));
  synchronize(rank.stream);
  expectBlock(recv, 0, root, 0);
}

void Case::allGather() const {
  Buffer send(bytes()), recv(bytes() * rank.count);
  fill(send, 0, 0);
  fill(recv, 0, rank.index);
  const char *from = inPlace ? recv.data() + bytes() * rank.index : send.data();
  EXPECT_NCCL(
      ncclAllGather(from, recv.data(), count, type, rank.world, rank.stream));
  synchronize(rank.stream);
  for (int block = 0; block < rank.count; ++block)
    expectBlock(recv, block, block, 0);
}

void Case::gather(int root) const {
  bool isRoot = rank.index == root;
  Buffer send(bytes()), recv(isRoot ? bytes() * rank.count : 0);
  fill(send, 0, 0);
  if (isRoot)
    fill(recv, 0, root);
  const char *from =
      inPlace && isRoot ? recv.data() + bytes() * root : send.data();
  EXPECT_NCCL(ncclGather(from, isRoot ? recv.data() : nullptr, count, type,
                         root, rank.world, rank.stream));
  synchronize(rank.stream);
  for (int block = 0; isRoot && block < rank.count; ++block)
    expectBlock(recv, block, block, 0);
}

void Case::scatter(int root) const {
  bool isRoot = rank.index == root;
  Buffer send(isRoot ? bytes() * rank.count : 0), recv(bytes());
  for (int block = 0; isRoot && block < rank.count; ++block)
    fill(send, block, block);
  bool useSend = inPlace && isRoot;
  char *to = useSend ? send.data() + bytes() * root : recv.data();
  EXPECT_NCCL(ncclScatter(isRoot ? send.data() : nullptr, to, count, type, root,
                          rank.world, rank.stream));
  synchronize(rank.stream);
  EXPECT_EQ(blockOf(useSend ? send : recv, useSend ? root : 0, bytes()),
            pattern(root, rank.index, bytes()));
}

void Case::allToAll() const {
  Buffer send(bytes() * rank.count), recv(bytes() * rank.count);
  for (int block = 0; block < rank.count; ++block)
    fill(send, block, block);
  EXPECT_NCCL(ncclAlltoAll(send.data(), recv.data(), count, type, rank.world,
                           rank.stream));
  synchronize(rank.stream);
  for (int block = 0; block < rank.count; ++block)
    expectBlock(recv, block, block, rank.index);
}

static void forAllCases(const Rank &rank,
                        const std::function<void(const Case &)> &body) {
  for (ncclDataType_t type : allTypes)
    for (size_t count : counts)
      for (bool inPlace : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "rank " << rank.index << ", " << count << " "
                     << nameOf(type) << (inPlace ? ", in place" : ""));
        body(Case{rank, type, count, inPlace});
      }
}

class Collectives : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, ::testing::Values(1, 2, 3, 4, 8));

TEST_P(Collectives, broadcast_from_every_root) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (int root = 0; root < rank.count; ++root)
      forAllCases(rank, [root](const Case &one) { one.broadcast(root); });
  });
}

TEST_P(Collectives, all_gather_concatenates_in_order_of_rank) {
  onRanks(GetParam(), [](const Rank &rank) {
    forAllCases(rank, [](const Case &one) { one.allGather(); });
  });
}

TEST_P(Collectives, gather_to_every_root) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (int root = 0; root < rank.count; ++root)
      forAllCases(rank, [root](const Case &one) { one.gather(root); });
  });
}

TEST_P(Collectives, scatter_from_every_root) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (int root = 0; root < rank.count; ++root)
      forAllCases(rank, [root](const Case &one) { one.scatter(root); });
  });
}

TEST_P(Collectives, all_to_all) {
  onRanks(GetParam(), [](const Rank &rank) {
    forAllCases(rank, [](const Case &one) {
      if (!one.inPlace)
        one.allToAll();
    });
  });
}

TEST_P(Collectives, large_blocks) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (bool inPlace : {false, true}) {
      Case one{rank, ncclFloat32, 60001, inPlace};
      one.broadcast(0);
      one.allGather();
      one.gather(rank.count - 1);
      one.scatter(rank.count - 1);
    }
    Case{rank, ncclFloat32, 60001, false}.allToAll();
  });
}
