// Products whose contraction is cut, on ranks, against the uncut program.

// RUN: pctl-run %s --entry odd_contraction --ranks 2 --verify
// RUN: pctl-run %s --entry accumulates_once --ranks 2 --verify
// RUN: pctl-run %s --entry both_axes --ranks 2 --verify
// RUN: pctl-run %s --entry integers --ranks 2 --verify
// RUN: pctl-run %s --entry transposed_result --ranks 2 --verify

pctl.mesh @m <["x"=2]>

// 5 columns over 2 ranks: 3 and 2, none dropped.
func.func @odd_contraction(%a: tensor<4x5xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %b: tensor<5x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The accumulator is one term, not one a rank.
func.func @accumulates_once(%a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %b: tensor<6x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// One operand cut, the accumulator filled with something else than zero.
func.func @both_axes(%a: tensor<7x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<6x8xf32>)
    -> (tensor<7x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %ten = arith.constant 10.0 : f32
  %e = tensor.empty() : tensor<7x8xf32>
  %i = linalg.fill ins(%ten : f32) outs(%e : tensor<7x8xf32>) -> tensor<7x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<7x6xf32>, tensor<6x8xf32>) outs(%i : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

func.func @integers(%a: tensor<4x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<5x3xi32>, %c: tensor<4x3xi32>)
    -> (tensor<4x3xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xi32>, tensor<5x3xi32>) outs(%c : tensor<4x3xi32>) -> tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}

func.func @transposed_result(%a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %b: tensor<6x8xf32>)
    -> (tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%0 : tensor<4x8xf32>) outs(%f : tensor<8x4xf32>) permutation = [1, 0]
  return %t : tensor<8x4xf32>
}
