// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Transforms/MaterializePlan.h"

#include "BlockRange.h"
#include "pctl/Dialect/Pctl/IR/PlanBridge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace pctl;
using redistribute::Plan;
using redistribute::Step;
using redistribute::StepKind;

namespace {
/// Writes the steps of a plan into the program.
class StepWriter {
public:
  StepWriter(OpBuilder &builder, Location loc, FlatSymbolRefAttr symbol,
             Value input, RankedTensorType globalType, const Plan &plan,
             EmitErrorFn emitError)
      : builder(builder), loc(loc), symbol(symbol), input(input),
        globalType(globalType), plan(plan), emitError(emitError),
        current(input) {}

  /// Writes all steps. Fails, having reported why, where a step has no op.
  FailureOr<Value> write() {
    for (const Step &step : plan.steps)
      if (failed(write(step)))
        return failure();
    return current;
  }

private:
  LogicalResult write(const Step &step);
  void writeSlice(const Step &step);
  void writeAllSlices(const Step &step);
  void writeExtractSlice(const Step &step);

  RankedTensorType getType(const layout::Layout &layout) {
    return getLocalType(globalType, layout);
  }
  ArrayAttr getAxes(ArrayRef<layout::AxisRef> axes) {
    return toAttr(builder.getContext(), plan.mesh, axes);
  }
  BlockRangeOp getBlockRange(const layout::DimLayout &dim, int64_t size);
  OpFoldResult getSize(const layout::Layout &layout, unsigned dim);
  Value createOutput(const layout::Layout &layout);

  OpBuilder &builder;
  Location loc;
  FlatSymbolRefAttr symbol;
  /// What the steps start from.
  Value input;
  RankedTensorType globalType;
  const Plan &plan;
  EmitErrorFn emitError;
  /// What the steps so far made.
  Value current;
  /// The ranges that are computed already, by dim layout and size.
  SmallVector<std::tuple<layout::DimLayout, int64_t, BlockRangeOp>, 2> ranges;
};
} // namespace

/// Returns this rank's block of a dim of \p size elements laid out as \p dim.
BlockRangeOp StepWriter::getBlockRange(const layout::DimLayout &dim,
                                       int64_t size) {
  for (auto &[knownDim, knownSize, range] : ranges)
    if (knownDim == dim && knownSize == size)
      return range;
  BlockRangeOp range =
      createBlockRange(builder, loc, symbol, plan.mesh, dim, size);
  ranges.push_back({dim, size, range});
  return range;
}

/// Returns the size of dim \p dim of this rank's part under \p layout.
OpFoldResult StepWriter::getSize(const layout::Layout &layout, unsigned dim) {
  int64_t globalSize = globalType.getDimSize(dim);
  if (ShapedType::isDynamic(globalSize))
    return tensor::DimOp::create(builder, loc, input, dim).getResult();
  if (std::optional<int64_t> size =
          layout::getEvenBlockSize(layout.dims[dim], globalSize))
    return builder.getIndexAttr(*size);
  return getBlockRange(layout.dims[dim], globalSize).getSize();
}

/// Returns a tensor for what a rank holds under \p layout.
Value StepWriter::createOutput(const layout::Layout &layout) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < layout.getTensorRank(); ++dim)
    sizes.push_back(getSize(layout, dim));
  return tensor::EmptyOp::create(builder, loc, sizes,
                                 globalType.getElementType(),
                                 globalType.getEncoding());
}

/// Returns whether all_slice, which cuts what a rank holds into equal blocks,
/// cuts a dim of \p globalSize as \p to says, where a rank has what \p from
/// says.
static bool isAllSlice(const layout::DimLayout &from,
                       const layout::DimLayout &to, int64_t globalSize) {
  if (!from.blockSizes.empty() || !to.blockSizes.empty())
    return false;
  std::optional<int64_t> held = layout::getEvenBlockSize(from, globalSize);
  if (!held)
    return false;
  int64_t fromPositions = layout::getNumPositions(from.axes);
  // Blocks of a flat cut do not nest in blocks of its major axes unless they
  // come out even.
  return fromPositions == 1 ||
         *held % (layout::getNumPositions(to.axes) / fromPositions) == 0;
}

void StepWriter::writeSlice(const Step &step) {
  for (unsigned dim = 0; dim < step.from.getTensorRank(); ++dim) {
    const layout::DimLayout &from = step.from.dims[dim];
    const layout::DimLayout &to = step.to.dims[dim];
    if (!(from == to) && !isAllSlice(from, to, globalType.getDimSize(dim)))
      return writeExtractSlice(step);
  }
  writeAllSlices(step);
}

