// RUN: pctl-opt %s --pctl-propagate-layouts --pctl-insert-redistribution | FileCheck %s

// What is filled from nothing, though used several times in the branches, is one
// tensor there, whole, next to one that is cut.
// CHECK-LABEL: @captured_in_both_branches
// CHECK-DAG:     %[[CUT:.*]] = linalg.fill {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]}
// CHECK-DAG:     %[[WHOLE:.*]] = linalg.fill {pctl.layouts = [#pctl.layout<@m, [{}]>]}
// CHECK:         scf.if
// CHECK-NEXT:      arith.addf %[[WHOLE]], %[[WHOLE]]
// CHECK:           scf.yield %[[WHOLE]]
// CHECK:         arith.addf %{{.*}}, %[[CUT]]
pctl.mesh @m <["x"=2]>
func.func @captured_in_both_branches(%c: i1, %a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %three = arith.constant 3.0 : f32
  %k = linalg.fill ins(%three : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = scf.if %c -> (tensor<8xf32>) {
    %2 = arith.addf %k, %k : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %k : tensor<8xf32>
  }
  %1 = arith.addf %a, %k : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
