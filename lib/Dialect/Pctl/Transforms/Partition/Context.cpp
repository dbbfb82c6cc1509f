// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// What the partitioners share: layouts of values, local types and values, and
/// the offsets and sizes of this rank's blocks, each computed once at the start
/// of the function, where every use is below it.

#include "../BlockRange.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Layout/LayoutText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pctl {

PartitionContext::PartitionContext(Location loc, FlatSymbolRefAttr meshSymbol,
                                   const layout::Mesh &mesh, Block &body)
    : loc(loc), meshSymbol(meshSymbol), mesh(mesh), body(body),
      builder(loc.getContext()) {
  builder.setInsertionPointToEnd(&body);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

void PartitionContext::setLayout(Value tensor, layout::Layout layout) {
  layouts[tensor] = layout.getNormalForm();
}

const layout::Layout &PartitionContext::getLayout(Value tensor) const {
  return layouts.find(tensor)->second;
}

std::string PartitionContext::getLayoutText(Value tensor) const {
  return layout::toString(mesh, getLayout(tensor));
}

bool PartitionContext::isWhole(Value value) const {
  auto it = layouts.find(value);
  if (it == layouts.end())
    return true;
  return !it->second.isPartial() &&
         llvm::all_of(it->second.dims, [](const layout::DimLayout &dim) {
           return dim.axes.empty();
         });
}

LogicalResult PartitionContext::emitLayoutError(Operation *op,
                                                const Twine &what, Value tensor,
                                                const Twine &expected) const {
  InFlightDiagnostic diag = op->emitOpError()
                            << what << " is laid out as "
                            << getLayoutText(tensor) << "; " << expected;
  if (Operation *def = tensor.getDefiningOp(); def && def != op)
    diag.attachNote(def->getLoc()) << "laid out here";
  return diag;
}

//===----------------------------------------------------------------------===//
// Local types and values
//===----------------------------------------------------------------------===//

Type PartitionContext::getLocalType(Value value) const {
  auto it = layouts.find(value);
  if (it == layouts.end())
    return value.getType();
  return pctl::getLocalType(cast<RankedTensorType>(value.getType()),
                            it->second);
}

SmallVector<Type> PartitionContext::getLocalTypes(ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return getLocalType(value); });
}

Value PartitionContext::getLocal(Value value) const {
  return mapping.lookup(value);
}

SmallVector<Value> PartitionContext::getLocals(ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return getLocal(value); });
}

void PartitionContext::setLocal(Value value, Value local) {
  mapping.map(value, local);
}

//===----------------------------------------------------------------------===//
// This rank's blocks
//===----------------------------------------------------------------------===//

OpBuilder PartitionContext::getPrologueBuilder() {
  OpBuilder prologue(loc.getContext());
  if (lastOfPrologue)
    prologue.setInsertionPointAfter(lastOfPrologue);
  else
    prologue.setInsertionPointToStart(&body);
  return prologue;
}

std::pair<Value, Value>
PartitionContext::getBlockRange(const layout::DimLayout &dim,
                                int64_t globalSize) {
  layout::Layout keyLayout;
  keyLayout.dims.push_back(dim);
  std::string key =
      llvm::formatv("{0} {1}", globalSize, layout::toString(mesh, keyLayout));
  auto [it, isNew] = blockRanges.try_emplace(key);
  if (!isNew)
    return it->second;
  OpBuilder prologue = getPrologueBuilder();
  BlockRangeOp range =
      createBlockRange(prologue, loc, meshSymbol, mesh, dim, globalSize);
  lastOfPrologue = range;
  it->second = {range.getOffset(), range.getSize()};
  return it->second;
}

OpFoldResult PartitionContext::getOffset(const layout::DimLayout &dim,
                                         int64_t globalSize) {
  if (dim.axes.empty())
    return builder.getIndexAttr(0);
  return getBlockRange(dim, globalSize).first;
}

OpFoldResult PartitionContext::getSize(const layout::DimLayout &dim,
                                       int64_t globalSize) {
  if (std::optional<int64_t> size = layout::getEvenBlockSize(dim, globalSize))
    return builder.getIndexAttr(*size);
  return getBlockRange(dim, globalSize).second;
}

SmallVector<OpFoldResult>
PartitionContext::getSizes(Value tensor, ValueRange globalDynamicSizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  auto nextDynamic = globalDynamicSizes.begin();
  for (auto [size, dim] : llvm::zip(type.getShape(), getLayout(tensor).dims)) {
    if (ShapedType::isDynamic(size))
      sizes.push_back(*nextDynamic++);
    else
      sizes.push_back(getSize(dim, size));
  }
  return sizes;
}

Value PartitionContext::isFirst(ArrayRef<layout::AxisRef> axes) {
  return isAt(axes, 0);
}

Value PartitionContext::isAt(ArrayRef<layout::AxisRef> axes, int64_t position) {
  std::string key =
      llvm::formatv("{0} {1}", layout::toString(mesh, axes), position);
  auto [it, isNew] = positionFlags.try_emplace(key);
  if (!isNew)
    return it->second;
  OpBuilder prologue = getPrologueBuilder();
  Value own = AxisIndexOp::create(
      prologue, loc, toAttr(prologue.getContext(), mesh, axes), meshSymbol);
  Value wanted = arith::ConstantIndexOp::create(prologue, loc, position);
  it->second = arith::CmpIOp::create(prologue, loc, arith::CmpIPredicate::eq,
                                     own, wanted);
  lastOfPrologue = it->second.getDefiningOp();
  return it->second;
}

Value PartitionContext::materialize(Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

OpFoldResult PartitionContext::add(Location loc, OpFoldResult a,
                                   OpFoldResult b) {
  std::optional<int64_t> knownA = getConstantIntValue(a);
  std::optional<int64_t> knownB = getConstantIntValue(b);
  if (knownA && *knownA == 0)
    return b;
  if (knownB && *knownB == 0)
    return a;
  if (knownA && knownB)
    return builder.getIndexAttr(*knownA + *knownB);
  return arith::AddIOp::create(builder, loc, materialize(loc, a),
                               materialize(loc, b))
      .getResult();
}

//===----------------------------------------------------------------------===//
// Cloning
//===----------------------------------------------------------------------===//

/// Removes from \p op and all in it what only the laid-out form has.
static void dropLaidOutAttrs(Operation *op) {
  op->walk([](Operation *nested) {
    nested->removeDiscardableAttr(kLayoutsAttrName);
    nested->removeDiscardableAttr(kRuleAttrName);
  });
}

Operation *PartitionContext::clone(Operation *op, ValueRange operands,
                                   bool withRegions) {
  Operation *local = op->cloneWithoutRegions();
  local->setOperands(operands);
  for (auto [result, global] :
       llvm::zip(local->getResults(), op->getResults())) {
    result.setType(getLocalType(global));
    setLocal(global, result);
  }
  if (withRegions)
    for (auto [from, to] : llvm::zip(op->getRegions(), local->getRegions()))
      from.cloneInto(&to, mapping);
  dropLaidOutAttrs(local);
  builder.insert(local);
  return local;
}

Operation *PartitionContext::cloneWithLocalTypes(Operation *op) {
  return clone(op, getLocals(op->getOperands()));
}

} // namespace pctl