void StepWriter::writeAllSlices(const Step &step) {
  layout::Layout layout = step.from;
  for (unsigned dim = 0; dim < layout.getTensorRank(); ++dim) {
    if (layout.dims[dim] == step.to.dims[dim])
      continue;
    SmallVector<layout::AxisRef> axes =
        layout::dropPrefix(step.to.dims[dim].axes, layout.dims[dim].axes);
    layout.dims[dim] = step.to.dims[dim];
    Value output = createOutput(layout);
    current = AllSliceOp::create(builder, loc, output.getType(), current,
                                 output, builder.getI64IntegerAttr(dim),
                                 getAxes(axes), symbol)
                  .getResult();
  }
}

void StepWriter::writeExtractSlice(const Step &step) {
  // Of a dim without elements an extract_slice cannot be: it has no offset.
  if (llvm::is_contained(globalType.getShape(), 0)) {
    current = createOutput(step.to);
    return;
  }
  SmallVector<OpFoldResult> offsets, sizes;
  for (unsigned dim = 0; dim < step.from.getTensorRank(); ++dim) {
    const layout::DimLayout &from = step.from.dims[dim];
    const layout::DimLayout &to = step.to.dims[dim];
    sizes.push_back(getSize(step.to, dim));
    if (from == to) {
      offsets.push_back(builder.getIndexAttr(0));
      continue;
    }
    int64_t globalSize = globalType.getDimSize(dim);
    Value offset = getBlockRange(to, globalSize).getOffset();
    if (!from.axes.empty())
      offset = arith::SubIOp::create(
          builder, loc, offset, getBlockRange(from, globalSize).getOffset());
    offsets.push_back(offset);
  }
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  current = tensor::ExtractSliceOp::create(builder, loc, getType(step.to),
                                           current, offsets, sizes, strides);
}

LogicalResult StepWriter::write(const Step &step) {
  if (step.kind == StepKind::Slice) {
    writeSlice(step);
    return success();
  }
  if (!step.transfers.empty() && !globalType.hasStaticShape())
    return emitError()
           << "needs listed transfers, which need a tensor of static shape; "
              "found "
           << globalType;
  Value output = createOutput(step.to);
  Type type = output.getType();
  ArrayAttr axes = getAxes(step.axes);
  IntegerAttr dim = builder.getI64IntegerAttr(step.dim);
  auto kind = ReductionKindAttr::get(builder.getContext(), step.reduction);
  auto layoutAttr = [&](const layout::Layout &layout) {
    return toAttr(builder.getContext(), symbol, plan.mesh, layout);
  };
  switch (step.kind) {
  case StepKind::Slice:
    break;
  case StepKind::AllGather:
    current = AllGatherOp::create(builder, loc, type, current, output, dim,
                                  axes, symbol)
                  .getResult();
    break;
  case StepKind::AllToAll:
    current = AllToAllOp::create(builder, loc, type, current, output, dim,
                                 builder.getI64IntegerAttr(step.concatDim),
                                 axes, symbol)
                  .getResult();
    break;
  case StepKind::ReduceScatter:
    current = ReduceScatterOp::create(builder, loc, type, current, output, kind,
                                      dim, axes, symbol)
                  .getResult();
    break;
  case StepKind::AllReduce:
    current = AllReduceOp::create(builder, loc, type, current, output, kind,
                                  axes, symbol)
                  .getResult();
    break;
  case StepKind::Permute: {
    SmallVector<int64_t> pairs;
    for (auto [source, target] : step.pairs)
      pairs.append({source, target});
    current =
        PermuteOp::create(builder, loc, type, current, output,
                          builder.getDenseI64ArrayAttr(pairs), axes, symbol)
            .getResult();
    break;
  }
  case StepKind::Exchange:
    current = ExchangeOp::create(
                  builder, loc, type, current, output, layoutAttr(step.from),
                  layoutAttr(step.to),
                  step.owners ? layoutAttr(*step.owners) : LayoutAttr(),
                  TypeAttr::get(globalType),
                  toAttr(builder.getContext(), step.transfers),
                  step.rounds == 1 ? IntegerAttr()
                                   : builder.getI64IntegerAttr(step.rounds),
                  axes, symbol)
                  .getResult();
    break;
  case StepKind::Broadcast:
    current =
        BroadcastOp::create(builder, loc, type, current, output,
                            builder.getI64IntegerAttr(step.root), axes, symbol)
            .getResult();
    break;
  }
  return success();
}

FailureOr<Value> pctl::materializePlan(OpBuilder &builder, Location loc,
                                       FlatSymbolRefAttr mesh, Value input,
                                       RankedTensorType globalType,
                                       const Plan &plan,
                                       EmitErrorFn emitError) {
  return StepWriter(builder, loc, mesh, input, globalType, plan, emitError)
      .write();
}
