// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Exchanges between layouts: each rank starts with its box under one and must
/// end with its box under the other.

#include "Reference.h"

#include "gtest/gtest.h"

#include <random>

using namespace pctl;
using namespace pctl::test;
using layout::AxisRef;
using layout::Layout;
using layout::Mesh;

/// Prints the value that the program uses for the local size of \p dim under
/// \p layout, and defines it in \p setup where ranks differ.
static std::string printSizes(const Mesh &mesh, const Layout &layout,
                              llvm::ArrayRef<int64_t> shape,
                              std::string &setup) {
  std::string sizes;
  llvm::SmallVector<int64_t> local = layout::getLocalShape(layout, shape);
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (local[dim] != layout::kDynamic)
      continue;
    std::string number = std::to_string(dim), blocks;
    for (int64_t size : layout.dims[dim].blockSizes)
      blocks += (blocks.empty() ? "" : ", ") + std::to_string(size);
    setup += "%o" + number + ", %s" + number + " = pctl.block_range " +
             std::to_string(shape[dim]) + " by " +
             axesText(mesh, layout.dims[dim].axes) +
             (blocks.empty() ? "" : " sizes = [" + blocks + "]") +
             " on @m : index, index\n";
    sizes += (sizes.empty() ? "%s" : ", %s") + number;
  }
  return sizes;
}

static void checkExchange(const Mesh &mesh, const Layout &from,
                          const Layout &to, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<AxisRef> axes,
                          const ElementType &type) {
  std::string setup, sizes = printSizes(mesh, to, shape, setup);
  std::string in = tensorType(layout::getLocalShape(from, shape), type.name);
  std::string out = tensorType(layout::getLocalShape(to, shape), type.name);
  std::string text =
      meshText(mesh) + "func.func @main(%x: " + in + ") -> " + out + " {\n" +
      setup + "%e = tensor.empty(" + sizes + ") : " + out +
      "\n%r = pctl.exchange ins(%x : " + in + ") outs(%e : " + out + ") from " +
      layoutText(mesh, from) + " to " + layoutText(mesh, to) + " of " +
      tensorType(shape, type.name) + " axes = " + axesText(mesh, axes) +
      " on @m -> " + out + "\nreturn %r : " + out + "\n}\n";
  SCOPED_TRACE(text);
  Array global = fill(shape, type, 5);
  std::vector<std::vector<Array>> inputs;
  for (int rank = 0; rank < mesh.getNumRanks(); ++rank)
    inputs.push_back({slice(global, layout::getBox(mesh, from, shape, rank))});
  auto results = run(text, mesh.getNumRanks(), inputs);
  for (int rank = 0; rank < mesh.getNumRanks(); ++rank) {
    ASSERT_EQ(results[rank].size(), 1u);
    EXPECT_EQ(results[rank][0],
              slice(global, layout::getBox(mesh, to, shape, rank)))
        << "rank " << rank;
  }
}

static void checkExchange(const std::string &meshText, const std::string &from,
                          const std::string &to, llvm::ArrayRef<int64_t> shape,
                          const std::string &axes,
                          const ElementType &type = {"f32", 4, 32}) {
  Mesh mesh = parseMesh(meshText);
  Layout group = test::parseLayout("[{" + axes + "}]", mesh);
  checkExchange(mesh, test::parseLayout(from, mesh),
                test::parseLayout(to, mesh), shape, group.dims[0].axes, type);
}

TEST(Exchange, MovesACutBetweenDims) {
  checkExchange("x=4", "[{x},{}]", "[{},{x}]", {8, 8}, "x");
  checkExchange("x=4", "[{},{x}]", "[{x},{}]", {7, 5}, "x");
  checkExchange("x=3", "[{x},{},{}]", "[{},{},{x}]", {4, 2, 5}, "x");
  checkExchange("x=3", "[{},{x},{}]", "[{x},{},{}]", {4, 5, 2}, "x");
}

TEST(Exchange, SwapsAxes) {
  checkExchange("x=2,y=3", "[{x},{y}]", "[{y},{x}]", {6, 6}, "x,y");
  checkExchange("x=2,y=3", "[{x},{y}]", "[{y},{x}]", {5, 7}, "y,x");
  checkExchange("x=2,y=3", "[{x,y}]", "[{y,x}]", {13}, "x,y");
}

TEST(Exchange, GathersAndSlices) {
  checkExchange("x=4", "[{x}]", "[{}]", {6}, "x");
  checkExchange("x=4", "[{}]", "[{x}]", {6}, "x");
  checkExchange("x=2,y=2", "[{x},{}]", "[{},{y}]", {5, 3}, "x");
  checkExchange("x=2,y=2", "[{x},{}]", "[{},{}]", {5, 3}, "x");
}

TEST(Exchange, TakesSourcesAmongReplicas) {
  // Axes that cut nothing before: each rank asks those with its own place
  // there.
  checkExchange("x=2,y=3", "[{x},{}]", "[{},{y}]", {5, 4}, "x,y");
  checkExchange("x=2,y=3", "[{y},{}]", "[{x},{}]", {7, 2}, "x,y");
  checkExchange("x=2,y=2,z=2", "[{x},{y}]", "[{z},{x}]", {6, 5}, "z,y,x");
}

TEST(Exchange, CutsBySubAxes) {
  checkExchange("x=8", "[{x:(1)2},{x:(2)4}]", "[{x:(2)2},{x:(1)2}]", {5, 9},
                "x");
  checkExchange("x=8", "[{x:(2)2},{}]", "[{},{x:(2)2}]", {4, 4}, "x:(2)2");
  checkExchange("x=8", "[{x:(2)4}]", "[{x:(1)4}]", {11}, "x");
}

