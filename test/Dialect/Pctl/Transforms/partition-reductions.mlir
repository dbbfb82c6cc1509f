// RUN: pctl-opt %s --pctl-partition | FileCheck %s

// Initial values are counted once: docs/partition.md, Reductions.

pctl.mesh @m <["x"=2, "y"=2]>

#whole = #pctl.layout<@m, [{}, {}]>
#v = #pctl.layout<@m, [{}]>
#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>
#sum = #pctl.layout<@m, [{}, {}], partial = [sum("x")]>

// CHECK-LABEL: func.func @matmul_starts_from_c_on_the_first_rank(
// CHECK-SAME: %[[A:arg0]]: tensor<4x?xf32> {{{.*}}}, %[[B:arg1]]: tensor<?x8xf32> {{{.*}}}, %[[C:arg2]]: tensor<4x8xf32>
// CHECK-DAG: %[[I:.*]] = pctl.axis_index ["x"] on @m : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %[[ZERO]] : index
// CHECK-DAG: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[E:.*]] = tensor.empty() : tensor<4x8xf32>
// CHECK: %[[N:.*]] = linalg.fill ins(%[[NEUTRAL]] : f32) outs(%[[E]] : tensor<4x8xf32>)
// CHECK: %[[INIT:.*]] = arith.select %[[FIRST]], %[[C]], %[[N]] : tensor<4x8xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x?xf32>, tensor<?x8xf32>) outs(%[[INIT]] : tensor<4x8xf32>)
// CHECK: pctl.redistribute %[[P]]
// CHECK-SAME: of tensor<4x8xf32>
func.func @matmul_starts_from_c_on_the_first_rank(%a: tensor<4x5xf32> {pctl.layout = #col},
    %b: tensor<5x8xf32> {pctl.layout = #row}, %c: tensor<4x8xf32> {pctl.layout = #whole}) -> (tensor<4x8xf32> {pctl.layout = #whole}) {
  %0 = linalg.matmul {pctl.layouts = [#sum]} ins(%a, %b : tensor<4x5xf32>, tensor<5x8xf32>)
      outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = pctl.redistribute %0 from #sum to #whole : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @filled_init_selects_the_scalar(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK-DAG: %[[TEN:.*]] = arith.constant 10 : i32
// CHECK-DAG: %[[NEUTRAL:.*]] = arith.constant 0 : i32
// CHECK: %[[S:.*]] = arith.select %[[FIRST]], %[[TEN]], %[[NEUTRAL]] : i32
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xi32>
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[S]] : i32) outs(%[[E]] : tensor<4xi32>)
// CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<4x3xi32>) outs(%[[INIT]] : tensor<4xi32>)
func.func @filled_init_selects_the_scalar(%a: tensor<4x6xi32> {pctl.layout = #col}) -> (tensor<4xi32> {pctl.layout = #v}) {
  %init = arith.constant {pctl.layouts = [#v]} dense<10> : tensor<4xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<4x6xi32>) outs(%init : tensor<4xi32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]}
  %1 = pctl.redistribute %0 from <@m, [{}], partial = [sum("x")]> to #v : tensor<4xi32>
  return %1 : tensor<4xi32>
}

// 0.0 on all ranks is 0.0 once; so is 1 in a product, and 0 in an xor.
// CHECK-LABEL: func.func @neutral_inits_are_kept(
// CHECK-NOT: arith.select
// CHECK: return
func.func @neutral_inits_are_kept(%a: tensor<4x6xf32> {pctl.layout = #col}, %b: tensor<4x6xi32> {pctl.layout = #col})
    -> (tensor<4xf32> {pctl.layout = #v}, tensor<4xi32> {pctl.layout = #v}, tensor<4xi32> {pctl.layout = #v}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() {pctl.layouts = [#v]} : tensor<4xf32>
  %init = linalg.fill {pctl.layouts = [#v]} ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %one = arith.constant {pctl.layouts = [#v]} dense<1> : tensor<4xi32>
  %none = arith.constant {pctl.layouts = [#v]} dense<0> : tensor<4xi32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x6xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]}
  %1 = linalg.reduce { arith.muli } ins(%b : tensor<4x6xi32>) outs(%one : tensor<4xi32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [product("x")]>]}
  %2 = linalg.reduce { arith.xori } ins(%b : tensor<4x6xi32>) outs(%none : tensor<4xi32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [xor("x")]>]}
  %3 = pctl.redistribute %0 from <@m, [{}], partial = [sum("x")]> to #v : tensor<4xf32>
  %4 = pctl.redistribute %1 from <@m, [{}], partial = [product("x")]> to #v : tensor<4xi32>
  %5 = pctl.redistribute %2 from <@m, [{}], partial = [xor("x")]> to #v : tensor<4xi32>
  return %3, %4, %5 : tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// A term counted twice changes no maximum, and no `and`.
// CHECK-LABEL: func.func @idempotent_kinds_start_from_their_init(
// CHECK-SAME: %[[INIT:arg2]]: tensor<4xf32>
// CHECK-NOT: arith.select
// CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<4x3xf32>) outs(%[[INIT]] : tensor<4xf32>)
// CHECK-NOT: arith.select
// CHECK: return
func.func @idempotent_kinds_start_from_their_init(%a: tensor<4x6xf32> {pctl.layout = #col}, %b: tensor<4x6xi1> {pctl.layout = #col},
    %init: tensor<4xf32> {pctl.layout = #v}, %all: tensor<4xi1> {pctl.layout = #v})
    -> (tensor<4xf32> {pctl.layout = #v}, tensor<4xi1> {pctl.layout = #v}) {
  %0 = linalg.reduce { arith.maxnumf } ins(%a : tensor<4x6xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maxnumf("x")]>]}
  %1 = linalg.reduce { arith.andi } ins(%b : tensor<4x6xi1>) outs(%all : tensor<4xi1>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [and("x")]>]}
  %2 = pctl.redistribute %0 from <@m, [{}], partial = [maxnumf("x")]> to #v : tensor<4xf32>
  %3 = pctl.redistribute %1 from <@m, [{}], partial = [and("x")]> to #v : tensor<4xi1>
  return %2, %3 : tensor<4xf32>, tensor<4xi1>
}

// Two cut loops: the first rank along both counts the initial value.
// CHECK-LABEL: func.func @several_reduced_loops(
// CHECK: pctl.axis_index ["x", "y"] on @m
// CHECK: arith.select
func.func @several_reduced_loops(%a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}]>},
    %init: tensor<f32> {pctl.layout = #pctl.layout<@m, []>}) -> (tensor<f32> {pctl.layout = #pctl.layout<@m, []>}) {
  %0 = linalg.reduce { arith.mulf } ins(%a : tensor<4x6xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
      {pctl.layouts = [#pctl.layout<@m, [], partial = [product("x", "y")]>]}
  %1 = pctl.redistribute %0 from <@m, [], partial = [product("x", "y")]> to <@m, []> : tensor<f32>
  return %1 : tensor<f32>
}
