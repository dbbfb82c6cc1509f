// Results that are one value, or parts of one, are the caller's one by one.

// RUN: pctl-run %s --entry twice --ranks 2 --verify
// RUN: pctl-run %s --entry whole_and_flat --ranks 2 --verify
// RUN: pctl-run %s --entry argument_twice --ranks 2 --verify
// RUN: pctl-run %s --entry constant_twice --ranks 2 --verify
// RUN: pctl-run %s --entry through_a_callee --ranks 2 --verify
// RUN: pctl-run %s --entry one_branch_of_two --ranks 2 --verify
// RUN: pctl-run %s --entry through_a_loop --ranks 2 --verify

pctl.mesh @m <["x"=2]>

func.func @twice(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = arith.addf %a, %a : tensor<4x6xf32>
  return %0, %0 : tensor<4x6xf32>, tensor<4x6xf32>
}

func.func @whole_and_flat(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<24xf32>) {
  %0 = arith.addf %a, %a : tensor<4x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<24xf32>
}

func.func @argument_twice(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}

func.func @constant_twice() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

func.func private @same(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
func.func @through_a_callee(%b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a = arith.mulf %b, %b : tensor<8x8xf32>
  %0 = func.call @same(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %a : tensor<8x8xf32>, tensor<8x8xf32>
}

func.func @one_branch_of_two(%c: tensor<i1>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = arith.mulf %b, %b : tensor<8xf32>
  %i = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %i -> tensor<8xf32> {
    scf.yield %a : tensor<8xf32>
  } else {
    %s = arith.addf %a, %b : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %0, %a : tensor<8xf32>, tensor<8xf32>
}

func.func @through_a_loop(%b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = arith.mulf %b, %b : tensor<8xf32>
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %s = arith.addf %x, %y : tensor<8xf32>
    scf.yield %s, %s : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
