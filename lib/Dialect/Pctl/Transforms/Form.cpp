// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Says and checks which form a program is in. The header lists the rules by
/// the labels that the messages have.

#include "pctl/Dialect/Pctl/Transforms/Form.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Transforms/Passes.h"
#include "pctl/Dialect/Pctl/Transforms/ValueLayouts.h"

#include "ElementBytes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace pctl {

#define GEN_PASS_DEF_VERIFYFORMPASS
#include "pctl/Dialect/Pctl/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// What modules say
//===----------------------------------------------------------------------===//

std::optional<Form> getForm(ModuleOp module) {
  auto attr = module->getAttrOfType<StringAttr>(kFormAttrName);
  return attr ? symbolizeForm(attr.getValue()) : std::nullopt;
}

void setForm(ModuleOp module, Form form) {
  module->setAttr(kFormAttrName,
                  StringAttr::get(module.getContext(), stringifyForm(form)));
}

LogicalResult requireForm(ModuleOp module, Form form, StringRef pass,
                          StringRef producer) {
  std::optional<Form> found = getForm(module);
  if (!found || *found == form)
    return success();
  InFlightDiagnostic diag = module.emitError()
                            << pass << " needs the " << stringifyForm(form)
                            << " form, but the module is in the "
                            << stringifyForm(*found) << " form";
  if (*found < form)
    diag << "; run " << producer << " first";
  return diag;
}

LogicalResult requireAnnotatedForm(ModuleOp module, StringRef pass) {
  if (failed(requireForm(module, Form::Annotated, pass, /*producer=*/"")))
    return failure();
  return verifyForm(module, Form::Annotated);
}

bool isLocalToRank(Operation *op) {
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return redistribute.isLocal();
  return isa<CollectiveOpInterface, AxisIndexOp, BlockRangeOp>(op);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {

/// Collects what breaks the rules of a form.
class FormChecker {
public:
  explicit FormChecker(Form form) : form(form) {}

  LogicalResult check(ModuleOp module);

private:
  void checkData(Operation *op);
  void checkAnnotated(Operation *op);
  void checkEncoding(Operation *op, const Twine &what, Type type);
  void checkGlobalSignature(FunctionOpInterface func);
  void checkLocal(Operation *op);
  void checkLocalSignature(FunctionOpInterface func);
  void checkBuffers(Operation *op);
  void checkExecutable(Operation *op);

  /// Reports that \p op breaks the rule called \p label.
  InFlightDiagnostic report(Operation *op, StringRef label) {
    failedAny = true;
    return op->emitOpError() << "breaks " << label << " of the "
                             << stringifyForm(form) << " form: ";
  }

  Form form;
  bool failedAny = false;
};

//===----------------------------------------------------------------------===//
// All with tensors
//===----------------------------------------------------------------------===//

void FormChecker::checkData(Operation *op) {
  Attribute value;
  if (!matchPattern(op, m_Constant(&value)))
    return;
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return;
  DenseResourceElementsHandle handle = resource.getRawHandle();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob) {
    report(op, "D1") << "resource '" << handle.getKey()
                     << "' has no data; 'dialect_resources' of the file must "
                        "hold it";
    return;
  }
  ShapedType type = resource.getType();
  std::optional<int64_t> expected =
      getSizeBytes(type.getNumElements(), type.getElementType());
  int64_t found = blob->getData().size();
  if (expected && found != *expected)
    report(op, "D1") << "resource '" << handle.getKey() << "' has " << found
                     << " bytes of data, but a " << type << " has "
                     << *expected;
}

//===----------------------------------------------------------------------===//
// Annotated
//===----------------------------------------------------------------------===//

void FormChecker::checkAnnotated(Operation *op) {
  if (isLocalToRank(op) && !op->getParentOfType<ManualOp>())
    report(op, "A1") << "outside of 'pctl.manual' it belongs to a later form, "
                        "which the module has to name in '"
                     << kFormAttrName << "'";
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    checkGlobalSignature(func);
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    checkEncoding(op, "result #" + Twine(index), type);
}

/// Ranks hold blocks of dense tensors; what another encoding means of a block
/// is its dialect's to say.
void FormChecker::checkEncoding(Operation *op, const Twine &what, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getEncoding())
    report(op, "A3") << what << " is a " << type
                     << ", expected a tensor without an encoding";
}

