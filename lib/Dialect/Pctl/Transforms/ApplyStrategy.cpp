// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads a strategy from the pass's options and annotates the program with it.

#include "Annotate.h"

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Layout/LayoutText.h"

namespace pctl {
#define GEN_PASS_DEF_APPLYSTRATEGYPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"
} // namespace pctl

using namespace mlir;
using namespace pctl;

namespace {

/// Reads the entries of `layouts` one by one and applies each.
class StrategyApplier {
public:
  StrategyApplier(ModuleOp module, MeshOp meshOp, StringRef entry)
      : module(module), meshOp(meshOp), mesh(meshOp.getMesh()), entry(entry) {}

  LogicalResult apply(StringRef text);

private:
  LogicalResult applyEntry(StringRef &text);
  FailureOr<BoundaryRef> parseKey(StringRef key);

  ModuleOp module;
  MeshOp meshOp;
  layout::Mesh mesh;
  /// What keys without a function are about; empty for the obvious one.
  StringRef entry;
};

} // namespace

FailureOr<BoundaryRef> StrategyApplier::parseKey(StringRef key) {
  BoundaryRef boundary;
  StringRef number = key;
  size_t colon = key.rfind(':');
  if (colon == StringRef::npos) {
    FailureOr<func::FuncOp> func = getDefaultFunction(module, entry);
    if (failed(func))
      return failure();
    boundary.func = *func;
  } else {
    StringRef name = key.take_front(colon).trim();
    number = key.drop_front(colon + 1).trim();
    boundary.func = module.lookupSymbol<func::FuncOp>(name);
    if (!boundary.func)
      return module.emitError()
             << "layouts are given for '" << name
             << "', but the module has no function of that name";
  }
  boundary.isResult = number.consume_front("result");
  if (number.getAsInteger(10, boundary.index))
    return module.emitError() << "layout of '" << key
                              << "', which is neither an argument such as '0' "
                                 "or 'main:0' nor a result "
                                 "such as 'result0'";
  return boundary;
}

/// Consumes `key=layout` with the `;` after it, if there is one.
LogicalResult StrategyApplier::applyEntry(StringRef &text) {
  size_t equals = text.find('=');
  if (equals == StringRef::npos)
    return module.emitError()
           << "layout '" << text << "' has no '=' between what it is about "
           << "and how that is laid out";
  FailureOr<BoundaryRef> boundary = parseKey(text.take_front(equals).trim());
  if (failed(boundary))
    return failure();
  text = text.drop_front(equals + 1);
  llvm::Expected<layout::Layout> layout = layout::consumeLayout(text, mesh);
  if (!layout)
    return module.emitError()
           << "layout of " << boundary->getKind() << " #" << boundary->index
           << ": " << llvm::toString(layout.takeError());
  text = text.ltrim();
  if (!text.empty() && !text.consume_front(";"))
    return module.emitError()
           << "layout of " << boundary->getKind() << " #" << boundary->index
           << ": expected ';' before '" << text << "'";
  text = text.ltrim();
  return annotate(*boundary, meshOp, mesh, *layout);
}

LogicalResult StrategyApplier::apply(StringRef text) {
  text = text.trim();
  while (!text.empty())
    if (failed(applyEntry(text)))
      return failure();
  return success();
}

/// Returns the mesh that \p text describes, which it declares where the module
/// has no mesh.
static FailureOr<MeshOp> declareMesh(ModuleOp module, StringRef text) {
  if (text.trim().empty())
    return getOnlyMesh(module);
  llvm::Expected<layout::Mesh> mesh = layout::parseMesh(text);
  if (!mesh)
    return module.emitError() << "mesh: " << llvm::toString(mesh.takeError());
  MeshOp other;
  for (auto declared : module.getOps<MeshOp>()) {
    if (declared.getMesh() == *mesh)
      return declared;
    other = declared;
  }
  if (other) {
    InFlightDiagnostic diagnostic = module.emitError();
    diagnostic << "mesh is to be '" << layout::toString(*mesh)
               << "', but the module declares '"
               << layout::toString(other.getMesh()) << "'";
    diagnostic.attachNote(other.getLoc()) << "mesh declared here";
    return diagnostic;
  }

  // Not in the module yet: another symbol may be called so.
  OpBuilder builder(module.getContext());
  SmallVector<MeshAxisAttr> axes;
  for (const layout::MeshAxis &axis : mesh->getAxes())
    axes.push_back(
        MeshAxisAttr::get(module.getContext(), axis.name, axis.size));
  DenseI64ArrayAttr devices;
  if (!mesh->getDeviceIds().empty())
    devices = builder.getDenseI64ArrayAttr(mesh->getDeviceIds());
  MeshOp declared =
      MeshOp::create(builder, module.getLoc(), builder.getStringAttr("mesh"),
                     MeshAxesAttr::get(module.getContext(), axes), devices);
  SymbolTable(module).insert(declared, module.getBody()->begin());
  return declared;
}

namespace {

struct ApplyStrategy : pctl::impl::ApplyStrategyPassBase<ApplyStrategy> {
  using ApplyStrategyPassBase::ApplyStrategyPassBase;

  void runOnOperation() override {
    if (failed(requireAnnotatedForm(getOperation(), getArgument())))
      return signalPassFailure();
    FailureOr<MeshOp> meshOp = declareMesh(getOperation(), mesh);
    if (failed(meshOp) ||
        failed(StrategyApplier(getOperation(), *meshOp, entry).apply(layouts)))
      signalPassFailure();
  }
};

} // namespace
