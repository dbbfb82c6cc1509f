// Unfolding changes no bit of what a program computes: attention over merged
// batch and heads, in an order of sums that shows when it is changed.

// DEFINE: %{lower} = pctl-opt --pass-pipeline='builtin.module( \
// DEFINE:   empty-tensor-to-alloc-tensor, \
// DEFINE:   one-shot-bufferize{bufferize-function-boundaries=1}, \
// DEFINE:   buffer-deallocation-pipeline,convert-linalg-to-loops, \
// DEFINE:   expand-strided-metadata,lower-affine,convert-scf-to-cf, \
// DEFINE:   convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{execute} = mlir-runner -e entry -entry-point-result=void \
// DEFINE:   -shared-libs=%llvm-libdir/libmlir_runner_utils.so,%llvm-libdir/libmlir_c_runner_utils.so

// RUN: %{lower} %s | %{execute} > %t.folded
// RUN: pctl-opt %s --pctl-unfold-reshapes -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: %{lower} %t.mlir | %{execute} > %t.unfolded
// RUN: grep -v base@ %t.folded > %t.expected
// RUN: grep -v base@ %t.unfolded | diff %t.expected -
// RUN: grep -c , %t.expected

// CHECK-LABEL: @attention
// CHECK-NOT:   collapse_shape
// CHECK:       outs(%{{.*}} : tensor<2x2x3x3xf32>)
// CHECK-NOT:   collapse_shape
// CHECK:       %[[Y:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK-NEXT:  return %[[Y]]

#id2 = affine_map<(i, j) -> (i, j)>
#id4 = affine_map<(i, j, k, l) -> (i, j, k, l)>

func.func @attention(%x: tensor<2x3x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %e0 = tensor.empty() : tensor<6x8xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %q = linalg.matmul ins(%0, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%i0 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %q4 = tensor.expand_shape %q [[0, 1], [2, 3]] output_shape [2, 3, 2, 4] : tensor<6x8xf32> into tensor<2x3x2x4xf32>
  %e1 = tensor.empty() : tensor<2x2x3x4xf32>
  %qt = linalg.transpose ins(%q4 : tensor<2x3x2x4xf32>) outs(%e1 : tensor<2x2x3x4xf32>) permutation = [0, 2, 1, 3]
  %e2 = tensor.empty() : tensor<2x2x4x3xf32>
  %kt = linalg.transpose ins(%q4 : tensor<2x3x2x4xf32>) outs(%e2 : tensor<2x2x4x3xf32>) permutation = [0, 2, 3, 1]
  %qm = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x2x3x4xf32> into tensor<4x3x4xf32>
  %km = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x2x4x3xf32> into tensor<4x4x3xf32>
  %e3 = tensor.empty() : tensor<4x3x3xf32>
  %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %s = linalg.batch_matmul ins(%qm, %km : tensor<4x3x4xf32>, tensor<4x4x3xf32>) outs(%i3 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %s4 = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 2, 3, 3] : tensor<4x3x3xf32> into tensor<2x2x3x3xf32>
  %e4 = tensor.empty() : tensor<2x2x3x3xf32>
  %p4 = linalg.generic {indexing_maps = [#id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s4 : tensor<2x2x3x3xf32>) outs(%e4 : tensor<2x2x3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.tanh %in : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x3x3xf32>
  %p = tensor.collapse_shape %p4 [[0, 1], [2], [3]] : tensor<2x2x3x3xf32> into tensor<4x3x3xf32>
  %e5 = tensor.empty() : tensor<4x3x4xf32>
  %i5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  %o = linalg.batch_matmul ins(%p, %qm : tensor<4x3x3xf32>, tensor<4x3x4xf32>) outs(%i5 : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
  %o4 = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 2, 3, 4] : tensor<4x3x4xf32> into tensor<2x2x3x4xf32>
  %e6 = tensor.empty() : tensor<2x3x2x4xf32>
  %ot = linalg.transpose ins(%o4 : tensor<2x2x3x4xf32>) outs(%e6 : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3]
  %om = tensor.collapse_shape %ot [[0, 1], [2, 3]] : tensor<2x3x2x4xf32> into tensor<6x8xf32>
  %y = linalg.matmul ins(%om, %w : tensor<6x8xf32>, tensor<8x8xf32>) outs(%i0 : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

func.func @entry() {
  %ex = tensor.empty() : tensor<2x3x8xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%ex : tensor<2x3x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c11 = arith.constant 11 : index
    %0 = arith.muli %i, %c7 : index
    %1 = arith.muli %j, %c5 : index
    %2 = arith.addi %0, %1 : index
    %3 = arith.addi %2, %k : index
    %4 = arith.remui %3, %c11 : index
    %5 = arith.index_cast %4 : index to i32
    %6 = arith.sitofp %5 : i32 to f32
    %c = arith.constant 13.0 : f32
    %7 = arith.divf %6, %c : f32
    linalg.yield %7 : f32
  } -> tensor<2x3x8xf32>
  %ew = tensor.empty() : tensor<8x8xf32>
  %w = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%ew : tensor<8x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %0 = arith.muli %i, %c3 : index
    %1 = arith.addi %0, %j : index
    %2 = arith.remui %1, %c7 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f32
    %c = arith.constant 17.0 : f32
    %5 = arith.divf %4, %c : f32
    linalg.yield %5 : f32
  } -> tensor<8x8xf32>
  %y = call @attention(%x, %w) : (tensor<2x3x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %eb = tensor.empty() : tensor<6x8xi32>
  %bits = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<6x8xf32>) outs(%eb : tensor<6x8xi32>) {
  ^bb0(%in: f32, %out: i32):
    %0 = arith.bitcast %in : f32 to i32
    linalg.yield %0 : i32
  } -> tensor<6x8xi32>
  %u = tensor.cast %bits : tensor<6x8xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(tensor<*xi32>)