TEST(Exchange, LeavesOutEmptyPieces) {
  checkExchange("x=4", "[{x},{}]", "[{},{x}]", {2, 5}, "x");
  checkExchange("x=4", "[{x},{}]", "[{},{x}]", {5, 2}, "x");
  checkExchange("x=4", "[{x},{}]", "[{},{x}]", {0, 5}, "x");
  checkExchange("x=8", "[{x}]", "[{x:(1)2}]", {3}, "x");
}

TEST(Exchange, KnowsExplicitBlockSizes) {
  checkExchange("x=3", "[{x}:[4,0,3],{}]", "[{},{x}:[1,1,2]]", {7, 4}, "x");
  checkExchange("x=2,y=2", "[{y,x}:[1,2,3,4]]", "[{x}:[9,1]]", {10}, "x,y");
  checkExchange("x=3", "[{x}:[4,0,3]]", "[{x}]", {7}, "x");
}

/// Dims whose size no type tells, before, between and behind those that are
/// cut.
TEST(Exchange, TakesDimsOfUnknownSize) {
  struct Unknown {
    const char *global;
    const char *in;
    const char *out;
    const char *sizes;
  };
  Mesh mesh = parseMesh("x=3");
  llvm::SmallVector<int64_t> shape = {2, 4, 5, 3};
  Layout from = test::parseLayout("[{},{x},{},{}]", mesh);
  Layout to = test::parseLayout("[{},{},{x},{}]", mesh);
  Array global = fill(shape, {"i16", 2, 16}, 9);
  for (const Unknown &unknown :
       {Unknown{"2x4x5x?", "2x?x5x?", "2x4x?x?", "%s, %d3"},
        Unknown{"?x4x5x?", "?x?x5x?", "?x4x?x?", "%d0, %s, %d3"},
        Unknown{"?x4x5x3", "?x?x5x3", "?x4x?x3", "%d0, %s"}}) {
    std::string in = std::string("tensor<") + unknown.in + "xi16>";
    std::string out = std::string("tensor<") + unknown.out + "xi16>";
    std::string text =
        meshText(mesh) + "func.func @main(%x: " + in + ") -> " + out +
        " {\n%c0 = arith.constant 0 : index\n%c3 = arith.constant 3 : index\n"
        "%d0 = tensor.dim %x, %c0 : " +
        in + "\n%d3 = tensor.dim %x, %c3 : " + in +
        "\n%b, %s = pctl.block_range 5 by [\"x\"] on @m : index, index\n"
        "%e = tensor.empty(" +
        unknown.sizes + ") : " + out + "\n%r = pctl.exchange ins(%x : " + in +
        ") outs(%e : " + out + ") from " + layoutText(mesh, from) + " to " +
        layoutText(mesh, to) + " of tensor<" + unknown.global +
        "xi16> rounds = 2 axes = [\"x\"] on @m"
        " -> " +
        out + "\nreturn %r : " + out + "\n}\n";
    SCOPED_TRACE(text);
    std::vector<std::vector<Array>> inputs;
    for (int rank = 0; rank < 3; ++rank)
      inputs.push_back(
          {slice(global, layout::getBox(mesh, from, shape, rank))});
    auto results = run(text, 3, inputs);
    for (int rank = 0; rank < 3; ++rank)
      EXPECT_EQ(results[rank],
                std::vector<Array>{
                    slice(global, layout::getBox(mesh, to, shape, rank))})
          << "rank " << rank;
  }
}

TEST(Exchange, MovesEveryElementType) {
  for (const ElementType &type :
       {ElementType{"i1", 1, 1}, ElementType{"i8", 1, 8},
        ElementType{"i16", 2, 16}, ElementType{"i64", 8, 64},
        ElementType{"i128", 16, 128}, ElementType{"index", 8, 64},
        ElementType{"f16", 2, 16}, ElementType{"bf16", 2, 16},
        ElementType{"f64", 8, 64}, ElementType{"f8E5M2", 1, 8},
        ElementType{"complex<f32>", 8, 64}})
    checkExchange("x=3", "[{x},{},{}]", "[{},{x},{}]", {4, 5, 2}, "x", type);
}

/// Cuts each dim by a random part of the mesh's axes in random order.
static Layout drawLayout(const Mesh &mesh, unsigned numDims,
                         std::mt19937 &random) {
  llvm::SmallVector<unsigned> order;
  for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
    order.push_back(axis);
  std::shuffle(order.begin(), order.end(), random);
  Layout layout = Layout::replicated(numDims);
  for (unsigned axis : order)
    if (unsigned dim = random() % (numDims + 1); dim < numDims)
      layout.dims[dim].axes.push_back(mesh.getWholeAxis(axis));
  return layout;
}

TEST(Exchange, TakesAnyLayoutToAnyOther) {
  std::mt19937 random(2026);
  for (const char *text : {"x=2,y=3", "x=2,y=2,z=2"}) {
    Mesh mesh = parseMesh(text);
    llvm::SmallVector<AxisRef> axes;
    for (unsigned axis = 0; axis < mesh.getNumAxes(); ++axis)
      axes.push_back(mesh.getWholeAxis(axis));
    for (int trial = 0; trial < 12; ++trial) {
      unsigned numDims = 1 + random() % 3;
      llvm::SmallVector<int64_t> shape;
      for (unsigned dim = 0; dim < numDims; ++dim)
        shape.push_back(random() % 10);
      checkExchange(mesh, drawLayout(mesh, numDims, random),
                    drawLayout(mesh, numDims, random), shape, axes,
                    {"i32", 4, 32});
    }
  }
}
