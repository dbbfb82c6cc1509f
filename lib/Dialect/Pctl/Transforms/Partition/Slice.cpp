// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions tensor's slicing ops: extract_slice, insert_slice, pad, concat.
/// Offsets of the uncut program count from the start of the whole tensor, those
/// of a rank from the start of its slice.

#include "Models.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace pctl {
namespace {

/// Reports a tensor of \p op that is partial.
LogicalResult checkNonePartial(Operation *op, PartitionContext &ctx) {
  auto check = [&](const Twine &what, ValueRange values) -> LogicalResult {
    for (auto [index, value] : llvm::enumerate(values))
      if (isa<RankedTensorType>(value.getType()) &&
          ctx.getLayout(value).isPartial())
        return ctx.emitLayoutError(op, what + Twine(index), value,
                                   "it must not be partial");
    return success();
  };
  if (failed(check("operand #", op->getOperands())))
    return failure();
  return check("result #", op->getResults());
}

/// Returns \p value, a size or offset of the laid-out program, in the local
/// one.
OpFoldResult getLocal(PartitionContext &ctx, OpFoldResult value) {
  if (auto dynamic = dyn_cast<Value>(value))
    return ctx.getLocal(dynamic);
  return value;
}

/// One dim of a slice: where it is taken from.
struct SliceDim {
  OpFoldResult offset;
  OpFoldResult size;
  OpFoldResult stride;
};

//===----------------------------------------------------------------------===//
// extract_slice
//===----------------------------------------------------------------------===//

/// A dim of the source and the dim of the result that is a slice of it.
struct DimPair {
  const layout::DimLayout &source;
  int64_t sourceSize;
  const layout::DimLayout &result;
  int64_t resultSize;
};

/// The offset of each rank's slice in its own part of the source.
struct LocalOffset {
  bool isLocal = true;
  /// Set where it is the same on all ranks.
  std::optional<int64_t> common;
};

/// Computes where each rank finds its part of the result, a slice at \p offset
/// and \p stride, in its part of the source. `isLocal` is false where some rank
/// lacks an element.
LocalOffset computeLocalOffset(const DimPair &dims, int64_t offset,
                               int64_t stride) {
  SmallVector<layout::AxisRef> shared =
      layout::getCommonPrefix(dims.source.axes, dims.result.axes);
  if (shared != layout::normalizeAxes(dims.source.axes))
    return {false, std::nullopt};
  int64_t numPositions = layout::getNumPositions(dims.result.axes);
  int64_t inner = numPositions / layout::getNumPositions(dims.source.axes);
  LocalOffset result;
  bool isCommon = true;
  for (int64_t position = 0; position < numPositions; ++position) {
    layout::Range wanted =
        layout::getBlock(dims.result, dims.resultSize, position);
    if (wanted.size == 0)
      continue;
    layout::Range held =
        layout::getBlock(dims.source, dims.sourceSize, position / inner);
    int64_t first = offset + stride * wanted.offset;
    int64_t last = offset + stride * (wanted.getEnd() - 1);
    if (first < held.offset || last >= held.getEnd())
      return {false, std::nullopt};
    int64_t local = first - held.offset;
    isCommon &= !result.common || *result.common == local;
    result.common = local;
  }
  if (!isCommon)
    result.common.reset();
  return result;
}

/// Returns offset + stride * (this rank's offset in the result) - (that in the
/// source).
OpFoldResult createLocalOffset(PartitionContext &ctx, Location loc,
                               const DimPair &dims, OpFoldResult offset,
                               OpFoldResult stride) {
  OpBuilder &builder = ctx.getBuilder();
  Value inResult =
      ctx.materialize(loc, ctx.getOffset(dims.result, dims.resultSize));
  if (!isConstantIntValue(stride, 1))
    inResult = arith::MulIOp::create(builder, loc, inResult,
                                     ctx.materialize(loc, stride));
  OpFoldResult sum = ctx.add(loc, offset, inResult);
  if (dims.source.axes.empty())
    return sum;
  Value inSource =
      ctx.materialize(loc, ctx.getOffset(dims.source, dims.sourceSize));
  return arith::SubIOp::create(builder, loc, ctx.materialize(loc, sum),
                               inSource)
      .getResult();
}

/// Turns \p slice, that of dim \p number of the source, into a slice of this
/// rank's part. Fails, having reported why, where a rank lacks an element.
LogicalResult localizeDim(tensor::ExtractSliceOp op, PartitionContext &ctx,
                          unsigned number, const DimPair &dims,
                          SliceDim &slice) {
  if (dims.source.axes.empty() && dims.result.axes.empty())
    return success();
  bool isWholeDim = isConstantIntValue(slice.offset, 0) &&
                    isConstantIntValue(slice.stride, 1) &&
                    dims.sourceSize == dims.resultSize;
  slice.size = ctx.getSize(dims.result, dims.resultSize);
  if (isWholeDim && dims.source == dims.result)
    return success();
  std::optional<int64_t> offset = getConstantIntValue(slice.offset);
  std::optional<int64_t> stride = getConstantIntValue(slice.stride);
  if (!dims.source.axes.empty()) {
    if (!offset || !stride)
      return ctx.emitLayoutError(op, "operand #0", op.getSource(),
                                 "dim " + Twine(number) +
                                     " is sliced at a computed offset or "
                                     "stride and must be whole");
    LocalOffset local = computeLocalOffset(dims, *offset, *stride);
    if (!local.isLocal)
      return ctx.emitLayoutError(
          op, "operand #0", op.getSource(),
          "some rank lacks elements of dim " + Twine(number) +
              " that its part of the result, laid out as " +
              ctx.getLayoutText(op.getResult()) + ", needs");
    if (local.common) {
      slice.offset = ctx.getBuilder().getIndexAttr(*local.common);
      return success();
    }
  }
  slice.offset =
      createLocalOffset(ctx, op.getLoc(), dims, slice.offset, slice.stride);
  return success();
}

struct ExtractSlicePartition
    : PartitionOpInterface::ExternalModel<ExtractSlicePartition,
                                          tensor::ExtractSliceOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNonePartial(op, ctx)))
      return failure();
    auto slice = cast<tensor::ExtractSliceOp>(op);
    const layout::Layout source = ctx.getLayout(slice.getSource());
    const layout::Layout result = ctx.getLayout(slice.getResult());
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    const layout::DimLayout whole;
    unsigned resultDim = 0;
    for (unsigned dim = 0; dim < source.getTensorRank(); ++dim) {
      SliceDim local{getLocal(ctx, slice.getMixedOffsets()[dim]),
                     getLocal(ctx, slice.getMixedSizes()[dim]),
                     getLocal(ctx, slice.getMixedStrides()[dim])};
      bool isDropped = dropped.test(dim);
      DimPair dims{source.dims[dim], slice.getSourceType().getDimSize(dim),
                   isDropped ? whole : result.dims[resultDim],
                   isDropped ? 1 : slice.getType().getDimSize(resultDim)};
      if (failed(localizeDim(slice, ctx, dim, dims, local)))
        return failure();
      offsets.push_back(local.offset);
      sizes.push_back(local.size);
      strides.push_back(local.stride);
      resultDim += !isDropped;
    }
    ctx.setLocal(slice,
                 tensor::ExtractSliceOp::create(
                     ctx.getBuilder(), op->getLoc(),
                     cast<RankedTensorType>(ctx.getLocalType(slice)),
                     ctx.getLocal(slice.getSource()), offsets, sizes, strides));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// insert_slice
