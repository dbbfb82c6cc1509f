// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Rules of structured ops, from their indexing maps, their iterator types and
/// the one op of their body that accumulates.

#include "PairReduction.h"
#include "TableReads.h"
#include "Windows.h"

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Dialect/Pctl/Transforms/ShardingRules.h"
#include "pctl/Support/CheckedArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pctl;
using layout::ReductionKind;
using propagation::Factor;
using propagation::Rule;
using propagation::TensorMap;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns the kind of reduction that \p op does when one of its operands is
/// the accumulator. On booleans, addition is exclusive or and multiplication
/// and.
static std::optional<ReductionKind> getCombinerKind(Operation *op) {
  bool isBoolean = op->getResult(0).getType().isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<ReductionKind>>(op)
      .Case<arith::AddFOp>([](auto) { return ReductionKind::Sum; })
      .Case<arith::MulFOp>([](auto) { return ReductionKind::Product; })
      .Case<arith::AddIOp>([&](auto) {
        return isBoolean ? ReductionKind::Xor : ReductionKind::Sum;
      })
      .Case<arith::MulIOp>([&](auto) {
        return isBoolean ? ReductionKind::And : ReductionKind::Product;
      })
      .Case<arith::MaxSIOp>([](auto) { return ReductionKind::MaxSigned; })
      .Case<arith::MaxUIOp>([](auto) { return ReductionKind::MaxUnsigned; })
      .Case<arith::MinSIOp>([](auto) { return ReductionKind::MinSigned; })
      .Case<arith::MinUIOp>([](auto) { return ReductionKind::MinUnsigned; })
      .Case<arith::MaximumFOp>([](auto) { return ReductionKind::Maximum; })
      .Case<arith::MaxNumFOp>([](auto) { return ReductionKind::MaxNum; })
      .Case<arith::MinimumFOp>([](auto) { return ReductionKind::Minimum; })
      .Case<arith::MinNumFOp>([](auto) { return ReductionKind::MinNum; })
      .Case<arith::AndIOp>([](auto) { return ReductionKind::And; })
      .Case<arith::OrIOp>([](auto) { return ReductionKind::Or; })
      .Case<arith::XOrIOp>([](auto) { return ReductionKind::Xor; })
      .Default([](auto) { return std::nullopt; });
}

/// Returns how \p op accumulates: what it yields is one op of the accumulator,
/// used nowhere else, and of something that does not depend on it.
static std::optional<ReductionKind> getReductionKind(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBlock() ||
      combiner->getNumOperands() != 2 || combiner->getNumResults() != 1)
    return std::nullopt;
  if (!accumulator.hasOneUse() || *accumulator.user_begin() != combiner)
    return std::nullopt;
  return getCombinerKind(combiner);
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

namespace {

/// Builds the rule of one structured op.
class StructuredRule {
public:
  explicit StructuredRule(linalg::LinalgOp op)
      : op(op), loopSizes(op.getStaticLoopRanges()) {}

  Rule build();

private:
  void addLoops();
  void addTensors();
  void addTables();
  TensorMap convertMap(AffineMap map, ArrayRef<int64_t> shape);
  void settleWindows();
  void keepWhole(unsigned loop) {
    rule.factors[loop].use = Factor::Use::Replicate;
  }

  linalg::LinalgOp op;
  SmallVector<int64_t> loopSizes;
  Rule rule;
};

} // namespace

void StructuredRule::addLoops() {
  std::optional<ReductionKind> kind = getReductionKind(op);
  std::optional<pctl::detail::PairReduction> pair =
      pctl::detail::getPairReduction(op);
  for (auto [size, iterator] :
       llvm::zip_equal(loopSizes, op.getIteratorTypesArray())) {
    Factor factor;
    factor.size = size;
    if (iterator == utils::IteratorType::reduction) {
      factor.use = kind ? Factor::Use::Reduction : Factor::Use::Replicate;
      factor.reduction = kind.value_or(ReductionKind::Sum);
      if (pair && pair->loop == rule.factors.size())
        factor.use = Factor::Use::Combined;
    }
    rule.factors.push_back(factor);
  }
}

/// Returns the factors of each dim of an operand of shape \p shape. A dim over
/// which a window slides follows the loop that it slides with; the other loops
/// of its index are whole. A dim of any other index is whole, and so are the
/// loops that index it.
TensorMap StructuredRule::convertMap(AffineMap map, ArrayRef<int64_t> shape) {
  TensorMap tensor;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    auto &numbers = tensor.emplace_back();
    auto dim = dyn_cast<AffineDimExpr>(expr);
    // A broadcast operand may have size 1 where the loop has more.
    if (dim && loopSizes[dim.getPosition()] == size) {
      if (!seen.insert(dim.getPosition()).second)
        keepWhole(dim.getPosition());
      numbers.push_back(dim.getPosition());
      continue;
    }
    std::optional<pctl::detail::Window> window =
        dim ? std::nullopt
            : pctl::detail::getWindow(expr, size, loopSizes,
                                      op.getIteratorTypesArray());
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (expr.isFunctionOfDim(loop) && (!window || loop != window->leader))
        keepWhole(loop);
    if (size == 1) {
      if (window)
        keepWhole(window->leader);
      continue;
    }
    numbers.push_back(rule.factors.size());
    rule.factors.push_back({size, Factor::Use::Replicate});
    if (!window)
      continue;
    rule.factors.back().use = Factor::Use::Sliding;
    rule.factors.back().leader = window->leader;
    // One axis can't cut two dims.
    if (!seen.insert(window->leader).second)
      keepWhole(window->leader);
  }
  return tensor;
}

