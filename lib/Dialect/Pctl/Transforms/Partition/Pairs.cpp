// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Combines pairs: the same body, with the elements that ranks found as its
/// candidates.

#include "Pairs.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace pctl::detail {
namespace {

class PairCombiner {
public:
  PairCombiner(linalg::GenericOp op, linalg::GenericOp local,
               const PairReduction &pair, ArrayRef<layout::AxisRef> axes,
               PartitionContext &ctx)
      : op(op), local(local), pair(pair), axes(axes), ctx(ctx),
        builder(ctx.getBuilder()), loc(op.getLoc()) {}

  void combine();

private:
  void trackBestBeforeNaN();
  Value gather(Value found);
  void createBody(OpBuilder &body, ValueRange args);

  linalg::GenericOp op;
  linalg::GenericOp local;
  const PairReduction &pair;
  ArrayRef<layout::AxisRef> axes;
  PartitionContext &ctx;
  OpBuilder &builder;
  Location loc;
};

} // namespace

/// Gives the local op a third result, the best element before the first NaN:
/// the one with which what other ranks found has to be compared.
void PairCombiner::trackBestBeforeNaN() {
  SmallVector<Value> inputs = local.getDpsInputs();
  SmallVector<Value> outputs(local.getDpsInits());
  outputs.push_back(outputs[pair.best]);
  SmallVector<Type> types(local->getResultTypes());
  types.push_back(types[pair.best]);
  SmallVector<AffineMap> maps = local.getIndexingMapsArray();
  maps.push_back(maps.back());
  Block *old = local.getBody();
  auto tracking = linalg::GenericOp::create(
      builder, loc, types, inputs, outputs, maps, local.getIteratorTypesArray(),
      [&](OpBuilder &body, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(old->getArguments(), args.drop_back());
        for (Operation &inner : old->without_terminator())
          body.clone(inner, mapping);
        SmallVector<Value> yielded;
        for (Value value : old->getTerminator()->getOperands())
          yielded.push_back(mapping.lookupOrDefault(value));
        Value best = yielded[pair.best];
        Value isNaN = arith::CmpFOp::create(
            body, loc, arith::CmpFPredicate::UNO, best, best);
        yielded.push_back(
            arith::SelectOp::create(body, loc, isNaN, args.back(), best));
        linalg::YieldOp::create(body, loc, yielded);
      });
  local.erase();
  local = tracking;
}

/// Returns what the ranks along the axes found, as the places of a new dim 0.
Value PairCombiner::gather(Value found) {
  auto type = cast<RankedTensorType>(found.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, found);
  sizes.insert(sizes.begin(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    groups.push_back({dim + 1});
    if (dim == 0)
      groups.back().insert(groups.back().begin(), 0);
  }
  Value own = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), found,
      groups, sizes);
  sizes.front() = builder.getIndexAttr(layout::getNumPositions(axes));
  Value all =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return AllGatherOp::create(builder, loc, all.getType(), own, all,
                             builder.getI64IntegerAttr(0),
                             toAttr(builder.getContext(), ctx.getMesh(),
                                    layout::normalizeAxes(axes)),
                             ctx.getMeshSymbol())
      .getResult();
}

/// Keeps the better pair. The arguments are the element and the place of a
/// rank, the element to compare where that is another, and the two
/// accumulators.
void PairCombiner::createBody(OpBuilder &body, ValueRange args) {
  Value element = args[0], place = args[1], compared = args.drop_back(2).back();
  if (args.size() == 4)
    compared = element;
  Value bestSoFar = args.take_back(2)[pair.best];
  Value placeSoFar = args.take_back(2)[pair.place];
  IRMapping mapping;
  unsigned first = pair.candidateIsFirst ? 0 : 1;
  mapping.map(pair.compare->getOperand(first), compared);
  mapping.map(pair.compare->getOperand(1 - first), bestSoFar);
  Value isBetter = body.clone(*pair.compare, mapping)->getResult(0);
  mapping.map(pair.compare->getOperand(first), element);
  SmallVector<Value> yielded(2);
  yielded[pair.best] = body.clone(*pair.choose, mapping)->getResult(0);
  yielded[pair.place] =
      arith::SelectOp::create(body, loc, isBetter, place, placeSoFar);
  linalg::YieldOp::create(body, loc, yielded);
}

void PairCombiner::combine() {
  SmallVector<Value> inits(local.getDpsInits());
  if (pair.stopsAtNaN())
    trackBestBeforeNaN();
  SmallVector<Value> found = {gather(local->getResult(pair.best)),
                              gather(local->getResult(pair.place))};
  if (pair.stopsAtNaN())
    found.push_back(gather(local->getResult(2)));
  unsigned rank = cast<RankedTensorType>(inits.front().getType()).getRank();
  AffineMap all = builder.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineMap> maps(found.size(), all);
  maps.append(2, all.dropResult(0));
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  auto combined = linalg::GenericOp::create(
      builder, loc, TypeRange(ValueRange(inits)), found, inits, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange args) {
        createBody(body, args);
      });
  for (auto [global, result] :
       llvm::zip(op->getResults(), combined->getResults()))
    ctx.setLocal(global, result);
}

void combinePairs(linalg::GenericOp op, linalg::GenericOp local,
                  const PairReduction &pair, ArrayRef<layout::AxisRef> axes,
                  PartitionContext &ctx) {
  PairCombiner(op, local, pair, axes, ctx).combine();
}

} // namespace pctl::detail
