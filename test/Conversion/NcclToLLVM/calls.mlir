// RUN: pctl-opt %s --nccl-to-llvm --canonicalize --cse | FileCheck %s

// CHECK-DAG: llvm.func @pctlCheck(i32, !llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.func @ncclAllReduce(!llvm.ptr, !llvm.ptr, i64, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.mlir.global internal constant @pctl_name_ncclAllReduce("ncclAllReduce\00")
// CHECK-DAG: llvm.func @ncclCommInitRank(!llvm.ptr, i32, !llvm.ptr {llvm.byval = !llvm.struct<(array<128 x i8>)>}, i32) -> i32

// Counts are elements; every status is checked, with the communicator.

// CHECK-LABEL: func.func @reductions
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x3xf32>, %[[I:[a-z0-9]+]]: memref<4xi32>, %[[COMM:[a-z0-9]+]]: !llvm.ptr, %[[STREAM:[a-z0-9]+]]: !llvm.ptr
func.func @reductions(%x: memref<?x3xf32>, %i: memref<4xi32>, %comm: !nccl.comm,
                      %stream: !nccl.stream) {
  // CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i64)
  // CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK-DAG: %[[SUM:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-DAG: %[[MAX:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK-DAG: %[[UINT32:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-DAG: %[[FLOAT32:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK-DAG: %[[NAME:.*]] = llvm.mlir.addressof @pctl_name_ncclAllReduce
  // CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
  // CHECK: %[[BITS:.*]] = arith.index_cast %[[AT]] : index to i64
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[BITS]] : i64 to !llvm.ptr
  // CHECK: %[[DIM:.*]] = memref.dim %[[X]], %c0
  // CHECK: %[[N:.*]] = arith.index_cast %[[DIM]] : index to i64
  // CHECK: %[[COUNT:.*]] = arith.muli %[[N]], %[[THREE]] : i64
  // CHECK: %[[STATUS:.*]] = llvm.call @ncclAllReduce(%[[P]], %{{.*}}, %[[COUNT]], %[[FLOAT32]], %[[SUM]], %[[COMM]], %[[STREAM]])
  // CHECK: llvm.call @pctlCheck(%[[STATUS]], %[[COMM]], %[[NAME]])
  nccl.all_reduce %x, %x kind = sum on %comm, %stream
      : memref<?x3xf32>, memref<?x3xf32>
  // CHECK: llvm.call @ncclAllReduce(%{{.*}}, %{{.*}}, %[[FOUR]], %[[UINT32]], %[[MAX]], %[[COMM]], %[[STREAM]])
  nccl.all_reduce %i, %i kind = max unsigned on %comm, %stream
      : memref<4xi32>, memref<4xi32>
  // CHECK: llvm.call @ncclReduce(%{{.*}}, %{{.*}}, %[[FOUR]], %{{.*}}, %[[SUM]], %{{.*}}, %[[COMM]], %[[STREAM]]) : (!llvm.ptr, !llvm.ptr, i64, i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  // CHECK-NEXT: llvm.call @pctlCheck
  nccl.reduce %i, %i kind = sum root = 1 on %comm, %stream
      : memref<4xi32>, memref<4xi32>
  return
}

// The count is that of one rank's share.

// CHECK-LABEL: func.func @moves
func.func @moves(%one: memref<4xbf16>, %all: memref<8xbf16>, %comm: !nccl.comm,
                 %stream: !nccl.stream) {
  // CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK-DAG: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK-DAG: %[[BF16:.*]] = llvm.mlir.constant(9 : i32)
  // CHECK: llvm.call @ncclAllGather(%{{.*}}, %{{.*}}, %[[FOUR]], %[[BF16]],
  nccl.all_gather %one, %all on %comm, %stream : memref<4xbf16>, memref<8xbf16>
  // CHECK: llvm.call @ncclReduceScatter(%{{.*}}, %{{.*}}, %[[FOUR]], %[[BF16]],
  nccl.reduce_scatter %all, %one kind = prod on %comm, %stream
      : memref<8xbf16>, memref<4xbf16>
  // CHECK: llvm.call @ncclBroadcast(%{{.*}}, %{{.*}}, %[[FOUR]], %[[BF16]],
  nccl.broadcast %one, %one root = 1 on %comm, %stream
      : memref<4xbf16>, memref<4xbf16>
  // CHECK: llvm.call @ncclGather(%{{.*}}, %{{.*}}, %[[FOUR]], %[[BF16]],
  nccl.gather %one, %all root = 1 on %comm, %stream
      : memref<4xbf16>, memref<8xbf16>
  // CHECK: llvm.call @ncclScatter(%{{.*}}, %{{.*}}, %[[FOUR]], %[[BF16]],
  nccl.scatter %all, %one root = 1 on %comm, %stream
      : memref<8xbf16>, memref<4xbf16>
  // CHECK: llvm.call @ncclCommCount
  // CHECK: %[[SIZE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[SIZE]] : i32 to i64
  // CHECK: %[[SHARE:.*]] = arith.divui %[[EIGHT]], %[[WIDE]]
  // CHECK: llvm.call @ncclAlltoAll(%{{.*}}, %{{.*}}, %[[SHARE]], %[[BF16]],
  nccl.all_to_all %all, %all on %comm, %stream : memref<8xbf16>, memref<8xbf16>
  return
}

