// Every model becomes code.

// RUN: pctl-opt %models/mlp.mlir --pctl-to-llvm-pipeline | FileCheck %s
// RUN: pctl-opt %models/gpt-block.mlir --pctl-to-llvm-pipeline | FileCheck %s
// RUN: pctl-opt %models/llama-block.mlir --pctl-to-llvm-pipeline | FileCheck %s

// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.func @_mlir_ciface_
