// RUN: pctl-opt %s --pctl-partition | FileCheck %s

pctl.mesh @m <["x"=2]>

#row = #pctl.layout<@m, [{"x"}, {}]>
#whole = #pctl.layout<@m, [{}, {}]>

// CHECK-LABEL: func.func @untouched_dims_may_be_cut(
// CHECK: tensor.extract_slice %{{.*}}[0, 2] [2, 3] [1, 1] : tensor<2x8xf32> to tensor<2x3xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
func.func @untouched_dims_may_be_cut(%a: tensor<4x8xf32> {pctl.layout = #row}) -> (tensor<4x8xf32> {pctl.layout = #row}) {
  %0 = tensor.extract_slice %a[0, 2] [4, 3] [1, 1] {pctl.layouts = [#row]} : tensor<4x8xf32> to tensor<4x3xf32>
  %1 = tensor.insert_slice %0 into %a[0, 2] [4, 3] [1, 1] {pctl.layouts = [#row]} : tensor<4x3xf32> into tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @uneven_and_rank_reduced(
// CHECK: %{{.*}}, %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK: tensor.extract_slice %{{.*}}[0, 3] {{\[}}%[[SIZE]], 1] [1, 1] : tensor<?x8xf32> to tensor<?xf32>
func.func @uneven_and_rank_reduced(%a: tensor<5x8xf32> {pctl.layout = #row}) -> (tensor<5xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  %0 = tensor.extract_slice %a[0, 3] [5, 1] [1, 1] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<5x8xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// The result is cut, the source whole: rank 1 takes elements 4 and 5.
// CHECK-LABEL: func.func @slice_of_a_whole_dim(
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 4 by ["x"] on @m
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[AT:.*]] = arith.addi %[[TWO]], %[[OFFSET]] : index
// CHECK: tensor.extract_slice %{{.*}}[%[[AT]], 0] [2, 8] [1, 1] : tensor<8x8xf32> to tensor<2x8xf32>
func.func @slice_of_a_whole_dim(%a: tensor<8x8xf32> {pctl.layout = #whole}) -> (tensor<4x8xf32> {pctl.layout = #row}) {
  %0 = tensor.extract_slice %a[2, 0] [4, 8] [1, 1] {pctl.layouts = [#row]} : tensor<8x8xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Blocks of 1 and 7 of the source hold blocks of 1 and 1 of the result.
// CHECK-LABEL: func.func @slice_inside_explicit_blocks(
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 8] [1, 1] : tensor<?x8xf32> to tensor<1x8xf32>
func.func @slice_inside_explicit_blocks(%a: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}:[1, 7], {}]>})
    -> (tensor<2x8xf32> {pctl.layout = #row}) {
  %0 = tensor.extract_slice %a[0, 0] [2, 8] [1, 1] {pctl.layouts = [#row]} : tensor<8x8xf32> to tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @pad_sees_global_indices(
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 4 by ["x"] on @m
// CHECK: tensor.pad %{{.*}} low[0, 1] high[0, 1]
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %{{.*}}: index):
// CHECK-NEXT: %[[SHIFTED:.*]] = arith.addi %[[I]], %[[OFFSET]] : index
// CHECK-NEXT: arith.index_cast %[[SHIFTED]]
// CHECK: : tensor<2x8xi32> to tensor<2x10xi32>
func.func @pad_sees_global_indices(%a: tensor<4x8xi32> {pctl.layout = #row}) -> (tensor<4x10xi32> {pctl.layout = #row}) {
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } {pctl.layouts = [#row]} : tensor<4x8xi32> to tensor<4x10xi32>
  return %0 : tensor<4x10xi32>
}

// CHECK-LABEL: func.func @concat_of_a_whole_dim(
// CHECK: tensor.concat dim(1) %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
func.func @concat_of_a_whole_dim(%a: tensor<4x8xf32> {pctl.layout = #row}) -> (tensor<4x16xf32> {pctl.layout = #row}) {
  %0 = tensor.concat dim(1) %a, %a {pctl.layouts = [#row]} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
