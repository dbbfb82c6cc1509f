// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Writes slices in one way. Upstream finds out which dims a slice drops by
/// comparing sizes and strides of types, and goes wrong where a dim of size 1
/// has a stride, or where a number becomes known later than the types. The
/// docstring of the pass in Passes.td has the rules.

#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_NORMALIZESLICESPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

/// Makes numbers of those of \p values that are constants.
static void foldConstants(SmallVectorImpl<OpFoldResult> &values, Builder b) {
  for (OpFoldResult &value : values)
    if (std::optional<int64_t> number = getConstantIntValue(value))
      value = b.getIndexAttr(*number);
}

namespace {
/// Where a slice starts, how long it is, and how far its elements are apart.
struct Place {
  template <typename SliceOp>
  explicit Place(SliceOp op)
      : offsets(op.getMixedOffsets()), sizes(op.getMixedSizes()),
        strides(op.getMixedStrides()) {}

  /// Brings it to the one way.
  void normalize(Builder b);

  bool operator==(const Place &other) const {
    return offsets == other.offsets && strides == other.strides;
  }

  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

void Place::normalize(Builder b) {
  foldConstants(offsets, b);
  foldConstants(strides, b);
  // The types tell sizes; those of which they do not stay values.
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (getConstantIntValue(size) == 1)
      stride = b.getIndexAttr(1);
}

static void normalize(tensor::ExtractSliceOp op) {
  OpBuilder builder(op);
  Place place(op);
  place.normalize(builder);
  if (place == Place(op))
    return;
  auto made = tensor::ExtractSliceOp::create(builder, op.getLoc(), op.getType(),
                                             op.getSource(), place.offsets,
                                             place.sizes, place.strides);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(made.getResult());
  op.erase();
}

static void normalize(tensor::InsertSliceOp op) {
  OpBuilder builder(op);
  Place place(op);
  place.normalize(builder);
  if (place == Place(op))
    return;
  auto made = tensor::InsertSliceOp::create(
      builder, op.getLoc(), op.getSource(), op.getDest(), place.offsets,
      place.sizes, place.strides);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(made.getResult());
  op.erase();
}

static void normalize(tensor::ParallelInsertSliceOp op) {
  OpBuilder builder(op);
  Place place(op);
  place.normalize(builder);
  if (place == Place(op))
    return;
  auto made = tensor::ParallelInsertSliceOp::create(
      builder, op.getLoc(), op.getSource(), op.getDest(), place.offsets,
      place.sizes, place.strides);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.erase();
}

namespace {
struct NormalizeSlices : pctl::impl::NormalizeSlicesPassBase<NormalizeSlices> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp,
                tensor::ParallelInsertSliceOp>(
              [](auto slice) { normalize(slice); });
    });
  }
};
} // namespace
