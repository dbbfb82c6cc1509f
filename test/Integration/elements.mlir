// Indices, constants, and reads at computed places mean the whole tensor.

// RUN: pctl-run %s --entry iota --ranks 4 --verify
// RUN: pctl-run %s --entry constants --ranks 4 --verify
// RUN: pctl-run %s --entry reads_at_computed_places --ranks 4 --verify
// RUN: pctl-run %s --entry generate --ranks 4 --verify
// RUN: pctl-run %s --entry argmax --ranks 4 --verify
// RUN: pctl-run %s --entry integer_powers --ranks 4 --verify

pctl.mesh @m <["x"=4]>

// 8 over 4: the last rank holds 6 and 7. 7 over 4: 2, 2, 2 and 1.
func.func @iota() -> (tensor<8xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, tensor<7x2xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %e = tensor.empty() : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %v = arith.index_cast %i : index to i32
    linalg.yield %v : i32
  } -> tensor<8xi32>
  %f = tensor.empty() : tensor<7x2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%f : tensor<7x2xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %t = arith.muli %i, %ten : index
    %s = arith.addi %t, %j : index
    %v = arith.index_cast %s : index to i32
    linalg.yield %v : i32
  } -> tensor<7x2xi32>
  return %0, %1 : tensor<8xi32>, tensor<7x2xi32>
}

func.func @constants(%a: tensor<5xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<5xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  %dense = arith.constant dense<[3, 1, 4, 1, 5]> : tensor<5xi32>
  %splat = arith.constant dense<9> : tensor<5xi32>
  %0 = arith.addi %a, %dense : tensor<5xi32>
  %1 = arith.muli %0, %splat : tensor<5xi32>
  return %1 : tensor<5xi32>
}

// The table is cut, too: it is gathered, as any row may be read.
func.func @reads_at_computed_places(%table: tensor<9x3xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<6x3xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  %e = tensor.empty() : tensor<6x3xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<6x3xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %five = arith.constant 5 : index
    %nine = arith.constant 9 : index
    %t = arith.muli %i, %five : index
    %row = arith.remui %t, %nine : index
    %v = tensor.extract %table[%row, %j] : tensor<9x3xi32>
    linalg.yield %v : i32
  } -> tensor<6x3xi32>
  return %0 : tensor<6x3xi32>
}

func.func @generate() -> (tensor<7xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<7xi32>
  return %0 : tensor<7xi32>
}

// Two results that are reduced together: done whole.
func.func @argmax(%a: tensor<3x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) -> (tensor<3xf32>, tensor<3xi64>) {
  %low = arith.constant dense<0xFF800000> : tensor<3xf32>
  %none = arith.constant dense<0> : tensor<3xi64>
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x8xf32>) outs(%low, %none : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %j = linalg.index 1 : index
    %v = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %in, %max : f32
    %1 = arith.select %c, %in, %max : f32
    %2 = arith.select %c, %v, %at : i64
    linalg.yield %1, %2 : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

func.func @integer_powers(%a: tensor<9xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>},
                          %b: tensor<9xi64>) -> (tensor<9xi32>, tensor<9xi64>) {
  %0 = math.ipowi %a, %a : tensor<9xi32>
  %1 = math.ipowi %b, %b : tensor<9xi64>
  return %0, %1 : tensor<9xi32>, tensor<9xi64>
}
