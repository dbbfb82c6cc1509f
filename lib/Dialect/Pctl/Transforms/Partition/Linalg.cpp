// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions linalg's structured ops, all of them by their indexing maps: cut
/// loops follow from the layouts, `linalg.index` is shifted, and the initial
/// values of cut reductions are counted once (docs/partition.md, Reductions).

#include "Models.h"
#include "Neutral.h"
#include "Pairs.h"
#include "Tables.h"
#include "Windows.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Layout/LayoutText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace pctl {
namespace {

/// How the loops of a structured op are cut, and by which operand.
struct LoopCuts {
  SmallVector<layout::DimLayout> loops;
  SmallVector<int64_t> sizes;
  /// Number of the operand that the cut was read from.
  SmallVector<std::optional<unsigned>> readFrom;
};

/// Reads how \p operand cuts the loops of \p op into \p cuts. Fails, having
/// reported why, where another operand cuts them otherwise.
LogicalResult readOperand(linalg::LinalgOp op, OpOperand &operand,
                          PartitionContext &ctx, LoopCuts &cuts) {
  const layout::Layout &layout = ctx.getLayout(operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned number = operand.getOperandNumber();
  if (layout.isPartial())
    return ctx.emitLayoutError(op, "operand #" + Twine(number), operand.get(),
                               "operands must not be partial");
  for (auto [index, dim] : llvm::enumerate(layout.dims)) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(index));
    if (!loop)
      continue;
    unsigned position = loop.getPosition();
    if (!cuts.readFrom[position]) {
      cuts.readFrom[position] = number;
      cuts.loops[position] = dim;
      cuts.sizes[position] =
          cast<RankedTensorType>(operand.get().getType()).getDimSize(index);
      continue;
    }
    if (cuts.loops[position] == dim)
      continue;
    return ctx.emitLayoutError(op, "operand #" + Twine(number), operand.get(),
                               "loop " + Twine(position) + " (dim " +
                                   Twine(index) + ") must be cut as operand #" +
                                   Twine(*cuts.readFrom[position]) +
                                   " cuts it");
  }
  return success();
}

/// Returns the window that slides over dim \p index of \p operand, if one does.
std::optional<detail::Window> getWindow(linalg::LinalgOp op, OpOperand &operand,
                                        unsigned index) {
  AffineExpr expr = op.getMatchingIndexingMap(&operand).getResult(index);
  if (isa<AffineDimExpr>(expr))
    return std::nullopt;
  auto type = cast<RankedTensorType>(operand.get().getType());
  return detail::getWindow(expr, type.getDimSize(index),
                           op.getStaticLoopRanges(),
                           op.getIteratorTypesArray());
}

/// Checks dim \p index of \p operand, which is no single loop: only the leader
/// of a window may be cut, and the dim along the same axes.
LogicalResult checkCompoundIndex(linalg::LinalgOp op, OpOperand &operand,
                                 unsigned index, PartitionContext &ctx,
                                 const LoopCuts &cuts) {
  AffineExpr expr = op.getMatchingIndexingMap(&operand).getResult(index);
  std::optional<detail::Window> window = getWindow(op, operand, index);
  for (auto [loop, dim] : llvm::enumerate(cuts.loops))
    if (!dim.axes.empty() && expr.isFunctionOfDim(loop) &&
        (!window || loop != window->leader))
      return op.emitOpError()
             << "loop " << loop << " is cut by operand #"
             << *cuts.readFrom[loop]
             << " but is part of a compound index; only the loop that a window "
                "slides with may be cut";
  const layout::DimLayout &dim = ctx.getLayout(operand.get()).dims[index];
  if (window ? dim.axes == cuts.loops[window->leader].axes : dim.axes.empty())
    return success();
  std::string what = "dim " + std::to_string(index);
  if (!window)
    return ctx.emitLayoutError(
        op, "operand #" + Twine(operand.getOperandNumber()), operand.get(),
        what + " is no single loop and no window, and must be whole");
  return ctx.emitLayoutError(
      op, "operand #" + Twine(operand.getOperandNumber()), operand.get(),
      what + " must be cut by the axes of loop " + Twine(window->leader) +
          ", with which its window slides");
}

FailureOr<LoopCuts> readLoopCuts(linalg::LinalgOp op, PartitionContext &ctx) {
  LoopCuts cuts;
  cuts.loops.resize(op.getNumLoops());
  cuts.sizes.resize(op.getNumLoops(), 1);
  cuts.readFrom.resize(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        failed(readOperand(op, operand, ctx, cuts)))
      return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr) &&
          failed(checkCompoundIndex(op, operand, index, ctx, cuts)))
        return failure();
  }
  return cuts;
}

