// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Compares how each op wants its operands with how they are, and puts a
/// redistribute where that differs.

#include "pctl/Dialect/Pctl/IR/MoveReasons.h"
#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/ValueLayouts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace pctl {
#define GEN_PASS_DEF_INSERTREDISTRIBUTIONPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;

namespace {

/// What a value is wanted as.
struct Wanted {
  LayoutAttr layout;
  /// Why the first of the users does, if that was said.
  StringAttr why;
  /// Who wants it so, in program order.
  SmallVector<std::pair<Operation *, TensorOperand>, 1> users;
};

/// Makes the changes of layout of one program.
class Inserter {
public:
  explicit Inserter(MLIRContext *context) : builder(context) {}

  LogicalResult collect(Operation *op);
  void insert();

private:
  void insertFor(Value value, MutableArrayRef<Wanted> wanted);
  Value redistribute(Value value, LayoutAttr from, const Wanted &wanted);
  void setInsertionPoint(Value value, ArrayRef<Wanted> wanted);

  OpBuilder builder;
  /// For each value the layouts other than its own in which it is wanted.
  llvm::MapVector<Value, SmallVector<Wanted, 1>> wants;
  SmallVector<ShardOp> shards;
  /// The ops that say how they want their operands.
  SmallVector<Operation *> asking;
};

} // namespace

/// Returns what says how \p op wants its tensor operand \p operand, the
/// \p index-th.
static std::string describeWant(Operation *op, const TensorOperand &operand,
                                unsigned index) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return llvm::formatv("argument #{0} of function '{1}'",
                         operand.operand->getOperandNumber(), call.getCallee());
  if (isa<func::ReturnOp>(op))
    return llvm::formatv("result #{0} of function '{1}'",
                         operand.operand->getOperandNumber(),
                         op->getParentOfType<func::FuncOp>().getSymName());
  return llvm::formatv("tensor operand #{0}", index);
}

LogicalResult Inserter::collect(Operation *op) {
  SmallVector<TensorOperand> operands = getTensorOperands(op);
  if (auto shard = dyn_cast<ShardOp>(op))
    shards.push_back(shard);
  for (OpResult result : getTensorResults(op))
    if (!getValueLayout(result))
      return op->emitOpError("has a result without a layout, run "
                             "pctl-propagate-layouts first");
  if (operands.empty())
    return success();
  auto layouts = op->getAttrOfType<ArrayAttr>(kOperandLayoutsAttrName);
  auto reasons = op->getAttrOfType<ArrayAttr>(kOperandReasonsAttrName);
  if (!layouts || layouts.size() != operands.size())
    return op->emitOpError("does not say how it wants its operands laid out, "
                           "run pctl-propagate-layouts first");
  for (auto [i, operand, attr] : llvm::enumerate(operands, layouts)) {
    auto layout = dyn_cast<LayoutAttr>(attr);
    LayoutAttr current = getValueLayout(operand.value);
    if (!layout || !current)
      return op->emitOpError("has an operand without a layout, run "
                             "pctl-propagate-layouts first");
    if (layout == current)
      continue;
    if (!layout.getPartial().empty() && current.getPartial().empty())
      return op->emitOpError()
             << "needs " << describeWant(op, operand, i) << " laid out as "
             << layout << ", but the value is laid out as " << current
             << ", and no redistribution makes a value partial";
    SmallVector<Wanted, 1> &wanted = wants[operand.value];
    auto known = llvm::find_if(
        wanted, [&](const Wanted &other) { return other.layout == layout; });
    if (known == wanted.end())
      known = wanted.insert(
          wanted.end(),
          Wanted{layout, reasons ? cast<StringAttr>(reasons[i]) : nullptr, {}});
    known->users.emplace_back(op, operand);
  }
  asking.push_back(op);
  return success();
}

/// Partial values are reduced where they are made. Others are moved right
/// before the first user, so that they take memory no longer than they must, or
/// before the loop or branch that the user is in where the value comes from
/// outside; after they are made where users are in other blocks of a function.
void Inserter::setInsertionPoint(Value value, ArrayRef<Wanted> wanted) {
  bool partial = !getValueLayout(value).getPartial().empty();
  Operation *first = nullptr;
  for (const Wanted &entry : wanted)
    for (const auto &[user, operand] : entry.users) {
      Operation *place = value.getParentBlock()->findAncestorOpInBlock(*user);
      if (!place) {
        partial = true;
        continue;
      }
      if (!first || place->isBeforeInBlock(first))
        first = place;
    }
  if (first && !partial)
    builder.setInsertionPoint(first);
  else
    builder.setInsertionPointAfterValue(value);
}

Value Inserter::redistribute(Value value, LayoutAttr from,
                             const Wanted &wanted) {
  Location loc = value.getLoc();
  if (wanted.why)
    loc = attachMoveReason(loc, wanted.users.front().first, wanted.why);
  return RedistributeOp::create(builder, loc, value.getType(), value, from,
                                wanted.layout, /*global_type=*/TypeAttr());
}

void Inserter::insertFor(Value value, MutableArrayRef<Wanted> wanted) {
  LayoutAttr current = getValueLayout(value);
  // A partial value is reduced once: to what it is when whole, if that is
  // wanted, else to the first layout that is; the others are made from there.
  if (!current.getPartial().empty() && wanted.size() > 1) {
    LayoutAttr reduced = LayoutAttr::get(
        current.getContext(), current.getMesh(), current.getDims(), {});
    auto base = llvm::find_if(
        wanted, [&](const Wanted &entry) { return entry.layout == reduced; });
    if (base == wanted.end())
      base = llvm::find_if(wanted, [](const Wanted &entry) {
        return entry.layout.getPartial().empty();
      });
    if (base != wanted.end())
      std::rotate(wanted.begin(), base, std::next(base));
  }
  Value source = value;
  for (Wanted &entry : wanted) {
    setInsertionPoint(source, entry);
    bool reduces = !current.getPartial().empty();
    Value moved = redistribute(source, current, entry);
    for (const auto &[user, operand] : entry.users)
      replaceTensorOperand(user, operand, moved);
    if (reduces && entry.layout.getPartial().empty()) {
      source = moved;
      current = entry.layout;
    }
  }
}

void Inserter::insert() {
  for (auto &[value, wanted] : wants)
    insertFor(value, wanted);
  for (Operation *op : asking) {
    op->removeAttr(kOperandLayoutsAttrName);
    op->removeAttr(kOperandReasonsAttrName);
  }
  for (ShardOp shard : shards) {
    shard.getResult().replaceAllUsesWith(shard.getInput());
    shard.erase();
  }
}

namespace {

struct InsertRedistribution
    : pctl::impl::InsertRedistributionPassBase<InsertRedistribution> {
  using InsertRedistributionPassBase::InsertRedistributionPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireAnnotatedForm(module, getArgument())))
      return signalPassFailure();
    Inserter inserter(&getContext());
    for (auto func : module.getOps<func::FuncOp>())
      if (!walkLaidOutOps(func.getBody(), [&](Operation *op) {
            return succeeded(inserter.collect(op));
          }))
        return signalPassFailure();
    inserter.insert();
    setForm(module, Form::LaidOut);
    if (failed(verifyLaidOut(module)))
      signalPassFailure();
  }
};

} // namespace
