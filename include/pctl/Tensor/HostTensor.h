// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Tensors in host memory: what a run reads, cuts over the ranks by their
/// layouts, joins from the ranks' results, and compares. Dense, row-major,
/// elements as the compiled program stores them in a memref.

#ifndef PCTL_TENSOR_HOSTTENSOR_H
#define PCTL_TENSOR_HOSTTENSOR_H

#include "pctl/Layout/Box.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace pctl::tensor {

/// The element types that a run can take and give. I1 is a byte of 0 or 1.
enum class ElementKind { I1, I8, I16, I32, I64, F16, BF16, F32, F64 };

/// Returns the bytes of one element of \p kind.
int64_t getElementBytes(ElementKind kind);
/// Returns the name of \p kind as MLIR spells the type: `i1`, `bf16`, ...
llvm::StringRef getElementName(ElementKind kind);
bool isFloat(ElementKind kind);
/// Returns the unit roundoff of a float kind, e.g. 2^-24 for F32.
double getUnitRoundoff(ElementKind kind);

/// A dense tensor that owns its elements.
class HostTensor {
public:
  /// Makes a tensor of zeros. Errors: a negative size; more bytes than an
  /// int64_t counts or memory holds.
  static llvm::Expected<HostTensor> create(ElementKind kind,
                                           llvm::ArrayRef<int64_t> shape);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  std::byte *getData() { return bytes.get(); }
  const std::byte *getData() const { return bytes.get(); }
  int64_t getSizeBytes() const { return sizeBytes; }

  /// Returns element number \p i, row-major, as a double: exact for all kinds
  /// but I64 beyond 2^53.
  double getAsDouble(int64_t i) const;

  /// Returns the elements of \p box as a tensor of its shape. \p box must lie
  /// inside the tensor.
  HostTensor extract(const layout::Box &box) const;
  /// Stores \p slice, of the shape of \p box, at \p box.
  void insert(const layout::Box &box, const HostTensor &slice);

private:
  struct Free {
    void operator()(std::byte *bytes) const { std::free(bytes); }
  };

  /// Makes a tensor of zeros, without data where memory does not hold them.
  HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape,
             int64_t sizeBytes);

  ElementKind kind;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t sizeBytes;
  std::unique_ptr<std::byte, Free> bytes;
};

/// Fills \p tensor with values that depend on \p seed and the element's number
/// alone: floats uniform in [-1, 1), integers in [0, 8), bits in {0, 1}.
void fillRandom(HostTensor &tensor, uint64_t seed);

/// What comparing a tensor with its reference found.
struct Comparison {
  int64_t numWrong = 0;
  /// Row-major number of the first wrong element; meaningless if none is wrong.
  int64_t firstWrong = 0;
  /// Greatest |value - reference| over elements where both are finite.
  double maxError = 0;
  /// What \ref maxError may be: 0 for integers.
  double bound = 0;
  /// The first wrong element and what it should be.
  double wrongValue = 0;
  double wrongReference = 0;
  /// max |reference| over its finite elements.
  double magnitude = 0;
};

/// Compares \p value with \p reference, of the same kind and shape. Integers
/// must be equal. A float may differ by the bound
///   u * sumLength * max(1, max |reference|),
/// u being the unit roundoff and \p sumLength the number of roundings on the
/// longest chain of sums behind an element: reordering sums of n terms moves
/// the result by at most about n u times their magnitude (Higham, Accuracy and
/// Stability of Numerical Algorithms, section 4.2). NaN must meet NaN,
/// infinities must be equal.
Comparison compare(const HostTensor &value, const HostTensor &reference,
                   int64_t sumLength);

} // namespace pctl::tensor

#endif // PCTL_TENSOR_HOSTTENSOR_H
