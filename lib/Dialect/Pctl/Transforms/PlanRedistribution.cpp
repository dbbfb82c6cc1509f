// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Replaces each `pctl.redistribute` by the steps of its plan. The planner
/// decides and knows no IR (docs/redistribution.md); MaterializePlan.cpp makes
/// ops of what it says.

#include "ElementBytes.h"
#include "RedistributionReport.h"
#include "ReportFile.h"
#include "pctl/Cost/Cluster.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/MaterializePlan.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Redistribute/PlanCache.h"
#include "pctl/Redistribute/PlanCost.h"
#include "pctl/Redistribute/PlanText.h"
#include "pctl/Redistribute/Traffic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pctl {

#define GEN_PASS_DEF_PLANREDISTRIBUTIONPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

namespace {

using redistribute::Plan;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct PlanRedistributionPass
    : impl::PlanRedistributionPassBase<PlanRedistributionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(
            requireForm(module, Form::Local, getArgument(), "pctl-partition")))
      return signalPassFailure();
    if (failed(readOptions(module)))
      return signalPassFailure();
    SmallVector<RedistributeOp> ops;
    module.walk([&](RedistributeOp op) { ops.push_back(op); });
    SmallVector<std::shared_ptr<const Plan>> found;
    for (RedistributeOp op : ops) {
      std::shared_ptr<const Plan> plan = findPlan(op);
      if (!plan)
        return signalPassFailure();
      found.push_back(std::move(plan));
    }
    for (auto [op, plan] : llvm::zip(ops, found))
      if (failed(replace(op, *plan)))
        return signalPassFailure();
    setForm(module, Form::Planned);
    if (!report.empty() &&
        failed(writeReport(report, entries.take(planning.cluster.name), [&] {
          return module.emitError() << getArgument() << ": ";
        })))
      signalPassFailure();
  }

private:
  /// Makes planner options of the pass's. Errors: no such cluster, a size that
  /// is none.
  LogicalResult readOptions(ModuleOp module) {
    auto emitError = [&] {
      return module.emitError() << getArgument() << ": ";
    };
    if (capBytes < 0)
      return emitError()
             << "cap-bytes is " << capBytes.getValue()
             << ", expected a number of bytes, or 0 for the default";
    if (chunkBytes < 1)
      return emitError() << "chunk-bytes is " << chunkBytes.getValue()
                         << ", expected at least 1";
    llvm::Expected<cost::Cluster> loaded = cost::loadCluster(cluster);
    if (!loaded)
      return reportError(loaded.takeError(), emitError);
    planning.cluster = std::move(*loaded);
    planning.capBytes.reset();
    if (capBytes > 0)
      planning.capBytes = capBytes;
    planning.chunkBytes = chunkBytes;
    return success();
  }

  /// Returns the plan of \p op, made now or before; null, having reported why,
  /// where there is none.
  std::shared_ptr<const Plan> findPlan(RedistributeOp op) {
    if (!op.isLocal()) {
      op.emitOpError("is not in its local spelling; run pctl-partition first");
      return nullptr;
    }
    auto emitError = [&] { return op.emitOpError(); };
    ArrayRef<int64_t> shape = op.getWholeType().getShape();
    FailureOr<LayoutOnMesh> from =
        getCheckedLayout(op.getFrom(), shape, op, emitError);
    FailureOr<LayoutOnMesh> to =
        getCheckedLayout(op.getTo(), shape, op, emitError);
    if (failed(from) || failed(to))
      return nullptr;
    if (from->symbol != to->symbol) {
      op.emitOpError() << "goes from mesh " << from->symbol << " to mesh "
                       << to->symbol << "; both layouts must be over one mesh";
      return nullptr;
    }
    planning.elementBytes = getElementBytesOrOne(op);
    llvm::Expected<std::shared_ptr<const Plan>> plan =
        cache->plan(from->mesh, shape, from->layout, to->layout, planning);
    if (!plan) {
      (void)reportError(plan.takeError(), emitError);
      return nullptr;
    }
    return std::move(*plan);
  }

  /// A type of unknown size counts as one of a byte.
  static int64_t getElementBytesOrOne(RedistributeOp op) {
    return getElementBytes(op.getWholeType().getElementType()).value_or(1);
  }

  LogicalResult replace(RedistributeOp op, const Plan &plan) {
    if (printPlans)
      printPlan(op, plan);
    if (!report.empty()) {
      planning.elementBytes = getElementBytesOrOne(op);
      entries.add(op, plan, planning);
    }
    FlatSymbolRefAttr symbol = resolveLayout(op.getTo(), op).getMesh();
    OpBuilder builder(op);
    FailureOr<Value> result = materializePlan(
        builder, op.getLoc(), symbol, op.getInput(), op.getWholeType(), plan,
        [&] { return op.emitOpError(); });
    if (failed(result))
      return failure();
    Type type = op.getResult().getType();
    if (result->getType() != type)
      result = tensor::CastOp::create(builder, op.getLoc(), type, *result)
                   .getResult();
    op.getResult().replaceAllUsesWith(*result);
    op.erase();
    return success();
  }

  void printPlan(RedistributeOp op, const Plan &plan) {
    std::string text = redistribute::toString(plan);
    redistribute::Traffic traffic = redistribute::getTraffic(plan);
    InFlightDiagnostic remark = op.emitRemark("plan: ")
                                << StringRef(text) << "receives "
                                << (traffic.exact ? "" : "at most ");
    Type type = op.getWholeType().getElementType();
    if (std::optional<int64_t> sizeBytes =
            getSizeBytes(traffic.maxReceived, type))
      remark << *sizeBytes << " bytes a rank";
    else
      remark << traffic.maxReceived << " elements a rank";
    redistribute::PlanCost cost = redistribute::getPlanCost(
        plan, planning.cluster, getElementBytesOrOne(op), planning.chunkBytes);
    remark << "; holds " << cost.peakBytes << " bytes; takes "
           << llvm::formatv("{0:F1}", cost.timeSec * 1e6).str() << " us on "
           << planning.cluster.name;
  }

  redistribute::PlannerOptions planning;
  RedistributionReport entries;
  /// Shared by the clones of the pass, and kept from module to module.
  std::shared_ptr<redistribute::PlanCache> cache =
      std::make_shared<redistribute::PlanCache>();
};

} // namespace

} // namespace pctl
