// RUN: pctl-opt %s --pctl-propagate-layouts | FileCheck %s

// Rules of structured ops, by what they make of cut operands.

pctl.mesh @m <["a"=2, "b"=2, "c"=2]>

// CHECK-LABEL: @matmul
// CHECK: linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{"a"}, {"c"}], partial = [sum("b")]>]
func.func @matmul(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>},
                  %y: tensor<6x8xf32> {pctl.layout = #pctl.layout<@m, [{"b"}, {"c"}]>}, %i: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<4x6xf32>, tensor<6x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @batch_matmul
// CHECK: linalg.batch_matmul {pctl.layouts = [#pctl.layout<@m, [{"a"}, {"b"}, {"c"}]>]
func.func @batch_matmul(%x: tensor<2x4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}, {}]>},
                        %y: tensor<2x6x8xf32> {pctl.layout = #pctl.layout<@m, [{?}, {}, {"c"}]>}, %i: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = linalg.batch_matmul ins(%x, %y : tensor<2x4x6xf32>, tensor<2x6x8xf32>) outs(%i : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @dot
// CHECK: linalg.dot {pctl.layouts = [#pctl.layout<@m, [], partial = [sum("a")]>]
func.func @dot(%x: tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %y: tensor<6xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%x, %y : tensor<6xf32>, tensor<6xf32>) outs(%i : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @reduce
// CHECK: linalg.reduce
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}], partial = [maximumf("b")]>]
func.func @reduce(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce {arith.maximumf} ins(%x : tensor<4x6xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @transpose_and_broadcast
// CHECK: linalg.transpose {{.*}} permutation = [1, 0] {pctl.layouts = [#pctl.layout<@m, [{"b"}, {"a"}]>]
// CHECK: linalg.broadcast {{.*}} dimensions = [0] {pctl.layouts = [#pctl.layout<@m, [{}, {"b"}, {"a"}]>]
func.func @transpose_and_broadcast(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>},
                                   %i: tensor<6x4xf32>, %j: tensor<3x6x4xf32>) -> tensor<3x6x4xf32> {
  %0 = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%i : tensor<6x4xf32>) permutation = [1, 0]
  %1 = linalg.broadcast ins(%0 : tensor<6x4xf32>) outs(%j : tensor<3x6x4xf32>) dimensions = [0]
  return %1 : tensor<3x6x4xf32>
}

// Batch, output channels and input channels are loops of their own.
// CHECK-LABEL: @convolution
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {"c"}, {}, {}], partial = [sum("b")]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {"b"}, {}, {}]>, #pctl.layout<@m, [{"c"}, {"b"}, {}, {}]>, #pctl.layout<@m, [{"a"}, {"c"}, {}, {}]>]
func.func @convolution(%x: tensor<8x4x8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}, {}, {}]>},
                       %k: tensor<8x4x3x3xf32> {pctl.layout = #pctl.layout<@m, [{"c"}, {?}, {}, {}]>}, %i: tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%x, %k : tensor<8x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf32>
  return %0 : tensor<8x8x3x3xf32>
}

// The rows of the image follow those of the result; the window is whole.
// CHECK-LABEL: @rows_of_a_convolution
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{}, {}, {"a"}, {"c"}]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{}, {}, {"a"}, {"c"}]>, #pctl.layout<@m, [{}, {}, {}, {}]>, #pctl.layout<@m, [{}, {}, {"a"}, {"c"}]>]
func.func @rows_of_a_convolution(%x: tensor<8x4x8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"a"}, {?}]>},
                       %k: tensor<8x4x3x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"b"}, {}]>},
                       %i: tensor<8x8x3x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {"c"}]>}) -> tensor<8x8x3x3xf32> {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%x, %k : tensor<8x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%i : tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf32>
  return %0 : tensor<8x8x3x3xf32>
}

