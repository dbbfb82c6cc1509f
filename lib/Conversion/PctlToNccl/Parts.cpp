// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Collectives in parts, so that staging memory stays below a chunk. Dims
/// before all those that a collective cuts or joins are rows that it does one
/// like the other; where it works element by element, every element is a row. A
/// part is some rows, the same on all ranks.

#include "Lowering.h"

#include "pctl/Support/CheckedArith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pctl;
using Fold = OpFoldResult;

/// Returns how many dims at the major end are rows of \p op, or nothing for one
/// that uses no staging memory on elements of \p type, or is not done in parts.
static std::optional<unsigned> getNumRowDims(CollectiveOpInterface op,
                                             const Wire &wire) {
  auto type = cast<MemRefType>(op.getInput().getType());
  using Result = std::optional<unsigned>;
  auto byElement = [&](bool needsStaging) -> Result {
    return needsStaging ? Result(type.getRank()) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Result>(op.getOperation())
      .Case([&](AllGatherOp gather) { return Result(gather.getDim()); })
      .Case([&](ReduceScatterOp scatter) { return Result(scatter.getDim()); })
      .Case([&](AllToAllOp exchange) {
        return Result(
            std::min(exchange.getSplitDim(), exchange.getConcatDim()));
      })
      .Case([&](AllReduceOp reduce) {
        return byElement(
            !wire.isNative ||
            !hasNcclReduction(reduce.getKind(), type.getElementType()));
      })
      .Case<BroadcastOp, PermuteOp>(
          [&](auto) { return byElement(!wire.isNative); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns the most staging memory that a row of \p op takes, of which there
/// are \p numRows; nothing beyond 64 bits. What NCCL does not reduce is
/// gathered from all ranks, or exchanged between them, and reduced here.
static std::optional<int64_t> getRowBytes(CollectiveOpInterface op,
                                          const OpContext &context,
                                          const Wire &wire, int64_t numRows) {
  auto in = cast<MemRefType>(op.getInput().getType());
  auto out = cast<MemRefType>(op.getOutput().getType());
  int64_t numCopies = 1;
  if (isa<AllReduceOp>(op.getOperation()))
    numCopies = context.group.getSize();
  else if (auto scatter = dyn_cast<ReduceScatterOp>(op.getOperation()))
    numCopies =
        hasNcclReduction(scatter.getKind(), in.getElementType()) ? 1 : 2;
  std::optional<int64_t> count =
      checkedMul(in.getNumElements() / numRows, numCopies);
  if (!count)
    return std::nullopt;
  return checkedMul(*count + out.getNumElements() / numRows, wire.elementBytes);
}

/// Returns the sizes of \p buffer behind its first \p numDims, after \p rows.
static SmallVector<Fold> getPartShape(const IndexMath &math, Value buffer,
                                      unsigned numDims, int64_t rows) {
  SmallVector<Fold> shape = {math.constant(rows)};
  ArrayRef<int64_t> sizes = cast<MemRefType>(buffer.getType()).getShape();
  for (int64_t size : sizes.drop_front(numDims))
    shape.push_back(math.constant(size));
  return shape;
}

bool pctl::emitInParts(CollectiveOpInterface op, const OpContext &context,
                       const Wire &wire,
                       function_ref<void(Value, Value, unsigned)> emitPart) {
  Value input = op.getInput(), output = op.getOutput();
  auto in = cast<MemRefType>(input.getType());
  auto out = cast<MemRefType>(output.getType());
  std::optional<unsigned> numDims = getNumRowDims(op, wire);
  if (!numDims || *numDims == 0 || context.group.getSize() == 1 ||
      !in.hasStaticShape() || !out.hasStaticShape() ||
      in.getNumElements() == 0 || !isContiguous(input) ||
      !isContiguous(output) || haveSameBase(input, output))
    return false;
  int64_t numRows = 1;
  for (int64_t size : in.getShape().take_front(*numDims))
    numRows *= size;
  std::optional<int64_t> rowBytes = getRowBytes(op, context, wire, numRows);
  if (!rowBytes)
    return false;
  int64_t perPart = std::max<int64_t>(context.chunkBytes / *rowBytes, 1);
  if (perPart >= numRows)
    return false;

  OpBuilder &builder = context.builder;
  Location loc = op.getLoc();
  BufferEmitter buffers(builder, loc, wire);
  const IndexMath &math = buffers.math;
  auto emitRows = [&](Fold first, int64_t rows) {
    auto getPart = [&](Value buffer) {
      int64_t rowSize =
          cast<MemRefType>(buffer.getType()).getNumElements() / numRows;
      return buffers.reshape(buffer, getPartShape(math, buffer, *numDims, rows),
                             math.mul(first, math.constant(rowSize)));
    };
    Value partIn = getPart(input);
    emitPart(partIn, getPart(output), *numDims);
  };
  int64_t numFull = numRows / perPart * perPart;
  auto loop = scf::ForOp::create(builder, loc, math.toValue(math.constant(0)),
                                 math.toValue(math.constant(numFull)),
                                 math.toValue(math.constant(perPart)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitRows(loop.getInductionVar(), perPart);
  }
  if (numFull != numRows)
    emitRows(math.constant(numFull), numRows - numFull);
  return true;
}
