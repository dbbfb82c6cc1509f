// RUN: pctl-opt %s --pctl-convert-to-nccl --split-input-file | FileCheck %s

// An entry gets a communicator for each list of axes that it or its callees
// use, in one order: by mesh, then by axes.

pctl.mesh @m <["x"=2, "y"=3, "z"=4]>

// CHECK: module attributes {pctl.form = "buffers"}
// CHECK-NOT: pctl.mesh

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[WORLD:[a-z0-9]+]]: !nccl.comm,
// CHECK-SAME: %[[X:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"x">]},
// CHECK-SAME: %[[ZX:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"z">, #pctl.axis<"x">]},
// CHECK-SAME: %[[SUB:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"z":(2)2>]},
// CHECK-SAME: %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[V:[a-z0-9]+]]: memref<4xf32>) -> index
// CHECK-SAME: llvm.emit_c_interface
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"x">], [#pctl.axis<"z">, #pctl.axis<"x">], [#pctl.axis<"z":(2)2>]]
// CHECK-SAME: nccl.signature = (memref<4xf32>) -> index
// CHECK: call @over_zx(%[[WORLD]], %[[ZX]], %[[STREAM]], %[[V]])
// CHECK: nccl.all_reduce %[[V]], %[[V]] kind = sum on %[[SUB]], %[[STREAM]]
// CHECK: nccl.all_reduce %[[V]], %[[V]] kind = sum on %[[X]], %[[STREAM]]
// CHECK: %[[N:.*]] = call @plain()
func.func @main(%v: memref<4xf32>) -> index {
  call @over_zx(%v) : (memref<4xf32>) -> ()
  pctl.all_reduce ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
      kind = sum axes = ["z":(2)2] on @m
  pctl.all_reduce ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
      kind = sum axes = ["x"] on @m
  %n = call @plain() : () -> index
  return %n : index
}

// Splits once for each, by the number of the group and the place in it: the
// strides of x, y and z are 12, 4 and 1.

// CHECK-LABEL: func.func @main_comms
// CHECK-SAME: (%[[WORLD:[a-z0-9]+]]: !nccl.comm) -> (!nccl.comm {nccl.axes = [#pctl.axis<"x">]}, !nccl.comm {nccl.axes = [#pctl.axis<"z">, #pctl.axis<"x">]}, !nccl.comm {nccl.axes = [#pctl.axis<"z":(2)2>]}) attributes {llvm.emit_c_interface}
// CHECK: %[[NUMBER:.*]] = nccl.comm_user_rank %[[WORLD]] : i32
// CHECK: %[[RANK:.*]] = arith.index_cast %[[NUMBER]]
// CHECK: nccl.comm_split %[[WORLD]] color = %{{.*}} key = %{{.*}}
// CHECK: nccl.comm_split %[[WORLD]] color = %{{.*}} key = %{{.*}}
// CHECK: nccl.comm_split %[[WORLD]] color = %{{.*}} key = %{{.*}}
// CHECK-NOT: nccl.comm_split
// CHECK: return

// CHECK-LABEL: func.func private @over_zx
// CHECK-SAME: (%{{[a-z0-9]+}}: !nccl.comm, %[[COMM:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"z">, #pctl.axis<"x">]}, %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[V:[a-z0-9]+]]: memref<4xf32>)
// CHECK-NOT: nccl.signature
// CHECK: nccl.all_reduce %[[V]], %[[V]] kind = sum on %[[COMM]], %[[STREAM]]
func.func private @over_zx(%v: memref<4xf32>) {
  pctl.all_reduce ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
      kind = sum axes = ["z", "x"] on @m
  return
}

// CHECK-LABEL: func.func private @plain() -> index
func.func private @plain() -> index {
  %c = arith.constant 1 : index
  return %c : index
}

// -----

// Axes that are one after the other are one.

pctl.mesh @m <["x"=8]>

// CHECK-LABEL: func.func @same_group_written_twice
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"x":(1)4>]]
func.func @same_group_written_twice(%v: memref<4xf32>) {
  pctl.all_reduce ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
      kind = sum axes = ["x":(1)2, "x":(2)2] on @m
  pctl.all_reduce ins(%v : memref<4xf32>) outs(%v : memref<4xf32>)
      kind = sum axes = ["x":(1)4] on @m
  return
}

// -----

// A program without collectives has entries, too; external functions have none.

// CHECK-LABEL: func.func @alone
// CHECK-SAME: (%{{[a-z0-9]+}}: !nccl.comm, %{{[a-z0-9]+}}: !nccl.stream, %{{[a-z0-9]+}}: memref<2xf32>)
// CHECK-SAME: nccl.comms = [], nccl.signature = (memref<2xf32>) -> ()
func.func @alone(%x: memref<2xf32>) {
  call @outside(%x) : (memref<2xf32>) -> ()
  return
}
// CHECK: func.func private @outside(memref<2xf32>)
func.func private @outside(memref<2xf32>)
