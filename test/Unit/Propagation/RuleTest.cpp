// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Rules: what they may say, and that going from layouts to factors and back
/// says the same about every element.

#include "pctl/Propagation/Rule.h"

#include "pctl/Layout/LayoutText.h"

#include "gtest/gtest.h"

#include <random>

using namespace pctl;
using namespace pctl::propagation;
using layout::DimLayout;
using layout::Layout;
using layout::Mesh;
using layout::ReductionKind;
using Use = Factor::Use;
using Shape = llvm::SmallVector<int64_t>;

static Mesh makeMesh(llvm::StringRef text) {
  return llvm::cantFail(layout::parseMesh(text));
}

static Layout makeLayout(llvm::StringRef text, const Mesh &mesh) {
  return llvm::cantFail(layout::parseLayout(text, mesh));
}

static Rule makeMatmul() {
  return {{{4}, {8}, {6, Use::Reduction}},
          {{{0}, {2}}, {{2}, {1}}, {{0}, {1}}},
          {{{0}, {1}}}};
}

static std::string verify(const Rule &rule, llvm::ArrayRef<Shape> operands,
                          llvm::ArrayRef<Shape> results) {
  return llvm::toString(verifyRule(rule, operands, results));
}

TEST(Rule, matmul_is_a_rule) {
  EXPECT_EQ(verify(makeMatmul(), {{4, 6}, {6, 8}, {4, 8}}, {{4, 8}}), "");
  EXPECT_EQ(toString(makeMatmul()),
            "([f0, f2], [f2, f1], [f0, f1]) -> ([f0, f1]), f0=4, f1=8, "
            "f2=6 sum");
}

TEST(Rule, says_what_is_wrong) {
  llvm::SmallVector<Shape> operands = {{4, 6}, {6, 8}, {4, 8}};
  EXPECT_EQ(verify(makeMatmul(), {{4, 6}, {6, 8}}, {{4, 8}}),
            "rule is for 3 operands, but the op has 2");
  EXPECT_EQ(verify(makeMatmul(), operands, {{4, 8, 1}}),
            "rule is for result 0 of tensor rank 2, but its tensor rank is 3");
  EXPECT_EQ(verify(makeMatmul(), {{4, 6}, {6, 9}, {4, 8}}, {{4, 8}}),
            "dim 1 of operand 1 has size 9, but its factors multiply to 8");
  Rule rule = makeMatmul();
  rule.operands[1][0] = {7};
  EXPECT_EQ(verify(rule, operands, {{4, 8}}),
            "dim 0 of operand 1 is made up of factor 7, but the rule has 3");
  rule = makeMatmul();
  rule.factors[2].use = Use::PassThrough;
  EXPECT_EQ(verify(rule, operands, {{4, 8}}),
            "factor 2 passes through, but is in 0 of 1 results");
  rule = makeMatmul();
  rule.factors[0].use = Use::Reduction;
  EXPECT_EQ(verify(rule, operands, {{4, 8}}),
            "factor 0 is reduced, but is in a result");
  rule = makeMatmul();
  rule.factors.push_back({3, Use::Reduction});
  EXPECT_EQ(verify(rule, operands, {{4, 8}}),
            "factor 3 is reduced, but is in no operand");
  EXPECT_EQ(verify({{{4}}, {{{0}, {0}}}, {{{0}}}}, {{4, 4}}, {{4}}),
            "factor 0 is twice in operand 0, so it must be whole");
  EXPECT_EQ(verify({{{-4}}, {{{0}}}, {{{0}}}}, {{-4}}, {{-4}}),
            "factor 0 has size -4, which is negative");
  EXPECT_EQ(verify({{{4, Use::Reduction, ReductionKind::Sum},
                     {6, Use::Reduction, ReductionKind::Maximum}},
                    {{{0}, {1}}},
                    {{}}},
                   {{4, 6}}, {{}}),
            "rule reduces by sum and by maximumf, and does not say in which "
            "order");
  EXPECT_EQ(
      verify({{{int64_t(1) << 40}, {int64_t(1) << 40}}, {{{0, 1}}}, {{{0, 1}}}},
             {{5}}, {{5}}),
      "the factors of dim 0 of operand 0 multiply to more than an "
      "int64_t holds");
  EXPECT_EQ(verify({{{layout::kDynamic}}, {{{0, 9}}}, {{{0}}}},
                   {{layout::kDynamic}}, {{layout::kDynamic}}),
            "dim 0 of operand 0 is made up of factor 9, but the rule has 1");
}

