// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Seeded random layouts of large tensors on meshes of up to 1,048,576 ranks,
/// a few ranks of each, in arithmetic of 128 bits.

#include "Enumerate.h"

#include "pctl/Layout/ReplicaGroups.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Wide = __int128;

class LargeMesh : public testing::Test {
protected:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }

  /// Returns a mesh of at most 2^20 ranks, with odd sizes at times.
  Mesh randomMesh() {
    constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 1024};
    std::vector<int64_t> chosen;
    for (int64_t ranks = 1;;) {
      int64_t size = sizes[below(12)];
      if (ranks * size > (1 << 20) || chosen.size() == 8)
        return makeMesh(chosen);
      ranks *= size;
      chosen.push_back(size);
    }
  }

  /// Splits each axis at random into sub-axes and shuffles them all.
  Refs randomFactors(const Mesh &m) {
    Refs factors;
    for (unsigned axis = 0; axis < m.getNumAxes(); ++axis) {
      int64_t size = m.getAxes()[axis].size;
      for (int64_t preSize = 1; preSize < size;) {
        int64_t part = 1 + below(size / preSize);
        while (size / preSize % part != 0)
          ++part;
        if (part > 1)
          factors.push_back({axis, preSize, part});
        preSize *= part;
      }
    }
    std::shuffle(factors.begin(), factors.end(), random);
    return factors;
  }

  /// Gives some of \p factors to three dims and to a partial entry.
  Layout randomLayout(const Refs &factors) {
    Layout layout = Layout::replicated(3);
    layout.partial.push_back({ReductionKind::Sum, {}});
    for (AxisRef ref : factors) {
      int64_t place = below(5);
      if (place < 3)
        layout.dims[place].axes.push_back(ref);
      else if (place == 3)
        layout.partial[0].axes.push_back(ref);
    }
    return layout;
  }

  std::mt19937_64 random{20240607};
};

/// The coordinate of \p rank, peeling digits off from the minor end.
int64_t digit(const Mesh &m, int64_t rank, AxisRef ref) {
  for (unsigned axis = m.getNumAxes(); axis-- > ref.axis + 1;)
    rank /= m.getAxes()[axis].size;
  int64_t size = m.getAxes()[ref.axis].size;
  rank %= size;
  return rank * ref.preSize * ref.size / size % ref.size;
}

Wide position(const Mesh &m, int64_t rank, llvm::ArrayRef<AxisRef> refs) {
  Wide result = 0;
  for (AxisRef ref : refs)
    result = result * ref.size + digit(m, rank, ref);
  return result;
}

TEST_F(LargeMesh, BoxesOfSampledRanks) {
  for (int i = 0; i < 2000; ++i) {
    Mesh m = randomMesh();
    Layout l = randomLayout(randomFactors(m));
    SCOPED_TRACE(toString(m) + ": " + toString(m, l));
    llvm::SmallVector<int64_t> shape = {below(INT64_C(1) << 40), below(1 << 20),
                                        below(8)};
    if (i % 4 == 0)
      shape = {INT64_MAX - below(1 << 20), 1, 1};
    ASSERT_EQ(messageOf(verifyLayout(m, l, shape)), "");
    for (int sample = 0; sample < 4; ++sample) {
      int64_t rank = sample == 0 ? m.getNumRanks() - 1 : below(m.getNumRanks());
      Box box = getBox(m, l, shape, rank);
      for (unsigned dim = 0; dim < 3; ++dim) {
        Wide count = countAll(l.dims[dim].axes), n = shape[dim];
        Wide block = (n + count - 1) / count;
        Wide at = position(m, rank, l.dims[dim].axes);
        Wide begin = std::min(at * block, n);
        Wide end = std::min((at + 1) * block, n);
        ASSERT_EQ(box[dim].offset, static_cast<int64_t>(begin));
        ASSERT_EQ(box[dim].size, static_cast<int64_t>(end - begin));
      }
    }
  }
}

TEST_F(LargeMesh, NeighbouringBlocksTouch) {
  for (int i = 0; i < 500; ++i) {
    Mesh m = randomMesh();
    Layout l = randomLayout(randomFactors(m));
    SCOPED_TRACE(toString(m) + ": " + toString(m, l));
    int64_t size = below(INT64_C(1) << 40);
    const DimLayout &dim = l.dims[0];
    int64_t count = countAll(dim.axes);
    ASSERT_EQ(getBlock(dim, size, 0).offset, 0);
    ASSERT_EQ(getBlock(dim, size, count - 1).getEnd(), size);
    for (int sample = 0; sample < 8 && count > 1; ++sample) {
      int64_t at = below(count - 1);
      ASSERT_EQ(getBlock(dim, size, at).getEnd(),
                getBlock(dim, size, at + 1).offset);
    }
  }
}

TEST_F(LargeMesh, GroupsOfSampledRanks) {
  for (int i = 0; i < 1000; ++i) {
    Mesh m = randomMesh();
    Refs factors = randomFactors(m);
    int64_t numChosen = below(factors.size() + 1);
    Refs chosen(factors.begin(), factors.begin() + numChosen);
    Refs others(factors.begin() + numChosen, factors.end());
    SCOPED_TRACE(toString(m) + ": " + toString(m, chosen));
    ReplicaGroups groups(m, chosen);
    ASSERT_EQ(groups.getGroupSize() * groups.getNumGroups(), m.getNumRanks());
    for (int sample = 0; sample < 4; ++sample) {
      int64_t rank = below(m.getNumRanks());
      int64_t at = below(groups.getGroupSize());
      int64_t member = groups.getMember(rank, at);
      // Its position is the one asked for; along all others it stands still.
      ASSERT_EQ(static_cast<int64_t>(position(m, member, chosen)), at);
      ASSERT_EQ(position(m, member, others), position(m, rank, others));
      ASSERT_EQ(groups.getGroup(member), groups.getGroup(rank));
      ASSERT_EQ(groups.getMember(member, groups.getPosition(rank)), rank);
      // Numbered by the lowest rank: the group with the next lowest one is
      // next.
      int64_t other = below(m.getNumRanks());
      int64_t lowest = groups.getMember(rank, 0);
      int64_t otherLowest = groups.getMember(other, 0);
      ASSERT_EQ(groups.getGroup(rank) < groups.getGroup(other),
                lowest < otherLowest);
    }
  }
}

TEST_F(LargeMesh, TextReadsBack) {
  for (int i = 0; i < 500; ++i) {
    Mesh m = randomMesh();
    Layout l = randomLayout(randomFactors(m));
    ASSERT_TRUE(mesh(toString(m)) == m);
    ASSERT_EQ(layout(toString(m, l), m), l) << toString(m, l);
  }
}

TEST(HugeMesh, OfMoreRanksThanElementsPerRank) {
  Mesh m = mesh("x=2147483648, y=1073741824, z=2");
  ASSERT_EQ(m.getNumRanks(), INT64_C(1) << 62);
  Layout l = layout("[{x,y,z}]", m);
  int64_t last = m.getNumRanks() - 1;
  EXPECT_EQ(m.getCoordinate(last, l.dims[0].axes), last);
  // 2^63 - 1 elements over 2^62 ranks: two each, and one on the last.
  EXPECT_EQ(getBox(m, l, {INT64_MAX}, last)[0], (Range{INT64_MAX - 1, 1}));
  EXPECT_EQ(getBox(m, l, {INT64_MAX}, 0)[0], (Range{0, 2}));
  EXPECT_EQ(getBox(m, l, {5}, last)[0], (Range{5, 0}));
}

} // namespace
