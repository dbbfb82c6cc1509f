// RUN: pctl-opt %s --pctl-convert-to-nccl --canonicalize --cse --split-input-file | FileCheck %s

// What lies one behind the other already is not packed.

pctl.mesh @m <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @gather_on_the_outer_dim
// CHECK-SAME: %[[WORLD:[a-z0-9]+]]: !nccl.comm, %[[COMM:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"y">]}, %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[X:[a-z0-9]+]]: memref<2x3xf32>, %[[O:[a-z0-9]+]]: memref<8x3xf32>
// CHECK-NOT: alloc
// CHECK: nccl.all_gather %[[X]], %[[O]] on %[[COMM]], %[[STREAM]] : memref<2x3xf32>, memref<8x3xf32>
func.func @gather_on_the_outer_dim(%x: memref<2x3xf32>, %o: memref<8x3xf32>) {
  pctl.all_gather ins(%x : memref<2x3xf32>) outs(%o : memref<8x3xf32>)
      dim = 0 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @gather_on_an_inner_dim
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2x3xf32>, %[[O:[a-z0-9]+]]: memref<2x12xf32>
// CHECK: %[[STAGE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x2x3xf32>
// CHECK: nccl.all_gather %[[X]], %[[STAGE]] on {{.*}} : memref<2x3xf32>, memref<4x2x3xf32>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[O]] to offset: [0], sizes: [2, 4, 3], strides: [12, 3, 1]
// CHECK: linalg.transpose ins(%[[STAGE]] : memref<4x2x3xf32>) outs(%[[VIEW]] : {{.*}}) permutation = [1, 0, 2]
// CHECK: memref.dealloc %[[STAGE]]
func.func @gather_on_an_inner_dim(%x: memref<2x3xf32>, %o: memref<2x12xf32>) {
  pctl.all_gather ins(%x : memref<2x3xf32>) outs(%o : memref<2x12xf32>)
      dim = 1 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @gather_blocks_that_differ
// CHECK-DAG: %[[OWN:.*]] = memref.alloc() {{.*}} : memref<1xi64>
// CHECK-DAG: %[[ALL:.*]] = memref.alloc() {{.*}} : memref<4xi64>
// CHECK: nccl.all_gather %[[OWN]], %[[ALL]] on
// CHECK: scf.for
// CHECK: arith.maxsi
// CHECK: nccl.all_gather
// CHECK: scf.for
// CHECK: memref.load %[[ALL]]
// CHECK: linalg.copy
func.func @gather_blocks_that_differ(%x: memref<?xf32>, %o: memref<7xf32>) {
  pctl.all_gather ins(%x : memref<?xf32>) outs(%o : memref<7xf32>)
      dim = 0 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @slice_sends_nothing
// CHECK-SAME: %[[WORLD:[a-z0-9]+]]: !nccl.comm, %{{[a-z0-9]+}}: !nccl.stream, %[[X:[a-z0-9]+]]: memref<8x3xf32>, %[[O:[a-z0-9]+]]: memref<2x3xf32>
// CHECK: %[[NUMBER:.*]] = nccl.comm_user_rank %[[WORLD]] : i32
// CHECK: %[[RANK:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: %[[PLACE:.*]] = arith.remui %[[RANK]], %c4
// CHECK: %[[START:.*]] = arith.muli %[[PLACE]], %c2
// CHECK: %[[BLOCK:.*]] = memref.subview %[[X]][%[[START]], 0] [2, 3] [1, 1]
// CHECK: linalg.copy ins(%[[BLOCK]] : {{.*}}) outs(%[[O]]
func.func @slice_sends_nothing(%x: memref<8x3xf32>, %o: memref<2x3xf32>) {
  pctl.all_slice ins(%x : memref<8x3xf32>) outs(%o : memref<2x3xf32>)
      dim = 0 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @reduce_by_nccl
// CHECK: nccl.all_reduce %[[X:.*]], %[[X]] kind = sum on
// CHECK: nccl.all_reduce %[[Y:.*]], %[[Y]] kind = max unsigned on
// CHECK: nccl.all_reduce %[[Y]], %[[Y]] kind = min on
func.func @reduce_by_nccl(%x: memref<3xf32>, %y: memref<3xi32>) {
  pctl.all_reduce ins(%x : memref<3xf32>) outs(%x : memref<3xf32>)
      kind = sum axes = ["y"] on @m
  pctl.all_reduce ins(%y : memref<3xi32>) outs(%y : memref<3xi32>)
      kind = maxui axes = ["y"] on @m
  pctl.all_reduce ins(%y : memref<3xi32>) outs(%y : memref<3xi32>)
      kind = minsi axes = ["y"] on @m
  return
}

// NCCL does not say what its max does with a NaN.

// CHECK-LABEL: func.func @reduce_in_order
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<3xf32>, %[[O:[a-z0-9]+]]: memref<3xf32>
// CHECK: %[[PARTS:.*]] = memref.alloc() {{.*}} : memref<4x3xf32>
// CHECK: nccl.all_gather %[[X]], %[[PARTS]] on
// CHECK: %[[FIRST:.*]] = memref.subview %[[PARTS]][0, 0] [1, 3] [1, 1]
// CHECK: linalg.copy ins(%[[FIRST]]
// CHECK: scf.for %[[I:.*]] = %c1 to %c4 step %c1
// CHECK: %[[PART:.*]] = memref.subview %[[PARTS]][%[[I]], 0] [1, 3] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[PART]]
// CHECK: ^bb0(%[[IN:.*]]: f32, %[[SO_FAR:.*]]: f32):
// CHECK: arith.maximumf %[[SO_FAR]], %[[IN]]
func.func @reduce_in_order(%x: memref<3xf32>, %o: memref<3xf32>) {
  pctl.all_reduce ins(%x : memref<3xf32>) outs(%o : memref<3xf32>)
      kind = maximumf axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @scatter_on_an_inner_dim
// CHECK: %[[STAGE:.*]] = memref.alloc() {{.*}} : memref<4x2x1xf32>
// CHECK: linalg.transpose ins({{.*}}) outs(%[[STAGE]] : {{.*}}) permutation = [1, 0, 2]
// CHECK: nccl.reduce_scatter %[[STAGE]], %{{.*}} kind = sum on {{.*}} : memref<4x2x1xf32>, memref<2x1xf32>
func.func @scatter_on_an_inner_dim(%x: memref<2x4xf32>, %o: memref<2x1xf32>) {
  pctl.reduce_scatter ins(%x : memref<2x4xf32>) outs(%o : memref<2x1xf32>)
      kind = sum dim = 1 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @scatter_blocks_that_differ
// CHECK: %[[BLOCK:.*]] = arith.divui %{{.*}}, %c4
// CHECK: %[[STAGE:.*]] = memref.alloc(%[[BLOCK]]) {{.*}} : memref<4x1x?xf32>
// CHECK: linalg.fill ins(%cst : f32) outs(%[[STAGE]]
// CHECK: scf.for
// CHECK: linalg.copy
// CHECK: %[[OWN:.*]] = memref.alloc(%[[BLOCK]]) {{.*}} : memref<1x?xf32>
// CHECK: nccl.reduce_scatter %[[STAGE]], %[[OWN]] kind = sum
// CHECK: linalg.copy
func.func @scatter_blocks_that_differ(%x: memref<?xf32>, %o: memref<?xf32>) {
  pctl.reduce_scatter ins(%x : memref<?xf32>) outs(%o : memref<?xf32>)
      kind = sum dim = 0 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @all_to_all_packs_and_unpacks
// CHECK: %[[SEND:.*]] = memref.alloc() {{.*}} : memref<4x2x6xf32>
// CHECK: linalg.transpose ins({{.*}}) outs(%[[SEND]] : {{.*}}) permutation = [1, 0, 2]
// CHECK: %[[RECV:.*]] = memref.alloc() {{.*}} : memref<4x4x3xf32>
// CHECK: nccl.all_to_all %[[SEND]], %[[RECV]] on
// CHECK: linalg.transpose ins(%[[RECV]] : {{.*}}) permutation = [1, 0, 2]
func.func @all_to_all_packs_and_unpacks(%x: memref<2x8x3xf32>,
                                        %o: memref<2x2x12xf32>) {
  pctl.all_to_all ins(%x : memref<2x8x3xf32>) outs(%o : memref<2x2x12xf32>)
      split_dim = 1 concat_dim = 2 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @broadcast
// CHECK: nccl.broadcast %{{.*}}, %{{.*}} root = 3 on
func.func @broadcast(%x: memref<2xf32>, %o: memref<2xf32>) {
  pctl.broadcast ins(%x : memref<2xf32>) outs(%o : memref<2xf32>)
      root = 3 axes = ["y"] on @m
  return
}

// Only the root's input counts, the others' may be of any size: the call works
// on the output alone.

// CHECK-LABEL: func.func @broadcast_of_what_the_root_alone_has
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[O:[a-z0-9]+]]: memref<2xf32>
// CHECK: scf.if
// CHECK-NEXT: linalg.copy ins(%[[X]] : {{.*}}) outs(%[[O]] : {{.*}})
// CHECK-NEXT: }
// CHECK-NEXT: nccl.broadcast %[[O]], %[[O]] root = 3 on
func.func @broadcast_of_what_the_root_alone_has(%x: memref<?xf32>, %o: memref<2xf32>) {
  pctl.broadcast ins(%x : memref<?xf32>) outs(%o : memref<2xf32>)
      root = 3 axes = ["y"] on @m
  return
}

// A shift is arithmetic.

// CHECK-LABEL: func.func @permute_shift
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2xf32>, %[[O:[a-z0-9]+]]: memref<2xf32>
// CHECK: nccl.group_start
// CHECK: nccl.send %[[X]] to
// CHECK: nccl.recv %[[O]] from
// CHECK: nccl.group_end
func.func @permute_shift(%x: memref<2xf32>, %o: memref<2xf32>) {
  pctl.permute ins(%x : memref<2xf32>) outs(%o : memref<2xf32>)
      pairs = [[0, 1], [1, 2], [2, 3], [3, 0]] axes = ["y"] on @m
  return
}

// Any other permute reads its pairs from a table.

// CHECK-LABEL: func.func @permute_pairs
// CHECK: %[[TABLE:.*]] = memref.get_global @pctl_table : memref<2x2xi64>
// CHECK: nccl.group_start
// CHECK: scf.for
// CHECK: scf.if
// CHECK: nccl.send
// CHECK: scf.if
// CHECK: nccl.recv
// CHECK: nccl.group_end
func.func @permute_pairs(%x: memref<2xf32>, %o: memref<2xf32>) {
  pctl.permute ins(%x : memref<2xf32>) outs(%o : memref<2xf32>)
      pairs = [[0, 1], [3, 0]] axes = ["y"] on @m
  return
}

// Types that NCCL lacks travel as bytes.

// CHECK-LABEL: func.func @gather_bits
// CHECK: %[[SEND:.*]] = memref.alloc() {{.*}} : memref<3xi8>
// CHECK: %[[VIEW:.*]] = memref.view %[[SEND]][%c0][] : memref<3xi8> to memref<3xi1>
// CHECK: linalg.copy ins(%{{.*}} : memref<3xi1>) outs(%[[VIEW]] : memref<3xi1>)
// CHECK: %[[RECV:.*]] = memref.alloc() {{.*}} : memref<12xi8>
// CHECK: nccl.all_gather %[[SEND]], %[[RECV]] on
func.func @gather_bits(%x: memref<3xi1>, %o: memref<12xi1>) {
  pctl.all_gather ins(%x : memref<3xi1>) outs(%o : memref<12xi1>)
      dim = 0 axes = ["y"] on @m
  return
}

// Buffers with gaps, and an output that is the input, are copied first.

// CHECK-LABEL: func.func @gather_from_a_strided_buffer
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<2x2xf32, strided<[8, 1]>>
// CHECK: %[[STAGE:.*]] = memref.alloc() {{.*}} : memref<2x2xf32>
// CHECK: linalg.copy ins(%[[X]] : {{.*}}) outs(%[[STAGE]]
// CHECK: nccl.all_gather %[[STAGE]],
func.func @gather_from_a_strided_buffer(%x: memref<2x2xf32, strided<[8, 1]>>,
                                        %o: memref<8x2xf32>) {
  pctl.all_gather ins(%x : memref<2x2xf32, strided<[8, 1]>>)
      outs(%o : memref<8x2xf32>) dim = 0 axes = ["y"] on @m
  return
}

// CHECK-LABEL: func.func @permute_in_place
// CHECK: %[[STAGE:.*]] = memref.alloc() {{.*}} : memref<2xf32>
// CHECK: linalg.copy ins(%[[X:.*]] : memref<2xf32>) outs(%[[STAGE]]
// CHECK: nccl.send %[[STAGE]] to
// CHECK: nccl.recv %[[X]] from
func.func @permute_in_place(%x: memref<2xf32>) {
  pctl.permute ins(%x : memref<2xf32>) outs(%x : memref<2xf32>)
      pairs = [[0, 1], [1, 2], [2, 3], [3, 0]] axes = ["y"] on @m
  return
}

// -----

// In a group of one rank everything is a copy, and no communicator is made.

pctl.mesh @m <["x"=2, "y"=1]>

// CHECK-LABEL: func.func @group_of_one
// CHECK-SAME: (%{{[a-z0-9]+}}: !nccl.comm, %{{[a-z0-9]+}}: !nccl.stream, %[[X:[a-z0-9]+]]: memref<2x3xf32>, %[[O:[a-z0-9]+]]: memref<2x3xf32>)
// CHECK: linalg.copy ins(%[[X]] : memref<2x3xf32>) outs(%[[O]] : memref<2x3xf32>)
// CHECK-NEXT: return
// CHECK-NOT: _comms
func.func @group_of_one(%x: memref<2x3xf32>, %o: memref<2x3xf32>) {
  pctl.all_gather ins(%x : memref<2x3xf32>) outs(%o : memref<2x3xf32>)
      dim = 1 axes = ["y"] on @m
  return
}