// Blocks of a window's dim are taken as they are: those of a padded one.
// CHECK-LABEL: @padded_rows
// CHECK: tensor.pad
// CHECK: pctl.layouts = [#pctl.layout<@m, [{"a", "b"}:[3, 2, 2, 3], {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a", "b"}, {}]>]
// CHECK: linalg.conv_2d
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a", "b"}, {}]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{"a", "b"}:[3, 2, 2, 3], {}]>, #pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{"a", "b"}, {}]>]
func.func @padded_rows(%x: tensor<8x4xf32>, %k: tensor<3x1xf32>,
                       %i: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>}) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%r: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<8x4xf32> to tensor<10x4xf32>
  %0 = linalg.conv_2d ins(%p, %k : tensor<10x4xf32>, tensor<3x1xf32>) outs(%i : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The longest loop leads, here one that is reduced.
// CHECK-LABEL: @gradient_of_weights
// CHECK: linalg.generic
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("a")]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>, #pctl.layout<@m, [{"a"}]>, #pctl.layout<@m, [{}]>]
func.func @gradient_of_weights(%x: tensor<10xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %g: tensor<8xf32>, %i: tensor<3xf32>)
    -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(k, o) -> (o + k)>, affine_map<(k, o) -> (o)>, affine_map<(k, o) -> (k)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %g : tensor<10xf32>, tensor<8xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// One axis can't cut two dims that slide with one loop; an index that is no sum.
// CHECK-LABEL: @no_windows
// CHECK: linalg.generic
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>]
// CHECK: linalg.generic
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>]
func.func @no_windows(%x: tensor<10x10xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %k: tensor<3xf32>, %i: tensor<8xf32>,
                      %y: tensor<10xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %l: tensor<20xf32>)
    -> (tensor<8xf32>, tensor<20xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o + k, o + k)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<10x10xf32>, tensor<3xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %out, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(o) -> (o floordiv 2)>, affine_map<(o) -> (o)>], iterator_types = ["parallel"]}
      ins(%y : tensor<10xf32>) outs(%l : tensor<20xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<20xf32>
  return %0, %1 : tensor<8xf32>, tensor<20xf32>
}

// CHECK-LABEL: @grouped_convolution_keeps_the_batch_cut
// CHECK: linalg.conv_2d_ngchw_fgchw
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {"b"}, {}, {}, {}]>]
func.func @grouped_convolution_keeps_the_batch_cut(
    %x: tensor<8x2x4x8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}, {}, {}, {}]>},
    %k: tensor<3x2x4x3x3xf32>, %i: tensor<8x2x3x6x6xf32>) -> tensor<8x2x3x6x6xf32> {
  %0 = linalg.conv_2d_ngchw_fgchw ins(%x, %k : tensor<8x2x4x8x8xf32>, tensor<3x2x4x3x3xf32>)
      outs(%i : tensor<8x2x3x6x6xf32>) -> tensor<8x2x3x6x6xf32>
  return %0 : tensor<8x2x3x6x6xf32>
}

// CHECK-LABEL: @softmax
// CHECK: linalg.softmax {pctl.layouts = [#pctl.layout<@m, [{"a"}, {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}]>, #pctl.layout<@m, [{"a"}, {}]>]}
func.func @softmax(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %i: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x6xf32>) outs(%i : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// An index that is there twice is no dim that can be cut.
// CHECK-LABEL: @diagonal
// CHECK: linalg.generic
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{}]>]
func.func @diagonal(%x: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %i: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What knows its position may be cut: partitioning shifts positions.
// CHECK-LABEL: @iota
// CHECK: linalg.generic
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}]>]
func.func @iota() -> (tensor<8xindex> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  %i = tensor.empty() : tensor<8xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%i : tensor<8xindex>) {
  ^bb0(%out: index):
    %1 = linalg.index 0 : index
    linalg.yield %1 : index
  } -> tensor<8xindex>
  return %0 : tensor<8xindex>
}

// A dim of unknown size is never cut; the others are.
// CHECK-LABEL: @dynamic
// CHECK: linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{}, {"a"}]>]
func.func @dynamic(%x: tensor<?x6xf32>, %y: tensor<6x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<?x6xf32>, tensor<6x8xf32>) outs(%i : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
