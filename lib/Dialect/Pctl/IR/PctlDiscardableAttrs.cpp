// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Checks of the `pctl.*` attributes that ops of other dialects carry. The
/// table in the dialect's description says what each holds.

#include "pctl/Dialect/Pctl/IR/Forms.h"
#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/MoveReasons.h"
#include "pctl/Support/CheckedArith.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pctl;

static LogicalResult emitUnknown(EmitErrorFn emitError, StringAttr name,
                                 StringRef where, ArrayRef<StringRef> known) {
  return emitError() << "unknown attribute '" << name.getValue() << "' on "
                     << where << ", known are " << llvm::join(known, ", ");
}

//===----------------------------------------------------------------------===//
// Function arguments and results
//===----------------------------------------------------------------------===//

namespace {
/// An argument or result of a function, with what else is said of it.
struct Boundary {
  Type type;
  TypeAttr globalType;
  Operation *function;
};
} // namespace

/// Returns the type that a layout on \p boundary lays out. Errors: neither a
/// tensor nor a buffer with a global type.
static FailureOr<RankedTensorType> getLaidOutType(const Boundary &boundary,
                                                  EmitErrorFn emitError) {
  if (boundary.globalType)
    if (auto type = dyn_cast<RankedTensorType>(boundary.globalType.getValue()))
      return type;
  if (auto type = dyn_cast<RankedTensorType>(boundary.type))
    return type;
  return emitError() << "layout on a value of type " << boundary.type
                     << ", expected a ranked tensor";
}

static LogicalResult verifyBoundaryLayout(Attribute layout,
                                          const Boundary &boundary,
                                          EmitErrorFn emitError) {
  FailureOr<RankedTensorType> global = getLaidOutType(boundary, emitError);
  if (failed(global))
    return failure();
  FailureOr<LayoutOnMesh> checked =
      getCheckedLayout(layout, *global, boundary.function, emitError);
  if (failed(checked))
    return failure();
  if (!boundary.globalType)
    return success();
  RankedTensorType local = getLocalType(*global, checked->layout);
  auto held = dyn_cast<ShapedType>(boundary.type);
  if (!held || !held.hasRank() || held.getShape() != local.getShape() ||
      held.getElementType() != local.getElementType())
    return emitError() << "value of type " << boundary.type
                       << ", expected the local shape of " << *global
                       << " in its layout, " << local;
  return success();
}

static LogicalResult verifyGlobalType(Attribute value, EmitErrorFn emitError) {
  auto type = dyn_cast<TypeAttr>(value);
  if (!type || !isa<RankedTensorType>(type.getValue()))
    return emitError() << "'" << kGlobalTypeAttrName << "' is " << value
                       << ", expected a ranked tensor type";
  return success();
}

static TypeAttr getGlobalType(DictionaryAttr attrs) {
  return attrs ? attrs.getAs<TypeAttr>(kGlobalTypeAttrName) : TypeAttr();
}

LogicalResult PctlDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "argument " << argIndex << ": ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || argIndex >= function.getNumArguments())
    return emitError() << "'" << attribute.getName().getValue()
                       << "' is for arguments of functions";
  StringRef name = attribute.getName();
  if (name == kLayoutAttrName)
    return verifyBoundaryLayout(
        attribute.getValue(),
        {function.getArgumentTypes()[argIndex],
         getGlobalType(function.getArgAttrDict(argIndex)), op},
        emitError);
  if (name == kGlobalTypeAttrName)
    return verifyGlobalType(attribute.getValue(), emitError);
  if (name != kDataAttrName)
    return emitUnknown(emitError, attribute.getName(), "a function argument",
                       {kLayoutAttrName, kDataAttrName, kGlobalTypeAttrName});
  if (!isa<UnitAttr>(attribute.getValue()))
    return emitError() << "'" << kDataAttrName << "' is "
                       << attribute.getValue() << ", expected unit";
  return success();
}

LogicalResult
PctlDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                         unsigned resultIndex,
                                         NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "result " << resultIndex << ": ";
  };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || resultIndex >= function.getNumResults())
    return emitError() << "'" << attribute.getName().getValue()
                       << "' is for results of functions";
  StringRef name = attribute.getName();
  if (name == kLayoutAttrName)
    return verifyBoundaryLayout(
        attribute.getValue(),
        {function.getResultTypes()[resultIndex],
         getGlobalType(function.getResultAttrDict(resultIndex)), op},
        emitError);
  if (name == kGlobalTypeAttrName)
    return verifyGlobalType(attribute.getValue(), emitError);
  return emitUnknown(emitError, attribute.getName(), "a function result",
                     {kLayoutAttrName, kGlobalTypeAttrName});
}

//===----------------------------------------------------------------------===//
// Any op
//===----------------------------------------------------------------------===//

