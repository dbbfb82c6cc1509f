// RUN: pctl-opt %s --pctl-partition | FileCheck %s

// Tensors that bodies read at computed places.

pctl.mesh @m <["x"=2, "y"=2]>

#one = affine_map<(d0, d1) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>

// The columns are cut with the loop that reads them: the index of the body is
// that of the whole loop, the place that of the slice.
// CHECK-LABEL: func.func @width_is_cut(
// CHECK-SAME: %[[T:.*]]: tensor<8x2xf32>
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 4 by ["x"] on @m
// CHECK: linalg.generic
// CHECK: ^bb0(%[[ID:.*]]: index, %{{.*}}: f32):
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[GLOBAL:.*]] = arith.addi %[[J]], %[[OFFSET]]
// CHECK: %[[LOCAL:.*]] = arith.subi %[[GLOBAL]], %[[OFFSET]]
// CHECK: tensor.extract %[[T]][%[[ID]], %[[LOCAL]]] : tensor<8x2xf32>
func.func @width_is_cut(%t: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %ids: tensor<3xindex> {pctl.layout = #pctl.layout<@m, [{}]>}, %e: tensor<3x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>})
    -> (tensor<3x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
  %0 = linalg.generic {indexing_maps = [#one, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<3xindex>) outs(%e : tensor<3x4xf32>) attrs = {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]} {
  ^bb0(%id: index, %out: f32):
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%id, %j] : tensor<8x4xf32>
    linalg.yield %x : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// The rows are cut: each rank looks up those that it has. What the body asks
// about the table is about the whole one.
// CHECK-LABEL: func.func @rows_are_cut(
// CHECK-SAME: %[[T:.*]]: tensor<8x4xf32>
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 16 by ["y"] on @m
// CHECK: %[[R:.*]] = linalg.generic
// CHECK: ^bb0(%[[ID:.*]]: index, %{{.*}}: f32):
// CHECK: %[[SIZE:.*]] = arith.constant 16 : index
// CHECK: %[[FITS:.*]] = arith.cmpi slt, %[[ID]], %[[SIZE]] : index
// CHECK: cf.assert %[[FITS]]
// CHECK: %[[LOCAL:.*]] = arith.subi %[[ID]], %[[OFFSET]]
// CHECK: %[[IS_HERE:.*]] = arith.cmpi ult, %[[LOCAL]], %{{.*}} : index
// CHECK: scf.if %[[IS_HERE]] -> (f32) {
// CHECK:   tensor.extract %[[T]][%[[LOCAL]], %{{.*}}] : tensor<8x4xf32>
// CHECK: } else {
// CHECK:   arith.constant -0.000000e+00 : f32
// CHECK: return %[[R]]
func.func @rows_are_cut(%t: tensor<16x4xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}]>},
    %ids: tensor<3xindex> {pctl.layout = #pctl.layout<@m, [{}]>}, %e: tensor<3x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>})
    -> (tensor<3x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}], partial = [sum("y")]>}) {
  %0 = linalg.generic {indexing_maps = [#one, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<3xindex>) outs(%e : tensor<3x4xf32>)
      attrs = {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("y")]>]} {
  ^bb0(%id: index, %out: f32):
    %c0 = arith.constant 0 : index
    %size = tensor.dim %t, %c0 : tensor<16x4xf32>
    %fits = arith.cmpi slt, %id, %size : index
    cf.assert %fits, "no such row"
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%id, %j] : tensor<16x4xf32>
    linalg.yield %x : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
