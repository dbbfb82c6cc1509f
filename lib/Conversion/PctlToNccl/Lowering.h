// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the parts of the conversion from pctl to nccl share: which
/// communicators a function needs, and how one op is lowered once it has them.

#ifndef PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H
#define PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H

#include "Buffers.h"
#include "Positions.h"

#include "pctl/Dialect/Pctl/IR/PlanBridge.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pctl {

/// The ranks that communicate: those that differ along \ref axes alone, in the
/// order of their positions.
struct Group {
  /// The symbol of the mesh.
  mlir::FlatSymbolRefAttr symbol;
  layout::Mesh mesh;
  /// In normal form; none where each rank is on its own.
  llvm::SmallVector<layout::AxisRef> axes;
  /// The same as an attribute.
  mlir::ArrayAttr axesAttr;

  int64_t getSize() const { return layout::getNumPositions(axes); }
};

/// What tells groups apart: the symbol of the mesh, and the axes.
using GroupKey = std::pair<mlir::Attribute, mlir::Attribute>;

/// Returns the group in which \p op communicates: that of its axes; for an
/// exchange, that of its step's (getStep, whose errors it has).
mlir::FailureOr<Group> getGroup(CollectiveOpInterface op);

/// What lowers one op: the function's communicators and the group's.
struct OpContext {
  mlir::OpBuilder &builder;
  ConstantTables &tables;
  Group group;
  /// Number of this rank among all, an index.
  mlir::Value rank;
  /// Null where the group has one rank.
  mlir::Value comm;
  mlir::Value stream;
  /// Staging memory that a collective may use where it can be done in parts.
  int64_t chunkBytes;
};

/// Emits \p op as nccl ops before it; the caller erases it. Errors: an element
/// type that cannot be moved or reduced.
mlir::LogicalResult lowerCollective(CollectiveOpInterface op,
                                    const OpContext &context);

/// Emits \p op, of elements that travel as \p wire, in parts that need no more
/// staging memory than a chunk, where it needs more and can be done in parts:
/// \p emitPart emits one on a part of the input and of the output, of the same
/// dims but for the first \p numMerged, which are one, or have become one of
/// all elements. Returns whether it did.
bool emitInParts(CollectiveOpInterface op, const OpContext &context,
                 const Wire &wire,
                 llvm::function_ref<void(mlir::Value input, mlir::Value output,
                                         unsigned numMerged)>
                     emitPart);

/// Parts of lowerCollective, each in a file of its own.
void lowerExchange(ExchangeOp op, const OpContext &context,
                   BufferEmitter &buffers);
void lowerHaloExchange(HaloExchangeOp op, const OpContext &context,
                       BufferEmitter &buffers);

/// A box of a buffer: where it starts there, and its sizes.
struct Piece {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// What a rank sends and what it receives, each as a loop over pieces. Both
/// ends of a message have equal sizes for it; messages between two ranks are in
/// the same order on both.
class PieceLoops {
public:
  /// Emits what is done with the piece for or from the rank at \p peer of the
  /// group, where \p running is what the one before returned.
  using Body = llvm::function_ref<mlir::OpFoldResult(
      mlir::OpFoldResult peer, const Piece &piece, mlir::Value running)>;

  virtual ~PieceLoops() = default;
  /// Emits the loop over the pieces of the input that go out, empty ones among
  /// them, with a running number that starts at 0. Returns the last one.
  virtual mlir::Value emitSends(Body body) = 0;
  /// The same over the pieces of the output that come in.
  virtual mlir::Value emitRecvs(Body body) = 0;
};

/// Emits the exchange of pieces of \p input and \p output, over staging memory,
/// in \p rounds. A round moves a part of each piece, along the first dim that
/// has more than one element in blocks of ceil(n / rounds), and is done before
/// the next one starts, so that staging memory is that of one round.
void emitExchange(const OpContext &context, mlir::Location loc,
                  BufferEmitter &buffers, PieceLoops &loops, mlir::Value input,
                  mlir::Value output, int64_t rounds);

/// Emits a loop from \p from to \p to, in whose body \p running starts at 0 and
/// becomes what \p emitBody returns; returns the last one.
mlir::Value emitRunningLoop(
    const IndexMath &math, mlir::OpBuilder &builder, mlir::Location loc,
    mlir::OpFoldResult from, mlir::OpFoldResult to,
    llvm::function_ref<mlir::OpFoldResult(mlir::Value at, mlir::Value running)>
        emitBody);

/// Emits an if of \p condition, whose body \p emitBody emits.
void emitIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
            llvm::function_ref<void()> emitBody);
/// The same under the condition that \p count is not 0.
void emitIfNotEmpty(const IndexMath &math, mlir::OpBuilder &builder,
                    mlir::Location loc, mlir::OpFoldResult count,
                    llvm::function_ref<void()> emitBody);

/// Emits a gather of \p own, a length, from all ranks of the group, and returns
/// the lengths by position, in staging memory.
mlir::Value emitGatherLengths(const OpContext &context, mlir::Location loc,
                              BufferEmitter &buffers, mlir::OpFoldResult own);
/// Emits a read of one of those, as an index.
mlir::Value emitLoadLength(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value lengths, mlir::Value position);

/// Returns whether NCCL reduces by \p kind over elements of \p type, exactly as
/// the op of arith does.
bool hasNcclReduction(layout::ReductionKind kind, mlir::Type type);
/// Emits one element's reduction; null where arith and complex have none.
mlir::Value emitReduction(mlir::OpBuilder &builder, mlir::Location loc,
                          layout::ReductionKind kind, mlir::Value a,
                          mlir::Value b);
/// Returns whether emitReduction has an op that code can be made of.
bool hasLocalReduction(layout::ReductionKind kind, mlir::Type type);
/// Emits the reduction of \p parts, of [\p numParts, n], along its first dim in
/// ascending order, to \p result, of [n].
void emitLocalReduction(mlir::OpBuilder &builder, mlir::Location loc,
                        BufferEmitter &buffers, layout::ReductionKind kind,
                        int64_t numParts, mlir::Value parts,
                        mlir::Value result);

} // namespace pctl

#endif // PCTL_LIB_CONVERSION_PCTLTONCCL_LOWERING_H
