// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Counts the collectives of a program and what they move. The traffic of each
/// is that of a step of a plan (pctl/Redistribute/Traffic.h): the op's types
/// say enough to write down such a step.

#include "pctl/Dialect/Pctl/Transforms/CollectiveSummary.h"
#include "ElementBytes.h"
#include "pctl/Dialect/Pctl/IR/PlanBridge.h"
#include "pctl/Layout/LayoutText.h"
#include "pctl/Redistribute/Traffic.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pctl {

using redistribute::Step;
using redistribute::StepKind;

/// Returns the layout that cuts dim \p dim alone, by \p axes.
static layout::Layout getCutOfDim(unsigned rank, unsigned dim,
                                  ArrayRef<layout::AxisRef> axes) {
  layout::Layout layout = layout::Layout::replicated(rank);
  layout.dims[dim].axes.assign(axes.begin(), axes.end());
  return layout;
}

/// A step of a plan for a tensor of a shape.
struct StepOfTensor {
  Step step;
  SmallVector<int64_t> shape;
};

/// Returns a step that moves what \p op moves. What stays the same in a step is
/// left out of its layouts: only sizes count here.
static std::optional<StepOfTensor>
getStepOfTensor(CollectiveOpInterface op, ArrayRef<layout::AxisRef> axes) {
  auto inputType = cast<ShapedType>(op.getInput().getType());
  auto outputType = cast<ShapedType>(op.getOutput().getType());
  StepOfTensor result;
  Step &step = result.step;
  step.axes.assign(axes.begin(), axes.end());
  result.shape.assign(inputType.getShape().begin(), inputType.getShape().end());
  unsigned rank = result.shape.size();
  step.from = step.to = layout::Layout::replicated(rank);
  bool isKnown = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case([&](AllGatherOp gather) {
                       step.kind = StepKind::AllGather;
                       result.shape.assign(outputType.getShape().begin(),
                                           outputType.getShape().end());
                       step.from = getCutOfDim(rank, gather.getDim(), axes);
                       return true;
                     })
                     .Case([&](ReduceScatterOp scatter) {
                       step.kind = StepKind::ReduceScatter;
                       step.to = getCutOfDim(rank, scatter.getDim(), axes);
                       return true;
                     })
                     .Case([&](AllReduceOp) {
                       step.kind = StepKind::AllReduce;
                       return true;
                     })
                     .Case([&](AllToAllOp) {
                       step.kind = StepKind::AllToAll;
                       return true;
                     })
                     .Case([&](PermuteOp) {
                       step.kind = StepKind::Permute;
                       return true;
                     })
                     // Gives a rank what it would get of one peer. What others
                     // than the root have is of any size.
                     .Case([&](BroadcastOp) {
                       step.kind = StepKind::Permute;
                       result.shape.assign(outputType.getShape().begin(),
                                           outputType.getShape().end());
                       return true;
                     })
                     .Default([](Operation *) { return false; });
  if (!isKnown || ShapedType::isDynamicShape(result.shape))
    return std::nullopt;
  return result;
}

/// Returns the step that \p exchange is.
static std::optional<StepOfTensor> getStepOfTensor(ExchangeOp exchange) {
  FailureOr<Step> step =
      getStep(exchange, [&] { return exchange.emitOpError(); });
  if (failed(step))
    return std::nullopt;
  auto type = cast<RankedTensorType>(exchange.getGlobalType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return StepOfTensor{std::move(*step), SmallVector<int64_t>(type.getShape())};
}

std::optional<int64_t> getReceivedBytes(CollectiveOpInterface op) {
  if (isa<AllSliceOp>(op))
    return 0;
  SmallVector<layout::AxisRef> axes = op.getMeshAxes();
  auto exchange = dyn_cast<ExchangeOp>(op.getOperation());
  std::optional<StepOfTensor> step =
      exchange ? getStepOfTensor(exchange) : getStepOfTensor(op, axes);
  if (!step)
    return std::nullopt;
  std::optional<int64_t> received =
      redistribute::getTraffic(op.getMeshValue(), step->shape, step->step)
          .maxReceived;
  Type type = cast<ShapedType>(op.getInput().getType()).getElementType();
  return received ? getSizeBytes(*received, type) : std::nullopt;
}

std::vector<CollectiveUse> collectCollectives(ModuleOp module) {
  std::vector<CollectiveUse> uses;
  module.walk([&](CollectiveOpInterface op) {
    if (isa<AllSliceOp>(op))
      return;
    auto type = cast<ShapedType>(op.getInput().getType());
    std::optional<int64_t> held;
    if (type.hasStaticShape())
      held = checkedProduct(type.getShape());
    uses.push_back(
        {op, op->getName().stripDialect(),
         layout::toString(op.getMeshValue(), ArrayRef(op.getMeshAxes())),
         held ? getSizeBytes(*held, type.getElementType()) : std::nullopt,
         getReceivedBytes(op)});
  });
  return uses;
}

} // namespace pctl
