// Operands that are laid out differently, and values used in several layouts.

// RUN: pctl-run %s --entry rows_plus_columns --ranks 2 --verify
// RUN: pctl-run %s --entry uneven_rows_plus_columns --ranks 2 --verify
// RUN: pctl-run %s --entry cut_and_whole --ranks 2 --verify
// RUN: pctl-run %s --entry unused_argument --ranks 2 --verify
// RUN: pctl-run %s --entry explicit_blocks --ranks 2 --verify
// RUN: pctl-run %s --entry calls --ranks 2 --verify

pctl.mesh @m <["x"=2]>

#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>

func.func @rows_plus_columns(%a: tensor<4x4xi32> {pctl.layout = #row}, %b: tensor<4x4xi32> {pctl.layout = #col})
    -> (tensor<4x4xi32> {pctl.layout = #row}) {
  %0 = arith.addi %a, %b : tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}

func.func @uneven_rows_plus_columns(%a: tensor<5x3xi32> {pctl.layout = #row}, %b: tensor<5x3xi32> {pctl.layout = #col})
    -> (tensor<5x3xi32> {pctl.layout = #row}, tensor<5x3xi32> {pctl.layout = #col}) {
  %0 = arith.addi %a, %b : tensor<5x3xi32>
  %1 = arith.subi %a, %b : tensor<5x3xi32>
  return %0, %1 : tensor<5x3xi32>, tensor<5x3xi32>
}

func.func @cut_and_whole(%a: tensor<5x4xi32> {pctl.layout = #row}, %b: tensor<4x5xi32>)
    -> (tensor<5x4xi32> {pctl.layout = #row}, tensor<4x4xi32>) {
  %0 = arith.addi %a, %a : tensor<5x4xi32>
  %init = arith.constant dense<0> : tensor<4x4xi32>
  %whole = pctl.shard %a to <@m, [{}, {}]> : tensor<5x4xi32>
  %1 = linalg.matmul ins(%b, %whole : tensor<4x5xi32>, tensor<5x4xi32>) outs(%init : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0, %1 : tensor<5x4xi32>, tensor<4x4xi32>
}

func.func @unused_argument(%a: tensor<4x4xi32> {pctl.layout = #row}, %b: tensor<7xi32>) -> tensor<4x4xi32> {
  return %a : tensor<4x4xi32>
}

func.func @explicit_blocks(%a: tensor<8x2xi32> {pctl.layout = #pctl.layout<@m, [{"x"}:[1, 7], {}]>})
    -> (tensor<8x2xi32> {pctl.layout = #row}) {
  %0 = arith.muli %a, %a : tensor<8x2xi32>
  return %0 : tensor<8x2xi32>
}

func.func private @callee(%a: tensor<5x3xi32>, %b: tensor<5x3xi32>) -> tensor<5x3xi32> {
  %0 = arith.addi %a, %b : tensor<5x3xi32>
  return %0 : tensor<5x3xi32>
}

func.func @calls(%a: tensor<5x3xi32> {pctl.layout = #row}, %b: tensor<5x3xi32> {pctl.layout = #col})
    -> (tensor<5x3xi32> {pctl.layout = #row}) {
  %0 = call @callee(%a, %b) : (tensor<5x3xi32>, tensor<5x3xi32>) -> tensor<5x3xi32>
  %1 = call @callee(%0, %a) : (tensor<5x3xi32>, tensor<5x3xi32>) -> tensor<5x3xi32>
  return %1 : tensor<5x3xi32>
}
