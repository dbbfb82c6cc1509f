// Reductions over a cut dim, with initial values that count, on ranks, against
// the uncut program. Six columns over 2 and 4 ranks: 3, 3 and 2, 2, 2, 0.

// RUN: pctl-run %s --entry integers --ranks 4 --verify
// RUN: pctl-run %s --entry floats --ranks 4 --verify
// RUN: pctl-run %s --entry init_is_a_tensor --ranks 4 --verify
// RUN: pctl-run %s --entry both_dims --ranks 4 --verify
// RUN: pctl-run %s --entry mean_of_uneven_rows --ranks 4 --verify
// RUN: pctl-run %s --entry mean_of_one_row --ranks 4 --verify
// RUN: pctl-run %s --entry partial_then_bias --ranks 4 --verify
// RUN: pctl-run %s --entry product_of_sums --ranks 4 --verify
// RUN: pctl-run %s --entry no_reduction --ranks 4 --verify
// RUN: pctl-run %s --entry booleans --ranks 4 --verify

pctl.mesh @m <["x"=2, "y"=2]>

#cut = #pctl.layout<@m, [{}, {"x", "y"}]>

func.func @integers(%a: tensor<4x6xi32> {pctl.layout = #cut}) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %i0 = arith.constant dense<7> : tensor<4xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<4x6xi32>) outs(%i0 : tensor<4xi32>) dimensions = [1]
  %i1 = arith.constant dense<3> : tensor<4xi32>
  %1 = linalg.reduce { arith.muli } ins(%a : tensor<4x6xi32>) outs(%i1 : tensor<4xi32>) dimensions = [1]
  %i2 = arith.constant dense<-5> : tensor<4xi32>
  %2 = linalg.reduce { arith.maxsi } ins(%a : tensor<4x6xi32>) outs(%i2 : tensor<4xi32>) dimensions = [1]
  %i3 = arith.constant dense<5> : tensor<4xi32>
  %3 = linalg.reduce { arith.minsi } ins(%a : tensor<4x6xi32>) outs(%i3 : tensor<4xi32>) dimensions = [1]
  %i4 = arith.constant dense<9> : tensor<4xi32>
  %4 = linalg.reduce { arith.maxui } ins(%a : tensor<4x6xi32>) outs(%i4 : tensor<4xi32>) dimensions = [1]
  %i5 = arith.constant dense<12> : tensor<4xi32>
  %5 = linalg.reduce { arith.minui } ins(%a : tensor<4x6xi32>) outs(%i5 : tensor<4xi32>) dimensions = [1]
  %i6 = arith.constant dense<-1> : tensor<4xi32>
  %6 = linalg.reduce { arith.andi } ins(%a : tensor<4x6xi32>) outs(%i6 : tensor<4xi32>) dimensions = [1]
  %i7 = arith.constant dense<4> : tensor<4xi32>
  %7 = linalg.reduce { arith.ori } ins(%a : tensor<4x6xi32>) outs(%i7 : tensor<4xi32>) dimensions = [1]
  %i8 = arith.constant dense<6> : tensor<4xi32>
  %8 = linalg.reduce { arith.xori } ins(%a : tensor<4x6xi32>) outs(%i8 : tensor<4xi32>) dimensions = [1]
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

func.func @floats(%a: tensor<4x6xf32> {pctl.layout = #cut}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %i0 = arith.constant dense<1.5> : tensor<4xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x6xf32>) outs(%i0 : tensor<4xf32>) dimensions = [1]
  %i1 = arith.constant dense<2.0> : tensor<4xf32>
  %1 = linalg.reduce { arith.mulf } ins(%a : tensor<4x6xf32>) outs(%i1 : tensor<4xf32>) dimensions = [1]
  %i2 = arith.constant dense<-3.0> : tensor<4xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%a : tensor<4x6xf32>) outs(%i2 : tensor<4xf32>) dimensions = [1]
  %i3 = arith.constant dense<3.0> : tensor<4xf32>
  %3 = linalg.reduce { arith.minimumf } ins(%a : tensor<4x6xf32>) outs(%i3 : tensor<4xf32>) dimensions = [1]
  %i4 = arith.constant dense<0.25> : tensor<4xf32>
  %4 = linalg.reduce { arith.maxnumf } ins(%a : tensor<4x6xf32>) outs(%i4 : tensor<4xf32>) dimensions = [1]
  %i5 = arith.constant dense<-0.25> : tensor<4xf32>
  %5 = linalg.reduce { arith.minnumf } ins(%a : tensor<4x6xf32>) outs(%i5 : tensor<4xf32>) dimensions = [1]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @init_is_a_tensor(%a: tensor<5x6xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>}, %init: tensor<5xi32>)
    -> (tensor<5xi32>, tensor<5xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<5x6xi32>) outs(%init : tensor<5xi32>) dimensions = [1]
  %1 = linalg.reduce { arith.xori } ins(%a : tensor<5x6xi32>) outs(%init : tensor<5xi32>) dimensions = [1]
  return %0, %1 : tensor<5xi32>, tensor<5xi32>
}

func.func @both_dims(%a: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}]>}, %init: tensor<i32>) -> tensor<i32> {
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<4x6xi32>) outs(%init : tensor<i32>) dimensions = [0, 1]
  return %0 : tensor<i32>
}

