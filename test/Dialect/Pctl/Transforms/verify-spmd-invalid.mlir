// Every error of pctl-verify-spmd, whole, with its notes.
//
// RUN: pctl-opt %s -split-input-file -verify-diagnostics --pctl-verify-spmd

pctl.mesh @m <["x"=2, "y"=2]>
func.func @condition_differs(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["x"] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{%1 decides here}}
  %r = scf.if %first -> (tensor<4xf32>) {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x,y, but not all ranks along x need come to it: what decides in 'scf.if' around it differs along x}}
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["y", "x"] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=8]>
func.func @condition_differs_along_a_factor(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["x":(1)4] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{%1 decides here}}
  scf.if %first {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x:(2)4, but not all ranks along x:(2)2 need come to it: what decides in 'scf.if' around it differs along x:(2)2}}
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x":(2)4] on @m -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

// Each rank has its own part of the norm.

pctl.mesh @m <["x"=2]>
// expected-note@+1 {{argument #0 of 'while_condition_differs' differs between ranks}}
func.func @while_condition_differs(
    %x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<8xf32>}) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %small = arith.constant 1.0 : f32
  // expected-note@+1 {{%3 decides here}}
  %r = scf.while (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %part = linalg.reduce { arith.addf } ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %e = tensor.empty() : tensor<f32>
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'scf.while' around it differs along x}}
    %sum = pctl.all_reduce ins(%part : tensor<f32>) outs(%e : tensor<f32>) kind = sum axes = ["x"] on @m -> tensor<f32>
    %s = tensor.extract %part[] : tensor<f32>
    %go = arith.cmpf ogt, %s, %small : f32
    scf.condition(%go) %v : tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>):
    %half = arith.mulf %v, %v : tensor<4xf32>
    scf.yield %half : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @trip_count_differs(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{it differs since here}}
  %offset, %size = pctl.block_range 5 by ["x"] on @m : index, index
  // expected-note@+1 {{%size decides here}}
  %r = scf.for %i = %c0 to %size step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'scf.for' around it differs along x}}
    %s = pctl.all_reduce ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What a loop leaves behind differs if ranks leave it at different times, even
// if all do the same in an iteration.

pctl.mesh @m <["x"=2]>
func.func @left_at_different_times(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{it differs since here}}
  %n = pctl.axis_index ["x"] on @m : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %c0) -> (index) {
    %next = arith.addi %v, %c1 : index
    scf.yield %next : index
  }
  %go = arith.cmpi eq, %last, %c1 : index
  // expected-note@+1 {{%2 decides here}}
  scf.if %go {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'scf.if' around it differs along x}}
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

// The value comes out of a function, and the collective is in another one.

