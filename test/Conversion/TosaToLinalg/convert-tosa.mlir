// RUN: pctl-opt %s --pass-pipeline='builtin.module(func.func(pctl-convert-tosa))' | FileCheck %s

pctl.mesh @m <["x"=2]>

// What the user said stays.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: tensor<2x4x8xf32>, %{{.*}}: tensor<2x8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}]>})
// CHECK-SAME: -> (tensor<2x4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}]>})
func.func @product(%a: tensor<2x4x8xf32>, %b: tensor<2x8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}]>})
    -> (tensor<2x4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}]>}) {
  // CHECK-NOT: tosa.
  // CHECK: %[[PRODUCT:.*]] = linalg.batch_matmul
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x4x8xf32>, tensor<2x8x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x6xf32>
  // CHECK: pctl.shard %[[PRODUCT]] to <@m, [{}, {"x"}, {}]>
  %1 = pctl.shard %0 to <@m, [{}, {"x"}, {}]> : tensor<2x4x6xf32>
  // CHECK: linalg.generic
  // CHECK: math.tanh
  %2 = tosa.tanh %1 : (tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  return %2 : tensor<2x4x6xf32>
}

// An op that says how it is cut is not taken away.
// CHECK-LABEL: func.func @says_how(
func.func @says_how(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK: tosa.reverse {{.*}}pctl.rule
  %0 = tosa.reverse %x {axis = 0 : i32, pctl.rule = #pctl.rule<([i, j]) -> ([i, j]), replicate = [i]>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: tosa.tanh
  %1 = tosa.tanh %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Nothing is done where there is no TOSA: the dead op would go.
// CHECK-LABEL: func.func @none(
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.addf
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
