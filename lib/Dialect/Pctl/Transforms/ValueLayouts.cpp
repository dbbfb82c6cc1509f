// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Dialect/Pctl/Transforms/ValueLayouts.h"

#include "pctl/Dialect/Pctl/Interfaces/LaidOutRegions.h"
#include "pctl/Layout/LayoutText.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace pctl;
using layout::Layout;

//===----------------------------------------------------------------------===//
// Layouts as attributes
//===----------------------------------------------------------------------===//

static LayoutAttr resolveElement(ArrayAttr layouts, unsigned index,
                                 Operation *from) {
  if (!layouts || index >= layouts.size())
    return {};
  return resolveLayout(layouts[index], from);
}

LayoutAttr pctl::getValueLayout(Value value) {
  // What a loop starts from is laid out as the loop wants it: as said by
  // propagation, and by the initial value itself once it has been moved.
  while (OpOperand *init = getWhileInit(value)) {
    Operation *loop = init->getOwner();
    if (auto wanted = loop->getAttrOfType<ArrayAttr>(kOperandLayoutsAttrName)) {
      for (auto [i, operand] : llvm::enumerate(getTensorOperands(loop)))
        if (operand.operand == init)
          return resolveElement(wanted, i, loop);
      return {};
    }
    value = init->get();
  }
  value = getCarrier(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!func || func.empty() || argument.getOwner() != &func.front())
      return {};
    Attribute attr = func.getArgAttr(argument.getArgNumber(), kLayoutAttrName);
    return attr ? resolveLayout(attr, func) : LayoutAttr();
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return resolveLayout(redistribute.getTo(), op);
  if (auto manual = dyn_cast<ManualOp>(op))
    return resolveElement(manual.getOutLayouts(), result.getResultNumber(), op);
  return resolveElement(op->getAttrOfType<ArrayAttr>(kLayoutsAttrName),
                        result.getResultNumber(), op);
}

LayoutAttr pctl::getResultLayout(func::FuncOp func, unsigned index) {
  Attribute attr = func.getResultAttr(index, kLayoutAttrName);
  return attr ? resolveLayout(attr, func) : LayoutAttr();
}

//===----------------------------------------------------------------------===//
// Layouts as values
//===----------------------------------------------------------------------===//

FailureOr<const layout::Mesh *> LayoutReader::getMesh(FlatSymbolRefAttr symbol,
                                                      EmitErrorFn emitError) {
  std::unique_ptr<layout::Mesh> &known = meshes[symbol];
  if (known)
    return known.get();
  FailureOr<layout::Mesh> mesh = lookupMesh(symbol, module, emitError);
  if (failed(mesh))
    return failure();
  known = std::make_unique<layout::Mesh>(*mesh);
  return known.get();
}

FailureOr<Layout> LayoutReader::getLayout(LayoutAttr attr,
                                          EmitErrorFn emitError) {
  FailureOr<const layout::Mesh *> mesh = getMesh(attr.getMesh(), emitError);
  if (failed(mesh))
    return failure();
  FailureOr<Layout> layout = toLayout(attr, **mesh, emitError);
  if (failed(layout))
    return failure();
  return layout->getNormalForm();
}

FailureOr<LaidOutOp> pctl::readLaidOutOp(Operation *op, LayoutReader &reader) {
  auto emitError = [&] { return op->emitOpError(); };
  LaidOutOp laidOut;
  auto read = [&](LayoutAttr attr, const Twine &what) -> FailureOr<Layout> {
    if (!attr) {
      op->emitOpError() << what << " has no layout";
      return failure();
    }
    if (laidOut.meshSymbol && laidOut.meshSymbol != attr.getMesh()) {
      op->emitOpError() << what << " is laid out on mesh " << attr.getMesh()
                        << ", other tensors of the op on mesh "
                        << laidOut.meshSymbol;
      return failure();
    }
    laidOut.meshSymbol = attr.getMesh();
    return reader.getLayout(attr, emitError);
  };

  for (auto [i, operand] : llvm::enumerate(getTensorOperands(op))) {
    FailureOr<Layout> layout =
        read(getValueLayout(operand.value), "tensor operand #" + Twine(i));
    if (failed(layout))
      return failure();
    laidOut.operandLayouts.push_back(*layout);
  }
  for (OpResult result : getTensorResults(op)) {
    FailureOr<Layout> layout = read(
        getValueLayout(result), "result #" + Twine(result.getResultNumber()));
    if (failed(layout))
      return failure();
    laidOut.resultLayouts.push_back(*layout);
  }
  if (!laidOut.meshSymbol) {
    op->emitOpError("has no tensors to lay out");
    return failure();
  }
  laidOut.mesh = *reader.getMesh(laidOut.meshSymbol, emitError);

  FailureOr<propagation::Rule> rule = getRule(op);
  if (failed(rule))
    return failure();
  laidOut.rule = std::move(*rule);
  llvm::Expected<propagation::FactorCuts> cuts = propagation::inferFactorCuts(
      *laidOut.mesh, laidOut.rule, laidOut.operandLayouts,
      laidOut.resultLayouts);
  if (!cuts)
    return reportError(cuts.takeError(), emitError);
  laidOut.cuts = std::move(*cuts);
  return laidOut;
}

//===----------------------------------------------------------------------===//
// The laid-out form
//===----------------------------------------------------------------------===//

namespace {

/// Checks the ops of functions' bodies one by one.
class LaidOutVerifier {
public:
  explicit LaidOutVerifier(ModuleOp module) : module(module), reader(module) {}