pctl.mesh @m <["x"=2, "y"=2]>
func.func private @where() -> index {
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["y"] on @m : index
  return %i : index
}
func.func private @inner(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pctl.all_reduce' op communicates along y, but not all ranks along y need come to it: what decides in 'scf.index_switch' around a call differs along y}}
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["y"] on @m -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{called here}}
  %s = func.call @inner(%x, %o) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @through_calls(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %i = func.call @where() : () -> index
  // expected-note@+1 {{%0 decides here}}
  %r = scf.index_switch %i -> tensor<4xf32>
  case 0 {
    // expected-note@+1 {{called here}}
    %s = func.call @outer(%x, %o) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  default {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @branches_differ(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["x"] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{%1 decides here}}
  cf.cond_br %first, ^bb1, ^bb2
^bb1:
  // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'cf.cond_br' around it differs along x}}
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  cf.br ^bb2
^bb2:
  return
}

// -----

// All ranks come to the last block, but not equally often to the loop.

pctl.mesh @m <["x"=2]>
func.func @loop_of_blocks(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %n = pctl.axis_index ["x"] on @m : index
  cf.br ^bb1(%c0 : index)
^bb1(%i: index):
  // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'cf.cond_br' around it differs along x}}
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  %go = arith.cmpi ult, %i, %n : index
  // expected-note@+1 {{%3 decides here}}
  cf.cond_br %go, ^bb1(%n : index), ^bb2
^bb2:
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @from_memory(%x: tensor<4xf32>, %o: tensor<4xf32>, %f: memref<i1>) {
  // expected-note@+1 {{it differs since here}}
  %c = memref.load %f[] : memref<i1>
  // expected-note@+1 {{%0 decides here}}
  scf.if %c {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'scf.if' around it differs along x}}
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

// What is different on another mesh may be different everywhere on this one.

pctl.mesh @m <["x"=2, "y"=2]>
pctl.mesh @n <["all"=4]>
func.func @another_mesh(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["all"] on @n : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{%1 decides here}}
  scf.if %first {
    // expected-error@+1 {{'pctl.permute' op communicates along y, but not all ranks along y need come to it: what decides in 'scf.if' around it differs along y}}
    %s = pctl.permute ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) pairs = [[0, 1]] axes = ["y"] on @m -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @order_unknown(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  %c4 = arith.constant 4 : index
  %r = scf.forall (%i) in (%c4) shared_outs(%v = %x) -> (tensor<4xf32>) {
    // expected-error@+1 {{'pctl.all_reduce' op communicates inside 'scf.forall', which does not say how often and in which order it runs what is inside}}
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %v[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return
}

// -----

// What is inserted in a parallel loop is in its result.

pctl.mesh @m <["x"=2]>
func.func @inserted(%x: tensor<4xi1> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<4xi1>},
                    %y: tensor<4xf32>, %o: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["x"] on @m : index
  %b = arith.index_cast %i : index to i1
  %e = tensor.from_elements %b : tensor<1xi1>
  %r = scf.forall (%j) in (4) shared_outs(%v = %x) -> (tensor<4xi1>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %v[%j] [1] [1] : tensor<1xi1> into tensor<4xi1>
    }
  }
  %c = tensor.extract %r[%c0] : tensor<4xi1>
  // expected-note@+1 {{%extracted decides here}}
  scf.if %c {
    // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but not all ranks along x need come to it: what decides in 'scf.if' around it differs along x}}
    %s = pctl.all_reduce ins(%y : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield
  }
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  %o = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'pctl.all_reduce' op communicates in a function of which the address is taken, so that nothing says who calls it}}
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @address(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{address taken here}}
  %f = func.constant @called : (tensor<4xf32>) -> tensor<4xf32>
  %r = func.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
// expected-note@+1 {{argument #0 of 'sizes_differ' differs between ranks}}
func.func @sizes_differ(
    %x: tensor<?x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<5x4xf32>}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  // expected-error@+1 {{'pctl.all_reduce' op communicates along x, but the size of dim 0 of %arg0 differs along x}}
  %s = pctl.all_reduce ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) kind = sum axes = ["x"] on @m -> tensor<?x4xf32>
  return %s : tensor<?x4xf32>
}

// -----

// The joined dim may differ, the other one must not.

pctl.mesh @m <["x"=2]>
func.func @size_of_another_dim_differs(%x: tensor<8x8xf32>) {
  // expected-note@+1 {{it differs since here}}
  %offset, %size = pctl.block_range 5 by ["x"] on @m : index, index
  %part = tensor.extract_slice %x[0, 0] [%size, %size] [1, 1] : tensor<8x8xf32> to tensor<?x?xf32>
  %e = tensor.empty() : tensor<5x5xf32>
  // expected-error@+1 {{'pctl.all_gather' op communicates along x, but the size of dim 1 of %extracted_slice differs along x}}
  %s = pctl.all_gather ins(%part : tensor<?x?xf32>) outs(%e : tensor<5x5xf32>) dim = 0 axes = ["x"] on @m -> tensor<5x5xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
pctl.mesh @n <["x"=4]>
func.func private @other(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'pctl.all_reduce' op is on a mesh of 4 ranks, but 'two_meshes' also uses one of 2; all ranks of a program take part in each of its meshes}}
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @n -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @two_meshes(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  // expected-note@+1 {{other mesh used here}}
  %0 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  %1 = func.call @other(%x, %o) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
pctl.mesh @n <["x"=2]> device_ids = [1, 0]
func.func @other_devices(%x: tensor<4xf32>, %o: tensor<4xf32>) {
  // expected-note@+1 {{other mesh used here}}
  %i = pctl.axis_index ["x"] on @m : index
  // expected-error@+1 {{'pctl.all_reduce' op is on a mesh of other devices than one that 'other_devices' also uses; all ranks of a program take part in each of its meshes}}
  %1 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @n -> tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{pctl-verify-spmd needs the planned form, but the module is in the annotated form; run pctl-plan-redistribution first}}
module attributes {pctl.form = "annotated"} {
}

// -----

// Along which axes a redistribute communicates is not known before it is
// planned: replicas along y may share the sending.

module attributes {pctl.form = "local"} {
pctl.mesh @m <["x"=2, "y"=2]>
func.func @redistribute_differs(
    %x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<8xf32>}) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it differs since here}}
  %i = pctl.axis_index ["y"] on @m : index
  %c = arith.cmpi eq, %i, %c0 : index
  // expected-note@+1 {{%1 decides here}}
  scf.if %c {
    // expected-error@+1 {{'pctl.redistribute' op communicates along x,y, but not all ranks along y need come to it: what decides in 'scf.if' around it differs along y}}
    %g = pctl.redistribute %x from <@m, [{"x"}]> to <@m, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8xf32>
    scf.yield
  }
  return
}
}
