// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// MindSpore's form against its own formulas, computed here: the coordinate of
/// a rank, the slice index of a dim, the start of the slice.

#include "pctl/Layout/MindSpore.h"

#include "Enumerate.h"

#include "llvm/ADT/STLExtras.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

using Ints = llvm::SmallVector<int64_t>;
using Maps = llvm::SmallVector<Ints>;

/// coord[i] = (r / prod(dev[i+1:])) % dev[i]
Ints coordinates(const Ints &deviceMatrix, int64_t rank) {
  Ints result;
  for (size_t i = 0; i < deviceMatrix.size(); ++i) {
    int64_t minor = 1;
    for (size_t j = i + 1; j < deviceMatrix.size(); ++j)
      minor *= deviceMatrix[j];
    result.push_back(rank / minor % deviceMatrix[i]);
  }
  return result;
}

/// The slice of dim \p map of \p size elements on a rank, where the cut divides
/// it: idx = 0; for a in map: idx = idx * size(a) + coord(a); it begins at
/// idx * dim / prod(sizes).
Range sliceOf(const MindSporeLayout &form, const Ints &map, int64_t size,
              int64_t rank) {
  Ints coord = coordinates(form.deviceMatrix, rank);
  int64_t index = 0, cuts = 1;
  for (int64_t value : map) {
    if (value == -1)
      continue;
    size_t axis = form.deviceMatrix.size() - 1 - value;
    index = index * form.deviceMatrix[axis] + coord[axis];
    cuts *= form.deviceMatrix[axis];
  }
  EXPECT_EQ(size % cuts, 0);
  return {index * size / cuts, size / cuts};
}

void expectSameSlices(const MindSporeLayout &form, const Mesh &mesh,
                      const Layout &layout) {
  // Divisible by any cut of up to 16 ranks.
  constexpr int64_t size = 48;
  Ints shape(layout.getTensorRank(), size);
  ASSERT_EQ(form.tensorMap.size(), layout.dims.size());
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    Box box = getBox(mesh, layout, shape, rank);
    for (unsigned dim = 0; dim < layout.getTensorRank(); ++dim)
      ASSERT_EQ(box[dim], sliceOf(form, form.tensorMap[dim], size, rank));
  }
}

void expectEqual(const MindSporeLayout &a, const MindSporeLayout &b) {
  EXPECT_EQ(a.deviceMatrix, b.deviceMatrix);
  EXPECT_EQ(a.tensorMap, b.tensorMap);
  EXPECT_TRUE(llvm::equal(a.aliasName, b.aliasName));
  EXPECT_EQ(a.rankList, b.rankList);
  EXPECT_EQ(a.interleavedParallel, b.interleavedParallel);
}

// layout("dp", ("sp", "mp"), "None") on a matrix of 2x2x2.
TEST(MindSpore, ReadsSeveralAxesOnADim) {
  MindSporeLayout form;
  form.deviceMatrix = {2, 2, 2};
  form.aliasName = {"dp", "sp", "mp"};
  form.tensorMap = {{2}, {1, 0}, {-1}};
  form.rankList = {8, 9, 10, 11, 12, 13, 14, 15};
  auto [m, l] = llvm::cantFail(fromMindSpore(form));
  EXPECT_EQ(toString(m), "dp=2, sp=2, mp=2 devices=[8,9,10,11,12,13,14,15]");
  EXPECT_EQ(toString(m, l), "[{dp},{sp,mp},{}]");
  // Position 5 of the rank list: dp=1, sp=0, mp=1.
  EXPECT_EQ(toString(getBox(m, l, {8, 8, 4}, 5)), "[4:8, 2:4, 0:4]");
  expectEqual(llvm::cantFail(toMindSpore(m, l)), form);
}

// MatMul ((2,4),(4,1)): matrix 2x4x1, X map (2,1), W map (1,0), result (2,0).
TEST(MindSpore, ReadsTheLayoutsOfAStrategy) {
  MindSporeLayout form;
  form.deviceMatrix = {2, 4, 1};
  form.tensorMap = {{2}, {1}};
  auto [m, l] = llvm::cantFail(fromMindSpore(form));
  EXPECT_EQ(toString(m), "d0=2, d1=4, d2=1");
  EXPECT_EQ(toString(m, l), "[{d0},{d1}]");
  EXPECT_EQ(getLocalShape(l, {16, 32}), (Ints{8, 8}));
}

