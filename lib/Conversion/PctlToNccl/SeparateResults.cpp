// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Makes every buffer that a function returns an allocation of its own. The
/// contract with callers, who own each result, needs that: upstream's
/// deallocation sees to it that a result is owned, but not that two are not
/// the same. docs/lowering.md has the contract.

#include "pctl/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace pctl {
#define GEN_PASS_DEF_SEPARATERESULTSPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// Adds to \p sources the buffers among \p values.
static void addBuffers(ValueRange values, SmallVectorImpl<Value> &sources) {
  for (Value value : values)
    if (isa<BaseMemRefType>(value.getType()))
      sources.push_back(value);
}

/// Adds to \p sources what \p branch hands over as \p value, one of the inputs
/// of \p successor. Returns whether it is one.
static bool addSources(RegionBranchOpInterface branch,
                       RegionSuccessor successor, Value value,
                       SmallVectorImpl<Value> &sources) {
  for (auto [index, input] : llvm::enumerate(successor.getSuccessorInputs())) {
    if (input != value)
      continue;
    branch.getPredecessorValues(successor, index, sources);
    return true;
  }
  return false;
}

/// Adds to \p sources the buffers that block argument \p argument may be.
static void addSources(BlockArgument argument,
                       SmallVectorImpl<Value> &sources) {
  Block *block = argument.getOwner();
  Operation *parent = block->getParentOp();
  if (!block->isEntryBlock()) {
    for (Block *predecessor : block->getPredecessors())
      addBuffers(predecessor->getTerminator()->getOperands(), sources);
    return;
  }
  if (isa<func::FuncOp>(parent))
    return;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(parent)) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (Region &region : parent->getRegions())
      branch.getSuccessorRegions(region, successors);
    for (RegionSuccessor successor : successors)
      if (successor.getSuccessor() == block->getParent() &&
          addSources(branch, successor, argument, sources))
        return;
  }
  addBuffers(parent->getOperands(), sources);
}

/// Returns the buffers of which \p value may be one, or a view; none where it
/// is an allocation of its own or an argument of a function.
static SmallVector<Value> getSources(Value value) {
  SmallVector<Value> sources;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    addSources(argument, sources);
    return sources;
  }
  Operation *op = value.getDefiningOp();
  // What a call returns is its caller's alone, of functions without a body by
  // the contract, of all others because this pass has been there.
  if (isa<func::CallOp>(op) || hasEffect<MemoryEffects::Allocate>(op, value))
    return sources;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    if (addSources(branch, RegionSuccessor(op, op->getResults()), value,
                   sources))
      return sources;
  addBuffers(op->getOperands(), sources);
  return sources;
}

/// Returns the allocations and arguments that \p value may be part of.
static SetVector<Value> getRoots(Value value) {
  SetVector<Value> reached, roots;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    SmallVector<Value> sources = getSources(reached[i]);
    if (sources.empty())
      roots.insert(reached[i]);
    reached.insert(sources.begin(), sources.end());
  }
  return roots;
}

/// Gives \p op copies of what may share memory with an operand before it.
static void separateOperands(func::ReturnOp op) {
  OpBuilder builder(op);
  DenseSet<Value> taken;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    SetVector<Value> roots = getRoots(operand.get());
    if (llvm::any_of(roots, [&](Value root) { return taken.contains(root); })) {
      operand.set(
          bufferization::CloneOp::create(builder, op.getLoc(), operand.get()));
      continue;
    }
    taken.insert(roots.begin(), roots.end());
  }
}

namespace {
struct SeparateResults : pctl::impl::SeparateResultsPassBase<SeparateResults> {
  void runOnOperation() override {
    getOperation()->walk([](func::ReturnOp op) { separateOperands(op); });
  }
};
} // namespace