TEST(Rule, dims_of_unknown_size_keep_their_factors_whole) {
  // 6x? collapsed to ?, and a third dim beside them.
  Rule rule = {
      {{6}, {layout::kDynamic}, {4}}, {{{0}, {1}, {2}}}, {{{0, 1}, {2}}}};
  llvm::SmallVector<Shape> operands = {{6, layout::kDynamic, 4}};
  llvm::SmallVector<Shape> results = {{layout::kDynamic, 4}};
  EXPECT_EQ(verify(rule, operands, results),
            "dim 0 of result 0 has no known size, so factor 0 must be whole");
  keepUnknownDimsWhole(rule, operands, results);
  EXPECT_EQ(verify(rule, operands, results), "");
  EXPECT_EQ(toString(rule), "([f0, f1, f2]) -> ([f0*f1, f2]), f0=6 whole, "
                            "f1=? whole, f2=4");
  // What does not fit is for verifyRule to say.
  rule.results[0] = {{9}};
  keepUnknownDimsWhole(rule, operands, results);
  EXPECT_EQ(verify(rule, operands, results),
            "rule is for result 0 of tensor rank 1, but its tensor rank is 2");
}

TEST(Rule, matmul_cut_on_the_contraction_is_partial) {
  Mesh mesh = makeMesh("data=2,model=4");
  Rule rule = makeMatmul();
  FactorCuts cuts(3);
  cuts[0].axes = {mesh.getWholeAxis(0)};
  cuts[2].axes = {mesh.getWholeAxis(1)};
  EXPECT_EQ(toString(mesh, getOperandLayout(rule, 0, cuts)),
            "[{data},{model}]");
  EXPECT_EQ(toString(mesh, getOperandLayout(rule, 1, cuts)), "[{model},{}]");
  EXPECT_EQ(toString(mesh, getOperandLayout(rule, 2, cuts)), "[{data},{}]");
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)),
            "[{data},{}] partial=[sum(model)]");
}

TEST(Rule, merged_dim_splits_an_axis) {
  Mesh mesh = makeMesh("x=4,y=2");
  Rule rule = {{{2}, {4}}, {{{0, 1}}}, {{{0}, {1}}}};
  FactorCuts cuts =
      projectLayout(rule, rule.operands[0], makeLayout("[{x,y}]", mesh));
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)),
            "[{x:(1)2},{x:(2)2,y}]");
  EXPECT_EQ(toString(mesh, getOperandLayout(rule, 0, cuts)), "[{x,y}]");
}

TEST(Rule, merged_dim_keeps_blocks_even) {
  Mesh mesh = makeMesh("x=4");
  // Blocks of 6 of a dim of (6, 4) are a row and a half: x:(1)2 is what fits.
  Rule rule = {{{6}, {4}}, {{{0, 1}}}, {{{0}, {1}}}};
  FactorCuts cuts =
      projectLayout(rule, rule.operands[0], makeLayout("[{x}]", mesh));
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)), "[{x:(1)2},{}]");
  // The same when it is the split side that is cut unevenly.
  cuts = projectLayout(rule, rule.results[0], makeLayout("[{x},{}]", mesh));
  EXPECT_EQ(toString(mesh, getOperandLayout(rule, 0, cuts)), "[{x:(1)2}]");
}

