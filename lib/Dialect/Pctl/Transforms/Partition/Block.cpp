// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions the ops of a block, one after the other: reads their layouts,
/// checks them, then asks the op's interface, or does what is right for any op.

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

#include "pctl/Dialect/Pctl/Transforms/PartitionOpInterface.cpp.inc"

namespace pctl {

//===----------------------------------------------------------------------===//
// Layouts of an op
//===----------------------------------------------------------------------===//

/// Returns the attributes that hold the layouts of the results of \p op, or
/// null where it has none.
static ArrayAttr getResultLayoutAttrs(Operation *op) {
  if (auto layouts = op->getAttrOfType<ArrayAttr>(kLayoutsAttrName))
    return layouts;
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return ArrayAttr::get(op->getContext(), {redistribute.getTo()});
  if (auto manual = dyn_cast<ManualOp>(op))
    return manual.getOutLayouts();
  return {};
}

LogicalResult PartitionContext::collectLayouts(Operation *op) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isa<RankedTensorType>(operand.getType()) && !hasLayout(operand))
      return op->emitOpError() << "operand #" << index << " has no layout; in "
                               << "the laid-out form every tensor has one";
  ArrayAttr attrs = getResultLayoutAttrs(op);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    if (!attrs || index >= attrs.size())
      return op->emitOpError()
             << "result #" << index << " has no layout; in the laid-out form "
             << "every op with tensor results has '" << kLayoutsAttrName << "'";
    FailureOr<layout::Layout> layout =
        readLayout(op, "result #" + Twine(index), attrs[index], type);
    if (failed(layout))
      return failure();
    setLayout(result, *layout);
  }
  return success();
}

FailureOr<layout::Layout>
PartitionContext::readLayout(Operation *op, const Twine &what, Attribute attr,
                             RankedTensorType type) const {
  FailureOr<LayoutOnMesh> checked =
      getCheckedLayout(attr, type.getShape(), op,
                       [&] { return op->emitOpError() << what << ": "; });
  if (failed(checked))
    return failure();
  if (checked->symbol != meshSymbol)
    return op->emitOpError()
           << what << " is laid out over mesh " << checked->symbol
           << " in a function over mesh " << meshSymbol
           << "; a function is cut over one mesh";
  return checked->layout.getNormalForm();
}

LogicalResult PartitionContext::checkRule(Operation *op) {
  FailureOr<propagation::Rule> rule = getRule(op);
  if (failed(rule))
    return failure();
  SmallVector<layout::Layout, 0> operands, results;
  for (const TensorOperand &operand : getTensorOperands(op))
    operands.push_back(getLayout(operand.value));
  for (OpResult result : getTensorResults(op))
    results.push_back(getLayout(result));
  llvm::Expected<propagation::FactorCuts> cuts =
      propagation::inferFactorCuts(mesh, *rule, operands, results);
  if (!cuts)
    return op->emitOpError() << "has layouts that do not fit together: "
                             << llvm::toString(cuts.takeError());
  return success();
}

LogicalResult PartitionContext::checkCaptures(Operation *op, bool mayBeCut,
                                              bool &areWhole) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  areWhole = true;
  for (Value value : captured) {
    if (isa<RankedTensorType>(value.getType()) && !hasLayout(value))
      return op->emitOpError("captures a tensor that has no layout");
    areWhole &= isWhole(value);
    if (!areWhole && !mayBeCut)
      return emitLayoutError(op, "captured tensor", value,
                             "what a body captures must be whole");
  }
  WalkResult walk = op->walk([&](RedistributeOp redistribute) {
    if (redistribute == op)
      return WalkResult::advance();
    InFlightDiagnostic diag = redistribute.emitOpError()
                              << "is in an op that is done whole";
    diag.attachNote(op->getLoc()) << "'" << op->getName() << "' is done whole";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns whether \p op means something else in the local form even where all
/// it takes and gives is whole, or checks more than its own layouts.
static bool mustBeAsked(Operation *op) {
  return isa_and_nonnull<PctlDialect>(op->getDialect()) ||
         isa<CallOpInterface, RegionBranchTerminatorOpInterface>(op);
}

/// Returns whether the regions of \p op hold ops with layouts of their own, so
/// that they can't be kept as they are.
static bool hasLaidOutBody(Operation *op) {
  if (isa<ManualOp>(op))
    return true;
  WalkResult walk = op->walk([&](Operation *nested) {
    bool isLaidOut = nested != op && (nested->hasAttr(kLayoutsAttrName) ||
                                      isa<RedistributeOp, ManualOp>(nested));
    return isLaidOut ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Returns whether each element of the results of \p op depends on the elements
/// at the same place alone.
static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>();
}

/// Returns whether the regions of \p op read a tensor from above that is not
/// whole.
bool PartitionContext::capturesCut(Operation *op) const {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, [&](Value value) { return !isWhole(value); });
}

LogicalResult PartitionContext::partitionOp(Operation *op) {
  if (failed(collectLayouts(op)))
    return failure();
  if (takesSums(op) && getCarriedTargets(op).empty() &&
      !isa<CallOpInterface, RegionBranchTerminatorOpInterface>(op)) {
    FailureOr<propagation::Rule> rule = getRule(op);
    if (failed(rule))
      return failure();
    if (!rule->additive.empty())
      return partitionSums(op, *rule);
  }
  return partitionPlain(op);
}

LogicalResult PartitionContext::partitionPlain(Operation *op) {
  auto isValueWhole = [&](Value value) { return isWhole(value); };
  bool allWhole = llvm::all_of(op->getOperands(), isValueWhole) &&
                  llvm::all_of(op->getResults(), isValueWhole);
  auto interface = dyn_cast<PartitionOpInterface>(op);
  if (interface && interface.partitionsRegions() &&
      (!allWhole || hasLaidOutBody(op) || capturesCut(op)))
    return interface.partition(*this);
  bool capturesWhole = true;
  if (failed(checkCaptures(op, interface && interface.partitionsCaptures(),
                           capturesWhole)))
    return failure();
  allWhole &= capturesWhole;
  if (interface && (!allWhole || mustBeAsked(op)))
    return interface.partition(*this);
  if (!allWhole) {
    if (!isElementwise(op) && !op->hasAttr(kRuleAttrName))
      return op->emitOpError()
             << "can't be cut: it implements no PartitionOpInterface and has "
             << "no '" << kRuleAttrName << "'";
    if (failed(checkRule(op)))
      return failure();
  }
  cloneWithLocalTypes(op);
  return success();
}

LogicalResult PartitionContext::partitionBlock(Block &from, Block &to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&to);
  for (Operation &op : from)
    if (failed(partitionOp(&op)))
      return failure();
  return success();
}

} // namespace pctl
