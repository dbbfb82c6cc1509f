// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Collectives that need not be: what nobody uses, what was done before, and
/// pairs that undo each other.

#include "Rewrites.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

/// Returns whether \p a and \p b, of one op, do the same: all but where they
/// write to is equal, and that does not count.
static bool doTheSame(CollectiveOpInterface a, CollectiveOpInterface b) {
  return a->getName() == b->getName() && a.getInput() == b.getInput() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         a->getResultTypes() == b->getResultTypes() &&
         (a.getOutput() == b.getOutput() || a.overwritesOutput());
}

/// Lets the first of several equal collectives serve all that it dominates.
static bool removeCommon(func::FuncOp func, RewriteContext &context) {
  bool changed = false;
  DominanceInfo dominance(func);
  for (CollectiveOpInterface op : getCollectives(func)) {
    // What is equal has the same input, so it is among its users.
    for (Operation *user : op.getInput().getUsers()) {
      auto other = dyn_cast<CollectiveOpInterface>(user);
      if (!other || other == op || !doTheSame(op, other) ||
          !dominance.properlyDominates(other, op))
        continue;
      context.record(RewriteKind::Common, op->getLoc(), {op}, {});
      context.rewriter.replaceOp(op, other->getResults());
      changed = true;
      break;
    }
  }
  return changed;
}

static bool removeDead(func::FuncOp func, RewriteContext &context) {
  bool changed = false;
  SmallVector<CollectiveOpInterface> ops = getCollectives(func);
  for (CollectiveOpInterface op : llvm::reverse(ops)) {
    if (!isOpTriviallyDead(op))
      continue;
    context.record(RewriteKind::Dead, op->getLoc(), {op}, {});
    context.rewriter.eraseOp(op);
    changed = true;
  }
  return changed;
}

/// Returns what \p op gives without it: what it joins was sliced before, or the
/// other way round. Null where it is needed.
static Value undo(CollectiveOpInterface op) {
  auto before = op.getInput().getDefiningOp<CollectiveOpInterface>();
  if (!before || !haveSameAxes(op, before) ||
      before.getInput().getType() != op->getResult(0).getType())
    return {};
  auto gather = dyn_cast<AllGatherOp>(*op);
  auto slice = dyn_cast<AllSliceOp>(*op);
  auto gatherBefore = dyn_cast<AllGatherOp>(*before);
  auto sliceBefore = dyn_cast<AllSliceOp>(*before);
  // Blocks that differ are only those of the slice if they are equal.
  bool isStatic = cast<ShapedType>(op->getResult(0).getType()).hasStaticShape();
  if (gather && sliceBefore && gather.getDim() == sliceBefore.getDim())
    return before.getInput();
  if (slice && gatherBefore && slice.getDim() == gatherBefore.getDim() &&
      isStatic)
    return before.getInput();
  return {};
}

static bool removeInverse(func::FuncOp func, RewriteContext &context) {
  bool changed = false;
  for (CollectiveOpInterface op : getCollectives(func)) {
    Value value = undo(op);
    // A gather of a slice gives back the input only where ranks agree on it.
    if (!value || (isa<AllGatherOp>(*op) && !context.isUniform(value, op)))
      continue;
    Operation *before = op.getInput().getDefiningOp();
    bool isLast = before->hasOneUse();
    SmallVector<Operation *> removed = {op};
    if (isLast)
      removed.push_back(before);
    context.record(RewriteKind::Inverse, op->getLoc(), removed, {});
    context.rewriter.replaceOp(op, value);
    if (isLast)
      context.rewriter.eraseOp(before);
    changed = true;
  }
  return changed;
}

bool collectives::simplifyCollectives(func::FuncOp func,
                                      RewriteContext &context) {
  bool changed = false;
  if (context.isAsked(RewriteKind::Common))
    changed |= removeCommon(func, context);
  if (context.isAsked(RewriteKind::Inverse))
    changed |= removeInverse(func, context);
  if (context.isAsked(RewriteKind::Dead))
    changed |= removeDead(func, context);
  return changed;
}
