// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Windows over cut dims: one exchange of edges, then the slice of it that the
/// rank's iterations read. Dims are completed one after the other, so that the
/// second exchange moves corners that the first has fetched.

#include "Windows.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl::detail {

layout::Range WindowDim::getHeld(int64_t position) const {
  return layout::getBlock(held, size, position);
}

layout::Range WindowDim::getRead(int64_t position) const {
  return window.getPlaces(layout::getBlock(leader, iterations, position));
}

Halo getHalo(const WindowDim &dim) {
  Halo halo;
  int64_t numPositions = layout::getNumPositions(dim.leader.axes);
  for (int64_t position = 0; position < numPositions; ++position) {
    layout::Range read = dim.getRead(position);
    if (read.size == 0)
      continue;
    layout::Range held = dim.getHeld(position);
    halo.before = std::max(halo.before, held.offset - read.offset);
    halo.after = std::max(halo.after, read.getEnd() - held.getEnd());
  }
  return halo;
}

namespace {

/// Where ranks find what they read in their blocks with the halo.
struct Places {
  /// Set where they are the same on all ranks that read something, and on all.
  std::optional<int64_t> offset;
  std::optional<int64_t> size;
  /// Whether those that read something read all that is there.
  bool areAll = true;
};

} // namespace

static Places getPlaces(const WindowDim &dim, const Halo &halo) {
  Places places;
  bool sameOffset = true, sameSize = true;
  int64_t numPositions = layout::getNumPositions(dim.leader.axes);
  for (int64_t position = 0; position < numPositions; ++position) {
    layout::Range read = dim.getRead(position);
    sameSize &= !places.size || *places.size == read.size;
    places.size = read.size;
    if (read.size == 0)
      continue;
    layout::Range held = dim.getHeld(position);
    int64_t offset = read.offset - (held.offset - halo.before);
    sameOffset &= !places.offset || *places.offset == offset;
    places.offset = offset;
    places.areAll &=
        offset == 0 && read.size == held.size + halo.before + halo.after;
  }
  if (!sameOffset)
    places.offset.reset();
  if (!sameSize)
    places.size.reset();
  return places;
}

/// Returns the sizes of \p tensor, that of dim \p number being \p size.
static SmallVector<OpFoldResult> getSizesBut(OpBuilder &builder, Location loc,
                                             Value tensor, unsigned number,
                                             OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  sizes[number] = size;
  return sizes;
}

/// Returns \p local with \p halo around its places in dim \p number.
static Value exchangeEdges(PartitionContext &ctx, Location loc, Value local,
                           unsigned number, const WindowDim &dim,
                           const Halo &halo) {
  OpBuilder &builder = ctx.getBuilder();
  OpFoldResult size = ctx.add(loc, ctx.getSize(dim.held, dim.size),
                              builder.getIndexAttr(halo.before + halo.after));
  auto type = cast<RankedTensorType>(local.getType());
  Value output = tensor::EmptyOp::create(
      builder, loc, getSizesBut(builder, loc, local, number, size),
      type.getElementType(), type.getEncoding());
  return HaloExchangeOp::create(builder, loc, output.getType(), local, output,
                                builder.getI64IntegerAttr(number),
                                builder.getI64IntegerAttr(halo.before),
                                builder.getI64IntegerAttr(halo.after),
                                toAttr(builder.getContext(), ctx.getMesh(),
                                       layout::normalizeAxes(dim.held.axes)),
                                ctx.getMeshSymbol())
      .getResult();
}

/// Computes, where the ranks differ, where this one's places start and how many
/// there are. A rank without iterations reads nothing, from the start.
static std::pair<OpFoldResult, OpFoldResult>
createPlaces(PartitionContext &ctx, Location loc, const WindowDim &dim,
             const Halo &halo, const Places &places) {
  OpBuilder &builder = ctx.getBuilder();
  Value count = ctx.materialize(loc, ctx.getSize(dim.leader, dim.iterations));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value stride =
      arith::ConstantIndexOp::create(builder, loc, dim.window.stride);
  Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        count, zero);
  auto unlessEmpty = [&](Value value) -> OpFoldResult {
    return arith::SelectOp::create(builder, loc, isEmpty, zero, value)
        .getResult();
  };
  OpFoldResult size, offset;
  if (places.size) {
    size = builder.getIndexAttr(*places.size);
  } else {
    Value steps = arith::MulIOp::create(builder, loc, count, stride);
    Value rest = arith::ConstantIndexOp::create(
        builder, loc, dim.window.reach + 1 - dim.window.stride);
    size = unlessEmpty(arith::AddIOp::create(builder, loc, steps, rest));
  }
  if (places.offset) {
    offset = builder.getIndexAttr(*places.offset);
  } else {
    Value first =
        ctx.materialize(loc, ctx.getOffset(dim.leader, dim.iterations));
    Value place = arith::MulIOp::create(builder, loc, first, stride);
    Value before = arith::ConstantIndexOp::create(builder, loc, halo.before);
    place = arith::AddIOp::create(builder, loc, place, before);
    Value held = ctx.materialize(loc, ctx.getOffset(dim.held, dim.size));
    offset = unlessEmpty(arith::SubIOp::create(builder, loc, place, held));
  }
  return {offset, size};
}

Value completeWindow(PartitionContext &ctx, Location loc, Value local,
                     unsigned number, const WindowDim &dim) {
  Halo halo = getHalo(dim);
  if (halo.before + halo.after > 0)
    local = exchangeEdges(ctx, loc, local, number, dim, halo);
  Places places = getPlaces(dim, halo);
  if (places.areAll)
    return local;
  OpBuilder &builder = ctx.getBuilder();
  auto [offset, size] = createPlaces(ctx, loc, dim, halo, places);
  SmallVector<OpFoldResult> sizes =
      getSizesBut(builder, loc, local, number, size);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  offsets[number] = offset;
  return tensor::ExtractSliceOp::create(builder, loc, local, offsets, sizes,
                                        strides);
}

} // namespace pctl::detail
