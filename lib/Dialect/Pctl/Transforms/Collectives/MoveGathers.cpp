// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// All-gathers on the other side of an op. An op that works along the gathered
/// dim block by block can work on the block of this rank, and its result be
/// gathered: one gather for the product of two gathered tensors. The other way
/// round, what an op blows up is gathered before it.

#include "../ElementBytes.h"
#include "LoopNest.h"
#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

/// How many ways to have a value block by block are kept.
static constexpr unsigned kMaxWays = 4;

/// Returns \p type with dim \p dim of size \p size.
static RankedTensorType withSize(Type type, unsigned dim, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, tensor.getElementType(),
                               tensor.getEncoding());
}

static int64_t getSize(Value value, unsigned dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

/// Returns the bytes of \p value, of static shape.
static int64_t getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         getElementBytes(type.getElementType()).value_or(1);
}

/// Returns whether all of \p gather is of static size.
static bool isStatic(AllGatherOp gather) {
  return cast<ShapedType>(gather.getInput().getType()).hasStaticShape() &&
         cast<ShapedType>(gather.getResult().getType()).hasStaticShape();
}

/// Returns whether \p value has the same element everywhere, or none that
/// counts.
static bool isFilled(Value value) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || !type.hasStaticShape())
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op);
}

/// Returns whether \p value, which isFilled, is so with the same element on all
/// ranks of the groups of \p gather.
static bool isFilledAlike(Value value, AllGatherOp gather,
                          RewriteContext &context) {
  auto collective = cast<CollectiveOpInterface>(*gather);
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return context.isUniform(splat.getInput(), collective);
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return context.isUniform(fill.getInputs()[0], collective);
  return true;
}

/// Returns whether what the regions of \p op read from outside is the same on
/// all ranks of the groups of \p gather.
static bool readsTheSame(Operation *op, AllGatherOp gather,
                         RewriteContext &context) {
  auto collective = cast<CollectiveOpInterface>(*gather);
  bool same = true;
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) {
    same &= context.isUniform(operand->get(), collective);
  });
  return same;
}

/// Returns the like of \p value, which isFilled, with dim \p dim of \p size.
static Value createFilled(RewriteContext &context, Value value, unsigned dim,
                          int64_t size) {
  IRRewriter &rewriter = context.rewriter;
  Location loc = value.getLoc();
  RankedTensorType type = withSize(value.getType(), dim, size);
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        rewriter, loc,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return tensor::SplatOp::create(rewriter, loc, splat.getInput(), type);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
        .getResult(0);
  return empty;
}

/// Creates the gather of \p value along \p dim by the axes of \p like.
static AllGatherOp createGather(RewriteContext &context, Location loc,
                                Value value, unsigned dim, int64_t groupSize,
                                AllGatherOp like) {
  RankedTensorType type =
      withSize(value.getType(), dim, getSize(value, dim) * groupSize);
  Value output = tensor::EmptyOp::create(context.rewriter, loc, type.getShape(),
                                         type.getElementType());
  auto gather = AllGatherOp::create(context.rewriter, loc, type, value, output,
                                    context.rewriter.getI64IntegerAttr(dim),
                                    like.getAxes(), like.getMeshAttr());
  context.addFresh(gather.getResult());
  return gather;
}

//===----------------------------------------------------------------------===//
// Below an op
//===----------------------------------------------------------------------===//

namespace {

/// Goes through a function from above. Of each value of which this rank could
/// have its block along a dim, instead of all of it from gathers, it knows
/// these gathers: the value could be gathered instead. Where that is less, it
/// is.
class Sinking {
public:
  explicit Sinking(RewriteContext &context) : context(context) {}

  /// Looks at \p op. Returns whether gathers were moved past it.
  bool visit(Operation *op);

private:
  using Gathers = SmallVector<AllGatherOp, 2>;
  /// A value that can be had block by block.
  struct BlockWise {
    /// Which gathers it depends on, all of one group.
    Gathers gathers;
    unsigned dim;
  };

  const BlockWise *find(Value value, unsigned dim, AllGatherOp like) const;
  std::optional<Gathers> plan(const LoopNest &nest, unsigned loop,
                              AllGatherOp like);
  Gathers getSaved(const Gathers &gathers);
  void rewrite(const LoopNest &nest, unsigned loop, AllGatherOp like,
               const Gathers &saved);
  Value create(Value value, unsigned dim, AllGatherOp like);
  Value create(const LoopNest &nest, unsigned loop, AllGatherOp like);

