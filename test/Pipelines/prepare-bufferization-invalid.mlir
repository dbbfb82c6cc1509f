// RUN: pctl-opt %s --pctl-prepare-bufferization --verify-diagnostics

func.func @softmax_of_buffers(%x: memref<2x3xf32>, %y: memref<2x3xf32>) {
  // expected-error@+1 {{'linalg.softmax' op is on buffers; only on tensors is it taken apart}}
  linalg.softmax dimension(1) ins(%x : memref<2x3xf32>)
      outs(%y : memref<2x3xf32>)
  return
}