TEST(MindSpore, OneDeviceHasAnEmptyMatrix) {
  MindSporeLayout form;
  form.tensorMap = {{-1}, {}};
  auto [m, l] = llvm::cantFail(fromMindSpore(form));
  EXPECT_EQ(m.getNumRanks(), 1);
  EXPECT_EQ(toString(m, l), "[{},{}]");
  MindSporeLayout back = llvm::cantFail(toMindSpore(m, l));
  EXPECT_TRUE(back.deviceMatrix.empty());
  EXPECT_EQ(back.tensorMap, (Maps{{-1}, {-1}}));
}

TEST(MindSpore, EveryLayoutHasTheSlicesOfTheFormulas) {
  for (const Mesh &m : smallMeshes())
    for (unsigned tensorRank : {0, 1, 2, 3})
      forEachLayout(m, tensorRank, [&](const Layout &l) {
        if (l.isPartial())
          return;
        SCOPED_TRACE(toString(m) + ": " + toString(m, l));
        MindSporeLayout form = llvm::cantFail(toMindSpore(m, l));
        expectSameSlices(form, m, l);
        auto [backMesh, back] = llvm::cantFail(fromMindSpore(form));
        ASSERT_EQ(backMesh.getNumRanks(), m.getNumRanks());
        expectSameSlices(form, backMesh, back);
        expectEqual(llvm::cantFail(toMindSpore(backMesh, back)), form);
        // What files hold cuts alike.
        expectSameSlices(getMindSporeFileForm(form), m, l);
      });
}

/// Calls \p visit with every assignment of axes of \p form, each at most once,
/// to two dims.
void forEachMap(MindSporeLayout &form, std::vector<bool> &isUsed,
                llvm::function_ref<void()> visit) {
  visit();
  for (size_t value = 0; value < isUsed.size(); ++value) {
    if (isUsed[value])
      continue;
    isUsed[value] = true;
    for (Ints &map : form.tensorMap) {
      map.push_back(value);
      forEachMap(form, isUsed, visit);
      map.pop_back();
    }
    isUsed[value] = false;
  }
}

TEST(MindSpore, EveryFormReadsAndPrintsWithoutLoss) {
  for (const Ints &matrix :
       {Ints{}, Ints{4}, Ints{2, 3}, Ints{2, 1, 4}, Ints{2, 2, 2, 2}}) {
    MindSporeLayout form;
    form.deviceMatrix = matrix;
    for (size_t i = 0; i < matrix.size(); ++i)
      form.aliasName.push_back(std::string("axis") + char('0' + i));
    form.tensorMap = {{}, {}};
    std::vector<bool> isUsed(matrix.size(), false);
    forEachMap(form, isUsed, [&] {
      MindSporeLayout expected = form;
      for (Ints &map : expected.tensorMap)
        if (map.empty())
          map.push_back(-1);
      auto [m, l] = llvm::cantFail(fromMindSpore(form));
      expectSameSlices(form, m, l);
      expectEqual(llvm::cantFail(toMindSpore(m, l)), expected);
    });
  }
}

TEST(MindSpore, SubAxesBecomeAxes) {
  Mesh m = mesh("x=8, y=1, z=2");
  MindSporeLayout form =
      llvm::cantFail(toMindSpore(m, layout("[{x:(2)2},{z}]", m)));
  EXPECT_EQ(form.deviceMatrix, (Ints{2, 2, 2, 1, 2}));
  EXPECT_TRUE(
      llvm::equal(form.aliasName, std::vector<std::string>{"x_1_2", "x_2_2",
                                                           "x_4_2", "y", "z"}));
  EXPECT_EQ(form.tensorMap, (Maps{{3}, {0}}));
}

TEST(MindSpore, NamesOfSubAxesAvoidThoseOfAxes) {
  Mesh m = mesh("x=4, x_1_2=2, x_1_2_=3");
  MindSporeLayout form =
      llvm::cantFail(toMindSpore(m, layout("[{x:(1)2}]", m)));
  EXPECT_TRUE(
      llvm::equal(form.aliasName, std::vector<std::string>{"x_1_2__", "x_2_2",
                                                           "x_1_2", "x_1_2_"}));
  EXPECT_EQ(messageOf(fromMindSpore(form)), "");
}

