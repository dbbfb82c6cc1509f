// RUN: pctl-opt %s --pctl-propagate-layouts -split-input-file -allow-unregistered-dialect | FileCheck %s

// Columns, then rows: what weights alone make of two layers. The second product
// is left partial; no op wants it so.
// CHECK-LABEL: @columns_then_rows
// CHECK-SAME:    tensor<8x16xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {pctl.layout = #pctl.layout<@m, [{}, {"model"}]>}
// CHECK-SAME:    tensor<32x16xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {}]>}
// CHECK-SAME:    -> (tensor<8x16xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>})
// CHECK:         linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{}, {"model"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{}, {"model"}]>, #pctl.layout<@m, [{}, {"model"}]>]}
// CHECK:         linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{}, {}], partial = [sum("model")]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {"model"}]>, #pctl.layout<@m, [{"model"}, {}]>, #pctl.layout<@m, [{}, {}]>]}
// CHECK:         return {pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>]}
pctl.mesh @m <["model"=2]>
func.func @columns_then_rows(
    %x: tensor<8x16xf32>,
    %w1: tensor<16x32xf32> {pctl.layout = #pctl.layout<@m, [{}, {"model"}]>},
    %w2: tensor<32x16xf32>,
    %i1: tensor<8x32xf32>, %i2: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%i1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = linalg.matmul ins(%0, %w2 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%i2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

// Zeros that two products share are made twice where they are wanted in two
// layouts, and once where in one.
// CHECK-LABEL: @shared_sources
// CHECK-DAG:     %[[E1:.*]] = tensor.empty() {pctl.layouts = [#pctl.layout<@m, [{}, {"model"}]>]}
// CHECK-DAG:     %[[E2:.*]] = tensor.empty() {pctl.layouts = [#pctl.layout<@m, [{}, {}]>]}
// CHECK-DAG:     %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]] :
// CHECK-DAG:     %[[F2:.*]] = linalg.fill {{.*}} outs(%[[E2]] :
// CHECK-NOT:     tensor.empty
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.matmul {{.*}} outs(%[[F1]] :
// CHECK:         linalg.matmul {{.*}} outs(%[[F1]] :
// CHECK:         linalg.matmul {{.*}} outs(%[[F2]] :
pctl.mesh @m <["model"=2]>
func.func @shared_sources(
    %x: tensor<8x8xf32>,
    %w: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"model"}]>},
    %v: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {}]>}) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = arith.addf %0, %1 : tensor<8x8xf32>
  %3 = linalg.matmul ins(%2, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// Open dims take more axes, closed ones never: also not one that could be cut.
// CHECK-LABEL: @open_and_closed
// CHECK-SAME:    tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>}
// CHECK-SAME:    tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>}
// CHECK-SAME:    tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}
pctl.mesh @m <["a"=2, "b"=2]>
func.func @open_and_closed(
    %x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>},
    %y: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a", ?}, {}]>},
    %z: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) -> tensor<8x8xf32> {
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  %1 = arith.addf %0, %z : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// A layout that has a name, on an argument and on a shard op, from where it
// goes both ways.
// CHECK-LABEL: @shard
// CHECK-SAME:    %{{[^:]*}}: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
// CHECK:         arith.negf %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]}
// CHECK:         pctl.shard
// CHECK:         arith.negf %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]}
pctl.mesh @m <["a"=2]>
pctl.layout @row <@m, [{"a"}]>
func.func @shard(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.negf %x : tensor<8xf32>
  %1 = pctl.shard %0 to @row : tensor<8xf32>
  %2 = arith.negf %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// One set of layouts for a function, whoever calls it. A call's operands are
// wanted as the arguments are.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME:    tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) -> (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
// CHECK-LABEL: @calls
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %[[Y:[^:]*]]: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
// CHECK:         call @callee(%[[X]]) {pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]}
// CHECK:         call @callee(%[[Y]]) {pctl.layouts = [#pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]}
pctl.mesh @m <["a"=2]>
func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.negf %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @calls(
    %x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>},
    %y: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) -> tensor<8xf32> {
  %0 = call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @callee(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// What has no body is given whole tensors, and so is what is called from an op
// that is done whole.
// CHECK-LABEL: func.func private @declared
// CHECK-SAME:    (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) -> (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
// CHECK-LABEL: func.func private @from_many
// CHECK-SAME:    tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}
// CHECK-LABEL: @outside_callees
// CHECK:         call @declared({{.*}}) {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}]>]}
// CHECK:         scf.forall
// CHECK:           func.call @from_many(%{{[^ ]*}}) : (tensor<8xf32>)
// CHECK:         {pctl.operand_layouts = [#pctl.layout<@m, [{}]>]}
pctl.mesh @m <["a"=2]>
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
func.func private @from_many(%x: tensor<8xf32>) {
  return
}
func.func @outside_callees(
    %x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) -> tensor<8xf32> {
  %0 = call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
  scf.forall (%i) in (2) {
    func.call @from_many(%x) : (tensor<8xf32>) -> ()
  }
  return %0 : tensor<8xf32>
}

// -----

// Ops that state their layouts themselves.
// CHECK-LABEL: @fixed
// CHECK-SAME:    %{{[^:]*}}: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
// CHECK:         pctl.manual
// CHECK-SAME:      attributes {pctl.operand_layouts = [#pctl.layout<@m, [{"a"}]>]}
// CHECK:         pctl.redistribute {{.*}} {pctl.operand_layouts = [#pctl.layout<@m, [{}], partial = [sum("a")]>]}
// CHECK:         arith.negf %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]
pctl.mesh @m <["a"=2]>
func.func @fixed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = pctl.manual (%x) in [#pctl.layout<@m, [{"a"}]>] out [#pctl.layout<@m, [{}], partial = [sum("a")]>] {
  ^bb0(%local: tensor<4xf32>):
    %3 = tensor.concat dim(0) %local, %local : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    pctl.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = pctl.redistribute %0 from <@m, [{}], partial = [sum("a")]> to <@m, [{"a"}]> : tensor<8xf32>
  %2 = arith.negf %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Without any layout all is whole. Ops without tensors say nothing, results that
// are no tensors say unit, and a function of several blocks is fine while no
// block takes a tensor.
// CHECK-LABEL: @nothing_annotated
// CHECK:         arith.constant 1 : i32{{$}}
// CHECK:         "test.two"() {pctl.layouts = [unit, #pctl.layout<@m, [{}, {}]>]}
// CHECK:         "test.sink"(%{{.*}}) {pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>]}
pctl.mesh @m <["a"=2]>
func.func @nothing_annotated(%c: i1) -> tensor<2x2xf32> {
  %0 = arith.constant 1 : i32
  %1:2 = "test.two"() : () -> (i32, tensor<2x2xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  "test.sink"(%1#1) : (tensor<2x2xf32>) -> ()
  cf.br ^bb1
^bb1:
  return %1#1 : tensor<2x2xf32>
}

// -----

// No layout cuts a dim of unknown size, so what is merged into one stays whole,
// and so does what a rule joins to one; the dims beside them are cut.
// CHECK-LABEL: @unknown_sizes
// CHECK:         tensor.collapse_shape
// CHECK-SAME:      {pctl.layouts = [#pctl.layout<@m, [{}, {"y"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}, {"y"}]>]}
// CHECK:         "test.op"
// CHECK-SAME:      pctl.layouts = [#pctl.layout<@m, [{}, {}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>]
pctl.mesh @m <["x"=2, "y"=2]>
func.func @unknown_sizes(
    %a: tensor<6x?x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {"y"}]>},
    %b: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x?x4xf32> into tensor<?x4xf32>
  %1 = "test.op"(%b) {pctl.rule = #pctl.rule<([i, j]) -> ([i, j])>} : (tensor<8x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
}
