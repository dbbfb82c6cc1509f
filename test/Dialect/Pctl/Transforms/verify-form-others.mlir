// RUN: split-file %s %t
// RUN: pctl-opt %t/annotated.mlir --pctl-verify-form=form=annotated --verify-diagnostics
// RUN: pctl-opt %t/laid-out.mlir --pctl-verify-form --verify-diagnostics
// RUN: pctl-opt %t/local.mlir --pctl-verify-form=form=local --verify-diagnostics
// RUN: pctl-opt %t/buffers.mlir --pctl-verify-form=form=buffers --verify-diagnostics
// RUN: pctl-opt %t/executable.mlir --pctl-verify-form=form=executable --verify-diagnostics
// RUN: pctl-opt %t/none.mlir --pctl-verify-form --verify-diagnostics
// RUN: pctl-opt %t/data.mlir --pctl-verify-form=form=annotated --verify-diagnostics=all
// RUN: sed 's/the annotated form/the planned form/' %t/data.mlir > %t/data-planned.mlir
// RUN: pctl-opt %t/data-planned.mlir --pctl-verify-form=form=planned --verify-diagnostics=all
// RUN: not pctl-opt %t/buffers.mlir --pctl-verify-form=form=liquid 2>&1 | FileCheck %s
// CHECK: error: 'liquid' is no form; the forms are annotated, laid-out, local, planned, buffers, executable

//--- annotated.mlir
pctl.mesh @m <["x"=2]>
func.func @a1(%a: tensor<4xf32>, %l: tensor<2xf32>) {
  %0 = pctl.redistribute %a from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32>
  // expected-error @+1 {{'pctl.redistribute' op breaks A1 of the annotated form: outside of 'pctl.manual' it belongs to a later form, which the module has to name in 'pctl.form'}}
  %3 = pctl.redistribute %l from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> : tensor<2xf32> -> tensor<4xf32>
  // expected-error @+1 {{'pctl.all_reduce' op breaks A1 of the annotated form: outside of 'pctl.manual' it belongs to a later form, which the module has to name in 'pctl.form'}}
  %4 = pctl.all_reduce ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  // expected-error @+1 {{'pctl.axis_index' op breaks A1 of the annotated form: outside of 'pctl.manual' it belongs to a later form, which the module has to name in 'pctl.form'}}
  %5 = pctl.axis_index ["x"] on @m : index
  %1 = pctl.manual (%a) in [#pctl.layout<@m, [{"x"}]>] out [#pctl.layout<@m, [{}]>] {
  ^bb0(%local: tensor<2xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %2 = pctl.all_gather ins(%local : tensor<2xf32>) outs(%e : tensor<4xf32>) dim = 0 axes = ["x"] on @m -> tensor<4xf32>
    pctl.return %2 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// expected-error @+1 {{'func.func' op breaks A2 of the annotated form: argument #0 has 'pctl.global_type', which belongs to a later form, which the module has to name in 'pctl.form'}}
func.func @a2_argument(%a: tensor<2xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xf32>}) { return }
// expected-error @+1 {{'func.func' op breaks A2 of the annotated form: result #0 has 'pctl.global_type', which belongs to a later form, which the module has to name in 'pctl.form'}}
func.func private @a2_result() -> (tensor<2xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xf32>})

#compressed = #sparse_tensor.encoding<{map = (i) -> (i : compressed)}>
// expected-error @+1 {{'func.func' op breaks A3 of the annotated form: argument #0 is a 'tensor<4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>', expected a tensor without an encoding}}
func.func @a3(%a: tensor<4xf32, #compressed>, %d: tensor<4xf32>) {
  // expected-error @+1 {{'sparse_tensor.convert' op breaks A3 of the annotated form: result #0 is a 'tensor<4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>', expected a tensor without an encoding}}
  %0 = sparse_tensor.convert %d : tensor<4xf32> to tensor<4xf32, #compressed>
  return
}

//--- data.mlir
func.func @d1() {
  %0 = arith.constant dense_resource<three> : tensor<3xf32>
  %1 = arith.constant dense_resource<none> : tensor<0xf32>
  // expected-error @+1 {{'arith.constant' op breaks D1 of the annotated form: resource 'three' has 12 bytes of data, but a 'tensor<2x3xf32>' has 24}}
  %2 = arith.constant dense_resource<three> : tensor<2x3xf32>
  // expected-error @+1 {{'arith.constant' op breaks D1 of the annotated form: resource '__elided__' has no data; 'dialect_resources' of the file must hold it}}
  %3 = arith.constant dense_resource<__elided__> : tensor<3xf32>
  return
}
{-# dialect_resources: { builtin: { three: "0x04000000000000000000803f00000040", none: "0x04000000" } } #-}

//--- laid-out.mlir
module attributes {pctl.form = "laid-out"} {
  pctl.mesh @m <["x"=2]>
  func.func @unlike(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
    // expected-error @+1 {{'math.exp' op}}
    %0 = math.exp %a {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<4xf32>
    // expected-error @+1 {{'arith.constant' op breaks D1 of the laid-out form: resource 'gone' has no data}}
    %1 = arith.constant {pctl.layouts = [#pctl.layout<@m, [{}]>]} dense_resource<gone> : tensor<3xf32>
    return
  }
}

//--- local.mlir
pctl.mesh @m <["x"=2]>
func.func @c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{'pctl.redistribute' op breaks C2 of the local form: it lacks 'of' and the type of the whole tensor}}
  %0 = pctl.redistribute %a from <@m, [{"x"}]> to <@m, [{}]> : tensor<4xf32>
  return
}
// expected-error @+1 {{'func.func' op breaks C3 of the local form: argument #0 has 'pctl.layout' but no 'pctl.global_type'}}
func.func @c3_no_global_type(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  return
}

//--- buffers.mlir
pctl.mesh @m <["x"=2]>
// expected-error @+1 {{'func.func' op breaks B1 of the buffers form: it has a tensor type}}
func.func @b1(%a: tensor<4xf32>) {
  return
}

//--- executable.mlir
// expected-error @+1 {{'func.func' op breaks E1 of the executable form: it is not in the LLVM dialect}}
func.func private @e1()
llvm.func @fine()

//--- none.mlir
// expected-error @+1 {{the module has no 'pctl.form' that says what to check; give form=...}}
module {}
