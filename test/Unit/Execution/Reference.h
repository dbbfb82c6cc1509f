// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the collectives mean, written down once more, element by element, from
/// their descriptions.

#ifndef PCTL_TEST_UNIT_EXECUTION_REFERENCE_H
#define PCTL_TEST_UNIT_EXECUTION_REFERENCE_H

#include "Harness.h"

#include "pctl/Layout/Layout.h"
#include "pctl/Layout/ReplicaGroups.h"

namespace pctl::test {

/// An element type, as MLIR spells it and as the tests compute with it.
struct ElementType {
  const char *name;
  int64_t bytes;
  /// Bits that hold the value; the rest of the bytes is not looked at.
  unsigned bits;
};

/// Returns the elements of \p box.
Array slice(const Array &array, const layout::Box &box);
/// Returns \p size elements from \p offset on along \p dim.
Array slice(const Array &array, int64_t dim, int64_t offset, int64_t size);
/// Joins \p parts along \p dim.
Array concat(const std::vector<Array> &parts, int64_t dim);
/// Combines \p parts element by element, in order. Floats of a NaN are made one
/// NaN, as which of them comes out is nowhere said.
Array reduce(const std::vector<Array> &parts, layout::ReductionKind kind,
             const ElementType &type);
/// Replaces each NaN by one and the same.
void unifyNans(Array &array, const ElementType &type);

/// Returns an array of bytes that depend on \p seed, valid for \p type: bits
/// are 0 or 1, and what is not looked at is 0.
Array fill(llvm::ArrayRef<int64_t> shape, const ElementType &type,
           uint64_t seed);

/// Prints a tensor type; negative sizes are dynamic.
std::string tensorType(llvm::ArrayRef<int64_t> shape, const char *element);

/// Parses `[{x},{y}]`; a failure fails the test.
layout::Layout parseLayout(const std::string &text, const layout::Mesh &mesh);
layout::Mesh parseMesh(const std::string &text);
/// Prints the mesh and the layout as attributes of the dialect.
std::string meshText(const layout::Mesh &mesh);
std::string layoutText(const layout::Mesh &mesh, const layout::Layout &layout);
std::string axesText(const layout::Mesh &mesh,
                     llvm::ArrayRef<layout::AxisRef> axes);

} // namespace pctl::test

#endif // PCTL_TEST_UNIT_EXECUTION_REFERENCE_H
