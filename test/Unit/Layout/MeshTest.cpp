// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Meshes against counted coordinates: every sub-axis list of every small mesh.

#include "Enumerate.h"

#include "pctl/Layout/Mesh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <set>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

TEST(Mesh, NumbersRanksRowMajor) {
  Mesh m = mesh("data=4, model=2");
  EXPECT_EQ(m.getNumRanks(), 8);
  EXPECT_EQ(m.getCoordinate(5, m.getWholeAxis(0)), 2);
  EXPECT_EQ(m.getCoordinate(5, m.getWholeAxis(1)), 1);
  EXPECT_EQ(m.getStride(m.getWholeAxis(0)), 2);
  EXPECT_EQ(m.findAxis("model"), 1u);
  EXPECT_EQ(m.findAxis("mode"), std::nullopt);
}

TEST(Mesh, WithoutAxesHasOneRank) {
  Mesh m = makeMesh({});
  EXPECT_EQ(m.getNumRanks(), 1);
  EXPECT_EQ(m.getCoordinate(0, Refs()), 0);
  EXPECT_TRUE(m.getComplement({}).empty());
}

TEST(Mesh, KeepsDevicesInRankOrder) {
  Mesh m = llvm::cantFail(Mesh::create({{"x", 2}, {"y", 2}}, {8, 3, 9, 1}));
  EXPECT_EQ(m.getDeviceIds(), llvm::ArrayRef<int64_t>({8, 3, 9, 1}));
}

TEST(Mesh, ListOfDevicesInOrderIsTheDefault) {
  Mesh m = llvm::cantFail(Mesh::create({{"x", 3}}, {0, 1, 2}));
  EXPECT_TRUE(m.getDeviceIds().empty());
  EXPECT_TRUE(m == llvm::cantFail(Mesh::create({{"x", 3}})));
}

TEST(Mesh, SubAxisIsMajorFirst) {
  // x = 16, x:(2)4 has 2 before and 2 after it: (c / 2) % 4.
  Mesh m = mesh("x=16");
  AxisRef ref = llvm::cantFail(m.getSubAxis("x", 2, 4));
  for (int64_t rank = 0; rank < 16; ++rank)
    EXPECT_EQ(m.getCoordinate(rank, ref), (rank / 2) % 4);
}

TEST(Mesh, CoordinatesOfEverySubAxis) {
  for (const Mesh &m : smallMeshes())
    for (AxisRef ref : allRefs(m, /*withUnits=*/true)) {
      Table expected = countCoordinates(m, ref);
      ASSERT_EQ(static_cast<int64_t>(expected.size()), m.getNumRanks());
      for (int64_t rank = 0; rank < m.getNumRanks(); ++rank)
        ASSERT_EQ(m.getCoordinate(rank, ref), expected[rank])
            << toString(m) << " " << toString(m, ref) << " rank " << rank;
    }
}

TEST(Mesh, StrideIsBetweenNeighboursOfEverySubAxis) {
  for (const Mesh &m : smallMeshes())
    for (AxisRef ref : allRefs(m)) {
      Table coordinates = countCoordinates(m, ref);
      auto firstOfOne = llvm::find(coordinates, 1);
      ASSERT_EQ(m.getStride(ref), firstOfOne - coordinates.begin());
    }
}

TEST(Mesh, PositionsOfEveryAxisListAndTheirInverse) {
  for (const Mesh &m : smallMeshes())
    for (const Refs &list : allAxisLists(m)) {
      SCOPED_TRACE(toString(m) + ": " + toString(m, list));
      Table expected = countPositions(m, list);
      Table others = countPositions(m, m.getComplement(list));
      ASSERT_EQ(getNumPositions(list), countAll(list));
      for (int64_t rank = 0; rank < m.getNumRanks(); ++rank) {
        ASSERT_EQ(m.getCoordinate(rank, list), expected[rank]);
        ASSERT_EQ(m.withCoordinate(rank, list, expected[rank]), rank);
        for (int64_t position = 0; position < countAll(list); ++position) {
          int64_t moved = m.withCoordinate(rank, list, position);
          ASSERT_GE(moved, 0);
          ASSERT_LT(moved, m.getNumRanks());
          ASSERT_EQ(expected[moved], position);
          ASSERT_EQ(others[moved], others[rank]);
        }
      }
    }
}