  RewriteContext &context;
  llvm::DenseMap<Value, SmallVector<BlockWise, 1>> blockWise;
  /// What is made anew from blocks.
  SmallVector<Value> replaced;
};

} // namespace

/// Returns what is known of the blocks of \p value along \p dim in the groups
/// of
/// \p like; null if there is nothing. What others use as a whole is of no use,
/// but for gathers themselves.
const Sinking::BlockWise *Sinking::find(Value value, unsigned dim,
                                        AllGatherOp like) const {
  auto it = blockWise.find(value);
  if (it == blockWise.end() ||
      value.getDefiningOp()->getBlock() != like->getBlock() ||
      (!value.hasOneUse() && !value.getDefiningOp<AllGatherOp>()))
    return nullptr;
  for (const BlockWise &entry : it->second)
    if (entry.dim == dim &&
        haveSameAxes(cast<CollectiveOpInterface>(*entry.gathers.front()),
                     cast<CollectiveOpInterface>(*like)))
      return &entry;
  return nullptr;
}

/// Returns the gathers that are not needed if \p nest is done on blocks of its
/// loop \p loop; nothing if that can't be.
std::optional<Sinking::Gathers> Sinking::plan(const LoopNest &nest,
                                              unsigned loop, AllGatherOp like) {
  auto collective = cast<CollectiveOpInterface>(*like);
  int64_t groupSize = collective.getGroupSize();
  bool isPlain = true;
  if (!nest.isParallel(loop) || !nest.findDimOfResult(loop, isPlain) ||
      !readsTheSame(nest.getOp(), like, context))
    return std::nullopt;
  Gathers gathers;
  for (auto [index, operand] : llvm::enumerate(nest.getOp()->getOperands())) {
    std::optional<unsigned> dim = nest.findDim(index, loop, isPlain);
    if (!isPlain)
      return std::nullopt;
    if (dim) {
      auto type = cast<RankedTensorType>(operand.getType());
      if (!type.hasStaticShape() || type.getDimSize(*dim) % groupSize != 0)
        return std::nullopt;
      if (const BlockWise *entry = find(operand, *dim, like)) {
        llvm::append_range(gathers, entry->gathers);
        continue;
      }
    }
    // Blocks of different tensors do not make one. What is not cut has to be
    // the same on all ranks as well, as their blocks meet in the result.
    bool isAlike = isFilled(operand) ? isFilledAlike(operand, like, context)
                                     : context.isUniform(operand, collective);
    if (!isAlike)
      return std::nullopt;
  }
  return gathers;
}

/// Returns those of \p gathers, each once, that all their users do without.
Sinking::Gathers Sinking::getSaved(const Gathers &gathers) {
  llvm::SmallSetVector<AllGatherOp, 4> distinct(gathers.begin(), gathers.end());
  Gathers saved;
  for (AllGatherOp gather : distinct) {
    auto numUses = std::distance(gather.getResult().use_begin(),
                                 gather.getResult().use_end());
    if (llvm::count(gathers, gather) == numUses)
      saved.push_back(gather);
  }
  return saved;
}

Value Sinking::create(Value value, unsigned dim, AllGatherOp like) {
  int64_t size =
      getSize(value, dim) / cast<CollectiveOpInterface>(*like).getGroupSize();
  if (find(value, dim, like)) {
    replaced.push_back(value);
    if (auto gather = value.getDefiningOp<AllGatherOp>())
      return gather.getInput();
    LoopNest nest = *LoopNest::get(value.getDefiningOp());
    return create(nest, *nest.getLoopOfResult(dim), like);
  }
  if (isFilled(value))
    return createFilled(context, value, dim, size);
  RankedTensorType type = withSize(value.getType(), dim, size);
  IRRewriter &rewriter = context.rewriter;
  Value output = tensor::EmptyOp::create(
      rewriter, value.getLoc(), type.getShape(), type.getElementType());
  Value slice = AllSliceOp::create(rewriter, value.getLoc(), type, value,
                                   output, rewriter.getI64IntegerAttr(dim),
                                   like.getAxes(), like.getMeshAttr())
                    .getResult();
  context.addFresh(slice);
  return slice;
}