TEST(MindSpore, FilesHoldNoAxesOfSizeOne) {
  MindSporeLayout form;
  form.deviceMatrix = {2, 1, 4, 1};
  form.aliasName = {"a", "b", "c", "d"};
  form.tensorMap = {{2}, {3, 0, 1}, {-1}, {}};
  form.rankList = {7, 6, 5, 4, 3, 2, 1, 0};
  MindSporeLayout file = getMindSporeFileForm(form);
  EXPECT_EQ(file.deviceMatrix, (Ints{2, 4}));
  EXPECT_EQ(file.tensorMap, (Maps{{-1}, {1, 0}, {-1}, {-1}}));
  EXPECT_TRUE(file.aliasName.empty());
  EXPECT_EQ(file.rankList, form.rankList);

  MindSporeLayout single;
  single.deviceMatrix = {1, 1};
  single.tensorMap = {{1}, {0}};
  EXPECT_TRUE(getMindSporeFileForm(single).deviceMatrix.empty());
  EXPECT_EQ(getMindSporeFileForm(single).tensorMap, (Maps{{-1}, {-1}}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// A form of a 2x4 matrix called dp, mp with one uncut dim.
MindSporeLayout goodForm() {
  MindSporeLayout form;
  form.deviceMatrix = {2, 4};
  form.aliasName = {"dp", "mp"};
  form.tensorMap = {{-1}};
  return form;
}

TEST(MindSporeErrors, DeviceMatrix) {
  MindSporeLayout form = goodForm();
  EXPECT_EQ(messageOf(fromMindSpore(form)), "");
  form.deviceMatrix = {2, 0};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "device_matrix entry 1 is 0, it must be at least 1");
  form.deviceMatrix = {INT64_C(1) << 62, 2};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "axis 'mp' (size 2) takes the mesh beyond 2^63 - 1 ranks");
}

TEST(MindSporeErrors, AliasName) {
  MindSporeLayout form = goodForm();
  form.aliasName = {"dp"};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "alias_name has 1 entries, device_matrix has 2");
  form.aliasName = {"dp", ""};
  EXPECT_EQ(messageOf(fromMindSpore(form)), "alias_name entry 1 is empty");
  form.aliasName = {"None", "mp"};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "alias_name entry 0 is 'None', which stands for an uncut dim");
  form.aliasName = {"dp", "dp"};
  EXPECT_EQ(messageOf(fromMindSpore(form)), "alias_name holds 'dp' twice");
}

TEST(MindSporeErrors, TensorMap) {
  MindSporeLayout form = goodForm();
  form.tensorMap = {{-1}, {2}};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "tensor_map value 2 of dim 1 is out of range, device_matrix has 2 "
            "entries");
  form.tensorMap = {{-2}};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "tensor_map value -2 of dim 0 is out of range, device_matrix has 2 "
            "entries");
  form.tensorMap = {{1}, {0, 1}};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "tensor_map value 1 (axis 'dp') is used twice");
  form.tensorMap = {{0, -1}};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "tensor_map of dim 0 holds -1 beside other values");
  form.tensorMap = {{-1, -1}};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "tensor_map of dim 0 holds -1 beside other values");
}

TEST(MindSporeErrors, RankList) {
  MindSporeLayout form = goodForm();
  form.rankList = {0, 1, 2};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "rank_list has 3 entries, device_matrix has 8 devices");
  form.rankList = {0, 1, 2, 3, 4, 5, 6, 0};
  EXPECT_EQ(messageOf(fromMindSpore(form)),
            "device 0 is listed twice, at positions 0 and 7");
}

TEST(MindSporeErrors, Interleaving) {
  const char *message = "interleaved_parallel splits what one device holds, a "
                        "layout has one slice a rank";
  MindSporeLayout form = goodForm();
  form.interleavedParallel = true;
  EXPECT_EQ(messageOf(fromMindSpore(form)), message);
  form = goodForm();
  form.aliasName = {"dp", "interleaved_parallel"};
  EXPECT_EQ(messageOf(fromMindSpore(form)), message);
}

TEST(MindSporeErrors, LayoutsThatTheFormCannotSay) {
  Mesh m = mesh("x=2, y=2");
  auto message = [&](llvm::StringRef text) {
    return messageOf(toMindSpore(m, layout(text, m)));
  };
  EXPECT_EQ(message("[{x}] partial=[sum(y)]"),
            "MindSpore's form has no partial axes, layout has 1 partial "
            "entries");
  EXPECT_EQ(message("[{x},{?}]"),
            "MindSpore's form has no open dims, dim 1 is open");
  EXPECT_EQ(message("[{x}:[3,5]]"),
            "MindSpore's form has no explicit block sizes, dim 0 has them");
}

TEST(MindSporeErrors, AxisNamesThatMeanSomethingElse) {
  for (const char *name : {"None", "interleaved_parallel"}) {
    Mesh m = llvm::cantFail(Mesh::create({{name, 2}}));
    EXPECT_EQ(messageOf(toMindSpore(m, Layout::replicated(1))),
              "axis '" + std::string(name) +
                  "' has a name with another meaning in MindSpore's form");
  }
}

} // namespace