TEST(Mesh, ComplementAndUsedCoverTheRankNumberExactly) {
  for (const Mesh &m : smallMeshes())
    for (const Refs &list : allAxisLists(m, 64, /*withUnits=*/false)) {
      SCOPED_TRACE(toString(m) + ": " + toString(m, list));
      Refs free = m.getComplement(list);
      Table used = countPositions(m, list), rest = countPositions(m, free);
      std::set<std::pair<int64_t, int64_t>> pairs;
      for (int64_t rank = 0; rank < m.getNumRanks(); ++rank)
        pairs.insert({used[rank], rest[rank]});
      ASSERT_EQ(static_cast<int64_t>(pairs.size()), m.getNumRanks());
      ASSERT_EQ(countAll(list) * countAll(free), m.getNumRanks());
      ASSERT_TRUE(llvm::is_sorted(free));
      // Nothing of size 1, and nothing that could be merged.
      ASSERT_EQ(normalizeAxes(free), free);
    }
}

TEST(Mesh, ComplementOfPartsOfAnAxis) {
  Mesh m = mesh("x=12, y=1, z=2");
  EXPECT_EQ(toString(m, m.getComplement({})), "x,z");
  EXPECT_EQ(toString(m, m.getComplement(refs("x:(2)3", m))), "x:(1)2,x:(6)2,z");
  EXPECT_EQ(toString(m, m.getComplement(refs("z,x:(6)2,x:(1)2", m))), "x:(2)3");
  EXPECT_EQ(toString(m, m.getComplement(refs("y,x:(1)1,z", m))), "x");
}

TEST(AxisRef, OverlapsWhereNoSplitHasBoth) {
  for (int64_t size : {4, 6, 8, 12, 16, 24, 30, 36})
    for (const Mesh &m : {makeMesh({size})})
      for (AxisRef a : allRefs(m, /*withUnits=*/true))
        for (AxisRef b : allRefs(m, /*withUnits=*/true))
          ASSERT_EQ(a.overlaps(b), !findsCommonSplit(m, a, b))
              << toString(m, a) << " " << toString(m, b) << " of " << size;
}

TEST(AxisRef, OfTwoAxesNeverOverlap) {
  Mesh m = mesh("x=4, y=4");
  EXPECT_FALSE(m.getWholeAxis(0).overlaps(m.getWholeAxis(1)));
  EXPECT_TRUE(m.getWholeAxis(0).overlaps(m.getWholeAxis(0)));
}

TEST(Mesh, FlatFactorExamples) {
  Mesh m = mesh("a=2, b=4");
  EXPECT_EQ(toString(m, llvm::cantFail(m.getFlatFactor(2, 2))), "b:(1)2");
  EXPECT_EQ(toString(m, llvm::cantFail(m.getFlatFactor(1, 4))), "a,b:(1)2");
  EXPECT_EQ(toString(m, llvm::cantFail(m.getFlatFactor(1, 8))), "a,b");
  EXPECT_EQ(toString(m, llvm::cantFail(m.getFlatFactor(4, 1))), "");
}

