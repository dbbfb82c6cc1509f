// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @redistribute_c1_from(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.redistribute' op 'from': mesh has no axis 'y'; its axes are 'x' (size 2)}}
  %0 = pctl.redistribute %x from <@m, [{"y"}]> to <@m, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @redistribute_c1_to(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.redistribute' op 'to': layout has 2 dims, tensor has rank 1}}
  %0 = pctl.redistribute %x from <@m, [{}]> to <@m, [{}, {}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_c2(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @below {{'pctl.redistribute' op failed to verify that all of {input, result} have same element type}}
  %0 = pctl.redistribute %x from <@m, [{}]> to <@m, [{}]> : tensor<4xf32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_c3(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pctl.redistribute' op takes 'tensor<4xf32>' and gives 'tensor<2xf32>', in global view they must be the same type}}
  %0 = pctl.redistribute %x from <@m, [{}]> to <@m, [{"x"}]> : tensor<4xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_c4_operand(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pctl.redistribute' op operand is 'tensor<2xf32>', expected the local type of 'tensor<4xf32>', 'tensor<4xf32>'}}
  %0 = pctl.redistribute %x from <@m, [{}]> to <@m, [{"x"}]> of tensor<4xf32> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_c4_uneven_result(%x: tensor<5xf32>) -> tensor<3xf32> {
  // expected-error @below {{'pctl.redistribute' op result is 'tensor<3xf32>', expected the local type of 'tensor<5xf32>', 'tensor<?xf32>'}}
  %0 = pctl.redistribute %x from <@m, [{}]> to <@m, [{"x"}]> of tensor<5xf32> : tensor<5xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c1_count(%x: tensor<4xf32>) {
  // expected-error @below {{'pctl.manual' op has 1 operands and 0 layouts in 'in'}}
  pctl.manual (%x) in [] out [] {
  ^bb0(%a: tensor<4xf32>):
    pctl.return
  } : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @manual_c1_layout(%x: tensor<4xf32>) {
  // expected-error @below {{'pctl.manual' op operand 0: mesh has no axis 'y'; its axes are 'x' (size 2)}}
  pctl.manual (%x) in [<@m, [{"y"}]>] out [] {
  ^bb0(%a: tensor<4xf32>):
    pctl.return
  } : (tensor<4xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c2(%x: tensor<4xf32>) {
  // expected-error @below {{'pctl.manual' op operand 0: layout of local code has an open dim}}
  pctl.manual (%x) in [<@m, [{?}]>] out [] {
  ^bb0(%a: tensor<4xf32>):
    pctl.return
  } : (tensor<4xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c3_count(%x: tensor<4xf32>) {
  // expected-error @below {{'pctl.manual' op has 1 operands and 0 region arguments}}
  pctl.manual (%x) in [<@m, [{}]>] out [] {
    pctl.return
  } : (tensor<4xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c3_type(%x: tensor<4xf32>) {
  // expected-error @below {{'pctl.manual' op operand 0: region argument is 'tensor<4xf32>', expected the local type of 'tensor<4xf32>', 'tensor<2xf32>'}}
  pctl.manual (%x) in [<@m, [{"x"}]>] out [] {
  ^bb0(%a: tensor<4xf32>):
    pctl.return
  } : (tensor<4xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c4_count() -> tensor<4xf32> {
  // expected-error @below {{'pctl.manual' op has 1 results and 0 returned values}}
  %0 = pctl.manual () in [] out [<@m, [{"x"}]>] {
    pctl.return
  } : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_c4_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.manual' op result 0: returned value is 'tensor<2xf32>', expected the local type of 'tensor<4xf32>', 'tensor<4xf32>'}}
  %0 = pctl.manual (%x) in [<@m, [{"x"}]>] out [<@m, [{}]>] {
  ^bb0(%a: tensor<2xf32>):
    pctl.return %a : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_ends_otherwise() {
  // expected-error @below {{'pctl.manual' op region must end in pctl.return}}
  pctl.manual () in [] out [] {
    llvm.unreachable
  } : () -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_captures(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{required by region isolation constraints}}
  %0 = pctl.manual () in [] out [<@m, [{}]>] {
    // expected-error @below {{'pctl.return' op using value defined outside the region}}
    pctl.return %x : tensor<4xf32>
  } : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @return_outside() {
  // expected-error @below {{'pctl.return' op expects parent op 'pctl.manual'}}
  pctl.return
}

// -----

func.func @manual_without_block() {
  // expected-error @below {{'pctl.manual' op expects a non-empty block}}
  pctl.manual () in [] out [] {} : () -> ()
  return
}
