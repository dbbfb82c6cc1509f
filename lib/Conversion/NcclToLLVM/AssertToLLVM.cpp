// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

#include "pctl/Conversion/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pctl;

namespace pctl {
#define GEN_PASS_DEF_ASSERTTOLLVMPASS
#include "pctl/Conversion/Passes.h.inc"
} // namespace pctl

/// The runtime's function that ends a rank.
static constexpr char kFailName[] = "pctlFail";

namespace {
struct AssertToLLVM : pctl::impl::AssertToLLVMPassBase<AssertToLLVM> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) {
      // Elsewhere blocks cannot be split.
      if (isa<FunctionOpInterface>(op->getParentOp()))
        asserts.push_back(op);
    });
    if (asserts.empty())
      return;
    SymbolTable symbols(getOperation());
    if (!symbols.lookup(kFailName))
      declareFail(symbols);
    for (cf::AssertOp op : asserts)
      lower(op, symbols);
  }

private:
  void declareFail(SymbolTable &symbols) {
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    LLVM::LLVMPointerType::get(&getContext()));
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    symbols.insert(LLVM::LLVMFuncOp::create(builder, getOperation().getLoc(),
                                            kFailName, type));
  }

  /// Returns text of C that holds \p message.
  LLVM::GlobalOp makeText(StringRef message, SymbolTable &symbols) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type =
        LLVM::LLVMArrayType::get(builder.getI8Type(), message.size() + 1);
    auto global = LLVM::GlobalOp::create(
        builder, getOperation().getLoc(), type, /*isConstant=*/true,
        LLVM::Linkage::Internal, "pctl_assert",
        builder.getStringAttr(message + Twine('\0')));
    // Gives it a name of its own.
    symbols.insert(global);
    return global;
  }

  void lower(cf::AssertOp op, SymbolTable &symbols) {
    LLVM::GlobalOp text = makeText(op.getMsg(), symbols);
    Location loc = op.getLoc();
    Block *block = op->getBlock();
    Block *rest = block->splitBlock(op->getNextNode());
    OpBuilder builder(&getContext());
    Block *failed = builder.createBlock(rest);
    Value address = LLVM::AddressOfOp::create(
        builder, loc, LLVM::LLVMPointerType::get(&getContext()),
        text.getSymName());
    LLVM::CallOp::create(builder, loc, TypeRange(),
                         FlatSymbolRefAttr::get(&getContext(), kFailName),
                         address);
    LLVM::UnreachableOp::create(builder, loc);
    builder.setInsertionPoint(op);
    cf::CondBranchOp::create(builder, loc, op.getArg(), rest, ValueRange(),
                             failed, ValueRange());
    op.erase();
  }
};
} // namespace
