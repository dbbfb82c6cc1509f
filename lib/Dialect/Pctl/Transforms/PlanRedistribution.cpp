// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Replaces each `pctl.redistribute` by the steps of its plan. The planner
/// decides and knows no IR (docs/redistribution.md); MaterializePlan.cpp makes
/// ops of what it says.

#include "ElementBytes.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/MaterializePlan.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Redistribute/PlanText.h"
#include "pctl/Redistribute/Planner.h"
#include "pctl/Redistribute/Traffic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

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
    plans.clear();
    SmallVector<RedistributeOp> ops;
    module.walk([&](RedistributeOp op) { ops.push_back(op); });
    SmallVector<const Plan *> found;
    for (RedistributeOp op : ops) {
      const Plan *plan = findPlan(op);
      if (!plan)
        return signalPassFailure();
      found.push_back(plan);
    }
    for (auto [op, plan] : llvm::zip(ops, found))
      if (failed(replace(op, *plan)))
        return signalPassFailure();
    setForm(module, Form::Planned);
  }

private:
  /// Returns the plan of \p op, made now or before; null, having reported why,
  /// where there is none.
  const Plan *findPlan(RedistributeOp op) {
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
    // What makes two redistributions the same, as text.
    std::string key =
        redistribute::toString(Plan{from->mesh,
                                    SmallVector<int64_t, 4>(shape),
                                    from->layout.getNormalForm(),
                                    to->layout.getNormalForm(),
                                    {}});
    auto it = plans.find(key);
    if (it != plans.end())
      return &it->second;
    llvm::Expected<Plan> plan = redistribute::planRedistribution(
        from->mesh, shape, from->layout, to->layout);
    if (!plan) {
      (void)reportError(plan.takeError(), emitError);
      return nullptr;
    }
    return &plans.emplace(std::move(key), std::move(*plan)).first->second;
  }

  LogicalResult replace(RedistributeOp op, const Plan &plan) {
    if (printPlans)
      printPlan(op, plan);
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

  static void printPlan(RedistributeOp op, const Plan &plan) {
    std::string text = redistribute::toString(plan);
    redistribute::Traffic traffic = redistribute::getTraffic(plan);
    InFlightDiagnostic remark = op.emitRemark("plan: ")
                                << StringRef(text) << "receives "
                                << (traffic.exact ? "" : "at most ");
    if (std::optional<int64_t> sizeBytes = getSizeBytes(
            traffic.maxReceived, op.getWholeType().getElementType()))
      remark << *sizeBytes << " bytes a rank";
    else
      remark << traffic.maxReceived << " elements a rank";
  }

  std::map<std::string, Plan> plans;
};

} // namespace

} // namespace pctl
