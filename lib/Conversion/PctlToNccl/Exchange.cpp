// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The exchange of boxes.
///
/// Where nothing is listed, who sends what to whom follows from the layouts
/// alone, and is computed by each rank while it runs, in loops over the members
/// of the group: the piece from p to q is what p is to supply, cut with q's box
/// after, and nothing if both had the same box before. The group is that of the
/// axes which cut what is supplied, so each element of what a rank needs is
/// supplied by exactly one member, and pieces never meet. Both sides compute a
/// piece by the same formula, so both leave out the same empty ones.
///
/// What is listed is in two tables of the program, by sender and by receiver,
/// of which each rank walks through its own part.

#include "Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;
using EmittedBox = SmallVector<EmittedRange>;
using layout::AxisRef;
using redistribute::Step;
using redistribute::Transfer;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// The tensor of an exchange, and boxes in it. Dims at the minor end of which
/// each message has all that its ends hold are taken as one with the last dim
/// that is another.
class BoxEmitter {
public:
  BoxEmitter(Location loc, const OpContext &context, BufferEmitter &buffers,
             const Step &step, ArrayRef<int64_t> globalShape, Value input);

  unsigned getNumDims() const { return numDims; }
  /// Local elements of the last of those dims for one of the tensor's.
  Fold getInnerSize() const { return innerSize; }

  /// The box of \p rank under \p layout.
  EmittedBox emitBox(const layout::Layout &layout, Fold rank);
  EmittedBox intersect(const EmittedBox &a, const EmittedBox &b);
  /// Returns \p box as it lies in a buffer that holds \p outer.
  Piece getPiece(const EmittedBox &outer, const EmittedBox &box);
  /// Returns \p buffer with the last dims taken as one.
  Value collapse(Value buffer);

private:
  Location loc;
  const OpContext &context;
  BufferEmitter &buffers;
  const IndexMath &math;
  ArrayRef<int64_t> globalShape;
  /// The sizes of all dims. One that is not known is not cut, and so the
  /// input's.
  SmallVector<Fold> sizes;
  unsigned numDims;
  Fold innerSize;
};
} // namespace

/// Returns whether each message of \p step, within \p group, has of \p dim, of
/// \p size elements, all that both of its ends hold.
static bool isWhole(const Step &step, const Group &group, unsigned dim,
                    int64_t size) {
  const layout::DimLayout &from = step.from.dims[dim];
  auto isAlike = [&](const layout::DimLayout &other) {
    return other.axes == from.axes && other.blockSizes == from.blockSizes;
  };
  if (!isAlike(step.to.dims[dim]) ||
      (step.owners && !isAlike(step.owners->dims[dim])))
    return false;
  // A table has numbers that do not depend on the rank.
  if (!step.transfers.empty())
    return layout::getNumPositions(from.axes) == 1 &&
           llvm::all_of(step.transfers, [&](const Transfer &transfer) {
             return transfer.box[dim].size == size;
           });
  return llvm::none_of(from.axes, [&](AxisRef axis) {
    return llvm::any_of(group.axes,
                        [&](AxisRef other) { return axis.overlaps(other); });
  });
}

BoxEmitter::BoxEmitter(Location loc, const OpContext &context,
                       BufferEmitter &buffers, const Step &step,
                       ArrayRef<int64_t> globalShape, Value input)
    : loc(loc), context(context), buffers(buffers), math(buffers.math),
      globalShape(globalShape), numDims(globalShape.size()),
      innerSize(math.constant(1)) {
  for (auto [dim, size] : llvm::enumerate(globalShape))
    sizes.push_back(ShapedType::isDynamic(size) ? buffers.getSize(input, dim)
                                                : math.constant(size));
  while (numDims > 1 &&
         isWhole(step, context.group, numDims - 1, globalShape[numDims - 1]))
    innerSize = math.mul(innerSize, buffers.getSize(input, --numDims));
}

