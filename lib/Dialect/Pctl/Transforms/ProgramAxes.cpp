// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The directions of the meshes of a program as bits.

#include "pctl/Dialect/Pctl/Transforms/Uniformity.h"
#include "pctl/Layout/LayoutText.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pctl;

namespace {

/// Collects for each mesh the lists of axes and the layouts that the program
/// has on it. Equal attributes are looked at once.
class RefCollector {
public:
  void collect(ModuleOp module) {
    module.walk([&](Operation *op) { collect(op); });
  }

  /// For each mesh, where it was first referred to, and the axes.
  llvm::MapVector<Attribute,
                  std::pair<Operation *, SmallVector<layout::AxisRef>>>
      refs;

private:
  void collect(Operation *op);
  void addAxes(FlatSymbolRefAttr mesh, ArrayAttr axes, Operation *op);
  void addLayout(Attribute attr, Operation *op);

  llvm::DenseSet<std::pair<Attribute, Attribute>> seen;
};

} // namespace

void RefCollector::collect(Operation *op) {
  if (auto func = dyn_cast<FunctionOpInterface>(op)) {
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      addLayout(func.getArgAttr(i, kLayoutAttrName), op);
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      addLayout(func.getResultAttr(i, kLayoutAttrName), op);
    return;
  }
  if (!isa_and_nonnull<PctlDialect>(op->getDialect()))
    return;
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    addAxes(collective.getMeshAttr(), collective.getAxes(), op);
  if (auto exchange = dyn_cast<ExchangeOp>(op))
    for (Attribute attr : {exchange.getFrom(), exchange.getTo()})
      addLayout(attr, op);
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    for (Attribute attr : {redistribute.getFrom(), redistribute.getTo()})
      addLayout(attr, op);
  if (auto index = dyn_cast<AxisIndexOp>(op))
    addAxes(index.getMeshAttr(), index.getAxes(), op);
  if (auto range = dyn_cast<BlockRangeOp>(op))
    addAxes(range.getMeshAttr(), range.getAxes(), op);
}

void RefCollector::addAxes(FlatSymbolRefAttr mesh, ArrayAttr axes,
                           Operation *op) {
  if (!seen.insert({mesh, axes}).second)
    return;
  FailureOr<layout::Mesh> value = lookupMesh(mesh, op, nullptr);
  if (failed(value))
    return;
  auto &entry = refs.insert({mesh, {op, {}}}).first->second;
  FailureOr<SmallVector<layout::AxisRef>> list = toAxes(axes, *value, nullptr);
  if (succeeded(list))
    entry.second.append(list->begin(), list->end());
}

void RefCollector::addLayout(Attribute attr, Operation *op) {
  LayoutAttr resolved = resolveLayout(attr, op);
  if (!resolved || !seen.insert({resolved, {}}).second)
    return;
  FlatSymbolRefAttr mesh = resolved.getMesh();
  FailureOr<layout::Mesh> value = lookupMesh(mesh, op, nullptr);
  if (failed(value))
    return;
  auto &entry = refs.insert({mesh, {op, {}}}).first->second;
  FailureOr<layout::Layout> layout = toLayout(resolved, *value, nullptr);
  if (succeeded(layout))
    llvm::append_range(entry.second, layout->getUsedAxes());
}

ProgramAxes::ProgramAxes(ModuleOp module) {
  RefCollector collector;
  collector.collect(module);
  // What equal meshes are referred to by counts together.
  SmallVector<std::pair<layout::Mesh, SmallVector<layout::AxisRef>>> distinct;
  SmallVector<std::pair<Attribute, unsigned>> symbols;
  for (auto &[symbol, entry] : collector.refs) {
    layout::Mesh mesh =
        *lookupMesh(cast<FlatSymbolRefAttr>(symbol), entry.first, nullptr);
    auto *known = llvm::find_if(
        distinct, [&](const auto &other) { return other.first == mesh; });
    symbols.push_back({symbol, known - distinct.begin()});
    if (known == distinct.end())
      distinct.push_back({std::move(mesh), std::move(entry.second)});
    else
      llvm::append_range(known->second, entry.second);
  }
  // The last bit is for what is in no direction that has a number.
  unsigned nextBit = 0;
  for (auto &[mesh, refs] : distinct) {
    layout::AxisFactors factors = layout::AxisFactors::get(mesh, refs);
    bool isNumbered = nextBit + factors.size() < 64;
    meshes.push_back(std::make_unique<MeshAxes>(
        MeshAxes{std::move(mesh), std::move(factors), nextBit, isNumbered}));
    if (isNumbered)
      nextBit += meshes.back()->factors.size();
  }
  for (auto [symbol, index] : symbols)
    bySymbol[symbol] = meshes[index].get();
}

