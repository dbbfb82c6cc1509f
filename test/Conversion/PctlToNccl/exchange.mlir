// RUN: pctl-opt %s --pctl-convert-to-nccl --canonicalize --cse --split-input-file | FileCheck %s

// Three loops over the other members count, send and receive, unpack. Code does
// not grow with the mesh.

pctl.mesh @m <["x"=1024, "y"=1024]>

// CHECK-LABEL: func.func @cut_moves_to_another_dim
// CHECK-SAME: %[[COMM:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"y">]}, %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[X:[a-z0-9]+]]: memref<4x4096xf32>, %[[O:[a-z0-9]+]]: memref<4096x4xf32>
// CHECK: linalg.copy
// CHECK: %[[TOTAL:.*]]:2 = scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: %[[SENDS:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?xi8>
// CHECK: %[[RECVS:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?xi8>
// CHECK: nccl.group_start
// CHECK: scf.for %{{.*}} = %c1 to %c1024 step %c1
// CHECK: scf.if
// CHECK: %[[PIECE:.*]] = memref.view %[[SENDS]]
// CHECK: %[[BOX:.*]] = memref.subview %[[X]]
// CHECK: linalg.copy ins(%[[BOX]] : {{.*}}) outs(%[[PIECE]]
// CHECK: nccl.send %[[PIECE]] to %[[PEER:.*]] on %[[COMM]], %[[STREAM]]
// CHECK: scf.if
// CHECK: %[[PLACE:.*]] = memref.view %[[RECVS]]
// CHECK: nccl.recv %[[PLACE]] from %[[PEER]] on %[[COMM]], %[[STREAM]]
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

// -----

// Lengths that the types tell need no gather; a running start finds each place.

pctl.mesh @m <["x"=1024]>

// CHECK-LABEL: func.func @edges_of_equal_blocks
// CHECK-NOT: nccl.all_gather
// CHECK: linalg.copy
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c1
// CHECK: nccl.group_start
// CHECK: scf.for
// CHECK: nccl.send
// CHECK: nccl.recv
// CHECK: nccl.group_end
// CHECK: scf.for
// CHECK: linalg.copy
func.func @edges_of_equal_blocks(%x: memref<2x6xf32>, %o: memref<4x6xf32>) {
  pctl.halo_exchange ins(%x : memref<2x6xf32>) outs(%o : memref<4x6xf32>)
      dim = 0 before = 1 after = 1 axes = ["x"] on @m
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