EmittedBox BoxEmitter::emitBox(const layout::Layout &layout, Fold rank) {
  EmittedBox box;
  for (unsigned dim = 0; dim != numDims; ++dim) {
    if (ShapedType::isDynamic(globalShape[dim])) {
      box.push_back({math.constant(0), sizes[dim]});
      continue;
    }
    Fold at =
        emitCoordinate(math, context.group.mesh, layout.dims[dim].axes, rank);
    box.push_back(emitBlock(context.builder, loc, context.tables,
                            layout.dims[dim], globalShape[dim], at));
  }
  if (!box.empty())
    box.back() = {math.mul(box.back().offset, innerSize),
                  math.mul(box.back().size, innerSize)};
  return box;
}

EmittedBox BoxEmitter::intersect(const EmittedBox &a, const EmittedBox &b) {
  EmittedBox common;
  for (auto [x, y] : llvm::zip(a, b))
    common.push_back(emitIntersection(math, x, y));
  return common;
}

Piece BoxEmitter::getPiece(const EmittedBox &outer, const EmittedBox &box) {
  Piece piece;
  for (auto [whole, part] : llvm::zip(outer, box)) {
    piece.offsets.push_back(math.sub(part.offset, whole.offset));
    piece.sizes.push_back(part.size);
  }
  return piece;
}

Value BoxEmitter::collapse(Value buffer) {
  if (numDims == globalShape.size())
    return buffer;
  SmallVector<Fold> shape = buffers.getSizes(buffer);
  shape.truncate(numDims);
  shape.back() = math.mul(shape.back(), innerSize);
  return buffers.reshape(buffer, shape);
}

//===----------------------------------------------------------------------===//
// Pieces that follow from layouts
//===----------------------------------------------------------------------===//

namespace {
class LayoutPieces : public PieceLoops {
public:
  LayoutPieces(const OpContext &context, const IndexMath &math, Location loc,
               BoxEmitter &boxes, const Step &step)
      : context(context), math(math), loc(loc), boxes(boxes), step(step),
        supplied(step.owners ? *step.owners : step.from),
        position(emitCoordinate(math, context.group.mesh, context.group.axes,
                                context.rank)) {
    for (const layout::DimLayout &dim : step.from.dims)
      llvm::append_range(heldAxes, dim.axes);
  }

  Value emitSends(Body body) override;
  Value emitRecvs(Body body) override;

private:
  /// Emits a loop over the other members, each rank starting behind itself.
  Value emitMembers(const EmittedBox &outer,
                    function_ref<EmittedBox(Fold rank)> emitCommon, Body body);

  const OpContext &context;
  const IndexMath &math;
  Location loc;
  BoxEmitter &boxes;
  const Step &step;
  /// What each rank sends of.
  const layout::Layout &supplied;
  /// Ranks of a group with one position along these hold the same box before.
  SmallVector<AxisRef> heldAxes;
  Fold position;
};
} // namespace

Value LayoutPieces::emitMembers(const EmittedBox &outer,
                                function_ref<EmittedBox(Fold)> emitCommon,
                                Body body) {
  const layout::Mesh &mesh = context.group.mesh;
  OpBuilder &builder = context.builder;
  Fold size = math.constant(context.group.getSize());
  auto emitMember = [&](Value distance, Value running) -> Fold {
    Fold peer = math.rem(math.add(position, distance), size);
    Fold rank =
        emitWithCoordinate(math, mesh, context.group.axes, context.rank, peer);
    Piece piece = boxes.getPiece(outer, emitCommon(rank));
    if (step.owners) {
      Value hasOther = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ne,
          math.toValue(emitCoordinate(math, mesh, heldAxes, context.rank)),
          math.toValue(emitCoordinate(math, mesh, heldAxes, rank)));
      piece.sizes[0] = arith::SelectOp::create(builder, loc, hasOther,
                                               math.toValue(piece.sizes[0]),
                                               math.toValue(math.constant(0)))
                           .getResult();
    }
    return body(peer, piece, running);
  };
  return emitRunningLoop(math, builder, loc, math.constant(1), size,
                         emitMember);
}

