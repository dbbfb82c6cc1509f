// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// All-reduces that bring elements which nobody keeps: of the sum of n ranks,
/// each keeps its block (a reduce-scatter), or all keep one slice (slice
/// first). And all-reduces of all-reduces, which are one.

#include "Rewrites.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Support/CheckedArith.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

/// Creates the tensor that a collective with a result of \p type writes to.
static Value createOutput(RewriteContext &context, Location loc,
                          RankedTensorType type) {
  return tensor::EmptyOp::create(context.rewriter, loc, type.getShape(),
                                 type.getElementType(), type.getEncoding());
}

static bool overlap(ArrayRef<layout::AxisRef> a, ArrayRef<layout::AxisRef> b) {
  return llvm::any_of(a, [&](layout::AxisRef first) {
    return llvm::any_of(
        b, [&](layout::AxisRef second) { return first.overlaps(second); });
  });
}

/// Returns \p all without \p removed, which are among them as they are; nothing
/// where they are not.
static std::optional<SmallVector<layout::AxisRef>>
subtract(ArrayRef<layout::AxisRef> all, ArrayRef<layout::AxisRef> removed) {
  SmallVector<layout::AxisRef> rest(all);
  for (layout::AxisRef axis : removed) {
    auto *it = llvm::find(rest, axis);
    if (it == rest.end())
      return std::nullopt;
    rest.erase(it);
  }
  return rest;
}

/// Makes a reduce-scatter, and an all-reduce along what is left of the axes, of
/// \p reduce whose blocks \p slice keeps. Axes of the slice that are not
/// reduced are not for this.
static bool scatter(AllReduceOp reduce, AllSliceOp slice,
                    RewriteContext &context) {
  layout::Mesh mesh = cast<CollectiveOpInterface>(*reduce).getMeshValue();
  auto reduceAxes = cast<CollectiveOpInterface>(*reduce).getMeshAxes();
  auto sliceAxes = cast<CollectiveOpInterface>(*slice).getMeshAxes();
  std::optional<SmallVector<layout::AxisRef>> rest =
      subtract(reduceAxes, sliceAxes);
  auto type = cast<RankedTensorType>(slice.getResult().getType());
  auto whole = cast<RankedTensorType>(reduce.getResult().getType());
  int64_t dim = slice.getDim();
  // A reduce_scatter is even.
  if (!context.isAsked(RewriteKind::ReduceScatter) || !rest ||
      !type.hasStaticShape() ||
      whole.getDimSize(dim) % layout::getNumPositions(sliceAxes) != 0)
    return false;
  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(slice);
  Location loc = slice.getLoc();
  SmallVector<Operation *> after;
  auto scattered = ReduceScatterOp::create(
      rewriter, loc, type, reduce.getInput(), createOutput(context, loc, type),
      reduce.getKindAttr(), slice.getDimAttr(), slice.getAxes(),
      slice.getMeshAttr());
  after.push_back(scattered);
  Value result = scattered.getResult();
  if (layout::getNumPositions(*rest) > 1) {
    auto reduced = AllReduceOp::create(
        rewriter, loc, type, result, createOutput(context, loc, type),
        reduce.getKindAttr(),
        toAttr(rewriter.getContext(), mesh, ArrayRef(*rest)),
        slice.getMeshAttr());
    after.push_back(reduced);
    result = reduced.getResult();
  }
  for (Operation *op : after)
    context.addFresh(op->getResult(0));
  context.record(RewriteKind::ReduceScatter, loc, {reduce, slice}, after);
  rewriter.replaceOp(slice, result);
  rewriter.eraseOp(reduce);
  return true;
}

