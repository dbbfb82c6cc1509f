// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.

/// \file
/// A compiler that links pctl: it registers the dialects, reads a module from
/// memory, cuts it for two ranks along the rows of a weight, and prints the
/// program that each rank runs.

#include "pctl/InitAll.h"
#include "pctl/Pipelines/Spmd.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

static const char *const program = R"mlir(
  pctl.mesh @mesh <["model"=2]>

  func.func @main(%x: tensor<4x6xf32>,
                  %w: tensor<6x8xf32> {pctl.layout = #pctl.layout<@mesh, [{"model"}, {}]>})
      -> tensor<4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4x8xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = linalg.matmul ins(%x, %w : tensor<4x6xf32>, tensor<6x8xf32>)
                       outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
)mlir";

int main() {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  pctl::registerAllDialects(registry);
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module)
    return 1;

  mlir::PassManager passes(&context);
  pctl::buildSpmdPipeline(passes, pctl::SpmdPipelineOptions());
  if (mlir::failed(passes.run(*module)))
    return 1;

  module->print(llvm::outs());
  return 0;
}