/// Returns this rank's block of the result of \p nest along loop \p loop.
Value Sinking::create(const LoopNest &nest, unsigned loop, AllGatherOp like) {
  bool isPlain = true;
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(nest.getOp()->getOperands())) {
    std::optional<unsigned> dim = nest.findDim(index, loop, isPlain);
    operands.push_back(dim ? create(operand, *dim, like) : operand);
  }
  unsigned dim = *nest.findDimOfResult(loop, isPlain);
  int64_t size = getSize(nest.getResult(), dim) /
                 cast<CollectiveOpInterface>(*like).getGroupSize();
  Value created = nest.create(context.rewriter, operands,
                              withSize(nest.getResult().getType(), dim, size));
  context.addFresh(created);
  return created;
}

/// Gathers the result of \p nest instead of what loop \p loop runs over.
void Sinking::rewrite(const LoopNest &nest, unsigned loop, AllGatherOp like,
                      const Gathers &saved) {
  Operation *op = nest.getOp();
  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(op);
  replaced.clear();
  Value block = create(nest, loop, like);
  bool isPlain = true;
  unsigned dim = *nest.findDimOfResult(loop, isPlain);
  AllGatherOp gathered =
      createGather(context, op->getLoc(), block, dim,
                   cast<CollectiveOpInterface>(*like).getGroupSize(), like);
  SmallVector<Operation *> before(saved.begin(), saved.end());
  context.record(RewriteKind::SinkGather, op->getLoc(), before, {gathered});
  for (Value value : replaced) {
    auto gather = value.getDefiningOp<AllGatherOp>();
    if (!gather || llvm::is_contained(saved, gather))
      blockWise.erase(value);
  }
  blockWise[gathered.getResult()] = {{{gathered}, dim}};
  rewriter.replaceAllUsesWith(op->getResult(0), gathered.getResult());
  context.eraseDead(op);
}

bool Sinking::visit(Operation *op) {
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    if (gather->getNumResults() == 1 && isStatic(gather))
      blockWise[gather.getResult()] = {{{gather}, unsigned(gather.getDim())}};
    return false;
  }
  // Which gathers along which loops lead here.
  SmallVector<std::tuple<AllGatherOp, unsigned, unsigned>> entries;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    auto it = blockWise.find(operand);
    if (it == blockWise.end())
      continue;
    for (const BlockWise &entry : it->second)
      if (entry.gathers.front()->getBlock() == op->getBlock())
        entries.push_back({entry.gathers.front(), index, entry.dim});
  }
  if (entries.empty())
    return false;
  std::optional<LoopNest> nest = LoopNest::get(op);
  if (!nest)
    return false;
  SmallVector<BlockWise, 1> found;
  for (const auto &[entryGather, index, dim] : entries) {
    AllGatherOp like = entryGather;
    auto expr = dyn_cast<AffineDimExpr>(nest->getMap(index).getResult(dim));
    if (!expr)
      continue;
    std::optional<Gathers> gathers = plan(*nest, expr.getPosition(), like);
    if (!gathers || gathers->empty())
      continue;
    Gathers saved = getSaved(*gathers);
    int64_t bytesBefore = 0;
    for (AllGatherOp gather : saved)
      bytesBefore += getBytes(gather.getResult());
    if (getBytes(nest->getResult()) < bytesBefore) {
      rewrite(*nest, expr.getPosition(), like, saved);
      return true;
    }
    bool isPlain = true;
    unsigned resultDim = *nest->findDimOfResult(expr.getPosition(), isPlain);
    bool isKnown = llvm::any_of(found, [&](const BlockWise &other) {
      return other.dim == resultDim &&
             haveSameAxes(cast<CollectiveOpInterface>(*other.gathers.front()),
                          cast<CollectiveOpInterface>(*like));
    });
    if (!isKnown && found.size() < kMaxWays)
      found.push_back({std::move(*gathers), resultDim});
  }
  if (!found.empty())
    blockWise[nest->getResult()] = std::move(found);
  return false;
}

