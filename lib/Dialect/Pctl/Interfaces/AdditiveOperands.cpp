// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "AdditiveOperands.h"

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace pctl;
using propagation::OperandSet;

namespace {

/// What is known of a value computed from operands: on which it depends, and
/// the sets of operands in which it is additive. A value that depends on none
/// is additive in none.
struct Linear {
  llvm::SmallBitVector depends;
  SmallVector<llvm::SmallBitVector, 2> sets;
};

} // namespace

/// Sets that a body has at most; more are forgotten. A product of many factors
/// has one for each.
static constexpr size_t kMostSets = 8;

static void addSet(Linear &value, const llvm::SmallBitVector &set) {
  if (set.any() && value.sets.size() < kMostSets &&
      !llvm::is_contained(value.sets, set))
    value.sets.push_back(set);
}

/// Returns what is known of a sum or a difference: sets of the two unite where
/// neither side depends in another way on what the set of the other holds.
static Linear addUp(const Linear &a, const Linear &b) {
  Linear sum{a.depends, {}};
  sum.depends |= b.depends;
  auto fits = [](const Linear &value, const llvm::SmallBitVector &own,
                 const llvm::SmallBitVector &all) {
    llvm::SmallBitVector reached = value.depends;
    reached &= all;
    return reached == own;
  };
  for (const llvm::SmallBitVector &setA : a.sets)
    for (const llvm::SmallBitVector &setB : b.sets) {
      llvm::SmallBitVector all = setA;
      all |= setB;
      if (fits(a, setA, all) && fits(b, setB, all))
        addSet(sum, all);
    }
  return sum;
}

/// Returns what is known of \p a times something that depends on \p others.
static void addScaled(Linear &product, const Linear &a,
                      const llvm::SmallBitVector &others) {
  for (const llvm::SmallBitVector &set : a.sets)
    if (!set.anyCommon(others))
      addSet(product, set);
}

static Linear multiply(const Linear &a, const Linear &b) {
  Linear product{a.depends, {}};
  product.depends |= b.depends;
  addScaled(product, a, b.depends);
  addScaled(product, b, a.depends);
  return product;
}

static Linear divide(const Linear &a, const Linear &b) {
  Linear quotient{a.depends, {}};
  quotient.depends |= b.depends;
  addScaled(quotient, a, b.depends);
  return quotient;
}

/// Returns \p a where \p condition depends on nothing it is additive in.
static Linear select(const Linear &condition, const Linear &a,
                     const Linear &b) {
  Linear sum = addUp(a, b);
  Linear chosen{sum.depends, {}};
  chosen.depends |= condition.depends;
  addScaled(chosen, sum, condition.depends);
  return chosen;
}

/// Returns what is known of the result of \p op of the elements \p operands.
/// Booleans are added modulo 2, which is no sum of ranks' contributions.
static Linear apply(Operation *op, ArrayRef<Linear> operands,
                    unsigned numOperands) {
  Linear result{llvm::SmallBitVector(numOperands), {}};
  if (op->getNumResults() != 1 ||
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1)) {
    for (const Linear &operand : operands)
      result.depends |= operand.depends;
    return result;
  }
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
    return addUp(operands[0], operands[1]);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return multiply(operands[0], operands[1]);
  if (isa<arith::DivFOp>(op))
    return divide(operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return select(operands[0], operands[1], operands[2]);
  if (isa<arith::NegFOp, arith::TruncIOp>(op))
    return operands[0];
  for (const Linear &operand : operands)
    result.depends |= operand.depends;
  return result;
}

static SmallVector<OperandSet, 0> toSets(const Linear &value) {
  SmallVector<OperandSet, 0> sets;
  for (const llvm::SmallBitVector &set : value.sets) {
    OperandSet &numbers = sets.emplace_back();
    for (unsigned number : set.set_bits())
      numbers.push_back(number);
  }
  return sets;
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// Returns whether all that \p op reduces it reduces by one sum: it yields its
/// accumulator, used nowhere else, plus something.
static bool reducesBySum(linalg::LinalgOp op) {
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combiner) &&
         accumulator.hasOneUse() && *accumulator.user_begin() == combiner;
}

/// Returns what is known of what the body of \p op yields.
static SmallVector<OperandSet, 0> getSetsOfBody(linalg::LinalgOp op,
                                                unsigned numOperands) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      (op.getNumReductionLoops() && !reducesBySum(op)))
    return {};
  llvm::SmallDenseMap<Value, Linear> known;
  unsigned number = 0;
  for (auto [operand, argument] :
       llvm::zip_equal(op->getOperands(), op.getBlock()->getArguments())) {
    Linear &value = known[argument];
    value.depends.resize(numOperands);
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    value.depends.set(number++);
    addSet(value, value.depends);
  }
  Linear everything{llvm::SmallBitVector(numOperands, true), {}};
  Linear nothing{llvm::SmallBitVector(numOperands), {}};
  auto lookup = [&](Value value) {
    auto found = known.find(value);
    // What comes in from above is a scalar: the same on all ranks.
    return found == known.end() ? nothing : found->second;
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Linear result = everything;
    if (inner.getNumRegions() == 0 && !isa<tensor::ExtractOp>(inner))
      result = apply(&inner, llvm::map_to_vector(inner.getOperands(), lookup),
                     numOperands);
    for (Value value : inner.getResults())
      known[value] = result;
  }
  return toSets(lookup(op.getBlock()->getTerminator()->getOperand(0)));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns whether \p op pads with nothing but zeros.
static bool padsWithZero(tensor::PadOp op) {
  Value value = op.getConstantPaddingValue();
  return value && (matchPattern(value, m_AnyZeroFloat()) ||
                   matchPattern(value, m_Zero()));
}

SmallVector<OperandSet, 0> pctl::getAdditiveOperands(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()) ||
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return {};
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return getSetsOfBody(structured, getTensorOperands(op).size());
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp>(op))
    return {{0}};
  if (isa<tensor::InsertSliceOp>(op))
    return {{0, 1}};
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return padsWithZero(pad) ? SmallVector<OperandSet, 0>{{0}}
                             : SmallVector<OperandSet, 0>{};
  if (isa<tensor::ConcatOp>(op))
    return {OperandSet(llvm::to_vector_of<unsigned>(
        llvm::seq<unsigned>(0, op->getNumOperands())))};
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0)
    return {};
  // Scalars are the same on all ranks, and tensors are numbered without them.
  unsigned numTensors = getTensorOperands(op).size();
  SmallVector<Linear> operands;
  unsigned number = 0;
  for (Value operand : op->getOperands()) {
    Linear &value = operands.emplace_back();
    value.depends.resize(numTensors);
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    value.depends.set(number++);
    addSet(value, value.depends);
  }
  return toSets(apply(op, operands, numTensors));
}
