// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Exchanges of edges between blocks of equal and of any sizes.

#include "Case.h"

using namespace pctl;
using namespace pctl::test;

/// Cuts dim \p dim of \p shape into blocks of \p sizes, one a position of the
/// group, and exchanges edges. With \p isStatic all sizes are equal and the
/// types say so.
static void checkHalo(const Case &test, llvm::ArrayRef<int64_t> shape,
                      int64_t dim, llvm::ArrayRef<int64_t> sizes, bool isStatic,
                      int64_t before, int64_t after,
                      const ElementType &type = kF32) {
  llvm::SmallVector<int64_t> in(shape), out(shape);
  in[dim] = isStatic ? sizes[0] : -1;
  out[dim] = isStatic ? sizes[0] + before + after : -1;
  std::string input = tensorType(in, type.name),
              output = tensorType(out, type.name);
  std::string text =
      meshText(test.mesh) + "func.func @main(%x: " + input + ", %o: " + output +
      ") -> " + output + " {\n%r = pctl.halo_exchange ins(%x : " + input +
      ") outs(%o : " + output + ") dim = " + std::to_string(dim) +
      " before = " + std::to_string(before) +
      " after = " + std::to_string(after) +
      " axes = " + axesText(test.mesh, test.axes) + " on @m -> " + output +
      "\nreturn %r : " + output + "\n}";
  SCOPED_TRACE(text);

  // One tensor for each group, with what the output holds before at its ends.
  layout::ReplicaGroups groups(test.mesh, test.axes);
  std::vector<std::vector<Array>> arguments;
  std::vector<Array> expected;
  for (int64_t rank = 0; rank < test.getNumRanks(); ++rank) {
    int64_t position = groups.getPosition(rank), start = 0, total = 0;
    for (int64_t i = 0; i < groups.getGroupSize(); ++i) {
      start += i < position ? sizes[i] : 0;
      total += sizes[i];
    }
    llvm::SmallVector<int64_t> whole(shape);
    whole[dim] = total;
    Array tensor = fill(whole, type, groups.getGroup(rank) + 1);
    whole[dim] = sizes[position] + before + after;
    Array old = fill(whole, type, 50 + rank);
    arguments.push_back({slice(tensor, dim, start, sizes[position]), old});

    int64_t first = std::max<int64_t>(start - before, 0);
    int64_t last = std::min(start + sizes[position] + after, total);
    int64_t missing = first - (start - before);
    int64_t end = missing + last - first;
    expected.push_back(concat({slice(old, dim, 0, missing),
                               slice(tensor, dim, first, last - first),
                               slice(old, dim, end, whole[dim] - end)},
                              dim));
  }
  auto results = run(text, test.getNumRanks(), arguments);
  for (int rank = 0; rank < test.getNumRanks(); ++rank)
    EXPECT_EQ(results[rank], std::vector<Array>{expected[rank]})
        << "rank " << rank;
}

TEST(HaloExchange, AddsTheEdgesOfNeighbours) {
  for (int64_t dim = 0; dim < 3; ++dim)
    checkHalo(Case("x=2,y=3", "y"), {4, 3, 2}, dim, {2, 2, 2}, true, 1, 1);
  checkHalo(Case("x=4", "x"), {5}, 0, {3, 3, 3, 3}, true, 2, 0);
  checkHalo(Case("x=4", "x"), {5}, 0, {3, 3, 3, 3}, true, 0, 2);
  checkHalo(Case("x=2,y=2", "y,x"), {2, 2}, 1, {2, 2, 2, 2}, true, 1, 2);
}

TEST(HaloExchange, ReachesBeyondTheNextRank) {
  checkHalo(Case("x=4", "x"), {1, 2}, 0, {1, 1, 1, 1}, true, 3, 2);
  checkHalo(Case("x=4", "x"), {2, 1}, 1, {2, 2, 2, 2}, true, 9, 9);
}

TEST(HaloExchange, TakesBlocksOfAnySizes) {
  for (int64_t dim = 0; dim < 2; ++dim) {
    checkHalo(Case("x=4", "x"), {3, 2}, dim, {2, 0, 3, 1}, false, 1, 1);
    checkHalo(Case("x=4", "x"), {3, 2}, dim, {1, 2, 0, 0}, false, 2, 3);
    checkHalo(Case("x=4", "x"), {3, 2}, dim, {0, 0, 1, 0}, false, 1, 2);
  }
}

TEST(HaloExchange, CopiesWithoutNeighbours) {
  checkHalo(Case("x=2,y=1", "y"), {2, 3}, 0, {2}, true, 1, 1);
  checkHalo(Case("x=2", "x"), {2, 3}, 0, {2, 2}, true, 0, 0);
}

TEST(HaloExchange, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes)
    checkHalo(Case("x=2", "x"), {2, 3}, 1, {3, 3}, true, 1, 1, type);
}
