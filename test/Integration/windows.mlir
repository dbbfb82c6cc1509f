// Windows over cut dims: ranks exchange the edges of their blocks.

// RUN: pctl-run %s --entry corners --ranks 4 --verify
// RUN: pctl-run %s --entry padded_corners --ranks 4 --verify
// RUN: pctl-run %s --entry wider_than_a_block --ranks 4 --verify
// RUN: pctl-run %s --entry strided_and_dilated --ranks 4 --verify
// RUN: pctl-run %s --entry uneven_rows --ranks 4 --verify
// RUN: pctl-run %s --entry ranks_without_rows --ranks 4 --verify
// RUN: pctl-run %s --entry rows_left_over --ranks 4 --verify
// RUN: pctl-run %s --entry poolings --ranks 4 --verify
// RUN: pctl-run %s --entry depthwise --ranks 4 --verify
// RUN: pctl-run %s --entry volume --ranks 4 --verify
// RUN: pctl-run %s --entry whole_input --ranks 4 --verify
// RUN: pctl-run %s --entry explicit_blocks --ranks 4 --verify
// RUN: pctl-run %s --entry gradient_of_weights --ranks 4 --verify
// RUN: pctl-run %s --entry turned_around --ranks 4 --verify
// RUN: pctl-run %s --entry padding_by_place --ranks 4 --verify
// RUN: pctl-run %s --entry chain --ranks 4 --verify

pctl.mesh @m <["x"=2, "y"=2]>

func.func @corners(%a: tensor<1x1x4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {"y"}]>}, %w: tensor<1x1x3x3xf32>)
    -> (tensor<1x1x2x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {"y"}]>}) {
  %init = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) outs(%init : tensor<1x1x2x2xf32>)
      -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

func.func @padded_corners(%a: tensor<1x4x4x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {"y"}, {}]>}, %w: tensor<3x3x2x3xf32>)
    -> tensor<1x4x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x2xf32> to tensor<1x6x6x2xf32>
  %init = arith.constant dense<1.0> : tensor<1x4x4x3xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) outs(%init : tensor<1x4x4x3xf32>)
      -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// Five rows are read for each of four, of which each rank holds one.
func.func @wider_than_a_block(%a: tensor<4x3xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}, {}]>}, %w: tensor<5x1xf32>)
    -> tensor<4x3xf32> {
  %v = arith.constant 2.0 : f32
  %p = tensor.pad %a low[2, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x3xf32> to tensor<8x3xf32>
  %init = arith.constant dense<0.0> : tensor<4x3xf32>
  %0 = linalg.conv_2d ins(%p, %w : tensor<8x3xf32>, tensor<5x1xf32>) outs(%init : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @strided_and_dilated(%a: tensor<2x15x14x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {"y"}, {}]>}, %w: tensor<3x2x3x4xf32>)
    -> (tensor<2x6x6x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {"y"}, {}]>}) {
  %init = arith.constant dense<0.0> : tensor<2x6x6x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<[2, 3]> : tensor<2xi64>}
      ins(%a, %w : tensor<2x15x14x3xf32>, tensor<3x2x3x4xf32>) outs(%init : tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xf32>
  return %0 : tensor<2x6x6x4xf32>
}

func.func @uneven_rows(%a: tensor<9x5xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}, {}]>}, %w: tensor<3x2xf32>,
    %init: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = linalg.conv_2d ins(%a, %w : tensor<9x5xf32>, tensor<3x2xf32>) outs(%init : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

// Three rows over four ranks, of seven that are read.
func.func @ranks_without_rows(%a: tensor<7xi32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}, %w: tensor<5xi32>,
    %init: tensor<3xi32>) -> (tensor<3xi32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}) {
  %0 = linalg.conv_1d ins(%a, %w : tensor<7xi32>, tensor<5xi32>) outs(%init : tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// A stride that leaves the last rows unread.
func.func @rows_left_over(%a: tensor<1x8x4x1xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x", "y"}, {}, {}]>}, %k: tensor<1x1xf32>)
    -> tensor<1x3x2x1xf32> {
  %init = arith.constant dense<0.0> : tensor<1x3x2x1xf32>
  %0 = linalg.pooling_nhwc_sum {strides = dense<[3, 2]> : tensor<2xi64>}
      ins(%a, %k : tensor<1x8x4x1xf32>, tensor<1x1xf32>) outs(%init : tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xf32>
  return %0 : tensor<1x3x2x1xf32>
}

func.func @poolings(%a: tensor<2x9x8x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}, {"y"}, {}]>},
    %b: tensor<2x3x8x8xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}, {}, {"x"}]>})
    -> (tensor<2x4x4x3xf32>, tensor<2x3x6x7xi32>, tensor<2x4x7x3xf32>) {
  %k = tensor.empty() : tensor<3x2xf32>
  %ki = tensor.empty() : tensor<3x2xi32>
  %low = arith.constant dense<0xFF800000> : tensor<2x4x4x3xf32>
  %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<2x9x8x3xf32>, tensor<3x2xf32>)
      outs(%low : tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  %zero = arith.constant dense<0> : tensor<2x3x6x7xi32>
  %1 = linalg.pooling_nchw_sum ins(%b, %ki : tensor<2x3x8x8xi32>, tensor<3x2xi32>) outs(%zero : tensor<2x3x6x7xi32>)
      -> tensor<2x3x6x7xi32>
  %high = arith.constant dense<0x7F800000> : tensor<2x4x7x3xf32>
  %2 = linalg.pooling_nhwc_min {strides = dense<[2, 1]> : tensor<2xi64>} ins(%a, %k : tensor<2x9x8x3xf32>, tensor<3x2xf32>)
      outs(%high : tensor<2x4x7x3xf32>) -> tensor<2x4x7x3xf32>
  return %0, %1, %2 : tensor<2x4x4x3xf32>, tensor<2x3x6x7xi32>, tensor<2x4x7x3xf32>
}