static LogicalResult verifyLayouts(Operation *op, Attribute value) {
  auto layouts = dyn_cast<ArrayAttr>(value);
  if (!layouts)
    return op->emitOpError() << "'" << kLayoutsAttrName << "' is " << value
                             << ", expected an array";
  if (layouts.size() != op->getNumResults())
    return op->emitOpError()
           << "'" << kLayoutsAttrName << "' has " << layouts.size()
           << " entries, expected one for each of " << op->getNumResults()
           << " results";
  for (auto [index, entry] : llvm::enumerate(layouts)) {
    auto emitError = [&, number = index] {
      return op->emitOpError() << "layout of result " << number << ": ";
    };
    Type type = op->getResult(index).getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && isa<UnitAttr>(entry))
      continue;
    if (!tensor)
      return emitError() << "value of type " << type
                         << " has no layout, expected unit";
    if (!isa<LayoutAttr>(entry))
      return emitError() << "found " << entry << ", expected a layout";
    if (failed(getCheckedLayout(entry, tensor, op, emitError)))
      return failure();
  }
  return success();
}

/// Which tensor each entry is for is between the two passes that write and read
/// it; here each must be a layout that means something.
static LogicalResult verifyOperandLayouts(Operation *op, Attribute value) {
  auto layouts = dyn_cast<ArrayAttr>(value);
  if (!layouts)
    return op->emitOpError() << "'" << kOperandLayoutsAttrName << "' is "
                             << value << ", expected an array";
  for (auto [index, entry] : llvm::enumerate(layouts)) {
    auto emitError = [&, number = index] {
      return op->emitOpError()
             << "wanted layout of tensor operand " << number << ": ";
    };
    if (!isa<LayoutAttr>(entry))
      return emitError() << "found " << entry << ", expected a layout";
    if (failed(getCheckedLayout(entry, std::nullopt, op, emitError)))
      return failure();
  }
  return success();
}

static LogicalResult verifyOperandReasons(Operation *op, Attribute value) {
  auto reasons = dyn_cast<ArrayAttr>(value);
  auto layouts = op->getAttrOfType<ArrayAttr>(kOperandLayoutsAttrName);
  if (!reasons || !layouts || reasons.size() != layouts.size() ||
      !llvm::all_of(reasons, llvm::IsaPred<StringAttr>))
    return op->emitOpError() << "'" << kOperandReasonsAttrName << "' is "
                             << value << ", expected a text for each entry of '"
                             << kOperandLayoutsAttrName << "'";
  return success();
}

namespace {
/// Checks an op against its rule, C6 to C8 of `#pctl.rule`.
class RuleChecker {
public:
  RuleChecker(Operation *op, RuleAttr rule)
      : op(op), rule(rule), sizes(rule.getFactorSizes()) {}

  LogicalResult verify() {
    if (failed(verifyTensors(op->getOperandTypes(), rule.getOperands(),
                             "operand")))
      return failure();
    return verifyTensors(op->getResultTypes(), rule.getResults(), "result");
  }

private:
  LogicalResult verifyTensors(TypeRange types, ArrayRef<RuleTensorAttr> tensors,
                              StringRef what);
  LogicalResult verifyTensor(Type type, RuleTensorAttr tensor,
                             const Twine &what);
  LogicalResult verifyDim(int64_t size, RuleDimAttr dim, const Twine &what);

  Operation *op;
  RuleAttr rule;
  /// Size of each factor as far as known; 0 where not.
  SmallVector<int64_t> sizes;
};
} // namespace

LogicalResult RuleChecker::verifyTensors(TypeRange types,
                                         ArrayRef<RuleTensorAttr> tensors,
                                         StringRef what) {
  // rule_c6
  if (types.size() != tensors.size())
    return op->emitOpError() << "has " << types.size() << " " << what
                             << "s, its rule has " << tensors.size();
  for (auto [index, type, tensor] : llvm::enumerate(types, tensors))
    if (failed(verifyTensor(type, tensor, what + " " + Twine(index))))
      return failure();
  return success();
}

LogicalResult RuleChecker::verifyTensor(Type type, RuleTensorAttr tensor,
                                        const Twine &what) {
  auto shaped = dyn_cast<ShapedType>(type);
  ArrayRef<int64_t> shape;
  if (shaped && shaped.hasRank())
    shape = shaped.getShape();
  // rule_c7
  if (shape.size() != tensor.getDims().size())
    return op->emitOpError()
           << what << " has " << shape.size() << " dims, its rule has "
           << tensor.getDims().size();
  std::string name = what.str();
  for (auto [index, size, dim] : llvm::enumerate(shape, tensor.getDims()))
    if (failed(verifyDim(size, dim, "dim " + Twine(index) + " of " + name)))
      return failure();
  return success();
}

