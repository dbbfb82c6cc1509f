// RUN: pctl-opt %s --pctl-partition | FileCheck %s

pctl.mesh @m <["x"=2]>

#v = #pctl.layout<@m, [{"x"}]>
#row = #pctl.layout<@m, [{"x"}, {}]>
#whole = #pctl.layout<@m, [{}, {}]>

// CHECK-LABEL: func.func @splat_constants_are_resized(
// CHECK: %[[OFFSET:.*]], %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK: %[[EVEN:.*]] = arith.constant dense<3> : tensor<2xi32>
// CHECK: %[[S:.*]] = arith.constant 7 : i32
// CHECK: %[[UNEVEN:.*]] = tensor.splat %[[S]][%[[SIZE]]] : tensor<?xi32>
// CHECK: return %[[EVEN]], %[[UNEVEN]]
func.func @splat_constants_are_resized() -> (tensor<4xi32> {pctl.layout = #v}, tensor<5xi32> {pctl.layout = #v}) {
  %0 = arith.constant {pctl.layouts = [#v]} dense<3> : tensor<4xi32>
  %1 = arith.constant {pctl.layouts = [#v]} dense<7> : tensor<5xi32>
  return %0, %1 : tensor<4xi32>, tensor<5xi32>
}

// CHECK-LABEL: func.func @dense_constants_are_sliced(
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 4 by ["x"] on @m
// CHECK: %[[WHOLE:.*]] = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
// CHECK: tensor.extract_slice %[[WHOLE]][%[[OFFSET]]] [2] [1] : tensor<4xi32> to tensor<2xi32>
func.func @dense_constants_are_sliced() -> (tensor<4xi32> {pctl.layout = #v}) {
  %0 = arith.constant {pctl.layouts = [#v]} dense<[0, 1, 2, 3]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @constants_without_elements_are_not_sliced(
// CHECK: %[[SIZE:.*]] = {{.*}}pctl.block_range 3 by ["x"] on @m
// CHECK: %[[LOCAL:.*]] = tensor.empty({{.*}}) : tensor<?x0xi32>
// CHECK: return %[[LOCAL]]
func.func @constants_without_elements_are_not_sliced() -> (tensor<3x0xi32> {pctl.layout = #row}) {
  %0 = arith.constant {pctl.layouts = [#row]} dense<> : tensor<3x0xi32>
  return %0 : tensor<3x0xi32>
}

// CHECK-LABEL: func.func @sizes_are_local(
// CHECK-SAME: %[[N:arg0]]: index
// CHECK: %{{.*}}, %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK: tensor.empty(%[[SIZE]], %[[N]]) : tensor<?x?xf32>
// CHECK: tensor.splat %{{.*}}[%[[SIZE]], %[[N]]] : tensor<?x?xf32>
func.func @sizes_are_local(%n: index, %s: f32) -> (tensor<5x?xf32> {pctl.layout = #row}, tensor<5x?xf32> {pctl.layout = #row}) {
  %0 = tensor.empty(%n) {pctl.layouts = [#row]} : tensor<5x?xf32>
  %1 = tensor.splat %s[%n] {pctl.layouts = [#row]} : tensor<5x?xf32>
  return %0, %1 : tensor<5x?xf32>, tensor<5x?xf32>
}

// CHECK-LABEL: func.func @generate_sees_global_indices(
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 8 by ["x"] on @m
// CHECK: tensor.generate
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addi %[[I]], %[[OFFSET]] : index
// CHECK-NEXT: tensor.yield %[[SHIFTED]] : index
// CHECK-NEXT: } : tensor<4xindex>
func.func @generate_sees_global_indices() -> (tensor<8xindex> {pctl.layout = #v}) {
  %0 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } {pctl.layouts = [#v]} : tensor<8xindex>
  return %0 : tensor<8xindex>
}

// CHECK-LABEL: func.func @dim_is_global(
// CHECK-SAME: %[[A:arg0]]: tensor<?x?xf32>
// CHECK: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK: %[[OTHER:.*]] = tensor.dim %[[A]], %{{.*}} : tensor<?x?xf32>
// CHECK: return %[[FIVE]], %[[OTHER]]
func.func @dim_is_global(%a: tensor<5x?xf32> {pctl.layout = #row}) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %a, %c0 : tensor<5x?xf32>
  %1 = tensor.dim %a, %c1 : tensor<5x?xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: func.func @cast_keeps_the_cut(
// CHECK: tensor.cast %{{.*}} : tensor<?x4xf32> to tensor<?x?xf32>
func.func @cast_keeps_the_cut(%a: tensor<5x4xf32> {pctl.layout = #row}) -> (tensor<5x?xf32> {pctl.layout = #row}) {
  %0 = tensor.cast %a {pctl.layouts = [#row]} : tensor<5x4xf32> to tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

// CHECK-LABEL: func.func @bitcast_keeps_the_cut(
// CHECK: tensor.bitcast %{{.*}} : tensor<?x4xf32> to tensor<?x4xi32>
func.func @bitcast_keeps_the_cut(%a: tensor<5x4xf32> {pctl.layout = #row}) -> (tensor<5x4xi32> {pctl.layout = #row}) {
  %0 = tensor.bitcast %a {pctl.layouts = [#row]} : tensor<5x4xf32> to tensor<5x4xi32>
  return %0 : tensor<5x4xi32>
}

// CHECK-LABEL: func.func @elementwise_ops_take_slices(
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: math.exp %{{.*}} : tensor<?x4xf32>
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : tensor<?x4xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xi1>, tensor<?x4xf32>
func.func @elementwise_ops_take_slices(%a: tensor<5x4xf32> {pctl.layout = #row}) -> (tensor<5x4xf32> {pctl.layout = #row}) {
  %0 = arith.addf %a, %a {pctl.layouts = [#row]} : tensor<5x4xf32>
  %1 = math.exp %0 {pctl.layouts = [#row]} : tensor<5x4xf32>
  %2 = arith.cmpf olt, %0, %1 {pctl.layouts = [#row]} : tensor<5x4xf32>
  %3 = arith.select %2, %0, %1 {pctl.layouts = [#row]} : tensor<5x4xi1>, tensor<5x4xf32>
  return %3 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @whole_ops_stay(
// CHECK: tensor.gather %{{.*}}[%{{.*}}] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<3x1x4xf32>
func.func @whole_ops_stay(%a: tensor<8x4xf32> {pctl.layout = #whole}, %i: tensor<3x1xindex> {pctl.layout = #whole})
    -> (tensor<3x1x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}]>}) {
  %0 = tensor.gather %a[%i] gather_dims([0]) {pctl.layouts = [#pctl.layout<@m, [{}, {}, {}]>]}
      : (tensor<8x4xf32>, tensor<3x1xindex>) -> tensor<3x1x4xf32>
  return %0 : tensor<3x1x4xf32>
}
