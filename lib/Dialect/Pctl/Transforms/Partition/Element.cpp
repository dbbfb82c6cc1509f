// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions the ops that make tensors of given or computed elements:
/// constants, empty and splat tensors, tensor.generate; and tensor.dim, which
/// asks for a size of one.

#include "Models.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl {
namespace {

/// Reports a result that is partial: these ops know the elements themselves.
LogicalResult checkNotPartial(Operation *op, PartitionContext &ctx) {
  Value result = op->getResult(0);
  if (ctx.getLayout(result).isPartial())
    return ctx.emitLayoutError(op, "result #0", result,
                               "it must not be partial");
  return success();
}

/// Returns the dynamic ones of \p sizes as values.
SmallVector<Value> getDynamicSizes(PartitionContext &ctx, Location loc,
                                   ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      values.push_back(value);
  return values;
}

/// Returns the local sizes of the result of \p op, which has \p dynamicSizes as
/// operands.
SmallVector<OpFoldResult> getResultSizes(PartitionContext &ctx, Operation *op,
                                         ValueRange dynamicSizes) {
  return ctx.getSizes(op->getResult(0), ctx.getLocals(dynamicSizes));
}

struct ConstantPartition
    : PartitionOpInterface::ExternalModel<ConstantPartition,
                                          arith::ConstantOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNotPartial(op, ctx)))
      return failure();
    auto constant = cast<arith::ConstantOp>(op);
    auto localType = cast<RankedTensorType>(ctx.getLocalType(constant));
    OpBuilder &builder = ctx.getBuilder();
    Location loc = op->getLoc();
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (elements && elements.isSplat() && localType.hasStaticShape()) {
      ctx.setLocal(constant,
                   arith::ConstantOp::create(builder, loc,
                                             elements.resizeSplat(localType)));
      return success();
    }
    auto scalar = elements && elements.isSplat()
                      ? dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>())
                      : TypedAttr();
    SmallVector<OpFoldResult> sizes = ctx.getSizes(constant);
    if (scalar) {
      Value value = arith::ConstantOp::create(builder, loc, scalar);
      ctx.setLocal(constant,
                   tensor::SplatOp::create(builder, loc, localType, value,
                                           getDynamicSizes(ctx, loc, sizes)));
      return success();
    }
    slice(constant, localType, sizes, ctx);
    return success();
  }

  /// Takes this rank's slice of the whole constant.
  static void slice(arith::ConstantOp constant, RankedTensorType localType,
                    ArrayRef<OpFoldResult> sizes, PartitionContext &ctx) {
    OpBuilder &builder = ctx.getBuilder();
    auto type = cast<RankedTensorType>(constant.getType());
    // Of a dim without elements an extract_slice cannot be: it has no offset.
    if (llvm::is_contained(type.getShape(), 0)) {
      ctx.setLocal(constant,
                   tensor::EmptyOp::create(builder, constant.getLoc(), sizes,
                                           localType.getElementType()));
      return;
    }
    SmallVector<OpFoldResult> offsets;
    for (auto [dim, size] :
         llvm::zip(ctx.getLayout(constant).dims, type.getShape()))
      offsets.push_back(ctx.getOffset(dim, size));
    SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
    Value whole = arith::ConstantOp::create(builder, constant.getLoc(),
                                            constant.getValue());
    ctx.setLocal(constant, tensor::ExtractSliceOp::create(
                               builder, constant.getLoc(), localType, whole,
                               offsets, sizes, strides));
  }
};

struct EmptyPartition
    : PartitionOpInterface::ExternalModel<EmptyPartition, tensor::EmptyOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNotPartial(op, ctx)))
      return failure();
    auto empty = cast<tensor::EmptyOp>(op);
    SmallVector<OpFoldResult> sizes =
        getResultSizes(ctx, op, empty.getDynamicSizes());
    ctx.setLocal(empty,
                 tensor::EmptyOp::create(
                     ctx.getBuilder(), op->getLoc(), ctx.getLocalType(empty),
                     getDynamicSizes(ctx, op->getLoc(), sizes)));
    return success();
  }
};

struct AllocTensorPartition
    : PartitionOpInterface::ExternalModel<AllocTensorPartition,
                                          bufferization::AllocTensorOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNotPartial(op, ctx)))
      return failure();
    auto alloc = cast<bufferization::AllocTensorOp>(op);
    if (alloc.getCopy() || alloc.getSizeHint())
      return op->emitOpError("can be cut only without copy and size_hint");
    SmallVector<OpFoldResult> sizes =
        getResultSizes(ctx, op, alloc.getDynamicSizes());
    auto local = bufferization::AllocTensorOp::create(
        ctx.getBuilder(), op->getLoc(),
        cast<RankedTensorType>(ctx.getLocalType(alloc.getResult())),
        getDynamicSizes(ctx, op->getLoc(), sizes));
    if (std::optional<Attribute> space = alloc.getMemorySpace())
      local.setMemorySpaceAttr(*space);
    ctx.setLocal(alloc.getResult(), local.getResult());
    return success();
  }
};

