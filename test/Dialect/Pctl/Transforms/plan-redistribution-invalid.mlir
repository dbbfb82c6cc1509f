// RUN: pctl-opt %s --pctl-plan-redistribution --split-input-file --verify-diagnostics

// expected-error @+1 {{pctl-plan-redistribution needs the local form, but the module is in the laid-out form; run pctl-partition first}}
module attributes {pctl.form = "laid-out"} {}

// -----

pctl.mesh @m <["x"=2]>
func.func @not_local(%a: tensor<4xf32>) {
  // expected-error @+1 {{'pctl.redistribute' op is not in its local spelling; run pctl-partition first}}
  %0 = pctl.redistribute %a from <@m, [{}]> to <@m, [{"x"}]> : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @nothing_makes_it_partial(%a: tensor<4xf32>) {
  // expected-error @+1 {{'pctl.redistribute' op}}
  %0 = pctl.redistribute %a from <@m, [{}]> to <@m, [{}], partial = [sum("x")]> of tensor<4xf32> : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
pctl.mesh @n <["x"=2]>
func.func @two_meshes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'pctl.redistribute' op goes from mesh @m to mesh @n; both layouts must be over one mesh}}
  %0 = pctl.redistribute %a from <@m, [{}]> to <@n, [{}]> of tensor<4xf32> : tensor<4xf32> -> tensor<4xf32>
  return
}
