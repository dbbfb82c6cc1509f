// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Pieces as messages: counted, packed and sent, received, unpacked. Which
/// pieces there are is said by loops that the exchanges have; what is done with
/// them is the same for all. Pieces without gaps go from and to where they are.

#include "Lowering.h"

#include "pctl/Dialect/Nccl/IR/Nccl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;

Value pctl::emitRunningLoop(const IndexMath &math, OpBuilder &builder,
                            Location loc, Fold from, Fold to,
                            function_ref<Fold(Value, Value)> emitBody) {
  auto loop = scf::ForOp::create(
      builder, loc, math.toValue(from), math.toValue(to),
      math.toValue(math.constant(1)), math.toValue(math.constant(0)),
      [&](OpBuilder &, Location, Value at, ValueRange running) {
        scf::YieldOp::create(builder, loc,
                             math.toValue(emitBody(at, running.front())));
      });
  return loop.getResult(0);
}

namespace {
class PieceExchange {
public:
  PieceExchange(const OpContext &context, Location loc, BufferEmitter &buffers,
                PieceLoops &loops, Value input, Value output, int64_t rounds)
      : context(context), builder(context.builder), loc(loc), buffers(buffers),
        math(buffers.math), loops(loops), input(input), output(output),
        rounds(rounds) {}

  void emit();

private:
  /// The part of \p piece that travels in \p round.
  Piece cut(Piece piece, Fold round);
  Fold add(Value running, const Piece &piece) {
    return math.add(running, math.product(piece.sizes));
  }
  /// \p piece of \p run.
  Value sliceRun(Value run, const Piece &piece) {
    return buffers.slice(run, piece.offsets.back(), piece.sizes.back());
  }
  Value emitStaging(function_ref<Value(PieceLoops::Body)> emitLoop);
  void emitRound(Fold round);
  void emitSends(Fold round);
  void emitRecvs(Fold round);
  void unpack(Fold round);

  const OpContext &context;
  OpBuilder &builder;
  Location loc;
  BufferEmitter &buffers;
  const IndexMath &math;
  PieceLoops &loops;
  Value input;
  Value output;
  int64_t rounds;
  /// Where pieces are runs of the input, or output, and no staging is needed.
  Value inputRun;
  Value outputRun;
  /// What is in flight, one piece behind the other.
  Value sendBytes;
  Value recvBytes;
};
} // namespace

Piece PieceExchange::cut(Piece piece, Fold round) {
  if (rounds == 1)
    return piece;
  // Whether no dim so far has more than one element; null for certainly.
  Value isOpen;
  for (size_t dim = 0, e = piece.sizes.size(); dim != e; ++dim) {
    Fold &offset = piece.offsets[dim], &size = piece.sizes[dim];
    std::optional<int64_t> known = IndexMath::known(size);
    bool isLast = dim + 1 == e;
    if (known == 1 && !isLast)
      continue;
    EmittedRange part = emitEqualBlock(math, rounds, size, round);
    Fold partOffset = math.add(offset, part.offset);
    if (!isOpen && (isLast || (known && *known > 1))) {
      offset = partOffset;
      size = part.size;
      break;
    }
    Value isCut = isOpen;
    if (!isLast) {
      auto also = [&](arith::CmpIPredicate predicate) -> Value {
        Value holds =
            arith::CmpIOp::create(builder, loc, predicate, math.toValue(size),
                                  math.toValue(math.constant(1)));
        return isOpen ? arith::AndIOp::create(builder, loc, isOpen, holds)
                      : holds;
      };
      isCut = also(arith::CmpIPredicate::ugt);
      isOpen = also(arith::CmpIPredicate::ule);
    }
    auto select = [&](Fold yes, Fold no) -> Fold {
      return arith::SelectOp::create(builder, loc, isCut, math.toValue(yes),
                                     math.toValue(no))
          .getResult();
    };
    offset = select(partOffset, offset);
    size = select(part.size, size);
  }
  return piece;
}

void PieceExchange::emitSends(Fold round) {
  loops.emitSends([&](Fold peer, const Piece &whole, Value start) {
    Piece piece = cut(whole, round);
    emitIfNotEmpty(math, builder, loc, math.product(piece.sizes), [&] {
      Value message;
      if (inputRun) {
        message = sliceRun(inputRun, piece);
      } else {
        Buffer packed = buffers.viewPiece(sendBytes, start, piece.sizes);
        buffers.copy(buffers.slice(input, piece.offsets, piece.sizes),
                     packed.typed);
        message = packed.wire;
      }
      nccl::SendOp::create(builder, loc, message, math.toI32(peer),
                           context.comm, context.stream,
                           /*is_unsigned=*/UnitAttr());
    });
    return add(start, piece);
  });
}

void PieceExchange::emitRecvs(Fold round) {
  loops.emitRecvs([&](Fold peer, const Piece &whole, Value start) {
    Piece piece = cut(whole, round);
    emitIfNotEmpty(math, builder, loc, math.product(piece.sizes), [&] {
      Value message =
          outputRun ? sliceRun(outputRun, piece)
                    : buffers.viewPiece(recvBytes, start, piece.sizes).wire;
      nccl::RecvOp::create(builder, loc, message, math.toI32(peer),
                           context.comm, context.stream,
                           /*is_unsigned=*/UnitAttr());
    });
    return add(start, piece);
  });
}

void PieceExchange::unpack(Fold round) {
  loops.emitRecvs([&](Fold, const Piece &whole, Value start) {
    Piece piece = cut(whole, round);
    emitIfNotEmpty(math, builder, loc, math.product(piece.sizes), [&] {
      Buffer packed = buffers.viewPiece(recvBytes, start, piece.sizes);
      buffers.copy(packed.typed,
                   buffers.slice(output, piece.offsets, piece.sizes));
    });
    return add(start, piece);
  });
}

void PieceExchange::emitRound(Fold round) {
  nccl::GroupStartOp::create(builder, loc);
  emitSends(round);
  emitRecvs(round);
  nccl::GroupEndOp::create(builder, loc);
  if (!outputRun)
    unpack(round);
}

/// Emits staging memory for the pieces of the loop that \p emitLoop emits. Of
/// each the first round moves the most.
Value PieceExchange::emitStaging(
    function_ref<Value(PieceLoops::Body)> emitLoop) {
  Fold first = math.constant(0);
  Value count = emitLoop([&](Fold, const Piece &piece, Value running) {
    return add(running, cut(piece, first));
  });
  return buffers.allocateBytes(count);
}

void PieceExchange::emit() {
  inputRun = buffers.getRun(input);
  outputRun = buffers.getRun(output);
  if (!inputRun)
    sendBytes = emitStaging(
        [&](PieceLoops::Body body) { return loops.emitSends(body); });
  if (!outputRun)
    recvBytes = emitStaging(
        [&](PieceLoops::Body body) { return loops.emitRecvs(body); });
  Fold first = math.constant(0);
  if (rounds == 1)
    return emitRound(first);
  auto loop = scf::ForOp::create(builder, loc, math.toValue(first),
                                 math.toValue(math.constant(rounds)),
                                 math.toValue(math.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitRound(loop.getInductionVar());
}

void pctl::emitExchange(const OpContext &context, Location loc,
                        BufferEmitter &buffers, PieceLoops &loops, Value input,
                        Value output, int64_t rounds) {
  PieceExchange(context, loc, buffers, loops, input, output, rounds).emit();
}
