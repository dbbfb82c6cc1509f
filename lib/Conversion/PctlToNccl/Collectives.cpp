// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Each collective as NCCL calls with packing before and unpacking after.
///
/// NCCL's collectives join and cut buffers along their first dim. So a tensor
/// is seen as [O, n, I]: O elements before the dim in question, n along it, I
/// behind it. k blocks of it, [O, k, b I], become [k, O, b I] in staging memory
/// by swapping the first two, which moves runs of b I elements. With O = 1 the
/// two are the same and nothing is staged.

#include "Lowering.h"

#include "pctl/Dialect/Nccl/IR/Nccl.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;
using layout::ReductionKind;

namespace {
/// A dim of a buffer with what is before and behind it.
struct DimView {
  Fold outer;
  Fold size;
  Fold inner;
};

class CollectiveLowering {
public:
  /// Lowers \p op on \p input and \p output, which are those of the op or a
  /// part of them, whose first \p numMerged dims are one.
  CollectiveLowering(CollectiveOpInterface op, const OpContext &context,
                     Wire wire, Value input, Value output,
                     unsigned numMerged = 1)
      : op(op), context(context), builder(context.builder), loc(op.getLoc()),
        input(input), output(output), numMerged(numMerged),
        groupSize(context.group.getSize()), buffers(builder, loc, wire),
        math(buffers.math) {}

  void lower();

private:
  void lowerAllGather(AllGatherOp gather);
  void lowerEvenAllGather(const DimView &view);
  void lowerUnevenAllGather(const DimView &view, int64_t dim);
  Fold emitLongest(Value lengths);
  void joinBlocks(const DimView &view, Value lengths, Value received,
                  Value joined);
  void lowerAllSlice(AllSliceOp slice);
  void lowerAllReduce(AllReduceOp reduce);
  void lowerReduceScatter(ReduceScatterOp scatter);
  void lowerAllToAll(AllToAllOp exchange);
  void lowerPermute(PermuteOp permute);
  void lowerBroadcast(BroadcastOp broadcast);

  /// Number \p dim of the op's dims in \ref input and \ref output.
  int64_t getDim(int64_t dim) { return dim + 1 - numMerged; }
  DimView getView(Value buffer, int64_t dim);
  /// Seen as [O, k, n / k I].
  SmallVector<Fold> getBlockedShape(const DimView &view, Fold block);
  /// The number of elements of \p buffer.
  Fold getCount(Value buffer) { return math.product(buffers.getSizes(buffer)); }
  bool isOne(Fold value) { return IndexMath::known(value) == 1; }

  /// Returns \p buffer, or a copy without gaps, as views of other dims need it.
  Value getContiguous(Value buffer);
  /// Returns the input as k blocks one behind the other.
  Buffer packBlocks(const DimView &view, Fold block);
  Buffer packUnevenBlocks(const DimView &view, Fold block);
  /// Emits `position` of this rank in the group.
  Fold getPosition();
  /// Emits a loop from \p from to \p to, whose body \p emitBody emits.
  void emitLoop(Fold from, Fold to, function_ref<void(Value)> emitBody);

  void emitAllGather(const Buffer &send, const Buffer &recv);
  void emitAllToAll(const Buffer &send, const Buffer &recv);
  void emitSend(Value buffer, Fold peer);
  void emitRecv(Value buffer, Fold peer);
  void emitTablePermute(ArrayRef<std::pair<int64_t, int64_t>> pairs,
                        const Buffer &source, const Buffer &destination);

