// RUN: pctl-opt %s --pctl-convert-to-nccl --split-input-file --verify-diagnostics

pctl.mesh @m <["x"=2]>
func.func @on_tensors(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pctl.broadcast' op is on tensors; bufferize it first}}
  %r = pctl.broadcast ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>)
      root = 0 axes = ["x"] on @m -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @global_view(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pctl.shard' op has no meaning on one rank; plan the program first}}
  %r = pctl.shard %x to <@m, [{"x"}]> : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @type_without_bytes(%x: memref<4xtf32>, %o: memref<4xtf32>) {
  // expected-error@+1 {{'pctl.broadcast' op cannot move elements of type 'tf32'; it can integers of up to 128 bits, index, floats but tf32, and complex numbers of these}}
  pctl.broadcast ins(%x : memref<4xtf32>) outs(%o : memref<4xtf32>)
      root = 0 axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @type_without_arithmetic(%x: memref<4xf8E5M2>) {
  // expected-error@+1 {{'pctl.all_reduce' op cannot reduce elements of type 'f8E5M2' by maximumf; it can those that NCCL reduces so, and signless integers, index, and floats of at least 16 bits}}
  pctl.all_reduce ins(%x : memref<4xf8E5M2>) outs(%x : memref<4xf8E5M2>)
      kind = maximumf axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=2]>
pctl.mesh @n <["x"=3]>
func.func @meshes_of_different_sizes(%x: memref<4xf32>) {
  // expected-note@+1 {{other mesh used here}}
  pctl.all_reduce ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
      kind = sum axes = ["x"] on @m
  // expected-error@+1 {{'pctl.all_reduce' op is on a mesh of 3 ranks, but 'meshes_of_different_sizes' also uses one of 2; all ranks of a program take part in each of its meshes}}
  pctl.all_reduce ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
      kind = sum axes = ["x"] on @n
  return
}

// -----

// expected-error@+1 {{'func.func' op needs the name 'f_comms' for the function that makes its communicators}}
func.func @f() {
  return
}
// expected-note@+1 {{already defined here}}
func.func @f_comms() {
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @by_value() -> (() -> index) {
  // expected-note@+1 {{used here}}
  %f = constant @place : () -> index
  return %f : () -> index
}
// expected-error@+1 {{'func.func' op takes communicators, but is used other than by 'func.call' in a function, so that it cannot be handed any}}
func.func private @place() -> index {
  %p = pctl.axis_index ["x"] on @m : index
  return %p : index
}

// -----

// expected-error@+1 {{'func.func' op takes communicators, but is used other than by 'func.call' in a function, so that it cannot be handed any}}
func.func @called_from_elsewhere(%x: memref<4xf32>) {
  return
}
llvm.func @not_converted() {
  %x = memref.alloc() : memref<4xf32>
  // expected-note@+1 {{used here}}
  func.call @called_from_elsewhere(%x) : (memref<4xf32>) -> ()
  llvm.return
}

// -----

pctl.mesh @m <["x"=12]>
func.func @axes_that_do_not_fit(%x: memref<20xf32>, %o: memref<60xf32>) {
  // expected-error@+1 {{'pctl.exchange' op splits an axis in its axes and in its layout in ways that do not divide each other}}
  pctl.exchange ins(%x : memref<20xf32>) outs(%o : memref<60xf32>)
      from <@m, [{"x":(2)3}]> to <@m, [{}]>
      of tensor<60xf32> axes = ["x":(3)2, "x":(1)3] on @m
  return
}

// -----

func.func @no_op_of_pctl(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op is on tensors; bufferize it first}}
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op is on tensors; bufferize it first}}
func.func private @without_body(tensor<4xf32>)

// -----

// expected-error@+1 {{pctl-convert-to-nccl needs the planned form, but the module is in the laid-out form; run pctl-plan-redistribution first}}
module attributes {pctl.form = "laid-out"} {
}

// -----

// expected-error@+1 {{pctl-convert-to-nccl needs the planned form, but the module is in the buffers form}}
module attributes {pctl.form = "buffers"} {
}
