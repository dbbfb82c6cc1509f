// RUN: pctl-opt --allow-unregistered-dialect %s | pctl-opt --allow-unregistered-dialect | FileCheck %s
// RUN: pctl-opt --allow-unregistered-dialect %s --emit-bytecode | pctl-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: func.func private @rules
// CHECK-SAME: broadcast = #pctl.rule<([(), j]) -> ([i, j])>
// CHECK-SAME: matmul = #pctl.rule<([i, k], [k, j]) -> ([i, j]), reduce = [k: sum]>
// CHECK-SAME: merge = #pctl.rule<([i, j, k]) -> ([(i j), k]), sizes = [i: 4, j: 8]>
// CHECK-SAME: nothing = #pctl.rule<() -> ()>
// CHECK-SAME: scalars = #pctl.rule<([], [i]) -> ([i], [])>
// CHECK-SAME: softmax = #pctl.rule<([b, h]) -> ([b, h]), replicate = [h]>
// CHECK-SAME: two_results = #pctl.rule<([i, k, l]) -> ([i], [i]), reduce = [k: maxsi, l: sum], sizes = [l: 2], replicate = [i]>
func.func private @rules() attributes {
  broadcast = #pctl.rule<([(), j]) -> ([i, j])>,
  matmul = #pctl.rule<([i, k], [k, j]) -> ([i, j]), reduce = [k: sum]>,
  merge = #pctl.rule<([i, j, k]) -> ([(i j), k]), sizes = [i: 4, j: 8]>,
  nothing = #pctl.rule<() -> ()>,
  scalars = #pctl.rule<([], [i]) -> ([i], [])>,
  softmax = #pctl.rule<([b, h]) -> ([b, h]), replicate = [h]>,
  two_results = #pctl.rule<([i, k, l]) -> ([i], [i]), replicate = [i], sizes = [l: 2], reduce = [k: maxsi, l: sum]>
}

// CHECK-LABEL: @on_an_unregistered_op
func.func @on_an_unregistered_op(%a: tensor<32x6xf32>, %s: f32) {
  // CHECK: pctl.rule = #pctl.rule<([(i j), k], []) -> ([i, j, k]), sizes = [i: 4, j: 8]>
  %0 = "test.split"(%a, %s) {pctl.rule = #pctl.rule<([(i j), k], []) -> ([i, j, k]), sizes = [i: 4, j: 8]>} : (tensor<32x6xf32>, f32) -> tensor<4x8x6xf32>
  return
}

// CHECK-LABEL: @of_dynamic_dims
func.func @of_dynamic_dims(%a: tensor<?x6xf32>) {
  // CHECK: pctl.rule = #pctl.rule<([i, j]) -> ([j, i])>
  %0 = "test.transpose"(%a) {pctl.rule = #pctl.rule<([i, j]) -> ([j, i])>} : (tensor<?x6xf32>) -> tensor<6x8xf32>
  return
}