/// Returns the axes that cut the reduction loops of \p op, but for that of
/// which it combines the contributions itself.
SmallVector<layout::AxisRef>
getReducedAxes(linalg::LinalgOp op, const LoopCuts &cuts,
               const std::optional<detail::PairReduction> &pair) {
  SmallVector<layout::AxisRef> axes;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction && !(pair && pair->loop == loop))
      llvm::append_range(axes, cuts.loops[loop].axes);
  return axes;
}

/// Checks that the layout of each result of \p op is that of its init, partial
/// by the axes that cut reduction loops.
LogicalResult checkResults(linalg::LinalgOp op, PartitionContext &ctx,
                           ArrayRef<layout::AxisRef> reducedAxes) {
  for (OpResult result : op->getResults()) {
    const layout::Layout &found = ctx.getLayout(result);
    layout::Layout expected =
        ctx.getLayout(op.getDpsInitOperand(result.getResultNumber())->get());
    if (found.partial.size() > 1)
      return ctx.emitLayoutError(op,
                                 "result #" + Twine(result.getResultNumber()),
                                 result, "an op reduces by one kind");
    if (!reducedAxes.empty()) {
      layout::PartialAxes partial;
      if (found.isPartial())
        partial.kind = found.partial.front().kind;
      partial.axes.assign(reducedAxes.begin(), reducedAxes.end());
      expected.partial.push_back(partial);
    }
    expected = expected.getNormalForm();
    if (found != expected)
      return ctx.emitLayoutError(
          op, "result #" + Twine(result.getResultNumber()), result,
          "its operands make it " + layout::toString(ctx.getMesh(), expected));
  }
  return success();
}

/// Adds the offset of this rank's block to the indices of cut loops in the body
/// of \p local.
void shiftIndices(Operation *local, PartitionContext &ctx,
                  const LoopCuts &cuts) {
  local->walk([&](linalg::IndexOp index) {
    unsigned loop = index.getDim();
    if (index->getParentOp() != local || cuts.loops[loop].axes.empty())
      return;
    auto offset =
        cast<Value>(ctx.getOffset(cuts.loops[loop], cuts.sizes[loop]));
    OpBuilder body(index->getContext());
    body.setInsertionPointAfter(index);
    auto shifted = arith::AddIOp::create(body, index.getLoc(), index, offset);
    index.getResult().replaceAllUsesExcept(shifted, shifted);
  });
}

/// Returns the scalar that all elements of \p tensor, a value of the local
/// program, have, as a value or an attribute; null where that is not known.
OpFoldResult getScalarOfSplat(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<Attribute>();
  return {};
}

