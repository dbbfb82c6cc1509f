// Each pass that starts from the annotated form refuses a later one, whether the
// module names it or only its ops show it.

// RUN: split-file %s %t
// DEFINE: %{pass} =
// DEFINE: %{pass-name} = %{pass}
// DEFINE: %{named} = not pctl-opt %t/named.mlir --%{pass} 2>&1 | FileCheck %s --check-prefix=NAMED -DPASS=%{pass-name}
// DEFINE: %{unnamed} = pctl-opt %t/unnamed.mlir --%{pass} --verify-diagnostics

// REDEFINE: %{pass} = pctl-apply-strategy
// RUN: %{named}
// RUN: %{unnamed}
// REDEFINE: %{pass} = pctl-apply-dataset-strategy
// RUN: %{named}
// RUN: %{unnamed}
// REDEFINE: %{pass} = pctl-unfold-reshapes
// RUN: %{named}
// RUN: %{unnamed}
// REDEFINE: %{pass} = pctl-propagate-layouts
// RUN: %{named}
// RUN: %{unnamed}
// REDEFINE: %{pass} = pctl-insert-redistribution
// RUN: %{named}
// RUN: %{unnamed}
// The pipeline stops at its first pass.
// REDEFINE: %{pass} = pctl-spmd-pipeline
// REDEFINE: %{pass-name} = pctl-apply-dataset-strategy
// RUN: %{named}
// RUN: %{unnamed}

// NAMED: named.mlir:1:1: error: [[PASS]] needs the annotated form, but the module is in the planned form{{$}}

//--- named.mlir
module attributes {pctl.form = "planned"} {
  pctl.mesh @m <["x"=2]>
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = pctl.all_reduce ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

//--- unnamed.mlir
pctl.mesh @m <["x"=2]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'pctl.all_reduce' op breaks A1 of the annotated form: outside of 'pctl.manual' it belongs to a later form, which the module has to name in 'pctl.form'}}
  %0 = pctl.all_reduce ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
