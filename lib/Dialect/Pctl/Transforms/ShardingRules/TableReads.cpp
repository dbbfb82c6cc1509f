// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads of captured tensors.

#include "TableReads.h"

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pctl;
using layout::ReductionKind;

/// Returns the loop of \p op that \p index is the index of, also where it goes
/// through an integer that holds every index.
static std::optional<unsigned> getLoop(linalg::LinalgOp op, Value index) {
  while (auto cast = index.getDefiningOp<arith::IndexCastOp>()) {
    auto type = dyn_cast<IntegerType>(cast.getIn().getType());
    if (type && type.getWidth() < 64)
      return std::nullopt;
    index = cast.getIn();
  }
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop || loop->getBlock() != op.getBlock())
    return std::nullopt;
  return loop.getDim();
}

/// Returns the reduction that gives x of one x and otherwise its neutral
/// elements, in all bits; nothing for elements that no collective reduces.
static std::optional<ReductionKind> getLookupKind(Type elementType) {
  if (elementType.isInteger(1))
    return ReductionKind::Xor;
  if (elementType.isF16() || elementType.isBF16() || elementType.isF32() ||
      elementType.isF64())
    return ReductionKind::Sum;
  auto integer = dyn_cast<IntegerType>(elementType);
  if (integer && llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()))
    return ReductionKind::Sum;
  return std::nullopt;
}

/// Returns whether \p read, which is the one read of its table, is all that
/// \p op gives, and of each element of the result.
static bool isLookup(linalg::LinalgOp op, tensor::ExtractOp read) {
  return op->getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         read->getBlock() == op.getBlock() &&
         op.getBlock()->getTerminator()->getOperand(0) == read.getResult() &&
         read.getResult().hasOneUse() &&
         op.getRegionOutputArgs().front().use_empty();
}

static pctl::detail::TableReads getReadsOf(linalg::LinalgOp op, Value table) {
  pctl::detail::TableReads reads;
  reads.table = table;
  reads.loops.resize(reads.getType().getRank());
  SmallVector<tensor::ExtractOp> extracts;
  WalkResult walk = op->walk([&](Operation *user) {
    if (user == op || !llvm::is_contained(user->getOperands(), table))
      return WalkResult::advance();
    if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
      extracts.push_back(extract);
      return WalkResult::advance();
    }
    // A size is known without the elements.
    auto dim = dyn_cast<tensor::DimOp>(user);
    return dim && dim.getConstantIndex() ? WalkResult::advance()
                                         : WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return reads;
  for (auto [d, loop] : llvm::enumerate(reads.loops)) {
    for (auto [i, extract] : llvm::enumerate(extracts)) {
      std::optional<unsigned> found = getLoop(op, extract.getIndices()[d]);
      loop = i == 0 || loop == found ? found : std::nullopt;
      if (!loop)
        break;
    }
    // Where the loop runs over another number of places there is no cut of it
    // that is one of the dim.
    if (loop &&
        op.getStaticLoopRanges()[*loop] != reads.getType().getDimSize(d))
      loop.reset();
  }
  if (extracts.size() == 1 && isLookup(op, extracts.front()))
    reads.lookup = getLookupKind(reads.getType().getElementType());
  return reads;
}

SmallVector<pctl::detail::TableReads>
pctl::detail::getTableReads(linalg::LinalgOp op) {
  SmallVector<TableReads> all;
  for (const TensorOperand &operand : getTensorOperands(op))
    if (!operand.operand)
      all.push_back(getReadsOf(op, operand.value));
  return all;
}
