// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Execution/Value.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace pctl::execution {

/// Words of a descriptor before the sizes: allocated, aligned, offset.
static constexpr int64_t kFixedWords = 3;

Value Value::ofBuffer(void *data, ArrayRef<int64_t> shape) {
  Value value;
  value.tensorRank = shape.size();
  value.words.resize(kFixedWords + 2 * shape.size());
  value.words[0] = value.words[1] = reinterpret_cast<int64_t>(data);
  int64_t stride = 1;
  for (int64_t dim = value.tensorRank - 1; dim >= 0; --dim) {
    value.words[kFixedWords + dim] = shape[dim];
    value.words[kFixedWords + value.tensorRank + dim] = stride;
    stride *= shape[dim];
  }
  value.storageBytes = value.words.size() * sizeof(int64_t);
  return value;
}

Value Value::ofScalar(const void *bytes, int64_t numBytes) {
  Value value;
  value.words.resize(2);
  value.storageBytes = std::min<int64_t>(numBytes, 2 * sizeof(int64_t));
  std::memcpy(value.words.data(), bytes, value.storageBytes);
  return value;
}

Value Value::forResult(Type type) {
  Value value;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    value.tensorRank = memref.getRank();
    value.words.resize(kFixedWords + 2 * memref.getRank());
    value.elementBytes = *getHostElementBytes(memref.getElementType());
    value.storageBytes = value.words.size() * sizeof(int64_t);
    value.owned = true;
    return value;
  }
  value.words.resize(2);
  value.storageBytes = *getHostElementBytes(type);
  return value;
}

Value::Value(Value &&other) { *this = std::move(other); }

Value &Value::operator=(Value &&other) {
  if (this == &other)
    return *this;
  if (owned)
    std::free(reinterpret_cast<void *>(words[0]));
  words = std::move(other.words);
  storageBytes = other.storageBytes;
  tensorRank = other.tensorRank;
  elementBytes = other.elementBytes;
  owned = std::exchange(other.owned, false);
  return *this;
}

Value::~Value() {
  if (owned)
    std::free(reinterpret_cast<void *>(words[0]));
}

const void *Value::getData() const {
  if (!isBuffer())
    return words.data();
  return reinterpret_cast<const char *>(words[1]) + words[2] * elementBytes;
}

void *Value::getData() {
  return const_cast<void *>(std::as_const(*this).getData());
}

ArrayRef<int64_t> Value::getShape() const {
  if (!isBuffer())
    return {};
  return ArrayRef<int64_t>(words).slice(kFixedWords, tensorRank);
}

ArrayRef<int64_t> Value::getStrides() const {
  if (!isBuffer())
    return {};
  return ArrayRef<int64_t>(words).slice(kFixedWords + tensorRank, tensorRank);
}

int64_t Value::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : getShape())
    count *= size;
  return count;
}

bool Value::isRowMajor() const {
  int64_t expected = 1;
  for (auto [size, stride] :
       llvm::zip(llvm::reverse(getShape()), llvm::reverse(getStrides()))) {
    if (size != 1 && stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

std::vector<char> Value::copyBytes(int64_t bytesOfElement) const {
  int64_t count = getNumElements();
  std::vector<char> bytes(count * bytesOfElement);
  if (bytes.empty())
    return bytes;
  const char *data = static_cast<const char *>(getData());
  if (isRowMajor()) {
    std::memcpy(bytes.data(), data, bytes.size());
    return bytes;
  }
  for (int64_t linear = 0; linear < count; ++linear) {
    int64_t rest = linear, place = 0;
    for (int64_t dim = tensorRank - 1; dim >= 0; --dim) {
      place += rest % getShape()[dim] * getStrides()[dim];
      rest /= getShape()[dim];
    }
    std::memcpy(&bytes[linear * bytesOfElement], data + place * bytesOfElement,
                bytesOfElement);
  }
  return bytes;
}

} // namespace pctl::execution
