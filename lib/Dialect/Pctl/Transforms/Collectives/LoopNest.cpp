// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "LoopNest.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pctl::collectives;

std::optional<LoopNest> LoopNest::get(Operation *op) {
  if (op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  LoopNest nest;
  nest.op = op;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (structured.hasIndexSemantics() || !structured.hasPureTensorSemantics())
      return std::nullopt;
    nest.iterators = structured.getIteratorTypesArray();
    for (OpOperand &operand : op->getOpOperands()) {
      bool isTensor = isa<RankedTensorType>(operand.get().getType());
      nest.maps.push_back(isTensor ? structured.getMatchingIndexingMap(&operand)
                                   : AffineMap());
      if (structured.isDpsInit(&operand)) {
        nest.init = operand.getOperandNumber();
        nest.resultMap = nest.maps.back();
      }
    }
    if (!nest.init || !nest.resultMap)
      return std::nullopt;
    return nest;
  }
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0)
    return std::nullopt;
  unsigned rank = type.getRank();
  nest.iterators.assign(rank, utils::IteratorType::parallel);
  nest.resultMap = AffineMap::getMultiDimIdentityMap(rank, op->getContext());
  for (Value operand : op->getOperands())
    nest.maps.push_back(isa<RankedTensorType>(operand.getType())
                            ? nest.resultMap
                            : AffineMap());
  return nest;
}

bool LoopNest::isAllParallel() const {
  return llvm::all_of(iterators, [](utils::IteratorType type) {
    return type == utils::IteratorType::parallel;
  });
}

std::optional<unsigned> LoopNest::getLoop(AffineMap map, unsigned dim) {
  if (auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim)))
    return expr.getPosition();
  return std::nullopt;
}

std::optional<unsigned> LoopNest::findDim(AffineMap map, unsigned loop,
                                          bool &isPlain) {
  std::optional<unsigned> found;
  if (!map)
    return found;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      isPlain = false;
    found = dim;
  }
  return found;
}

Value LoopNest::create(IRRewriter &rewriter, ArrayRef<Value> operands,
                       RankedTensorType type) const {
  IRMapping mapping;
  Operation *created = rewriter.cloneWithoutRegions(*op, mapping);
  rewriter.modifyOpInPlace(created, [&] {
    created->setOperands(operands);
    created->getResult(0).setType(type);
    for (auto [from, to] : llvm::zip(op->getRegions(), created->getRegions()))
      from.cloneInto(&to, mapping);
  });
  return created->getResult(0);
}