//===----------------------------------------------------------------------===//

/// Checks dim \p dim of the destination of \p op, of which \p source is the
/// matching dim of the source, null if the source lacks it. Sets \p isCut.
LogicalResult checkInsertedDim(tensor::InsertSliceOp op, PartitionContext &ctx,
                               unsigned dim, const layout::DimLayout *source,
                               bool &isCut) {
  const layout::DimLayout &dest = ctx.getLayout(op.getDest()).dims[dim];
  isCut = !dest.axes.empty();
  if (!isCut) {
    if (!source || source->axes.empty())
      return success();
    return ctx.emitLayoutError(op, "operand #0", op.getSource(),
                               "what goes to dim " + Twine(dim) +
                                   ", which is whole, must be whole");
  }
  bool isWholeDim = isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
                    isConstantIntValue(op.getMixedStrides()[dim], 1) &&
                    isConstantIntValue(op.getMixedSizes()[dim],
                                       op.getDestType().getDimSize(dim));
  if (source && isWholeDim && *source == dest)
    return success();
  return ctx.emitLayoutError(
      op, "operand #1", op.getDest(),
      "dim " + Twine(dim) +
          (isWholeDim ? " must be cut in the source as it is here"
                      : " is written in part and must be whole"));
}

struct InsertSlicePartition
    : PartitionOpInterface::ExternalModel<InsertSlicePartition,
                                          tensor::InsertSliceOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNonePartial(op, ctx)))
      return failure();
    auto insert = cast<tensor::InsertSliceOp>(op);
    if (ctx.getLayout(insert.getDest()) != ctx.getLayout(insert.getResult()))
      return ctx.emitLayoutError(
          op, "result #0", insert.getResult(),
          "it must be laid out as the destination, " +
              Twine(ctx.getLayoutText(insert.getDest())));
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    unsigned sourceDim = 0;
    for (unsigned dim = 0; dim < insert.getDestType().getRank(); ++dim) {
      const layout::DimLayout *source =
          dropped.test(dim)
              ? nullptr
              : &ctx.getLayout(insert.getSource()).dims[sourceDim++];
      bool isCut = false;
      if (failed(checkInsertedDim(insert, ctx, dim, source, isCut)))
        return failure();
      offsets.push_back(getLocal(ctx, insert.getMixedOffsets()[dim]));
      strides.push_back(getLocal(ctx, insert.getMixedStrides()[dim]));
      sizes.push_back(
          isCut ? ctx.getSize(*source, insert.getDestType().getDimSize(dim))
                : getLocal(ctx, insert.getMixedSizes()[dim]));
    }
    ctx.setLocal(insert,
                 tensor::InsertSliceOp::create(ctx.getBuilder(), op->getLoc(),
                                               ctx.getLocal(insert.getSource()),
                                               ctx.getLocal(insert.getDest()),
                                               offsets, sizes, strides));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// pad and concat
