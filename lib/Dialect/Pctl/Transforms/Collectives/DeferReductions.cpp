// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Sums that can be done later. Where an op is linear in all-reduced operands,
/// it can work on the contributions of the ranks and its result be reduced: the
/// sum of two reductions needs one, and what is small after a product needs no
/// reduction of what was large before it.

#include "LoopNest.h"
#include "Rewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

namespace {

/// How a value depends on the values that are to be reduced.
enum class Dependence {
  None,   ///< Not at all.
  Linear, ///< It is linear in them, without a term of its own.
  Other,
};

/// Goes through a function from above. Of each value that is a reduction, or is
/// linear in reductions that nobody else wants, it knows these: they could be
/// done on the value instead. Where that is less, they are.
class Deferral {
public:
  explicit Deferral(RewriteContext &context) : context(context) {}

  /// Looks at \p op. Returns whether reductions were moved past it.
  bool visit(Operation *op);

private:
  using Reductions = SmallVector<AllReduceOp, 2>;

  AllReduceOp findSample(Operation *op);
  bool isDeferrable(Value value) const;
  Value create(Value value);
  Value create(const LoopNest &nest);
  bool rewrite(const LoopNest &nest, const Reductions &reductions);
  Dependence getDependence(const LoopNest &nest);
  Dependence getDependence(Value value, Block *body);
  Dependence combine(Operation *op, ArrayRef<Dependence> operands);

  RewriteContext &context;
  /// The reductions that could be done on a value instead, all of one group.
  llvm::DenseMap<Value, Reductions> deferrable;
  /// The group that counts at the op that is looked at.
  AllReduceOp sample;
  /// What is known of values at this op: of operands, and inside its body.
  llvm::DenseMap<Value, Dependence> known;
  /// What is made anew from contributions.
  SmallVector<Value> replaced;
};

} // namespace

/// Returns whether \p value is zero in all elements.
static bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Returns how the result of \p op depends on what its operands do.
Dependence Deferral::combine(Operation *op, ArrayRef<Dependence> operands) {
  unsigned numLinear = llvm::count(operands, Dependence::Linear);
  if (llvm::is_contained(operands, Dependence::Other))
    return Dependence::Other;
  if (numLinear == 0)
    return isMemoryEffectFree(op) ? Dependence::None : Dependence::Other;
  bool isLinear = false;
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
    isLinear = numLinear == 2;
  else if (isa<arith::MulFOp, arith::MulIOp>(op))
    isLinear = numLinear == 1;
  else if (isa<arith::DivFOp>(op))
    isLinear = operands[0] == Dependence::Linear && numLinear == 1;
  else if (isa<arith::NegFOp>(op))
    isLinear = true;
  return isLinear ? Dependence::Linear : Dependence::Other;
}

/// Returns how \p value, of \p body or from outside, depends on what the
/// arguments of the body do. Known: the arguments.
Dependence Deferral::getDependence(Value value, Block *body) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Dependence result = Dependence::Other;
  if (!op || op->getBlock() != body) {
    // From outside: a factor has to be the same on all ranks that reduce.
    if (context.isUniform(value, cast<CollectiveOpInterface>(*sample)))
      result = Dependence::None;
  } else if (op->getNumRegions() == 0) {
    SmallVector<Dependence> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getDependence(operand, body));
    result = combine(op, operands);
  }
  known[value] = result;
  return result;
}

/// Returns how the result of \p nest depends on its operands, of which those to
/// be reduced are known.
Dependence Deferral::getDependence(const LoopNest &nest) {
  auto getOperand = [&](Value operand) {
    return getDependence(operand, /*body=*/nullptr);
  };
  auto structured = dyn_cast<linalg::LinalgOp>(nest.getOp());
  if (!structured)
    return combine(nest.getOp(), llvm::map_to_vector(
                                     nest.getOp()->getOperands(), getOperand));
  Block *body = structured.getBlock();
  for (OpOperand &operand : nest.getOp()->getOpOperands()) {
    Dependence dependence = getOperand(operand.get());
    // What a sum starts from would be counted on each rank, unless it is zero.
    bool isStart = nest.isInit(operand.getOperandNumber()) &&
                   !structured.payloadUsesValueFromOperand(&operand);
    if (nest.isInit(operand.getOperandNumber()) && !isStart &&
        dependence == Dependence::None)
      dependence =
          isZero(operand.get()) ? Dependence::Linear : Dependence::Other;
    known[structured.getMatchingBlockArgument(&operand)] =
        isStart ? Dependence::None : dependence;
  }
  return getDependence(body->getTerminator()->getOperand(0), body);
}

