// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Writes ops that have no rule and no loops by ops that have: gathers as
/// structured ops that look up, packs and unpacks as reshapes and transposes.

#include "pctl/Dialect/Pctl/IR/PctlAttrs.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_DECOMPOSEOPSPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Returns entry \p number of the last dim of \p indices, without that dim.
static Value takeCoordinate(OpBuilder &builder, Location loc,
                            TypedValue<RankedTensorType> indices,
                            int64_t number) {
  RankedTensorType type = indices.getType();
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  offsets.back() = builder.getIndexAttr(number);
  sizes.back() = builder.getIndexAttr(1);
  auto taken =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  return tensor::ExtractSliceOp::create(builder, loc, taken, indices, offsets,
                                        sizes, strides);
}

/// Writes \p op, of static shapes, as a structured op: its loops are the dims
/// of the result, and its body looks up one element of the source.
static Value decomposeGather(OpBuilder &builder, tensor::GatherOp op) {
  Location loc = op.getLoc();
  RankedTensorType result = op.getResultType(), source = op.getSourceType();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  int64_t numBatchDims = op.getIndicesType().getRank() - 1;
  SmallVector<Value> coordinates;
  for (int64_t number = 0; number < static_cast<int64_t>(gathered.size());
       ++number)
    coordinates.push_back(
        takeCoordinate(builder, loc, op.getIndices(), number));

  MLIRContext *context = builder.getContext();
  unsigned numLoops = result.getRank();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(numLoops, context);
  SmallVector<AffineMap> maps(
      coordinates.size(),
      AffineMap::get(numLoops, /*symbolCount=*/0,
                     identity.getResults().take_front(numBatchDims), context));
  maps.push_back(identity);
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(builder, loc, result.getShape(),
                                       result.getElementType());
  bool keepsDims = numLoops == numBatchDims + source.getRank();
  auto lookUp = [&](OpBuilder &body, Location loc, ValueRange arguments) {
    SmallVector<Value> place;
    int64_t loop = numBatchDims;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      auto number = llvm::find(gathered, dim);
      if (number == gathered.end()) {
        place.push_back(linalg::IndexOp::create(body, loc, loop++));
        continue;
      }
      Value coordinate = arguments[number - gathered.begin()];
      if (!coordinate.getType().isIndex())
        coordinate = arith::IndexCastOp::create(body, loc, body.getIndexType(),
                                                coordinate);
      place.push_back(coordinate);
      loop += keepsDims;
    }
    Value element = tensor::ExtractOp::create(body, loc, op.getSource(), place);
    linalg::YieldOp::create(body, loc, element);
  };
  return linalg::GenericOp::create(builder, loc, result, coordinates, init,
                                   maps, iterators, lookUp)
      .getResult(0);
}

static bool isStatic(tensor::GatherOp op) {
  return op.getSourceType().hasStaticShape() &&
         op.getIndicesType().hasStaticShape();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct DecomposeOps : pctl::impl::DecomposeOpsPassBase<DecomposeOps> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<tensor::GatherOp, linalg::PackOp, linalg::UnPackOp>(op) &&
          !op->hasAttr(pctl::kRuleAttrName))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
        if (isStatic(gather))
          rewriter.replaceOp(gather, decomposeGather(rewriter, gather));
      } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
        // What upstream does not write so stays, and is done whole.
        (void)linalg::lowerPack(rewriter, pack,
                                /*lowerPadLikeWithInsertSlice=*/false);
      } else {
        (void)linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op),
                                  /*lowerUnpadLikeWithExtractSlice=*/false);
      }
    }
  }
};
} // namespace
