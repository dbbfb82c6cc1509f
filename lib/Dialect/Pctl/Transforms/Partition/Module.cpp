// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Partitions the functions of a module. Local bodies are built beside the
/// laid-out ones and take their place when all are done, so that a program that
/// can't be cut stays as it was.

#include "Models.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/Transforms/Partition.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace pctl {

#define GEN_PASS_DEF_PARTITIONPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

namespace {

/// A function whose local form is ready.
struct LocalFunction {
  FunctionOpInterface func;
  SmallVector<Type> argTypes;
  SmallVector<Type> resultTypes;
  /// Null for a declaration.
  std::unique_ptr<Region> body;
};

/// Returns the attributes of \p func that hold layouts: of what it takes and
/// gives, then of its ops.
SmallVector<Attribute> collectLayoutAttrs(FunctionOpInterface func) {
  SmallVector<Attribute> attrs;
  auto add = [&](Attribute attr) {
    if (attr)
      attrs.push_back(attr);
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    add(func.getArgAttr(i, kLayoutAttrName));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    add(func.getResultAttr(i, kLayoutAttrName));
  func->walk([&](Operation *op) {
    if (auto layouts = op->getAttrOfType<ArrayAttr>(kLayoutsAttrName))
      llvm::for_each(layouts, add);
  });
  return attrs;
}

bool hasTensors(FunctionOpInterface func) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(func.getArgumentTypes(), isTensor) ||
      llvm::any_of(func.getResultTypes(), isTensor))
    return true;
  WalkResult walk = func->walk([&](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isTensor)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Returns the local type of \p type, which \p func takes or gives as \p what
/// under the layout \p attr. Fails, having reported why, without a layout that
/// fits.
FailureOr<Type> getSignatureType(FunctionOpInterface func,
                                 PartitionContext &ctx, const Twine &what,
                                 Type type, Attribute attr) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return type;
  if (!attr)
    return func->emitOpError()
           << what << " has no '" << kLayoutAttrName
           << "'; in the laid-out form every tensor has one";
  FailureOr<layout::Layout> layout =
      ctx.readLayout(func, what, attr, tensorType);
  if (failed(layout))
    return failure();
  return Type(getLocalType(tensorType, *layout));
}

/// Computes the local signature of \p local.func.
LogicalResult partitionSignature(LocalFunction &local, PartitionContext &ctx) {
  FunctionOpInterface func = local.func;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    FailureOr<Type> localType =
        getSignatureType(func, ctx, "argument #" + Twine(index), type,
                         func.getArgAttr(index, kLayoutAttrName));
    if (failed(localType))
      return failure();
    local.argTypes.push_back(*localType);
  }
  for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
    FailureOr<Type> localType =
        getSignatureType(func, ctx, "result #" + Twine(index), type,
                         func.getResultAttr(index, kLayoutAttrName));
    if (failed(localType))
      return failure();
    local.resultTypes.push_back(*localType);
  }
  return success();
}

/// Builds the local form of \p func, whose layouts are over \p mesh.
FailureOr<LocalFunction> partitionFunction(FunctionOpInterface func,
                                           FlatSymbolRefAttr meshSymbol,
                                           const layout::Mesh &mesh) {
  LocalFunction local{func, {}, {}, std::make_unique<Region>()};
  auto body = new Block();
  local.body->push_back(body);
  PartitionContext ctx(func.getLoc(), meshSymbol, mesh, *body);
  if (failed(partitionSignature(local, ctx)))
    return failure();
  if (func.isExternal()) {
    local.body.reset();
    return local;
  }
  if (!func.getFunctionBody().hasOneBlock())
    return func->emitOpError("has several blocks; only structured control flow "
                             "can be cut");
  Block &entry = func.getFunctionBody().front();
  for (auto [index, arg, type] :
       llvm::enumerate(entry.getArguments(), local.argTypes)) {
    ctx.setLocal(arg, body->addArgument(type, arg.getLoc()));
    auto tensorType = dyn_cast<RankedTensorType>(arg.getType());
    if (!tensorType)
      continue;
    FailureOr<layout::Layout> layout =
        ctx.readLayout(func, "argument #" + Twine(index),
                       func.getArgAttr(index, kLayoutAttrName), tensorType);
    ctx.setLayout(arg, *layout);
  }
  if (failed(ctx.partitionBlock(entry, *body)))
    return failure();
  return local;
}

/// Builds the local form of \p func, or nothing where there is nothing to do.
FailureOr<std::optional<LocalFunction>>
partitionFunction(FunctionOpInterface func) {
  SmallVector<Attribute> layouts = collectLayoutAttrs(func);
  LayoutAttr first;
  for (Attribute attr : layouts)
    if ((first = resolveLayout(attr, func)))
      break;
  if (!first) {
    if (hasTensors(func))
      return func->emitOpError("has tensors but no layouts; in the laid-out "
                               "form every tensor has one");
    return std::optional<LocalFunction>();
  }
  FailureOr<layout::Mesh> mesh =
      lookupMesh(first.getMesh(), func, [&] { return func->emitOpError(); });
  if (failed(mesh))
    return failure();
  FailureOr<LocalFunction> local =
      partitionFunction(func, first.getMesh(), *mesh);
  if (failed(local))
    return failure();
  return std::optional<LocalFunction>(std::move(*local));
}

/// Puts the local form of a function in place of the laid-out one.
void replaceFunction(LocalFunction &local) {
  FunctionOpInterface func = local.func;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<RankedTensorType>(type))
      func.setArgAttr(index, kGlobalTypeAttrName, TypeAttr::get(type));
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    if (isa<RankedTensorType>(type))
      func.setResultAttr(index, kGlobalTypeAttrName, TypeAttr::get(type));
  func.setType(func.cloneTypeWith(local.argTypes, local.resultTypes));
  if (local.body)
    func.getFunctionBody().takeBody(*local.body);
}

struct PartitionPass : impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireForm(module, Form::LaidOut, getArgument(),
                           "pctl-insert-redistribution")) ||
        failed(partitionModule(module)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult partitionModule(ModuleOp module) {
  SmallVector<LocalFunction> locals;
  for (FunctionOpInterface func : module.getOps<FunctionOpInterface>()) {
    FailureOr<std::optional<LocalFunction>> local = partitionFunction(func);
    if (failed(local))
      return failure();
    if (*local)
      locals.push_back(std::move(**local));
  }
  for (LocalFunction &local : locals)
    replaceFunction(local);
  setForm(module, Form::Local);
  return success();
}

void registerPartitionExternalModels(DialectRegistry &registry) {
  detail::registerControlFlowModels(registry);
  detail::registerElementModels(registry);
  detail::registerLinalgModels(registry);
  detail::registerPctlModels(registry);
  detail::registerReshapeModels(registry);
  detail::registerSliceModels(registry);
}

} // namespace pctl
