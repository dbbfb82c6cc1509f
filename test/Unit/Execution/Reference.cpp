// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Reference.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Layout/LayoutText.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "gtest/gtest.h"

using namespace pctl;
using namespace pctl::test;
using layout::ReductionKind;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Calls \p visit with each index of \p shape, row-major.
static void
forEachIndex(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t dim = int64_t(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

static int64_t flatten(llvm::ArrayRef<int64_t> index,
                       llvm::ArrayRef<int64_t> shape) {
  int64_t flat = 0;
  for (auto [i, size] : llvm::zip(index, shape))
    flat = flat * size + i;
  return flat;
}

Array pctl::test::slice(const Array &array, const layout::Box &box) {
  llvm::SmallVector<int64_t> shape, index(array.shape.size());
  for (layout::Range range : box.getRanges())
    shape.push_back(range.size);
  Array part = Array::zeros(shape, array.elementBytes);
  int64_t next = 0;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> local) {
    for (unsigned dim = 0; dim < index.size(); ++dim)
      index[dim] = box[dim].offset + local[dim];
    std::copy_n(array.at(flatten(index, array.shape)), array.elementBytes,
                part.at(next++));
  });
  return part;
}

Array pctl::test::slice(const Array &array, int64_t dim, int64_t offset,
                        int64_t size) {
  llvm::SmallVector<layout::Range> ranges;
  for (int64_t whole : array.shape)
    ranges.push_back({0, whole});
  ranges[dim] = {offset, size};
  return slice(array, layout::Box(ranges));
}

Array pctl::test::concat(const std::vector<Array> &parts, int64_t dim) {
  llvm::SmallVector<int64_t> shape = parts.front().shape;
  shape[dim] = 0;
  for (const Array &part : parts)
    shape[dim] += part.shape[dim];
  Array whole = Array::zeros(shape, parts.front().elementBytes);
  int64_t start = 0;
  for (const Array &part : parts) {
    int64_t next = 0;
    forEachIndex(part.shape, [&](llvm::ArrayRef<int64_t> local) {
      llvm::SmallVector<int64_t> index(local);
      index[dim] += start;
      std::copy_n(part.at(next++), whole.elementBytes,
                  whole.at(flatten(index, shape)));
    });
    start += part.shape[dim];
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics *getSemantics(llvm::StringRef type) {
  if (type == "f16")
    return &APFloat::IEEEhalf();
  if (type == "bf16")
    return &APFloat::BFloat();
  if (type == "f32")
    return &APFloat::IEEEsingle();
  if (type == "f64")
    return &APFloat::IEEEdouble();
  if (type == "f8E4M3FN")
    return &APFloat::Float8E4M3FN();
  if (type == "f8E5M2")
    return &APFloat::Float8E5M2();
  return nullptr;
}

static APInt load(const char *place, unsigned bits) {
  uint64_t words[2] = {0, 0};
  std::memcpy(words, place, llvm::divideCeil(bits, 8));
  return APInt(bits, words);
}

static void store(const APInt &value, char *place) {
  std::memcpy(place, value.getRawData(),
              llvm::divideCeil(value.getBitWidth(), 8));
}

static APFloat combineFloats(APFloat a, const APFloat &b, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    a.add(b, APFloat::rmNearestTiesToEven);
    return a;
  case ReductionKind::Product:
    a.multiply(b, APFloat::rmNearestTiesToEven);
    return a;
  case ReductionKind::Maximum:
    return llvm::maximum(a, b);
  case ReductionKind::Minimum:
    return llvm::minimum(a, b);
  case ReductionKind::MaxNum:
    return llvm::maxnum(a, b);
  default:
    return llvm::minnum(a, b);
  }
}

static APInt combineInts(const APInt &a, const APInt &b, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::MaxSigned:
    return llvm::APIntOps::smax(a, b);
  case ReductionKind::MaxUnsigned:
    return llvm::APIntOps::umax(a, b);
  case ReductionKind::MinSigned:
    return llvm::APIntOps::smin(a, b);
  case ReductionKind::MinUnsigned:
    return llvm::APIntOps::umin(a, b);
  case ReductionKind::And:
    return a & b;
  case ReductionKind::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

Array pctl::test::reduce(const std::vector<Array> &parts, ReductionKind kind,
                         const ElementType &type) {
  Array result = parts.front();
  const llvm::fltSemantics *semantics = getSemantics(type.name);
  for (const Array &part : llvm::drop_begin(parts))
    for (int64_t i = 0, e = result.getNumElements(); i != e; ++i) {
      APInt a = load(result.at(i), type.bits), b = load(part.at(i), type.bits);
      if (semantics)
        a = combineFloats(APFloat(*semantics, a), APFloat(*semantics, b), kind)
                .bitcastToAPInt();
      else
        a = combineInts(a, b, kind);
      store(a, result.at(i));
    }
  unifyNans(result, type);
  return result;
}

void pctl::test::unifyNans(Array &array, const ElementType &type) {
  const llvm::fltSemantics *semantics = getSemantics(type.name);
  if (!semantics)
    return;
  for (int64_t i = 0, e = array.getNumElements(); i != e; ++i)
    if (APFloat(*semantics, load(array.at(i), type.bits)).isNaN())
      store(APFloat::getQNaN(*semantics).bitcastToAPInt(), array.at(i));
}

//===----------------------------------------------------------------------===//
// Data and text
//===----------------------------------------------------------------------===//

Array pctl::test::fill(llvm::ArrayRef<int64_t> shape, const ElementType &type,
                       uint64_t seed) {
  Array array = Array::zeros(shape, type.bytes);
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (int64_t i = 0, e = array.getNumElements(); i != e; ++i)
    for (unsigned bit = 0; bit < type.bits; bit += 8) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      unsigned mask =
          type.bits - bit >= 8 ? 0xFF : (1u << (type.bits - bit)) - 1;
      array.at(i)[bit / 8] = char(state >> 33 & mask);
    }
  return array;
}

std::string pctl::test::tensorType(llvm::ArrayRef<int64_t> shape,
                                   const char *element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

layout::Mesh pctl::test::parseMesh(const std::string &text) {
  return llvm::cantFail(layout::parseMesh(text));
}

layout::Layout pctl::test::parseLayout(const std::string &text,
                                       const layout::Mesh &mesh) {
  return llvm::cantFail(layout::parseLayout(text, mesh));
}

std::string pctl::test::meshText(const layout::Mesh &mesh) {
  std::string text = "pctl.mesh @m <[";
  for (const layout::MeshAxis &axis : mesh.getAxes())
    text += (text.back() == '[' ? "\"" : ", \"") + axis.name +
            "\"=" + std::to_string(axis.size);
  return text + "]>\n";
}

std::string pctl::test::layoutText(const layout::Mesh &mesh,
                                   const layout::Layout &layout) {
  mlir::MLIRContext &context = getContext();
  context.loadDialect<PctlDialect>();
  std::string text;
  llvm::raw_string_ostream(text) << toAttr(
      &context, mlir::FlatSymbolRefAttr::get(&context, "m"), mesh, layout);
  return text;
}

std::string pctl::test::axesText(const layout::Mesh &mesh,
                                 llvm::ArrayRef<layout::AxisRef> axes) {
  std::string text;
  for (layout::AxisRef axis : axes) {
    if (!text.empty())
      text += ", ";
    text += "\"" + mesh.getAxes()[axis.axis].name + "\"";
    if (axis != mesh.getWholeAxis(axis.axis))
      text +=
          ":(" + std::to_string(axis.preSize) + ")" + std::to_string(axis.size);
  }
  return "[" + text + "]";
}
