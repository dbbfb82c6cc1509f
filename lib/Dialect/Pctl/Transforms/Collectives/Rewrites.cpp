// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Rewrites.h"

#include "pctl/Dialect/Pctl/Transforms/CollectiveSummary.h"
#include "pctl/Dialect/Pctl/Transforms/Uniformity.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pctl;
using namespace pctl::collectives;

StringRef collectives::stringify(RewriteKind kind) {
  switch (kind) {
  case RewriteKind::Common:
    return "common";
  case RewriteKind::Dead:
    return "dead";
  case RewriteKind::Inverse:
    return "inverse";
  case RewriteKind::ReduceScatter:
    return "reduce-scatter";
  case RewriteKind::SliceFirst:
    return "slice-first";
  case RewriteKind::JoinReductions:
    return "join-reductions";
  case RewriteKind::DeferReduction:
    return "defer-reduction";
  case RewriteKind::SinkGather:
    return "sink-gather";
  case RewriteKind::HoistGather:
    return "hoist-gather";
  case RewriteKind::Merge:
    return "merge";
  }
  return "";
}

/// Adds up what \p ops receive; nothing where one's types don't tell.
static std::optional<int64_t> getBytes(ArrayRef<Operation *> ops) {
  int64_t total = 0;
  for (Operation *op : ops) {
    std::optional<int64_t> bytes =
        getReceivedBytes(cast<CollectiveOpInterface>(op));
    if (!bytes)
      return std::nullopt;
    total += *bytes;
  }
  return total;
}

void RewriteContext::record(RewriteKind kind, Location loc,
                            ArrayRef<Operation *> before,
                            ArrayRef<Operation *> after) {
  auto count = [](ArrayRef<Operation *> ops) {
    return llvm::count_if(ops,
                          [](Operation *op) { return !isa<AllSliceOp>(op); });
  };
  entries.push_back({kind, loc, count(before), count(after), getBytes(before),
                     getBytes(after)});
}

RewriteContext::RewriteContext(IRRewriter &rewriter, ModuleOp module)
    : rewriter(rewriter), module(module) {}

RewriteContext::~RewriteContext() = default;

bool RewriteContext::isUniform(Value value, CollectiveOpInterface collective) {
  if (fresh.contains(value))
    return false;
  if (!uniformity)
    uniformity = std::make_unique<Uniformity>(module);
  ProgramAxes &axes = uniformity->getAxes();
  FlatSymbolRefAttr mesh = collective.getMeshAttr();
  return (axes.onMesh(uniformity->get(value), mesh) &
          axes.getTouched(mesh, collective.getAxes())) == 0;
}

void RewriteContext::eraseDead(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  SmallVector<Operation *> producers;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      if (!llvm::is_contained(producers, producer))
        producers.push_back(producer);
  rewriter.eraseOp(op);
  for (Operation *producer : producers)
    eraseDead(producer);
}

bool collectives::haveSameAxes(CollectiveOpInterface a,
                               CollectiveOpInterface b) {
  return a.getMeshAttr() == b.getMeshAttr() && a.getAxes() == b.getAxes();
}

SmallVector<CollectiveOpInterface>
collectives::getCollectives(func::FuncOp func) {
  SmallVector<CollectiveOpInterface> ops;
  func.walk([&](CollectiveOpInterface op) {
    if (!op.hasBuffers())
      ops.push_back(op);
  });
  return ops;
}