// CHECK-LABEL: func.func @messages
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>, %[[PEER:[a-z0-9]+]]: i32
// CHECK: llvm.call @ncclGroupStart() : () -> i32
// CHECK: llvm.call @ncclSend(%{{.*}}, %{{.*}}, %{{.*}}, %[[PEER]],
// CHECK: llvm.call @ncclRecv(%{{.*}}, %{{.*}}, %{{.*}}, %[[PEER]],
// CHECK: %[[STATUS:.*]] = llvm.call @ncclGroupEnd() : () -> i32
// CHECK: llvm.call @pctlCheck(%[[STATUS]], %[[NONE:.*]], %{{.*}})
func.func @messages(%x: memref<4xf32>, %peer: i32, %comm: !nccl.comm,
                    %stream: !nccl.stream) {
  nccl.group_start
  nccl.send %x to %peer on %comm, %stream : memref<4xf32>
  nccl.recv %x from %peer on %comm, %stream : memref<4xf32>
  nccl.group_end
  return
}

// A run of a larger buffer starts at its offset.

// CHECK-LABEL: func.func @part_of_a_buffer
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata
// CHECK: %[[BYTES:.*]] = arith.muli %[[OFFSET]], %c4
// CHECK: %[[PLACE:.*]] = arith.addi %[[START]], %[[BYTES]]
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[PLACE]]
// CHECK: %[[ADDRESS:.*]] = llvm.inttoptr %[[NUMBER]]
// CHECK: llvm.call @ncclSend(%[[ADDRESS]],
func.func @part_of_a_buffer(%x: memref<?xf32, strided<[1], offset: ?>>, %peer: i32, %comm: !nccl.comm,
                            %stream: !nccl.stream) {
  nccl.send %x to %peer on %comm, %stream : memref<?xf32, strided<[1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @communicators
// CHECK-SAME: %[[ID:[a-z0-9]+]]: memref<128xi8>, %[[RANK:[a-z0-9]+]]: i32, %[[SIZE:[a-z0-9]+]]: i32) -> (!llvm.ptr, i32)
// CHECK: llvm.alloca
// CHECK: llvm.call @ncclGetUniqueId
// CHECK: llvm.call @ncclCommInitRank(%[[PLACE:.*]], %[[SIZE]], %{{.*}}, %[[RANK]]) : (!llvm.ptr, i32, !llvm.ptr {llvm.byval = !llvm.struct<(array<128 x i8>)>}, i32) -> i32
// CHECK: %[[WORLD:.*]] = llvm.load %[[PLACE]]
// CHECK: llvm.call @ncclCommSplit(%[[WORLD]], %[[RANK]], %[[RANK]], %[[SUB:.*]], %{{.*}})
// CHECK: %[[SPLIT:.*]] = llvm.load %[[SUB]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.call @ncclCommUserRank(%[[SPLIT]],
// CHECK: %[[NUMBER:.*]] = llvm.load {{.*}} -> i32
// CHECK: llvm.call @ncclCommFinalize(%[[WORLD]])
// CHECK: llvm.call @ncclCommDestroy(%[[WORLD]])
// CHECK: llvm.call @ncclCommAbort(%[[WORLD]])
// CHECK: return %[[SPLIT]], %[[NUMBER]]
func.func @communicators(%id: memref<128xi8>, %rank: i32, %size: i32)
    -> (!nccl.comm, i32) {
  nccl.get_unique_id %id : memref<128xi8>
  %world = nccl.comm_init_rank %id rank = %rank of %size : memref<128xi8>
  %split = nccl.comm_split %world color = %rank key = %rank
  %number = nccl.comm_user_rank %split : i32
  nccl.comm_finalize %world
  nccl.comm_destroy %world
  nccl.comm_abort %world
  return %split, %number : !nccl.comm, i32
}

// Communicators pass through calls and structured control flow.

// CHECK-LABEL: func.func @flow
// CHECK-SAME: %[[C:[a-z0-9]+]]: !llvm.ptr, %[[D:[a-z0-9]+]]: !llvm.ptr
// CHECK-NOT: nccl.comm
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr
func.func @flow(%c: !nccl.comm, %d: !nccl.comm, %flag: i1) -> !nccl.comm {
  %chosen = scf.if %flag -> !nccl.comm {
    scf.yield %c : !nccl.comm
  } else {
    scf.yield %d : !nccl.comm
  }
  %same = call @pass(%chosen) : (!nccl.comm) -> !nccl.comm
  return %same : !nccl.comm
}
func.func private @pass(!nccl.comm) -> !nccl.comm