Value LayoutPieces::emitSends(Body body) {
  EmittedBox own = boxes.emitBox(supplied, context.rank);
  auto emitCommon = [&](Fold rank) {
    return boxes.intersect(own, boxes.emitBox(step.to, rank));
  };
  return emitMembers(boxes.emitBox(step.from, context.rank), emitCommon, body);
}

Value LayoutPieces::emitRecvs(Body body) {
  EmittedBox own = boxes.emitBox(step.to, context.rank);
  auto emitCommon = [&](Fold rank) {
    return boxes.intersect(own, boxes.emitBox(supplied, rank));
  };
  return emitMembers(own, emitCommon, body);
}

//===----------------------------------------------------------------------===//
// Pieces that are listed
//===----------------------------------------------------------------------===//

namespace {
class ListedPieces : public PieceLoops {
public:
  ListedPieces(const OpContext &context, const IndexMath &math, Location loc,
               BoxEmitter &boxes, const Step &step)
      : context(context), math(math), loc(loc), boxes(boxes), step(step) {}

  Value emitSends(Body body) override {
    return emitEntries(&Transfer::source, &Transfer::target, step.from, body);
  }
  Value emitRecvs(Body body) override {
    return emitEntries(&Transfer::target, &Transfer::source, step.to, body);
  }

private:
  /// Emits a loop over what the table lists for this rank as \p self: pieces of
  /// its box under \p held.
  Value emitEntries(int64_t Transfer::*self, int64_t Transfer::*peer,
                    const layout::Layout &held, Body body);
  /// Emits a read of number \p at of the table, of i64.
  Fold emitLoad(Value table, ValueRange at);

  const OpContext &context;
  const IndexMath &math;
  Location loc;
  BoxEmitter &boxes;
  const Step &step;
};

/// A table with a row for each transfer, all rows of one rank together.
struct EntryTable {
  /// Where the rows of each rank start, and where the last one's end.
  SmallVector<int64_t> starts;
  /// Position of the other end in the group, then offset and size of each dim.
  std::vector<SmallVector<int64_t>> rows;

  /// Returns the number that all rows have in \p column, if they do.
  std::optional<int64_t> getCommon(unsigned column) const {
    int64_t first = rows.front()[column];
    if (llvm::any_of(rows, [&](auto &row) { return row[column] != first; }))
      return std::nullopt;
    return first;
  }
};
} // namespace

static EntryTable makeTable(const Step &step, const Group &group,
                            const BoxEmitter &boxes, int64_t Transfer::*self,
                            int64_t Transfer::*peer) {
  // Between two ranks the order stays that of the list, on both of them.
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [number, transfer] : llvm::enumerate(step.transfers))
    order.push_back({transfer.*self, number});
  llvm::sort(order);
  EntryTable table;
  int64_t numRanks = group.mesh.getNumRanks();
  table.starts.assign(numRanks + 1, 0);
  for (auto [rank, number] : order) {
    const Transfer &transfer = step.transfers[number];
    ++table.starts[rank + 1];
    SmallVector<int64_t> row = {
        group.mesh.getCoordinate(transfer.*peer, group.axes)};
    for (unsigned dim = 0; dim != boxes.getNumDims(); ++dim) {
      bool isLast = dim + 1 == boxes.getNumDims();
      // All sizes are known where something is listed.
      int64_t inner = isLast ? *IndexMath::known(boxes.getInnerSize()) : 1;
      row.push_back(transfer.box[dim].offset * inner);
      row.push_back(transfer.box[dim].size * inner);
    }
    table.rows.push_back(std::move(row));
  }
  for (int64_t rank = 0; rank != numRanks; ++rank)
    table.starts[rank + 1] += table.starts[rank];
  return table;
}

