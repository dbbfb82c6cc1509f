// RUN: pctl-opt %s --pctl-propagate-layouts --pctl-insert-redistribution -split-input-file \
// RUN:   -allow-unregistered-dialect | FileCheck %s --implicit-check-not=operand_layouts \
// RUN:   --implicit-check-not=pctl.shard

// A partial result is reduced right after it is made, once for all its users.
// CHECK:       module attributes {pctl.form = "laid-out"}
// CHECK-LABEL: @reduces_once
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    %[[R:.*]] = pctl.redistribute %[[P]] from <@m, [{}, {}], partial = [sum("a")]> to <@m, [{}, {}]>
// CHECK-NOT:     pctl.redistribute
// CHECK:         arith.negf %[[R]]
// CHECK:         arith.mulf %{{.*}}, %[[R]]
// CHECK-NOT:     pctl.redistribute
pctl.mesh @m <["a"=2]>
func.func @reduces_once(
    %x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
    %w: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %i: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = arith.negf %0 : tensor<4x4xf32>
  %2 = arith.mulf %1, %0 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Wanted whole and cut: reduced to whole, and cut from that, which moves nothing.
// CHECK-LABEL: @reduces_then_cuts
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    %[[R:.*]] = pctl.redistribute %[[P]] from <@m, [{}, {}], partial = [sum("a")]> to <@m, [{}, {}]>
// CHECK:         %[[C:.*]] = pctl.redistribute %[[R]] from <@m, [{}, {}]> to <@m, [{"a"}, {}]>
// CHECK:         return %[[C]], %[[R]]
pctl.mesh @m <["a"=2]>
func.func @reduces_then_cuts(
    %x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
    %w: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %i: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>},
        tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %0 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Wanted cut only: reduced and scattered at once.
// CHECK-LABEL: @reduces_and_scatters
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    %[[C:.*]] = pctl.redistribute %[[P]] from <@m, [{}, {}], partial = [sum("a")]> to <@m, [{"a"}, {}]>
// CHECK-NEXT:    return %[[C]]
pctl.mesh @m <["a"=2]>
func.func @reduces_and_scatters(
    %x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
    %w: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %i: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Stays partial where that is what was asked for.
// CHECK-LABEL: @stays_partial
// CHECK:         %[[P:.*]] = linalg.matmul
// CHECK-NEXT:    return %[[P]]
pctl.mesh @m <["a"=2]>
func.func @stays_partial(
    %x: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
    %w: tensor<8x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %i: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}], partial = [sum("a")]>}) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// One argument used cut and whole: a redistribute for the whole use alone, right
// before it.
// CHECK-LABEL: @cut_and_whole
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>
// CHECK-NEXT:    arith.negf %[[X]]
// CHECK-NEXT:    %[[W:.*]] = pctl.redistribute %[[X]] from <@m, [{"a"}]> to <@m, [{}]>
// CHECK-NEXT:    "test.whole"(%[[W]])
// CHECK-NEXT:    "test.whole"(%[[W]])
pctl.mesh @m <["a"=2]>
func.func @cut_and_whole(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) {
  %0 = arith.negf %x : tensor<8xf32>
  "test.whole"(%x) : (tensor<8xf32>) -> ()
  "test.whole"(%x) : (tensor<8xf32>) -> ()
  return
}

// -----

// Users in several blocks share one that is made where the value is.
// CHECK-LABEL: @shared_between_blocks
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>
// CHECK-NEXT:    %[[W:.*]] = pctl.redistribute %[[X]]
// CHECK-NEXT:    cf.cond_br
// CHECK:         "test.whole"(%[[W]])
// CHECK:         "test.whole"(%[[W]])
pctl.mesh @m <["a"=2]>
func.func @shared_between_blocks(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}, %c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  "test.whole"(%x) : (tensor<8xf32>) -> ()
  return
^bb2:
  "test.whole"(%x) : (tensor<8xf32>) -> ()
  return
}

// -----

// A tensor that a body reads is whole there, and only there.
// CHECK-LABEL: @captured
// CHECK-SAME:    %[[T:[^:]*]]: tensor<8xf32>
// CHECK:         arith.negf %[[T]]
// CHECK:         %[[W:.*]] = pctl.redistribute %[[T]] from <@m, [{"a"}]> to <@m, [{}]>
// CHECK:         linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{"a"}]>]}
// CHECK:           tensor.extract %[[W]]
pctl.mesh @m <["a"=2]>
func.func @captured(%t: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>},
                    %i: tensor<4xindex> {pctl.layout = #pctl.layout<@m, [{"a"}]>})
    -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = arith.negf %t : tensor<8xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: index, %out: f32):
    %2 = tensor.extract %t[%in] : tensor<8xf32>
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<8xf32>, tensor<4xf32>
}

// -----

// A shard op becomes a redistribute, or nothing.
// CHECK-LABEL: @shards
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8x8xf32>
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT:    %[[R:.*]] = pctl.redistribute %[[N]] from <@m, [{"a"}, {}]> to <@m, [{}, {"a"}]>
// CHECK-NEXT:    return %[[R]]
pctl.mesh @m <["a"=2]>
func.func @shards(%x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = pctl.shard %x to <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = arith.negf %0 : tensor<8x8xf32>
  %2 = pctl.shard %1 to <@m, [{}, {"a"}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Operands of calls and manual regions, and what is returned, are moved to what
// they are said to be.
// CHECK-LABEL: @fixed
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>
// CHECK:         %[[A:.*]] = pctl.redistribute %[[X]] from <@m, [{}]> to <@m, [{"a"}]>
// CHECK:         %[[M:.*]] = pctl.manual(%[[A]])
// CHECK:         %[[C:.*]] = pctl.redistribute %[[M]] from <@m, [{}], partial = [sum("a")]> to <@m, [{"a"}]>
// CHECK:         %[[D:.*]] = call @callee(%[[C]])
// CHECK:         %[[E:.*]] = pctl.redistribute %[[D]] from <@m, [{"a"}]> to <@m, [{}]>
// CHECK:         return %[[E]]
pctl.mesh @m <["a"=2]>
func.func private @callee(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @fixed(%x: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
    -> (tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  %0 = pctl.manual (%x) in [#pctl.layout<@m, [{"a"}]>] out [#pctl.layout<@m, [{}], partial = [sum("a")]>] {
  ^bb0(%local: tensor<4xf32>):
    %3 = tensor.concat dim(0) %local, %local : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    pctl.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @callee(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Cut along different dims: one move, of the smaller harm: operand 1 to rows.
// CHECK-LABEL: @rows_plus_columns
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x4xf32> {{[^%]*}}%[[Y:[^:]*]]: tensor<4x4xf32>
// CHECK:         %[[R:.*]] = pctl.redistribute %[[Y]] from <@m, [{}, {"a"}]> to <@m, [{"a"}, {}]>
// CHECK-NEXT:    arith.addf %[[X]], %[[R]]
// CHECK-NOT:     pctl.redistribute
pctl.mesh @m <["a"=2]>
func.func @rows_plus_columns(
    %x: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>},
    %y: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}) -> tensor<4x4xf32> {
  %0 = arith.addf %x, %y : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