/// Makes \p reduce reduce what \p slice keeps alone, where ranks of a group
/// keep the same of it.
static bool sliceFirst(AllReduceOp reduce, Operation *slice,
                       RewriteContext &context) {
  auto collective = cast<CollectiveOpInterface>(*reduce);
  if (!context.isAsked(RewriteKind::SliceFirst))
    return false;
  for (Value operand : slice->getOperands().drop_front())
    if (!isa<AllSliceOp>(slice) && !context.isUniform(operand, collective))
      return false;
  auto type = cast<RankedTensorType>(slice->getResult(0).getType());
  auto whole = cast<RankedTensorType>(reduce.getResult().getType());
  if (!type.hasStaticShape() || !whole.hasStaticShape() ||
      type.getNumElements() >= whole.getNumElements())
    return false;
  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(slice);
  IRMapping mapping;
  mapping.map(reduce.getResult(), reduce.getInput());
  Operation *sliced = rewriter.clone(*slice, mapping);
  Location loc = slice->getLoc();
  auto reduced = AllReduceOp::create(rewriter, loc, type, sliced->getResult(0),
                                     createOutput(context, loc, type),
                                     reduce.getKindAttr(), reduce.getAxes(),
                                     reduce.getMeshAttr());
  context.addFresh(sliced->getResult(0));
  context.addFresh(reduced.getResult());
  context.record(RewriteKind::SliceFirst, loc, {reduce}, {reduced});
  rewriter.replaceOp(slice, reduced.getResult());
  rewriter.eraseOp(reduce);
  return true;
}

/// Makes one of \p reduce and \p outer, which reduces its result along other
/// axes.
static bool join(AllReduceOp reduce, AllReduceOp outer,
                 RewriteContext &context) {
  layout::Mesh mesh = cast<CollectiveOpInterface>(*reduce).getMeshValue();
  auto axes = cast<CollectiveOpInterface>(*reduce).getMeshAxes();
  auto outerAxes = cast<CollectiveOpInterface>(*outer).getMeshAxes();
  if (!context.isAsked(RewriteKind::JoinReductions) ||
      reduce.getKind() != outer.getKind() ||
      reduce.getMeshAttr() != outer.getMeshAttr() || overlap(axes, outerAxes))
    return false;
  axes.append(outerAxes);
  // Major first, as the mesh has them: the groups of a reduction have no order.
  llvm::sort(axes);
  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(outer);
  auto joined = AllReduceOp::create(
      rewriter, outer.getLoc(), outer.getResult().getType(), reduce.getInput(),
      outer.getOutput(), outer.getKindAttr(),
      toAttr(rewriter.getContext(), mesh, ArrayRef(axes)), outer.getMeshAttr());
  context.addFresh(joined.getResult());
  context.record(RewriteKind::JoinReductions, outer.getLoc(), {reduce, outer},
                 {joined});
  rewriter.replaceOp(outer, joined.getResult());
  rewriter.eraseOp(reduce);
  return true;
}

static bool shrink(AllReduceOp reduce, RewriteContext &context) {
  if (!reduce.getResult().hasOneUse())
    return false;
  Operation *user = *reduce.getResult().user_begin();
  if (user->getBlock() != reduce->getBlock())
    return false;
  if (auto outer = dyn_cast<AllReduceOp>(user))
    return outer.getInput() == reduce.getResult() &&
           join(reduce, outer, context);
  if (auto slice = dyn_cast<AllSliceOp>(user)) {
    if (slice.getInput() != reduce.getResult() ||
        slice.getMeshAttr() != reduce.getMeshAttr())
      return false;
    auto axes = cast<CollectiveOpInterface>(*reduce).getMeshAxes();
    auto sliceAxes = cast<CollectiveOpInterface>(*slice).getMeshAxes();
    if (scatter(reduce, slice, context))
      return true;
    return !overlap(axes, sliceAxes) && sliceFirst(reduce, slice, context);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return sliceFirst(reduce, slice, context);
  return false;
}

bool collectives::shrinkReductions(func::FuncOp func, RewriteContext &context) {
  bool changed = false;
  // From below, as a rewrite erases an all-reduce and what uses it.
  SmallVector<CollectiveOpInterface> ops = getCollectives(func);
  for (CollectiveOpInterface op : llvm::reverse(ops))
    if (auto reduce = dyn_cast<AllReduceOp>(*op))
      changed |= shrink(reduce, context);
  return changed;
}
