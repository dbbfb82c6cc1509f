// RUN: pctl-opt %s --pctl-convert-to-nccl --canonicalize --cse --split-input-file | FileCheck %s

// Loops over the other members count what goes out and what comes in, send,
// receive, unpack. Code does not grow with the mesh.

pctl.mesh @m <["x"=1024, "y"=1024]>

// CHECK-LABEL: func.func @cut_moves_to_another_dim
// CHECK-SAME: %[[COMM:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"y">]}, %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[X:[a-z0-9]+]]: memref<4x4096xf32>, %[[O:[a-z0-9]+]]: memref<4096x4xf32>
// CHECK: linalg.copy
// CHECK: %[[SENT:.*]] = scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: %[[SEND_BYTES:.*]] = arith.muli %[[SENT]], %c4
// CHECK: %[[SENDS:.*]] = memref.alloc(%[[SEND_BYTES]]) {{.*}} : memref<?xi8>
// CHECK: %[[RECEIVED:.*]] = scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: %[[RECV_BYTES:.*]] = arith.muli %[[RECEIVED]], %c4
// CHECK: %[[RECVS:.*]] = memref.alloc(%[[RECV_BYTES]]) {{.*}} : memref<?xi8>
// CHECK: nccl.group_start
// CHECK: scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: scf.if
// CHECK: %[[PIECE:.*]] = memref.view %[[SENDS]]
// CHECK: %[[BOX:.*]] = memref.subview %[[X]]
// CHECK: linalg.copy ins(%[[BOX]] : {{.*}}) outs(%[[PIECE]]
// CHECK: nccl.send %[[PIECE]] to %{{.*}} on %[[COMM]], %[[STREAM]]
// CHECK: scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: scf.if
// CHECK: %[[PLACE:.*]] = memref.view %[[RECVS]]
// CHECK: nccl.recv %[[PLACE]] from %{{.*}} on %[[COMM]], %[[STREAM]]
// CHECK: nccl.group_end
// CHECK: scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: memref.view %[[RECVS]]
// CHECK: memref.subview %[[O]]
// CHECK: linalg.copy
// CHECK: memref.dealloc %[[RECVS]]
// CHECK: memref.dealloc %[[SENDS]]
func.func @cut_moves_to_another_dim(%x: memref<4x4096xf32>,
                                    %o: memref<4096x4xf32>) {
  pctl.exchange ins(%x : memref<4x4096xf32>) outs(%o : memref<4096x4xf32>)
      from <@m, [{"y"}, {}]> to <@m, [{}, {"y"}]>
      of tensor<4096x4096xf32> axes = ["y"] on @m
  return
}

// Ranks along y hold the same, so the group is that of x.

// CHECK-LABEL: func.func @replicas_do_not_send
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"x">]]
func.func @replicas_do_not_send(%x: memref<4xf32>, %o: memref<4096xf32>) {
  pctl.exchange ins(%x : memref<4xf32>) outs(%o : memref<4096xf32>)
      from <@m, [{"x"}]> to <@m, [{}]>
      of tensor<4096xf32> axes = ["x", "y"] on @m
  return
}

// Pieces of what only the first dim is cut of have no gaps: they go from where
// they are to where they belong.

// CHECK-LABEL: func.func @rows_are_not_packed
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4x8xf32>, %[[O:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[FROM:.*]] = memref.reinterpret_cast %[[X]]{{.*}} : memref<4x8xf32> to memref<32xf32
// CHECK-DAG: %[[TO:.*]] = memref.reinterpret_cast %[[O]]{{.*}} : memref<4x8xf32> to memref<32xf32
// CHECK: nccl.group_start
// CHECK: %[[PIECE:.*]] = memref.subview %[[FROM]]
// CHECK: nccl.send %[[PIECE]] to %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK: %[[PLACE:.*]] = memref.subview %[[TO]]
// CHECK: nccl.recv %[[PLACE]] from %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK: nccl.group_end
// CHECK-NOT: scf.for
// CHECK: return
func.func @rows_are_not_packed(%x: memref<4x8xf32>, %o: memref<4x8xf32>) {
  pctl.exchange ins(%x : memref<4x8xf32>) outs(%o : memref<4x8xf32>)
      from <@m, [{"x"}, {}]> to <@m, [{"y"}, {}]>
      of tensor<4096x8xf32> axes = ["x", "y"] on @m
  return
}

// Nothing was cut: each rank has its part.

// CHECK-LABEL: func.func @what_all_hold_is_sliced
// CHECK-SAME: nccl.comms = []
// CHECK: memref.subview
// CHECK: linalg.copy
// CHECK-NOT: nccl.send
// CHECK: return
func.func @what_all_hold_is_sliced(%x: memref<4096xf32>, %o: memref<4xf32>) {
  pctl.exchange ins(%x : memref<4096xf32>) outs(%o : memref<4xf32>)
      from <@m, [{}]> to <@m, [{"x"}]>
      of tensor<4096xf32> axes = ["x"] on @m
  return
}

// Dims behind the last cut one move as one run.

// CHECK-LABEL: func.func @uncut_dims_are_one_run
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 49152], strides: [49152, 1] : memref<1x1024x6x8xf32>
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1024, 48], strides: [48, 1] : memref<1024x1x6x8xf32>
func.func @uncut_dims_are_one_run(%x: memref<1x1024x6x8xf32>,
                                  %o: memref<1024x1x6x8xf32>) {
  pctl.exchange ins(%x : memref<1x1024x6x8xf32>)
      outs(%o : memref<1024x1x6x8xf32>)
      from <@m, [{"y"}, {}, {}, {}]>
      to <@m, [{}, {"y"}, {}, {}]>
      of tensor<1024x1024x6x8xf32> axes = ["y"] on @m
  return
}

