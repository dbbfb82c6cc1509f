// RUN: pctl-opt %s --pctl-convert-to-nccl --canonicalize --cse | FileCheck %s

pctl.mesh @m <["x"=2, "y"=3, "z"=4]>

// The strides of x, y and z are 12, 4 and 1.

// CHECK: memref.global "private" constant @pctl_table : memref<4xi64> = dense<[0, 4, 4, 7]>

// CHECK-LABEL: func.func @major_axis
// CHECK: %[[NUMBER:.*]] = nccl.comm_user_rank %arg0 : i32
// CHECK: %[[RANK:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
// CHECK: %[[PLACE:.*]] = arith.divui %[[RANK]], %c12
// CHECK: return %[[PLACE]]
func.func @major_axis() -> index {
  %0 = pctl.axis_index ["x"] on @m : index
  return %0 : index
}

// CHECK-LABEL: func.func @sub_axis_and_axis
// CHECK: %[[Q:.*]] = arith.divui %[[RANK:.*]], %c2
// CHECK: %[[SUB:.*]] = arith.remui %[[Q]], %c2
// CHECK: %[[MAJOR:.*]] = arith.muli %[[SUB]], %c3
// CHECK: %[[R:.*]] = arith.divui %[[RANK]], %c4
// CHECK: %[[Y:.*]] = arith.remui %[[R]], %c3
// CHECK: %[[PLACE:.*]] = arith.addi %[[MAJOR]], %[[Y]]
// CHECK: return %[[PLACE]]
func.func @sub_axis_and_axis() -> index {
  %0 = pctl.axis_index ["z":(1)2, "y"] on @m : index
  return %0 : index
}

// CHECK-LABEL: func.func @equal_blocks
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c2
// CHECK: return %[[START]], %c2
func.func @equal_blocks() -> (index, index) {
  %o, %s = pctl.block_range 8 by ["z"] on @m : index, index
  return %o, %s : index, index
}

// CHECK-LABEL: func.func @trailing_blocks_are_short
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c2
// CHECK: %[[OFFSET:.*]] = arith.minsi %[[START]], %c5
// CHECK: %[[REST:.*]] = arith.subi %c5, %[[OFFSET]]
// CHECK: %[[SIZE:.*]] = arith.minsi %[[REST]], %c2
// CHECK: return %[[OFFSET]], %[[SIZE]]
func.func @trailing_blocks_are_short() -> (index, index) {
  %o, %s = pctl.block_range 5 by ["z"] on @m : index, index
  return %o, %s : index, index
}

// CHECK-LABEL: func.func @blocks_of_given_sizes
// CHECK: %[[TABLE:.*]] = memref.get_global @pctl_table : memref<4xi64>
// CHECK: %[[START:.*]] = memref.load %[[TABLE]]
// CHECK: %[[OFFSET:.*]] = arith.index_cast %[[START]]
// CHECK: %[[STOP:.*]] = memref.load %[[TABLE]]
// CHECK: %[[END:.*]] = arith.index_cast %[[STOP]]
// CHECK: %[[SIZE:.*]] = arith.subi %[[END]], %[[OFFSET]]
// CHECK: return %[[OFFSET]], %[[SIZE]]
func.func @blocks_of_given_sizes() -> (index, index) {
  %o, %s = pctl.block_range 7 by ["y"] sizes = [4, 0, 3] on @m : index, index
  return %o, %s : index, index
}
