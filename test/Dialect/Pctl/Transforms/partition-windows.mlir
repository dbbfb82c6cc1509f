// RUN: pctl-opt %s --pctl-partition | FileCheck %s

// Dims that windows slide over.

pctl.mesh @m <["x"=2, "y"=2]>

#rows = #pctl.layout<@m, [{"x", "y"}, {}]>
#both = #pctl.layout<@m, [{"x"}, {"y"}]>
#whole = #pctl.layout<@m, [{}, {}]>

// The first rank adds a row before, the last one behind; each then fetches what
// its three rows reach into.
// CHECK-LABEL: func.func @padded_rows(
// CHECK-SAME: %[[A:arg0]]: tensor<2x4xf32>
// CHECK-DAG: %[[POSITION:.*]] = pctl.axis_index ["x", "y"] on @m
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq
// CHECK-DAG: %[[LAST:.*]] = arith.cmpi eq
// CHECK: %[[LOW:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[HIGH:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[P:.*]] = tensor.pad %[[A]] low[%[[LOW]], 0] high[%[[HIGH]], 0]
// CHECK: : tensor<2x4xf32> to tensor<?x4xf32>
// CHECK: %[[H:.*]] = pctl.halo_exchange ins(%[[P]] : tensor<?x4xf32>) outs(%{{.*}} : tensor<?x4xf32>) dim = 0 before = 1 after = 1
// CHECK-SAME: axes = ["x", "y"] on @m
// CHECK: %[[S:.*]] = tensor.extract_slice %[[H]][%{{.*}}, 0] [4, 4] [1, 1] : tensor<?x4xf32> to tensor<4x4xf32>
// CHECK: linalg.conv_2d ins(%[[S]], %{{.*}} : tensor<4x4xf32>, tensor<3x1xf32>) outs(%{{.*}} : tensor<2x4xf32>)
func.func @padded_rows(%a: tensor<8x4xf32> {pctl.layout = #rows}, %w: tensor<3x1xf32> {pctl.layout = #whole},
    %c: tensor<8x4xf32> {pctl.layout = #rows}) -> (tensor<8x4xf32> {pctl.layout = #rows}) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } {pctl.layouts = [#pctl.layout<@m, [{"x", "y"}:[3, 2, 2, 3], {}]>]} : tensor<8x4xf32> to tensor<10x4xf32>
  %0 = linalg.conv_2d {pctl.layouts = [#rows]} ins(%p, %w : tensor<10x4xf32>, tensor<3x1xf32>)
      outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Rows, then columns of what that gave.
// CHECK-LABEL: func.func @corners(
// CHECK-SAME: %[[A:arg0]]: tensor<2x2xf32>
// CHECK: %[[H:.*]] = pctl.halo_exchange ins(%[[A]] : tensor<2x2xf32>) outs(%{{.*}} : tensor<4x2xf32>) dim = 0 before = 1 after = 1 axes = ["x"]
// CHECK: %[[R:.*]] = tensor.extract_slice %[[H]][%{{.*}}, 0] [3, 2] [1, 1]
// CHECK: %[[V:.*]] = pctl.halo_exchange ins(%[[R]] : tensor<3x2xf32>) outs(%{{.*}} : tensor<3x4xf32>) dim = 1 before = 1 after = 1 axes = ["y"]
// CHECK: %[[S:.*]] = tensor.extract_slice %[[V]][0, %{{.*}}] [3, 3] [1, 1]
// CHECK: linalg.conv_2d ins(%[[S]], %{{.*}} : tensor<3x3xf32>, tensor<3x3xf32>) outs(%{{.*}} : tensor<1x1xf32>)
func.func @corners(%a: tensor<4x4xf32> {pctl.layout = #both}, %w: tensor<3x3xf32> {pctl.layout = #whole},
    %c: tensor<2x2xf32> {pctl.layout = #both}) -> (tensor<2x2xf32> {pctl.layout = #both}) {
  %0 = linalg.conv_2d {pctl.layouts = [#both]} ins(%a, %w : tensor<4x4xf32>, tensor<3x3xf32>)
      outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// Whole windows on each rank.
// CHECK-LABEL: func.func @windows_beside_each_other(
// CHECK-NOT: pctl.halo_exchange
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.pooling_nchw_sum {{.*}}ins(%{{.*}}, %{{.*}} : tensor<1x1x4x8xf32>, tensor<2x2xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<1x1x2x4xf32>)
func.func @windows_beside_each_other(%a: tensor<1x1x8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>},
    %k: tensor<2x2xf32> {pctl.layout = #whole}, %c: tensor<1x1x4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>})
    -> (tensor<1x1x4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>}) {
  %0 = linalg.pooling_nchw_sum {strides = dense<2> : tensor<2xi64>, pctl.layouts = [#pctl.layout<@m, [{}, {}, {"x"}, {}]>]}
      ins(%a, %k : tensor<1x1x8x8xf32>, tensor<2x2xf32>) outs(%c : tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