  LogicalResult verify(func::FuncOp func);

private:
  LogicalResult verify(Operation *op, func::FuncOp func);
  LogicalResult verifyReturn(func::ReturnOp op, func::FuncOp func);
  LogicalResult verifyCall(func::CallOp op);
  LogicalResult verifyCarried(Operation *op, ArrayRef<Value> targets);
  LogicalResult expectSame(Operation *op, const Twine &what, LayoutAttr found,
                           LayoutAttr expected, const Twine &where);

  ModuleOp module;
  LayoutReader reader;
  SymbolTableCollection symbolTables;
};

} // namespace

LogicalResult LaidOutVerifier::expectSame(Operation *op, const Twine &what,
                                          LayoutAttr found, LayoutAttr expected,
                                          const Twine &where) {
  auto emitError = [&] { return op->emitOpError(); };
  if (!found || !expected)
    return op->emitOpError() << (found ? where : what) << " has no layout";
  FailureOr<Layout> foundLayout = reader.getLayout(found, emitError);
  FailureOr<Layout> expectedLayout = reader.getLayout(expected, emitError);
  if (failed(foundLayout) || failed(expectedLayout))
    return failure();
  if (found.getMesh() == expected.getMesh() && *foundLayout == *expectedLayout)
    return success();
  return op->emitOpError() << what << " is laid out as " << found << ", but "
                           << where << " as " << expected;
}

LogicalResult LaidOutVerifier::verifyReturn(func::ReturnOp op,
                                            func::FuncOp func) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (failed(expectSame(op, "operand #" + Twine(index),
                          getValueLayout(operand.get()),
                          getResultLayout(func, index),
                          "result #" + Twine(index) + " of the function")))
      return failure();
  }
  return success();
}

LogicalResult LaidOutVerifier::verifyCall(func::CallOp op) {
  auto callee = symbolTables.lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError()
           << "calls " << op.getCalleeAttr() << ", which is no function";
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Attribute attr = callee.getArgAttr(i, kLayoutAttrName);
    if (failed(expectSame(op, "operand #" + Twine(i), getValueLayout(operand),
                          attr ? resolveLayout(attr, callee) : LayoutAttr(),
                          "argument #" + Twine(i) + " of the function")))
      return failure();
  }
  for (OpResult result : getTensorResults(op)) {
    unsigned i = result.getResultNumber();
    if (failed(expectSame(op, "result #" + Twine(i), getValueLayout(result),
                          getResultLayout(callee, i),
                          "result #" + Twine(i) + " of the function")))
      return failure();
  }
  return success();
}

LogicalResult LaidOutVerifier::verifyCarried(Operation *op,
                                             ArrayRef<Value> targets) {
  for (auto [i, operand, target] :
       llvm::enumerate(op->getOperands(), targets)) {
    if (!target || !isa<RankedTensorType>(operand.getType()))
      continue;
    if (failed(expectSame(op, "operand #" + Twine(i), getValueLayout(operand),
                          getValueLayout(target), "what it becomes")))
      return failure();
  }
  for (OpResult result : getTensorResults(op))
    if (!getValueLayout(result))
      return op->emitOpError()
             << "result #" << result.getResultNumber() << " has no layout";
  return success();
}

LogicalResult LaidOutVerifier::verify(Operation *op, func::FuncOp func) {
  if (isa<ShardOp>(op))
    return op->emitOpError("is left in laid-out form");
  if (auto returned = dyn_cast<func::ReturnOp>(op))
    return verifyReturn(returned, func);
  if (auto call = dyn_cast<func::CallOp>(op))
    return verifyCall(call);
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    if (redistribute.isLocal())
      return op->emitOpError("is in local form already");
    return expectSame(op, "operand", getValueLayout(redistribute.getInput()),
                      resolveLayout(redistribute.getFrom(), op), "'from'");
  }
  if (auto manual = dyn_cast<ManualOp>(op)) {
    for (auto [i, input] : llvm::enumerate(manual.getInputs()))
      if (failed(expectSame(op, "operand #" + Twine(i), getValueLayout(input),
                            resolveElement(manual.getInLayouts(), i, op),
                            "entry #" + Twine(i) + " of 'in'")))
        return failure();
    return success();
  }
  SmallVector<Value> targets = getCarriedTargets(op);
  if (!targets.empty() || hasLaidOutRegions(op))
    return verifyCarried(op, targets);
  if (getTensorOperands(op).empty() && getTensorResults(op).empty())
    return success();
  return readLaidOutOp(op, reader);
}

LogicalResult LaidOutVerifier::verify(func::FuncOp func) {
  bool failedAny = false;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<RankedTensorType>(type) && !func.getArgAttr(i, kLayoutAttrName))
      failedAny = true, func.emitOpError()
                            << "argument #" << i << " has no layout";
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (isa<RankedTensorType>(type) && !func.getResultAttr(i, kLayoutAttrName))
      failedAny = true, func.emitOpError()
                            << "result #" << i << " has no layout";
  if (failedAny)
    return failure();
  walkLaidOutOps(func.getBody(), [&](Operation *op) {
    failedAny |= failed(verify(op, func));
    return true;
  });
  return success(!failedAny);
}

LogicalResult pctl::verifyLaidOut(ModuleOp module) {
  LaidOutVerifier verifier(module);
  bool failedAny = false;
  for (auto func : module.getOps<func::FuncOp>())
    if (failed(verifier.verify(func)))
      failedAny = true;
  return success(!failedAny);
}