TEST(Mesh, FlatFactorIsThatFactorOfTheRankNumber) {
  for (const Mesh &m : smallMeshes()) {
    std::set<std::pair<int64_t, Table>> expressible;
    for (const Refs &list : allAxisLists(m))
      expressible.insert({countAll(list), countPositions(m, list)});
    int64_t ranks = m.getNumRanks();
    for (int64_t preSize = 1; preSize <= ranks + 1; ++preSize)
      for (int64_t size = 1; size <= ranks + 1; ++size) {
        llvm::Expected<Refs> factor = m.getFlatFactor(preSize, size);
        if (ranks % (preSize * size) != 0) {
          ASSERT_NE(messageOf(std::move(factor)), "");
          continue;
        }
        Table expected;
        for (int64_t rank = 0; rank < ranks; ++rank)
          expected.push_back(rank / (ranks / (preSize * size)) % size);
        if (!factor) {
          // An error exactly where no list of sub-axes is that factor.
          llvm::consumeError(factor.takeError());
          ASSERT_FALSE(expressible.count({size, expected}))
              << toString(m) << " (" << preSize << ")" << size;
          continue;
        }
        ASSERT_EQ(countPositions(m, *factor), expected);
        ASSERT_EQ(countAll(*factor), size);
      }
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(MeshErrors, Axes) {
  EXPECT_EQ(messageOf(Mesh::create({{"x", 2}, {"", 2}})),
            "axis 1 of the mesh has an empty name");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 2}, {"y", 2}, {"x", 3}})),
            "mesh has two axes named 'x'");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 0}})),
            "axis 'x' has size 0, it must be at least 1");
  EXPECT_EQ(messageOf(Mesh::create({{"x", -4}})),
            "axis 'x' has size -4, it must be at least 1");
}

TEST(MeshErrors, MoreRanksThanFit) {
  EXPECT_EQ(messageOf(Mesh::create({{"x", INT64_C(1) << 62}, {"y", 2}})),
            "axis 'y' (size 2) takes the mesh beyond 2^63 - 1 ranks");
  EXPECT_EQ(messageOf(Mesh::create({{"x", INT64_MAX}, {"y", 1}})), "");
}

TEST(MeshErrors, Devices) {
  EXPECT_EQ(messageOf(Mesh::create({{"x", 4}}, {0, 1, 2})),
            "device list has 3 entries, mesh has 4 ranks");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 2}}, {4, -1})),
            "device list holds -1 at position 1, devices are numbered from 0");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 4}}, {7, 5, 6, 5})),
            "device 5 is listed twice, at positions 1 and 3");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 2}}, {INT64_MAX, 1})), "");
  EXPECT_EQ(messageOf(Mesh::create({{"x", 2}}, {INT64_MAX, INT64_MAX})),
            "device 9223372036854775807 is listed twice, at positions 0 and "
            "1");
}

TEST(MeshErrors, SubAxes) {
  Mesh m = mesh("x=2, y=8");
  EXPECT_EQ(messageOf(m.getSubAxis("z", 1, 2)),
            "mesh has no axis 'z'; its axes are 'x' (size 2), 'y' (size 8)");
  EXPECT_EQ(messageOf(makeMesh({}).getSubAxis("z", 1, 2)),
            "mesh has no axis 'z'; it has no axes");
  EXPECT_EQ(messageOf(m.getSubAxis("y", 1, 3)),
            "sub-axis 'y:(1)3' does not divide axis 'y' (size 8)");
  EXPECT_EQ(messageOf(m.getSubAxis("y", 4, 4)),
            "sub-axis 'y:(4)4' does not divide axis 'y' (size 8)");
  EXPECT_EQ(messageOf(m.getSubAxis("y", INT64_C(1) << 62, 4)),
            "sub-axis 'y:(4611686018427387904)4' does not divide axis 'y' "
            "(size 8)");
  EXPECT_EQ(messageOf(m.getSubAxis("y", 0, 2)),
            "sub-axis 'y:(0)2' has a size below 1");
  EXPECT_EQ(messageOf(m.getSubAxis("y", 2, -2)),
            "sub-axis 'y:(2)-2' has a size below 1");
}

TEST(MeshErrors, FlatFactors) {
  Mesh m = mesh("a=2, b=6");
  EXPECT_EQ(messageOf(m.getFlatFactor(0, 2)),
            "factor (0)2 of the mesh has a size below 1");
  EXPECT_EQ(messageOf(m.getFlatFactor(2, 4)),
            "factor (2)4 does not divide the mesh (12 ranks)");
  EXPECT_EQ(messageOf(m.getFlatFactor(INT64_MAX, INT64_MAX)),
            "factor (9223372036854775807)9223372036854775807 does not divide "
            "the mesh (12 ranks)");
  EXPECT_EQ(messageOf(m.getFlatFactor(1, 3)),
            "factor (1)3 of the mesh does not divide axis 'b' (size 6), which "
            "has 2 ranks before it");
}

} // namespace
