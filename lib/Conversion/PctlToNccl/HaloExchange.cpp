// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The exchange of edges, as loops over the members of a group.
///
/// The blocks of the group are one tensor along the dim. A member wants its own
/// block with what is before and behind it; what another has of that is one
/// range. Lengths are equal and known, or gathered first. A running start gives
/// each member's place, so no rank needs to know its neighbours.

#include "Lowering.h"

#include "pctl/Dialect/Nccl/IR/Nccl.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;

Value pctl::emitGatherLengths(const OpContext &context, Location loc,
                              BufferEmitter &buffers, Fold own) {
  OpBuilder &builder = context.builder;
  Value mine = buffers.allocateSizes(1);
  Value lengths = buffers.allocateSizes(context.group.getSize());
  Value length = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            buffers.math.toValue(own));
  memref::StoreOp::create(builder, loc, length, mine,
                          buffers.math.toValue(buffers.math.constant(0)));
  nccl::AllGatherOp::create(builder, loc, mine, lengths, context.comm,
                            context.stream, /*is_unsigned=*/UnitAttr());
  return lengths;
}

Value pctl::emitLoadLength(OpBuilder &builder, Location loc, Value lengths,
                           Value position) {
  Value length = memref::LoadOp::create(builder, loc, lengths, position);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    length);
}

namespace {
class HaloLowering {
public:
  HaloLowering(HaloExchangeOp op, const OpContext &context,
               BufferEmitter &buffers)
      : op(op), context(context), builder(context.builder), loc(op.getLoc()),
        buffers(buffers), math(buffers.math) {}

  void lower();

private:
  /// What this rank sends to and receives from a member: ranges of the dim as
  /// the whole group holds it, empty where there is nothing.
  struct Pieces {
    Value peer;
    EmittedRange send;
    EmittedRange recv;
  };
  using LoopBody = function_ref<SmallVector<Fold>(const Pieces &, ValueRange)>;

  Fold getLength(Value position);
  /// What a member with the block [\p start, \p start + \p length) wants.
  EmittedRange getWanted(Fold start, Fold length);
  /// Emits a loop over all members with two running numbers that start at 0.
  SmallVector<Value> emitMemberLoop(LoopBody emitBody);
  void emitOwnPlace();
  void exchangePieces(Value input, Value output);
  /// Returns \p range of \p buffer, of [outer, elements], whose first element
  /// along the dim is number \p start of the group's.
  Value sliceRange(Value buffer, Fold start, EmittedRange range);
  Fold getCount(EmittedRange range) {
    return math.product({outer, range.size, inner});
  }
  SmallVector<Fold> getShape(EmittedRange range) {
    return {outer, math.mul(range.size, inner)};
  }

