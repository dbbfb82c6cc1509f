// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_EXPANDCOPIESPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// Returns whether a side of \p copy may have gaps. A copy of buffers whose
/// number of dims is not known has no loops to be made of.
static bool mayHaveGaps(memref::CopyOp copy) {
  auto source = dyn_cast<MemRefType>(copy.getSource().getType());
  auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
  return source && target &&
         !(source.getLayout().isIdentity() && target.getLayout().isIdentity());
}

namespace {
struct ExpandCopies : pctl::impl::ExpandCopiesPassBase<ExpandCopies> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (mayHaveGaps(copy))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies) {
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    }
  }
};
} // namespace
