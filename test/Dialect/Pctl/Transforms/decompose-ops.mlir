// RUN: pctl-opt %s --pctl-decompose-ops | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[TABLE:.*]]: tensor<32x64xf32>, %[[IDS:.*]]: tensor<8x1xi32>
func.func @rows(%table: tensor<32x64xf32>, %ids: tensor<8x1xi32>) -> tensor<8x64xf32> {
  // CHECK: %[[FIRST:.*]] = tensor.extract_slice %[[IDS]][0, 0] [8, 1] [1, 1] : tensor<8x1xi32> to tensor<8xi32>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[FIRST]] : tensor<8xi32>)
  // CHECK: ^bb0(%[[ID:.*]]: i32, %{{.*}}: f32):
  // CHECK: %[[ROW:.*]] = arith.index_cast %[[ID]] : i32 to index
  // CHECK: %[[COLUMN:.*]] = linalg.index 1
  // CHECK: tensor.extract %[[TABLE]][%[[ROW]], %[[COLUMN]]]
  %0 = tensor.gather %table[%ids] gather_dims([0]) : (tensor<32x64xf32>, tensor<8x1xi32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// Dims of size 1 may stand for those that are gathered.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[TABLE:.*]]: tensor<8x6x5xf32>
func.func @elements(%table: tensor<8x6x5xf32>, %ids: tensor<4x2xindex>) -> tensor<4x1x6x1xf32> {
  // CHECK: ^bb0(%[[FIRST:.*]]: index, %[[SECOND:.*]]: index, %{{.*}}: f32):
  // CHECK: %[[MIDDLE:.*]] = linalg.index 2
  // CHECK: tensor.extract %[[TABLE]][%[[FIRST]], %[[MIDDLE]], %[[SECOND]]]
  %0 = tensor.gather %table[%ids] gather_dims([0, 2]) : (tensor<8x6x5xf32>, tensor<4x2xindex>) -> tensor<4x1x6x1xf32>
  return %0 : tensor<4x1x6x1xf32>
}

// One place, without batch dims.
// CHECK-LABEL: func.func @one(
func.func @one(%table: tensor<8x5xf32>, %id: tensor<1xindex>) -> tensor<5xf32> {
  // CHECK: tensor.extract_slice %{{.*}}[0] [1] [1] : tensor<1xindex> to tensor<index>
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]}
  %0 = tensor.gather %table[%id] gather_dims([0]) : (tensor<8x5xf32>, tensor<1xindex>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @tiles(
func.func @tiles(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NOT: linalg.pack
  // CHECK: tensor.expand_shape
  // CHECK: linalg.transpose
  %e = tensor.empty() : tensor<4x2x2x2xf32>
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<8x4xf32> -> tensor<4x2x2x2xf32>
  // CHECK-NOT: linalg.unpack
  // CHECK: linalg.transpose
  // CHECK: tensor.collapse_shape
  %f = tensor.empty() : tensor<8x4xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %f : tensor<4x2x2x2xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @left(
func.func @left(%table: tensor<?x64xf32>, %ids: tensor<8x1xindex>, %x: tensor<8x4xf32>) -> (tensor<8x64xf32>, tensor<4x4x2xf32>) {
  // What is of dynamic size stays, and what says how it is cut.
  // CHECK: tensor.gather
  %0 = tensor.gather %table[%ids] gather_dims([0]) : (tensor<?x64xf32>, tensor<8x1xindex>) -> tensor<8x64xf32>
  // CHECK: linalg.pack
  %e = tensor.empty() : tensor<4x4x2xf32>
  %1 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [2] into %e {pctl.rule = #pctl.rule<([i, j], [k, j, l]) -> ([k, j, l]), replicate = [i, j, k, l]>} : tensor<8x4xf32> -> tensor<4x4x2xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<4x4x2xf32>
}
