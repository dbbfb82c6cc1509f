// RUN: pctl-opt %s --pctl-expand-copies --pctl-expand-arith | FileCheck %s

// CHECK-LABEL: func.func @copies
// CHECK: memref.copy
// CHECK-NOT: memref.copy
// CHECK: linalg.copy
func.func @copies(%a: memref<4xf32>, %b: memref<4xf32>,
                  %c: memref<4xf32, strided<[2]>>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.copy %a, %c : memref<4xf32> to memref<4xf32, strided<[2]>>
  return
}

// CHECK-LABEL: func.func @copy_of_unknown_rank
// CHECK-NEXT: memref.copy
// CHECK-NOT: linalg.copy
func.func @copy_of_unknown_rank(%a: memref<*xf32>,
                                %b: memref<4xf32, strided<[2]>>) {
  memref.copy %a, %b : memref<*xf32> to memref<4xf32, strided<[2]>>
  return
}

// CHECK-LABEL: func.func @small_floats
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @small_floats(%x: bf16) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// CHECK-LABEL: func.func @divisions
// CHECK-NOT: arith.ceildivsi
// CHECK-NOT: arith.floordivsi
// CHECK: return
func.func @divisions(%x: index, %y: index) -> (index, index) {
  %0 = arith.ceildivsi %x, %y : index
  %1 = arith.floordivsi %x, %y : index
  return %0, %1 : index, index
}

// CHECK-LABEL: func.func @order_of_zeros
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @order_of_zeros(%x: f32, %y: f32) -> (f32, f32) {
  %0 = arith.maximumf %x, %y : f32
  %1 = arith.minimumf %x, %y : f32
  return %0, %1 : f32, f32
}
