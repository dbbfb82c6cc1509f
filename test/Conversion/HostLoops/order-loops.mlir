// RUN: pctl-opt %s --pctl-order-loops | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>

// CHECK-LABEL: func.func @product
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "reduction", "parallel"]}
func.func @product(%a: memref<4x8xf32>, %b: memref<8x6xf32>,
                   %c: memref<4x6xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>)
      outs(%c : memref<4x6xf32>)
  return
}

// All inputs are read along the reduction already.

// CHECK-LABEL: func.func @product_with_transposed
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func @product_with_transposed(%a: memref<4x8xf32>, %b: memref<6x8xf32>,
                                   %c: memref<4x6xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<6x8xf32>)
      outs(%c : memref<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @sums_of_rows
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @sums_of_rows(%a: memref<4x8xf32>, %c: memref<4xf32>) {
  linalg.reduce ins(%a : memref<4x8xf32>) outs(%c : memref<4xf32>)
      dimensions = [1] (%x: f32, %z: f32) {
    %s = arith.addf %z, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x8xf32>) outs(%c : memref<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x : f32
    linalg.yield %s : f32
  }
  return
}
