// RUN: pctl-opt %s --pctl-partition --split-input-file --verify-diagnostics | FileCheck %s

pctl.mesh @m <["x"=4]>

// 8 over 4, as 2x4: two ranks a row, no element moves.
// CHECK-LABEL: func.func @splits_an_axis(
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
func.func @splits_an_axis(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<2x4xf32> {pctl.layout = #pctl.layout<@m, [{"x":(1)2}, {"x":(2)2}]>}) {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4]
      {pctl.layouts = [#pctl.layout<@m, [{"x":(1)2}, {"x":(2)2}]>]} : tensor<8xf32> into tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Whole rows: 512, 512, 512, 0.
// CHECK-LABEL: func.func @keeps_rows_whole(
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<?x256xf32> into tensor<?xf32>
func.func @keeps_rows_whole(%a: tensor<6x256xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<1536xf32> {pctl.layout = #pctl.layout<@m, [{"x"}:[512, 512, 512, 0]]>}) {
  %0 = tensor.collapse_shape %a [[0, 1]] {pctl.layouts = [#pctl.layout<@m, [{"x"}:[512, 512, 512, 0]]>]}
      : tensor<6x256xf32> into tensor<1536xf32>
  return %0 : tensor<1536xf32>
}

// CHECK-LABEL: func.func @expands_uneven_rows(
// CHECK: %{{.*}}, %[[ROWS:.*]] = pctl.block_range 6 by ["x"] on @m
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape {{\[}}%[[ROWS]], 256] : tensor<?xf32> into tensor<?x256xf32>
func.func @expands_uneven_rows(%a: tensor<1536xf32> {pctl.layout = #pctl.layout<@m, [{"x"}:[512, 512, 512, 0]]>})
    -> (tensor<6x256xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [6, 256] {pctl.layouts = [#pctl.layout<@m, [{"x"}, {}]>]}
      : tensor<1536xf32> into tensor<6x256xf32>
  return %0 : tensor<6x256xf32>
}

// -----

pctl.mesh @m <["x"=4]>

func.func @blocks_of_384_are_no_rows(%a: tensor<6x256xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<1536xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'tensor.collapse_shape' op result is laid out as [{x}]; its blocks of dim 0 are not those of the other side, laid out as [{x},{}]}}
  %0 = tensor.collapse_shape %a [[0, 1]] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]}
      : tensor<6x256xf32> into tensor<1536xf32>
  return %0 : tensor<1536xf32>
}

// -----

pctl.mesh @m <["x"=4]>

func.func @columns_are_not_contiguous(%a: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>})
    -> (tensor<32xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{its blocks of dim 0 are not those of the other side, laid out as [{},{x}]}}
  %0 = tensor.collapse_shape %a [[0, 1]] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]}
      : tensor<4x8xf32> into tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

pctl.mesh @m <["x"=4]>

func.func @one_element_is_whole(%a: tensor<f32> {pctl.layout = #pctl.layout<@m, []>})
    -> (tensor<1xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{its one element must be whole}}
  %0 = tensor.expand_shape %a [] output_shape [1] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<f32> into tensor<1xf32>
  return %0 : tensor<1xf32>
}
