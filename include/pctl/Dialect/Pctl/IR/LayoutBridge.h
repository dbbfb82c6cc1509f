// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// The bridge between layouts as attributes and layouts as values. Attributes
/// name axes; values (pctl/Layout) number them and can be computed with. Also
/// the one place where an llvm::Error of the libraries without IR becomes a
/// diagnostic.
///
/// Worked example: which elements does each rank hold of a function argument?
///
///   LayoutAttr attr = resolveLayout(argLayout, func);
///   FailureOr<layout::Mesh> mesh =
///       lookupMesh(attr.getMesh(), func, [&] { return func.emitError(); });
///   if (failed(mesh)) return failure();
///   FailureOr<layout::Layout> layout =
///       toLayout(attr, *mesh, [&] { return func.emitError(); });
///   if (failed(layout)) return failure();
///   RankedTensorType local = getLocalType(argType, *layout);

#ifndef PCTL_DIALECT_PCTL_IR_LAYOUTBRIDGE_H
#define PCTL_DIALECT_PCTL_IR_LAYOUTBRIDGE_H

#include "pctl/Dialect/Pctl/IR/Pctl.h"

namespace pctl {

/// Makes a diagnostic at the place of whatever is being checked. Where a
/// function here takes one, null means that errors are not reported, only
/// returned.
using EmitErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

static_assert(layout::kDynamic == mlir::ShapedType::kDynamic,
              "shapes pass between MLIR and the layout library as they are");

/// Emits the message of \p error, which it consumes, over \p emitError. Returns
/// failure, or success where there is no error.
mlir::LogicalResult reportError(llvm::Error error, EmitErrorFn emitError);

/// Returns the op that declares \p mesh, as seen from \p from; null where there
/// is none.
MeshOp lookupMeshOp(mlir::FlatSymbolRefAttr mesh, mlir::Operation *from);

/// Returns the mesh that \p mesh names, as seen from \p from. Errors: no such
/// symbol, a symbol that is no mesh, a mesh that is not valid.
mlir::FailureOr<layout::Mesh> lookupMesh(mlir::FlatSymbolRefAttr mesh,
                                         mlir::Operation *from,
                                         EmitErrorFn emitError);

/// Returns \p attr over \p mesh. Errors: an axis that the mesh lacks, a
/// sub-axis that does not divide its axis. What verifyLayout checks besides is
/// not checked.
mlir::FailureOr<layout::Layout>
toLayout(LayoutAttr attr, const layout::Mesh &mesh, EmitErrorFn emitError);

/// Returns \p layout as an attribute with the names of \p mesh, whose symbol is
/// \p symbol: the inverse of toLayout. Partial entries without axes are
/// dropped.
LayoutAttr toAttr(mlir::MLIRContext *context, mlir::FlatSymbolRefAttr symbol,
                  const layout::Mesh &mesh, const layout::Layout &layout);

/// Returns \p axes over \p mesh. Errors: an axis that the mesh lacks, a
/// sub-axis that does not divide its axis.
mlir::FailureOr<llvm::SmallVector<layout::AxisRef>>
toAxes(llvm::ArrayRef<AxisRefAttr> axes, const layout::Mesh &mesh,
       EmitErrorFn emitError);
/// The same for the `axes` of an op, an array of AxisRefAttr.
mlir::FailureOr<llvm::SmallVector<layout::AxisRef>>
toAxes(mlir::ArrayAttr axes, const layout::Mesh &mesh, EmitErrorFn emitError);

/// Returns \p axis by its name in \p mesh.
AxisRefAttr toAttr(mlir::MLIRContext *context, const layout::Mesh &mesh,
                   layout::AxisRef axis);
/// Returns \p axes by their names in \p mesh, an array of AxisRefAttr.
mlir::ArrayAttr toAttr(mlir::MLIRContext *context, const layout::Mesh &mesh,
                       llvm::ArrayRef<layout::AxisRef> axes);

/// Returns the layout that \p layout is, or that the `pctl.layout` holds which
/// it names as seen from \p from; null where it is neither.
LayoutAttr resolveLayout(mlir::Attribute layout, mlir::Operation *from);

/// Returns the type of what each rank holds of a tensor of type \p global,
/// which \p layout must be able to lay out: sizes that differ between ranks are
/// dynamic. An encoding is kept.
mlir::RankedTensorType getLocalType(mlir::RankedTensorType global,
                                    const layout::Layout &layout);

/// A layout with its mesh: what most computations need.
struct LayoutOnMesh {
  layout::Mesh mesh;
  layout::Layout layout;
  /// The symbol of the mesh.
  mlir::FlatSymbolRefAttr symbol;
};

/// Returns the layout that \p layout is or names, with its mesh, after all
/// checks of C1 to C6 of `#pctl.layout` against a tensor of shape
/// \p globalShape; without a shape, after those that need none. Errors have a
/// note where the mesh is declared.
mlir::FailureOr<LayoutOnMesh>
getCheckedLayout(mlir::Attribute layout,
                 std::optional<llvm::ArrayRef<int64_t>> globalShape,
                 mlir::Operation *from, EmitErrorFn emitError);

/// The same against \p type; also checks that its elements have the kinds of
/// the partial axes (isKindFor).
mlir::FailureOr<LayoutOnMesh> getCheckedLayout(mlir::Attribute layout,
                                               mlir::RankedTensorType type,
                                               mlir::Operation *from,
                                               EmitErrorFn emitError);

/// Axes with their mesh.
struct AxesOnMesh {
  layout::Mesh mesh;
  llvm::SmallVector<layout::AxisRef> axes;
};

/// Returns \p axes, an array of AxisRefAttr, over the mesh that \p symbol
/// names. Errors: those of lookupMesh and toAxes, axes that overlap; with a
/// note where the mesh is declared.
mlir::FailureOr<AxesOnMesh> getCheckedAxes(mlir::ArrayAttr axes,
                                           mlir::FlatSymbolRefAttr symbol,
                                           mlir::Operation *from,
                                           EmitErrorFn emitError);

} // namespace pctl

#endif // PCTL_DIALECT_PCTL_IR_LAYOUTBRIDGE_H