TEST(Rule, sole_factor_may_be_uneven) {
  Mesh mesh = makeMesh("x=4");
  Rule rule = getElementwiseRule({6}, 1, 1);
  FactorCuts cuts =
      projectLayout(rule, rule.operands[0], makeLayout("[{x}]", mesh));
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)), "[{x}]");
  cuts = projectLayout(rule, rule.operands[0],
                       makeLayout("[{x}:[3,1,1,1]]", mesh));
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)), "[{x}:[3,1,1,1]]");
}

TEST(Rule, minor_factor_of_a_merged_dim_waits_for_the_major_one) {
  Mesh mesh = makeMesh("x=2,y=4");
  Rule rule = {{{2}, {4}}, {{{0}, {1}}}, {{{0, 1}}}};
  FactorCuts cuts(2);
  cuts[1].axes = {mesh.getWholeAxis(1)};
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)), "[{}]");
  cuts[0].axes = {mesh.getWholeAxis(0)};
  EXPECT_EQ(toString(mesh, getResultLayout(rule, 0, cuts)), "[{x,y}]");
}

TEST(Rule, whole_and_dynamic_factors_take_nothing) {
  Mesh mesh = makeMesh("x=2");
  Rule whole = getWholeRule({{4, 4}}, {{4}});
  EXPECT_TRUE(isDoneWhole(whole));
  EXPECT_FALSE(isDoneWhole(getElementwiseRule({4}, 1, 1)));
  EXPECT_FALSE(isDoneWhole(getElementwiseRule({}, 1, 1)));
  EXPECT_TRUE(isDoneWhole(getElementwiseRule({layout::kDynamic}, 1, 1)));
  FactorCuts cuts =
      projectLayout(whole, whole.operands[0], makeLayout("[{x},{}]", mesh));
  EXPECT_EQ(toString(mesh, getOperandLayout(whole, 0, cuts)), "[{},{}]");
}

TEST(Rule, cuts_are_read_off_layouts) {
  Mesh mesh = makeMesh("data=2,model=4");
  auto infer = [&](llvm::ArrayRef<const char *> operands, const char *result) {
    llvm::SmallVector<Layout, 4> layouts;
    for (const char *text : operands)
      layouts.push_back(makeLayout(text, mesh));
    return inferFactorCuts(mesh, makeMatmul(), layouts,
                           {makeLayout(result, mesh)});
  };
  auto message = [&](llvm::ArrayRef<const char *> operands,
                     const char *result) {
    return llvm::toString(infer(operands, result).takeError());
  };
  FactorCuts cuts =
      llvm::cantFail(infer({"[{data},{model}]", "[{model},{}]", "[{data},{}]"},
                           "[{data},{}] partial=[sum(model)]"));
  EXPECT_EQ(toString(mesh, cuts[0].axes), "data");
  EXPECT_EQ(toString(mesh, cuts[2].axes), "model");
  EXPECT_EQ(message({"[{},{model}]", "[{model},{}]", "[{},{}]"}, "[{},{}]"),
            "result 0 is laid out as [{},{}], but the op's rule asks for "
            "[{},{}] partial=[sum(model)]");
  EXPECT_EQ(message({"[{},{model}]", "[{},{}]", "[{},{}]"},
                    "[{},{}] partial=[sum(model)]"),
            "operand 1 is laid out as [{},{}], but the op's rule asks for "
            "[{model},{}]");
  EXPECT_EQ(message({"[{model},{}]", "[{},{model}]", "[{},{}]"}, "[{},{}]"),
            "axis 'model' cuts two factors of one op");
  EXPECT_EQ(message({"[{},{}]", "[{},{}]"}, "[{},{}]"),
            "rule is for 3 operands, but there are layouts of 2");
  EXPECT_EQ(message({"[{},{}]", "[{}]", "[{},{}]"}, "[{},{}]"),
            "operand 1 has tensor rank 2, but its layout has 1 dims");
}

