// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "Annotate.h"

using namespace mlir;
using namespace pctl;

FailureOr<func::FuncOp> pctl::getDefaultFunction(ModuleOp module,
                                                 StringRef entry) {
  if (!entry.empty()) {
    if (auto func = module.lookupSymbol<func::FuncOp>(entry))
      return func;
    return module.emitError() << "entry is to be '" << entry
                              << "', but the module has no function of that "
                                 "name";
  }
  func::FuncOp found;
  unsigned numPublic = 0;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || !func.isPublic())
      continue;
    ++numPublic;
    if (numPublic == 1 || func.getSymName() == "main")
      found = func;
  }
  if (numPublic == 1 || (found && found.getSymName() == "main"))
    return found;
  return module.emitError("module has ")
         << numPublic
         << " public functions and none of them is 'main', so name the one "
            "that is meant";
}

FailureOr<MeshOp> pctl::getOnlyMesh(ModuleOp module) {
  auto meshes = module.getOps<MeshOp>();
  if (meshes.empty())
    return module.emitError("module declares no mesh");
  if (llvm::hasSingleElement(meshes))
    return *meshes.begin();
  InFlightDiagnostic diagnostic =
      module.emitError("module declares several meshes, and nothing says which "
                       "one is meant");
  for (MeshOp mesh : meshes)
    diagnostic.attachNote(mesh.getLoc()) << "mesh declared here";
  return diagnostic;
}

LogicalResult pctl::annotate(BoundaryRef boundary, MeshOp meshOp,
                             const layout::Mesh &mesh,
                             const layout::Layout &layout) {
  func::FuncOp func = boundary.func;
  auto emitError = [&] {
    InFlightDiagnostic diagnostic = func.emitOpError();
    diagnostic << boundary.getKind() << " #" << boundary.index << " ";
    return diagnostic;
  };
  if (boundary.index >= boundary.getCount())
    return func.emitOpError() << "has " << boundary.getCount() << " "
                              << boundary.getKind() << "s, so there is no "
                              << boundary.getKind() << " #" << boundary.index;
  auto type = dyn_cast<RankedTensorType>(boundary.getType());
  if (!type)
    return emitError() << "is of type " << boundary.getType()
                       << ", and only ranked tensors have layouts";
  if (llvm::Error error = layout::verifyLayout(mesh, layout, type.getShape()))
    return emitError() << "can't be laid out so: "
                       << llvm::toString(std::move(error));

  LayoutAttr attr =
      toAttr(func.getContext(), FlatSymbolRefAttr::get(meshOp), mesh, layout);
  Attribute present = boundary.isResult
                          ? func.getResultAttr(boundary.index, kLayoutAttrName)
                          : func.getArgAttr(boundary.index, kLayoutAttrName);
  if (present && resolveLayout(present, func) != attr)
    return emitError() << "is to be laid out as " << attr
                       << ", but is annotated as " << present;
  if (boundary.isResult)
    func.setResultAttr(boundary.index, kLayoutAttrName, attr);
  else
    func.setArgAttr(boundary.index, kLayoutAttrName, attr);
  return success();
}
