// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Types of tensors as text, as far as moving their elements depends on them:
/// sizes, the bytes of an element, and which reductions it has. The names are
/// MLIR's, so that the type of a value in a program can be typed as it is
/// printed there, without the `tensor<>` around it.
///
/// \verbatim
///   tensor  ::= (size (`x` size)*)? `x`? element
///   element ::= (`i` | `si` | `ui`) int | `index` | `complex` `<` element `>`
///             | `f16` | `bf16` | `tf32` | `f32` | `f64` | `f80` | `f128`
///             | `f8E5M2` | `f8E4M3` | `f8E4M3FN` | `f8E5M2FNUZ` | ...
/// \endverbatim

#ifndef PCTL_LAYOUT_TENSORTYPE_H
#define PCTL_LAYOUT_TENSORTYPE_H

#include "pctl/Layout/Layout.h"

namespace pctl::layout {

/// What reductions ask of an element type.
enum class ElementClass { Integer, Float, Complex };

/// The type of one element.
struct ElementType {
  /// As MLIR spells it: `f32`, `i4`, `complex<bf16>`.
  std::string name;
  ElementClass elementClass = ElementClass::Float;
  /// Bits of the value: 1 of `i1`, 64 of `index` and of `complex<f32>`.
  int64_t bits = 0;

  /// Returns what an element takes in a buffer: whole bytes, so that `i1` and
  /// `i4` take one and `f80` takes ten.
  int64_t getBytes() const { return bits / 8 + (bits % 8 != 0); }

  friend bool operator==(const ElementType &a, const ElementType &b) {
    return a.name == b.name;
  }
};

/// A tensor of known sizes.
struct TensorType {
  llvm::SmallVector<int64_t, 4> shape;
  ElementType element;
};

/// Parses the name of an element type. Errors: a name that is none; an integer
/// of no bits or of more than 2^24 - 1; a complex of anything but an integer or
/// a float.
llvm::Expected<ElementType> parseElementType(llvm::StringRef text);

/// Parses `16x16x16xf32`, and `f32` or `xf32` for a scalar. Errors: a size that
/// is no number of at most 63 bits (also `?`), and those of parseElementType.
llvm::Expected<TensorType> parseTensorType(llvm::StringRef text);

/// Prints `16x16x16xf32`, `f32` for a scalar.
std::string toString(const TensorType &type);

/// Returns whether elements of \p elementClass can be reduced so: sums and
/// products are of all, `maximumf` and its like of floats, the others of
/// integers.
bool isKindFor(ReductionKind kind, ElementClass elementClass);

} // namespace pctl::layout

#endif // PCTL_LAYOUT_TENSORTYPE_H
