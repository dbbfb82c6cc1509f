// RUN: pctl-opt %s --split-input-file --pctl-propagate-layouts --pctl-insert-redistribution --pctl-verify-form | FileCheck %s
// RUN: pctl-opt %s --split-input-file --pctl-propagate-layouts --pctl-insert-redistribution --pctl-partition | FileCheck %s --check-prefix=LOCAL

// Two sums and a bias are one sum in the end; the bias is counted once.
// CHECK-LABEL: @two_sums_and_a_bias
// CHECK:         arith.addi %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("x")]>]}
// CHECK-NEXT:    %[[S:.*]] = arith.subi %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("x")]>]}
// CHECK-NEXT:    pctl.redistribute %[[S]] from <@m, [{}, {}], partial = [sum("x")]> to <@m, [{}, {}]>
// CHECK-NEXT:    return
// LOCAL-LABEL: @two_sums_and_a_bias
// LOCAL-SAME:    %[[BIAS:arg[0-9]+]]: tensor<4x8xi32> {pctl.global_type = tensor<4x8xi32>, pctl.layout = #pctl.layout<@m, [{}, {}]>}) ->
// LOCAL-DAG:     %[[FIRST:.*]] = arith.cmpi eq
// LOCAL-DAG:     %[[P:.*]] = linalg.matmul ins(%arg0, %arg2
// LOCAL-DAG:     %[[Q:.*]] = linalg.matmul ins(%arg1, %arg3
// LOCAL:         %[[ONCE:.*]] = arith.select %[[FIRST]], %[[BIAS]], %{{.*}} : tensor<4x8xi32>
// LOCAL-NEXT:    %[[A:.*]] = arith.addi %[[P]], %[[ONCE]]
// LOCAL-NEXT:    %[[S:.*]] = arith.subi %[[A]], %[[Q]]
// LOCAL-NEXT:    pctl.redistribute %[[S]]
pctl.mesh @m <["x"=2]>
func.func @two_sums_and_a_bias(
    %a: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %v: tensor<6x8xi32>, %w: tensor<6x8xi32>, %bias: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %zero = arith.constant dense<0> : tensor<4x8xi32>
  %p = linalg.matmul ins(%a, %v : tensor<4x6xi32>, tensor<6x8xi32>) outs(%zero : tensor<4x8xi32>) -> tensor<4x8xi32>
  %q = linalg.matmul ins(%b, %w : tensor<4x6xi32>, tensor<6x8xi32>) outs(%zero : tensor<4x8xi32>) -> tensor<4x8xi32>
  %0 = arith.addi %p, %bias : tensor<4x8xi32>
  %1 = arith.subi %0, %q : tensor<4x8xi32>
  return %1 : tensor<4x8xi32>
}

// -----

// A bias alone gains nothing: the sum is done where it is made.
// CHECK-LABEL: @one_sum_and_a_bias
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    %[[S:.*]] = pctl.redistribute %[[P]]
// CHECK-NEXT:    arith.addi %[[S]], %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{}, {}]>]}
pctl.mesh @m <["x"=2]>
func.func @one_sum_and_a_bias(
    %a: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %v: tensor<6x8xi32>, %bias: tensor<4x8xi32>,
    %c: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %p = linalg.matmul ins(%a, %v : tensor<4x6xi32>, tensor<6x8xi32>) outs(%c : tensor<4x8xi32>) -> tensor<4x8xi32>
  %0 = arith.addi %p, %bias : tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// What shrinks is summed after it; what rounds, and what is a product of two
// sums, before.
// CHECK-LABEL: @before_and_after
// CHECK-DAG:     %[[W:.*]] = pctl.redistribute %arg1 {{.*}} : tensor<1x8xf32>
// CHECK-DAG:     %[[V:.*]] = pctl.redistribute %arg2 {{.*}} : tensor<1x8xf32>
// CHECK:         tensor.extract_slice %arg0[0, 0] [1, 8] [1, 1] {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("x")]>]}
// CHECK-NEXT:    pctl.redistribute %{{.*}} : tensor<1x8xf32>
// CHECK:         arith.truncf %[[W]]
// CHECK:         arith.mulf %[[V]], %[[V]]
pctl.mesh @m <["x"=2]>
func.func @before_and_after(
    %p: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}], partial = [sum("x")]>},
    %q: tensor<1x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}], partial = [sum("x")]>},
    %r: tensor<1x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}], partial = [sum("x")]>})
    -> (tensor<1x8xf32>, tensor<1x8xf16>, tensor<1x8xf32>) {
  %0 = tensor.extract_slice %p[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %1 = arith.truncf %q : tensor<1x8xf32> to tensor<1x8xf16>
  %2 = arith.mulf %r, %r : tensor<1x8xf32>
  return %0, %1, %2 : tensor<1x8xf32>, tensor<1x8xf16>, tensor<1x8xf32>
}
