// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Symbols, ops of the global view, and positions: their constraints (labels as
/// in dialects/pctl/PctlOps.td) and folds.

#include "OpFormat.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pctl;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

llvm::Expected<layout::Mesh> MeshOp::buildMesh() {
  SmallVector<layout::MeshAxis> axes;
  for (MeshAxisAttr axis : getAxes().getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  return layout::Mesh::create(axes,
                              getDeviceIds().value_or(ArrayRef<int64_t>()));
}

layout::Mesh MeshOp::getMesh() { return llvm::cantFail(buildMesh()); }

LogicalResult MeshOp::verify() {
  // mesh_c1, mesh_c2
  llvm::Expected<layout::Mesh> mesh = buildMesh();
  if (!mesh)
    return reportError(mesh.takeError(), [&] { return emitOpError(); });
  return success();
}

LogicalResult LayoutOp::verifySymbolUses(SymbolTableCollection &) {
  // layout_c1
  return getCheckedLayout(getLayout(), std::nullopt, *this,
                          [&] { return emitOpError(); });
}

//===----------------------------------------------------------------------===//
// Global view
//===----------------------------------------------------------------------===//

LogicalResult ShardOp::verifySymbolUses(SymbolTableCollection &) {
  // shard_c1
  return getCheckedLayout(getLayout(), getResult().getType(), *this,
                          [&] { return emitOpError(); });
}

/// Checks that \p type is what a rank holds of \p global in \p layout.
static LogicalResult verifyLocalType(Type type, RankedTensorType global,
                                     const layout::Layout &layout,
                                     const Twine &what, EmitErrorFn emitError) {
  RankedTensorType local = getLocalType(global, layout);
  if (type == local)
    return success();
  return emitError() << what << " is " << type
                     << ", expected the local type of " << global << ", "
                     << local;
}

LogicalResult RedistributeOp::verifySymbolUses(SymbolTableCollection &) {
  auto emitError = [&] { return emitOpError(); };
  // redistribute_c1
  RankedTensorType global = getWholeType();
  FailureOr<LayoutOnMesh> from = getCheckedLayout(
      getFrom(), global, *this, [&] { return emitError() << "'from': "; });
  FailureOr<LayoutOnMesh> to = getCheckedLayout(
      getTo(), global, *this, [&] { return emitError() << "'to': "; });
  if (failed(from) || failed(to))
    return failure();
  Type inputType = getInput().getType(), resultType = getResult().getType();
  // redistribute_c3
  if (!isLocal() && inputType != resultType)
    return emitError() << "takes " << inputType << " and gives " << resultType
                       << ", in global view they must be the same type";
  if (!isLocal())
    return success();
  // redistribute_c4
  if (failed(verifyLocalType(inputType, global, from->layout, "operand",
                             emitError)))
    return failure();
  return verifyLocalType(resultType, global, to->layout, "result", emitError);
}

/// Returns whether both layouts put the same elements on the same ranks.
static bool placeAlike(Attribute a, Attribute b, Operation *from) {
  if (a == b)
    return true;
  LayoutAttr attrA = resolveLayout(a, from), attrB = resolveLayout(b, from);
  if (!attrA || !attrB || attrA.getMesh() != attrB.getMesh())
    return false;
  FailureOr<LayoutOnMesh> layoutA =
      getCheckedLayout(attrA, std::nullopt, from, nullptr);
  FailureOr<LayoutOnMesh> layoutB =
      getCheckedLayout(attrB, std::nullopt, from, nullptr);
  return succeeded(layoutA) && succeeded(layoutB) &&
         layoutA->layout.getNormalForm() == layoutB->layout.getNormalForm();
}

OpFoldResult RedistributeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getResult().getType() &&
      placeAlike(getFrom(), getTo(), *this))
    return getInput();
  return {};
}

LogicalResult RedistributeOp::canonicalize(RedistributeOp op,
                                           PatternRewriter &rewriter) {
  // Two changes in a row are one, if nobody needs what is between them.
  auto first = op.getInput().getDefiningOp<RedistributeOp>();
  if (!first || !first->hasOneUse())
    return rewriter.notifyMatchFailure(
        op, "operand is not a redistribute of this one use");
  if (first.getGlobalTypeAttr() != op.getGlobalTypeAttr() ||
      !placeAlike(first.getTo(), op.getFrom(), op))
    return rewriter.notifyMatchFailure(op, "operand has another layout");
  rewriter.replaceOpWithNewOp<RedistributeOp>(
      op, op.getResult().getType(), first.getInput(), first.getFrom(),
      op.getTo(), op.getGlobalTypeAttr());
  return success();
}

OperandRange ManualOp::getYielded() {
  return cast<ReturnOp>(getBody().front().getTerminator()).getValues();
}

