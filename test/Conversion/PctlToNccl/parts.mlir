// RUN: pctl-opt %s --pctl-convert-to-nccl=chunk-bytes=80 --canonicalize --cse | FileCheck %s
// RUN: not pctl-opt %s --pctl-convert-to-nccl=chunk-bytes=0 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: pctl-convert-to-nccl: chunk-bytes is 0, expected at least 1

// Staging memory of a collective stays below a chunk, where rows before the dims
// that it cuts or joins can be done one after the other.

pctl.mesh @m <["x"=4]>

// A row is 2 elements here and 8 there, 40 bytes: two at a time, and one more,
// which needs no packing.

// CHECK-LABEL: func.func @rows_of_a_gather
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5x2xf32>, %[[O:[a-z0-9]+]]: memref<5x8xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4 step %c2 {
// CHECK-DAG: %[[IN:.*]] = memref.reinterpret_cast %[[X]] to offset: [%{{.*}}], sizes: [2, 2], strides: [2, 1]
// CHECK-DAG: %[[OUT:.*]] = memref.reinterpret_cast %[[O]] to offset: [%{{.*}}], sizes: [2, 8], strides: [8, 1]
// CHECK: %[[RECV:.*]] = memref.alloc() {{.*}} : memref<4x2x2xf32>
// CHECK: nccl.all_gather %[[IN]], %[[RECV]] on
// CHECK: linalg.transpose ins(%[[RECV]] : {{.*}}) outs(%{{.*}} : memref<2x4x2xf32, strided<[8, 2, 1], offset: ?>>) permutation = [1, 0, 2]
// CHECK: memref.dealloc %[[RECV]]
// CHECK: }
// CHECK-NOT: memref.alloc
// CHECK: %[[LAST_IN:.*]] = memref.reinterpret_cast %[[X]] to offset: [8], sizes: [1, 2], strides: [2, 1]
// CHECK: %[[LAST_OUT:.*]] = memref.reinterpret_cast %[[O]] to offset: [32], sizes: [1, 8], strides: [8, 1]
// CHECK: nccl.all_gather %[[LAST_IN]], %[[LAST_OUT]] on
// CHECK: return
func.func @rows_of_a_gather(%x: memref<5x2xf32>, %o: memref<5x8xf32>) {
  pctl.all_gather ins(%x : memref<5x2xf32>) outs(%o : memref<5x8xf32>) dim = 1 axes = ["x"] on @m
  return
}

// Dims before both of an all_to_all are rows: those of the first two here, of 8
// elements each way, 64 bytes.

// CHECK-LABEL: func.func @rows_of_an_all_to_all
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 {
// CHECK: nccl.all_to_all %{{.*}}, %{{.*}} on {{.*}} : memref<1x8x1xf32, {{.*}}>, memref<4x2x1xf32>
func.func @rows_of_an_all_to_all(%x: memref<2x3x8x1xf32>, %o: memref<2x3x2x4xf32>) {
  pctl.all_to_all ins(%x : memref<2x3x8x1xf32>) outs(%o : memref<2x3x2x4xf32>) split_dim = 2 concat_dim = 3 axes = ["x"] on @m
  return
}

// What NCCL does not reduce is gathered from all, element by element: 4 of 4
// bytes, and one.

// CHECK-LABEL: func.func @elements_of_a_reduction
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c4 {
// CHECK: memref.alloc() {{.*}} : memref<4x4xi32>
// CHECK: nccl.all_gather
func.func @elements_of_a_reduction(%x: memref<4x3xi32>, %o: memref<4x3xi32>) {
  pctl.all_reduce ins(%x : memref<4x3xi32>) outs(%o : memref<4x3xi32>) kind = xor axes = ["x"] on @m
  return
}

// NCCL works on the buffers themselves.

// CHECK-LABEL: func.func @nothing_is_staged
// CHECK-NOT: scf.for
// CHECK: nccl.all_reduce
// CHECK-NOT: scf.for
// CHECK: nccl.all_gather
// CHECK: return
func.func @nothing_is_staged(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<256xf32>) {
  pctl.all_reduce ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) kind = sum axes = ["x"] on @m
  pctl.all_gather ins(%y : memref<64xf32>) outs(%o : memref<256xf32>) dim = 0 axes = ["x"] on @m
  return
}
