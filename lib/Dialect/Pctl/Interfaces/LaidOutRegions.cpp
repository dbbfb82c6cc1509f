// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pctl;

bool pctl::hasLaidOutRegions(Operation *op) {
  if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
           scf::ExecuteRegionOp>(op))
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return region.empty() || region.hasOneBlock();
  });
}

Value pctl::getCarrier(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  Operation *parent = argument.getOwner()->getParentOp();
  if (!parent || !hasLaidOutRegions(parent))
    return value;
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return argument.getArgNumber() < loop.getNumInductionVars()
               ? value
               : Value(loop.getResult(argument.getArgNumber() -
                                      loop.getNumInductionVars()));
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    if (argument.getOwner() == loop.getAfterBody())
      return loop.getResult(argument.getArgNumber());
  return value;
}

OpOperand *pctl::getWhileInit(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return nullptr;
  auto loop =
      dyn_cast_or_null<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop || !hasLaidOutRegions(loop) ||
      argument.getOwner() != loop.getBeforeBody())
    return nullptr;
  return &loop->getOpOperand(argument.getArgNumber());
}

SmallVector<Value> pctl::getCarriedTargets(Operation *op) {
  SmallVector<Value> targets;
  if (hasLaidOutRegions(op)) {
    targets.resize(op->getNumOperands());
    if (auto loop = dyn_cast<scf::ForOp>(op))
      llvm::copy(loop.getResults(), targets.end() - loop.getNumResults());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      llvm::copy(loop.getBeforeArguments(), targets.begin());
    return targets;
  }
  Operation *parent = op->getParentOp();
  if (!parent || !op->hasTrait<OpTrait::IsTerminator>() ||
      !hasLaidOutRegions(parent))
    return targets;
  if (isa<scf::ConditionOp>(op)) {
    targets.push_back(Value());
    llvm::append_range(targets, parent->getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    llvm::append_range(targets, loop.getBeforeArguments());
  } else {
    llvm::append_range(targets, parent->getResults());
  }
  return targets;
}

bool pctl::walkLaidOutOps(Region &region,
                          function_ref<bool(Operation *)> callback) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (!callback(&op))
        return false;
      if (!hasLaidOutRegions(&op))
        continue;
      for (Region &inner : op.getRegions())
        if (!walkLaidOutOps(inner, callback))
          return false;
    }
  return true;
}

Operation *pctl::getLaidOutAncestor(Operation *op) {
  Operation *outermost = op;
  for (Operation *parent = op->getParentOp();
       parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp())
    if (!hasLaidOutRegions(parent))
      outermost = parent;
  return outermost;
}
