// RUN: pctl-opt %s -pctl-propagate-layouts -pctl-insert-redistribution -split-input-file -verify-diagnostics

pctl.mesh @m <["x"=2]>
// expected-error@below {{'func.func' op argument #0 is a 'tensor<*xf32>', and an unranked tensor can't be laid out}}
func.func @takes_an_unranked_tensor(%a: tensor<*xf32>) { return }

// -----

pctl.mesh @m <["x"=2]>
func.func private @h(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @makes_a_value_partial(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'func.call' op needs argument #0 of function 'h' laid out as #pctl.layout<@m, [{}], partial = [sum("x")]>, but the value is laid out as #pctl.layout<@m, [{}]>, and no redistribution makes a value partial}}
  %0 = func.call @h(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @returns_a_whole_value_as_partial(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error@below {{'func.return' op needs result #0 of function 'returns_a_whole_value_as_partial' laid out as #pctl.layout<@m, [{}], partial = [sum("x")]>, but the value is laid out as #pctl.layout<@m, [{}]>, and no redistribution makes a value partial}}
  return %a : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
// expected-error@below {{'func.func' op result #1 is a 'tensor<*xf32>', and an unranked tensor can't be laid out}}
func.func private @gives_an_unranked_tensor() -> (f32, tensor<*xf32>)

// -----

pctl.mesh @m <["x"=2]>
func.func @makes_an_unranked_tensor(%a: tensor<4xf32>) {
  // expected-error@below {{'tensor.cast' op result #0 is a 'tensor<*xf32>', and an unranked tensor can't be laid out}}
  %0 = tensor.cast %a : tensor<4xf32> to tensor<*xf32>
  return
}
