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

// CHECK-LABEL: func.func @parts_without_elements
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<2x4xf32> {{.*}}, %[[B:[a-z0-9]+]]: tensor<0x4xf32>
// CHECK: %[[JOINED:.*]] = tensor.concat dim(0) %[[A]], %[[A]] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK: return %[[JOINED]], %[[A]]
func.func @parts_without_elements(%a: tensor<2x4xf32>, %b: tensor<0x4xf32>)
    -> (tensor<4x4xf32>, tensor<2x4xf32>) {
  %0 = tensor.concat dim(0) %a, %b, %a : (tensor<2x4xf32>, tensor<0x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = tensor.concat dim(0) %a, %b : (tensor<2x4xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @results_without_elements
// CHECK: %[[SIX:.*]] = arith.constant 6 : index
// CHECK: %[[JOINED:.*]] = tensor.empty(%[[SIX]]) : tensor<0x?xf32>
// CHECK: %[[PADDED:.*]] = tensor.empty() : tensor<0x5xf32>
// CHECK: return %[[JOINED]], %[[PADDED]]
func.func @results_without_elements(%a: tensor<0x3xf32>, %f: f32)
    -> (tensor<0x?xf32>, tensor<0x5xf32>) {
  %b = tensor.cast %a : tensor<0x3xf32> to tensor<0x?xf32>
  %0 = tensor.concat dim(1) %b, %a : (tensor<0x?xf32>, tensor<0x3xf32>) -> tensor<0x?xf32>
  %1 = tensor.pad %a low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<0x3xf32> to tensor<0x5xf32>
  return %0, %1 : tensor<0x?xf32>, tensor<0x5xf32>
}

// CHECK-LABEL: func.func @padding_alone
// CHECK: %[[PADDED:.*]] = tensor.generate {
// CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK: tensor.yield %[[J]] : index
// CHECK: } : tensor<2x3xindex>
// CHECK: return %[[PADDED]]
func.func @padding_alone(%a: tensor<2x0xindex>) -> tensor<2x3xindex> {
  %0 = tensor.pad %a low[0, 3] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %j : index
  } : tensor<2x0xindex> to tensor<2x3xindex>
  return %0 : tensor<2x3xindex>
}
