// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// All-reduce, reduce and reduce-scatter: every type, every reduction, several
/// counts, in place and not, against a reduction element by element.

#include "Elements.h"
#include "Harness.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace conformance;

static const size_t counts[] = {0, 1, 7, 1000};

/// A rank's elements [begin, begin + count).
static std::vector<double> inputs(ncclDataType_t type, ncclRedOp_t op, int rank,
                                  size_t begin, size_t count) {
  std::vector<double> values;
  for (size_t i = begin; i < begin + count; ++i)
    values.push_back(inputOf(type, op, rank, i));
  return values;
}

/// The reduction of those elements over all ranks.
static std::vector<double> expected(ncclDataType_t type, ncclRedOp_t op,
                                    int rankCount, size_t begin, size_t count) {
  std::vector<double> values;
  for (size_t i = begin; i < begin + count; ++i) {
    std::vector<double> ofRanks;
    for (int rank = 0; rank < rankCount; ++rank)
      ofRanks.push_back(inputOf(type, op, rank, i));
    values.push_back(reduceValues(type, op, ofRanks));
  }
  return values;
}

/// Compares bits; averages over a number of ranks that is no power of two are
/// only compared up to the rounding of the type: NCCL multiplies by 1/n first.
static void expectReduced(ncclDataType_t type, ncclRedOp_t op, int rankCount,
                          const std::vector<char> &got,
                          const std::vector<double> &want) {
  bool rounds =
      op == ncclAvg && isFloating(type) && (rankCount & (rankCount - 1)) != 0;
  if (!rounds) {
    EXPECT_EQ(got, encode(type, want));
    return;
  }
  double tolerance = sizeOf(type) == 1 ? 0.25 : sizeOf(type) == 2 ? 0.05 : 1e-6;
  std::vector<double> values = decode(type, got);
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], want[i], tolerance) << "at element " << i;
}

namespace {
/// One reduction of one type and count on one rank.
struct Case {
  const Rank &rank;
  ncclDataType_t type;
  ncclRedOp_t op;
  size_t count;
  bool inPlace;

  size_t bytes() const { return count * sizeOf(type); }

  void allReduce() const;
  void reduce(int root) const;
  void reduceScatter() const;
};
} // namespace

void Case::allReduce() const {
  Buffer send(bytes()), other(bytes());
  Buffer &recv = inPlace ? send : other;
  std::vector<char> input =
      encode(type, inputs(type, op, rank.index, 0, count));
  uploadAll(send, input);
  EXPECT_NCCL(ncclAllReduce(send.data(), recv.data(), count, type, op,
                            rank.world, rank.stream));
  synchronize(rank.stream);
  expectReduced(type, op, rank.count, downloadAll<char>(recv),
                expected(type, op, rank.count, 0, count));
  if (!inPlace) {
    EXPECT_EQ(downloadAll<char>(send), input);
  }
}

void Case::reduce(int root) const {
  Buffer send(bytes()), other(bytes());
  bool isRoot = rank.index == root;
  Buffer &recv = inPlace ? send : other;
  uploadAll(send, encode(type, inputs(type, op, rank.index, 0, count)));
  std::vector<char> before = downloadAll<char>(recv);
  EXPECT_NCCL(ncclReduce(send.data(), isRoot ? recv.data() : nullptr, count,
                         type, op, root, rank.world, rank.stream));
  synchronize(rank.stream);
  if (!isRoot) {
    EXPECT_EQ(downloadAll<char>(recv), before);
    return;
  }
  expectReduced(type, op, rank.count, downloadAll<char>(recv),
                expected(type, op, rank.count, 0, count));
}

void Case::reduceScatter() const {
  Buffer send(bytes() * rank.count), other(bytes());
  uploadAll(send,
            encode(type, inputs(type, op, rank.index, 0, count * rank.count)));
  char *recv = inPlace ? send.data() + bytes() * rank.index : other.data();
  EXPECT_NCCL(ncclReduceScatter(send.data(), recv, count, type, op, rank.world,
                                rank.stream));
  synchronize(rank.stream);
  std::vector<char> got(bytes());
  if (inPlace)
    send.download(got.data(), bytes(), bytes() * rank.index);
  else
    other.download(got.data(), bytes());
  expectReduced(type, op, rank.count, got,
                expected(type, op, rank.count, count * rank.index, count));
}

/// Runs `body` for every type, reduction and count, in place and not.
static void forAllCases(const Rank &rank,
                        const std::function<void(const Case &)> &body) {
  for (ncclDataType_t type : allTypes)
    for (ncclRedOp_t op : allReductions)
      for (size_t count : counts)
        for (bool inPlace : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << "rank " << rank.index << ", " << nameOf(op) << " of "
                       << count << " " << nameOf(type)
                       << (inPlace ? ", in place" : ""));
          body(Case{rank, type, op, count, inPlace});
        }
}

