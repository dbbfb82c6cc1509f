// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "CopySources.h"

#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace pctl;

static bool isLeaf(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, tensor::SplatOp>(op);
}

/// Returns whether \p op makes a tensor from nothing at the cost of writing it:
/// a leaf, or a structured op that reads no tensor but such a one to write
/// into.
static bool isSource(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (isLeaf(op))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics() || !isPure(op))
    return false;
  for (Value operand : op->getOperands()) {
    if (!isa<ShapedType>(operand.getType()))
      continue;
    Operation *producer = operand.getDefiningOp();
    if (!producer || !isLeaf(producer))
      return false;
  }
  // Nothing may come in from above but numbers.
  WalkResult outcome = op->walk([&](Operation *inner) {
    if (inner == op)
      return WalkResult::advance();
    for (Value operand : inner->getOperands())
      if (isa<ShapedType>(operand.getType()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !outcome.wasInterrupted();
}

void SourceCopies::copyUses(Operation *op) {
  Value result = op->getResult(0);
  if (result.use_empty() || result.hasOneUse())
    return;
  // Uses are listed last first; copies follow the op in order of the uses. An
  // op may use what it captures many times inside, but captures it once, so
  // that all uses inside are one.
  llvm::MapVector<std::pair<Operation *, OpOperand *>, SmallVector<OpOperand *>>
      uses;
  for (OpOperand &use : result.getUses()) {
    Operation *user = getLaidOutAncestor(use.getOwner());
    bool captured = user != use.getOwner();
    uses[{user, captured ? nullptr : &use}].push_back(&use);
  }
  if (uses.size() == 1)
    return;
  SmallVector<Operation *> &group = groups[op];
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto &[user, alike] : llvm::drop_begin(llvm::reverse(uses))) {
    Operation *copy = builder.clone(*op);
    for (OpOperand *use : alike)
      use->set(copy->getResult(0));
    group.push_back(copy);
  }
}

SourceCopies::SourceCopies(ModuleOp module) {
  SmallVector<Operation *> sources;
  for (auto func : module.getOps<func::FuncOp>())
    walkLaidOutOps(func.getBody(), [&](Operation *op) {
      if (isSource(op))
        sources.push_back(op);
      return true;
    });
  for (Operation *op : llvm::reverse(sources))
    copyUses(op);
}

void SourceCopies::merge() {
  // Operands were copied after their users, so they are merged before them.
  for (auto &[op, copies] : llvm::reverse(groups)) {
    SmallVector<Operation *> kept = {op};
    for (Operation *copy : copies) {
      auto same = llvm::find_if(kept, [&](Operation *other) {
        return other->getAttrDictionary() == copy->getAttrDictionary() &&
               llvm::equal(other->getOperands(), copy->getOperands());
      });
      if (same == kept.end()) {
        kept.push_back(copy);
        continue;
      }
      copy->getResult(0).replaceAllUsesWith((*same)->getResult(0));
      copy->erase();
    }
  }
}
