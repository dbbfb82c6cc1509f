// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_ORDERLOOPSPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// Returns the loop that walks along the last dim of what \p map indexes.
static std::optional<unsigned> getLastLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

/// Returns the parallel loop that should be innermost instead of a reduction:
/// one that walks along the last dim of all outputs and of an input, where no
/// loop walks along the last dims of all inputs.
static std::optional<unsigned> getBetterInnermost(linalg::LinalgOp op) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (numLoops < 2 || !linalg::isReductionIterator(iterators.back()))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ArrayRef<AffineMap> inputs =
      ArrayRef<AffineMap>(maps).take_front(op.getNumDpsInputs());
  ArrayRef<AffineMap> outputs =
      ArrayRef<AffineMap>(maps).drop_front(op.getNumDpsInputs());
  if (outputs.empty() || llvm::all_of(inputs, [&](AffineMap map) {
        return getLastLoop(map) == numLoops - 1;
      }))
    return std::nullopt;
  std::optional<unsigned> loop = getLastLoop(outputs.front());
  if (!loop || !linalg::isParallelIterator(iterators[*loop]))
    return std::nullopt;
  auto walksAlong = [&](AffineMap map) { return getLastLoop(map) == loop; };
  if (!llvm::all_of(outputs, walksAlong) || !llvm::any_of(inputs, walksAlong))
    return std::nullopt;
  return loop;
}

namespace {
struct OrderLoops : pctl::impl::OrderLoopsPassBase<OrderLoops> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && getBetterInnermost(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      unsigned innermost = *getBetterInnermost(op);
      rewriter.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(made))
          continue;
        generic = *made;
      }
      SmallVector<unsigned> order;
      for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
        if (loop != innermost)
          order.push_back(loop);
      order.push_back(innermost);
      (void)linalg::interchangeGenericOp(rewriter, generic, order);
    }
  }
};
} // namespace
