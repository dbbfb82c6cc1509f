// RUN: not pctl-opt %s --pctl-to-llvm-pipeline="target=cuda" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not pctl-opt %s --pctl-to-llvm-pipeline="chip=sm_90" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not pctl-opt %s --pctl-to-llvm-pipeline 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pctl-opt %s --pctl-to-buffers-pipeline 2>&1 | FileCheck %s --check-prefix=FORM

// TARGET: error: target 'cuda' is not one of [host]
// OPTION: no such option chip

pctl.mesh @m <["x"=2]>

// FORM: error: 'pctl.shard' op breaks C1 of the planned form: it belongs to the global view
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pctl.shard %x to <@m, [{"x"}]> : tensor<4xf32>
  return %r : tensor<4xf32>
}
