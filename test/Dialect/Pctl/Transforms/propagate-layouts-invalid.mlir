// RUN: pctl-opt %s --pctl-propagate-layouts -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-error@+1 {{pctl-propagate-layouts needs the annotated form, but the module is in the local form}}
module attributes {pctl.form = "local"} {}

// -----

// expected-error@+1 {{program declares no mesh, so there is nothing to lay it out on}}
module {
  func.func @main(%x: tensor<8xf32>) { return }
}

// -----

// expected-error@+1 {{program declares several meshes, and no layout says on which to lay it out}}
module {
  pctl.mesh @m <["a"=2]>
  pctl.mesh @n <["a"=2]>
}

// -----

pctl.mesh @m <["a"=2]>
pctl.mesh @n <["a"=2]>
// expected-note@+1 {{first layout here}}
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'pctl.shard' op has a layout on mesh @n, but the program is laid out on one mesh, @m}}
  %0 = pctl.shard %x to <@n, [{"a"}]> : tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["a"=2]>
// expected-note@+1 {{function declared here}}
func.func @even(%x: tensor<8xf32>) {
  call @odd(%x) : (tensor<8xf32>) -> ()
  return
}
func.func @odd(%x: tensor<8xf32>) {
  // expected-error@+1 {{'func.call' op calls 'even' from within itself, and recursion can't be laid out}}
  call @even(%x) : (tensor<8xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["a"=2]>
// expected-note@+1 {{function declared here}}
func.func private @cut(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) { return }
func.func @main(%x: tensor<8xf32>) {
  scf.forall (%i) in (2) {
    // expected-error@+1 {{'func.call' op needs function 'cut' to take and return whole tensors, but argument #0 is laid out as #pctl.layout<@m, [{"a"}]>}}
    func.call @cut(%x) : (tensor<8xf32>) -> ()
  }
  return
}

// -----

pctl.mesh @m <["a"=2]>
// expected-note@+1 {{function declared here}}
func.func private @cut(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) { return }
func.func @main() {
  // expected-error@+1 {{'func.constant' op needs function 'cut' to take and return whole tensors, but argument #0 is laid out as #pctl.layout<@m, [{"a"}]>}}
  %f = func.constant @cut : (tensor<8xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%init : tensor<8xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'pctl.shard' op is inside a 'linalg.generic', and only bodies of functions and of structured control flow are laid out}}
    %1 = pctl.shard %x to <@m, [{"a"}]> : tensor<8xf32>
    %2 = tensor.extract %1[%c0] : tensor<8xf32>
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

pctl.mesh @m <["a"=2]>
// expected-error@+1 {{'func.func' op has a block that takes a tensor, and control flow between blocks can't be laid out}}
func.func @main(%x: tensor<8xf32>) {
  cf.br ^bb1(%x : tensor<8xf32>)
^bb1(%y: tensor<8xf32>):
  return
}

// -----

// A rule that the attribute's own constraints let through, but that can't be cut.
pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'test.op' op has a rule that does not fit it: factor 1 passes through, but is in 1 of 2 results}}
  %0:2 = "test.op"(%x) {pctl.rule = #pctl.rule<([i, j]) -> ([i, j], [i])>}
      : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>)
  return
}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8x4xf32>) {
  // expected-error@+1 {{'test.op' op has a rule that does not fit it: rule reduces by sum and by maximumf, and does not say in which order}}
  %0 = "test.op"(%x) {pctl.rule = #pctl.rule<([i, j]) -> ([]), reduce = [i: sum, j: maximumf]>}
      : (tensor<8x4xf32>) -> tensor<f32>
  return
}
