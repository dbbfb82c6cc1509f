// RUN: pctl-opt %s --split-input-file --pctl-propagate-layouts --pctl-insert-redistribution --pctl-verify-form | FileCheck %s

// The initial value, what goes round and the result have one layout; what does
// not change from turn to turn moves before the loop.
// CHECK-LABEL: @loop_of_columns
// CHECK:         %[[KEPT:.*]] = pctl.redistribute %arg1 from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]>
// CHECK-NEXT:    scf.for {{.*}} iter_args(%[[T:.*]] = %arg0)
// CHECK-NEXT:      arith.addf %[[T]], %[[KEPT]] {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
pctl.mesh @m <["x"=2]>
func.func @loop_of_columns(
    %a: tensor<4x6xf32>, %b: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %n: index)
    -> (tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> tensor<4x6xf32> {
    %s = pctl.shard %b to <@m, [{}, {"x"}]> : tensor<4x6xf32>
    %1 = arith.addf %t, %s : tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// A sum that is cut is done inside the turn that makes it.
// CHECK-LABEL: @sum_in_each_turn
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %arg0)
// CHECK:           %[[P:.*]] = linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("x")]>]}
// CHECK-NEXT:      %[[S:.*]] = pctl.redistribute %[[P]] from <@m, [{}, {}], partial = [sum("x")]> to <@m, [{}, {"x"}]>
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK-NEXT:    } {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
pctl.mesh @m <["x"=2]>
func.func @sum_in_each_turn(
    %a: tensor<4x6xf32>, %w: tensor<6x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %z: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> tensor<4x6xf32> {
    %1 = linalg.matmul ins(%t, %w : tensor<4x6xf32>, tensor<6x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// Branches meet in one layout; a shard inside one of them is heard.
// CHECK-LABEL: @branches
// CHECK:         %[[S:.*]] = pctl.redistribute %arg1 from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]>
// CHECK-NEXT:    %[[R:.*]] = scf.if
// CHECK-NEXT:      %[[E:.*]] = math.exp %[[S]] {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
// CHECK-NEXT:      scf.yield %[[E]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK-NEXT:    } {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
// CHECK-NEXT:    pctl.redistribute %[[R]] from <@m, [{}, {"x"}]> to <@m, [{"x"}, {}]>
pctl.mesh @m <["x"=2]>
func.func @branches(%c: i1, %a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %0 = scf.if %c -> tensor<4x6xf32> {
    %1 = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<4x6xf32>
    %2 = math.exp %1 : tensor<4x6xf32>
    scf.yield %2 : tensor<4x6xf32>
  } else {
    scf.yield %a : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// What goes round a while loop and what comes out of it are laid out apart.
// CHECK-LABEL: @round_and_out
// CHECK:         scf.while (%[[T:.*]] = %arg1)
// CHECK:           %[[O:.*]] = pctl.redistribute %[[T]] from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]>
// CHECK:           scf.condition(%{{.*}}) %[[O]]
// CHECK:         ^bb0(%[[A:.*]]: tensor<4x6xf32>):
// CHECK-NEXT:      %[[B:.*]] = pctl.redistribute %[[A]] from <@m, [{}, {"x"}]> to <@m, [{"x"}, {}]>
// CHECK-NEXT:      scf.yield %[[B]]
// CHECK-NEXT:    } attributes {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]}
pctl.mesh @m <["x"=2]>
func.func @round_and_out(%c: i1, %a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
  %0 = scf.while (%t = %a) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
    %1 = pctl.shard %t to <@m, [{}, {"x"}]> : tensor<4x6xf32>
    scf.condition(%c) %1 : tensor<4x6xf32>
  } do {
  ^bb0(%t: tensor<4x6xf32>):
    scf.yield %t : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

// A callee gets a body for each set of layouts that its calls state.
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> (tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
// CHECK:       func.func private @f_0(
// CHECK-SAME:    {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) -> (tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
// CHECK-LABEL: @calls
// CHECK-NEXT:    call @f(%arg0)
// CHECK-NEXT:    call @f_0(%arg1)
// CHECK-NEXT:    call @f(%arg2)
// CHECK-NEXT:    return
pctl.mesh @m <["x"=2]>
func.func private @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = call @g(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func private @g(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = math.exp %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
func.func @calls(
    %a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %b: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %c: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = call @f(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = call @f(%b) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = call @f(%c) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// A function with a layout of its own keeps its one body.
// CHECK-LABEL: func.func private @stated(
// CHECK-NOT:   func.func private
// CHECK-LABEL: @calls_stated
// CHECK:         pctl.redistribute %arg1
pctl.mesh @m <["x"=2]>
func.func private @stated(%x: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> tensor<4x6xf32> {
  return %x : tensor<4x6xf32>
}
func.func @calls_stated(
    %a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %b: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = call @stated(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = call @stated(%b) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}
