// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the tests of the layout algebra compare with: all small meshes, axis
/// lists and layouts, and coordinates found by counting ranks, not by dividing.

#ifndef PCTL_TEST_UNIT_LAYOUT_ENUMERATE_H
#define PCTL_TEST_UNIT_LAYOUT_ENUMERATE_H

#include "pctl/Layout/Layout.h"
#include "pctl/Layout/LayoutText.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>
#include <vector>

namespace pctl::layout::test {

using Refs = llvm::SmallVector<AxisRef>;
/// A value for each rank of a mesh.
using Table = std::vector<int64_t>;

/// Makes a mesh of axes a, b, c, ... of these sizes.
Mesh makeMesh(llvm::ArrayRef<int64_t> sizes);

/// Makes what \p text says; a syntax error ends the program.
Mesh mesh(llvm::StringRef text);
Layout layout(llvm::StringRef text, const Mesh &mesh);
Refs refs(llvm::StringRef text, const Mesh &mesh);

/// The meshes of the exhaustive tests: up to 16 ranks, with axes of size 1,
/// with sizes of several prime factors, with none at all.
const std::vector<Mesh> &smallMeshes();

/// Returns every sub-axis of \p mesh, size 1 only where \p withUnits.
Refs allRefs(const Mesh &mesh, bool withUnits = false);

/// Returns every ordered list of at most \p maxLength sub-axes any two of
/// which findsCommonSplit accepts.
std::vector<Refs> allAxisLists(const Mesh &mesh, unsigned maxLength = 64,
                               bool withUnits = false);

/// Calls \p visit with each way to give the axis lists of \p mesh to the dims
/// of a tensor and to one partial entry (sum).
void forEachLayout(const Mesh &mesh, unsigned tensorRank,
                   llvm::function_ref<void(const Layout &)> visit);

/// Returns the coordinate of each rank along \p ref, by counting ranks.
Table countCoordinates(const Mesh &mesh, AxisRef ref);
/// Returns the position of each rank along \p refs, the first being major.
Table countPositions(const Mesh &mesh, llvm::ArrayRef<AxisRef> refs);
/// Returns the number of positions along \p refs.
int64_t countAll(llvm::ArrayRef<AxisRef> refs);
/// Returns whether some split of their axis into factors has both as runs of
/// factors, found by trying all splits; true for refs of two axes.
bool findsCommonSplit(const Mesh &mesh, AxisRef a, AxisRef b);

/// Returns the message of \p value, or nothing where it is no error.
template <typename T> std::string messageOf(llvm::Expected<T> value) {
  if (value)
    return "";
  return llvm::toString(value.takeError());
}
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

} // namespace pctl::layout::test

#endif // PCTL_TEST_UNIT_LAYOUT_ENUMERATE_H
