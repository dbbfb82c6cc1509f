// A public function may take and give sums that are still to be made. What it
// takes is reduced where it is used, unless it is passed on as it is; what it
// gives is left to the caller. Nobody but pctl-run, which has no caller to leave
// it to, refuses.

// RUN: pctl-opt %s --pctl-spmd-pipeline | FileCheck %s
// RUN: not pctl-run %s --entry takes 2>&1 | FileCheck %s --check-prefix=TAKES
// RUN: not pctl-run %s --entry gives --verify 2>&1 | FileCheck %s --check-prefix=GIVES

// TAKES: {{^}}pctl-run: error: argument 0 of 'takes' is partial; a run takes and gives whole values{{$}}
// GIVES: {{^}}pctl-run: error: result 0 of 'gives' is partial; a run takes and gives whole values{{$}}

pctl.mesh @m <["x"=2]>

#part = #pctl.layout<@m, [{}], partial = [sum("x")]>

// CHECK-LABEL: func.func @takes(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32> {{{.*}}partial = [sum("x")]>})
// CHECK: %[[SUM:.*]] = pctl.all_reduce ins(%[[A]] : {{.*}} kind = sum axes = ["x"]
// CHECK: math.exp %[[SUM]]
func.func @takes(%a: tensor<4xf32> {pctl.layout = #part}) -> tensor<4xf32> {
  %0 = math.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gives(
// CHECK-NOT: pctl.all_reduce
// CHECK: %[[R:.*]] = linalg.matvec
// CHECK-NEXT: return %[[R]]
func.func @gives(%a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<6xf32>)
    -> (tensor<4xf32> {pctl.layout = #part}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.matvec ins(%a, %b : tensor<4x6xf32>, tensor<6xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @passes_on(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[A]]
func.func @passes_on(%a: tensor<4xf32> {pctl.layout = #part}) -> (tensor<4xf32> {pctl.layout = #part}) {
  return %a : tensor<4xf32>
}

// The caller's part of a sum goes to a callee that takes it so.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>
// CHECK: call @takes(%[[A]])
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @calls(%a: tensor<4xf32> {pctl.layout = #part}) -> tensor<4xf32> {
  %0 = func.call @takes(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
