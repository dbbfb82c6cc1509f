// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Arguments and results of compiled programs, as the generated code lays them
/// out: buffers as the descriptors of the memref dialect, scalars as their
/// bytes. docs/lowering.md has the calling convention that these serve.

#ifndef PCTL_EXECUTION_VALUE_H
#define PCTL_EXECUTION_VALUE_H

#include "pctl/Conversion/HostTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace pctl::execution {

/// One argument or result of a call: a buffer or a scalar.
///
/// As an argument it only refers to the caller's memory; as a result it owns
/// its memory and frees it.
///
/// Worked example, a 2x3 argument and reading a result back:
///
///     std::vector<float> data = {1, 2, 3, 4, 5, 6};
///     Value argument = Value::ofBuffer(data.data(), {2, 3});
///     ...
///     const float *first = static_cast<const float *>(result.getData());
class Value {
public:
  /// Refers to a row-major buffer at \p data, which the caller keeps alive and
  /// which may be null where \p shape has no elements.
  static Value ofBuffer(void *data, llvm::ArrayRef<int64_t> shape);
  /// Holds a scalar of \p numBytes bytes, at most 16, copied from \p bytes.
  static Value ofScalar(const void *bytes, int64_t numBytes);
  /// Makes a place for a result of \p type, which getHostElementBytes must know
  /// (of a memref: its element type).
  static Value forResult(mlir::Type type);

  Value(Value &&other);
  Value &operator=(Value &&other);
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
  ~Value();

  bool isBuffer() const { return tensorRank >= 0; }
  /// The address of the first element, or of the scalar's bytes.
  const void *getData() const;
  void *getData();
  /// Elements along each dim; empty for a scalar.
  llvm::ArrayRef<int64_t> getShape() const;
  /// Elements between neighbours along each dim; empty for a scalar.
  llvm::ArrayRef<int64_t> getStrides() const;
  int64_t getNumElements() const;
  /// Whether the elements lie in row-major order without gaps.
  bool isRowMajor() const;
  /// Returns the bytes of all elements of \p elementBytes each, in row-major
  /// order whatever the strides are.
  std::vector<char> copyBytes(int64_t elementBytes) const;

  /// The descriptor itself, or the scalar's bytes.
  void *getStorage() { return words.data(); }
  const void *getStorage() const { return words.data(); }
  /// Size of that storage.
  int64_t getStorageBytes() const { return storageBytes; }

private:
  Value() = default;

  /// {allocated, aligned, offset, sizes..., strides...}, all 64 bits wide, or
  /// the scalar.
  llvm::SmallVector<int64_t, 9> words;
  int64_t storageBytes = 0;
  /// -1 for a scalar.
  int64_t tensorRank = -1;
  int64_t elementBytes = 0;
  bool owned = false;
};

} // namespace pctl::execution

#endif // PCTL_EXECUTION_VALUE_H
