// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What tests of moves share.

#ifndef PCTL_TEST_UNIT_REDISTRIBUTE_MOVESUPPORT_H
#define PCTL_TEST_UNIT_REDISTRIBUTE_MOVESUPPORT_H

#include "TestSupport.h"

#include "pctl/Redistribute/Move.h"

namespace pctl::redistribute::test {

/// Lays a tensor of \p shape over a mesh, both given as text.
inline Placement place(llvm::StringRef mesh, llvm::StringRef layout,
                       llvm::ArrayRef<int64_t> shape) {
  layout::Mesh parsed = makeMesh(mesh);
  layout::Layout parsedLayout = makeLayout(parsed, layout);
  return {parsed, parsedLayout, llvm::SmallVector<int64_t, 4>(shape)};
}

} // namespace pctl::redistribute::test

#endif // PCTL_TEST_UNIT_REDISTRIBUTE_MOVESUPPORT_H