const ProgramAxes::MeshAxes *ProgramAxes::getMesh(FlatSymbolRefAttr symbol) {
  return bySymbol.lookup(symbol);
}

Directions ProgramAxes::toDirections(const MeshAxes &axes,
                                     layout::FactorBits bits) {
  return axes.isNumbered ? bits << axes.firstBit : bits ? kAnyDirection : 0;
}

Directions ProgramAxes::getTouched(FlatSymbolRefAttr mesh, ArrayAttr axes) {
  auto [it, isNew] = touched.try_emplace({mesh, axes}, kAnyDirection);
  if (!isNew)
    return it->second;
  const MeshAxes *known = getMesh(mesh);
  if (!known)
    return it->second;
  FailureOr<SmallVector<layout::AxisRef>> refs =
      toAxes(axes, known->mesh, nullptr);
  if (succeeded(refs))
    it->second = toDirections(*known, known->factors.getTouched(*refs));
  return it->second;
}

Directions ProgramAxes::getCovered(FlatSymbolRefAttr mesh, ArrayAttr axes) {
  auto [it, isNew] = covered.try_emplace({mesh, axes}, 0);
  if (!isNew)
    return it->second;
  const MeshAxes *known = getMesh(mesh);
  if (!known || !known->isNumbered)
    return it->second;
  FailureOr<SmallVector<layout::AxisRef>> refs =
      toAxes(axes, known->mesh, nullptr);
  if (succeeded(refs))
    it->second = toDirections(*known, known->factors.getCovered(*refs));
  return it->second;
}

Directions ProgramAxes::getAll(FlatSymbolRefAttr mesh) {
  const MeshAxes *known = getMesh(mesh);
  return known ? toDirections(*known, known->factors.getAll()) : kAnyDirection;
}

ProgramAxes::LayoutDirections ProgramAxes::getLayout(Attribute layout,
                                                     Operation *from) {
  LayoutAttr attr = resolveLayout(layout, from);
  auto [it, isNew] = layouts.try_emplace(attr);
  LayoutDirections &result = it->second;
  if (!isNew)
    return result;
  const MeshAxes *known = attr ? getMesh(attr.getMesh()) : nullptr;
  FailureOr<layout::Layout> value = failure();
  if (known)
    value = toLayout(attr, known->mesh, nullptr);
  if (failed(value)) {
    result.elements = kAnyDirection;
    return result;
  }
  auto touch = [&](ArrayRef<layout::AxisRef> refs) {
    return toDirections(*known, known->factors.getTouched(refs));
  };
  for (const layout::DimLayout &dim : value->dims)
    result.dims.push_back(touch(dim.axes));
  result.elements = touch(value->getUsedAxes());
  return result;
}

Directions ProgramAxes::onMesh(Directions directions, FlatSymbolRefAttr mesh) {
  Directions all = getAll(mesh);
  return directions & ~all ? all : directions;
}

std::string ProgramAxes::toString(Directions directions,
                                  FlatSymbolRefAttr mesh) {
  const MeshAxes *known = getMesh(mesh);
  if (!known)
    return "";
  layout::FactorBits bits = known->isNumbered ? directions >> known->firstBit
                            : directions      ? known->factors.getAll()
                                              : 0;
  SmallVector<layout::AxisRef> axes =
      known->factors.getAxes(bits & known->factors.getAll());
  return layout::toString(known->mesh, ArrayRef(axes));
}