func.func @depthwise(%a: tensor<2x6x6x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}, {}, {}]>}, %w: tensor<3x3x4xf32>)
    -> tensor<2x4x4x4xf32> {
  %init = arith.constant dense<0.0> : tensor<2x4x4x4xf32>
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %w : tensor<2x6x6x4xf32>, tensor<3x3x4xf32>) outs(%init : tensor<2x4x4x4xf32>)
      -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

func.func @volume(%a: tensor<5x4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {"y"}]>}, %w: tensor<2x3x2xf32>)
    -> tensor<4x2x5xf32> {
  %init = arith.constant dense<0.0> : tensor<4x2x5xf32>
  %0 = linalg.conv_3d ins(%a, %w : tensor<5x4x6xf32>, tensor<2x3x2xf32>) outs(%init : tensor<4x2x5xf32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}

func.func @whole_input(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}, %w: tensor<3xf32>)
    -> (tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}) {
  %init = arith.constant dense<0.0> : tensor<6xf32>
  %0 = linalg.conv_1d ins(%a, %w : tensor<8xf32>, tensor<3xf32>) outs(%init : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @explicit_blocks(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}:[0, 5, 1, 2]]>}, %w: tensor<3xf32>)
    -> (tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}:[1, 0, 4, 1]]>}) {
  %init = arith.constant dense<0.0> : tensor<6xf32>
  %0 = linalg.conv_1d ins(%a, %w : tensor<8xf32>, tensor<3xf32>) outs(%init : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// The long loop is the one that is summed over.
func.func @gradient_of_weights(%a: tensor<10xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}, %g: tensor<8xf32>,
    %init: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(k, o) -> (o + k)>, affine_map<(k, o) -> (o)>, affine_map<(k, o) -> (k)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %g : tensor<10xf32>, tensor<8xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @turned_around(%a: tensor<12xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}, %w: tensor<3xf32>)
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}) {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o * 2 - k + 4)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<12xf32>, tensor<3xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What is padded with depends on the place in the whole.
func.func @padding_by_place(%a: tensor<5x3xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}, {}]>}) -> tensor<9x3xf32> {
  %p = tensor.pad %a low[1, 0] high[3, 0] {
  ^bb0(%i: index, %j: index):
    %c3 = arith.constant 3 : index
    %r = arith.muli %i, %c3 : index
    %s = arith.addi %r, %j : index
    %n = arith.index_cast %s : index to i64
    %v = arith.sitofp %n : i64 to f32
    tensor.yield %v : f32
  } : tensor<5x3xf32> to tensor<9x3xf32>
  return %p : tensor<9x3xf32>
}

func.func @chain(%a: tensor<1x8x8x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x", "y"}, {}, {}]>}, %w1: tensor<3x3x2x4xf32>,
    %w2: tensor<3x3x4x2xf32>) -> (tensor<1x2x2x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x2xf32> to tensor<1x10x10x2xf32>
  %i1 = arith.constant dense<0.0> : tensor<1x8x8x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %w1 : tensor<1x10x10x2xf32>, tensor<3x3x2x4xf32>) outs(%i1 : tensor<1x8x8x4xf32>)
      -> tensor<1x8x8x4xf32>
  %e = tensor.empty() : tensor<1x8x8x4xf32>
  %1 = linalg.abs ins(%0 : tensor<1x8x8x4xf32>) outs(%e : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %q = tensor.pad %1 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x8x8x4xf32> to tensor<1x10x10x4xf32>
  %i2 = arith.constant dense<0.0> : tensor<1x4x4x2xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%q, %w2 : tensor<1x10x10x4xf32>, tensor<3x3x4x2xf32>)
      outs(%i2 : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1x2x2x2xf32>
  %3 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%2, %k : tensor<1x4x4x2xf32>, tensor<2x2xf32>)
      outs(%low : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %3 : tensor<1x2x2x2xf32>
}
