// RUN: pctl-opt %s --pctl-unfold-reshapes -split-input-file -allow-unregistered-dialect \
// RUN:   | FileCheck %s

// Batch and heads become loops of the product.
// CHECK-LABEL: @unfolds_a_batch_matmul
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x4x6x8xf32>, %[[B:[^:]*]]: tensor<2x4x8x6xf32>
// CHECK-NOT:   shape
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x6x6xf32>
// CHECK:       %[[ZERO:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]] : tensor<2x4x6x6xf32>)
// CHECK:       %[[R:.*]] = linalg.generic
// CHECK-SAME:    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME:    ins(%[[A]], %[[B]] : {{.*}}) outs(%[[ZERO]] : tensor<2x4x6x6xf32>)
// CHECK-NOT:   shape
// CHECK:       return %[[R]]
func.func @unfolds_a_batch_matmul(%a: tensor<2x4x6x8xf32>, %b: tensor<2x4x8x6xf32>)
    -> tensor<2x4x6x6xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x4x6x8xf32> into tensor<8x6x8xf32>
  %1 = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x4x8x6xf32> into tensor<8x8x6xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x6x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
  %2 = linalg.batch_matmul ins(%0, %1 : tensor<8x6x8xf32>, tensor<8x8x6xf32>)
      outs(%init : tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [2, 4, 6, 6]
      : tensor<8x6x6xf32> into tensor<2x4x6x6xf32>
  return %3 : tensor<2x4x6x6xf32>
}

// -----

// A merged dim that is summed over becomes two summed dims, in the same order.
// CHECK-LABEL: @unfolds_a_reduction
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK-NOT:     collapse_shape
func.func @unfolds_a_reduction(%a: tensor<6x2x4xf32>, %w: tensor<8x3xf32>, %init: tensor<6x3xf32>)
    -> tensor<6x3xf32> {
  %0 = tensor.collapse_shape %a [[0], [1, 2]] : tensor<6x2x4xf32> into tensor<6x8xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<6x8xf32>, tensor<8x3xf32>)
      outs(%init : tensor<6x3xf32>) -> tensor<6x3xf32>
  return %1 : tensor<6x3xf32>
}

// -----

// Through a transpose.
// CHECK-LABEL: @unfolds_a_transpose
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x4x6xf32>
// CHECK-NOT:     shape
// CHECK:         linalg.transpose ins(%[[A]] : tensor<2x4x6xf32>) outs(%{{.*}} : tensor<6x2x4xf32>) permutation = [2, 0, 1]
// CHECK-NOT:     shape
func.func @unfolds_a_transpose(%a: tensor<2x4x6xf32>) -> tensor<6x2x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x4x6xf32> into tensor<8x6xf32>
  %empty = tensor.empty() : tensor<6x8xf32>
  %1 = linalg.transpose ins(%0 : tensor<8x6xf32>) outs(%empty : tensor<6x8xf32>) permutation = [1, 0]
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [6, 2, 4] : tensor<6x8xf32> into tensor<6x2x4xf32>
  return %2 : tensor<6x2x4xf32>
}

// -----

// A position along a merged dim is still the position along the merged dim.
// CHECK-LABEL: @keeps_positions
// CHECK:         linalg.generic
// CHECK-DAG:       linalg.index 0
// CHECK-DAG:       linalg.index 1
// CHECK:           affine.apply
// CHECK:           linalg.yield
func.func @keeps_positions(%a: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xi32> into tensor<8xi32>
  %empty = tensor.empty() : tensor<8xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%0 : tensor<8xi32>) outs(%empty : tensor<8xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %s = arith.addi %in, %c : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 4] : tensor<8xi32> into tensor<2x4xi32>
  return %2 : tensor<2x4xi32>
}

// -----

// Nothing here merges dims, so named ops stay named.
// CHECK-LABEL: @leaves_other_programs_alone
// CHECK:         linalg.matmul
// CHECK:         tensor.expand_shape {{.*}} tensor<4x4xf32> into tensor<4x1x4xf32>
func.func @leaves_other_programs_alone(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>, %init: tensor<4x4xf32>)
    -> tensor<4x1x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 1, 4] : tensor<4x4xf32> into tensor<4x1x4xf32>
  return %1 : tensor<4x1x4xf32>
}

// -----

// A rule that a user put on an op is about its dims as they are.
// CHECK-LABEL: @leaves_ops_with_rules_alone
// CHECK:         tensor.collapse_shape
// CHECK:         linalg.matmul {pctl.rule
func.func @leaves_ops_with_rules_alone(%a: tensor<2x2x6xf32>, %b: tensor<6x4xf32>, %init: tensor<4x4xf32>)
    -> tensor<4x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<2x2x6xf32> into tensor<4x6xf32>
  %1 = linalg.matmul {pctl.rule = #pctl.rule<([i, k], [k, j], [i, j]) -> ([i, j]), replicate = [i, j, k]>}
      ins(%0, %b : tensor<4x6xf32>, tensor<6x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// What can't be folded stays.
// CHECK-LABEL: @keeps_what_does_not_fold
// CHECK:         tensor.collapse_shape
// CHECK:         "test.unknown"
func.func @keeps_what_does_not_fold(%a: tensor<2x4xf32>) -> tensor<8xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %1 = "test.unknown"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