namespace {

/// A rule with one operand, whose dims merge factors, and one result, which has
/// a dim for each factor; and a layout of the operand or of the result.
struct RandomReshape {
  Rule rule;
  Shape mergedShape, splitShape;

  explicit RandomReshape(std::mt19937 &random) {
    unsigned numFactors = 1 + random() % 4;
    TensorMap merged, split;
    for (unsigned i = 0; i < numFactors; ++i) {
      int64_t size = 1 + random() % 8;
      rule.factors.push_back({size});
      split.push_back({i});
      splitShape.push_back(size);
      if (i == 0 || random() % 2) {
        merged.push_back({i});
        mergedShape.push_back(size);
        continue;
      }
      merged.back().push_back(i);
      mergedShape.back() *= size;
    }
    rule.operands = {merged};
    rule.results = {split};
  }
};

/// The axes of \p mesh, cut into sub-axes of prime size and shuffled, on random
/// dims.
Layout makeRandomLayout(const Mesh &mesh, unsigned rank, std::mt19937 &random) {
  Layout layout = Layout::replicated(rank);
  llvm::SmallVector<layout::AxisRef> pieces;
  for (unsigned a = 0; a < mesh.getNumAxes(); ++a) {
    int64_t preSize = 1;
    for (int64_t rest = mesh.getAxes()[a].size; rest > 1;) {
      int64_t size = rest % 2 ? rest : (random() % 2 ? 2 : rest);
      pieces.push_back({a, preSize, size});
      preSize *= size;
      rest /= size;
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  for (layout::AxisRef piece : pieces)
    if (random() % 3)
      layout.dims[random() % rank].axes.push_back(piece);
  return layout.getNormalForm();
}

} // namespace

// Whatever a layout asks of factors, both tensors then hold, on each rank, the
// elements that its part of the iterations touches, and no others.
TEST(Rule, both_sides_of_a_reshape_hold_the_same_elements) {
  std::mt19937 random(7);
  Mesh mesh = makeMesh("x=4,y=3,z=2");
  int64_t numCut = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    RandomReshape reshape(random);
    const Rule &rule = reshape.rule;
    ASSERT_EQ(verify(rule, {reshape.mergedShape}, {reshape.splitShape}), "");
    bool fromMerged = random() % 2;
    const TensorMap &from = fromMerged ? rule.operands[0] : rule.results[0];
    Layout start = makeRandomLayout(mesh, from.size(), random);
    FactorCuts cuts = projectLayout(rule, from, start);
    // Of a cut of the split side only what the merged side can say is kept.
    Layout merged = getOperandLayout(rule, 0, cuts);
    cuts = projectLayout(rule, rule.operands[0], merged);
    Layout split = getResultLayout(rule, 0, cuts);
    ASSERT_EQ(getOperandLayout(rule, 0, cuts), merged);
    numCut += !merged.getUsedAxes().empty();
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      layout::Box mergedBox = getBox(mesh, merged, reshape.mergedShape, rank);
      layout::Box splitBox = getBox(mesh, split, reshape.splitShape, rank);
      ASSERT_EQ(mergedBox.getNumElements(), splitBox.getNumElements())
          << toString(rule) << toString(mesh, merged) << toString(mesh, split);
      if (splitBox.isEmpty())
        continue;
      // Boxes of equal volume are equal sets if the corners agree.
      for (unsigned d = 0; d < merged.getTensorRank(); ++d) {
        int64_t first = 0, last = 0;
        for (unsigned number : rule.operands[0][d]) {
          first = first * rule.factors[number].size + splitBox[number].offset;
          last =
              last * rule.factors[number].size + splitBox[number].getEnd() - 1;
        }
        ASSERT_EQ(mergedBox[d].offset, first);
        ASSERT_EQ(mergedBox[d].getEnd() - 1, last);
      }
    }
  }
  EXPECT_GT(numCut, 500);
}

