// RUN: pctl-opt %s -pctl-strip-layouts -split-input-file -verify-diagnostics

pctl.mesh @mesh <["x"=2]>
func.func @knows_its_rank() -> index {
  // expected-error@below {{'pctl.axis_index' is local to a rank; only a program in a global view is the program of one device}}
  %0 = pctl.axis_index ["x"] on @mesh : index
  return %0 : index
}

// -----

pctl.mesh @mesh <["x"=2]>
func.func @has_local_types(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error@below {{'pctl.redistribute' is local to a rank; only a program in a global view is the program of one device}}
  %0 = pctl.redistribute %x from <@mesh, [{"x"}]> to <@mesh, [{}]> of tensor<4xf32> : tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @mesh <["x"=2]>
func.func @has_a_local_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{'pctl.manual' has a body that is local to a rank; only a program in a global view is the program of one device}}
  %0 = pctl.manual (%x) in [<@mesh, [{"x"}]>] out [<@mesh, [{"x"}]>] {
  ^bb0(%local: tensor<2xf32>):
    pctl.return %local : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
