// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// all_reduce and reduce_scatter of every kind on every element type. Sums and
/// products are of small whole numbers, exact in every order; bits are
/// compared.

#include "Reference.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

using namespace pctl;
using namespace pctl::test;
using layout::ReductionKind;

static const ElementType kInts[] = {
    {"i1", 1, 1},   {"i8", 1, 8},      {"i16", 2, 16},  {"i32", 4, 32},
    {"i64", 8, 64}, {"i128", 16, 128}, {"index", 8, 64}};
static const ReductionKind kIntKinds[] = {
    ReductionKind::Sum,       ReductionKind::Product,
    ReductionKind::MaxSigned, ReductionKind::MaxUnsigned,
    ReductionKind::MinSigned, ReductionKind::MinUnsigned,
    ReductionKind::And,       ReductionKind::Or,
    ReductionKind::Xor};

namespace {
struct FloatType {
  ElementType type;
  const llvm::fltSemantics &semantics;
};
} // namespace

static const FloatType kFloats[] = {
    {{"f16", 2, 16}, llvm::APFloat::IEEEhalf()},
    {{"bf16", 2, 16}, llvm::APFloat::BFloat()},
    {{"f32", 4, 32}, llvm::APFloat::IEEEsingle()},
    {{"f64", 8, 64}, llvm::APFloat::IEEEdouble()}};

/// Returns \p values as elements of \p type.
static Array fromDoubles(llvm::ArrayRef<int64_t> shape, const FloatType &type,
                         llvm::ArrayRef<double> values) {
  Array array = Array::zeros(shape, type.type.bytes);
  for (int64_t i = 0, e = array.getNumElements(); i != e; ++i) {
    llvm::APFloat value(values[i % values.size()]);
    bool losesInfo = false;
    value.convert(type.semantics, llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
    std::memcpy(array.at(i), value.bitcastToAPInt().getRawData(),
                type.type.bytes);
  }
  return array;
}

/// One program: both collectives of \p kind along axis y of a mesh of x=2, y=3,
/// on inputs[rank], the second along \p dim.
static void checkReductions(ReductionKind kind, const ElementType &type,
                            const std::vector<Array> &inputs, int64_t dim) {
  layout::Mesh mesh = parseMesh("x=2,y=3");
  llvm::SmallVector<layout::AxisRef> axes = {mesh.getWholeAxis(1)};
  layout::DimLayout cut;
  cut.axes.assign(axes.begin(), axes.end());
  // A dim that the group does not divide has no static size.
  llvm::SmallVector<int64_t> shape = inputs[0].shape, local = shape,
                             block = shape;
  std::optional<int64_t> even = layout::getEvenBlockSize(cut, shape[dim]);
  if (!even)
    local[dim] = -1;
  block[dim] = even ? *even : -1;
  std::string whole = tensorType(local, type.name),
              part = tensorType(block, type.name), number = std::to_string(dim),
              keyword = layout::stringifyReductionKind(kind).str();
  std::string text =
      meshText(mesh) + "func.func @main(%x: " + whole + ") -> (" + whole +
      ", " + part + ") {\n%c = arith.constant " + number +
      " : index\n%n = tensor.dim %x, %c : " + whole + "\n%e = tensor.empty(" +
      (even ? "" : "%n") + ") : " + whole +
      "\n%r = pctl.all_reduce ins(%x : " + whole + ") outs(%e : " + whole +
      ") kind = " + keyword + " axes = [\"y\"] on @m -> " + whole +
      "\n%o, %s = pctl.block_range " + std::to_string(shape[dim]) +
      " by [\"y\"] on @m : index, index\n%f = tensor.empty(" +
      (even ? "" : "%s") + ") : " + part +
      "\n%t = pctl.reduce_scatter ins(%x : " + whole + ") outs(%f : " + part +
      ") kind = " + keyword + " dim = " + number + " axes = [\"y\"] on @m -> " +
      part + "\nreturn %r, %t : " + whole + ", " + part + "\n}";
  SCOPED_TRACE(text);
  std::vector<std::vector<Array>> arguments;
  for (const Array &input : inputs)
    arguments.push_back({input});
  auto results = run(text, 6, arguments);
  layout::ReplicaGroups groups(mesh, axes);
  for (int rank = 0; rank < 6; ++rank) {
    std::vector<Array> members;
    for (int64_t member : groups.getMembers(rank))
      members.push_back(inputs[member]);
    Array all = reduce(members, kind, type);
    layout::Range range =
        layout::getBlock(cut, shape[dim], groups.getPosition(rank));
    ASSERT_EQ(results[rank].size(), 2u);
    for (Array &result : results[rank])
      unifyNans(result, type);
    EXPECT_EQ(results[rank][0], all) << "all_reduce, rank " << rank;
    EXPECT_EQ(results[rank][1], slice(all, dim, range.offset, range.size))
        << "reduce_scatter, rank " << rank;
  }
}

TEST(Reductions, CombineIntegersOfEveryKind) {
  for (const ElementType &type : kInts)
    for (ReductionKind kind : kIntKinds) {
      std::vector<Array> inputs;
      for (int rank = 0; rank < 6; ++rank)
        inputs.push_back(fill({6, 2}, type, rank + 1));
      checkReductions(kind, type, inputs, 0);
    }
}

TEST(Reductions, CombineFloatsOfEveryKind) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  // Columns of one group's ranks: both signs, NaN first, last, alone and
  // throughout, and infinities.
  const std::vector<double> extremes[3] = {{-3, nan, 1, nan, nan, 2, -inf, 5},
                                           {2, 1, nan, nan, nan, 7, inf, 5},
                                           {-1, 2, 2, 3, nan, -7, 0.5, 5}};
  const std::vector<double> small[3] = {{1, -2, 3, 4, -1, 2, 0.5, 5},
                                        {2, 3, -1, 0.5, 2, 2, 4, 1},
                                        {-1, 2, 2, 3, 2, -4, 0.5, 3}};
  for (const FloatType &type : kFloats) {
    for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Product}) {
      std::vector<Array> inputs;
      for (int rank = 0; rank < 6; ++rank)
        inputs.push_back(fromDoubles({2, 6}, type, small[rank % 3]));
      checkReductions(kind, type.type, inputs, 1);
    }
    for (ReductionKind kind : {ReductionKind::Maximum, ReductionKind::Minimum,
                               ReductionKind::MaxNum, ReductionKind::MinNum}) {
      std::vector<Array> inputs;
      for (int rank = 0; rank < 6; ++rank)
        inputs.push_back(fromDoubles({3, 8}, type, extremes[rank % 3]));
      checkReductions(kind, type.type, inputs, 0);
    }
  }
}