Fold ListedPieces::emitLoad(Value table, ValueRange at) {
  OpBuilder &builder = context.builder;
  Value number = memref::LoadOp::create(builder, loc, table, at);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    number)
      .getResult();
}

Value ListedPieces::emitEntries(int64_t Transfer::*self,
                                int64_t Transfer::*peer,
                                const layout::Layout &held, Body body) {
  OpBuilder &builder = context.builder;
  EntryTable entries = makeTable(step, context.group, boxes, self, peer);
  int64_t numRows = entries.rows.size(), length = entries.rows.front().size();
  SmallVector<int64_t> values;
  for (const SmallVector<int64_t> &row : entries.rows)
    llvm::append_range(values, row);
  Value starts = context.tables.emit(
      builder, loc, int64_t(entries.starts.size()), entries.starts);
  Value rows = context.tables.emit(builder, loc, {numRows, length}, values);
  EmittedBox outer = boxes.emitBox(held, context.rank);

  Fold next = math.add(context.rank, math.constant(1));
  Fold first = emitLoad(starts, context.rank);
  Fold last = emitLoad(starts, math.toValue(next));
  auto emitEntry = [&](Value row, Value running) -> Fold {
    auto read = [&](unsigned column) -> Fold {
      if (std::optional<int64_t> common = entries.getCommon(column))
        return math.constant(*common);
      return emitLoad(rows, {row, math.toValue(math.constant(column))});
    };
    EmittedBox box;
    for (unsigned dim = 0; dim != boxes.getNumDims(); ++dim)
      box.push_back({read(1 + 2 * dim), read(2 + 2 * dim)});
    return body(read(0), boxes.getPiece(outer, box), running);
  };
  return emitRunningLoop(math, builder, loc, first, last, emitEntry);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Copies what a rank has and keeps.
static void keepOwn(const OpContext &context, BufferEmitter &buffers,
                    BoxEmitter &boxes, const Step &step, Value input,
                    Value output) {
  EmittedBox from = boxes.emitBox(step.from, context.rank);
  EmittedBox to = boxes.emitBox(step.to, context.rank);
  EmittedBox kept = boxes.intersect(from, to);
  Piece source = boxes.getPiece(from, kept), target = boxes.getPiece(to, kept);
  buffers.copy(buffers.slice(input, source.offsets, source.sizes),
               buffers.slice(output, target.offsets, target.sizes));
}

void pctl::lowerExchange(ExchangeOp op, const OpContext &context,
                         BufferEmitter &buffers) {
  // The verifier has checked it.
  FailureOr<Step> step = getStep(op, [&] { return op.emitOpError(); });
  if (failed(step))
    return;
  Location loc = op.getLoc();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getGlobalType()).getShape();
  Value input = op.getInput(), output = op.getOutput();
  if (shape.empty())
    return buffers.copy(input, output);
  if (!isContiguous(input) || haveSameBase(input, output))
    input = buffers.getSource(input, /*mustCopy=*/true).typed;
  Buffer staged = {output, output};
  if (!isContiguous(output))
    staged = buffers.allocate(buffers.getSizes(output));

  BoxEmitter boxes(loc, context, buffers, *step, shape, input);
  input = boxes.collapse(input);
  Value target = boxes.collapse(staged.typed);
  keepOwn(context, buffers, boxes, *step, input, target);
  if (context.group.getSize() > 1) {
    LayoutPieces byLayout(context, buffers.math, loc, boxes, *step);
    ListedPieces listed(context, buffers.math, loc, boxes, *step);
    PieceLoops &pieces =
        step->transfers.empty() ? static_cast<PieceLoops &>(byLayout) : listed;
    emitExchange(context, loc, buffers, pieces, input, target, step->rounds);
  }
  buffers.finish(staged, output);
}
