// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Collectives that move elements, on every element type and along every dim,
/// against their descriptions.

#include "Case.h"

#include "gtest/gtest.h"

using namespace pctl;
using namespace pctl::test;

//===----------------------------------------------------------------------===//
// all_gather, all_slice
//===----------------------------------------------------------------------===//

static void checkAllGather(const Case &test, llvm::ArrayRef<int64_t> local,
                           int64_t dim, const ElementType &type) {
  llvm::SmallVector<int64_t> joined(local);
  joined[dim] *= layout::getNumPositions(test.axes);
  std::vector<Array> inputs = test.fillAll(local, type), expected;
  for (int rank = 0; rank < test.getNumRanks(); ++rank)
    expected.push_back(concat(test.gatherGroup(inputs, rank), dim));
  test.check(test.print("all_gather", tensorType(local, type.name),
                        tensorType(joined, type.name),
                        "dim = " + std::to_string(dim)),
             inputs, expected);
}

TEST(AllGather, JoinsAlongEachDim) {
  for (int64_t dim = 0; dim < 3; ++dim)
    checkAllGather(Case("x=2,y=2", "y"), {2, 3, 4}, dim, kF32);
}

TEST(AllGather, FollowsTheOrderOfAxes) {
  checkAllGather(Case("x=2,y=3", "x,y"), {2, 2}, 0, kF32);
  checkAllGather(Case("x=2,y=3", "y,x"), {2, 2}, 1, kF32);
  checkAllGather(Case("x=8", "x:(2)2"), {3}, 0, kF32);
  checkAllGather(Case("x=8", "x:(4)2,x:(1)2"), {1, 3}, 1, kF32);
}

TEST(AllGather, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes) {
    checkAllGather(Case("x=2", "x"), {3, 2}, 0, type);
    checkAllGather(Case("x=2", "x"), {3, 2}, 1, type);
  }
}

TEST(AllGather, TakesEmptyBlocks) {
  checkAllGather(Case("x=3", "x"), {0, 2}, 0, kF32);
  checkAllGather(Case("x=3", "x"), {2, 0}, 1, kF32);
  checkAllGather(Case("x=3", "x"), {0, 2}, 1, kF32);
}

TEST(AllGather, IsACopyInAGroupOfOne) {
  checkAllGather(Case("x=2,y=1", "y"), {2, 3}, 1, kF32);
}

TEST(AllGather, JoinsBlocksOfAnySizes) {
  Case test("x=4", "x");
  for (const ElementType &type : {kF32, ElementType{"i16", 2, 16}})
    for (int64_t dim = 0; dim < 3; ++dim) {
      // Not the blocks of a layout: sizes may be any.
      const int64_t sizes[] = {2, 0, 3, 1};
      std::vector<Array> inputs;
      llvm::SmallVector<int64_t> in = {2, 3, 2}, out = in;
      for (int rank = 0; rank < 4; ++rank) {
        in[dim] = sizes[rank];
        inputs.push_back(fill(in, type, rank + 1));
      }
      in[dim] = -1;
      out[dim] = 6;
      std::vector<Array> expected(4, concat(inputs, dim));
      test.check(test.print("all_gather", tensorType(in, type.name),
                            tensorType(out, type.name),
                            "dim = " + std::to_string(dim)),
                 inputs, expected);
    }
}

static void checkAllSlice(const Case &test, llvm::ArrayRef<int64_t> whole,
                          int64_t dim, const ElementType &type) {
  layout::DimLayout cut;
  cut.axes = test.axes;
  std::optional<int64_t> even = layout::getEvenBlockSize(cut, whole[dim]);
  llvm::SmallVector<int64_t> out(whole);
  out[dim] = even ? *even : -1;
  Array input = fill(whole, type, 7);
  std::vector<Array> expected;
  for (int rank = 0; rank < test.getNumRanks(); ++rank) {
    layout::Range block = layout::getBlock(
        cut, whole[dim], test.mesh.getCoordinate(rank, test.axes));
    expected.push_back(slice(input, dim, block.offset, block.size));
  }
  std::string setup =
      even
          ? ""
          : "%o, %s = pctl.block_range " + std::to_string(whole[dim]) + " by " +
                axesText(test.mesh, test.axes) + " on @m : index, index\n";
  test.check(test.print("all_slice", tensorType(whole, type.name),
                        tensorType(out, type.name),
                        "dim = " + std::to_string(dim), setup,
                        even ? "" : "%s"),
             std::vector<Array>(test.getNumRanks(), input), expected);
}

TEST(AllSlice, KeepsTheBlockOfEachDim) {
  for (int64_t dim = 0; dim < 3; ++dim) {
    checkAllSlice(Case("x=2,y=2", "x"), {4, 6, 2}, dim, kF32);
    checkAllSlice(Case("x=2,y=3", "y,x"), {5, 7, 1}, dim, kF32);
  }
}

TEST(AllSlice, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes)
    checkAllSlice(Case("x=2", "x"), {3, 4}, 1, type);
}

TEST(AllSlice, LeavesTrailingBlocksEmpty) {
  checkAllSlice(Case("x=4", "x"), {2, 3}, 0, kF32);
  checkAllSlice(Case("x=4", "x"), {5}, 0, kF32);
}

//===----------------------------------------------------------------------===//
// all_to_all
//===----------------------------------------------------------------------===//

