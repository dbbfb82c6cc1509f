// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Replica groups against enumeration of all ranks.

#include "pctl/Layout/ReplicaGroups.h"

#include "Enumerate.h"

#include <map>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Groups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Returns the number of ranks between neighbours along \p ref.
int64_t strideOf(const Mesh &m, AxisRef ref) {
  Table coordinates = countCoordinates(m, ref);
  for (int64_t rank = 0;; ++rank)
    if (coordinates[rank] == 1)
      return rank;
}

/// Returns the groups in order of their lowest ranks, each in order of the
/// positions along \p list. Ranks are of one group when they are the same rank
/// once their coordinates along the list are set to 0.
Groups enumerateGroups(const Mesh &m, const Refs &list) {
  Table positions = countPositions(m, list);
  std::map<int64_t, std::map<int64_t, int64_t>> byLowest;
  for (int64_t rank = 0; rank < m.getNumRanks(); ++rank) {
    int64_t lowest = rank;
    for (AxisRef ref : list)
      lowest -= countCoordinates(m, ref)[rank] * strideOf(m, ref);
    byLowest[lowest][positions[rank]] = rank;
  }
  Groups groups;
  for (const auto &[lowest, members] : byLowest) {
    llvm::SmallVector<int64_t> &group = groups.emplace_back();
    for (auto [position, rank] : members)
      group.push_back(rank);
  }
  return groups;
}

TEST(ReplicaGroups, OfEveryAxisListOfEverySmallMesh) {
  for (const Mesh &m : smallMeshes())
    for (const Refs &list : allAxisLists(m)) {
      SCOPED_TRACE(toString(m) + ": " + toString(m, list));
      ReplicaGroups groups(m, list);
      Groups expected = enumerateGroups(m, list);
      ASSERT_EQ(groups.getAllGroups(), expected);
      ASSERT_EQ(groups.getNumGroups(), static_cast<int64_t>(expected.size()));
      for (size_t group = 0; group < expected.size(); ++group) {
        auto &members = expected[group];
        ASSERT_EQ(groups.getGroupSize(), static_cast<int64_t>(members.size()));
        for (size_t position = 0; position < members.size(); ++position) {
          int64_t rank = members[position];
          ASSERT_EQ(groups.getGroup(rank), static_cast<int64_t>(group));
          ASSERT_EQ(groups.getPosition(rank), static_cast<int64_t>(position));
          ASSERT_EQ(groups.getMembers(rank), members);
          for (size_t other = 0; other < members.size(); ++other)
            ASSERT_EQ(groups.getMember(rank, other), members[other]);
        }
      }
    }
}

TEST(ReplicaGroups, FirstAxisIsMajor) {
  Mesh m = mesh("data=4, model=2");
  auto all = [&](llvm::StringRef text) {
    return ReplicaGroups(m, refs(text, m)).getAllGroups();
  };
  EXPECT_EQ(all("model"), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(all("data"), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(all("model,data"), (Groups{{0, 2, 4, 6, 1, 3, 5, 7}}));
  EXPECT_EQ(all("data:(2)2"), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(ReplicaGroups, OverNoAxesAreSingleRanks) {
  Mesh m = mesh("x=3, one=1");
  EXPECT_EQ(ReplicaGroups(m, {}).getAllGroups(), (Groups{{0}, {1}, {2}}));
  EXPECT_EQ(ReplicaGroups(m, refs("one", m)).getAllGroups(),
            (Groups{{0}, {1}, {2}}));
}

// Partial on the outer and inner of three axes: one all-reduce.
TEST(ReplicaGroups, OverAxesThatDoNotTouch) {
  Mesh m = mesh("a=2, b=2, c=2");
  EXPECT_EQ(ReplicaGroups(m, refs("a,c", m)).getAllGroups(),
            (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

} // namespace