// So do dims that all layouts cut alike, by axes outside of the group: its
// members hold the same part of them, here one that they learn at run time.

// CHECK-LABEL: func.func @dims_that_stay_cut_are_one_run
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?xf32>, %[[O:[a-z0-9]+]]: memref<1500x?xf32>
// CHECK-NOT: memref.alloc
// CHECK: nccl.group_start
// CHECK: nccl.send %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK: nccl.recv %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK: nccl.group_end
// CHECK: return
func.func @dims_that_stay_cut_are_one_run(%x: memref<?x?xf32>, %o: memref<1500x?xf32>) {
  pctl.exchange ins(%x : memref<?x?xf32>) outs(%o : memref<1500x?xf32>)
      from <@m, [{"x"}, {"y"}]> to <@m, [{}, {"y"}]>
      of tensor<1500x1500xf32> axes = ["x"] on @m
  return
}

// Replicas share the sending: each has a half of what they hold, and its
// partner, which has the same box, gets nothing.

// CHECK-LABEL: func.func @owners_send_what_is_theirs
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"x">, #pctl.axis<"y">]]
// CHECK: linalg.copy
// CHECK: %[[SENT:.*]] = scf.for %[[STEP:.*]] = %c1 to %c1048576 step %c1
// CHECK: arith.minsi
// CHECK: %[[HAS_OTHER:.*]] = arith.cmpi ne
// CHECK: arith.select %[[HAS_OTHER]]
// CHECK: nccl.group_start
// CHECK: nccl.send
// CHECK: nccl.recv
// CHECK: nccl.group_end
func.func @owners_send_what_is_theirs(%x: memref<1024x4096xf32>, %o: memref<1048576x4xf32>) {
  pctl.exchange ins(%x : memref<1024x4096xf32>) outs(%o : memref<1048576x4xf32>)
      from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{"x", "y"}, {}]>
      of tensor<1048576x4096xf32> axes = ["x", "y"] on @m
  return
}

// Staging memory is that of the first of the rounds, which moves most.

// CHECK-LABEL: func.func @rounds_share_staging_memory
// CHECK: scf.for
// CHECK: %[[SENDS:.*]] = memref.alloc({{.*}} : memref<?xi8>
// CHECK: scf.for
// CHECK: %[[RECVS:.*]] = memref.alloc({{.*}} : memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: scf.for %[[ROUND:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT: nccl.group_start
// CHECK: scf.for
// CHECK: memref.view %[[SENDS]]
// CHECK: nccl.send
// CHECK: scf.for
// CHECK: memref.view %[[RECVS]]
// CHECK: nccl.recv
// CHECK: nccl.group_end
// CHECK-NEXT: scf.for
// CHECK: memref.view %[[RECVS]]
// CHECK: linalg.copy
func.func @rounds_share_staging_memory(%x: memref<4x4096xf32>, %o: memref<4096x4xf32>) {
  pctl.exchange ins(%x : memref<4x4096xf32>) outs(%o : memref<4096x4xf32>)
      from <@m, [{"y"}, {}]> to <@m, [{}, {"y"}]>
      of tensor<4096x4096xf32> rounds = 3 axes = ["y"] on @m
  return
}

// -----

// What is listed is in tables: where the rows of each rank start; of each row
// the other end's position, offsets and sizes, which are no reads where all rows
// have the same. Dims that no box cuts are one run.

pctl.mesh @n <["x"=2, "y"=2]>

