// RUN: pctl-opt %s --pctl-prepare-bufferization --split-input-file --verify-diagnostics

func.func @softmax_of_buffers(%x: memref<2x3xf32>, %y: memref<2x3xf32>) {
  // expected-error@+1 {{'linalg.softmax' op is on buffers; only on tensors is it taken apart}}
  linalg.softmax dimension(1) ins(%x : memref<2x3xf32>)
      outs(%y : memref<2x3xf32>)
  return
}

// -----

// expected-error@+1 {{pctl-prepare-bufferization needs the planned form, but the module is in the local form; run pctl-plan-redistribution first}}
module attributes {pctl.form = "local"} {}

// -----

// Entries have their communicators already.
// expected-error@+1 {{pctl-prepare-bufferization needs the planned form, but the module is in the buffers form}}
module attributes {pctl.form = "buffers"} {}
