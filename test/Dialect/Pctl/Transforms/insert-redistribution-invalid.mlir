// RUN: pctl-opt %s --pctl-insert-redistribution -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-error@+1 {{pctl-insert-redistribution needs the annotated form, but the module is in the laid-out form}}
module attributes {pctl.form = "laid-out"} {}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'arith.negf' op has a result without a layout, run pctl-propagate-layouts first}}
  %0 = arith.negf %x : tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'arith.negf' op does not say how it wants its operands laid out, run pctl-propagate-layouts first}}
  %0 = arith.negf %x {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]} : tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{'test.sink' op has an operand without a layout, run pctl-propagate-layouts first}}
  "test.sink"(%x) {pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]} : (tensor<8xf32>) -> ()
  return
}

// -----

// What is wanted must be what the op's rule asks for.
pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'arith.negf' op operand 0 is laid out as [{}], but the op's rule asks for [{a}]}}
  %0 = arith.negf %x {pctl.layouts = [#pctl.layout<@m, [{"a"}]>],
                      pctl.operand_layouts = [#pctl.layout<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

// An op that is done whole takes no cut operand.
pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'test.sink' op operand 0 is laid out as [{a}], but the op's rule asks for [{}]}}
  "test.sink"(%x) {pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]} : (tensor<8xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
    -> (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'func.return' op operand #0 is laid out as #pctl.layout<@m, [{}]>, but result #0 of the function as #pctl.layout<@m, [{"a"}]>}}
  return {pctl.operand_layouts = [#pctl.layout<@m, [{}]>]} %x : tensor<8xf32>
}

// -----

pctl.mesh @m <["a"=2]>
func.func private @callee(tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'func.call' op operand #0 is laid out as #pctl.layout<@m, [{}]>, but argument #0 of the function as #pctl.layout<@m, [{"a"}]>}}
  func.call @callee(%x) {pctl.operand_layouts = [#pctl.layout<@m, [{}]>]} : (tensor<8xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["a"=2]>
pctl.mesh @n <["a"=2]>
func.func @main(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  // expected-error@+1 {{'arith.negf' op result #0 is laid out on mesh @n, other tensors of the op on mesh @m}}
  %0 = arith.negf %x {pctl.layouts = [#pctl.layout<@n, [{"a"}]>],
                      pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]} : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op argument #0 has no layout}}
func.func @main(%x: tensor<8xf32>) {
  return
}
