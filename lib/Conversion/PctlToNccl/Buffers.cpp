// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Buffers.h"

#include "pctl/Conversion/HostTypes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace pctl;
using Fold = BufferEmitter::Fold;

/// Staging memory is as aligned as what bufferization allocates.
static constexpr int64_t kAlignment = 64;

bool pctl::isNcclType(Type type) {
  return type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

std::optional<Wire> pctl::getWire(Type type) {
  std::optional<int64_t> bytes = getHostElementBytes(type);
  if (!bytes)
    return std::nullopt;
  return Wire{type, *bytes, isNcclType(type)};
}

static MemRefType getType(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

Fold BufferEmitter::getSize(Value buffer, int64_t dim) {
  return memref::getMixedSize(builder, loc, buffer, dim);
}

SmallVector<Fold> BufferEmitter::getSizes(Value buffer) {
  return memref::getMixedSizes(builder, loc, buffer);
}

//===----------------------------------------------------------------------===//
// Staging memory
//===----------------------------------------------------------------------===//

/// Emits an allocation of \p shape, static where it is known.
static Value emitAlloc(OpBuilder &builder, Location loc, Type elementType,
                       ArrayRef<Fold> shape) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(shape, dynamicSizes, sizes);
  auto type = MemRefType::get(sizes, elementType);
  return memref::AllocOp::create(builder, loc, type, dynamicSizes,
                                 builder.getI64IntegerAttr(kAlignment));
}

Value BufferEmitter::allocateBytes(Fold numElements) {
  Fold numBytes = math.mul(numElements, math.constant(wire.elementBytes));
  staging.push_back(emitAlloc(builder, loc, builder.getI8Type(), numBytes));
  return staging.back();
}

Value BufferEmitter::allocateSizes(int64_t count) {
  staging.push_back(
      emitAlloc(builder, loc, builder.getI64Type(), math.constant(count)));
  return staging.back();
}

Buffer BufferEmitter::allocate(ArrayRef<Fold> shape) {
  if (!wire.isNative) {
    Value bytes = allocateBytes(math.product(shape));
    return {viewPiece(bytes, math.constant(0), shape).typed, bytes};
  }
  staging.push_back(emitAlloc(builder, loc, wire.elementType, shape));
  return {staging.back(), staging.back()};
}

Buffer BufferEmitter::viewPiece(Value bytes, Fold start, ArrayRef<Fold> shape) {
  Fold elementBytes = math.constant(wire.elementBytes);
  Value shift = math.toValue(math.mul(start, elementBytes));
  auto view = [&](Type elementType, ArrayRef<Fold> viewShape) -> Value {
    SmallVector<int64_t> sizes;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(viewShape, dynamicSizes, sizes);
    return memref::ViewOp::create(builder, loc,
                                  MemRefType::get(sizes, elementType), bytes,
                                  shift, dynamicSizes);
  };
  Value typed = view(wire.elementType, shape);
  if (wire.isNative)
    return {typed, typed};
  return {typed, view(builder.getI8Type(),
                      math.mul(math.product(shape), elementBytes))};
}

void BufferEmitter::freeStaging() {
  for (Value buffer : llvm::reverse(staging))
    memref::DeallocOp::create(builder, loc, buffer);
  staging.clear();
}

Buffer BufferEmitter::getSource(Value buffer, bool mustCopy) {
  if (wire.isNative && !mustCopy && isContiguous(buffer))
    return {buffer, buffer};
  Buffer source = allocate(getSizes(buffer));
  copy(buffer, source.typed);
  return source;
}

Buffer BufferEmitter::getDestination(Value buffer) {
  if (wire.isNative && isContiguous(buffer))
    return {buffer, buffer};
  return allocate(getSizes(buffer));
}

void BufferEmitter::finish(const Buffer &destination, Value buffer) {
  if (destination.typed != buffer)
    copy(destination.typed, buffer);
}

//===----------------------------------------------------------------------===//
// Views and copies
//===----------------------------------------------------------------------===//

Value BufferEmitter::reshape(Value buffer, ArrayRef<Fold> shape, Fold start) {
  SmallVector<Fold> strides(shape.size());
  Fold stride = math.constant(1);
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride = math.mul(stride, shape[dim]);
  }
  if (!getType(buffer).getLayout().isIdentity())
    start =
        math.add(memref::ExtractStridedMetadataOp::create(builder, loc, buffer)
                     .getOffset(),
                 start);
  SmallVector<int64_t> staticSizes, staticStrides, staticStart;
  SmallVector<Value> ignored;
  dispatchIndexOpFoldResults(shape, ignored, staticSizes);
  dispatchIndexOpFoldResults(strides, ignored, staticStrides);
  dispatchIndexOpFoldResults(start, ignored, staticStart);
  auto type = MemRefType::get(staticSizes, getType(buffer).getElementType(),
                              StridedLayoutAttr::get(builder.getContext(),
                                                     staticStart.front(),
                                                     staticStrides));
  return memref::ReinterpretCastOp::create(builder, loc, type, buffer, start,
                                           shape, strides);
}

Value BufferEmitter::slice(Value buffer, ArrayRef<Fold> offsets,
                           ArrayRef<Fold> sizes, unsigned numDropped) {
  SmallVector<Fold> strides(offsets.size(), math.constant(1));
  if (numDropped == 0)
    return memref::SubViewOp::create(builder, loc, buffer, offsets, sizes,
                                     strides);
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> ignored;
  dispatchIndexOpFoldResults(sizes.drop_front(numDropped), ignored,
                             staticSizes);
  auto type = memref::SubViewOp::inferRankReducedResultType(
      staticSizes, getType(buffer), offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, cast<MemRefType>(type), buffer,
                                   offsets, sizes, strides);
}

Value BufferEmitter::getRun(Value buffer) {
  MemRefType type = getType(buffer);
  auto isOne = [](int64_t size) { return size == 1; };
  if (!wire.isNative || type.getRank() == 0 ||
      !llvm::all_of(type.getShape().drop_back(), isOne))
    return {};
  return type.getRank() == 1 ? buffer
                             : reshape(buffer, getSizes(buffer).back());
}

void BufferEmitter::copy(Value from, Value to) {
  linalg::CopyOp::create(builder, loc, from, to);
}

void BufferEmitter::copySwapped(Value from, Value to) {
  linalg::TransposeOp::create(builder, loc, from, to,
                              ArrayRef<int64_t>{1, 0, 2});
}

void BufferEmitter::fillWithZero(Value buffer) {
  Value zero;
  if (auto complexType = dyn_cast<ComplexType>(wire.elementType)) {
    Attribute part = builder.getZeroAttr(complexType.getElementType());
    zero = complex::ConstantOp::create(builder, loc, complexType,
                                       builder.getArrayAttr({part, part}));
  } else {
    zero = arith::ConstantOp::create(builder, loc,
                                     builder.getZeroAttr(wire.elementType));
  }
  linalg::FillOp::create(builder, loc, zero, buffer);
}

/// Returns the value that \p buffer is a view of.
static Value getBase(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

bool pctl::isContiguous(Value buffer) {
  MemRefType type = getType(buffer);
  return type.areTrailingDimsContiguous(type.getRank());
}

bool pctl::haveSameBase(Value a, Value b) { return getBase(a) == getBase(b); }