struct SplatPartition
    : PartitionOpInterface::ExternalModel<SplatPartition, tensor::SplatOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNotPartial(op, ctx)))
      return failure();
    auto splat = cast<tensor::SplatOp>(op);
    SmallVector<OpFoldResult> sizes =
        getResultSizes(ctx, op, splat.getDynamicSizes());
    ctx.setLocal(splat,
                 tensor::SplatOp::create(
                     ctx.getBuilder(), op->getLoc(), ctx.getLocalType(splat),
                     ctx.getLocal(splat.getInput()),
                     getDynamicSizes(ctx, op->getLoc(), sizes)));
    return success();
  }
};

struct GeneratePartition
    : PartitionOpInterface::ExternalModel<GeneratePartition,
                                          tensor::GenerateOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkNotPartial(op, ctx)))
      return failure();
    auto generate = cast<tensor::GenerateOp>(op);
    SmallVector<OpFoldResult> sizes =
        getResultSizes(ctx, op, generate.getDynamicExtents());
    auto local = cast<tensor::GenerateOp>(
        ctx.clone(op, getDynamicSizes(ctx, op->getLoc(), sizes)));
    // The body sees indices of the whole tensor.
    Block &body = local.getBody().front();
    OpBuilder builder(ctx.getMeshSymbol().getContext());
    builder.setInsertionPointToStart(&body);
    for (auto [arg, dim, size] :
         llvm::zip(body.getArguments(), ctx.getLayout(generate).dims,
                   cast<RankedTensorType>(generate.getType()).getShape())) {
      if (dim.axes.empty())
        continue;
      auto offset = cast<Value>(ctx.getOffset(dim, size));
      auto shifted = arith::AddIOp::create(builder, op->getLoc(), arg, offset);
      arg.replaceAllUsesExcept(shifted, shifted);
    }
    return success();
  }
};

struct DimPartition
    : PartitionOpInterface::ExternalModel<DimPartition, tensor::DimOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto dim = cast<tensor::DimOp>(op);
    auto type = cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (index && *index >= 0 && *index < type.getRank() &&
        !type.isDynamicDim(*index)) {
      ctx.setLocal(
          dim, arith::ConstantIndexOp::create(ctx.getBuilder(), op->getLoc(),
                                              type.getDimSize(*index)));
      return success();
    }
    // A dim of unknown size is not cut, but a computed number may name any.
    if (!index && !ctx.isWhole(dim.getSource()))
      return ctx.emitLayoutError(
          op, "operand #0", dim.getSource(),
          "the size of a dim of computed number needs a whole tensor");
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

/// tensor.cast and tensor.bitcast. A dim that a cast makes dynamic is not cut.
template <typename Op>
struct CastPartition
    : PartitionOpInterface::ExternalModel<CastPartition<Op>, Op> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    Value source = op->getOperand(0);
    Value result = op->getResult(0);
    if (!isa<RankedTensorType>(source.getType()) ||
        !isa<RankedTensorType>(result.getType()))
      return op->emitOpError("of a tensor that is cut must be between ranked "
                             "tensors");
    if (ctx.getLayout(source) != ctx.getLayout(result))
      return ctx.emitLayoutError(op, "result #0", result,
                                 "it must be laid out as the operand, " +
                                     Twine(ctx.getLayoutText(source)));
    if (ctx.getLayout(source).isPartial())
      return ctx.emitLayoutError(op, "operand #0", source,
                                 "it must not be partial");
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

} // namespace

void detail::registerElementModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantPartition>(*ctx);
  });
  registry.addExtension(+[](MLIRContext *ctx,
                            bufferization::BufferizationDialect *) {
    bufferization::AllocTensorOp::attachInterface<AllocTensorPartition>(*ctx);
  });
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyPartition>(*ctx);
    tensor::SplatOp::attachInterface<SplatPartition>(*ctx);
    tensor::GenerateOp::attachInterface<GeneratePartition>(*ctx);
    tensor::DimOp::attachInterface<DimPartition>(*ctx);
    tensor::CastOp::attachInterface<CastPartition<tensor::CastOp>>(*ctx);
    tensor::BitcastOp::attachInterface<CastPartition<tensor::BitcastOp>>(*ctx);
  });
}

} // namespace pctl
