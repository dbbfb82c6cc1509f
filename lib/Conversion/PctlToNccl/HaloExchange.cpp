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
class HaloLowering : public PieceLoops {
public:
  HaloLowering(HaloExchangeOp op, const OpContext &context,
               BufferEmitter &buffers)
      : op(op), context(context), builder(context.builder), loc(op.getLoc()),
        buffers(buffers), math(buffers.math) {}

  void lower();

  Value emitSends(Body body) override;
  Value emitRecvs(Body body) override;

private:
  Fold getLength(Value position);
  /// What a member with the block [\p start, \p start + \p length) wants.
  EmittedRange getWanted(Fold start, Fold length);
  /// Emits a loop over all members, whose pieces are what \p emitRange returns
  /// for a member's block, at a distance of \p lead behind their place in this
  /// rank's block.
  Value emitMembers(Fold lead,
                    function_ref<EmittedRange(EmittedRange block)> emitRange,
                    Body body);
  void emitOwnPlace();

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

Value HaloLowering::emitMembers(
    Fold lead, function_ref<EmittedRange(EmittedRange)> emitRange, Body body) {
  Value zero = math.toValue(math.constant(0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, math.toValue(math.constant(context.group.getSize())),
      math.toValue(math.constant(1)), ValueRange{zero, zero},
      [&](OpBuilder &, Location, Value peer, ValueRange running) {
        EmittedRange block = {running[0], getLength(peer)};
        EmittedRange range = emitRange(block);
        Value isOther =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, peer,
                                  math.toValue(position));
        Fold size = arith::SelectOp::create(builder, loc, isOther,
                                            math.toValue(range.size), zero)
                        .getResult();
        Fold place = math.sub(math.add(range.offset, lead), ownStart);
        Piece piece = {{math.constant(0), math.mul(place, inner)},
                       {outer, math.mul(size, inner)}};
        Value next = math.toValue(body(peer, piece, running[1]));
        scf::YieldOp::create(
            builder, loc,
            ValueRange{math.toValue(math.add(block.offset, block.size)), next});
      });
  return loop.getResult(1);
}

Value HaloLowering::emitSends(Body body) {
  EmittedRange own = {ownStart, ownLength};
  auto emitRange = [&](EmittedRange block) {
    return emitIntersection(math, own, getWanted(block.offset, block.size));
  };
  return emitMembers(math.constant(0), emitRange, body);
}

Value HaloLowering::emitRecvs(Body body) {
  // The output starts `before` elements ahead of the block, the first of which
  // may not be there: places in it count from there all the same.
  EmittedRange wanted = getWanted(ownStart, ownLength);
  auto emitRange = [&](EmittedRange block) {
    return emitIntersection(math, wanted, block);
  };
  return emitMembers(math.constant(op.getBefore()), emitRange, body);
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
    emitExchange(context, loc, buffers, *this, input, target, /*rounds=*/1);
  }
  buffers.finish(staged, output);
}

void pctl::lowerHaloExchange(HaloExchangeOp op, const OpContext &context,
                             BufferEmitter &buffers) {
  HaloLowering(op, context, buffers).lower();
}
