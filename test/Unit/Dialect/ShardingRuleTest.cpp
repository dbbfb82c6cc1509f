// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A rule attached to an op from outside, as docs/propagation.md shows it.

#include "pctl/Dialect/Pctl/IR/Pctl.h"
#include "pctl/Dialect/Pctl/Interfaces/ShardingRuleInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

namespace {

// [snippet
struct ReverseRule
    : pctl::ShardingRuleOpInterface::ExternalModel<ReverseRule,
                                                   mlir::tosa::ReverseOp> {
  llvm::FailureOr<pctl::propagation::Rule>
  getShardingRule(mlir::Operation *op) const {
    auto reverse = mlir::cast<mlir::tosa::ReverseOp>(op);
    auto type = mlir::cast<mlir::RankedTensorType>(reverse.getType());
    pctl::propagation::Rule rule = pctl::propagation::getElementwiseRule(
        type.getShape(), /*numOperands=*/1, /*numResults=*/1);
    rule.factors[reverse.getAxis()].use =
        pctl::propagation::Factor::Use::Replicate;
    return rule;
  }
};

void registerReverseRule(mlir::DialectRegistry &registry) {
  registry.addExtension(
      +[](mlir::MLIRContext *context, mlir::tosa::TosaDialect *) {
        mlir::tosa::ReverseOp::attachInterface<ReverseRule>(*context);
      });
}
// snippet]

/// Returns the rule of the first reverse of a program, as text.
std::string getReverseRule(const mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
    func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
      %0 = tosa.reverse %x {axis = 1 : i32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
      return %0 : tensor<4x6xf32>
    })mlir",
                                                        &context);
  std::string text;
  if (module)
    module->walk([&](mlir::tosa::ReverseOp op) {
      llvm::FailureOr<pctl::propagation::Rule> rule = pctl::getRule(op);
      if (llvm::succeeded(rule))
        text = toString(*rule);
    });
  return text;
}

TEST(ShardingRule, is_attached_from_outside) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::tosa::TosaDialect,
                  pctl::PctlDialect>();
  EXPECT_EQ(getReverseRule(registry),
            "([f0, f1]) -> ([f2, f3]), f0=4 whole, f1=6 whole, f2=4 whole, "
            "f3=6 whole");
  registerReverseRule(registry);
  EXPECT_EQ(getReverseRule(registry),
            "([f0, f1]) -> ([f0, f1]), f0=4, f1=6 whole");
}

TEST(ShardingRule, documentation_shows_this_code) {
  auto document =
      llvm::MemoryBuffer::getFile(PCTL_SOURCE_DIR "/docs/propagation.md");
  auto source = llvm::MemoryBuffer::getFile(
      PCTL_SOURCE_DIR "/test/Unit/Dialect/ShardingRuleTest.cpp");
  ASSERT_TRUE(document && source);
  llvm::StringRef snippet = (*source)
                                ->getBuffer()
                                .split("// [snippet\n")
                                .second.split("// snippet]")
                                .first;
  EXPECT_FALSE(snippet.empty());
  EXPECT_TRUE((*document)->getBuffer().contains(snippet));
}

} // namespace