/// Returns whether \p value can be had as a contribution to be reduced in the
/// groups of the sample.
bool Deferral::isDeferrable(Value value) const {
  auto it = deferrable.find(value);
  return it != deferrable.end() && value.hasOneUse() &&
         value.getDefiningOp()->getBlock() == sample->getBlock() &&
         haveSameAxes(cast<CollectiveOpInterface>(*it->second.front()),
                      cast<CollectiveOpInterface>(*sample));
}

/// Returns a reduction on which an operand of \p op depends; null if there is
/// none.
AllReduceOp Deferral::findSample(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto it = deferrable.find(operand);
    if (it != deferrable.end() && operand.hasOneUse() &&
        operand.getDefiningOp()->getBlock() == op->getBlock())
      return it->second.front();
  }
  return {};
}

Value Deferral::create(Value value) {
  replaced.push_back(value);
  if (auto reduce = value.getDefiningOp<AllReduceOp>())
    return reduce.getInput();
  return create(*LoopNest::get(value.getDefiningOp()));
}

/// Returns the contribution of this rank to the result of \p nest.
Value Deferral::create(const LoopNest &nest) {
  SmallVector<Value> operands;
  for (Value operand : nest.getOp()->getOperands())
    operands.push_back(isDeferrable(operand) ? create(operand) : operand);
  Value created =
      nest.create(context.rewriter, operands,
                  cast<RankedTensorType>(nest.getResult().getType()));
  context.addFresh(created);
  return created;
}

bool Deferral::visit(Operation *op) {
  if (auto reduce = dyn_cast<AllReduceOp>(op)) {
    if (reduce->getNumResults() == 1 &&
        reduce.getKind() == layout::ReductionKind::Sum &&
        cast<ShapedType>(reduce.getResult().getType()).hasStaticShape())
      deferrable[reduce.getResult()] = {reduce};
    return false;
  }
  sample = findSample(op);
  if (!sample)
    return false;
  std::optional<LoopNest> nest = LoopNest::get(op);
  if (!nest)
    return false;
  known.clear();
  Reductions reductions;
  for (Value operand : op->getOperands()) {
    if (!isDeferrable(operand))
      continue;
    known[operand] = Dependence::Linear;
    llvm::append_range(reductions, deferrable[operand]);
  }
  if (getDependence(*nest) != Dependence::Linear)
    return false;
  // Element types are equal, as nothing linear changes them.
  int64_t numBefore = 0;
  for (AllReduceOp reduce : reductions)
    numBefore += cast<ShapedType>(reduce.getInput().getType()).getNumElements();
  if (cast<ShapedType>(nest->getResult().getType()).getNumElements() <
      numBefore)
    return rewrite(*nest, reductions);
  deferrable[nest->getResult()] = std::move(reductions);
  return false;
}

/// Does \p reductions on the result of \p nest.
bool Deferral::rewrite(const LoopNest &nest, const Reductions &reductions) {
  Operation *op = nest.getOp();
  auto type = cast<RankedTensorType>(nest.getResult().getType());
  IRRewriter &rewriter = context.rewriter;
  rewriter.setInsertionPoint(op);
  replaced.clear();
  Value contribution = create(nest);
  Location loc = op->getLoc();
  Value output = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                         type.getElementType());
  auto reduced = AllReduceOp::create(rewriter, loc, type, contribution, output,
                                     sample.getKindAttr(), sample.getAxes(),
                                     sample.getMeshAttr());
  context.addFresh(reduced.getResult());
  SmallVector<Operation *> before(reductions.begin(), reductions.end());
  context.record(RewriteKind::DeferReduction, loc, before, {reduced});
  for (Value value : replaced)
    deferrable.erase(value);
  deferrable[reduced.getResult()] = {reduced};
  rewriter.replaceAllUsesWith(op->getResult(0), reduced.getResult());
  context.eraseDead(op);
  return true;
}

bool collectives::deferReductions(func::FuncOp func, RewriteContext &context) {
  if (!context.isAsked(RewriteKind::DeferReduction))
    return false;
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (op->getNumResults() == 1)
      ops.push_back(op);
  });
  bool changed = false;
  // What is erased is above what is looked at, and has been looked at.
  Deferral deferral(context);
  for (Operation *op : ops)
    changed |= deferral.visit(op);
  return changed;
}