LogicalResult RuleChecker::verifyDim(int64_t size, RuleDimAttr dim,
                                     const Twine &what) {
  // rule_c8
  if (ShapedType::isDynamic(size))
    return success();
  ArrayRef<int64_t> factors = dim.getFactors();
  if (factors.size() == 1) {
    int64_t &known = sizes[factors.front()];
    if (known != 0 && known != size)
      return op->emitOpError()
             << what << " has size " << size << ", but factor '"
             << rule.getFactorNames()[factors.front()].getValue()
             << "' has size " << known;
    known = size;
    return success();
  }
  SmallVector<int64_t> parts = llvm::map_to_vector(
      factors, [&](int64_t factor) { return rule.getFactorSizes()[factor]; });
  std::optional<int64_t> product = checkedProduct(parts);
  if (!product || *product != size) {
    InFlightDiagnostic diagnostic = op->emitOpError();
    diagnostic << what << " has size " << size
               << ", but the product of its factors in the rule ";
    if (product)
      return diagnostic << "is " << *product;
    return diagnostic << "is beyond 64 bits";
  }
  return success();
}

static LogicalResult verifyRule(Operation *op, Attribute value) {
  auto rule = dyn_cast<RuleAttr>(value);
  if (!rule)
    return op->emitOpError() << "'" << kRuleAttrName << "' is " << value
                             << ", expected a #pctl.rule";
  return RuleChecker(op, rule).verify();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static LogicalResult verifyForm(Operation *op, Attribute value) {
  auto form = dyn_cast<StringAttr>(value);
  if (!form || !symbolizeForm(form.getValue()))
    return op->emitOpError() << "'" << kFormAttrName << "' is " << value
                             << ", expected one of " << listForms();
  return success();
}

/// Returns whether \p value is an array of the cuts of each dim of a tensor.
static bool isCutTuple(Attribute value) {
  if (auto dense = dyn_cast<DenseI64ArrayAttr>(value))
    return llvm::all_of(dense.asArrayRef(), [](int64_t n) { return n >= 1; });
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, [](Attribute entry) {
           auto cut = dyn_cast<IntegerAttr>(entry);
           return cut && cut.getValue().isStrictlyPositive() &&
                  cut.getValue().isSignedIntN(64);
         });
}

static LogicalResult verifyDatasetStrategy(Operation *op, Attribute value) {
  if (auto name = dyn_cast<StringAttr>(value))
    if (name.getValue() == "data_parallel" || name.getValue() == "full_batch")
      return success();
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array)
    return op->emitOpError()
           << "'" << kDatasetStrategyAttrName << "' is " << value
           << ", expected \"data_parallel\", \"full_batch\", an array of the "
              "cuts of each data argument, or an array of their layouts";
  bool hasLayouts = llvm::any_of(array, llvm::IsaPred<LayoutAttr>);
  for (auto [index, entry] : llvm::enumerate(array)) {
    if (auto layout = dyn_cast<LayoutAttr>(entry)) {
      auto emitError = [&, number = index] {
        return op->emitOpError() << "'" << kDatasetStrategyAttrName
                                 << "' entry " << number << ": ";
      };
      if (failed(getCheckedLayout(layout, std::nullopt, op, emitError)))
        return failure();
      continue;
    }
    if (!isCutTuple(entry))
      return op->emitOpError()
             << "'" << kDatasetStrategyAttrName << "' entry " << index << " is "
             << entry
             << ", expected a layout or an array of cuts of at least 1";
    if (hasLayouts)
      return op->emitOpError()
             << "'" << kDatasetStrategyAttrName << "' mixes layouts and cuts";
  }
  return success();
}

static LogicalResult verifyModuleAttribute(Operation *op,
                                           NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kFormAttrName)
    return verifyForm(op, attribute.getValue());
  if (name == kDatasetStrategyAttrName)
    return verifyDatasetStrategy(op, attribute.getValue());
  if (name == kFullBatchAttrName) {
    if (isa<BoolAttr>(attribute.getValue()))
      return success();
    return op->emitOpError() << "'" << name << "' is " << attribute.getValue()
                             << ", expected a bool";
  }
  return emitUnknown(
      [&] { return op->emitOpError(); }, attribute.getName(), "a module",
      {kFormAttrName, kDatasetStrategyAttrName, kFullBatchAttrName});
}

LogicalResult PctlDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kLayoutsAttrName)
    return verifyLayouts(op, attribute.getValue());
  if (name == kOperandLayoutsAttrName)
    return verifyOperandLayouts(op, attribute.getValue());
  if (name == kOperandReasonsAttrName)
    return verifyOperandReasons(op, attribute.getValue());
  if (name == kRuleAttrName)
    return verifyRule(op, attribute.getValue());
  if (isa<ModuleOp>(op))
    return verifyModuleAttribute(op, attribute);
  return emitUnknown([&] { return op->emitOpError(); }, attribute.getName(),
                     "an op",
                     {kLayoutsAttrName, kOperandLayoutsAttrName,
                      kOperandReasonsAttrName, kRuleAttrName});
}
