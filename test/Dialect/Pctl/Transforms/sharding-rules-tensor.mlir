// RUN: pctl-opt %s --pctl-propagate-layouts -allow-unregistered-dialect | FileCheck %s

// Rules of ops of tensor and arith, and rules from attributes.

pctl.mesh @m <["a"=2, "b"=2, "c"=4]>

// A constant is cut by slicing it, whatever is in it.
// CHECK-LABEL: @constants
// CHECK: arith.constant {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]} dense<1.0
// CHECK: arith.constant {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]} dense<[1.0
// CHECK: tensor.splat %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]}
func.func @constants(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %s: f32) -> tensor<4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  %1 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %2 = tensor.splat %s : tensor<4xf32>
  %3 = arith.addf %x, %0 : tensor<4xf32>
  %4 = arith.addf %3, %1 : tensor<4xf32>
  %5 = arith.addf %4, %2 : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// What a body computes from its position it computes for the block.
// CHECK-LABEL: @generate
// CHECK: tensor.generate
// CHECK: pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}]>]
func.func @generate(%t: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"b"}]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %1 = tensor.extract %t[%i] : tensor<4xf32>
    tensor.yield %1 : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// To ask for a size moves nothing; a computed dim needs a whole tensor.
// CHECK-LABEL: @sizes
// CHECK: tensor.dim {pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}]>]}
// CHECK: tensor.dim {pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>]}
func.func @sizes(%x: tensor<4x?xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %d: index) -> (index, index) {
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %x, %c1 : tensor<4x?xf32>
  %1 = tensor.dim %x, %d : tensor<4x?xf32>
  return %0, %1 : index, index
}

// A condition that is one number goes with every element.
// CHECK-LABEL: @scalar_operand
// CHECK: arith.select {{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>, #pctl.layout<@m, [{"a"}]>]}
func.func @scalar_operand(%c: i1, %x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @casts
// CHECK: tensor.bitcast %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]
// CHECK: tensor.cast %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}]>]}
func.func @casts(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) -> tensor<?xi32> {
  %0 = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  %1 = tensor.cast %0 : tensor<4xi32> to tensor<?xi32>
  return %1 : tensor<?xi32>
}

// 8 cut 4 ways is (2, 4) cut 2 and 2 ways.
// CHECK-LABEL: @expand
// CHECK: tensor.expand_shape
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"c":(1)2}, {"c":(2)2}]>]
func.func @expand(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"c"}]>}) -> tensor<2x4xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Dims of size 1 are in nobody's way.
// CHECK-LABEL: @collapse
// CHECK: tensor.collapse_shape
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a", "c"}, {"b"}]>]
func.func @collapse(%x: tensor<2x1x8x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}, {"c"}, {"b"}]>}) -> tensor<16x6xf32> {
  %0 = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<2x1x8x6xf32> into tensor<16x6xf32>
  return %0 : tensor<16x6xf32>
}

// CHECK-LABEL: @collapse_to_scalar
// CHECK: tensor.collapse_shape
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, []>]
func.func @collapse_to_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = tensor.collapse_shape %x [] : tensor<1x1xf32> into tensor<f32>
  return %0 : tensor<f32>
}

// The minor one of merged dims can't be cut while the major one is whole.
// CHECK-LABEL: @collapse_minor
// CHECK: tensor.collapse_shape
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>]
func.func @collapse_minor(%x: tensor<2x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"c"}]>}) -> tensor<16xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x8xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Dims that are taken whole pass through, those cut short or strided do not.
// CHECK-LABEL: @slices
// CHECK: tensor.extract_slice
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}, {}]>]
// CHECK: tensor.insert_slice
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {}, {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}]>, #pctl.layout<@m, [{"a"}, {}, {}]>]
func.func @slices(%x: tensor<4x8x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"c"}, {"b"}]>}) -> tensor<4x8x6xf32> {
  %0 = tensor.extract_slice %x[0, 2, 0] [4, 1, 3] [1, 1, 2] : tensor<4x8x6xf32> to tensor<4x3xf32>
  %1 = tensor.insert_slice %0 into %x[0, 2, 1] [4, 1, 3] [1, 1, 1] : tensor<4x3xf32> into tensor<4x8x6xf32>
  return %1 : tensor<4x8x6xf32>
}