  CollectiveOpInterface op;
  const OpContext &context;
  OpBuilder &builder;
  Location loc;
  Value input;
  Value output;
  unsigned numMerged;
  int64_t groupSize;
  BufferEmitter buffers;
  const IndexMath &math;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

DimView CollectiveLowering::getView(Value buffer, int64_t dim) {
  SmallVector<Fold> sizes = buffers.getSizes(buffer);
  ArrayRef<Fold> all(sizes);
  return {math.product(all.take_front(dim)), sizes[dim],
          math.product(all.drop_front(dim + 1))};
}

SmallVector<Fold> CollectiveLowering::getBlockedShape(const DimView &view,
                                                      Fold block) {
  return {view.outer, math.constant(groupSize), math.mul(block, view.inner)};
}

Fold CollectiveLowering::getPosition() {
  return emitCoordinate(math, context.group.mesh, context.group.axes,
                        context.rank);
}

void CollectiveLowering::emitLoop(Fold from, Fold to,
                                  function_ref<void(Value)> emitBody) {
  auto loop =
      scf::ForOp::create(builder, loc, math.toValue(from), math.toValue(to),
                         math.toValue(math.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitBody(loop.getInductionVar());
}

void pctl::emitIf(OpBuilder &builder, Location loc, Value condition,
                  function_ref<void()> emitBody) {
  auto branch =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitBody();
}

void pctl::emitIfNotEmpty(const IndexMath &math, OpBuilder &builder,
                          Location loc, Fold count,
                          function_ref<void()> emitBody) {
  Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     math.toValue(count),
                                     math.toValue(math.constant(0)));
  emitIf(builder, loc, some, emitBody);
}

void CollectiveLowering::emitAllGather(const Buffer &send, const Buffer &recv) {
  nccl::AllGatherOp::create(builder, loc, send.wire, recv.wire, context.comm,
                            context.stream, /*is_unsigned=*/UnitAttr());
}

void CollectiveLowering::emitAllToAll(const Buffer &send, const Buffer &recv) {
  nccl::AllToAllOp::create(builder, loc, send.wire, recv.wire, context.comm,
                           context.stream, /*is_unsigned=*/UnitAttr());
}

void CollectiveLowering::emitSend(Value buffer, Fold peer) {
  nccl::SendOp::create(builder, loc, buffer, math.toI32(peer), context.comm,
                       context.stream, /*is_unsigned=*/UnitAttr());
}

void CollectiveLowering::emitRecv(Value buffer, Fold peer) {
  nccl::RecvOp::create(builder, loc, buffer, math.toI32(peer), context.comm,
                       context.stream, /*is_unsigned=*/UnitAttr());
}

Value CollectiveLowering::getContiguous(Value buffer) {
  if (isContiguous(buffer))
    return buffer;
  return buffers.getSource(buffer, /*mustCopy=*/true).typed;
}

Buffer CollectiveLowering::packBlocks(const DimView &view, Fold block) {
  if (isOne(view.outer))
    return buffers.getSource(input, haveSameBase(input, output));
  SmallVector<Fold> shape = getBlockedShape(view, block);
  Buffer packed = buffers.allocate({shape[1], shape[0], shape[2]});
  buffers.copySwapped(buffers.reshape(getContiguous(input), shape),
                      packed.typed);
  return packed;
}

Buffer CollectiveLowering::packUnevenBlocks(const DimView &view, Fold block) {
  Fold zero = math.constant(0), one = math.constant(1);
  Fold run = math.mul(block, view.inner);
  Buffer packed = buffers.allocate({math.constant(groupSize), view.outer, run});
  buffers.fillWithZero(packed.typed);
  Value flat = buffers.reshape(getContiguous(input),
                               {view.outer, math.mul(view.size, view.inner)});
  emitLoop(zero, math.constant(groupSize), [&](Value position) {
    EmittedRange range = emitEqualBlock(math, groupSize, view.size, position);
    Fold length = math.mul(range.size, view.inner);
    Value from = buffers.slice(flat, {zero, math.mul(range.offset, view.inner)},
                               {view.outer, length});
    Value to = buffers.slice(packed.typed, {position, zero, zero},
                             {one, view.outer, length}, 1);
    buffers.copy(from, to);
  });
  return packed;
}

//===----------------------------------------------------------------------===//
// Gather and slice
//===----------------------------------------------------------------------===//

void CollectiveLowering::lowerAllGather(AllGatherOp gather) {
  int64_t dim = getDim(gather.getDim());
  DimView view = getView(input, dim);
  if (IndexMath::known(view.size))
    return lowerEvenAllGather(view);
  lowerUnevenAllGather(view, dim);
}

void CollectiveLowering::lowerEvenAllGather(const DimView &view) {
  Buffer send = buffers.getSource(input, haveSameBase(input, output));
  if (isOne(view.outer)) {
    Buffer recv = buffers.getDestination(output);
    emitAllGather(send, recv);
    return buffers.finish(recv, output);
  }
  SmallVector<Fold> shape = getBlockedShape(view, view.size);
  Buffer recv = buffers.allocate({shape[1], shape[0], shape[2]});
  emitAllGather(send, recv);
  Buffer joined = buffers.getDestination(output);
  buffers.copySwapped(recv.typed, buffers.reshape(joined.typed, shape));
  buffers.finish(joined, output);
}

/// The ranks tell each other how long their blocks are; then all send as many
/// elements as the longest has, and each block is taken at its own length.
void CollectiveLowering::lowerUnevenAllGather(const DimView &view,
                                              int64_t dim) {
  Fold zero = math.constant(0);
  Value lengths = emitGatherLengths(context, loc, buffers, view.size);
  Fold run = math.mul(emitLongest(lengths), view.inner);
  Fold filled = math.mul(view.size, view.inner);
  Buffer send = buffers.allocate({view.outer, run});
  buffers.copy(buffers.reshape(getContiguous(input), {view.outer, filled}),
               buffers.slice(send.typed, {zero, zero}, {view.outer, filled}));
  Buffer recv = buffers.allocate({math.constant(groupSize), view.outer, run});
  emitAllGather(send, recv);

  Buffer joined = buffers.getDestination(output);
  Fold joinedRun = math.mul(buffers.getSize(output, dim), view.inner);
  joinBlocks(view, lengths, recv.typed,
             buffers.reshape(joined.typed, {view.outer, joinedRun}));
  buffers.finish(joined, output);
}

/// Emits the greatest of \p lengths.
Fold CollectiveLowering::emitLongest(Value lengths) {
  Value zero = math.toValue(math.constant(0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, math.toValue(math.constant(groupSize)),
      math.toValue(math.constant(1)), zero,
      [&](OpBuilder &, Location, Value position, ValueRange best) {
        Value length = emitLoadLength(builder, loc, lengths, position);
        scf::YieldOp::create(builder, loc,
                             math.toValue(math.max(best[0], length)));
      });
  return loop.getResult(0);
}

/// Copies the blocks of \p received, of [k, outer, longest run], one behind the
/// other to \p joined, of [outer, run].
void CollectiveLowering::joinBlocks(const DimView &view, Value lengths,
                                    Value received, Value joined) {
  Fold zero = math.constant(0), one = math.constant(1);
  scf::ForOp::create(
      builder, loc, math.toValue(zero), math.toValue(math.constant(groupSize)),
      math.toValue(one), math.toValue(zero),
      [&](OpBuilder &, Location, Value position, ValueRange start) {
        Value blockLength = emitLoadLength(builder, loc, lengths, position);
        Fold length = math.mul(blockLength, view.inner);
        Value from = buffers.slice(received, {position, zero, zero},
                                   {one, view.outer, length}, 1);
        Value to =
            buffers.slice(joined, {zero, start[0]}, {view.outer, length});
        buffers.copy(from, to);
        scf::YieldOp::create(builder, loc,
                             math.toValue(math.add(start[0], length)));
      });
}

void CollectiveLowering::lowerAllSlice(AllSliceOp slice) {
  int64_t dim = slice.getDim();
  EmittedRange range = emitEqualBlock(
      math, groupSize, buffers.getSize(input, dim), getPosition());
  SmallVector<Fold> sizes = buffers.getSizes(output);
  SmallVector<Fold> offsets(sizes.size(), math.constant(0));
  offsets[dim] = range.offset;
  Value whole = input;
  if (haveSameBase(input, output))
    whole = buffers.getSource(input, /*mustCopy=*/true).typed;
  buffers.copy(buffers.slice(whole, offsets, sizes), output);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns NCCL's name of \p kind, which hasNcclReduction.
static nccl::RedOp getRedOp(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Product:
    return nccl::RedOp::Prod;
  case ReductionKind::MaxSigned:
  case ReductionKind::MaxUnsigned:
    return nccl::RedOp::Max;
  case ReductionKind::MinSigned:
  case ReductionKind::MinUnsigned:
    return nccl::RedOp::Min;
  default:
    return nccl::RedOp::Sum;
  }
}

static bool isUnsigned(ReductionKind kind) {
  return kind == ReductionKind::MaxUnsigned ||
         kind == ReductionKind::MinUnsigned;
}

void CollectiveLowering::lowerAllReduce(AllReduceOp reduce) {
  ReductionKind kind = reduce.getKind();
  Type elementType = cast<MemRefType>(input.getType()).getElementType();
  Buffer send = buffers.getSource(input, /*mustCopy=*/false);
  Buffer result = buffers.getDestination(output);
  if (hasNcclReduction(kind, elementType)) {
    nccl::AllReduceOp::create(
        builder, loc, send.wire, result.wire,
        nccl::RedOpAttr::get(builder.getContext(), getRedOp(kind)),
        context.comm, context.stream,
        isUnsigned(kind) ? builder.getUnitAttr() : UnitAttr());
    return buffers.finish(result, output);
  }
  Fold count = getCount(input);
  Buffer parts = buffers.allocate({math.constant(groupSize), count});
  emitAllGather(send, parts);
  emitLocalReduction(builder, loc, buffers, kind, groupSize, parts.typed,
                     buffers.reshape(result.typed, count));
  buffers.finish(result, output);
}

void CollectiveLowering::lowerReduceScatter(ReduceScatterOp scatter) {
  int64_t dim = getDim(scatter.getDim());
  ReductionKind kind = scatter.getKind();
  Type elementType = cast<MemRefType>(input.getType()).getElementType();
  DimView view = getView(input, dim);
  std::optional<int64_t> known = IndexMath::known(view.size);
  bool isEven = known && *known % groupSize == 0;
  Fold block = math.ceilDiv(view.size, math.constant(groupSize));
  Fold run = math.mul(block, view.inner);

  Buffer send =
      isEven ? packBlocks(view, block) : packUnevenBlocks(view, block);
  Buffer result = isEven ? buffers.getDestination(output)
                         : buffers.allocate({view.outer, run});
  if (hasNcclReduction(kind, elementType)) {
    nccl::ReduceScatterOp::create(
        builder, loc, send.wire, result.wire,
        nccl::RedOpAttr::get(builder.getContext(), getRedOp(kind)),
        context.comm, context.stream,
        isUnsigned(kind) ? builder.getUnitAttr() : UnitAttr());
  } else {
    Fold count = math.mul(view.outer, run);
    Buffer parts = buffers.allocate({math.constant(groupSize), count});
    emitAllToAll(send, parts);
    emitLocalReduction(builder, loc, buffers, kind, groupSize, parts.typed,
                       buffers.reshape(result.typed, count));
  }
  if (isEven)
    return buffers.finish(result, output);
  Fold zero = math.constant(0);
  Fold length = math.mul(buffers.getSize(output, dim), view.inner);
  Buffer own = buffers.getDestination(output);
  buffers.copy(buffers.slice(result.typed, {zero, zero}, {view.outer, length}),
               buffers.reshape(own.typed, {view.outer, length}));
  buffers.finish(own, output);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void CollectiveLowering::lowerAllToAll(AllToAllOp exchange) {
  int64_t split = getDim(exchange.getSplitDim());
  int64_t concat = getDim(exchange.getConcatDim());
  DimView view = getView(input, split);
  Fold block = math.div(view.size, math.constant(groupSize));
  Buffer send = packBlocks(view, block);

  // What each rank sends another has the input's dims but for the block.
  SmallVector<Fold> piece = buffers.getSizes(input);
  piece[split] = block;
  Fold outer = math.product(ArrayRef<Fold>(piece).take_front(concat));
  Fold run = math.product(ArrayRef<Fold>(piece).drop_front(concat));
  Buffer joined = buffers.getDestination(output);
  if (isOne(outer)) {
    emitAllToAll(send, joined);
    return buffers.finish(joined, output);
  }
  Fold size = math.constant(groupSize);
  Buffer recv = buffers.allocate({size, outer, run});
  emitAllToAll(send, recv);
  buffers.copySwapped(recv.typed,
                      buffers.reshape(joined.typed, {outer, size, run}));
  buffers.finish(joined, output);
}

/// Where an input may have another size than the output, as only the root's
/// counts, the root puts its own in place and the call works in place.
void CollectiveLowering::lowerBroadcast(BroadcastOp broadcast) {
  Buffer recv = buffers.getDestination(output);
  Buffer send = recv;
  auto inputType = cast<MemRefType>(input.getType());
  if (inputType.hasStaticShape()) {
    send = buffers.getSource(input, /*mustCopy=*/false);
  } else {
    Value isRoot = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, math.toValue(getPosition()),
        math.toValue(math.constant(broadcast.getRoot())));
    emitIf(builder, loc, isRoot, [&] {
      if (recv.typed != input)
        buffers.copy(input, recv.typed);
    });
  }
  nccl::BroadcastOp::create(builder, loc, send.wire, recv.wire,
                            builder.getI32IntegerAttr(broadcast.getRoot()),
                            context.comm, context.stream,
                            /*is_unsigned=*/UnitAttr());
  buffers.finish(recv, output);
}

/// Returns the distance by which \p pairs pass everything on, if they do so to
/// all of \p groupSize positions alike.
static std::optional<int64_t>
getShift(ArrayRef<std::pair<int64_t, int64_t>> pairs, int64_t groupSize) {
  if (int64_t(pairs.size()) != groupSize)
    return std::nullopt;
  auto getDistance = [&](std::pair<int64_t, int64_t> pair) {
    return (pair.second - pair.first + groupSize) % groupSize;
  };
  int64_t shift = getDistance(pairs.front());
  if (llvm::any_of(pairs,
                   [&](auto pair) { return getDistance(pair) != shift; }))
    return std::nullopt;
  return shift;
}

void CollectiveLowering::lowerPermute(PermuteOp permute) {
  SmallVector<std::pair<int64_t, int64_t>> pairs = permute.getPairList();
  if (pairs.empty())
    return;
  std::optional<int64_t> shift = getShift(pairs, groupSize);
  if (shift == 0)
    return buffers.copy(input, output);
  Buffer source = buffers.getSource(input, haveSameBase(input, output));
  Buffer destination = buffers.getDestination(output);
  if (!shift) {
    // Where nothing arrives, the output stays as it is.
    if (destination.typed != output)
      buffers.copy(output, destination.typed);
    emitTablePermute(pairs, source, destination);
    return buffers.finish(destination, output);
  }
  Fold position = getPosition(), size = math.constant(groupSize);
  Fold to = math.rem(math.add(position, math.constant(*shift)), size);
  Fold from =
      math.rem(math.add(position, math.constant(groupSize - *shift)), size);
  nccl::GroupStartOp::create(builder, loc);
  emitSend(source.wire, to);
  emitRecv(destination.wire, from);
  nccl::GroupEndOp::create(builder, loc);
  buffers.finish(destination, output);
}

void CollectiveLowering::emitTablePermute(
    ArrayRef<std::pair<int64_t, int64_t>> pairs, const Buffer &source,
    const Buffer &destination) {
  SmallVector<int64_t> values;
  for (auto [from, to] : pairs)
    values.append({from, to});
  int64_t numPairs = pairs.size();
  Value table = context.tables.emit(builder, loc, {numPairs, 2}, values);
  Value position = math.toValue(getPosition());
  Value columns[] = {math.toValue(math.constant(0)),
                     math.toValue(math.constant(1))};
  auto isEqual = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  };
  nccl::GroupStartOp::create(builder, loc);
  emitLoop(math.constant(0), math.constant(numPairs), [&](Value number) {
    auto load = [&](Value column) -> Value {
      Value entry = memref::LoadOp::create(builder, loc, table,
                                           ValueRange{number, column});
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        entry);
    };
    Value from = load(columns[0]), to = load(columns[1]);
    emitIf(builder, loc, isEqual(from, position),
           [&] { emitSend(source.wire, to); });
    emitIf(builder, loc, isEqual(to, position),
           [&] { emitRecv(destination.wire, from); });
  });
  nccl::GroupEndOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Returns whether \p buffer has no elements on any rank.
static bool isEmpty(Value buffer) {
  return llvm::is_contained(cast<MemRefType>(buffer.getType()).getShape(), 0);
}

void CollectiveLowering::lower() {
  if (isEmpty(input) || isEmpty(output))
    return;
  // In a group of one the others are copies, but for a permute of nothing.
  if (groupSize == 1 && !isa<ExchangeOp, HaloExchangeOp, PermuteOp>(op))
    return buffers.copy(input, output);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AllGatherOp gather) { lowerAllGather(gather); })
      .Case([&](AllSliceOp slice) { lowerAllSlice(slice); })
      .Case([&](AllReduceOp reduce) { lowerAllReduce(reduce); })
      .Case([&](ReduceScatterOp scatter) { lowerReduceScatter(scatter); })
      .Case([&](AllToAllOp exchange) { lowerAllToAll(exchange); })
      .Case([&](PermuteOp permute) { lowerPermute(permute); })
      .Case([&](BroadcastOp broadcast) { lowerBroadcast(broadcast); })
      .Case([&](ExchangeOp exchange) {
        lowerExchange(exchange, context, buffers);
      })
      .Case([&](HaloExchangeOp exchange) {
        lowerHaloExchange(exchange, context, buffers);
      });
  buffers.freeStaging();
}

/// Fails where \p op reduces in a way that neither NCCL nor arith has.
static LogicalResult checkReduction(CollectiveOpInterface op, Type type) {
  std::optional<ReductionKind> kind;
  if (auto reduce = dyn_cast<AllReduceOp>(op.getOperation()))
    kind = reduce.getKind();
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op.getOperation()))
    kind = scatter.getKind();
  if (!kind || hasNcclReduction(*kind, type) || hasLocalReduction(*kind, type))
    return success();
  return op->emitOpError("cannot reduce elements of type ")
         << type << " by " << layout::stringifyReductionKind(*kind)
         << "; it can those that NCCL reduces so, and signless integers, "
            "index, and floats of at least 16 bits";
}

LogicalResult pctl::lowerCollective(CollectiveOpInterface op,
                                    const OpContext &context) {
  Type type = cast<MemRefType>(op.getInput().getType()).getElementType();
  std::optional<Wire> wire = getWire(type);
  if (!wire)
    return op->emitOpError("cannot move elements of type ")
           << type
           << "; it can integers of up to 128 bits, index, floats but tf32, "
              "and complex numbers of these";
  if (failed(checkReduction(op, type)))
    return failure();
  auto emitPart = [&](Value input, Value output, unsigned numMerged) {
    CollectiveLowering(op, context, *wire, input, output, numMerged).lower();
  };
  if (!emitInParts(op, context, *wire, emitPart))
    emitPart(op.getInput(), op.getOutput(), 1);
  return success();
}
