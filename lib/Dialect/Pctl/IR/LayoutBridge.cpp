// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"

using namespace mlir;

namespace pctl {

LogicalResult reportError(llvm::Error error, EmitErrorFn emitError) {
  if (!error)
    return success();
  std::string message = llvm::toString(std::move(error));
  if (emitError)
    emitError() << message;
  return failure();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Returns the op that \p symbol names as seen from \p from, or null. An op of
/// an unregistered dialect with a region is no symbol table here: MLIR's own
/// lookup stops there, as it might be one.
static Operation *lookupSymbol(FlatSymbolRefAttr symbol, Operation *from) {
  while (from && !from->hasTrait<OpTrait::SymbolTable>())
    from = from->getParentOp();
  return from ? SymbolTable::lookupSymbolIn(from, symbol.getAttr()) : nullptr;
}

MeshOp lookupMeshOp(FlatSymbolRefAttr mesh, Operation *from) {
  return dyn_cast_or_null<MeshOp>(lookupSymbol(mesh, from));
}

FailureOr<layout::Mesh> lookupMesh(FlatSymbolRefAttr mesh, Operation *from,
                                   EmitErrorFn emitError) {
  MeshOp op = lookupMeshOp(mesh, from);
  if (op) {
    llvm::Expected<layout::Mesh> value = op.buildMesh();
    if (value)
      return *value;
    std::string message = llvm::toString(value.takeError());
    if (emitError)
      emitError() << "mesh '" << mesh.getValue()
                  << "' is not valid: " << message;
    return failure();
  }
  if (!emitError)
    return failure();
  Operation *other = lookupSymbol(mesh, from);
  if (!other)
    return emitError() << "no mesh '" << mesh.getValue() << "' is declared";
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "symbol '" << mesh.getValue() << "' is no mesh but a '"
             << other->getName() << "'";
  diagnostic.attachNote(other->getLoc()) << "declared here";
  return failure();
}

LayoutAttr resolveLayout(Attribute layout, Operation *from) {
  if (auto attr = dyn_cast_or_null<LayoutAttr>(layout))
    return attr;
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(layout);
  if (!symbol)
    return {};
  auto op = dyn_cast_or_null<LayoutOp>(lookupSymbol(symbol, from));
  return op ? op.getLayout() : LayoutAttr();
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

static llvm::Expected<layout::AxisRef> toAxis(AxisRefAttr attr,
                                              const layout::Mesh &mesh) {
  if (!attr.isWhole())
    return mesh.getSubAxis(attr.getName(), attr.getPreSize(), attr.getSize());
  if (std::optional<unsigned> axis = mesh.findAxis(attr.getName()))
    return mesh.getWholeAxis(*axis);
  // Says which axes there are.
  return mesh.getSubAxis(attr.getName(), 1, 1);
}

FailureOr<SmallVector<layout::AxisRef>> toAxes(ArrayRef<AxisRefAttr> axes,
                                               const layout::Mesh &mesh,
                                               EmitErrorFn emitError) {
  SmallVector<layout::AxisRef> refs;
  for (AxisRefAttr attr : axes) {
    llvm::Expected<layout::AxisRef> ref = toAxis(attr, mesh);
    if (!ref)
      return reportError(ref.takeError(), emitError);
    refs.push_back(*ref);
  }
  return refs;
}

FailureOr<SmallVector<layout::AxisRef>>
toAxes(ArrayAttr axes, const layout::Mesh &mesh, EmitErrorFn emitError) {
  return toAxes(llvm::to_vector(axes.getAsRange<AxisRefAttr>()), mesh,
                emitError);
}

FailureOr<layout::Layout> toLayout(LayoutAttr attr, const layout::Mesh &mesh,
                                   EmitErrorFn emitError) {
  layout::Layout result;
  for (DimLayoutAttr dim : attr.getDims()) {
    FailureOr<SmallVector<layout::AxisRef>> axes =
        toAxes(dim.getAxes(), mesh, emitError);
    if (failed(axes))
      return failure();
    layout::DimLayout &value = result.dims.emplace_back();
    value.axes.assign(axes->begin(), axes->end());
    value.open = dim.getIsOpen();
    value.blockSizes.assign(dim.getBlockSizes().begin(),
                            dim.getBlockSizes().end());
  }
  for (PartialAttr partial : attr.getPartial()) {
    FailureOr<SmallVector<layout::AxisRef>> axes =
        toAxes(partial.getAxes(), mesh, emitError);
    if (failed(axes))
      return failure();
    layout::PartialAxes &value = result.partial.emplace_back();
    value.kind = partial.getKind();
    value.axes.assign(axes->begin(), axes->end());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// To attributes
//===----------------------------------------------------------------------===//

AxisRefAttr toAttr(MLIRContext *context, const layout::Mesh &mesh,
                   layout::AxisRef axis) {
  StringRef name = mesh.getAxes()[axis.axis].name;
  if (axis == mesh.getWholeAxis(axis.axis))
    return AxisRefAttr::get(context, name);
  return AxisRefAttr::get(context, name, axis.preSize, axis.size);
}

static SmallVector<AxisRefAttr> toAxisAttrs(MLIRContext *context,
                                            const layout::Mesh &mesh,
                                            ArrayRef<layout::AxisRef> axes) {
  return llvm::map_to_vector(
      axes, [&](layout::AxisRef axis) { return toAttr(context, mesh, axis); });
}

ArrayAttr toAttr(MLIRContext *context, const layout::Mesh &mesh,
                 ArrayRef<layout::AxisRef> axes) {
  SmallVector<AxisRefAttr> attrs = toAxisAttrs(context, mesh, axes);
  return ArrayAttr::get(context,
                        SmallVector<Attribute>(attrs.begin(), attrs.end()));
}

LayoutAttr toAttr(MLIRContext *context, FlatSymbolRefAttr symbol,
                  const layout::Mesh &mesh, const layout::Layout &layout) {
  SmallVector<DimLayoutAttr> dims;
  for (const layout::DimLayout &dim : layout.dims)
    dims.push_back(DimLayoutAttr::get(context,
                                      toAxisAttrs(context, mesh, dim.axes),
                                      dim.open, dim.blockSizes));
  SmallVector<PartialAttr> partial;
  for (const layout::PartialAxes &entry : layout.partial)
    if (!entry.axes.empty())
      partial.push_back(PartialAttr::get(
          context, entry.kind, toAxisAttrs(context, mesh, entry.axes)));
  return LayoutAttr::get(context, symbol, dims, partial);
}

RankedTensorType getLocalType(RankedTensorType global,
                              const layout::Layout &layout) {
  return RankedTensorType::get(layout::getLocalShape(layout, global.getShape()),
                               global.getElementType(), global.getEncoding());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns the layout that \p layout is or names. Errors: no such symbol, or
/// one of another op.
static FailureOr<LayoutAttr> resolveOrReport(Attribute layout, Operation *from,
                                             EmitErrorFn emitError) {
  if (LayoutAttr attr = resolveLayout(layout, from))
    return attr;
  if (!emitError)
    return failure();
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(layout);
  if (!symbol)
    return emitError() << "expected a layout or the symbol of one";
  Operation *other = lookupSymbol(symbol, from);
  if (!other)
    return emitError() << "no layout '" << symbol.getValue() << "' is declared";
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "symbol '" << symbol.getValue() << "' is no layout but a '"
             << other->getName() << "'";
  diagnostic.attachNote(other->getLoc()) << "declared here";
  return failure();
}

/// Starts an error with a note where \p mesh, which must be declared, is.
static InFlightDiagnostic emitWithMeshNote(FlatSymbolRefAttr mesh,
                                           Operation *from,
                                           EmitErrorFn emitError) {
  InFlightDiagnostic diagnostic = emitError();
  diagnostic.attachNote(lookupMeshOp(mesh, from).getLoc())
      << "mesh declared here";
  return diagnostic;
}

FailureOr<LayoutOnMesh>
getCheckedLayout(Attribute layout, std::optional<ArrayRef<int64_t>> globalShape,
                 Operation *from, EmitErrorFn emitError) {
  FailureOr<LayoutAttr> attr = resolveOrReport(layout, from, emitError);
  if (failed(attr))
    return failure();
  FlatSymbolRefAttr symbol = attr->getMesh();
  FailureOr<layout::Mesh> mesh = lookupMesh(symbol, from, emitError);
  if (failed(mesh))
    return failure();

  auto emitWithNote = [&] { return emitWithMeshNote(symbol, from, emitError); };
  EmitErrorFn report = emitError ? EmitErrorFn(emitWithNote) : EmitErrorFn();
  FailureOr<layout::Layout> value = toLayout(*attr, *mesh, report);
  if (failed(value))
    return failure();
  llvm::Error error = globalShape
                          ? layout::verifyLayout(*mesh, *value, *globalShape)
                          : layout::verifyLayout(*mesh, *value);
  if (failed(reportError(std::move(error), report)))
    return failure();
  return LayoutOnMesh{*mesh, *value, symbol};
}

FailureOr<LayoutOnMesh> getCheckedLayout(Attribute layout,
                                         RankedTensorType type, Operation *from,
                                         EmitErrorFn emitError) {
  FailureOr<LayoutOnMesh> checked =
      getCheckedLayout(layout, type.getShape(), from, emitError);
  if (failed(checked))
    return failure();
  for (const layout::PartialAxes &entry : checked->layout.partial)
    if (!isKindFor(entry.kind, type.getElementType()))
      return emitError() << "layout is partial by "
                         << layout::stringifyReductionKind(entry.kind)
                         << ", which is not a kind for elements of type "
                         << type.getElementType();
  return checked;
}

FailureOr<AxesOnMesh> getCheckedAxes(ArrayAttr axes, FlatSymbolRefAttr symbol,
                                     Operation *from, EmitErrorFn emitError) {
  FailureOr<layout::Mesh> mesh = lookupMesh(symbol, from, emitError);
  if (failed(mesh))
    return failure();
  auto emitWithNote = [&] { return emitWithMeshNote(symbol, from, emitError); };
  EmitErrorFn report = emitError ? EmitErrorFn(emitWithNote) : EmitErrorFn();
  FailureOr<SmallVector<layout::AxisRef>> refs = toAxes(axes, *mesh, report);
  if (failed(refs))
    return failure();
  // Axes that cut one dim are subject to just what a list of axes is.
  layout::Layout layout = layout::Layout::replicated(1);
  layout.dims[0].axes.assign(refs->begin(), refs->end());
  if (failed(reportError(layout::verifyLayout(*mesh, layout), report)))
    return failure();
  return AxesOnMesh{*mesh, *refs};
}

} // namespace pctl
