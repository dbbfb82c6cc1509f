// Slices, pads, concats and reshapes of cut tensors.

// RUN: pctl-run %s --entry middle --ranks 4 --verify
// RUN: pctl-run %s --entry left_half --ranks 4 --verify
// RUN: pctl-run %s --entry halves_of_gate_and_up --ranks 4 --verify
// RUN: pctl-run %s --entry insert --ranks 4 --verify
// RUN: pctl-run %s --entry pad_and_concat --ranks 4 --verify
// RUN: pctl-run %s --entry flatten_uneven_rows --ranks 4 --verify
// RUN: pctl-run %s --entry split_a_dim --ranks 4 --verify
// RUN: pctl-run %s --entry layer_of_a_stack --ranks 4 --verify
// RUN: pctl-run %s --entry stride_of_one_element --ranks 4 --verify
// RUN: pctl-run %s --entry insert_one_row_with_stride --ranks 4 --verify
// RUN: pctl-run %s --entry one_column_with_stride --ranks 4 --verify
// RUN: pctl-run %s --entry constant_offset_and_stride --ranks 4 --verify
// RUN: pctl-run %s --entry insert_with_gaps --ranks 4 --verify
// RUN: pctl-run %s --entry parts_without_elements --ranks 4 --verify

pctl.mesh @m <["x"=4]>

#v = #pctl.layout<@m, [{"x"}]>
#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>

func.func @middle(%a: tensor<8xi32> {pctl.layout = #v}) -> (tensor<4xi32> {pctl.layout = #v}) {
  %0 = tensor.extract_slice %a[2] [4] [1] : tensor<8xi32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @left_half(%a: tensor<32x32xi32> {pctl.layout = #col}) -> (tensor<32x16xi32> {pctl.layout = #col}) {
  %0 = tensor.extract_slice %a[0, 0] [32, 16] [1, 1] : tensor<32x32xi32> to tensor<32x16xi32>
  return %0 : tensor<32x16xi32>
}

func.func @halves_of_gate_and_up(%a: tensor<5x6xi32> {pctl.layout = #col}) -> (tensor<5x3xi32> {pctl.layout = #col}) {
  %gate = tensor.extract_slice %a[0, 0] [5, 3] [1, 1] : tensor<5x6xi32> to tensor<5x3xi32>
  %up = tensor.extract_slice %a[0, 3] [5, 3] [1, 1] : tensor<5x6xi32> to tensor<5x3xi32>
  %0 = arith.muli %gate, %up : tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

func.func @insert(%a: tensor<6x8xi32> {pctl.layout = #row}, %b: tensor<6x2xi32> {pctl.layout = #row})
    -> (tensor<6x8xi32> {pctl.layout = #row}) {
  %0 = tensor.insert_slice %b into %a[0, 3] [6, 2] [1, 1] : tensor<6x2xi32> into tensor<6x8xi32>
  return %0 : tensor<6x8xi32>
}

func.func @pad_and_concat(%a: tensor<6x3xi32> {pctl.layout = #row}) -> (tensor<6x8xi32> {pctl.layout = #row}) {
  %c7 = arith.constant 7 : i32
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c7 : i32
  } : tensor<6x3xi32> to tensor<6x5xi32>
  %1 = tensor.concat dim(1) %0, %a : (tensor<6x5xi32>, tensor<6x3xi32>) -> tensor<6x8xi32>
  return %1 : tensor<6x8xi32>
}

// Rows 2, 2, 2, 0: 512, 512, 512, 0 elements.
func.func @flatten_uneven_rows(%a: tensor<6x256xi32> {pctl.layout = #row}) -> tensor<1536xi32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<6x256xi32> into tensor<1536xi32>
  %1 = arith.addi %0, %0 : tensor<1536xi32>
  return %1 : tensor<1536xi32>
}

// 8 over 4 as 2x4: 1x2 each.
func.func @split_a_dim(%a: tensor<8xi32> {pctl.layout = #v})
    -> (tensor<2x4xi32> {pctl.layout = #pctl.layout<@m, [{"x":(1)2}, {"x":(2)2}]>}) {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : tensor<8xi32> into tensor<2x4xi32>
  %1 = arith.muli %0, %0 : tensor<2x4xi32>
  return %1 : tensor<2x4xi32>
}

func.func @layer_of_a_stack(%a: tensor<4x3x5xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>}) -> tensor<3x5xi32> {
  %0 = tensor.extract_slice %a[2, 0, 0] [1, 3, 5] [1, 1, 1] : tensor<4x3x5xi32> to tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}

func.func @stride_of_one_element(%a: tensor<4x8x4xi32>) -> tensor<1x4xi32> {
  %0 = tensor.extract_slice %a[0, 7, 0] [1, 1, 4] [3, 1, 1] : tensor<4x8x4xi32> to tensor<1x4xi32>
  return %0 : tensor<1x4xi32>
}

func.func @insert_one_row_with_stride(%a: tensor<2x1x5xi32>, %b: tensor<1x2x1x8xi32>) -> tensor<1x2x1x8xi32> {
  %0 = tensor.insert_slice %a into %b[0, 0, 0, 3] [1, 2, 1, 5] [1, 1, 3, 1]
      : tensor<2x1x5xi32> into tensor<1x2x1x8xi32>
  return %0 : tensor<1x2x1x8xi32>
}

func.func @one_column_with_stride(%a: tensor<8x7x1x2xi32>) -> tensor<8x1x2xi32> {
  %x = arith.addi %a, %a : tensor<8x7x1x2xi32>
  %0 = tensor.extract_slice %x[0, 6, 0, 0] [8, 1, 1, 2] [1, 1, 3, 1] : tensor<8x7x1x2xi32> to tensor<8x1x2xi32>
  return %0 : tensor<8x1x2xi32>
}

func.func @constant_offset_and_stride(%a: tensor<1x8x1xi32>) -> tensor<1x8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %a[0, 0, %c0] [1, 8, 1] [%c1, 1, 1] : tensor<1x8x1xi32> to tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}

func.func @insert_with_gaps(%a: tensor<4x6xi32>, %b: tensor<4x2xi32>) -> tensor<4x6xi32> {
  %0 = tensor.insert_slice %b into %a[0, 1] [4, 2] [1, 2] : tensor<4x2xi32> into tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

func.func @parts_without_elements(%a: tensor<4x3xi32> {pctl.layout = #row}, %b: tensor<4x0xi32>, %c: tensor<0x3xi32>)
    -> (tensor<4x3xi32> {pctl.layout = #row}, tensor<4x3xi32>, tensor<4x2xi32> {pctl.layout = #row},
        tensor<2x0x4xi32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}]>}) {
  %seven = arith.constant 7 : i32
  %0 = tensor.concat dim(1) %a, %b : (tensor<4x3xi32>, tensor<4x0xi32>) -> tensor<4x3xi32>
  %1 = tensor.concat dim(0) %c, %a, %c : (tensor<0x3xi32>, tensor<4x3xi32>, tensor<0x3xi32>) -> tensor<4x3xi32>
  %2 = tensor.pad %b low[0, 2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<4x0xi32> to tensor<4x2xi32>
  %3 = arith.constant dense<> : tensor<2x0x4xi32>
  return %0, %1, %2, %3 : tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x2xi32>, tensor<2x0x4xi32>
}