// 0 to 11 as 3x4, two rows and one: 5.5.
func.func @mean_of_uneven_rows() -> tensor<f32> {
  %a = arith.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]> : tensor<3x4xf32>
  %cut = pctl.shard %a to <@m, [{"x"}, {}]> : tensor<3x4xf32>
  %init = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%cut : tensor<3x4xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  %n = arith.constant dense<12.0> : tensor<f32>
  %m = arith.divf %s, %n : tensor<f32>
  return %m : tensor<f32>
}

// The second rank has no row: no NaN comes of that.
func.func @mean_of_one_row(%a: tensor<1x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<1x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0]
  %n = arith.constant dense<1.0> : tensor<4xf32>
  %m = arith.divf %s, %n : tensor<4xf32>
  return %m : tensor<4xf32>
}

// 10 and 35, then 10 more, once: 55.
func.func @partial_then_bias() -> tensor<i32> {
  %a = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<9xi32>
  %cut = pctl.shard %a to <@m, [{"x"}:[4, 5]]> : tensor<9xi32>
  %init = arith.constant dense<0> : tensor<i32>
  %s = linalg.reduce { arith.addi } ins(%cut : tensor<9xi32>) outs(%init : tensor<i32>) dimensions = [0]
  %ten = arith.constant dense<10> : tensor<i32>
  %r = arith.addi %s, %ten : tensor<i32>
  return %r : tensor<i32>
}

// (1 + 1) (1 + 2) = 6.
func.func @product_of_sums() -> tensor<i32> {
  %a = arith.constant dense<[1, 1]> : tensor<2xi32>
  %b = arith.constant dense<[1, 2]> : tensor<2xi32>
  %ca = pctl.shard %a to <@m, [{"x"}]> : tensor<2xi32>
  %cb = pctl.shard %b to <@m, [{"x"}]> : tensor<2xi32>
  %init = arith.constant dense<0> : tensor<i32>
  %sa = linalg.reduce { arith.addi } ins(%ca : tensor<2xi32>) outs(%init : tensor<i32>) dimensions = [0]
  %sb = linalg.reduce { arith.addi } ins(%cb : tensor<2xi32>) outs(%init : tensor<i32>) dimensions = [0]
  %r = arith.muli %sa, %sb : tensor<i32>
  return %r : tensor<i32>
}

// A body that subtracts is no reduction to cut: done whole.
func.func @no_reduction(%a: tensor<4x6xi32> {pctl.layout = #cut}, %init: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce ins(%a : tensor<4x6xi32>) outs(%init : tensor<4xi32>) dimensions = [1]
      (%in: i32, %out: i32) {
        %1 = arith.subi %out, %in : i32
        linalg.yield %1 : i32
      }
  return %0 : tensor<4xi32>
}

func.func @booleans(%a: tensor<4x6xi32> {pctl.layout = #cut}) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %zero = arith.constant dense<0> : tensor<4x6xi32>
  %b = arith.cmpi sgt, %a, %zero : tensor<4x6xi32>
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = linalg.reduce { arith.andi } ins(%b : tensor<4x6xi1>) outs(%true : tensor<4xi1>) dimensions = [1]
  %1 = linalg.reduce { arith.ori } ins(%b : tensor<4x6xi1>) outs(%false : tensor<4xi1>) dimensions = [1]
  %2 = linalg.reduce { arith.xori } ins(%b : tensor<4x6xi1>) outs(%true : tensor<4xi1>) dimensions = [1]
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
