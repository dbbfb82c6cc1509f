// RUN: pctl-opt %s --pctl-prepare-bufferization | FileCheck %s

pctl.mesh @m <["x"=2]>

// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<4xf32> {bufferization.writable = false}, %{{[a-z0-9]+}}: tensor<4xf32> {bufferization.writable = true}, %{{[a-z0-9]+}}: index) -> tensor<4xf32> {
func.func @entry(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>,
                                    pctl.global_type = tensor<8xf32>},
                 %y: tensor<4xf32> {bufferization.writable = true}, %n: index)
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>,
                       pctl.global_type = tensor<8xf32>}) {
  %r = math.exp %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: (%{{[a-z0-9]+}}: tensor<4xf32>)
func.func private @callee(%x: tensor<4xf32>) {
  return
}

// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg.softmax
// CHECK: math.exp
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<2x3xf32>)
      outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