  HaloExchangeOp op;
  const OpContext &context;
  OpBuilder &builder;
  Location loc;
  BufferEmitter &buffers;
  const IndexMath &math;
  Fold outer;
  Fold inner;
  Fold ownLength;
  /// The lengths of all blocks; null where they are equal and known.
  Value lengths;
  Fold position;
  Fold ownStart;
  Fold total;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

Fold HaloLowering::getLength(Value at) {
  if (!lengths)
    return ownLength;
  return emitLoadLength(builder, loc, lengths, at);
}

EmittedRange HaloLowering::getWanted(Fold start, Fold length) {
  Fold before = math.constant(op.getBefore());
  // Cut at 0 without a negative number on the way.
  Fold from = math.sub(math.max(start, before), before);
  Fold to = math.min(
      math.add(math.add(start, length), math.constant(op.getAfter())), total);
  return {from, math.sub(to, from)};
}

Value HaloLowering::sliceRange(Value buffer, Fold start, EmittedRange range) {
  Fold offset = math.mul(math.sub(range.offset, start), inner);
  return buffers.slice(buffer, {math.constant(0), offset}, getShape(range));
}

/// Finds where this rank's block starts and how long all are together.
void HaloLowering::emitOwnPlace() {
  Fold size = math.constant(context.group.getSize());
  position = emitCoordinate(math, context.group.mesh, context.group.axes,
                            context.rank);
  if (!lengths) {
    ownStart = math.mul(position, ownLength);
    total = math.mul(size, ownLength);
    return;
  }
  Value zero = math.toValue(math.constant(0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, math.toValue(size), math.toValue(math.constant(1)),
      ValueRange{zero, zero},
      [&](OpBuilder &, Location, Value at, ValueRange sums) {
        Value end = math.toValue(math.add(sums[1], getLength(at)));
        Value isOwn = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::eq, at, math.toValue(position));
        Value start =
            arith::SelectOp::create(builder, loc, isOwn, sums[1], sums[0]);
        scf::YieldOp::create(builder, loc, ValueRange{start, end});
      });
  ownStart = loop.getResult(0);
  total = loop.getResult(1);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> HaloLowering::emitMemberLoop(LoopBody emitBody) {
  Value zero = math.toValue(math.constant(0));
  EmittedRange own = {ownStart, ownLength};
  EmittedRange wanted = getWanted(ownStart, ownLength);
  auto loop = scf::ForOp::create(
      builder, loc, zero, math.toValue(math.constant(context.group.getSize())),
      math.toValue(math.constant(1)), ValueRange{zero, zero, zero},
      [&](OpBuilder &, Location, Value peer, ValueRange running) {
        Fold start = running[0], length = getLength(peer);
        Value isOther =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, peer,
                                  math.toValue(position));
        auto onlyOther = [&](EmittedRange range) -> EmittedRange {
          Value size = arith::SelectOp::create(builder, loc, isOther,
                                               math.toValue(range.size), zero);
          return {range.offset, size};
        };
        Pieces pieces = {
            peer,
            onlyOther(emitIntersection(math, own, getWanted(start, length))),
            onlyOther(emitIntersection(math, wanted, {start, length}))};
        SmallVector<Value> next = {math.toValue(math.add(start, length))};
        for (Fold value : emitBody(pieces, running.drop_front()))
          next.push_back(math.toValue(value));
        scf::YieldOp::create(builder, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

void HaloLowering::exchangePieces(Value input, Value output) {
  // The output starts `before` elements ahead of the block, the first of which
  // may not be there: places in it count from there all the same.
  Fold before = math.constant(op.getBefore());
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
          buffers.viewPiece(sendBytes, running[0], getShape(pieces.send));
      buffers.copy(sliceRange(input, ownStart, pieces.send), piece.typed);
      nccl::SendOp::create(builder, loc, piece.wire, peer, context.comm,
                           context.stream, /*is_unsigned=*/UnitAttr());
    });
    emitIfNotEmpty(math, builder, loc, getCount(pieces.recv), [&] {
      Buffer piece =
          buffers.viewPiece(recvBytes, running[1], getShape(pieces.recv));
      nccl::RecvOp::create(builder, loc, piece.wire, peer, context.comm,
                           context.stream, /*is_unsigned=*/UnitAttr());
    });
    return countPieces(pieces, running);
  });
  nccl::GroupEndOp::create(builder, loc);

  emitMemberLoop([&](const Pieces &pieces, ValueRange running) {
    emitIfNotEmpty(math, builder, loc, getCount(pieces.recv), [&] {
      Buffer piece =
          buffers.viewPiece(recvBytes, running[1], getShape(pieces.recv));
      EmittedRange shifted = {math.add(pieces.recv.offset, before),
                              pieces.recv.size};
      buffers.copy(piece.typed, sliceRange(output, ownStart, shifted));
    });
    return countPieces(pieces, running);
  });
}

void HaloLowering::lower() {
  Value input = op.getInput(), output = op.getOutput();
  int64_t dim = op.getDim();
  SmallVector<Fold> sizes = buffers.getSizes(input);
  outer = math.product(ArrayRef<Fold>(sizes).take_front(dim));
  inner = math.product(ArrayRef<Fold>(sizes).drop_front(dim + 1));
  ownLength = sizes[dim];

  if (!isContiguous(input) || haveSameBase(input, output))
    input = buffers.getSource(input, /*mustCopy=*/true).typed;
  Buffer staged = {output, output};
  if (!isContiguous(output)) {
    staged = buffers.allocate(buffers.getSizes(output));
    // What does not arrive keeps its value.
    buffers.copy(output, staged.typed);
  }
  input = buffers.reshape(input, {outer, math.mul(ownLength, inner)});
  Fold outLength = buffers.getSize(output, dim);
  Value target =
      buffers.reshape(staged.typed, {outer, math.mul(outLength, inner)});

  Fold shift = math.mul(math.constant(op.getBefore()), inner);
  Fold run = math.mul(ownLength, inner);
  buffers.copy(input,
               buffers.slice(target, {math.constant(0), shift}, {outer, run}));
  if (context.group.getSize() > 1 && op.getBefore() + op.getAfter() > 0) {
    if (!IndexMath::known(ownLength))
      lengths = emitGatherLengths(context, loc, buffers, ownLength);
    emitOwnPlace();
    exchangePieces(input, target);
  }
  buffers.finish(staged, output);
}

void pctl::lowerHaloExchange(HaloExchangeOp op, const OpContext &context,
                             BufferEmitter &buffers) {
  HaloLowering(op, context, buffers).lower();
}
