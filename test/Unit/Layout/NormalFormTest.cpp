// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Normal forms of layouts: they mean the same, and equal meanings have equal
/// ones.

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

TEST(NormalForm, Examples) {
  Mesh m = mesh("x=16, y=2, one=1, z=4");
  auto normal = [&](llvm::StringRef text) {
    return toString(m, layout(text, m).getNormalForm());
  };
  EXPECT_EQ(normal("[{x:(1)2,x:(2)8},{one,?}]"), "[{x},{}]");
  EXPECT_EQ(normal("[{?}] partial=[sum(one)]"), "[{}]");
  EXPECT_EQ(normal("[] partial=[sum(z,x),sum(y)]"), "[] partial=[sum(x,y,z)]");
  EXPECT_EQ(normal("[] partial=[and(x:(4)4,x:(1)4)]"), "[] partial=[and(x)]");
  EXPECT_EQ(normal("[{z}:[2,2,1,0]]"), "[{z}]");
  EXPECT_EQ(normal("[{z}:[2,1,1,1]]"), "[{z}:[2,1,1,1]]");
  EXPECT_EQ(normal("[{}:[9]]"), "[{}]");
}

TEST(NormalForm, JoinsOnlyNeighboursOfOneKind) {
  Mesh m = mesh("x=2, y=2, z=2, one=1");
  auto normal = [&](llvm::StringRef text) {
    return toString(m, layout(text, m).getNormalForm());
  };
  EXPECT_EQ(normal("[] partial=[sum(z),maxsi(y),sum(x)]"),
            "[] partial=[sum(z),maxsi(y),sum(x)]");
  EXPECT_EQ(normal("[] partial=[sum(z),maxsi(one),sum(x),sum()]"),
            "[] partial=[sum(x,z)]");
}

TEST(NormalForm, IsEqualExactlyWhereEveryRankHoldsTheSame) {
  for (const Mesh &m : smallMeshes()) {
    // What tells layouts of a vector apart: the position of each rank along
    // the dim, and which ranks' contributions are summed together.
    using Meaning = std::vector<Table>;
    std::map<Meaning, Layout> normalOf;
    forEachLayout(m, 1, [&](const Layout &l) {
      Layout normal = l.getNormalForm();
      ASSERT_EQ(normal, normal.getNormalForm());
      ASSERT_EQ(messageOf(verifyLayout(m, normal)), "");
      Meaning meaning = {{countAll(l.dims[0].axes)},
                         countPositions(m, l.dims[0].axes)};
      // Who sums with whom: for each rank, the lowest rank that differs from it
      // only along the partial axes.
      Table &groups = meaning.emplace_back();
      Table rest = countPositions(m, m.getComplement(l.getPartialAxes()));
      for (int64_t value : rest)
        groups.push_back(llvm::find(rest, value) - rest.begin());
      auto seen = normalOf.try_emplace(meaning, normal).first;
      ASSERT_EQ(toString(m, seen->second), toString(m, normal))
          << toString(m) << ": " << toString(m, l);
    });
    // And unequal meanings have unequal forms.
    std::map<std::string, unsigned> forms;
    for (const auto &[meaning, form] : normalOf)
      ASSERT_EQ(++forms[toString(m, form)], 1u);
  }
}

} // namespace
