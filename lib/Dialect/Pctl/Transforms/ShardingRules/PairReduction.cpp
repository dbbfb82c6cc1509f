// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Recognises reductions to pairs.

#include "PairReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pctl;

namespace {

/// How two elements are compared.
enum class Order { Float, Signed, Unsigned };

struct Comparison {
  Order order;
  bool isGreater;
};

} // namespace

/// Returns what \p op compares strictly, if it does. A comparison of floats
/// must be false for a NaN.
static std::optional<Comparison> getComparison(Operation *op) {
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op)) {
    if (compare.getPredicate() == arith::CmpFPredicate::OGT)
      return Comparison{Order::Float, true};
    if (compare.getPredicate() == arith::CmpFPredicate::OLT)
      return Comparison{Order::Float, false};
    return std::nullopt;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sgt:
    return Comparison{Order::Signed, true};
  case arith::CmpIPredicate::slt:
    return Comparison{Order::Signed, false};
  case arith::CmpIPredicate::ugt:
    return Comparison{Order::Unsigned, true};
  case arith::CmpIPredicate::ult:
    return Comparison{Order::Unsigned, false};
  default:
    return std::nullopt;
  }
}

/// Returns whether \p op is the maximum or minimum that \p comparison asks for.
static bool isExtremum(Operation *op, Comparison comparison) {
  switch (comparison.order) {
  case Order::Float:
    return comparison.isGreater ? isa<arith::MaximumFOp>(op)
                                : isa<arith::MinimumFOp>(op);
  case Order::Signed:
    return comparison.isGreater ? isa<arith::MaxSIOp>(op)
                                : isa<arith::MinSIOp>(op);
  case Order::Unsigned:
    return comparison.isGreater ? isa<arith::MaxUIOp>(op)
                                : isa<arith::MinUIOp>(op);
  }
  return false;
}

bool pctl::detail::PairReduction::stopsAtNaN() const {
  return isa<arith::MaximumFOp, arith::MinimumFOp>(choose);
}

/// Returns whether \p users are all that uses \p value.
static bool isUsedBy(Value value, ArrayRef<Operation *> users) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return llvm::is_contained(users, user);
  });
}

/// Matches the body of \p op with result \p best being the element.
static std::optional<pctl::detail::PairReduction>
matchPair(linalg::GenericOp op, unsigned best, unsigned place) {
  Operation *yield = op.getBody()->getTerminator();
  Value bestSoFar = op.getRegionOutputArgs()[best];
  Value placeSoFar = op.getRegionOutputArgs()[place];
  Operation *choose = yield->getOperand(best).getDefiningOp();
  auto select = yield->getOperand(place).getDefiningOp<arith::SelectOp>();
  if (!choose || !select || select.getFalseValue() != placeSoFar)
    return std::nullopt;
  Operation *compare = select.getCondition().getDefiningOp();
  std::optional<Comparison> comparison = getComparison(compare);
  if (!comparison)
    return std::nullopt;
  pctl::detail::PairReduction pair;
  pair.best = best;
  pair.place = place;
  pair.compare = compare;
  pair.choose = choose;
  pair.candidateIsFirst = compare->getOperand(1) == bestSoFar;
  Value candidate = compare->getOperand(pair.candidateIsFirst ? 0 : 1);
  if (compare->getOperand(pair.candidateIsFirst ? 1 : 0) != bestSoFar ||
      candidate == bestSoFar)
    return std::nullopt;
  // `v < x` is what `x > v` is.
  comparison->isGreater ^= !pair.candidateIsFirst;

  if (auto chosen = dyn_cast<arith::SelectOp>(choose)) {
    if (chosen.getCondition() != select.getCondition() ||
        chosen.getTrueValue() != candidate ||
        chosen.getFalseValue() != bestSoFar)
      return std::nullopt;
  } else if (!isExtremum(choose, *comparison) ||
             !llvm::is_contained(choose->getOperands(), bestSoFar) ||
             !llvm::is_contained(choose->getOperands(), candidate)) {
    return std::nullopt;
  }
  // Neither the candidate nor its place depend on what was found so far.
  if (!isUsedBy(bestSoFar, {compare, choose}) ||
      !isUsedBy(placeSoFar, {select}) || select.getTrueValue() == placeSoFar ||
      !isUsedBy(compare->getResult(0), {select, choose}) ||
      !isUsedBy(choose->getResult(0), {yield}) ||
      !isUsedBy(select.getResult(), {yield}))
    return std::nullopt;
  return pair;
}

std::optional<pctl::detail::PairReduction>
pctl::detail::getPairReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics() ||
      generic.getNumDpsInits() != 2 || generic.getNumReductionLoops() == 0)
    return std::nullopt;
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  if (map != generic.getMatchingIndexingMap(generic.getDpsInitOperand(1)) ||
      !map.isProjectedPermutation())
    return std::nullopt;
  std::optional<PairReduction> pair = matchPair(generic, 0, 1);
  if (!pair)
    pair = matchPair(generic, 1, 0);
  if (!pair)
    return std::nullopt;
  SmallVector<unsigned> reduced;
  generic.getReductionDims(reduced);
  pair->loop = reduced.front();
  return pair;
}
