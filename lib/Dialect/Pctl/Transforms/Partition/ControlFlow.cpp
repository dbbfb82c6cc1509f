// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions calls, returns and structured control flow: what is carried from
/// one place to another is laid out alike at both. All ranks of a mesh take the
/// same way, as conditions and bounds are scalars, which are never cut.

#include "Models.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Layout/LayoutText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace pctl {
namespace {

/// Checks that the tensors \p from, called \p what, of \p op are laid out as
/// \p to, what they become.
LogicalResult checkSameLayouts(Operation *op, PartitionContext &ctx,
                               StringRef what, ValueRange from, ValueRange to) {
  for (auto [index, source, target] : llvm::enumerate(from, to)) {
    if (!isa<RankedTensorType>(source.getType()))
      continue;
    if (ctx.getLayout(source) != ctx.getLayout(target))
      return ctx.emitLayoutError(op, what + " #" + Twine(index), source,
                                 "what it becomes is laid out as " +
                                     Twine(ctx.getLayoutText(target)));
  }
  return success();
}

/// Checks that \p value, called \p what, of \p op is laid out as \p attr, which
/// the signature of function \p func says.
LogicalResult checkSignature(Operation *op, PartitionContext &ctx,
                             const Twine &what, Value value, Attribute attr,
                             FunctionOpInterface func) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success();
  if (!attr)
    return op->emitOpError()
           << what << " has no '" << kLayoutAttrName << "' in function @"
           << func.getName() << "; in the laid-out form every tensor has one";
  FailureOr<layout::Layout> layout = ctx.readLayout(func, what, attr, type);
  if (failed(layout))
    return failure();
  if (*layout != ctx.getLayout(value))
    return ctx.emitLayoutError(op, what, value,
                               "function @" + func.getName() + " has it as " +
                                   layout::toString(ctx.getMesh(), *layout));
  return success();
}

struct CallPartition
    : PartitionOpInterface::ExternalModel<CallPartition, func::CallOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto call = cast<func::CallOp>(op);
    auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
        op, call.getCalleeAttr());
    if (!callee)
      return op->emitOpError()
             << "calls " << call.getCalleeAttr() << ", which is no function";
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (failed(checkSignature(op, ctx, "operand #" + Twine(index), operand,
                                callee.getArgAttr(index, kLayoutAttrName),
                                callee)))
        return failure();
    for (auto [index, result] : llvm::enumerate(op->getResults()))
      if (failed(checkSignature(op, ctx, "result #" + Twine(index), result,
                                callee.getResultAttr(index, kLayoutAttrName),
                                callee)))
        return failure();
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

struct ReturnPartition
    : PartitionOpInterface::ExternalModel<ReturnPartition, func::ReturnOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto func = cast<FunctionOpInterface>(op->getParentOp());
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      if (failed(checkSignature(op, ctx, "result #" + Twine(index), operand,
                                func.getResultAttr(index, kLayoutAttrName),
                                func)))
        return failure();
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

/// Partitions region \p from into \p to, whose block arguments become the parts
/// of \p carried, the laid-out values that enter as the last arguments.
LogicalResult partitionRegion(Region &from, Region &to, ValueRange carried,
                              PartitionContext &ctx) {
  if (from.empty())
    return success();
  Block &source = from.front();
  Block &target = to.emplaceBlock();
  unsigned numFirst = source.getNumArguments() - carried.size();
  for (auto [index, arg] : llvm::enumerate(source.getArguments())) {
    if (index >= numFirst && isa<RankedTensorType>(arg.getType()))
      ctx.setLayout(arg, ctx.getLayout(carried[index - numFirst]));
    ctx.setLocal(arg, target.addArgument(ctx.getLocalType(arg), arg.getLoc()));
  }
  return ctx.partitionBlock(source, target);
}

/// scf.if, scf.index_switch, scf.execute_region: nothing enters the regions as
/// arguments. scf.for: what enters becomes the results.
template <typename Op>
struct RegionPartition
    : PartitionOpInterface::ExternalModel<RegionPartition<Op>, Op> {
  bool partitionsRegions(Operation *) const { return true; }

  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    ValueRange carried;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      carried = loop.getResults();
      if (failed(checkSameLayouts(op, ctx, "initial value", loop.getInitArgs(),
                                  carried)))
        return failure();
    }
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        return op->emitOpError("has a region of several blocks; only "
                               "structured control flow can be cut");
    Operation *local = ctx.clone(op, ctx.getLocals(op->getOperands()),
                                 /*withRegions=*/false);
    for (auto [from, to] : llvm::zip(op->getRegions(), local->getRegions()))
      if (failed(partitionRegion(from, to, carried, ctx)))
        return failure();
    return success();
  }
};

struct WhilePartition
    : PartitionOpInterface::ExternalModel<WhilePartition, scf::WhileOp> {
  bool partitionsRegions(Operation *) const { return true; }

  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    auto loop = cast<scf::WhileOp>(op);
    Operation *local = ctx.clone(op, ctx.getLocals(op->getOperands()),
                                 /*withRegions=*/false);
    if (failed(partitionRegion(loop.getBefore(), local->getRegion(0),
                               loop.getInits(), ctx)))
      return failure();
    return partitionRegion(loop.getAfter(), local->getRegion(1),
                           loop.getResults(), ctx);
  }
};

struct ConditionPartition
    : PartitionOpInterface::ExternalModel<ConditionPartition,
                                          scf::ConditionOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    if (failed(checkSameLayouts(op, ctx, "value",
                                cast<scf::ConditionOp>(op).getArgs(),
                                op->getParentOp()->getResults())))
      return failure();
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

struct YieldPartition
    : PartitionOpInterface::ExternalModel<YieldPartition, scf::YieldOp> {
  LogicalResult partition(Operation *op, PartitionContext &ctx) const {
    ValueRange targets = op->getParentOp()->getResults();
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      targets = loop.getInits();
    if (failed(checkSameLayouts(op, ctx, "value", op->getOperands(), targets)))
      return failure();
    ctx.cloneWithLocalTypes(op);
    return success();
  }
};

} // namespace

void detail::registerControlFlowModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, func::FuncDialect *) {
    func::CallOp::attachInterface<CallPartition>(*ctx);
    func::ReturnOp::attachInterface<ReturnPartition>(*ctx);
  });
  registry.addExtension(+[](MLIRContext *ctx, scf::SCFDialect *) {
    scf::IfOp::attachInterface<RegionPartition<scf::IfOp>>(*ctx);
    scf::ForOp::attachInterface<RegionPartition<scf::ForOp>>(*ctx);
    scf::IndexSwitchOp::attachInterface<RegionPartition<scf::IndexSwitchOp>>(
        *ctx);
    scf::ExecuteRegionOp::attachInterface<
        RegionPartition<scf::ExecuteRegionOp>>(*ctx);
    scf::WhileOp::attachInterface<WhilePartition>(*ctx);
    scf::ConditionOp::attachInterface<ConditionPartition>(*ctx);
    scf::YieldOp::attachInterface<YieldPartition>(*ctx);
  });
}

} // namespace pctl
