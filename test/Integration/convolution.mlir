// Convolutions cut by what their windows leave alone.

// RUN: pctl-run %s --entry batch_and_channels --ranks 4 --verify
// RUN: pctl-run %s --entry contracted_channels --ranks 4 --verify
// RUN: pctl-run %s --entry image_cut_by_rows --ranks 4 --verify
// RUN: pctl-run %s --entry softmax_rows --ranks 4 --verify

pctl.mesh @m <["x"=2, "y"=2]>

func.func @batch_and_channels(%a: tensor<8x4x8x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}, {}]>},
    %w: tensor<8x4x3x3xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}, {}, {}]>}) -> tensor<8x8x3x3xf32> {
  %init = arith.constant dense<0.0> : tensor<8x8x3x3xf32>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<8x4x8x8xf32>, tensor<8x4x3x3xf32>)
      outs(%init : tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf32>
  return %0 : tensor<8x8x3x3xf32>
}

func.func @contracted_channels(%a: tensor<1x5x6x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {}, {}]>},
    %w: tensor<2x5x3x3xf32>, %init: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x5x6x6xf32>, tensor<2x5x3x3xf32>) outs(%init : tensor<1x2x4x4xf32>)
      -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

func.func @image_cut_by_rows(%a: tensor<1x1x5x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>},
    %w: tensor<1x1x3x3xf32>) -> (tensor<1x1x3x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>}) {
  %init = arith.constant dense<0.0> : tensor<1x1x3x4xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x1x5x6xf32>, tensor<1x1x3x3xf32>) outs(%init : tensor<1x1x3x4xf32>)
      -> tensor<1x1x3x4xf32>
  return %0 : tensor<1x1x3x4xf32>
}

func.func @softmax_rows(%a: tensor<5x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}]>})
    -> (tensor<5x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %e = tensor.empty() : tensor<5x6xf32>
  %0 = linalg.softmax dimension(1) ins(%a : tensor<5x6xf32>) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
