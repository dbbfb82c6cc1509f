// RUN: pctl-opt %s --pctl-normalize-slices | FileCheck %s

// CHECK-LABEL: func.func @stride_of_one_element
// CHECK: tensor.extract_slice %{{.*}}[0, 7, 0] [1, 1, 4] [1, 1, 2] {kept} : tensor<4x8x8xf32> to tensor<1x4xf32>
func.func @stride_of_one_element(%a: tensor<4x8x8xf32>) -> tensor<1x4xf32> {
  %0 = tensor.extract_slice %a[0, 7, 0] [1, 1, 4] [3, 1, 2] {kept}
      : tensor<4x8x8xf32> to tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0] [1, 4, 1] [1, 2, 1] : tensor<1x8x1xf32> to tensor<1x4xf32>
func.func @constants(%a: tensor<1x8x1xf32>, %s: index) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.extract_slice %a[%c0, %c1, 0] [1, 4, 1] [1, %c2, %s]
      : tensor<1x8x1xf32> to tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// The type does not know that there are four.
// CHECK-LABEL: func.func @size_of_a_dynamic_dim
// CHECK: %[[C:.*]] = arith.constant 4
// CHECK: tensor.extract_slice %{{.*}}[2] [%[[C]]] [1] : tensor<8xf32> to tensor<?xf32>
func.func @size_of_a_dynamic_dim(%a: tensor<8xf32>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.extract_slice %a[%c2] [%c4] [1] : tensor<8xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @insert
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 2] [1, 8, 1] [1, 1, 1] : tensor<1x8xf32> into tensor<1x8x3xf32>
func.func @insert(%a: tensor<1x8xf32>, %b: tensor<1x8x3xf32>) -> tensor<1x8x3xf32> {
  %c1 = arith.constant 1 : index
  %0 = tensor.insert_slice %a into %b[0, 0, 2] [1, 8, 1] [1, %c1, 5]
      : tensor<1x8xf32> into tensor<1x8x3xf32>
  return %0 : tensor<1x8x3xf32>
}

// CHECK-LABEL: func.func @insert_in_parallel
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
func.func @insert_in_parallel(%a: tensor<4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %b) -> tensor<8x4xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %o[%i, 0] [1, 4] [2, 1]
          : tensor<4xf32> into tensor<8x4xf32>
    }
  }
  return %0 : tensor<8x4xf32>
}