/// Keeps whole what slides with a loop that is whole.
void StructuredRule::settleWindows() {
  for (Factor &factor : rule.factors)
    if (factor.use == Factor::Use::Sliding &&
        rule.factors[factor.leader].use == Factor::Use::Replicate)
      factor.use = Factor::Use::Replicate;
}

void StructuredRule::addTensors() {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    TensorMap map =
        convertMap(op.getMatchingIndexingMap(&operand), type.getShape());
    rule.operands.push_back(map);
    if (op.isDpsInit(&operand))
      rule.results.push_back(map);
  }
}

/// Returns whether it costs fewer bytes to reduce the result of \p op, a lookup
/// in \p table, than to gather the table: a reduction sends what it reduces
/// twice.
static bool isReductionCheaper(linalg::LinalgOp op, RankedTensorType table) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!table.hasStaticShape() || !result.hasStaticShape())
    return false;
  std::optional<int64_t> tableSize = checkedProduct(table.getShape());
  std::optional<int64_t> resultSize = checkedProduct(result.getShape());
  return tableSize && resultSize && *resultSize <= *tableSize / 2;
}

/// Adds the captured tensors. A dim that is read at the index of a loop is cut
/// with the loop; one that is read at computed places is whole, or it is
/// reduced over, each rank giving the elements that it has.
void StructuredRule::addTables() {
  for (const pctl::detail::TableReads &reads :
       pctl::detail::getTableReads(op)) {
    TensorMap &tensor = rule.operands.emplace_back();
    bool reduces = reads.lookup && isReductionCheaper(op, reads.getType());
    llvm::SmallDenseSet<unsigned> seen;
    for (auto [loop, size] :
         llvm::zip_equal(reads.loops, reads.getType().getShape())) {
      auto &numbers = tensor.emplace_back();
      if (loop && seen.insert(*loop).second) {
        numbers.push_back(*loop);
        continue;
      }
      numbers.push_back(rule.factors.size());
      rule.factors.push_back({size, reduces && !loop ? Factor::Use::Reduction
                                                     : Factor::Use::Replicate});
      rule.factors.back().reduction = reads.lookup.value_or(ReductionKind::Sum);
    }
  }
}

Rule StructuredRule::build() {
  addLoops();
  addTensors();
  addTables();
  // A loop that results do not agree on can't be cut.
  for (unsigned loop = 0; loop < loopSizes.size(); ++loop) {
    unsigned inResults = 0;
    for (const TensorMap &map : rule.results)
      inResults += llvm::any_of(map, [&](ArrayRef<unsigned> numbers) {
        return llvm::is_contained(numbers, loop);
      });
    bool reduced = rule.factors[loop].use == Factor::Use::Reduction ||
                   rule.factors[loop].use == Factor::Use::Combined;
    if (inResults != (reduced ? 0 : rule.results.size()))
      keepWhole(loop);
  }
  settleWindows();
  return rule;
}

namespace {

template <typename OpTy>
struct LinalgOpRule
    : ShardingRuleOpInterface::ExternalModel<LinalgOpRule<OpTy>, OpTy> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!linalgOp.hasPureTensorSemantics())
      return failure();
    return StructuredRule(linalgOp).build();
  }
};

/// A softmax needs the dim along which it is taken, and no other.
struct SoftmaxRule
    : ShardingRuleOpInterface::ExternalModel<SoftmaxRule, linalg::SoftmaxOp> {
  FailureOr<Rule> getShardingRule(Operation *op) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    auto type = dyn_cast<RankedTensorType>(softmax.getInput().getType());
    if (!type || op->getNumResults() != 1)
      return failure();
    Rule rule = propagation::getElementwiseRule(
        type.getShape(), /*numOperands=*/2, /*numResults=*/1);
    rule.factors[softmax.getDimension()].use = Factor::Use::Replicate;
    return rule;
  }
};

/// Attaches the model to each op of a list of op classes.
template <typename... Ops> void attachToAll(MLIRContext *context) {
  (Ops::template attachInterface<LinalgOpRule<Ops>>(*context), ...);
}

} // namespace

void pctl::registerLinalgShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
#define GET_OP_LIST
    attachToAll<
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    linalg::SoftmaxOp::attachInterface<SoftmaxRule>(*context);
  });
}
