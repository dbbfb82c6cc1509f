// RUN: pctl-opt %s --pctl-separate-results | FileCheck %s

// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = bufferization.clone %[[A]]
// CHECK: return %[[A]], %[[B]]
func.func @twice() -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %a, %a : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @view
// CHECK: %[[V:.*]] = memref.collapse_shape
// CHECK: %[[B:.*]] = bufferization.clone %[[V]]
// CHECK: return %{{.*}}, %[[B]]
func.func @view() -> (memref<4x6xf32>, memref<24xf32>) {
  %a = memref.alloc() : memref<4x6xf32>
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  return %a, %v : memref<4x6xf32>, memref<24xf32>
}

// CHECK-LABEL: func.func @either_of_two
// CHECK: %[[S:.*]] = arith.select
// CHECK: %[[B:.*]] = bufferization.clone %[[S]]
// CHECK: return %{{.*}}, %[[B]]
func.func @either_of_two(%c: i1) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %s = arith.select %c, %a, %b : memref<4xf32>
  return %b, %s : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @through_regions
// CHECK: %[[F:.*]]:2 = scf.for
// CHECK: %[[B:.*]] = bufferization.clone %[[F]]#1
// CHECK: return %[[F]]#0, %[[B]]
func.func @through_regions(%n: index, %c: i1) -> (memref<4xf32>, memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (memref<4xf32>, memref<4xf32>) {
    %s = scf.if %c -> memref<4xf32> {
      scf.yield %x : memref<4xf32>
    } else {
      scf.yield %y : memref<4xf32>
    }
    scf.yield %x, %s : memref<4xf32>, memref<4xf32>
  }
  return %f#0, %f#1 : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @through_blocks
// CHECK: %[[B:.*]] = bufferization.clone
// CHECK: return %{{.*}}, %[[B]]
func.func @through_blocks(%c: i1) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^end(%a : memref<4xf32>), ^end(%b : memref<4xf32>)
^end(%x: memref<4xf32>):
  return %x, %a : memref<4xf32>, memref<4xf32>
}

// CHECK-LABEL: func.func @no_copy_of_different_buffers
// CHECK-NOT: bufferization.clone
// CHECK: return
func.func @no_copy_of_different_buffers(%n: index, %z: memref<4xf32>)
    -> (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %x, %y : memref<4xf32>, memref<4xf32>
  }
  %r:2 = func.call @callee(%z) : (memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  return %f#0, %f#1, %r#0, %r#1
      : memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>
}
func.func private @callee(memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
