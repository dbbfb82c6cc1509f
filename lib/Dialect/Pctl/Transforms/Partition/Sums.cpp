// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions ops that take sums still to be done, whatever ops they are: each
/// rank does the op on the terms that it holds, and operands that are no sums
/// are counted on the first rank. To the op itself nothing is a sum.
/// docs/partition.md, "Sums that wait".

#include "Neutral.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace pctl {

/// Returns whether all elements of \p tensor, a value of the local program, are
/// known to be zero: to count them more than once makes no difference.
static bool isZero(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    tensor = fill.getInputs().front();
  else if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    tensor = splat.getInput();
  return matchPattern(tensor, m_AnyZeroFloat()) ||
         matchPattern(tensor, m_Zero());
}

/// Returns the local value of \p tensor on the first rank along \p axes, and
/// zeros of the same sizes on the others. Null where its elements have no
/// neutral element of sums.
static Value createCountedOnce(PartitionContext &ctx, Location loc,
                               Value tensor, ArrayRef<layout::AxisRef> axes) {
  Value local = ctx.getLocal(tensor);
  if (isZero(local))
    return local;
  OpBuilder &builder = ctx.getBuilder();
  auto localType = cast<RankedTensorType>(local.getType());
  Value zero = detail::createNeutral(builder, loc, layout::ReductionKind::Sum,
                                     localType.getElementType());
  if (!zero)
    return {};
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < localType.getRank(); ++dim)
    if (localType.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, local, dim));
  Value zeros = tensor::SplatOp::create(builder, loc, localType, zero, sizes);
  return arith::SelectOp::create(builder, loc, ctx.isFirst(axes), local, zeros);
}

bool PartitionContext::takesSums(Operation *op) const {
  if (isa_and_nonnull<PctlDialect>(op->getDialect()))
    return false;
  return llvm::any_of(getTensorOperands(op), [&](const TensorOperand &operand) {
    return hasLayout(operand.value) && getLayout(operand.value).isPartial();
  });
}

namespace {

/// Shows an op its operands and results as if none were a sum, for as long as
/// this lives.
class HiddenSums {
public:
  explicit HiddenSums(PartitionContext &ctx) : ctx(ctx) {}
  ~HiddenSums() {
    // The last change of a value is undone first.
    for (auto &[value, layout, local] : llvm::reverse(kept)) {
      ctx.setLayout(value, layout);
      if (local)
        ctx.setLocal(value, local);
    }
  }

  /// \p local, if any, stands for \p value.
  void hide(Value value, const layout::Layout &shown, Value local) {
    kept.push_back(
        {value, ctx.getLayout(value), local ? ctx.getLocal(value) : Value()});
    ctx.setLayout(value, shown);
    if (local)
      ctx.setLocal(value, local);
  }

private:
  struct Kept {
    Value value;
    layout::Layout layout;
    Value local;
  };
  PartitionContext &ctx;
  SmallVector<Kept, 0> kept;
};

} // namespace

LogicalResult PartitionContext::partitionSums(Operation *op,
                                              const propagation::Rule &rule) {
  SmallVector<TensorOperand> operands = getTensorOperands(op);
  SmallVector<layout::Layout, 0> operandLayouts, resultLayouts;
  for (const TensorOperand &operand : operands)
    operandLayouts.push_back(getLayout(operand.value));
  for (OpResult result : op->getResults())
    if (hasLayout(result))
      resultLayouts.push_back(getLayout(result));
  auto report = [&](llvm::Error error) {
    return op->emitOpError() << "has layouts that do not fit together: "
                             << llvm::toString(std::move(error));
  };
  llvm::Expected<propagation::FactorCuts> cuts =
      propagation::inferFactorCuts(mesh, rule, operandLayouts, resultLayouts);
  if (!cuts)
    return report(cuts.takeError());
  llvm::Expected<propagation::CarriedSums> sums =
      propagation::getCarriedSums(rule, *cuts, operandLayouts);
  if (!sums)
    return report(sums.takeError());

  HiddenSums hidden(*this);
  for (auto [i, operand, axes] : llvm::enumerate(operands, sums->countedOnce)) {
    auto isSame = [value = operand.value](const TensorOperand &other) {
      return other.value == value;
    };
    for (auto [other, otherAxes] : llvm::zip_equal(operands, sums->countedOnce))
      if (other.value == operand.value && otherAxes != axes)
        return op->emitOpError() << "takes tensor operand #" << i
                                 << " twice, and it is to be counted once in "
                                    "one of the places only";
    if (llvm::any_of(ArrayRef(operands).take_front(i), isSame))
      continue;
    Value local;
    if (!axes.empty()) {
      local = createCountedOnce(*this, op->getLoc(), operand.value, axes);
      if (!local)
        return op->emitOpError()
               << "adds elements of type " << operand.getType().getElementType()
               << " to a sum that is still to be done, and they have no zero";
    }
    operandLayouts[i] = operandLayouts[i].withoutPartial();
    hidden.hide(operand.value, operandLayouts[i], local);
  }
  for (auto [i, result] : llvm::enumerate(getTensorResults(op)))
    hidden.hide(result, propagation::getResultLayout(rule, i, *cuts), Value());
  return partitionPlain(op);
}

} // namespace pctl