/// Checks one side of a manual op: that \p layouts lay out values of types
/// \p globals, and that \p locals are what a rank then holds.
static LogicalResult verifyManualSide(ManualOp op, ArrayAttr layouts,
                                      TypeRange globals, TypeRange locals,
                                      StringRef clause, StringRef global,
                                      StringRef local) {
  // manual_c1
  if (layouts.size() != globals.size())
    return op.emitOpError()
           << "has " << globals.size() << " " << global << "s and "
           << layouts.size() << " layouts in '" << clause << "'";
  // manual_c3, manual_c4
  if (locals.size() != globals.size())
    return op.emitOpError() << "has " << globals.size() << " " << global
                            << "s and " << locals.size() << " " << local << "s";
  for (auto [index, layout, type, localType] :
       llvm::enumerate(layouts, globals, locals)) {
    auto emitError = [&, number = index] {
      return op.emitOpError() << global << " " << number << ": ";
    };
    auto tensor = cast<RankedTensorType>(type);
    FailureOr<LayoutOnMesh> checked =
        getCheckedLayout(layout, tensor, op, emitError);
    if (failed(checked))
      return failure();
    // manual_c2
    if (llvm::any_of(checked->layout.dims,
                     [](const layout::DimLayout &dim) { return dim.open; }))
      return emitError() << "layout of local code has an open dim";
    if (failed(verifyLocalType(localType, tensor, checked->layout, local,
                               emitError)))
      return failure();
  }
  return success();
}

LogicalResult ManualOp::verifySymbolUses(SymbolTableCollection &) {
  if (!isa<ReturnOp>(getBody().front().getTerminator()))
    return emitOpError() << "region must end in pctl.return";
  if (failed(verifyManualSide(*this, getInLayouts(), getInputs().getTypes(),
                              getBody().getArgumentTypes(), "in", "operand",
                              "region argument")))
    return failure();
  return verifyManualSide(*this, getOutLayouts(), getResults().getTypes(),
                          getYielded().getTypes(), "out", "result",
                          "returned value");
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult AxisIndexOp::verifySymbolUses(SymbolTableCollection &) {
  // axis_index_c1
  return getCheckedAxes(getAxes(), getMeshAttr(), *this,
                        [&] { return emitOpError(); });
}

OpFoldResult AxisIndexOp::fold(FoldAdaptor) {
  FailureOr<AxesOnMesh> checked =
      getCheckedAxes(getAxes(), getMeshAttr(), *this, nullptr);
  if (failed(checked) || layout::getNumPositions(checked->axes) != 1)
    return {};
  return Builder(getContext()).getIndexAttr(0);
}

/// Returns how \p op cuts its dim, if its mesh and axes are right.
static FailureOr<layout::DimLayout> getCut(BlockRangeOp op,
                                           EmitErrorFn emitError) {
  FailureOr<AxesOnMesh> checked =
      getCheckedAxes(op.getAxes(), op.getMeshAttr(), op, emitError);
  if (failed(checked))
    return failure();
  layout::Layout layout = layout::Layout::replicated(1);
  layout::DimLayout &dim = layout.dims[0];
  dim.axes.assign(checked->axes.begin(), checked->axes.end());
  if (auto sizes = op.getBlockSizes())
    dim.blockSizes.assign(sizes->begin(), sizes->end());
  int64_t globalSize = op.getGlobalSize();
  if (failed(reportError(
          layout::verifyLayout(checked->mesh, layout, globalSize), emitError)))
    return failure();
  return dim;
}

LogicalResult BlockRangeOp::verifySymbolUses(SymbolTableCollection &) {
  // block_range_c1, block_range_c2, block_range_c3
  return getCut(*this, [&] { return emitOpError(); });
}

LogicalResult BlockRangeOp::fold(FoldAdaptor,
                                 SmallVectorImpl<OpFoldResult> &results) {
  FailureOr<layout::DimLayout> cut = getCut(*this, nullptr);
  if (failed(cut) || layout::getNumPositions(cut->axes) != 1)
    return failure();
  Builder builder(getContext());
  results.push_back(builder.getIndexAttr(0));
  results.push_back(builder.getIndexAttr(getGlobalSize()));
  return success();
}

LogicalResult BlockRangeOp::canonicalize(BlockRangeOp op,
                                         PatternRewriter &rewriter) {
  if (op.getSize().use_empty())
    return rewriter.notifyMatchFailure(op, "the size is not used");
  FailureOr<layout::DimLayout> cut = getCut(op, nullptr);
  if (failed(cut))
    return rewriter.notifyMatchFailure(op, "not valid");
  std::optional<int64_t> size =
      layout::getEvenBlockSize(*cut, op.getGlobalSize());
  if (!size)
    return rewriter.notifyMatchFailure(op, "blocks differ in size");
  Value constant = arith::ConstantIndexOp::create(rewriter, op.getLoc(), *size);
  rewriter.replaceAllUsesWith(op.getSize(), constant);
  return success();
}

#define GET_OP_CLASSES
#include "pctl/Dialect/Pctl/IR/PctlOps.cpp.inc"
