// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// Reads entries: types, layouts, and how long their sums are.

#include "Signature.h"

#include "pctl/Dialect/Pctl/IR/LayoutBridge.h"
#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"
#include "pctl/Support/Error.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace pctl;
using namespace pctl::run;

std::string Port::getTypeText() const {
  std::string text;
  for (int64_t size : globalShape)
    text += llvm::formatv("{0}x", size);
  return text + tensor::getElementName(kind).str();
}

llvm::Expected<mlir::func::FuncOp> run::findEntry(mlir::ModuleOp module,
                                                  llvm::StringRef name) {
  llvm::SmallVector<mlir::func::FuncOp> candidates;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal() && function.isPublic())
      candidates.push_back(function);
  for (mlir::func::FuncOp function : candidates)
    if (function.getName() == (name.empty() ? "main" : name))
      return function;
  if (name.empty() && candidates.size() == 1)
    return candidates.front();

  std::string known = llvm::join(
      llvm::map_range(candidates,
                      [](mlir::func::FuncOp function) {
                        return llvm::formatv("'{0}'", function.getName()).str();
                      }),
      ", ");
  if (candidates.empty())
    return makeError("the program has no public function with a body");
  if (name.empty())
    return makeError("the program has no function 'main'; choose the entry "
                     "among {0} with --entry",
                     known);
  return makeError("--entry: the program has no public function '{0}'; it has "
                   "{1}",
                   name, known);
}

static std::optional<tensor::ElementKind> getElementKind(mlir::Type type) {
  using tensor::ElementKind;
  if (type.isIndex())
    return ElementKind::I64;
  for (ElementKind kind :
       {ElementKind::I1, ElementKind::I8, ElementKind::I16, ElementKind::I32,
        ElementKind::I64, ElementKind::F16, ElementKind::BF16, ElementKind::F32,
        ElementKind::F64}) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (text == tensor::getElementName(kind))
      return kind;
  }
  return std::nullopt;
}

/// Reads one argument or result; \p what names it in errors.
static llvm::Expected<Port> readPort(const std::string &what, mlir::Type type,
                                     mlir::TypeAttr globalType,
                                     mlir::Attribute layout,
                                     mlir::func::FuncOp entry,
                                     const layout::Mesh &mesh) {
  mlir::Type wanted = globalType ? globalType.getValue() : type;
  auto tensorType = llvm::dyn_cast<mlir::RankedTensorType>(wanted);
  if (!tensorType || !tensorType.hasStaticShape()) {
    std::string text;
    llvm::raw_string_ostream(text) << wanted;
    return makeError("{0} is '{1}'; a run takes and gives tensors with known "
                     "sizes",
                     what, text);
  }
  std::optional<tensor::ElementKind> kind =
      getElementKind(tensorType.getElementType());
  if (!kind) {
    std::string text;
    llvm::raw_string_ostream(text) << tensorType.getElementType();
    return makeError("{0} has elements of type '{1}'; a run takes i1, i8, i16, "
                     "i32, i64, index, f16, bf16, f32, f64",
                     what, text);
  }

  Port port{*kind, llvm::SmallVector<int64_t>(tensorType.getShape()),
            layout::Layout::replicated(tensorType.getRank())};
  if (!layout)
    return port;
  LayoutAttr attr = resolveLayout(layout, entry);
  if (!attr)
    return makeError("{0} has a layout that names nothing", what);
  mlir::FailureOr<layout::Layout> known =
      toLayout(attr, mesh, [&] { return entry.emitError(); });
  if (mlir::failed(known))
    return makeError("{0} has no valid layout", what);
  if (known->isPartial())
    return makeError("{0} is partial; a run takes and gives whole values",
                     what);
  port.layout = *known;
  return port;
}