// CHECK-LABEL: @slice_of_unknown_place
// CHECK: tensor.extract_slice
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {}]>]
func.func @slice_of_unknown_place(%x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"c"}]>}, %i: index) -> tensor<4x8xf32> {
  %0 = tensor.extract_slice %x[0, %i] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @concat
// CHECK: tensor.concat
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}]>, #pctl.layout<@m, [{"a"}, {}]>]
func.func @concat(%x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %y: tensor<4x2xf32>) -> tensor<4x10xf32> {
  %0 = tensor.concat dim(1) %x, %y : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// CHECK-LABEL: @pad
// CHECK: tensor.pad
// CHECK: pctl.layouts = [#pctl.layout<@m, [{"a"}, {"b"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {"b"}]>]
func.func @pad(%x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %v: f32) -> tensor<4x10xf32> {
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<4x8xf32> to tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// The padding is at the ends of the blocks, unless there is too much of it.
// CHECK-LABEL: @pad_of_a_cut_dim
// CHECK: tensor.pad
// CHECK: pctl.layouts = [#pctl.layout<@m, [{"a"}:[4, 5]]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]
// CHECK: tensor.pad
// CHECK: pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}]>]
func.func @pad_of_a_cut_dim(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) -> (tensor<9xf32>, tensor<17xf32>) {
  %0 = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i64
    %v = arith.sitofp %n : i64 to f32
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<9xf32>
  %zero = arith.constant 0.0 : f32
  %1 = tensor.pad %x low[4] high[5] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<17xf32>
  return %0, %1 : tensor<9xf32>, tensor<17xf32>
}

// Any op may carry a rule. Entries of it that are no tensors are empty.
// CHECK-LABEL: @rule
// CHECK: "my.product"
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {"c"}], partial = [sum("b")]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {"b"}]>, #pctl.layout<@m, [{"b"}, {"c"}]>]
func.func @rule(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %n: i32,
                %y: tensor<6x8xf32> {pctl.layout = #pctl.layout<@m, [{?}, {"c"}]>}) -> tensor<4x8xf32> {
  %0 = "my.product"(%x, %n, %y) {pctl.rule = #pctl.rule<([i, k], [], [k, j]) -> ([i, j]), reduce = [k: sum]>}
      : (tensor<4x6xf32>, i32, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A rule goes before what the op says itself.
// CHECK-LABEL: @rule_before_interface
// CHECK: arith.addf
// CHECK-SAME: pctl.layouts = [#pctl.layout<@m, [{"a"}, {}]>]
func.func @rule_before_interface(%x: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}) -> tensor<4x4xf32> {
  %0 = arith.addf %x, %x {pctl.rule = #pctl.rule<([i, j], [i, j]) -> ([i, j]), replicate = [j]>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A merging rule, and captured tensors, which are whole whatever the rule says.
// CHECK-LABEL: @rule_of_an_op_with_a_region
// CHECK: "my.merge"
// CHECK: pctl.layouts = [#pctl.layout<@m, [{"a", "c"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {"c"}]>, #pctl.layout<@m, [{}]>]
func.func @rule_of_an_op_with_a_region(%x: tensor<2x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"c"}]>},
                                       %t: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"c"}]>}) -> tensor<16xf32> {
  %0 = "my.merge"(%x) ({
    "my.read"(%t) : (tensor<4xf32>) -> ()
  }) {pctl.rule = #pctl.rule<([i, j]) -> ([(i j)]), sizes = [i: 2, j: 8]>} : (tensor<2x8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
