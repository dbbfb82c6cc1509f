// RUN: pctl-opt %s --canonicalize --cse --loop-invariant-code-motion --symbol-dce | FileCheck %s

// All ranks of a communicator must come to each call, in one order: nothing is
// removed, joined or moved, whether its result is used or not.

// CHECK-LABEL: @splits_stay
func.func @splits_stay(%comm: !nccl.comm, %i: i32) {
  // CHECK-NEXT: nccl.comm_split
  // CHECK-NEXT: nccl.comm_split
  // CHECK-NEXT: return
  %0 = nccl.comm_split %comm color = %i key = %i
  %1 = nccl.comm_split %comm color = %i key = %i
  return
}

// CHECK-LABEL: @splits_are_not_hoisted
func.func @splits_are_not_hoisted(%comm: !nccl.comm, %i: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NEXT: nccl.comm_split
  // CHECK-NEXT: nccl.comm_count
  scf.for %k = %c0 to %n step %c1 {
    %0 = nccl.comm_split %comm color = %i key = %i
    %1 = nccl.comm_count %comm : i32
  }
  return
}

// CHECK-LABEL: @calls_stay_in_order
func.func @calls_stay_in_order(%x: memref<4xf32>, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK-NEXT: nccl.group_start
  // CHECK-NEXT: nccl.all_reduce
  // CHECK-NEXT: nccl.all_reduce
  // CHECK-NEXT: nccl.group_end
  nccl.group_start
  nccl.all_reduce %x, %x kind = sum on %comm, %stream : memref<4xf32>, memref<4xf32>
  nccl.all_reduce %x, %x kind = sum on %comm, %stream : memref<4xf32>, memref<4xf32>
  nccl.group_end
  return
}