static void checkAllToAll(const Case &test, llvm::ArrayRef<int64_t> in,
                          int64_t split, int64_t concatDim,
                          const ElementType &type) {
  int64_t k = layout::getNumPositions(test.axes);
  int64_t block = in[split] / k;
  llvm::SmallVector<int64_t> out(in);
  out[split] /= k;
  out[concatDim] *= k;
  std::vector<Array> inputs = test.fillAll(in, type), expected;
  for (int rank = 0; rank < test.getNumRanks(); ++rank) {
    int64_t position = test.mesh.getCoordinate(rank, test.axes);
    std::vector<Array> received;
    for (const Array &member : test.gatherGroup(inputs, rank))
      received.push_back(slice(member, split, position * block, block));
    expected.push_back(concat(received, concatDim));
  }
  test.check(test.print("all_to_all", tensorType(in, type.name),
                        tensorType(out, type.name),
                        "split_dim = " + std::to_string(split) +
                            " concat_dim = " + std::to_string(concatDim)),
             inputs, expected);
}

TEST(AllToAll, MovesTheCutBetweenAnyTwoDims) {
  for (int64_t split = 0; split < 3; ++split)
    for (int64_t concatDim = 0; concatDim < 3; ++concatDim)
      checkAllToAll(Case("x=2,y=2", "x"), {2, 4, 6}, split, concatDim, kF32);
}

TEST(AllToAll, FollowsTheOrderOfAxes) {
  checkAllToAll(Case("x=2,y=3", "y,x"), {6, 2}, 0, 1, kF32);
  checkAllToAll(Case("x=8", "x:(1)4"), {2, 8}, 1, 0, kF32);
}

TEST(AllToAll, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes)
    checkAllToAll(Case("x=2", "x"), {2, 2, 2}, 1, 2, type);
}

TEST(AllToAll, TakesEmptyBlocks) {
  checkAllToAll(Case("x=2", "x"), {0, 3}, 0, 1, kF32);
  checkAllToAll(Case("x=2", "x"), {2, 0}, 0, 1, kF32);
}

//===----------------------------------------------------------------------===//
// broadcast, permute
//===----------------------------------------------------------------------===//

static void checkBroadcast(const Case &test, int64_t root,
                           const ElementType &type) {
  std::vector<Array> inputs = test.fillAll({2, 3}, type), expected;
  for (int rank = 0; rank < test.getNumRanks(); ++rank)
    expected.push_back(test.gatherGroup(inputs, rank)[root]);
  std::string tensor = tensorType({2, 3}, type.name);
  test.check(
      test.print("broadcast", tensor, tensor, "root = " + std::to_string(root)),
      inputs, expected);
}

TEST(Broadcast, GivesTheRootsInputToItsGroup) {
  for (int64_t root = 0; root < 3; ++root)
    checkBroadcast(Case("x=2,y=3", "y"), root, kF32);
  checkBroadcast(Case("x=2,y=3", "y,x"), 1, kF32);
}

TEST(Broadcast, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes)
    checkBroadcast(Case("x=2", "x"), 1, type);
}

/// A permute, into an output that holds something else before.
static void checkPermute(const Case &test,
                         const std::vector<std::pair<int64_t, int64_t>> &pairs,
                         const ElementType &type) {
  std::vector<Array> inputs = test.fillAll({3, 2}, type), expected;
  std::string tensor = tensorType({3, 2}, type.name), list;
  Array before = fill({3, 2}, type, 99);
  for (auto [from, to] : pairs)
    list += (list.empty() ? "[" : ", [") + std::to_string(from) + ", " +
            std::to_string(to) + "]";
  std::vector<std::vector<Array>> arguments;
  for (int rank = 0; rank < test.getNumRanks(); ++rank) {
    arguments.push_back({inputs[rank], before});
    expected.push_back(before);
    for (auto [from, to] : pairs)
      if (to == test.mesh.getCoordinate(rank, test.axes))
        expected.back() = test.gatherGroup(inputs, rank)[from];
  }
  std::string text = meshText(test.mesh) + "func.func @main(%x: " + tensor +
                     ", %o: " + tensor + ") -> " + tensor +
                     " {\n%r = pctl.permute ins(%x : " + tensor +
                     ") outs(%o : " + tensor + ") pairs = [" + list +
                     "] axes = " + axesText(test.mesh, test.axes) +
                     " on @m -> " + tensor + "\nreturn %r : " + tensor + "\n}";
  SCOPED_TRACE(text);
  auto results = run(text, test.getNumRanks(), arguments);
  for (int rank = 0; rank < test.getNumRanks(); ++rank)
    EXPECT_EQ(results[rank], std::vector<Array>{expected[rank]})
        << "rank " << rank;
}

TEST(Permute, PassesInputsOn) {
  Case test("x=2,y=3", "y");
  checkPermute(test, {{0, 1}, {1, 2}, {2, 0}}, kF32);
  checkPermute(test, {{2, 1}, {0, 2}, {1, 0}}, kF32);
  checkPermute(test, {{0, 1}, {1, 0}, {2, 2}}, kF32);
  checkPermute(Case("x=2,y=3", "y,x"), {{0, 5}, {5, 1}}, kF32);
}

TEST(Permute, KeepsTheOutputWhereNothingArrives) {
  Case test("x=4", "x");
  checkPermute(test, {{0, 3}}, kF32);
  checkPermute(test, {{0, 1}, {1, 2}, {2, 3}}, kF32);
  checkPermute(test, {{1, 1}, {2, 0}}, ElementType{"i16", 2, 16});
}

TEST(Permute, IsACopyWhereEachKeepsItsOwn) {
  checkPermute(Case("x=2", "x"), {{0, 0}, {1, 1}}, kF32);
}

TEST(Permute, MovesEveryElementType) {
  for (const ElementType &type : kAllTypes) {
    checkPermute(Case("x=2", "x"), {{0, 1}, {1, 0}}, type);
    checkPermute(Case("x=2", "x"), {{0, 1}}, type);
  }
}