void FormChecker::checkGlobalSignature(FunctionOpInterface func) {
  auto check = [&](const Twine &what, Attribute global) {
    if (global)
      report(func, "A2") << what << " has '" << kGlobalTypeAttrName
                         << "', which belongs to a later form, which the "
                            "module has to name in '"
                         << kFormAttrName << "'";
  };
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    check("argument #" + Twine(i), func.getArgAttr(i, kGlobalTypeAttrName));
    checkEncoding(func, "argument #" + Twine(i), func.getArgumentTypes()[i]);
  }
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    check("result #" + Twine(i), func.getResultAttr(i, kGlobalTypeAttrName));
}

//===----------------------------------------------------------------------===//
// Local and planned
//===----------------------------------------------------------------------===//

void FormChecker::checkLocal(Operation *op) {
  for (StringRef name : {kLayoutsAttrName, kRuleAttrName})
    if (op->hasAttr(name))
      report(op, "C1") << "it has '" << name << "'";
  if (isa<ShardOp, ManualOp>(op))
    report(op, "C1") << "it belongs to the global view";
  if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
    if (form == Form::Planned)
      report(op, "P1") << "planning makes collectives of it";
    else if (!redistribute.isLocal())
      report(op, "C2") << "it lacks 'of' and the type of the whole tensor";
  }
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    checkLocalSignature(func);
}

void FormChecker::checkLocalSignature(FunctionOpInterface func) {
  auto check = [&](const Twine &what, Type type, Attribute layout,
                   Attribute global) {
    if (!layout || !isa<RankedTensorType>(type))
      return;
    auto globalType =
        global ? dyn_cast<RankedTensorType>(cast<TypeAttr>(global).getValue())
               : RankedTensorType();
    if (!globalType) {
      report(func, "C3") << what << " has '" << kLayoutAttrName << "' but no '"
                         << kGlobalTypeAttrName << "'";
      return;
    }
    FailureOr<LayoutOnMesh> checked =
        getCheckedLayout(layout, globalType.getShape(), func,
                         [&] { return report(func, "C3"); });
    if (failed(checked))
      return;
    Type expected = getLocalType(globalType, checked->layout);
    if (type != expected)
      report(func, "C3") << what << " is a " << type << ", not a " << expected;
  };
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    check("argument #" + Twine(index), type,
          func.getArgAttr(index, kLayoutAttrName),
          func.getArgAttr(index, kGlobalTypeAttrName));
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    check("result #" + Twine(index), type,
          func.getResultAttr(index, kLayoutAttrName),
          func.getResultAttr(index, kGlobalTypeAttrName));
}

//===----------------------------------------------------------------------===//
// Buffers and executable
//===----------------------------------------------------------------------===//

void FormChecker::checkBuffers(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  bool hasTensor = llvm::any_of(op->getOperandTypes(), isTensor) ||
                   llvm::any_of(op->getResultTypes(), isTensor);
  if (auto func = dyn_cast<FunctionOpInterface>(op))
    hasTensor |= llvm::any_of(func.getArgumentTypes(), isTensor) ||
                 llvm::any_of(func.getResultTypes(), isTensor);
  if (hasTensor)
    report(op, "B1") << "it has a tensor type";
  if (isa<ShardOp, ManualOp, RedistributeOp>(op))
    report(op, "B2") << "it belongs to the global view";
}

void FormChecker::checkExecutable(Operation *op) {
  if (isa<ModuleOp>(op) || op->getName().getStringRef() == "gpu.binary" ||
      op->getName().getDialectNamespace() == "llvm")
    return;
  report(op, "E1") << "it is not in the LLVM dialect";
}

LogicalResult FormChecker::check(ModuleOp module) {
  if (form == Form::LaidOut && failed(verifyLaidOut(module)))
    failedAny = true;
  module.walk([&](Operation *op) {
    if (form < Form::Buffers)
      checkData(op);
    switch (form) {
    case Form::Annotated:
      return checkAnnotated(op);
    case Form::LaidOut:
      return;
    case Form::Local:
    case Form::Planned:
      return checkLocal(op);
    case Form::Buffers:
      return checkBuffers(op);
    case Form::Executable:
      return checkExecutable(op);
    }
  });
  return failure(failedAny);
}

struct VerifyFormPass : impl::VerifyFormPassBase<VerifyFormPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Form> wanted = getForm(module);
    if (!form.empty()) {
      wanted = symbolizeForm(form);
      if (!wanted) {
        module.emitError() << "'" << form << "' is no form; the forms are "
                           << listForms();
        return signalPassFailure();
      }
    }
    if (!wanted) {
      module.emitError() << "the module has no '" << kFormAttrName
                         << "' that says what to check; give form=...";
      return signalPassFailure();
    }
    if (failed(verifyForm(module, *wanted)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

LogicalResult verifyForm(ModuleOp module, Form form) {
  return FormChecker(form).check(module);
}

} // namespace pctl
