// RUN: pctl-opt %s --split-input-file --pctl-partition --verify-diagnostics

pctl.mesh @m <["x"=2]>
func.func @product_of_sums(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error @+1 {{'arith.mulf' op has layouts that do not fit together: operand 0 is partial, and the op is not additive in all operands that are}}
  %0 = arith.mulf %a, %a {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @another_kind(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [maximumf("x")]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [maximumf("x")]>}) {
  // expected-error @+1 {{'arith.negf' op has layouts that do not fit together: operand 0 is partial by maximumf, and only sums wait}}
  %0 = arith.negf %a {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maximumf("x")]>]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @forgotten(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'arith.negf' op has layouts that do not fit together: result 0 is laid out as [{}], but the op's rule asks for [{}] partial=[sum(x)]}}
  %0 = arith.negf %a {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// On the second rank %b would be zero in both places, and %a times it too.
pctl.mesh @m <["x"=2]>
func.func @once_and_fully(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>},
                          %b: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error @+1 {{'linalg.generic' op takes tensor operand #1 twice, and it is to be counted once in one of the places only}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"], pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]}
      ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %1, %k : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