class Reductions : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Reductions, ::testing::Values(1, 2, 3, 4, 8));

TEST_P(Reductions, all_reduce) {
  onRanks(GetParam(), [](const Rank &rank) {
    forAllCases(rank, [](const Case &one) { one.allReduce(); });
  });
}

TEST_P(Reductions, reduce_to_the_last_rank) {
  onRanks(GetParam(), [](const Rank &rank) {
    forAllCases(rank, [](const Case &one) { one.reduce(one.rank.count - 1); });
  });
}

TEST_P(Reductions, reduce_scatter) {
  onRanks(GetParam(), [](const Rank &rank) {
    forAllCases(rank, [](const Case &one) { one.reduceScatter(); });
  });
}

TEST_P(Reductions, large_counts_are_shared_out_evenly_or_not) {
  for (size_t count : {16384, 30011})
    onRanks(GetParam(), [count](const Rank &rank) {
      for (bool inPlace : {false, true}) {
        Case{rank, ncclInt32, ncclSum, count, inPlace}.allReduce();
        Case{rank, ncclFloat16, ncclMax, count, inPlace}.reduce(0);
        Case{rank, ncclInt64, ncclSum, count, inPlace}.reduceScatter();
      }
    });
}

TEST_P(Reductions, each_rank_multiplies_by_its_own_factor_first) {
  onRanks(GetParam(), [](const Rank &rank) {
    for (ncclDataType_t type : allTypes)
      for (ncclScalarResidence_t residence :
           {ncclScalarHostImmediate, ncclScalarDevice}) {
        SCOPED_TRACE(nameOf(type));
        Buffer factor(sizeOf(type)), buffer(3 * sizeOf(type));
        std::vector<char> factorBytes =
            encode(type, {rank.index % 2 ? 2.0 : 1.0});
        uploadAll(factor, factorBytes);
        uploadAll(buffer, encode(type, {0, 1, 0}));
        ncclRedOp_t op;
        EXPECT_NCCL(ncclRedOpCreatePreMulSum(
            &op,
            residence == ncclScalarDevice ? factor.data() : factorBytes.data(),
            type, residence, rank.world));
        EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 3, type, op,
                                  rank.world, rank.stream));
        synchronize(rank.stream);
        EXPECT_NCCL(ncclRedOpDestroy(op, rank.world));
        double sum = rank.count + rank.count / 2;
        EXPECT_EQ(downloadAll<char>(buffer), encode(type, {0, sum, 0}));
      }
  });
}

TEST(Reduction, int64_sums_keep_every_bit) {
  onRanks(2, [](const Rank &rank) {
    Buffer buffer(8);
    uploadAll(buffer,
              std::vector<int64_t>{(int64_t(1) << 60) + 1 + rank.index});
    EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclInt64,
                              ncclSum, rank.world, rank.stream));
    synchronize(rank.stream);
    EXPECT_EQ(downloadAll<int64_t>(buffer)[0], (int64_t(1) << 61) + 3);
  });
}

TEST(Reduction, int8_sum_of_120_and_100_wraps) {
  onRanks(2, [](const Rank &rank) {
    Buffer buffer(1);
    uploadAll(buffer, std::vector<int8_t>{int8_t(rank.index ? 100 : 120)});
    EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclInt8,
                              ncclSum, rank.world, rank.stream));
    synchronize(rank.stream);
    EXPECT_EQ(downloadAll<int8_t>(buffer)[0], -36);
  });
}

TEST(Reduction, float16_average_of_four_times_40000_is_40000) {
  onRanks(4, [](const Rank &rank) {
    Buffer buffer(2);
    uploadAll(buffer, encode(ncclFloat16, {40000}));
    EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclFloat16,
                              ncclAvg, rank.world, rank.stream));
    synchronize(rank.stream);
    EXPECT_EQ(decode(ncclFloat16, downloadAll<char>(buffer))[0], 40000);
  });
}

TEST(Reduction, a_number_wins_over_nan_in_max_and_min) {
  onRanks(2, [](const Rank &rank) {
    for (ncclRedOp_t op : {ncclMax, ncclMin}) {
      Buffer buffer(3 * sizeof(float));
      uploadAll(buffer, rank.index ? std::vector<float>{NAN, -2, NAN}
                                   : std::vector<float>{-1, NAN, NAN});
      EXPECT_NCCL(ncclAllReduce(buffer.data(), buffer.data(), 3, ncclFloat32,
                                op, rank.world, rank.stream));
      synchronize(rank.stream);
      std::vector<float> got = downloadAll<float>(buffer);
      EXPECT_EQ(got[0], -1);
      EXPECT_EQ(got[1], -2);
      EXPECT_TRUE(std::isnan(got[2]));
    }
  });
}
