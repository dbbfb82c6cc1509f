// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Positions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace pctl;
using layout::AxisRef;

/// Emits the position of \p rank along the one \p axis.
static OpFoldResult emitAxisCoordinate(const IndexMath &math,
                                       const layout::Mesh &mesh, AxisRef axis,
                                       OpFoldResult rank) {
  int64_t stride = mesh.getStride(axis);
  OpFoldResult quotient = math.div(rank, math.constant(stride));
  // What is before this one is nothing where it is the major end of the mesh.
  if (stride * axis.size == mesh.getNumRanks())
    return quotient;
  return math.rem(quotient, math.constant(axis.size));
}

OpFoldResult pctl::emitCoordinate(const IndexMath &math,
                                  const layout::Mesh &mesh,
                                  ArrayRef<AxisRef> axes, OpFoldResult rank) {
  OpFoldResult position = math.constant(0);
  for (AxisRef axis : axes) {
    // One after the other: compilers differ in the order of arguments.
    OpFoldResult before = math.mul(position, math.constant(axis.size));
    position = math.add(before, emitAxisCoordinate(math, mesh, axis, rank));
  }
  return position;
}

OpFoldResult pctl::emitWithCoordinate(const IndexMath &math,
                                      const layout::Mesh &mesh,
                                      ArrayRef<AxisRef> axes, OpFoldResult rank,
                                      OpFoldResult coordinate) {
  for (AxisRef axis : llvm::reverse(axes)) {
    OpFoldResult stride = math.constant(mesh.getStride(axis));
    OpFoldResult old = emitAxisCoordinate(math, mesh, axis, rank);
    OpFoldResult fresh = axis == axes.front()
                             ? coordinate
                             : math.rem(coordinate, math.constant(axis.size));
    coordinate = math.div(coordinate, math.constant(axis.size));
    OpFoldResult others = math.sub(rank, math.mul(old, stride));
    rank = math.add(others, math.mul(fresh, stride));
  }
  return rank;
}

Value ConstantTables::emit(OpBuilder &builder, Location loc,
                           ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  auto contents = DenseElementsAttr::get(
      RankedTensorType::get(shape, builder.getI64Type()), values);
  auto type = MemRefType::get(shape, builder.getI64Type());
  Operation *&global = globals[contents];
  if (!global) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    global = memref::GlobalOp::create(
        atStart, loc, "pctl_table", atStart.getStringAttr("private"), type,
        contents, /*constant=*/true, /*alignment=*/nullptr);
    symbols.insert(global);
  }
  return memref::GetGlobalOp::create(
      builder, loc, type, cast<memref::GlobalOp>(global).getSymName());
}

EmittedRange pctl::emitEqualBlock(const IndexMath &math, int64_t numPositions,
                                  OpFoldResult globalSize,
                                  OpFoldResult position) {
  OpFoldResult block = math.ceilDiv(globalSize, math.constant(numPositions));
  OpFoldResult start = math.mul(position, block);
  std::optional<int64_t> known = IndexMath::known(globalSize);
  if (known && *known % numPositions == 0)
    return {start, block};
  OpFoldResult offset = math.min(start, globalSize);
  return {offset, math.min(block, math.sub(globalSize, offset))};
}

EmittedRange pctl::emitIntersection(const IndexMath &math, EmittedRange a,
                                    EmittedRange b) {
  OpFoldResult start = math.max(a.offset, b.offset);
  OpFoldResult endOfA = math.add(a.offset, a.size);
  OpFoldResult end = math.min(endOfA, math.add(b.offset, b.size));
  return {start, math.max(math.sub(end, start), math.constant(0))};
}

EmittedRange pctl::emitBlock(OpBuilder &builder, Location loc,
                             ConstantTables &tables,
                             const layout::DimLayout &dim, int64_t globalSize,
                             OpFoldResult position) {
  IndexMath math(builder, loc);
  int64_t numPositions = layout::getNumPositions(dim.axes);
  if (numPositions == 1)
    return {math.constant(0), math.constant(globalSize)};
  if (dim.blockSizes.empty())
    return emitEqualBlock(math, numPositions, math.constant(globalSize),
                          position);
  SmallVector<int64_t> starts = {0};
  for (int64_t size : dim.blockSizes)
    starts.push_back(starts.back() + size);
  Value table = tables.emit(builder, loc, int64_t(starts.size()), starts);
  auto load = [&](OpFoldResult at) -> OpFoldResult {
    Value start = memref::LoadOp::create(builder, loc, table, math.toValue(at));
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      start)
        .getResult();
  };
  OpFoldResult offset = load(position);
  OpFoldResult end = load(math.add(position, math.constant(1)));
  return {offset, math.sub(end, offset)};
}