llvm::Expected<Signature> run::readSignature(mlir::func::FuncOp entry,
                                             const layout::Mesh &mesh) {
  Signature signature{mesh, {}, {}};
  auto readAll = [&](const char *word, mlir::TypeRange types, auto getAttr,
                     std::vector<Port> &ports) -> llvm::Error {
    for (auto [number, type] : llvm::enumerate(types)) {
      std::string what =
          llvm::formatv("{0} {1} of '{2}'", word, number, entry.getName());
      llvm::Expected<Port> port =
          readPort(what, type,
                   llvm::dyn_cast_or_null<mlir::TypeAttr>(
                       getAttr(number, kGlobalTypeAttrName)),
                   getAttr(number, kLayoutAttrName), entry, mesh);
      if (!port)
        return port.takeError();
      ports.push_back(std::move(*port));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = readAll(
          "argument", entry.getArgumentTypes(),
          [&](unsigned i, llvm::StringRef name) {
            return entry.getArgAttr(i, name);
          },
          signature.arguments))
    return error;
  if (llvm::Error error = readAll(
          "result", entry.getResultTypes(),
          [&](unsigned i, llvm::StringRef name) {
            return entry.getResultAttr(i, name);
          },
          signature.results))
    return error;
  return signature;
}

namespace {

/// Follows values forward through functions, ops in the order of the text.
class SumLength {
public:
  /// Returns the length behind any result of \p function whose arguments have
  /// \p before behind them.
  int64_t ofFunction(mlir::func::FuncOp function, int64_t before) {
    llvm::DenseMap<mlir::Value, int64_t> lengths;
    int64_t longest = before;
    for (mlir::Block &block : function.getBody())
      for (mlir::Operation &op : block) {
        int64_t length = before;
        for (mlir::Value operand : op.getOperands())
          length = std::max(length, lengths.lookup(operand));
        length = length + ofOp(op);
        longest = std::max(longest, length);
        for (mlir::Value result : op.getResults())
          lengths[result] = length;
      }
    return longest;
  }

private:
  int64_t ofOp(mlir::Operation &op) {
    if (auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
      return 1 + getReductionExtent(linalgOp);
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
      return ofCall(call);
    // They move values and compute none.
    if (llvm::isa<ShardOp, RedistributeOp>(op))
      return 0;
    // What other regions hold runs some number of times that nobody knows here;
    // each of their ops counts once.
    int64_t length = 1 + getRuleExtent(op);
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &block : region)
        for (mlir::Operation &inner : block)
          length += ofOp(inner);
    return length;
  }

  static int64_t getReductionExtent(mlir::linalg::LinalgOp op) {
    int64_t extent = 0;
    llvm::SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    for (auto [iterator, range] :
         llvm::zip_equal(op.getIteratorTypesArray(), ranges)) {
      if (iterator != mlir::utils::IteratorType::reduction ||
          mlir::ShapedType::isDynamic(range))
        continue;
      extent = std::max<int64_t>(extent, 1) * range;
    }
    return extent;
  }

  /// What \p op reduces over by its rule, which is all that may be cut of it.
  static int64_t getRuleExtent(mlir::Operation &op) {
    // A rule that does not fit is reported by who cuts the op.
    mlir::ScopedDiagnosticHandler silent(op.getContext(),
                                         [](mlir::Diagnostic &) {});
    mlir::FailureOr<propagation::Rule> rule = getRule(&op);
    if (mlir::failed(rule))
      return 0;
    using Use = propagation::Factor::Use;
    int64_t extent = 0;
    for (const propagation::Factor &factor : rule->factors)
      if ((factor.use == Use::Reduction || factor.use == Use::Combined) &&
          factor.size != layout::kDynamic)
        extent = std::max<int64_t>(extent, 1) * factor.size;
    return extent;
  }

  int64_t ofCall(mlir::func::CallOp call) {
    auto callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
            call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return 1;
    auto [known, inserted] = lengthsOfFunctions.try_emplace(callee, 1);
    if (inserted) {
      int64_t length = ofFunction(callee, 0);
      lengthsOfFunctions[callee] = length;
      return length;
    }
    return known->second;
  }

  llvm::DenseMap<mlir::Operation *, int64_t> lengthsOfFunctions;
};

} // namespace

int64_t run::getSumLength(mlir::func::FuncOp entry) {
  return SumLength().ofFunction(entry, 0);
}