/// Returns a tensor of the sizes of \p like, all of whose elements are
/// \p scalar.
Value createFill(PartitionContext &ctx, Location loc, Value scalar,
                 ArrayRef<OpFoldResult> sizes) {
  OpBuilder &builder = ctx.getBuilder();
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, scalar.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// Returns the local sizes of \p tensor, those that only the program knows read
/// from its local value.
SmallVector<OpFoldResult> getSizesOfLocal(PartitionContext &ctx, Location loc,
                                          Value tensor) {
  SmallVector<Value> dynamic;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dynamic.push_back(tensor::DimOp::create(ctx.getBuilder(), loc,
                                              ctx.getLocal(tensor), dim));
  return ctx.getSizes(tensor, dynamic);
}

/// Returns what this rank starts from to compute \p result of \p op, partial by
/// \p axes: the initial value on the first rank along them, the neutral element
/// on the others. Null, having reported why, where the kind has no neutral.
Value createInit(linalg::LinalgOp op, OpResult result, PartitionContext &ctx,
                 ArrayRef<layout::AxisRef> axes) {
  Value init = op.getDpsInitOperand(result.getResultNumber())->get();
  Value local = ctx.getLocal(init);
  layout::ReductionKind kind = ctx.getLayout(result).partial.front().kind;
  if (detail::isIdempotent(kind))
    return local;

  Location loc = op.getLoc();
  OpBuilder &builder = ctx.getBuilder();
  OpFoldResult scalar = getScalarOfSplat(local);
  Attribute known = dyn_cast_or_null<Attribute>(scalar);
  if (auto value = dyn_cast_or_null<Value>(scalar))
    matchPattern(value, m_Constant(&known));
  if (detail::isNeutral(known, kind))
    return local;

  Type elementType = cast<RankedTensorType>(init.getType()).getElementType();
  Value neutral = detail::createNeutral(builder, loc, kind, elementType);
  if (!neutral) {
    op.emitOpError() << "reduces " << elementType << " by "
                     << layout::stringifyReductionKind(kind)
                     << ", which has no exact neutral element; its reduction "
                     << "loops must be whole";
    return {};
  }
  Value isFirst = ctx.isFirst(axes);
  SmallVector<OpFoldResult> sizes = getSizesOfLocal(ctx, loc, init);
  if (!scalar)
    return arith::SelectOp::create(builder, loc, isFirst, local,
                                   createFill(ctx, loc, neutral, sizes));
  if (auto attr = dyn_cast<Attribute>(scalar)) {
    auto typed = dyn_cast<TypedAttr>(attr);
    if (!typed) // The parts of a complex number.
      return arith::SelectOp::create(builder, loc, isFirst, local,
                                     createFill(ctx, loc, neutral, sizes));
    scalar = arith::ConstantOp::create(builder, loc, typed).getResult();
  }
  Value chosen = arith::SelectOp::create(builder, loc, isFirst,
                                         cast<Value>(scalar), neutral);
  return createFill(ctx, loc, chosen, sizes);
}

/// Returns what \p operand of \p op is on this rank, with all the places that
/// windows over cut dims read.
Value completeOperand(linalg::LinalgOp op, OpOperand &operand,
                      PartitionContext &ctx, const LoopCuts &cuts) {
  Value local = ctx.getLocal(operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type)
    return local;
  for (unsigned index = 0; index < type.getRank(); ++index) {
    std::optional<detail::Window> window = getWindow(op, operand, index);
    if (!window || cuts.loops[window->leader].axes.empty())
      continue;
    detail::WindowDim dim{*window, ctx.getLayout(operand.get()).dims[index],
                          type.getDimSize(index), cuts.loops[window->leader],
                          cuts.sizes[window->leader]};
    local = detail::completeWindow(ctx, op.getLoc(), local, index, dim);
  }
  return local;
}

template <typename Op>
struct StructuredOpPartition
    : PartitionOpInterface::ExternalModel<StructuredOpPartition<Op>, Op> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto structured = cast<linalg::LinalgOp>(op);
    FailureOr<LoopCuts> cuts = readLoopCuts(structured, ctx);
    if (failed(cuts))
      return failure();
    std::optional<detail::PairReduction> pair = detail::getPairReduction(op);
    SmallVector<layout::AxisRef> axes = getReducedAxes(structured, *cuts, pair);
    SmallVector<detail::TableReads> tables = detail::getTableReads(structured);
    SmallVector<layout::AxisRef> allAxes = axes;
    llvm::append_range(allAxes, detail::getLookupAxes(tables, ctx));
    if (failed(detail::checkTables(op, tables, ctx)) ||
        failed(checkResults(structured, ctx, allAxes)) ||
        failed(ctx.checkRule(op)))
      return failure();

    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(completeOperand(structured, operand, ctx, *cuts));
    if (!layout::normalizeAxes(axes).empty())
      for (OpResult result : op->getResults()) {
        Value init = createInit(structured, result, ctx, axes);
        if (!init)
          return failure();
        OpOperand *operand =
            structured.getDpsInitOperand(result.getResultNumber());
        operands[operand->getOperandNumber()] = init;
      }
    Operation *local = ctx.clone(op, operands);
    shiftIndices(local, ctx, *cuts);
    detail::localizeTables(local, tables, ctx);
    if (pair && !cuts->loops[pair->loop].axes.empty())
      detail::combinePairs(cast<linalg::GenericOp>(op),
                           cast<linalg::GenericOp>(local), *pair,
                           cuts->loops[pair->loop].axes, ctx);
    return success();
  }

  bool partitionsCaptures(Operation *) const { return true; }
};

/// A softmax works on each line along its dimension alone.
struct SoftmaxPartition
    : PartitionOpInterface::ExternalModel<SoftmaxPartition, linalg::SoftmaxOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    const layout::Layout &layout = ctx.getLayout(softmax.getInput());
    if (layout.isPartial() || !layout.dims[softmax.getDimension()].axes.empty())
      return ctx.emitLayoutError(
          op, "operand #0", softmax.getInput(),
          "dim " + Twine(softmax.getDimension()) +
              " must be whole and the operand not partial");
    for (Value other :
         {Value(softmax.getOutput()), Value(softmax->getResult(0))})
      if (ctx.getLayout(other) != layout)
        return ctx.emitLayoutError(op, "output", other,
                                   "it must be laid out as the input");
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

template <typename... Ops> void attachStructured(MLIRContext *ctx) {
  auto attachIfStructured = [&](auto *op) {
    using Op = std::remove_pointer_t<decltype(op)>;
    if constexpr (std::is_base_of_v<linalg::LinalgOp::Trait<Op>, Op>)
      Op::template attachInterface<StructuredOpPartition<Op>>(*ctx);
  };
  (attachIfStructured(static_cast<Ops *>(nullptr)), ...);
}

} // namespace

void detail::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, linalg::LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(ctx);
    linalg::SoftmaxOp::attachInterface<SoftmaxPartition>(*ctx);
  });
}

} // namespace pctl
