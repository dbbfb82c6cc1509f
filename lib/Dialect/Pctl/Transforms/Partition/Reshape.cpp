// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions tensor.expand_shape and tensor.collapse_shape. They move no
/// element, so a rank can do them alone exactly where its block of the merged
/// dim is, element for element, its box of the split dims.

#include "Models.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Support/CheckedArith.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl {
namespace {

/// A dim of the side that has fewer, and the dims that it is the product of.
struct ReshapeGroup {
  layout::DimLayout merged;
  int64_t mergedSize;
  ArrayRef<layout::DimLayout> split;
  ArrayRef<int64_t> splitSizes;
};

/// Returns whether the box of a rank is contiguous in row-major order: before a
/// dim that is cut, each dim holds one element on every rank.
bool isContiguous(const ReshapeGroup &group) {
  bool mustBeOne = false;
  for (size_t i = group.split.size(); i-- > 0;) {
    const layout::DimLayout &dim = group.split[i];
    if (mustBeOne && group.splitSizes[i] != 1 &&
        layout::getEvenBlockSize(dim, group.splitSizes[i]) != 1)
      return false;
    mustBeOne |= !dim.axes.empty();
  }
  return true;
}

/// Returns whether the block that each rank has of the merged dim is its box of
/// the split dims. The boxes are contiguous.
bool haveSameElements(const ReshapeGroup &group) {
  SmallVector<layout::AxisRef> axes;
  for (const layout::DimLayout &dim : group.split)
    llvm::append_range(axes, dim.axes);
  if (layout::normalizeAxes(axes) != layout::normalizeAxes(group.merged.axes))
    return false;
  int64_t numPositions = layout::getNumPositions(axes);
  for (int64_t position = 0; position < numPositions; ++position) {
    int64_t offset = 0, size = 1, rest = position, restOf = numPositions;
    for (auto [dim, dimSize] : llvm::zip(group.split, group.splitSizes)) {
      restOf /= layout::getNumPositions(dim.axes);
      layout::Range block = layout::getBlock(dim, dimSize, rest / restOf);
      rest %= restOf;
      offset = offset * dimSize + block.offset;
      size *= block.size;
    }
    layout::Range merged =
        layout::getBlock(group.merged, group.mergedSize, position);
    if (merged.size != size || (size != 0 && merged.offset != offset))
      return false;
  }
  return true;
}

/// Checks each group of dims of \p op, a reshape between \p merged, which has
/// fewer dims, and \p split.
LogicalResult checkReshape(Operation *op, PartitionContext &ctx, Value merged,
                           Value split,
                           ArrayRef<ReassociationIndices> reassociation) {
  const layout::Layout &mergedLayout = ctx.getLayout(merged);
  const layout::Layout &splitLayout = ctx.getLayout(split);
  for (Value tensor : {merged, split})
    if (ctx.getLayout(tensor).isPartial())
      return ctx.emitLayoutError(op, "tensor", tensor,
                                 "it must not be partial");
  auto mergedType = cast<RankedTensorType>(merged.getType());
  auto splitType = cast<RankedTensorType>(split.getType());
  if (mergedLayout.getTensorRank() == 0 && !ctx.isWhole(split))
    return ctx.emitLayoutError(op, "tensor", split,
                               "its one element must be whole");
  for (unsigned dim = 0; dim < mergedLayout.getTensorRank(); ++dim) {
    unsigned first = reassociation[dim].front();
    unsigned count = reassociation[dim].size();
    ReshapeGroup group{mergedLayout.dims[dim], mergedType.getDimSize(dim),
                       ArrayRef(splitLayout.dims).slice(first, count),
                       splitType.getShape().slice(first, count)};
    bool isCut = !group.merged.axes.empty() ||
                 llvm::any_of(group.split, [](const layout::DimLayout &split) {
                   return !split.axes.empty();
                 });
    if (!isCut)
      continue;
    bool isKnown = !ShapedType::isDynamic(group.mergedSize) &&
                   !ShapedType::isDynamicShape(group.splitSizes);
    if (isKnown && isContiguous(group) && haveSameElements(group))
      continue;
    return ctx.emitLayoutError(
        op, merged == op->getResult(0) ? "result" : "operand", merged,
        "its blocks of dim " + Twine(dim) +
            " are not those of the other side, laid out as " +
            ctx.getLayoutText(split));
  }
  return success();
}

struct ExpandShapePartition
    : PartitionOpInterface::ExternalModel<ExpandShapePartition,
                                          tensor::ExpandShapeOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    if (failed(checkReshape(op, ctx, expand.getSrc(), expand.getResult(),
                            expand.getReassociationIndices())))
      return failure();
    SmallVector<Value> dynamicSizes = ctx.getLocals(expand.getOutputShape());
    SmallVector<OpFoldResult> sizes =
        ctx.getSizes(expand.getResult(), dynamicSizes);
    ctx.setLocal(expand.getResult(),
                 tensor::ExpandShapeOp::create(
                     ctx.getBuilder(), op->getLoc(),
                     cast<RankedTensorType>(ctx.getLocalType(expand)),
                     ctx.getLocal(expand.getSrc()),
                     expand.getReassociationIndices(), sizes));
    return success();
  }
};

struct CollapseShapePartition
    : PartitionOpInterface::ExternalModel<CollapseShapePartition,
                                          tensor::CollapseShapeOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    if (failed(checkReshape(op, ctx, collapse.getResult(), collapse.getSrc(),
                            collapse.getReassociationIndices())))
      return failure();
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

} // namespace

void detail::registerReshapeModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    tensor::ExpandShapeOp::attachInterface<ExpandShapePartition>(*ctx);
    tensor::CollapseShapeOp::attachInterface<CollapseShapePartition>(*ctx);
  });
}

} // namespace pctl
