// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What went wrong elsewhere, small, planned and run: the numbers are written
/// out, on both sides. test/Unit/Redistribute/CasesTest.cpp has the plans.

#include "PlanRunner.h"

#include "pctl/Redistribute/Planner.h"

using namespace pctl;
using namespace pctl::test;
using layout::Mesh;
using redistribute::Plan;

/// What each rank has, in row-major order.
template <typename T> using Numbers = std::vector<std::vector<T>>;

/// Runs the planner's plan on \p inputs, checks the shapes that come out, and
/// returns what each rank has then.
template <typename T>
static Numbers<T> runCase(const char *meshText,
                          llvm::ArrayRef<int64_t> globalShape, const char *from,
                          const char *to, const ElementType &type,
                          const Numbers<T> &inputs) {
  Mesh mesh = parseMesh(meshText);
  Plan plan = llvm::cantFail(redistribute::planRedistribution(
      mesh, globalShape, test::parseLayout(from, mesh),
      test::parseLayout(to, mesh)));
  auto getShape = [&](const layout::Layout &layout, int64_t rank) {
    llvm::SmallVector<int64_t> shape;
    layout::Box box = layout::getBox(mesh, layout, globalShape, rank);
    for (layout::Range range : box.getRanges())
      shape.push_back(range.size);
    return shape;
  };
  std::vector<Array> arrays;
  for (auto [rank, values] : llvm::enumerate(inputs))
    arrays.push_back(Array::of(getShape(plan.from, rank), values));
  Numbers<T> results;
  for (auto [rank, array] : llvm::enumerate(runPlan({plan, type}, arrays))) {
    EXPECT_EQ(array.shape, getShape(plan.to, rank));
    results.emplace_back();
    for (int64_t i = 0, e = array.getNumElements(); i != e; ++i)
      results.back().push_back(array.template get<T>(i));
  }
  return results;
}

static Numbers<int32_t> runInts(const char *mesh, llvm::ArrayRef<int64_t> shape,
                                const char *from, const char *to,
                                const Numbers<int32_t> &inputs) {
  return runCase<int32_t>(mesh, shape, from, to, {"i32", 4, 32}, inputs);
}

/// Returns \p count numbers from \p first on.
static std::vector<int32_t> count(int32_t first, int32_t count) {
  std::vector<int32_t> numbers(count);
  for (int32_t i = 0; i < count; ++i)
    numbers[i] = first + i;
  return numbers;
}

TEST(PlanCases, uneven_blocks_go_there_and_back) {
  struct Cut {
    const char *mesh;
    int32_t size;
    Numbers<int32_t> blocks;
  };
  for (const Cut &cut :
       {Cut{"x=4", 5, {{0, 1}, {2, 3}, {4}, {}}},
        Cut{"x=2", 5, {{0, 1, 2}, {3, 4}}}, Cut{"x=4", 2, {{0}, {1}, {}, {}}},
        Cut{"x=4", 6, {{0, 1}, {2, 3}, {4, 5}, {}}}}) {
    Numbers<int32_t> whole(cut.blocks.size(), count(0, cut.size));
    EXPECT_EQ(runInts(cut.mesh, {cut.size}, "[{}]", "[{x}]", whole),
              cut.blocks);
    EXPECT_EQ(runInts(cut.mesh, {cut.size}, "[{x}]", "[{}]", cut.blocks),
              whole);
  }
}

TEST(PlanCases, two_axes_cut_5_elements_in_flat_blocks) {
  Numbers<int32_t> flat = {{0, 1}, {2, 3}, {4}, {}};
  Numbers<int32_t> byRow = {{0, 1, 2}, {0, 1, 2}, {3, 4}, {3, 4}};
  EXPECT_EQ(runInts("x=2,y=2", {5}, "[{x}]", "[{x,y}]", byRow), flat);
  EXPECT_EQ(runInts("x=2,y=2", {5}, "[{x,y}]", "[{x}]", flat), byRow);
}

TEST(PlanCases, explicit_widths_are_honoured) {
  Numbers<int32_t> wide = {count(0, 2), count(2, 3), count(5, 4), count(9, 5)};
  Numbers<int32_t> byRule = {count(0, 4), count(4, 4), count(8, 4),
                             count(12, 2)};
  EXPECT_EQ(runInts("x=4", {14}, "[{x}:[2,3,4,5]]", "[{x}]", wide), byRule);
  EXPECT_EQ(runInts("x=4", {14}, "[{x}]", "[{x}:[2,3,4,5]]", byRule), wide);
  EXPECT_EQ(runInts("x=4", {14}, "[{x}:[2,3,4,5]]", "[{}]", wide),
            Numbers<int32_t>(4, count(0, 14)));
}

TEST(PlanCases, gathering_73_elements_of_4_ranks_gives_73) {
  EXPECT_EQ(
      runInts("x=4", {73}, "[{x}]", "[{}]",
              {count(0, 19), count(19, 19), count(38, 19), count(57, 16)}),
      Numbers<int32_t>(4, count(0, 73)));
}

