// RUN: pctl-opt %s --pctl-prepare-bufferization --split-input-file --verify-diagnostics

func.func @softmax_of_buffers(%x: memref<2x3xf32>, %y: memref<2x3xf32>) {
  // expected-error@+1 {{'linalg.softmax' op is on buffers; only on tensors is it taken apart}}
  linalg.softmax dimension(1) ins(%x : memref<2x3xf32>)
      outs(%y : memref<2x3xf32>)
  return
}

// -----

pctl.mesh @m <["x"=2]>
// expected-error@+1 {{'func.func' op breaks C3 of the planned form: argument #0 has 'pctl.layout' but no 'pctl.global_type'}}
func.func @annotated(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @laid_out(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.addf' op breaks C1 of the planned form: it has 'pctl.layouts'}}
  %r = arith.addf %x, %x {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{pctl-prepare-bufferization needs the planned form, but the module is in the local form; run pctl-plan-redistribution first}}
module attributes {pctl.form = "local"} {}

// -----

// Entries have their communicators already.
// expected-error@+1 {{pctl-prepare-bufferization needs the planned form, but the module is in the buffers form}}
module attributes {pctl.form = "buffers"} {}
