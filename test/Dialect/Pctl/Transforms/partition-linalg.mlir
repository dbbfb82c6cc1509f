// RUN: pctl-opt %s --pctl-partition | FileCheck %s

pctl.mesh @m <["x"=2, "y"=2]>

#whole = #pctl.layout<@m, [{}, {}]>
#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"y"}]>
#both = #pctl.layout<@m, [{"x"}, {"y"}]>

// CHECK: module attributes {pctl.form = "local"}

// CHECK-LABEL: func.func @cuts_parallel_loops(
// CHECK-SAME: %[[A:arg0]]: tensor<2x6xf32> {pctl.global_type = tensor<4x6xf32>, pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
// CHECK-SAME: %[[B:arg1]]: tensor<6x4xf32> {pctl.global_type = tensor<6x8xf32>, pctl.layout = #pctl.layout<@m, [{}, {"y"}]>},
// CHECK-SAME: %[[C:arg2]]: tensor<2x4xf32>
// CHECK-SAME: -> (tensor<2x4xf32> {pctl.global_type = tensor<4x8xf32>
// CHECK-NOT: pctl.layouts
// CHECK: %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<2x6xf32>, tensor<6x4xf32>) outs(%[[C]] : tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: return %[[R]] : tensor<2x4xf32>
func.func @cuts_parallel_loops(%a: tensor<4x6xf32> {pctl.layout = #row}, %b: tensor<6x8xf32> {pctl.layout = #col},
    %c: tensor<4x8xf32> {pctl.layout = #both}) -> (tensor<4x8xf32> {pctl.layout = #both}) {
  %0 = linalg.matmul {pctl.layouts = [#both]} ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>)
      outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Blocks of 3 and 2 elements: no static size.
// CHECK-LABEL: func.func @uneven_dims_are_dynamic(
// CHECK-SAME: %[[A:arg0]]: tensor<?x4xf32>
// CHECK-DAG: %[[OFFSET:.*]], %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK-DAG: %[[E:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x4xf32>
// CHECK: linalg.exp ins(%[[A]] : tensor<?x4xf32>) outs(%[[E]] : tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @uneven_dims_are_dynamic(%a: tensor<5x4xf32> {pctl.layout = #row}) -> (tensor<5x4xf32> {pctl.layout = #row}) {
  %e = tensor.empty() {pctl.layouts = [#row]} : tensor<5x4xf32>
  %0 = linalg.exp {pctl.layouts = [#row]} ins(%a : tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @index_is_global(
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 4 by ["x"] on @m
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0 : index
// CHECK: %[[SHIFTED:.*]] = arith.addi %[[I]], %[[OFFSET]] : index
// CHECK: %[[J:.*]] = linalg.index 1 : index
// CHECK: arith.addi %[[SHIFTED]], %[[J]] : index
func.func @index_is_global(%e: tensor<4x4xindex> {pctl.layout = #row}) -> (tensor<4x4xindex> {pctl.layout = #row}) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x4xindex>) attrs = {pctl.layouts = [#row]} {
  ^bb0(%out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    linalg.yield %s : index
  } -> tensor<4x4xindex>
  return %0 : tensor<4x4xindex>
}

// CHECK-LABEL: func.func @captured_tensor_is_whole(
// CHECK-SAME: %{{.*}}: tensor<2x4xf32>
// CHECK-SAME: %[[TABLE:arg1]]: tensor<8x8xf32>
// CHECK: tensor.extract %[[TABLE]]
func.func @captured_tensor_is_whole(%e: tensor<4x4xf32> {pctl.layout = #row}, %table: tensor<8x8xf32> {pctl.layout = #whole})
    -> (tensor<4x4xf32> {pctl.layout = #row}) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x4xf32>) attrs = {pctl.layouts = [#row]} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = tensor.extract %table[%i, %j] : tensor<8x8xf32>
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @transpose_and_broadcast(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<3x2xf32>) outs(%{{.*}} : tensor<3x2x2xf32>) dimensions = [1]
func.func @transpose_and_broadcast(%a: tensor<4x6xf32> {pctl.layout = #both})
    -> (tensor<6x2x4xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}, {"x"}]>}) {
  %e = tensor.empty() {pctl.layouts = [#pctl.layout<@m, [{"y"}, {"x"}]>]} : tensor<6x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
      {pctl.layouts = [#pctl.layout<@m, [{"y"}, {"x"}]>]}
  %f = tensor.empty() {pctl.layouts = [#pctl.layout<@m, [{"y"}, {}, {"x"}]>]} : tensor<6x2x4xf32>
  %b = linalg.broadcast ins(%t : tensor<6x4xf32>) outs(%f : tensor<6x2x4xf32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{"y"}, {}, {"x"}]>]}
  return %b : tensor<6x2x4xf32>
}

// CHECK-LABEL: func.func @convolution_cut_by_batch_and_channels(
// CHECK: linalg.conv_2d_nchw_fchw {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4x8x8xf32>, tensor<4x4x3x3xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<4x4x3x3xf32>)
func.func @convolution_cut_by_batch_and_channels(
    %a: tensor<8x4x8x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}, {}]>},
    %w: tensor<8x4x3x3xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}, {}, {}]>},
    %c: tensor<8x8x3x3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}, {}, {}]>})
    -> (tensor<8x8x3x3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}, {}, {}]>}) {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, pctl.layouts = [#pctl.layout<@m, [{"x"}, {"y"}, {}, {}]>]}
      ins(%a, %w : tensor<8x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%c : tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf32>
  return %0 : tensor<8x8x3x3xf32>
}

// CHECK-LABEL: func.func @softmax_along_a_whole_dim(
// CHECK: linalg.softmax dimension(1) ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @softmax_along_a_whole_dim(%a: tensor<4x4xf32> {pctl.layout = #row}, %e: tensor<4x4xf32> {pctl.layout = #row})
    -> (tensor<4x4xf32> {pctl.layout = #row}) {
  %0 = linalg.softmax {pctl.layouts = [#row]} dimension(1) ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
