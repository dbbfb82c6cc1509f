// RUN: pctl-opt %s --pctl-partition | FileCheck %s

pctl.mesh @m <["x"=2]>

#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>
#whole = #pctl.layout<@m, [{}, {}]>

// CHECK-LABEL: func.func private @declared(tensor<2x4xf32> {{{.*}}}) -> (tensor<4x2xf32> {{{.*}}})
func.func private @declared(tensor<4x4xf32> {pctl.layout = #row}) -> (tensor<4x4xf32> {pctl.layout = #col})

// CHECK-LABEL: func.func @calls(
// CHECK: call @declared(%{{.*}}) : (tensor<2x4xf32>) -> tensor<4x2xf32>
func.func @calls(%a: tensor<4x4xf32> {pctl.layout = #row}) -> (tensor<4x4xf32> {pctl.layout = #col}) {
  %0 = call @declared(%a) {pctl.layouts = [#col]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @no_tensors(
// CHECK-NEXT: return
func.func @no_tensors(%a: index) -> index {
  return %a : index
}

// CHECK-LABEL: func.func @loop_carries_slices(
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ARG:.*]] = %{{.*}}) -> (tensor<2x4xf32>) {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[ARG]] : tensor<2x4xf32>
// CHECK-NEXT: scf.yield %[[E]] : tensor<2x4xf32>
func.func @loop_carries_slices(%a: tensor<4x4xf32> {pctl.layout = #row}, %n: index) -> (tensor<4x4xf32> {pctl.layout = #row}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%arg = %a) -> tensor<4x4xf32> {
    %1 = math.exp %arg {pctl.layouts = [#row]} : tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  } {pctl.layouts = [#row]}
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @branches_yield_slices(
// CHECK: scf.if %{{.*}} -> (tensor<2x4xf32>) {
// CHECK: math.exp %{{.*}} : tensor<2x4xf32>
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : tensor<2x4xf32>
func.func @branches_yield_slices(%a: tensor<4x4xf32> {pctl.layout = #row}, %c: i1) -> (tensor<4x4xf32> {pctl.layout = #row}) {
  %0 = scf.if %c -> tensor<4x4xf32> {
    %1 = math.exp %a {pctl.layouts = [#row]} : tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  } else {
    scf.yield %a : tensor<4x4xf32>
  } {pctl.layouts = [#row]}
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @while_changes_layout(
// CHECK: scf.while (%[[ARG:.*]] = %{{.*}}) : (tensor<2x4xf32>) -> tensor<4x2xf32> {
// CHECK: pctl.redistribute %[[ARG]] from <{{.*}}> to <{{.*}}> of tensor<4x4xf32> : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK: scf.condition(%{{.*}}) %{{.*}} : tensor<4x2xf32>
// CHECK: ^bb0(%[[AFTER:.*]]: tensor<4x2xf32>):
// CHECK: scf.yield %{{.*}} : tensor<2x4xf32>
func.func @while_changes_layout(%a: tensor<4x4xf32> {pctl.layout = #row}, %c: i1) -> (tensor<4x4xf32> {pctl.layout = #col}) {
  %0 = scf.while (%arg = %a) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = pctl.redistribute %arg from #row to #col : tensor<4x4xf32>
    scf.condition(%c) %1 : tensor<4x4xf32>
  } do {
  ^bb0(%arg: tensor<4x4xf32>):
    %1 = pctl.redistribute %arg from #col to #row : tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  } attributes {pctl.layouts = [#col]}
  return %0 : tensor<4x4xf32>
}

// A loop of whole tensors is kept, without layouts inside.
// CHECK-LABEL: func.func @whole_loops_stay(
// CHECK-SAME: %[[A:arg0]]: tensor<4x4xf32>
// CHECK: scf.for
// CHECK-NEXT: arith.addf %{{.*}}, %[[A]] : tensor<4x4xf32>
func.func @whole_loops_stay(%a: tensor<4x4xf32> {pctl.layout = #whole}, %n: index) -> (tensor<4x4xf32> {pctl.layout = #whole}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%arg = %a) -> tensor<4x4xf32> {
    %1 = arith.addf %arg, %a : tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  } {pctl.layouts = [#whole]}
  return %0 : tensor<4x4xf32>
}