bool collectives::sinkGathers(func::FuncOp func, RewriteContext &context) {
  if (!context.isAsked(RewriteKind::SinkGather))
    return false;
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (op->getNumResults() == 1)
      ops.push_back(op);
  });
  bool changed = false;
  // What is erased is above what is looked at, and has been looked at.
  Sinking sinking(context);
  for (Operation *op : ops)
    changed |= sinking.visit(op);
  return changed;
}

//===----------------------------------------------------------------------===//
// Above an op
//===----------------------------------------------------------------------===//

/// Returns whether \p value is what \p gather's axes keep of a tensor along
/// \p dim, so that gathering it is for nothing.
static bool isSliceFor(Value value, unsigned dim, AllGatherOp gather,
                       RewriteContext &context) {
  auto slice = value.getDefiningOp<AllSliceOp>();
  return slice && slice.getDim() == dim &&
         haveSameAxes(cast<CollectiveOpInterface>(*slice),
                      cast<CollectiveOpInterface>(*gather)) &&
         cast<ShapedType>(slice.getInput().getType()).getDimSize(dim) ==
             getSize(value, dim) *
                 cast<CollectiveOpInterface>(*gather).getGroupSize() &&
         context.isUniform(slice.getInput(),
                           cast<CollectiveOpInterface>(*gather));
}

/// Gathers what goes into the op that makes the input of \p gather, if that is
/// less. Each rank then does the whole op, so this is for elementwise ones.
static bool hoist(AllGatherOp gather, RewriteContext &context) {
  Operation *op = gather.getInput().getDefiningOp();
  if (!op || !gather.getInput().hasOneUse() ||
      op->getBlock() != gather->getBlock() || !isStatic(gather))
    return false;
  std::optional<LoopNest> nest = LoopNest::get(op);
  if (!nest || !nest->isAllParallel())
    return false;
  std::optional<unsigned> loop = nest->getLoopOfResult(gather.getDim());
  if (!loop)
    return false;
  auto collective = cast<CollectiveOpInterface>(*gather);
  int64_t groupSize = collective.getGroupSize();
  bool isPlain = true;
  nest->findDimOfResult(*loop, isPlain);
  int64_t bytesAfter = 0;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<unsigned> dim = nest->findDim(index, *loop, isPlain);
    // What is not cut along the loop has to be the same on all ranks, as each
    // does the blocks of all.
    bool isAlike = isFilled(operand) ? isFilledAlike(operand, gather, context)
                   : dim             ? true
                                     : context.isUniform(operand, collective);
    if (!isAlike)
      return false;
    if (dim && !isFilled(operand) &&
        !isSliceFor(operand, *dim, gather, context))
      bytesAfter += getBytes(operand) * groupSize;
  }
  if (!isPlain || !readsTheSame(op, gather, context) ||
      bytesAfter >= getBytes(gather.getResult()))
    return false;

  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(gather);
  SmallVector<Value> operands;
  SmallVector<Operation *> after;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<unsigned> dim = nest->findDim(index, *loop, isPlain);
    if (!dim) {
      operands.push_back(operand);
    } else if (isFilled(operand)) {
      operands.push_back(createFilled(context, operand, *dim,
                                      getSize(operand, *dim) * groupSize));
    } else if (isSliceFor(operand, *dim, gather, context)) {
      operands.push_back(operand.getDefiningOp<AllSliceOp>().getInput());
    } else {
      after.push_back(createGather(context, gather.getLoc(), operand, *dim,
                                   groupSize, gather));
      operands.push_back(after.back()->getResult(0));
    }
  }
  Value whole = nest->create(
      rewriter, operands, cast<RankedTensorType>(gather.getResult().getType()));
  context.addFresh(whole);
  context.record(RewriteKind::HoistGather, gather.getLoc(), {gather}, after);
  rewriter.replaceOp(gather, whole);
  context.eraseDead(op);
  return true;
}

bool collectives::hoistGathers(func::FuncOp func, RewriteContext &context) {
  if (!context.isAsked(RewriteKind::HoistGather))
    return false;
  bool changed = false;
  // From below, so that a gather goes up as far as it can.
  SmallVector<CollectiveOpInterface> ops = getCollectives(func);
  for (CollectiveOpInterface op : llvm::reverse(ops))
    if (auto gather = dyn_cast<AllGatherOp>(*op))
      changed |= hoist(gather, context);
  return changed;
}
