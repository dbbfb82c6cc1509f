// RUN: pctl-opt %s --pctl-partition --allow-unregistered-dialect | FileCheck %s

pctl.mesh @m <["x"=2]>

#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>
#whole = #pctl.layout<@m, [{}, {}]>

// CHECK-LABEL: func.func @redistribute_in_local_spelling(
// CHECK-SAME: %[[A:arg0]]: tensor<?x4xf32>
// CHECK: pctl.redistribute %[[A]] from <@m, {{\[}}{"x"}, {}]> to <@m, {{\[}}{}, {"x"}]> of tensor<5x4xf32> : tensor<?x4xf32> -> tensor<5x2xf32>
func.func @redistribute_in_local_spelling(%a: tensor<5x4xf32> {pctl.layout = #row}) -> (tensor<5x4xf32> {pctl.layout = #col}) {
  %0 = pctl.redistribute %a from #row to #col : tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @manual_body_takes_its_place(
// CHECK-SAME: %[[A:arg0]]: tensor<2x4xf32>
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]] : tensor<2x4xf32>
// CHECK-NEXT: return %[[E]] : tensor<2x4xf32>
func.func @manual_body_takes_its_place(%a: tensor<4x4xf32> {pctl.layout = #row}) -> (tensor<4x4xf32> {pctl.layout = #row}) {
  %0 = pctl.manual (%a) in [#row] out [#row] {
  ^bb0(%local: tensor<2x4xf32>):
    %1 = math.exp %local : tensor<2x4xf32>
    pctl.return %1 : tensor<2x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @rule_promises(
// CHECK: "other.rows"(%{{.*}}) {keep = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x7xf32>
func.func @rule_promises(%a: tensor<4x4xf32> {pctl.layout = #row}) -> (tensor<4x7xf32> {pctl.layout = #row}) {
  %0 = "other.rows"(%a) {keep = 1 : i32, pctl.layouts = [#row], pctl.rule = #pctl.rule<([i, j]) -> ([i, k]), replicate = [j, k]>}
      : (tensor<4x4xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @unknown_ops_on_whole_tensors(
// CHECK: "other.op"(%{{.*}}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @unknown_ops_on_whole_tensors(%a: tensor<4x4xf32> {pctl.layout = #whole}) -> (tensor<4x4xf32> {pctl.layout = #whole}) {
  %0 = "other.op"(%a) {pctl.layouts = [#whole]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @scalars_stay(
// CHECK: "other.effect"(%{{.*}}) : (index) -> ()
func.func @scalars_stay(%i: index) {
  %0 = arith.addi %i, %i : index
  "other.effect"(%0) : (index) -> ()
  return
}
