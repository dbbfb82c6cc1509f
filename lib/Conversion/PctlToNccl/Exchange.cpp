// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The exchange of boxes, as loops over the members of a group.
///
/// Who sends what to whom follows from the two layouts alone, and is computed
/// by each rank while it runs: the piece from p to q is p's box before, cut
/// with q's box after. The group is that of the axes which cut the input, so
/// each element of what a rank needs is in the box of exactly one member, and
/// pieces never meet. Both sides compute a piece by the same formula, so both
/// leave out the same empty ones.

#include "Lowering.h"

#include "pctl/Dialect/Nccl/IR/Nccl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;
using EmittedBox = SmallVector<EmittedRange>;

namespace {
class ExchangeLowering {
public:
  ExchangeLowering(ExchangeOp op, const OpContext &context,
                   BufferEmitter &buffers, layout::Layout from,
                   layout::Layout to);

  void lower();

private:
  /// The box of \p rank under \p layout, dims behind the last cut one taken as
  /// one with it.
  EmittedBox emitBox(const layout::Layout &layout, Fold rank);
  EmittedBox intersect(const EmittedBox &a, const EmittedBox &b);
  Fold getCount(const EmittedBox &box);
  /// Returns \p box of \p buffer, which holds \p outer.
  Value sliceBox(Value buffer, const EmittedBox &outer, const EmittedBox &box);
  /// Returns \p buffer with the last dims taken as one.
  Value collapse(Value buffer);

  /// What this rank sends to and receives from one member.
  struct Pieces {
    Fold peer;
    EmittedBox send;
    EmittedBox recv;
  };
  Pieces emitPieces(Value step);
  using LoopBody = function_ref<SmallVector<Fold>(const Pieces &, ValueRange)>;
  /// Emits a loop over the other members, each rank starting behind itself,
  /// with two running numbers that start at 0.
  SmallVector<Value> emitMemberLoop(LoopBody emitBody);
  void exchangePieces(Value input, Value output);

  ExchangeOp op;
  const OpContext &context;
  OpBuilder &builder;
  Location loc;
  BufferEmitter &buffers;
  const IndexMath &math;
  layout::Layout from;
  layout::Layout to;
  ArrayRef<int64_t> globalShape;
  /// Dims as they are handled; the last stands for itself and all behind it.
  unsigned numDims;
  /// Elements behind the last of those dims.
  int64_t innerSize = 1;
  Fold position;
  EmittedBox ownFrom;
  EmittedBox ownTo;
};
} // namespace