//===----------------------------------------------------------------------===//

struct PadPartition
    : PartitionOpInterface::ExternalModel<PadPartition, tensor::PadOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto pad = cast<tensor::PadOp>(op);
    if (failed(checkNonePartial(op, ctx)) || failed(ctx.checkRule(op)))
      return failure();
    const layout::Layout layout = ctx.getLayout(pad.getResult());
    SmallVector<OpFoldResult> low, high;
    for (auto [cut, before, after] :
         llvm::zip(layout.dims, pad.getMixedLowPad(), pad.getMixedHighPad())) {
      low.push_back(getLocalPadding(pad, ctx, cut, before, /*atFirst=*/true));
      high.push_back(getLocalPadding(pad, ctx, cut, after, /*atFirst=*/false));
    }
    auto local = tensor::PadOp::create(
        ctx.getBuilder(), op->getLoc(), ctx.getLocalType(pad.getResult()),
        ctx.getLocal(pad.getSource()), low, high, pad.getNofold());
    pad.getRegion().cloneInto(&local.getRegion(), ctx.getMapping());
    ctx.setLocal(pad.getResult(), local.getResult());
    shiftBody(local, layout, pad.getResultType().getShape(), ctx);
    return success();
  }

  /// Returns how much of \p padding, at one end of a dim that is cut as \p cut
  /// says, this rank has: all of it at that end of the axes, else nothing.
  static OpFoldResult getLocalPadding(tensor::PadOp pad, PartitionContext &ctx,
                                      const layout::DimLayout &cut,
                                      OpFoldResult padding, bool atFirst) {
    if (auto dynamic = dyn_cast<Value>(padding))
      return ctx.getLocal(dynamic);
    if (cut.axes.empty() || isConstantIntValue(padding, 0))
      return padding;
    Location loc = pad.getLoc();
    OpBuilder &builder = ctx.getBuilder();
    int64_t last = layout::getNumPositions(cut.axes) - 1;
    Value isHere = ctx.isAt(cut.axes, atFirst ? 0 : last);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return arith::SelectOp::create(builder, loc, isHere,
                                   ctx.materialize(loc, padding), zero)
        .getResult();
  }

  /// Adds this rank's offsets to the indices that the body sees, which are of
  /// the whole tensor.
  static void shiftBody(tensor::PadOp local, const layout::Layout &layout,
                        ArrayRef<int64_t> shape, PartitionContext &ctx) {
    Block &body = local.getRegion().front();
    OpBuilder builder(ctx.getMeshSymbol().getContext());
    builder.setInsertionPointToStart(&body);
    for (auto [arg, dim, size] :
         llvm::zip(body.getArguments(), layout.dims, shape)) {
      if (dim.axes.empty() || arg.use_empty())
        continue;
      auto offset = cast<Value>(ctx.getOffset(dim, size));
      auto shifted =
          arith::AddIOp::create(builder, local.getLoc(), arg, offset);
      arg.replaceAllUsesExcept(shifted, shifted);
    }
  }
};

struct ConcatPartition
    : PartitionOpInterface::ExternalModel<ConcatPartition, tensor::ConcatOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNonePartial(op, ctx)))
      return failure();
    auto concat = cast<tensor::ConcatOp>(op);
    if (!ctx.getLayout(concat.getResult()).dims[concat.getDim()].axes.empty())
      return ctx.emitLayoutError(op, "result #0", concat.getResult(),
                                 "dim " + Twine(concat.getDim()) +
                                     " is joined and must be whole");
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (ctx.getLayout(operand) != ctx.getLayout(concat.getResult()))
        return ctx.emitLayoutError(
            op, "operand #" + Twine(index), operand,
            "it must be laid out as the result, " +
                Twine(ctx.getLayoutText(concat.getResult())));
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

} // namespace

void detail::registerSliceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSlicePartition>(*ctx);
    tensor::InsertSliceOp::attachInterface<InsertSlicePartition>(*ctx);
    tensor::PadOp::attachInterface<PadPartition>(*ctx);
    tensor::ConcatOp::attachInterface<ConcatPartition>(*ctx);
  });
}

} // namespace pctl
