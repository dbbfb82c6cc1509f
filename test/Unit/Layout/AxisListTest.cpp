// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Normal forms and prefixes of axis lists, by their meaning: the position that
/// they give to each rank.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

TEST(AxisList, NormalFormMergesWhatContinues) {
  Mesh m = mesh("x=16, y=2, z=1");
  auto normal = [&](llvm::StringRef text) {
    return toString(m, normalizeAxes(refs(text, m)));
  };
  EXPECT_EQ(normal("x:(1)2,x:(2)4,x:(8)2"), "x");
  EXPECT_EQ(normal("x:(2)4,x:(1)2"), "x:(2)4,x:(1)2");
  EXPECT_EQ(normal("x:(1)2,y,x:(2)2"), "x:(1)2,y,x:(2)2");
  EXPECT_EQ(normal("x:(1)2,z,x:(2)2"), "x:(1)4");
  EXPECT_EQ(normal("z,x:(4)1"), "");
}

// Two lists give every rank the same position exactly where their normal forms
// are equal.
TEST(AxisList, NormalFormsAreEqualWherePositionsAre) {
  for (const Mesh &m : smallMeshes()) {
    std::map<std::pair<int64_t, Table>, Refs> normalOf;
    // Lists with sub-axes of size 1 are many; three long they show all that
    // such an entry can do.
    std::vector<Refs> lists = allAxisLists(m);
    llvm::append_range(lists, allAxisLists(m, 3, /*withUnits=*/true));
    for (const Refs &list : lists) {
      Refs normal = normalizeAxes(list);
      Table positions = countPositions(m, list);
      ASSERT_EQ(countPositions(m, normal), positions);
      ASSERT_EQ(countAll(normal), countAll(list));
      auto seen =
          normalOf.try_emplace({countAll(list), positions}, normal).first;
      ASSERT_EQ(seen->second, normal)
          << toString(m) << ": " << toString(m, list);
    }
  }
}

TEST(AxisList, CommonPrefixExamples) {
  Mesh m = mesh("x=4, y=2, z=12");
  auto common = [&](llvm::StringRef a, llvm::StringRef b) {
    return toString(m, getCommonPrefix(refs(a, m), refs(b, m)));
  };
  EXPECT_EQ(common("x", "x:(1)2,y"), "x:(1)2");
  EXPECT_EQ(common("x:(1)2,x:(2)2,y", "x,z"), "x");
  EXPECT_EQ(common("x", "y"), "");
  EXPECT_EQ(common("x,y", "x,y"), "x,y");
  EXPECT_EQ(common("z:(1)4", "z:(1)6"), "z:(1)2");
  EXPECT_EQ(common("z:(1)4", "z:(1)3"), "");
  EXPECT_EQ(common("z:(2)2", "z:(1)2,z:(2)2"), "");
}

/// A normal axis list and what it means.
struct Meaning {
  Refs list;
  int64_t count;
  Table positions;
};

/// Returns whether \p prefix is what the major part of \p whole counts.
bool isPrefix(const Meaning &prefix, const Meaning &whole) {
  if (whole.count % prefix.count != 0)
    return false;
  int64_t minor = whole.count / prefix.count;
  for (size_t rank = 0; rank < whole.positions.size(); ++rank)
    if (whole.positions[rank] / minor != prefix.positions[rank])
      return false;
  return true;
}

std::vector<Meaning> normalLists(const Mesh &m) {
  std::vector<Meaning> lists;
  for (const Refs &list : allAxisLists(m))
    if (normalizeAxes(list) == list)
      lists.push_back({list, countAll(list), countPositions(m, list)});
  return lists;
}

TEST(AxisList, CommonPrefixIsTheLongestThatBothBeginWith) {
  for (const Mesh &m : smallMeshes()) {
    std::vector<Meaning> lists = normalLists(m);
    // prefixes[i]: which lists the list i begins with.
    std::vector<std::vector<bool>> prefixes(lists.size());
    for (auto [i, whole] : llvm::enumerate(lists))
      for (const Meaning &prefix : lists)
        prefixes[i].push_back(isPrefix(prefix, whole));

    for (size_t i = 0; i < lists.size(); ++i)
      for (size_t j = 0; j < lists.size(); ++j) {
        const Meaning *longest = &lists[0];
        for (size_t p = 0; p < lists.size(); ++p)
          if (prefixes[i][p] && prefixes[j][p] &&
              lists[p].count > longest->count)
            longest = &lists[p];
        ASSERT_EQ(getCommonPrefix(lists[i].list, lists[j].list), longest->list)
            << toString(m) << ": " << toString(m, lists[i].list) << " and "
            << toString(m, lists[j].list);
      }
  }
}

TEST(AxisList, DroppingAPrefixLeavesTheMinorPart) {
  for (const Mesh &m : smallMeshes()) {
    std::vector<Meaning> lists = normalLists(m);
    for (const Meaning &whole : lists)
      for (const Meaning &prefix : lists) {
        if (!isPrefix(prefix, whole))
          continue;
        Refs rest = dropPrefix(whole.list, prefix.list);
        ASSERT_EQ(rest, normalizeAxes(rest));
        int64_t minor = countAll(rest);
        ASSERT_EQ(prefix.count * minor, whole.count);
        Table positions = countPositions(m, rest);
        for (size_t rank = 0; rank < positions.size(); ++rank)
          ASSERT_EQ(prefix.positions[rank] * minor + positions[rank],
                    whole.positions[rank])
              << toString(m) << ": " << toString(m, whole.list) << " without "
              << toString(m, prefix.list);
      }
  }
}

TEST(AxisList, PrefixesOfListsThatAreNotNormal) {
  Mesh m = mesh("x=16, y=2");
  Refs split = refs("x:(1)2,x:(2)2,x:(4)4,y", m);
  EXPECT_EQ(toString(m, getCommonPrefix(split, refs("x:(1)8", m))), "x:(1)8");
  EXPECT_EQ(toString(m, dropPrefix(split, refs("x:(1)2,x:(2)4", m))),
            "x:(8)2,y");
  EXPECT_EQ(toString(m, dropPrefix(split, {})), "x,y");
  EXPECT_EQ(toString(m, dropPrefix(split, split)), "");
}

} // namespace
