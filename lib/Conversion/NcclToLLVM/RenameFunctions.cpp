// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/EntryPoint.h"
#include "pctl/Conversion/Passes.h"
#include "pctl/Conversion/RuntimeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pctl;

namespace pctl {
#define GEN_PASS_DEF_RENAMEFUNCTIONSPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// No symbol of C has a dot.
static constexpr char kPrefix[] = "program.";

/// Returns whether \p symbol, which has a definition, needs another name.
static bool needsOtherName(SymbolOpInterface symbol) {
  bool isRuntime = isRuntimeName(symbol.getName());
  if (!isa<FunctionOpInterface>(symbol.getOperation()))
    return isRuntime;
  if (symbol.isPrivate())
    return true;
  // Callers find the makers of communicators by the names of their entries.
  bool isMaker = isa<func::FuncOp>(symbol.getOperation()) &&
                 !symbol->hasAttr(kSignatureAttrName);
  return isRuntime && !isMaker;
}

namespace {
struct RenameFunctions : pctl::impl::RenameFunctionsPassBase<RenameFunctions> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    SmallVector<SymbolOpInterface> symbols(
        getOperation().getOps<SymbolOpInterface>());
    for (SymbolOpInterface symbol : symbols)
      taken.insert(symbol.getName());
    for (SymbolOpInterface symbol : symbols) {
      if (symbol.isDeclaration()) {
        if (failed(checkDeclaration(symbol, users)))
          return signalPassFailure();
      } else if (needsOtherName(symbol)) {
        rename(symbol, users);
      }
    }
  }

private:
  /// Fails where \p symbol, of which only the name is known, would be the
  /// runtime's; erases it where nobody asks for it.
  LogicalResult checkDeclaration(SymbolOpInterface symbol,
                                 SymbolUserMap &users) {
    if (users.useEmpty(symbol)) {
      symbol.erase();
      return success();
    }
    if (!isRuntimeName(symbol.getName()))
      return success();
    return symbol.emitError("function '")
           << symbol.getName()
           << "' is declared without a body, and its name is one of the "
              "runtime or of the C library, which a program cannot call";
  }

  void rename(SymbolOpInterface symbol, SymbolUserMap &users) {
    std::string name = (kPrefix + symbol.getName()).str();
    for (unsigned i = 0; !taken.insert(name).second; ++i)
      name = (kPrefix + symbol.getName() + "." + Twine(i)).str();
    if (symbol->hasAttr(kSignatureAttrName))
      symbol->setAttr(kEntryAttrName, symbol.getNameAttr());
    auto attr = StringAttr::get(&getContext(), name);
    users.replaceAllUsesWith(symbol, attr);
    symbol.setName(attr);
  }

  llvm::StringSet<> taken;
};
} // namespace