TEST(Reductions, OrderZerosBySign) {
  const std::vector<double> zeros[3] = {{-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}};
  for (ReductionKind kind : {ReductionKind::Maximum, ReductionKind::Minimum}) {
    std::vector<Array> inputs;
    for (int rank = 0; rank < 6; ++rank)
      inputs.push_back(fromDoubles({3, 2}, kFloats[2], zeros[rank % 3]));
    checkReductions(kind, kFloats[2].type, inputs, 0);
  }
}

TEST(Reductions, AddUpSmallFloats) {
  const std::vector<double> values[3] = {{1, -2, 3}, {2, 2, 1}, {-1, 4, 2}};
  for (const FloatType &type :
       {FloatType{{"f8E4M3FN", 1, 8}, llvm::APFloat::Float8E4M3FN()},
        FloatType{{"f8E5M2", 1, 8}, llvm::APFloat::Float8E5M2()}}) {
    std::vector<Array> inputs;
    for (int rank = 0; rank < 6; ++rank)
      inputs.push_back(fromDoubles({3, 3}, type, values[rank % 3]));
    checkReductions(ReductionKind::Sum, type.type, inputs, 0);
  }
}

TEST(Reductions, ScatterBlocksThatDiffer) {
  for (int64_t dim = 0; dim < 3; ++dim)
    for (const ElementType &type : {kInts[3], kInts[2]})
      for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Xor}) {
        std::vector<Array> inputs;
        for (int rank = 0; rank < 6; ++rank)
          inputs.push_back(fill({4, 5, 1}, type, rank + 1));
        checkReductions(kind, type, inputs, dim);
      }
}

TEST(Reductions, TakeEmptyTensors) {
  std::vector<Array> inputs(6, fill({0, 3}, kInts[3], 1));
  checkReductions(ReductionKind::Sum, kInts[3], inputs, 0);
  checkReductions(ReductionKind::Xor, kInts[3], inputs, 1);
}

TEST(Reductions, CombineComplexNumbers) {
  const char *text = R"(
    pctl.mesh @m <["x"=2]>
    func.func @main(%x: tensor<2xcomplex<f32>>)
        -> (tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>) {
      %e = tensor.empty() : tensor<2xcomplex<f32>>
      %r = pctl.all_reduce ins(%x : tensor<2xcomplex<f32>>)
          outs(%e : tensor<2xcomplex<f32>>) kind = product axes = ["x"] on @m
          -> tensor<2xcomplex<f32>>
      %f = tensor.empty() : tensor<1xcomplex<f32>>
      %t = pctl.reduce_scatter ins(%x : tensor<2xcomplex<f32>>)
          outs(%f : tensor<1xcomplex<f32>>) kind = sum dim = 0
          axes = ["x"] on @m -> tensor<1xcomplex<f32>>
      return %r, %t : tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>
    })";
  auto complexes = [](llvm::ArrayRef<int64_t> shape, std::vector<float> parts) {
    Array array = Array::zeros(shape, 8);
    std::memcpy(array.bytes.data(), parts.data(), array.bytes.size());
    return array;
  };
  auto results =
      run(text, 2,
          {{complexes({2}, {1, 2, 3, 4})}, {complexes({2}, {5, -1, 0, 2})}});
  // (1+2i)(5-i) = 7+9i, (3+4i)2i = -8+6i.
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_EQ(results[rank][0], complexes({2}, {7, 9, -8, 6}));
  EXPECT_EQ(results[0][1], complexes({1}, {6, 1}));
  EXPECT_EQ(results[1][1], complexes({1}, {3, 6}));
}