TEST(PlanCases, all_to_all_keeps_rows_in_the_order_of_the_group) {
  // Groups {0,2} and {1,3}; rows 0 1, 2 3, 4 5, 6 7.
  EXPECT_EQ(runInts("x=2,y=2", {4, 2}, "[{x},{}]", "[{},{x}]",
                    {count(0, 4), count(0, 4), count(4, 4), count(4, 4)}),
            (Numbers<int32_t>{
                {0, 2, 4, 6}, {0, 2, 4, 6}, {1, 3, 5, 7}, {1, 3, 5, 7}}));
}

TEST(PlanCases, reduce_scatter_stays_in_its_group) {
  // Groups {0,2,4,6} and {1,3,5,7}: even ranks count to 8, odd ones by tens.
  Numbers<int32_t> inputs;
  for (int rank = 0; rank < 8; ++rank)
    inputs.push_back(
        rank % 2 == 0 ? std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}
                      : std::vector<int32_t>{10, 20, 30, 40, 50, 60, 70, 80});
  // The groups hold different columns: replicas may share a sum.
  EXPECT_EQ(runInts("x=4,y=2", {8, 2}, "[{},{y}] partial=[sum(x)]", "[{x},{y}]",
                    inputs),
            (Numbers<int32_t>{{4, 8},
                              {40, 80},
                              {12, 16},
                              {120, 160},
                              {20, 24},
                              {200, 240},
                              {28, 32},
                              {280, 320}}));
}

TEST(PlanCases, two_partial_axes_apart_are_summed_in_their_groups) {
  // Groups {0,1,4,5} and {2,3,6,7}.
  EXPECT_EQ(
      runInts("x=2,y=2,z=2", {1}, "[{}] partial=[sum(x),sum(z)]", "[{}]",
              {{1}, {2}, {4}, {8}, {16}, {32}, {64}, {128}}),
      (Numbers<int32_t>{{51}, {51}, {204}, {204}, {51}, {51}, {204}, {204}}));
}

TEST(PlanCases, a_dim_that_all_axes_do_not_divide_is_summed_all_the_same) {
  Numbers<int32_t> inputs;
  for (int rank = 0; rank < 8; ++rank)
    inputs.push_back(count(rank / 2 % 2 == 0 ? 0 : 6, 6));
  // Four ranks hold each half of 0 to 11, so all is times 4; blocks of 2.
  EXPECT_EQ(
      runInts("x=2,y=2,z=2", {12}, "[{y}] partial=[sum(x,z)]", "[{x,y,z}]",
              inputs),
      (Numbers<int32_t>{
          {0, 4}, {8, 12}, {16, 20}, {24, 28}, {32, 36}, {40, 44}, {}, {}}));
}

TEST(PlanCases, cycles_of_a_permute_take_each_its_way) {
  Numbers<int32_t> inputs, expected;
  for (int rank = 0; rank < 8; ++rank) {
    inputs.push_back({rank});
    // Of place (b, c, a) is what place (a, b, c) has.
    int a = rank / 4, b = rank / 2 % 2, c = rank % 2;
    expected.push_back({b * 4 + c * 2 + a});
  }
  EXPECT_EQ(runInts("a=2,b=2,c=2", {8}, "[{a,b,c}]", "[{b,c,a}]", inputs),
            expected);
}

TEST(PlanCases, gathering_the_columns_of_5_ranks_gives_3x20) {
  Numbers<int32_t> inputs;
  for (int rank = 0; rank < 5; ++rank) {
    inputs.emplace_back();
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column)
        inputs.back().push_back(row * 20 + rank * 4 + column);
  }
  EXPECT_EQ(runInts("x=5", {3, 20}, "[{},{x}]", "[{},{}]", inputs),
            Numbers<int32_t>(5, count(0, 60)));
}

TEST(PlanCases, bfloat16_sums_are_rounded_once) {
  // 256, 1 and 264: rounding at each step would stay at 256.
  Numbers<uint16_t> inputs(8, {0x3F80});
  inputs[0] = {0x4380};
  EXPECT_EQ(runCase<uint16_t>("x=8", {1}, "[{}] partial=[sum(x)]", "[{}]",
                              {"bf16", 2, 16}, inputs),
            Numbers<uint16_t>(8, {0x4384}));
}

TEST(PlanCases, i8_sums_wrap) {
  EXPECT_EQ(runCase<int8_t>("x=2", {1}, "[{}] partial=[sum(x)]", "[{}]",
                            {"i8", 1, 8}, {{120}, {100}}),
            Numbers<int8_t>(2, {-36}));
}

TEST(PlanCases, i1_contributions_combine_by_or) {
  Numbers<int8_t> inputs = {{1, 0, 1}, {1, 0, 0}};
  EXPECT_EQ(runCase<int8_t>("x=2", {3}, "[{}] partial=[or(x)]", "[{}]",
                            {"i1", 1, 1}, inputs),
            Numbers<int8_t>(2, {1, 0, 1}));
  // A sum is arith's, which wraps.
  EXPECT_EQ(runCase<int8_t>("x=2", {3}, "[{}] partial=[sum(x)]", "[{}]",
                            {"i1", 1, 1}, inputs),
            Numbers<int8_t>(2, {0, 0, 1}));
}
