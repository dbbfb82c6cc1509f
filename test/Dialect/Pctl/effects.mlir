// RUN: pctl-opt %s --cse --canonicalize | FileCheck %s
// RUN: pctl-opt %s --inline | FileCheck %s --check-prefix=INLINE
// RUN: pctl-opt %s --symbol-dce | FileCheck %s --check-prefix=DCE
// RUN: pctl-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

pctl.mesh @m <["data"=4]>

// A mesh is used by the layouts that name it.
// DCE: pctl.mesh @used
pctl.mesh @used <["x"=2]> {sym_visibility = "private"}
// DCE-NOT: @unused
pctl.mesh @unused <["x"=2]> {sym_visibility = "private"}
// DCE: pctl.layout @names_it
pctl.layout @names_it <@used, [{"x"}]>

// CHECK-LABEL: @unused_on_tensors_goes
func.func @unused_on_tensors_goes(%x: tensor<4xf32>) {
  // CHECK-NEXT: return
  %0 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) kind = sum axes = ["data"] on @m -> tensor<4xf32>
  return
}

// CHECK-LABEL: @equal_on_tensors_are_one
func.func @equal_on_tensors_are_one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-1: pctl.all_reduce
  // CHECK-NOT: pctl.all_reduce
  %0 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) kind = sum axes = ["data"] on @m -> tensor<4xf32>
  %1 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) kind = sum axes = ["data"] on @m -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @stays_on_buffers
func.func @stays_on_buffers(%x: memref<4xf32>) {
  // CHECK-COUNT-2: pctl.all_reduce
  pctl.all_reduce ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) kind = sum axes = ["data"] on @m
  pctl.all_reduce ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) kind = sum axes = ["data"] on @m
  return
}

// Whether the loop runs may differ between ranks.
// LICM-LABEL: @is_not_speculated
func.func @is_not_speculated(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LICM: scf.for
  // LICM: pctl.all_reduce
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %0 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) kind = sum axes = ["data"] on @m -> tensor<4xf32>
    %1 = arith.addf %a, %0 : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// LICM-LABEL: @position_is_invariant
func.func @position_is_invariant(%n: index, %b: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LICM: pctl.axis_index
  // LICM: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %0 = pctl.axis_index ["data"] on @m : index
    memref.store %0, %b[%c0] : memref<4xindex>
  }
  return
}

// INLINE-LABEL: @is_inlined
// INLINE-NOT: call
// INLINE: pctl.manual
// INLINE: pctl.return
func.func @is_inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pctl.manual(%x) in [<@m, [{"data"}]>] out [<@m, [{"data"}]>] {
  ^bb0(%a: tensor<1xf32>):
    pctl.return %a : tensor<1xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