/// A convolution of 10 by 3, and its padding of 8 by one at each end.
static Rule makeWindow() {
  Factor slides = {10, Use::Sliding};
  slides.leader = 0;
  return {{{8}, {3, Use::Replicate}, slides}, {{{2}}, {{1}}, {{0}}}, {{{0}}}};
}

static Rule makePad() {
  Factor slides = {10, Use::Sliding};
  slides.leader = 1;
  slides.edges = Factor::Edges{1, 1};
  return {{slides, {8}}, {{{1}}}, {{{0}}}};
}

TEST(Rule, says_what_is_wrong_with_sliding_factors) {
  llvm::SmallVector<Shape> operands = {{10}, {3}, {8}};
  EXPECT_EQ(verify(makeWindow(), operands, {{8}}), "");
  EXPECT_EQ(toString(makeWindow()), "([f2], [f1], [f0]) -> ([f0]), f0=8, "
                                    "f1=3 whole, f2=10 with f0");
  EXPECT_EQ(verify(makePad(), {{8}}, {{10}}), "");
  EXPECT_EQ(toString(makePad()),
            "([f1]) -> ([f0]), f0=10 with f1 plus 1 and 1, f1=8");
  Rule rule = makeWindow();
  rule.factors[2].leader = 3;
  EXPECT_EQ(verify(rule, operands, {{8}}),
            "factor 2 slides with factor 3, but the rule has 3");
  rule.factors[2].leader = 2;
  EXPECT_EQ(verify(rule, operands, {{8}}),
            "factor 2 slides with factor 2, which slides itself");
  rule = makeWindow();
  rule.operands[0].push_back({0});
  EXPECT_EQ(verify(rule, {{10, 8}, {3}, {8}}, {{8}}),
            "factor 2 slides with factor 0, which cuts another dim of operand "
            "0");
  rule = makeWindow();
  rule.factors.push_back({2});
  rule.results[0] = {{0, 3}};
  rule.operands[2] = {{0, 3}};
  EXPECT_EQ(verify(rule, {{10}, {3}, {16}}, {{16}}),
            "factor 2 slides with factor 0, so neither may be merged with "
            "others in a dim");
  rule = makePad();
  rule.factors[0].edges = Factor::Edges{1, 2};
  EXPECT_EQ(verify(rule, {{8}}, {{10}}),
            "factor 0 of size 10 is not factor 1 of size 8 with 1 before and 2 "
            "behind");
  rule.factors[0].edges = Factor::Edges{3, -1};
  EXPECT_EQ(verify(rule, {{8}}, {{10}}),
            "factor 0 of size 10 is not factor 1 of size 8 with 3 before and "
            "-1 behind");
  EXPECT_FALSE(makeWindow() == makePad());
  EXPECT_FALSE(rule == makePad());
  EXPECT_TRUE(makePad() == makePad());
}

TEST(Rule, windows_follow_in_any_blocks) {
  Mesh mesh = makeMesh("x=4,y=2");
  Rule rule = makeWindow();
  Layout input = makeLayout("[{x}:[3,2,2,3]]", mesh);
  FactorCuts cuts = projectLayout(rule, rule.operands[0], input);
  EXPECT_EQ(cuts[0].axes, input.dims[0].axes);
  EXPECT_TRUE(cuts[0].blockSizes.empty());
  Layout wanted = getOperandLayout(rule, 0, cuts);
  EXPECT_EQ(layout::toString(mesh, wanted), "[{x}]");
  adoptFreeBlocks(rule, rule.operands[0], wanted, input);
  EXPECT_EQ(layout::toString(mesh, wanted), "[{x}:[3,2,2,3]]");
  // Blocks over other axes say nothing about these.
  wanted = getOperandLayout(rule, 0, cuts);
  adoptFreeBlocks(rule, rule.operands[0], wanted,
                  makeLayout("[{y}:[3,7]]", mesh));
  EXPECT_EQ(layout::toString(mesh, wanted), "[{x}]");

  Layout whole = makeLayout("[{}]", mesh), cut = makeLayout("[{x}]", mesh);
  auto infer = [&](const Layout &first, const Layout &result) {
    llvm::Expected<FactorCuts> read =
        inferFactorCuts(mesh, rule, {first, whole, result}, {result});
    return read ? "" : llvm::toString(read.takeError());
  };
  EXPECT_EQ(infer(input, cut), "");
  EXPECT_EQ(infer(cut, makeLayout("[{x}:[1,1,1,5]]", mesh)), "");
  EXPECT_EQ(infer(whole, cut), "operand 0 is laid out as [{}], but the op's "
                               "rule asks for [{x}]");
  EXPECT_EQ(infer(input, whole), "operand 0 is laid out as [{x}:[3,2,2,3]], "
                                 "but the op's rule asks for [{}]");
}

