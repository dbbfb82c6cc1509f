// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sets of factors against the sets of ranks that they stand for.

#include "pctl/Layout/AxisFactors.h"

#include "Enumerate.h"

using namespace pctl::layout;
using namespace pctl::layout::test;

namespace {

/// Returns whether ranks \p a and \p b differ along none of \p refs.
bool agree(const Mesh &m, llvm::ArrayRef<AxisRef> refs, int64_t a, int64_t b) {
  return llvm::all_of(refs, [&](AxisRef ref) {
    return m.getCoordinate(a, ref) == m.getCoordinate(b, ref);
  });
}

/// Returns whether two ranks that agree on all factors but \p factor can differ
/// along \p refs.
bool canDiffer(const Mesh &m, const AxisFactors &factors, unsigned factor,
               llvm::ArrayRef<AxisRef> refs) {
  llvm::SmallVector<AxisRef> others =
      factors.getAxes(factors.getAll() & ~(FactorBits(1) << factor));
  for (int64_t a = 0; a < m.getNumRanks(); ++a)
    for (int64_t b = 0; b < m.getNumRanks(); ++b)
      if (agree(m, others, a, b) && !agree(m, refs, a, b))
        return true;
  return false;
}

/// Returns whether ranks that differ along \p factor alone are always told
/// apart by \p refs.
bool tellsApart(const Mesh &m, const AxisFactors &factors, unsigned factor,
                llvm::ArrayRef<AxisRef> refs) {
  llvm::SmallVector<AxisRef> others =
      factors.getAxes(factors.getAll() & ~(FactorBits(1) << factor));
  for (int64_t a = 0; a < m.getNumRanks(); ++a)
    for (int64_t b = 0; b < m.getNumRanks(); ++b)
      if (a != b && agree(m, others, a, b) && agree(m, refs, a, b))
        return false;
  return true;
}

Mesh getMesh(llvm::ArrayRef<MeshAxis> axes) {
  return llvm::cantFail(Mesh::create(axes));
}

TEST(AxisFactors, splits_axes_where_references_cut_them) {
  Mesh m = getMesh({{"x", 8}, {"one", 1}, {"y", 2}});
  AxisRef y = m.getWholeAxis(2), x1{0, 1, 2}, x2{0, 2, 2};
  AxisFactors factors = AxisFactors::get(m, {y, x1, x2});
  ASSERT_EQ(factors.size(), 4u);
  EXPECT_EQ(factors[0], x1);
  EXPECT_EQ(factors[1], x2);
  EXPECT_EQ(factors[2], (AxisRef{0, 4, 2}));
  EXPECT_EQ(factors[3], y);
  EXPECT_EQ(factors.getAll(), 0b1111u);
  EXPECT_EQ(factors.getTouched({m.getWholeAxis(0)}), 0b0111u);
  EXPECT_EQ(factors.getCovered({m.getWholeAxis(0)}), 0b0111u);
  EXPECT_EQ(factors.getTouched({m.getWholeAxis(1)}), 0u);
}

TEST(AxisFactors, keeps_an_axis_whole_that_is_cut_in_two_ways) {
  Mesh m = getMesh({{"x", 6}});
  AxisRef two{0, 1, 2}, three{0, 1, 3};
  AxisFactors factors = AxisFactors::get(m, {two, three});
  ASSERT_EQ(factors.size(), 1u);
  EXPECT_EQ(factors.getTouched({two}), 1u);
  EXPECT_EQ(factors.getCovered({two}), 0u);
  EXPECT_EQ(factors.getCovered({m.getWholeAxis(0)}), 1u);
}

TEST(AxisFactors, joins_neighbours_to_axes) {
  Mesh m = getMesh({{"x", 8}, {"y", 2}});
  AxisFactors factors = AxisFactors::get(m, {{0, 2, 2}});
  ASSERT_EQ(factors.size(), 4u);
  llvm::SmallVector<AxisRef> all = {m.getWholeAxis(0), m.getWholeAxis(1)};
  EXPECT_EQ(factors.getAxes(0b1111), all);
  llvm::SmallVector<AxisRef> minor = {{0, 2, 4}};
  EXPECT_EQ(factors.getAxes(0b0110), minor);
  llvm::SmallVector<AxisRef> apart = {{0, 1, 2}, {0, 4, 2}};
  EXPECT_EQ(factors.getAxes(0b0101), apart);
  EXPECT_TRUE(factors.getAxes(0).empty());
}

TEST(AxisFactors, has_the_bits_of_the_ranks_that_differ) {
  for (const Mesh &m : {getMesh({{"x", 12}}), getMesh({{"x", 8}, {"y", 3}}),
                        getMesh({{"x", 4}, {"y", 1}, {"z", 6}})}) {
    // All references there are, and each pair of them.
    llvm::SmallVector<AxisRef> refs;
    for (unsigned axis = 0; axis < m.getNumAxes(); ++axis)
      for (int64_t pre = 1; pre <= m.getAxes()[axis].size; ++pre)
        for (int64_t size = 1; pre * size <= m.getAxes()[axis].size; ++size)
          if (m.getAxes()[axis].size % (pre * size) == 0)
            refs.push_back({axis, pre, size});
    for (AxisRef first : refs)
      for (AxisRef second : refs) {
        AxisFactors factors = AxisFactors::get(m, {first, second});
        for (AxisRef ref : {first, second})
          for (unsigned i = 0; i < factors.size(); ++i) {
            EXPECT_EQ(factors.getTouched(ref) >> i & 1,
                      canDiffer(m, factors, i, ref));
            EXPECT_EQ(factors.getCovered(ref) >> i & 1,
                      tellsApart(m, factors, i, ref));
          }
      }
  }
}

} // namespace
