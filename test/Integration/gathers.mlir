// Gathers, packs and unpacks of cut tensors. Integers are random in 0 to 7.
//
// RUN: pctl-run %s --entry rows --verify | FileCheck %s
// RUN: pctl-run %s --entry elements --verify | FileCheck %s
// RUN: pctl-run %s --entry tiles --verify | FileCheck %s
// CHECK: {{^}}verified

pctl.mesh @m <["x"=4]>

// Each rank looks up what it has of the table.
func.func @rows(%table: tensor<32x64xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %ids: tensor<8x1xi32>) -> tensor<8x64xf32> {
  %0 = tensor.gather %table[%ids] gather_dims([0]) : (tensor<32x64xf32>, tensor<8x1xi32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

func.func @elements(%table: tensor<8x6x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {}]>},
                    %ids: tensor<4x3x2xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>})
    -> (tensor<4x3x6xf32>, tensor<4x3x1x6x1xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}, {}, {}]>}) {
  %0 = tensor.gather %table[%ids] gather_dims([0, 2]) : (tensor<8x6x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x6xf32>
  %1 = tensor.gather %table[%ids] gather_dims([0, 2]) : (tensor<8x6x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1x6x1xf32>
  return %0, %1 : tensor<4x3x6xf32>, tensor<4x3x1x6x1xf32>
}

func.func @tiles(%x: tensor<7x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> (tensor<7x8xf32>, tensor<4x2x2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x2x4xf32>
  %0 = linalg.pack %x padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<7x8xf32> -> tensor<4x2x2x4xf32>
  %f = tensor.empty() : tensor<7x8xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %f : tensor<4x2x2x4xf32> -> tensor<7x8xf32>
  return %1, %0 : tensor<7x8xf32>, tensor<4x2x2x4xf32>
}
