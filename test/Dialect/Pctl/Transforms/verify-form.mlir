// RUN: pctl-opt %s --pctl-verify-form=form=planned --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @planned(
pctl.mesh @m <["x"=2]>
func.func @planned(%a: tensor<2xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xf32>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<4xf32>}) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = pctl.all_gather ins(%a : tensor<2xf32>) outs(%e : tensor<4xf32>) dim = 0 axes = ["x"] on @m -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @p1(%a: tensor<2xf32>) {
  // expected-error @+1 {{'pctl.redistribute' op breaks P1 of the planned form: planning makes collectives of it}}
  %0 = pctl.redistribute %a from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{'math.exp' op breaks C1 of the planned form: it has 'pctl.layouts'}}
  %0 = math.exp %a {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<4xf32>
  // expected-error @+1 {{'pctl.shard' op breaks C1 of the planned form: it belongs to the global view}}
  %1 = pctl.shard %a to <@m, [{"x"}]> : tensor<4xf32>
  return
}