// CHECK-DAG: memref.global "private" constant @[[SEND_STARTS:.*]] : memref<5xi64> = dense<[0, 1, 1, 2, 2]>
// CHECK-DAG: memref.global "private" constant @[[SEND_ROWS:.*]] : memref<2x3xi64> = dense<{{\[\[}}1, 0, 12], [1, 12, 6]]>
// CHECK-DAG: memref.global "private" constant @[[RECV_STARTS:.*]] : memref<5xi64> = dense<[0, 0, 1, 1, 2]>
// CHECK-DAG: memref.global "private" constant @[[RECV_ROWS:.*]] : memref<2x3xi64> = dense<{{\[\[}}0, 0, 12], [0, 12, 6]]>
// CHECK-LABEL: func.func @listed_transfers
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"y">]]
// CHECK: nccl.group_start
// CHECK: %[[STARTS:.*]] = memref.get_global @[[SEND_STARTS]]
// CHECK: %[[ROWS:.*]] = memref.get_global @[[SEND_ROWS]]
// CHECK: memref.load %[[STARTS]]
// CHECK: memref.load %[[STARTS]]
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK-NEXT: memref.load %[[ROWS]][%[[ROW]], %c1]
// CHECK: memref.load %[[ROWS]][%[[ROW]], %c2]
// CHECK-NOT: memref.load
// CHECK: nccl.send %{{.*}} to %c1_i32
// CHECK: memref.get_global @[[RECV_STARTS]]
// CHECK: memref.get_global @[[RECV_ROWS]]
// CHECK: nccl.recv %{{.*}} from %c0_i32
// CHECK: nccl.group_end
func.func @listed_transfers(%x: memref<?x2x3xf32>, %o: memref<?x2x3xf32>) {
  pctl.exchange ins(%x : memref<?x2x3xf32>) outs(%o : memref<?x2x3xf32>)
      from <@n, [{"x", "y"}:[2, 0, 1, 0], {}, {}]> to <@n, [{"x", "y"}:[0, 2, 0, 1], {}, {}]>
      of tensor<3x2x3xf32> transfers = [0 -> 1 [0, 0, 0] [2, 2, 3], 2 -> 3 [2, 0, 0] [1, 2, 3]]
      axes = ["y"] on @n
  return
}

// -----

// Lengths that the types tell need no gather; a running start finds each place.

pctl.mesh @m <["x"=1024]>

// CHECK-LABEL: func.func @edges_of_equal_blocks
// CHECK-NOT: nccl.all_gather
// CHECK: linalg.copy
// CHECK-NOT: memref.alloc
// CHECK: nccl.group_start
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c1
// CHECK: nccl.send
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c1
// CHECK: nccl.recv
// CHECK: nccl.group_end
// CHECK-NEXT: return
func.func @edges_of_equal_blocks(%x: memref<2x6xf32>, %o: memref<4x6xf32>) {
  pctl.halo_exchange ins(%x : memref<2x6xf32>) outs(%o : memref<4x6xf32>)
      dim = 0 before = 1 after = 1 axes = ["x"] on @m
  return
}

// CHECK-LABEL: func.func @edges_of_columns_are_packed
// CHECK: linalg.copy
// CHECK: scf.for
// CHECK: memref.alloc({{.*}} : memref<?xi8>
// CHECK: scf.for
// CHECK: memref.alloc({{.*}} : memref<?xi8>
// CHECK: nccl.group_start
// CHECK: nccl.send
// CHECK: nccl.recv
// CHECK: nccl.group_end
// CHECK: scf.for
// CHECK: linalg.copy
func.func @edges_of_columns_are_packed(%x: memref<6x2xf32>, %o: memref<6x4xf32>) {
  pctl.halo_exchange ins(%x : memref<6x2xf32>) outs(%o : memref<6x4xf32>)
      dim = 1 before = 1 after = 1 axes = ["x"] on @m
  return
}

// CHECK-LABEL: func.func @edges_of_blocks_that_differ
// CHECK: %[[LENGTHS:.*]] = memref.alloc() {{.*}} : memref<1024xi64>
// CHECK: nccl.all_gather %{{.*}}, %[[LENGTHS]] on
// CHECK: memref.load %[[LENGTHS]]
// CHECK: nccl.group_start
func.func @edges_of_blocks_that_differ(%x: memref<?x6xf32>,
                                       %o: memref<?x6xf32>) {
  pctl.halo_exchange ins(%x : memref<?x6xf32>) outs(%o : memref<?x6xf32>)
      dim = 0 before = 1 after = 1 axes = ["x"] on @m
  return
}
