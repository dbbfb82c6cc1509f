// Bodies of loops and branches are cut as the rest of the program is, and give
// what the uncut program gives; so do callees with a body for each layout.

// RUN: pctl-run %s --entry weights_in_a_loop --ranks 4 --verify
// RUN: pctl-run %s --entry loop_in_a_branch_in_a_loop --ranks 4 --verify
// RUN: pctl-run %s --entry while_changes_layout --ranks 4 --verify
// RUN: pctl-run %s --entry until_small --ranks 4 --verify
// RUN: pctl-run %s --entry three_ways --ranks 4 --verify
// RUN: pctl-run %s --entry region_value --ranks 4 --verify
// RUN: pctl-run %s --entry calls_in_a_loop --ranks 4 --verify
// RUN: pctl-run %s --entry carries_swapped --ranks 4 --verify

pctl.mesh @m <["x"=2, "y"=2]>

// Each turn sums over a dim that is cut.
func.func @weights_in_a_loop(
    %x: tensor<5x6xf32>, %w: tensor<6x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {?}]>}) -> tensor<5x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> tensor<5x6xf32> {
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
    %1 = linalg.matmul ins(%t, %w : tensor<5x6xf32>, tensor<6x6xf32>) outs(%f : tensor<5x6xf32>) -> tensor<5x6xf32>
    %2 = pctl.shard %1 to <@m, [{"y"}, {?}]> : tensor<5x6xf32>
    %3 = arith.subf %2, %t : tensor<5x6xf32>
    scf.yield %3 : tensor<5x6xf32>
  }
  return %0 : tensor<5x6xf32>
}

func.func @loop_in_a_branch_in_a_loop(
    %x: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {?}]>},
    %y: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{?}, {"x"}]>}) -> (tensor<5x6xi32>, tensor<6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %init = arith.constant dense<7> : tensor<6xi32>
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x, %s = %init) -> (tensor<5x6xi32>, tensor<6xi32>) {
    %odd = arith.remui %i, %c4 : index
    %b = arith.cmpi ne, %odd, %c1 : index
    %1 = scf.if %b -> tensor<5x6xi32> {
      %2 = scf.for %j = %c0 to %i step %c1 iter_args(%u = %t) -> tensor<5x6xi32> {
        %3 = arith.addi %u, %y : tensor<5x6xi32>
        scf.yield %3 : tensor<5x6xi32>
      }
      scf.yield %2 : tensor<5x6xi32>
    } else {
      scf.yield %y : tensor<5x6xi32>
    }
    %r = linalg.reduce { arith.addi } ins(%1 : tensor<5x6xi32>) outs(%s : tensor<6xi32>) dimensions = [0]
    scf.yield %1, %r : tensor<5x6xi32>, tensor<6xi32>
  }
  return %0#0, %0#1 : tensor<5x6xi32>, tensor<6xi32>
}

// What goes round and what comes out are laid out apart.
func.func @while_changes_layout(
    %x: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"y"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:2 = scf.while (%t = %x, %n = %c0) : (tensor<4x6xi32>, index) -> (tensor<4x6xi32>, index) {
    %more = arith.cmpi slt, %n, %c3 : index
    %1 = arith.muli %t, %t : tensor<4x6xi32>
    scf.condition(%more) %1, %n : tensor<4x6xi32>, index
  } do {
  ^bb0(%t: tensor<4x6xi32>, %n: index):
    %m = arith.addi %n, %c1 : index
    %1 = arith.addi %t, %x : tensor<4x6xi32>
    scf.yield %1, %m : tensor<4x6xi32>, index
  }
  return %0#0 : tensor<4x6xi32>
}

// The ranks agree on when to stop, though the sum that decides is cut.
func.func @until_small(%x: tensor<8x3xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {?}]>}) -> tensor<8x3xi32> {
  %c9 = arith.constant 9 : i32
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<8x3xi32>
  %0 = scf.while (%t = %x) : (tensor<8x3xi32>) -> tensor<8x3xi32> {
    %s = linalg.reduce { arith.addi } ins(%t : tensor<8x3xi32>) outs(%zero : tensor<i32>) dimensions = [0, 1]
    %v = tensor.extract %s[] : tensor<i32>
    %more = arith.cmpi sgt, %v, %c9 : i32
    scf.condition(%more) %t : tensor<8x3xi32>
  } do {
  ^bb0(%t: tensor<8x3xi32>):
    %1 = arith.subi %t, %one : tensor<8x3xi32>
    scf.yield %1 : tensor<8x3xi32>
  }
  return %0 : tensor<8x3xi32>
}

func.func @three_ways(
    %x: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {?}]>}, %k: tensor<i32>,
    %y: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{?}, {"x"}]>}) -> tensor<5x6xi32> {
  %v = tensor.extract %k[] : tensor<i32>
  %n = arith.index_cast %v : i32 to index
  %0 = scf.index_switch %n -> tensor<5x6xi32>
  case 0 {
    %1 = arith.muli %x, %x : tensor<5x6xi32>
    scf.yield %1 : tensor<5x6xi32>
  }
  case 1 {
    %1 = arith.muli %y, %y : tensor<5x6xi32>
    scf.yield %1 : tensor<5x6xi32>
  }
  default {
    scf.yield %y : tensor<5x6xi32>
  }
  return %0 : tensor<5x6xi32>
}

func.func @region_value(
    %x: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {?}]>},
    %y: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{?}, {"x"}]>}) -> tensor<5x6xi32> {
  %0 = scf.execute_region -> tensor<5x6xi32> {
    %1 = arith.muli %x, %y : tensor<5x6xi32>
    %2 = pctl.shard %1 to <@m, [{"y"}, {?}]> : tensor<5x6xi32>
    scf.yield %2 : tensor<5x6xi32>
  }
  return %0 : tensor<5x6xi32>
}

func.func private @square(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = arith.muli %x, %x : tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
func.func @calls_in_a_loop(
    %x: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {?}]>},
    %y: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{?}, {"x"}]>}) -> (tensor<4x6xi32>, tensor<4x6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = func.call @square(%y) : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> tensor<4x6xi32> {
    %1 = func.call @square(%x) : (tensor<4x6xi32>) -> tensor<4x6xi32>
    %2 = arith.addi %1, %t : tensor<4x6xi32>
    scf.yield %2 : tensor<4x6xi32>
  }
  return %s, %0 : tensor<4x6xi32>, tensor<4x6xi32>
}

func.func @carries_swapped(
    %x: tensor<4x4xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %y: tensor<4x4xi32> {pctl.layout = #pctl.layout<@m, [{}, {"y"}]>}) -> (tensor<4x4xi32>, tensor<4x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4x4xi32>, tensor<4x4xi32>) {
    %1 = arith.addi %a, %b : tensor<4x4xi32>
    scf.yield %b, %1 : tensor<4x4xi32>, tensor<4x4xi32>
  }
  return %0#0, %0#1 : tensor<4x4xi32>, tensor<4x4xi32>
}
