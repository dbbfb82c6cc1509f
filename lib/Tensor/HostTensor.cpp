// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Dense host tensors: slices by boxes, random data, comparison.

#include "pctl/Tensor/HostTensor.h"

#include "pctl/Support/CheckedArith.h"
#include "pctl/Support/Error.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Sequence.h"

#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

#include <cmath>
#include <cstring>

using namespace pctl;
using namespace pctl::tensor;

namespace {

/// What the code needs to know of an element kind.
struct KindInfo {
  const char *name;
  int64_t sizeBytes;
  /// Bits of the significand, the hidden one included; 0 for integers.
  int precision;
};

} // namespace

static KindInfo getInfo(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return {"i1", 1, 0};
  case ElementKind::I8:
    return {"i8", 1, 0};
  case ElementKind::I16:
    return {"i16", 2, 0};
  case ElementKind::I32:
    return {"i32", 4, 0};
  case ElementKind::I64:
    return {"i64", 8, 0};
  case ElementKind::F16:
    return {"f16", 2, 11};
  case ElementKind::BF16:
    return {"bf16", 2, 8};
  case ElementKind::F32:
    return {"f32", 4, 24};
  case ElementKind::F64:
    return {"f64", 8, 53};
  }
  llvm_unreachable("all kinds are handled");
}

