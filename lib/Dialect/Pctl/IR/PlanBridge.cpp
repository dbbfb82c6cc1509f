// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/IR/PlanBridge.h"

using namespace mlir;
using namespace pctl;
using layout::AxisRef;
using redistribute::Step;
using redistribute::StepKind;
using redistribute::Transfer;

/// Returns the factors that \p axes and \p others have in common, in the order
/// of \p axes; nothing where two of them overlap without one's bounds dividing
/// the other's.
static std::optional<SmallVector<AxisRef, 2>>
intersect(ArrayRef<AxisRef> axes, ArrayRef<AxisRef> others) {
  SmallVector<AxisRef, 2> common;
  for (AxisRef axis : axes) {
    SmallVector<AxisRef> parts;
    for (AxisRef other : others) {
      if (!axis.overlaps(other))
        continue;
      int64_t start = std::max(axis.preSize, other.preSize);
      int64_t end =
          std::min(axis.preSize * axis.size, other.preSize * other.size);
      if (end % start != 0 || start % axis.preSize != 0)
        return std::nullopt;
      parts.push_back({axis.axis, start, end / start});
    }
    llvm::sort(parts);
    llvm::append_range(common, parts);
  }
  return common;
}

/// Reads transfers from their flat form; what is left over is dropped.
static std::vector<Transfer> toTransfers(ArrayRef<int64_t> flat,
                                         unsigned tensorRank) {
  std::vector<Transfer> transfers;
  size_t length = 2 + 2 * tensorRank;
  for (; flat.size() >= length; flat = flat.drop_front(length)) {
    SmallVector<layout::Range> ranges;
    for (unsigned dim = 0; dim < tensorRank; ++dim)
      ranges.push_back({flat[2 + dim], flat[2 + tensorRank + dim]});
    transfers.push_back({flat[0], flat[1], layout::Box(ranges)});
  }
  return transfers;
}

DenseI64ArrayAttr pctl::toAttr(MLIRContext *context,
                               ArrayRef<Transfer> transfers) {
  if (transfers.empty())
    return {};
  SmallVector<int64_t> flat;
  for (const Transfer &transfer : transfers) {
    flat.append({transfer.source, transfer.target});
    for (layout::Range range : transfer.box.getRanges())
      flat.push_back(range.offset);
    for (layout::Range range : transfer.box.getRanges())
      flat.push_back(range.size);
  }
  return DenseI64ArrayAttr::get(context, flat);
}

FailureOr<Step> pctl::getStep(ExchangeOp op, EmitErrorFn emitError) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getGlobalType()).getShape();
  FailureOr<LayoutOnMesh> from =
      getCheckedLayout(op.getFrom(), shape, op, emitError);
  FailureOr<LayoutOnMesh> to =
      getCheckedLayout(op.getTo(), shape, op, emitError);
  if (failed(from) || failed(to))
    return failure();
  Step step;
  step.kind = StepKind::Exchange;
  step.from = from->layout;
  step.to = to->layout;
  step.rounds = op.getRounds();
  llvm::append_range(
      step.axes, cast<CollectiveOpInterface>(op.getOperation()).getMeshAxes());
  if (std::optional<Attribute> owners = op.getOwners()) {
    FailureOr<LayoutOnMesh> checked =
        getCheckedLayout(*owners, shape, op, emitError);
    if (failed(checked))
      return failure();
    step.owners = checked->layout;
  }
  if (std::optional<ArrayRef<int64_t>> transfers = op.getTransfers()) {
    step.transfers = toTransfers(*transfers, shape.size());
    return step;
  }
  SmallVector<AxisRef> cutting;
  for (const layout::DimLayout &dim : step.owners.value_or(step.from).dims)
    llvm::append_range(cutting, dim.axes);
  std::optional<SmallVector<AxisRef, 2>> common = intersect(step.axes, cutting);
  if (!common) {
    if (emitError)
      emitError()
          << "splits an axis in its axes and in its layout in ways that "
             "do not divide each other";
    return failure();
  }
  step.axes = *common;
  return step;
}
