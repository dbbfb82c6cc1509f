// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Ops on tensors seen as loops with an index into each tensor: structured ops,
/// and elementwise ones. It is all that moving a collective past an op needs.

#ifndef PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_LOOPNEST_H
#define PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_LOOPNEST_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace pctl::collectives {

/// An op with one result, a tensor of static shape, computed by loops.
class LoopNest {
public:
  /// Returns \p op as loops: a structured op of linalg on tensors that asks for
  /// no loop index, or one with the Elementwise trait. Nothing for others.
  static std::optional<LoopNest> get(mlir::Operation *op);

  mlir::Operation *getOp() const { return op; }
  mlir::Value getResult() const { return op->getResult(0); }

  /// Returns how operand \p index is indexed; null for a scalar.
  mlir::AffineMap getMap(unsigned index) const { return maps[index]; }
  mlir::AffineMap getResultMap() const { return resultMap; }

  bool isParallel(unsigned loop) const {
    return iterators[loop] == mlir::utils::IteratorType::parallel;
  }
  bool isAllParallel() const;

  /// Returns whether operand \p index is what the result starts from.
  bool isInit(unsigned index) const { return init == index; }

  /// Returns the loop that dim \p dim of the result is, if it is one.
  std::optional<unsigned> getLoopOfResult(unsigned dim) const {
    return getLoop(resultMap, dim);
  }
  /// Returns the dim of operand \p index that \p loop is, where it is in no
  /// other dim and in no sum with other loops; nothing where the operand does
  /// not have it. \p isPlain is made false where it has it in another way.
  std::optional<unsigned> findDim(unsigned index, unsigned loop,
                                  bool &isPlain) const {
    return findDim(maps[index], loop, isPlain);
  }
  std::optional<unsigned> findDimOfResult(unsigned loop, bool &isPlain) const {
    return findDim(resultMap, loop, isPlain);
  }

  /// Creates the op on \p operands, with a result of \p type.
  mlir::Value create(mlir::IRRewriter &rewriter,
                     llvm::ArrayRef<mlir::Value> operands,
                     mlir::RankedTensorType type) const;

private:
  static std::optional<unsigned> getLoop(mlir::AffineMap map, unsigned dim);
  static std::optional<unsigned> findDim(mlir::AffineMap map, unsigned loop,
                                         bool &isPlain);

  mlir::Operation *op = nullptr;
  llvm::SmallVector<mlir::AffineMap, 4> maps;
  mlir::AffineMap resultMap;
  llvm::SmallVector<mlir::utils::IteratorType, 4> iterators;
  std::optional<unsigned> init;
};

} // namespace pctl::collectives

#endif // PCTL_LIB_DIALECT_PCTL_TRANSFORMS_COLLECTIVES_LOOPNEST_H