template <typename T> static T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T> static void store(std::byte *at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

static const llvm::fltSemantics &getHalfSemantics(ElementKind kind) {
  return kind == ElementKind::F16 ? llvm::APFloat::IEEEhalf()
                                  : llvm::APFloat::BFloat();
}

static double loadHalf(ElementKind kind, const std::byte *at) {
  llvm::APFloat value(getHalfSemantics(kind),
                      llvm::APInt(16, load<uint16_t>(at)));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static void storeFloat(ElementKind kind, std::byte *at, double value) {
  switch (kind) {
  case ElementKind::F32:
    return store(at, static_cast<float>(value));
  case ElementKind::F64:
    return store(at, value);
  default:
    break;
  }
  llvm::APFloat half(value);
  bool losesInfo;
  half.convert(getHalfSemantics(kind), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  store(at, static_cast<uint16_t>(half.bitcastToAPInt().getZExtValue()));
}

static void storeInteger(ElementKind kind, std::byte *at, int64_t value) {
  switch (getElementBytes(kind)) {
  case 1:
    return store(at, static_cast<int8_t>(value));
  case 2:
    return store(at, static_cast<int16_t>(value));
  case 4:
    return store(at, static_cast<int32_t>(value));
  default:
    return store(at, value);
  }
}

/// Calls \p copyRun(offset in the whole, offset in the slice, elements) for
/// each run of elements of \p box that lie together in a tensor of shape \p
/// shape.
static void
forEachRun(llvm::ArrayRef<int64_t> shape, const layout::Box &box,
           llvm::function_ref<void(int64_t, int64_t, int64_t)> copyRun) {
  if (box.isEmpty())
    return;
  if (shape.empty())
    return copyRun(0, 0, 1);
  unsigned last = shape.size() - 1;
  int64_t runLength = box[last].size;
  llvm::SmallVector<int64_t, 4> index(last, 0);
  for (int64_t inSlice = 0, end = box.getNumElements(); inSlice < end;
       inSlice += runLength) {
    int64_t inWhole = 0;
    for (unsigned dim = 0; dim < last; ++dim)
      inWhole = inWhole * shape[dim] + box[dim].offset + index[dim];
    copyRun(inWhole * shape[last] + box[last].offset, inSlice, runLength);
    for (unsigned dim = last; dim-- > 0;) {
      if (++index[dim] < box[dim].size)
        break;
      index[dim] = 0;
    }
  }
}

/// A step of the SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

int64_t tensor::getElementBytes(ElementKind kind) {
  return getInfo(kind).sizeBytes;
}

llvm::StringRef tensor::getElementName(ElementKind kind) {
  return getInfo(kind).name;
}

bool tensor::isFloat(ElementKind kind) { return getInfo(kind).precision > 0; }

double tensor::getUnitRoundoff(ElementKind kind) {
  return std::ldexp(1.0, -getInfo(kind).precision);
}

HostTensor::HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                       int64_t sizeBytes)
    : kind(kind), shape(shape.begin(), shape.end()), sizeBytes(sizeBytes),
      bytes(static_cast<std::byte *>(
          std::calloc(std::max<int64_t>(sizeBytes, 1), 1))) {}

llvm::Expected<HostTensor> HostTensor::create(ElementKind kind,
                                              llvm::ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (size < 0)
      return makeError("tensor has a size of {0}", size);
  std::optional<int64_t> elements = checkedProduct(shape);
  std::optional<int64_t> sizeBytes =
      elements ? checkedMul(*elements, getElementBytes(kind)) : std::nullopt;
  if (!sizeBytes)
    return makeError("tensor of shape {0:$[x]} is too large",
                     llvm::make_range(shape.begin(), shape.end()));
  HostTensor tensor(kind, shape, *sizeBytes);
  if (!tensor.bytes)
    return makeError("tensor of shape {0:$[x]} does not fit in memory",
                     llvm::make_range(shape.begin(), shape.end()));
  return tensor;
}

int64_t HostTensor::getNumElements() const {
  return sizeBytes / getElementBytes(kind);
}

double HostTensor::getAsDouble(int64_t i) const {
  const std::byte *at = getData() + i * getElementBytes(kind);
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
    return load<int8_t>(at);
  case ElementKind::I16:
    return load<int16_t>(at);
  case ElementKind::I32:
    return load<int32_t>(at);
  case ElementKind::I64:
    return static_cast<double>(load<int64_t>(at));
  case ElementKind::F16:
  case ElementKind::BF16:
    return loadHalf(kind, at);
  case ElementKind::F32:
    return load<float>(at);
  case ElementKind::F64:
    return load<double>(at);
  }
  llvm_unreachable("all kinds are handled");
}

HostTensor HostTensor::extract(const layout::Box &box) const {
  llvm::SmallVector<int64_t, 4> sliceShape;
  for (layout::Range range : box.getRanges())
    sliceShape.push_back(range.size);
  int64_t width = getElementBytes(kind);
  HostTensor slice(kind, sliceShape, box.getNumElements() * width);
  if (!slice.bytes)
    llvm::report_bad_alloc_error("no memory for a slice of a tensor");
  forEachRun(shape, box, [&](int64_t from, int64_t to, int64_t count) {
    std::memcpy(slice.getData() + to * width, getData() + from * width,
                count * width);
  });
  return slice;
}

void HostTensor::insert(const layout::Box &box, const HostTensor &slice) {
  int64_t width = getElementBytes(kind);
  forEachRun(shape, box, [&](int64_t to, int64_t from, int64_t count) {
    std::memcpy(getData() + to * width, slice.getData() + from * width,
                count * width);
  });
}

void tensor::fillRandom(HostTensor &tensor, uint64_t seed) {
  ElementKind kind = tensor.getKind();
  int64_t width = getElementBytes(kind);
  uint64_t stream = mix(seed);
  for (int64_t i : llvm::seq(tensor.getNumElements())) {
    uint64_t bits = mix(stream ^ static_cast<uint64_t>(i));
    std::byte *at = tensor.getData() + i * width;
    if (isFloat(kind))
      storeFloat(kind, at,
                 std::ldexp(static_cast<double>(bits >> 11), -52) - 1);
    else
      storeInteger(kind, at, bits % (kind == ElementKind::I1 ? 2 : 8));
  }
}

/// Returns whether the floats \p value and \p reference differ by more than
/// \p bound, and keeps the greatest finite difference in \p maxError.
static bool differs(double value, double reference, double bound,
                    double &maxError) {
  if (std::isnan(value) || std::isnan(reference))
    return std::isnan(value) != std::isnan(reference);
  if (std::isinf(value) || std::isinf(reference))
    return value != reference;
  double error = std::fabs(value - reference);
  maxError = std::max(maxError, error);
  return error > bound;
}

Comparison tensor::compare(const HostTensor &value, const HostTensor &reference,
                           int64_t sumLength) {
  Comparison result;
  int64_t width = getElementBytes(value.getKind());
  bool exact = !isFloat(value.getKind());
  if (!exact) {
    for (int64_t i : llvm::seq(reference.getNumElements())) {
      double element = std::fabs(reference.getAsDouble(i));
      if (std::isfinite(element))
        result.magnitude = std::max(result.magnitude, element);
    }
    result.bound = getUnitRoundoff(value.getKind()) *
                   static_cast<double>(sumLength) *
                   std::max(1.0, result.magnitude);
  }
  for (int64_t i : llvm::seq(reference.getNumElements())) {
    bool wrong = exact
                     ? std::memcmp(value.getData() + i * width,
                                   reference.getData() + i * width, width) != 0
                     : differs(value.getAsDouble(i), reference.getAsDouble(i),
                               result.bound, result.maxError);
    if (exact && wrong)
      result.maxError =
          std::max(result.maxError,
                   std::fabs(value.getAsDouble(i) - reference.getAsDouble(i)));
    if (!wrong || result.numWrong++ > 0)
      continue;
    result.firstWrong = i;
    result.wrongValue = value.getAsDouble(i);
    result.wrongReference = reference.getAsDouble(i);
  }
  return result;
}