ExchangeLowering::ExchangeLowering(ExchangeOp op, const OpContext &context,
                                   BufferEmitter &buffers, layout::Layout from,
                                   layout::Layout to)
    : op(op), context(context), builder(context.builder), loc(op.getLoc()),
      buffers(buffers), math(buffers.math), from(from), to(to),
      globalShape(cast<RankedTensorType>(op.getGlobalType()).getShape()) {
  numDims = globalShape.size();
  auto isCut = [](const layout::DimLayout &dim) {
    return layout::getNumPositions(dim.axes) != 1;
  };
  while (numDims > 1 && !isCut(from.dims[numDims - 1]) &&
         !isCut(to.dims[numDims - 1]))
    innerSize *= globalShape[--numDims];
  position = emitCoordinate(math, context.group.mesh, context.group.axes,
                            context.rank);
  ownFrom = emitBox(this->from, context.rank);
  ownTo = emitBox(this->to, context.rank);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

EmittedBox ExchangeLowering::emitBox(const layout::Layout &layout, Fold rank) {
  EmittedBox box;
  for (unsigned dim = 0; dim != numDims; ++dim) {
    Fold at =
        emitCoordinate(math, context.group.mesh, layout.dims[dim].axes, rank);
    box.push_back(emitBlock(builder, loc, context.tables, layout.dims[dim],
                            globalShape[dim], at));
  }
  if (!box.empty()) {
    Fold inner = math.constant(innerSize);
    box.back() = {math.mul(box.back().offset, inner),
                  math.mul(box.back().size, inner)};
  }
  return box;
}

EmittedBox ExchangeLowering::intersect(const EmittedBox &a,
                                       const EmittedBox &b) {
  EmittedBox common;
  for (auto [x, y] : llvm::zip(a, b))
    common.push_back(emitIntersection(math, x, y));
  return common;
}

Fold ExchangeLowering::getCount(const EmittedBox &box) {
  Fold count = math.constant(1);
  for (EmittedRange range : box)
    count = math.mul(count, range.size);
  return count;
}

Value ExchangeLowering::sliceBox(Value buffer, const EmittedBox &outer,
                                 const EmittedBox &box) {
  SmallVector<Fold> offsets, sizes;
  for (auto [whole, part] : llvm::zip(outer, box)) {
    offsets.push_back(math.sub(part.offset, whole.offset));
    sizes.push_back(part.size);
  }
  return buffers.slice(buffer, offsets, sizes);
}

Value ExchangeLowering::collapse(Value buffer) {
  if (numDims == globalShape.size())
    return buffer;
  SmallVector<Fold> shape = buffers.getSizes(buffer);
  shape.truncate(numDims);
  shape.back() = math.mul(shape.back(), math.constant(innerSize));
  return buffers.reshape(buffer, shape);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

ExchangeLowering::Pieces ExchangeLowering::emitPieces(Value step) {
  Fold size = math.constant(context.group.getSize());
  Fold peer = math.rem(math.add(position, step), size);
  Fold rank = emitWithCoordinate(math, context.group.mesh, context.group.axes,
                                 context.rank, peer);
  return {peer, intersect(ownFrom, emitBox(to, rank)),
          intersect(ownTo, emitBox(from, rank))};
}

SmallVector<Value> ExchangeLowering::emitMemberLoop(LoopBody emitBody) {
  Value zero = math.toValue(math.constant(0));
  Value one = math.toValue(math.constant(1));
  auto loop = scf::ForOp::create(
      builder, loc, one, math.toValue(math.constant(context.group.getSize())),
      one, ValueRange{zero, zero},
      [&](OpBuilder &, Location, Value step, ValueRange running) {
        SmallVector<Value> next;
        for (Fold value : emitBody(emitPieces(step), running))
          next.push_back(math.toValue(value));
        scf::YieldOp::create(builder, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

static SmallVector<Fold> getSizes(const EmittedBox &box) {
  return llvm::map_to_vector(box,
                             [](EmittedRange range) { return range.size; });
}

void ExchangeLowering::exchangePieces(Value input, Value output) {
  auto countPieces = [&](const Pieces &pieces,
                         ValueRange running) -> SmallVector<Fold> {
    return {math.add(running[0], getCount(pieces.send)),
            math.add(running[1], getCount(pieces.recv))};
  };
  SmallVector<Value> totals = emitMemberLoop(countPieces);
  Value sendBytes = buffers.allocateBytes(totals[0]);
  Value recvBytes = buffers.allocateBytes(totals[1]);

  nccl::GroupStartOp::create(builder, loc);
  emitMemberLoop([&](const Pieces &pieces, ValueRange running) {
    Value peer = math.toI32(pieces.peer);
    emitIfNotEmpty(math, builder, loc, getCount(pieces.send), [&] {
      Buffer piece =
          buffers.viewPiece(sendBytes, running[0], getSizes(pieces.send));
      buffers.copy(sliceBox(input, ownFrom, pieces.send), piece.typed);
      nccl::SendOp::create(builder, loc, piece.wire, peer, context.comm,
                           context.stream, /*is_unsigned=*/UnitAttr());
    });
    emitIfNotEmpty(math, builder, loc, getCount(pieces.recv), [&] {
      Buffer piece =
          buffers.viewPiece(recvBytes, running[1], getSizes(pieces.recv));
      nccl::RecvOp::create(builder, loc, piece.wire, peer, context.comm,
                           context.stream, /*is_unsigned=*/UnitAttr());
    });
    return countPieces(pieces, running);
  });
  nccl::GroupEndOp::create(builder, loc);

  emitMemberLoop([&](const Pieces &pieces, ValueRange running) {
    Buffer piece =
        buffers.viewPiece(recvBytes, running[1], getSizes(pieces.recv));
    buffers.copy(piece.typed, sliceBox(output, ownTo, pieces.recv));
    return countPieces(pieces, running);
  });
}

void ExchangeLowering::lower() {
  Value input = op.getInput(), output = op.getOutput();
  if (!isContiguous(input) || haveSameBase(input, output))
    input = buffers.getSource(input, /*mustCopy=*/true).typed;
  Buffer staged = {output, output};
  if (!isContiguous(output))
    staged = buffers.allocate(buffers.getSizes(output));
  input = collapse(input);
  Value target = collapse(staged.typed);

  EmittedBox kept = intersect(ownFrom, ownTo);
  buffers.copy(sliceBox(input, ownFrom, kept), sliceBox(target, ownTo, kept));
  if (context.group.getSize() > 1)
    exchangePieces(input, target);
  buffers.finish(staged, output);
}

void pctl::lowerExchange(ExchangeOp op, const OpContext &context,
                         BufferEmitter &buffers) {
  auto emitError = [&] { return op.emitOpError(); };
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getGlobalType()).getShape();
  // The verifier has checked both.
  FailureOr<LayoutOnMesh> from =
      getCheckedLayout(op.getFrom(), shape, op, emitError);
  FailureOr<LayoutOnMesh> to =
      getCheckedLayout(op.getTo(), shape, op, emitError);
  if (failed(from) || failed(to))
    return;
  if (shape.empty())
    return buffers.copy(op.getInput(), op.getOutput());
  ExchangeLowering(op, context, buffers, from->layout, to->layout).lower();
}