TEST(Rule, padding_is_at_the_ends) {
  Mesh mesh = makeMesh("x=4,y=2");
  Rule rule = makePad();
  auto pad = [&](llvm::StringRef text) {
    FactorCuts cuts =
        projectLayout(rule, rule.operands[0], makeLayout(text, mesh));
    return layout::toString(mesh, getResultLayout(rule, 0, cuts));
  };
  EXPECT_EQ(pad("[{x}]"), "[{x}:[3,2,2,3]]");
  EXPECT_EQ(pad("[{x}:[0,8,0,0]]"), "[{x}:[1,8,0,1]]");
  EXPECT_EQ(pad("[{}]"), "[{}]");
  // Four and one each are what the rule of blocks gives.
  EXPECT_EQ(pad("[{y}]"), "[{y}]");
  auto unpad = [&](llvm::StringRef text) {
    FactorCuts cuts =
        projectLayout(rule, rule.results[0], makeLayout(text, mesh));
    return layout::toString(mesh, getOperandLayout(rule, 0, cuts));
  };
  EXPECT_EQ(unpad("[{x}:[3,2,2,3]]"), "[{x}]");
  EXPECT_EQ(unpad("[{x}:[1,8,0,1]]"), "[{x}:[0,8,0,0]]");
  EXPECT_EQ(unpad("[{x}]"), "[{x}]");
  // A rank that has no padding: only the axes are understood.
  EXPECT_EQ(unpad("[{x}:[0,8,1,1]]"), "[{x}]");
  Layout source = makeLayout("[{x}]", mesh);
  EXPECT_TRUE(!!inferFactorCuts(mesh, rule, {source},
                                {makeLayout("[{x}:[3,2,2,3]]", mesh)}));
  EXPECT_EQ(llvm::toString(
                inferFactorCuts(mesh, rule, {source}, {source}).takeError()),
            "result 0 is laid out as [{x}], but the op's rule asks for "
            "[{x}:[3,2,2,3]]");
}

TEST(Rule, combined_factors_leave_results_whole) {
  Mesh mesh = makeMesh("x=4,y=2");
  Rule rule = {{{8}, {6, Use::Combined}}, {{{0}, {1}}, {{0}}}, {{{0}}, {{0}}}};
  EXPECT_EQ(verify(rule, {{8, 6}, {8}}, {{8}, {8}}), "");
  EXPECT_EQ(toString(rule), "([f0, f1], [f0]) -> ([f0], [f0]), f0=8, "
                            "f1=6 combined");
  FactorCuts cuts =
      projectLayout(rule, rule.operands[0], makeLayout("[{y},{x}]", mesh));
  EXPECT_EQ(layout::toString(mesh, getResultLayout(rule, 1, cuts)), "[{y}]");
  rule.results[1] = {{1}};
  EXPECT_EQ(verify(rule, {{8, 6}, {8}}, {{8}, {6}}),
            "factor 0 passes through, but is in 1 of 2 results");
  rule.factors[0].use = Use::Replicate;
  EXPECT_EQ(verify(rule, {{8, 6}, {8}}, {{8}, {6}}),
            "factor 1 is reduced, but is in a result");
}
