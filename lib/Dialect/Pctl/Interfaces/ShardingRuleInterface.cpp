// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "AdditiveOperands.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace pctl;
using propagation::Factor;
using propagation::Rule;
using propagation::TensorMap;

#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Tensors of an op
//===----------------------------------------------------------------------===//

SmallVector<TensorOperand> pctl::getTensorOperands(Operation *op) {
  SmallVector<TensorOperand> tensors;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      tensors.push_back({operand.get(), &operand});
  if (op->getNumRegions() == 0 || hasLaidOutRegions(op))
    return tensors;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType()))
      tensors.push_back({value, nullptr});
  return tensors;
}

SmallVector<OpResult> pctl::getTensorResults(Operation *op) {
  return llvm::filter_to_vector(op->getResults(), [](OpResult result) {
    return isa<RankedTensorType>(result.getType());
  });
}

void pctl::replaceTensorOperand(Operation *op, const TensorOperand &operand,
                                Value replacement) {
  if (operand.operand) {
    operand.operand->set(replacement);
    return;
  }
  for (Region &region : op->getRegions())
    replaceAllUsesInRegionWith(operand.value, replacement, region);
}

SmallVector<SmallVector<int64_t>>
pctl::getShapes(ArrayRef<TensorOperand> operands) {
  return llvm::map_to_vector(operands, [](const TensorOperand &operand) {
    return SmallVector<int64_t>(operand.getType().getShape());
  });
}

SmallVector<SmallVector<int64_t>> pctl::getShapes(ArrayRef<OpResult> results) {
  return llvm::map_to_vector(results, [](OpResult result) {
    return SmallVector<int64_t>(
        cast<RankedTensorType>(result.getType()).getShape());
  });
}

//===----------------------------------------------------------------------===//
// Rules from attributes
//===----------------------------------------------------------------------===//

/// Returns the map of \p tensor, and notes the size of each factor that is a
/// dim of \p type by itself.
static TensorMap convertTensor(RuleTensorAttr tensor, RankedTensorType type,
                               SmallVectorImpl<std::optional<int64_t>> &sizes) {
  TensorMap map;
  for (auto [d, dim] : llvm::enumerate(tensor.getDims())) {
    auto &numbers = map.emplace_back();
    for (int64_t factor : dim.getFactors())
      numbers.push_back(factor);
    if (numbers.size() == 1 && d < static_cast<size_t>(type.getRank()) &&
        !sizes[numbers.front()])
      sizes[numbers.front()] = type.getDimSize(d);
  }
  return map;
}

/// Appends the maps of those of \p tensors whose value in \p values is a ranked
/// tensor; the others have nothing to cut.
template <typename Range>
static void convertTensors(ArrayRef<RuleTensorAttr> tensors, Range values,
                           SmallVectorImpl<std::optional<int64_t>> &sizes,
                           SmallVectorImpl<TensorMap> &maps) {
  for (auto [tensor, value] : llvm::zip(tensors, values))
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      maps.push_back(convertTensor(tensor, type, sizes));
}

static FailureOr<Rule> convertRule(RuleAttr attr, Operation *op) {
  if (attr.getOperands().size() != op->getNumOperands() ||
      attr.getResults().size() != op->getNumResults()) {
    op->emitOpError() << "has " << op->getNumOperands() << " operands and "
                      << op->getNumResults() << " results, but its rule is for "
                      << attr.getOperands().size() << " and "
                      << attr.getResults().size();
    return failure();
  }
  Rule rule;
  SmallVector<std::optional<int64_t>> sizes;
  for (int64_t size : attr.getFactorSizes())
    sizes.push_back(size ? std::optional<int64_t>(size) : std::nullopt);
  sizes.resize(attr.getNumFactors());
  convertTensors(attr.getOperands(), op->getOperands(), sizes, rule.operands);
  convertTensors(attr.getResults(), op->getResults(), sizes, rule.results);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Factor factor;
    factor.size = size.value_or(1);
    if (std::optional<layout::ReductionKind> kind = attr.getReductionKind(i)) {
      factor.use = Factor::Use::Reduction;
      factor.reduction = *kind;
    }
    if (attr.isReplicated(i))
      factor.use = Factor::Use::Replicate;
    rule.factors.push_back(factor);
  }
  return rule;
}

//===----------------------------------------------------------------------===//
// Rules of ops
//===----------------------------------------------------------------------===//

/// Gives the tensors of \p operands that \p rule does not reach, all captured,
/// Replicate factors of their own.
static void addWholeOperands(Rule &rule, ArrayRef<TensorOperand> operands) {
  while (rule.operands.size() < operands.size()) {
    const TensorOperand &operand = operands[rule.operands.size()];
    if (operand.operand)
      return;
    TensorMap map;
    for (int64_t size : operand.getType().getShape()) {
      map.push_back({static_cast<unsigned>(rule.factors.size())});
      rule.factors.push_back({size, Factor::Use::Replicate});
    }
    rule.operands.push_back(map);
  }
}

/// Returns the rule of an op of any dialect that says by its trait that it
/// works element by element. Operands that are no tensors go to every element.
static FailureOr<Rule>
getElementwiseOpRule(Operation *op,
                     ArrayRef<SmallVector<int64_t>> operandShapes,
                     ArrayRef<SmallVector<int64_t>> resultShapes) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0 ||
      resultShapes.empty())
    return failure();
  auto isShape = [&](ArrayRef<int64_t> shape) {
    return shape == ArrayRef<int64_t>(resultShapes.front());
  };
  if (!llvm::all_of(operandShapes, isShape) ||
      !llvm::all_of(resultShapes, isShape))
    return failure();
  return propagation::getElementwiseRule(
      resultShapes.front(), operandShapes.size(), resultShapes.size());
}

FailureOr<Rule> pctl::getRule(Operation *op) {
  SmallVector<TensorOperand> operands = getTensorOperands(op);
  SmallVector<SmallVector<int64_t>> operandShapes = getShapes(operands);
  SmallVector<SmallVector<int64_t>> resultShapes =
      getShapes(getTensorResults(op));

  FailureOr<Rule> rule = failure();
  if (auto attr = op->getAttrOfType<RuleAttr>(kRuleAttrName)) {
    rule = convertRule(attr, op);
    if (failed(rule))
      return failure();
  } else if (auto shardable = dyn_cast<ShardingRuleOpInterface>(op)) {
    rule = shardable.getShardingRule();
  } else {
    rule = getElementwiseOpRule(op, operandShapes, resultShapes);
  }
  if (failed(rule))
    return propagation::getWholeRule(operandShapes, resultShapes);

  if (!op->hasAttr(kRuleAttrName))
    rule->additive = getAdditiveOperands(op);
  addWholeOperands(*rule, operands);
  propagation::keepUnknownDimsWhole(*rule, operandShapes, resultShapes);
  if (llvm::Error error =
          propagation::verifyRule(*rule, operandShapes, resultShapes)) {
    op->emitOpError("has a rule that does not fit it: ")
        << llvm::toString(std::move(error));
    return failure();
  }
  return rule;
}
