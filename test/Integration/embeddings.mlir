// Rows of tables that are cut, at places that are computed.

// RUN: pctl-run %s --entry vocabulary --ranks 8 --verify
// RUN: pctl-run %s --entry vocabulary_and_width --ranks 8 --verify
// RUN: pctl-run %s --entry uneven_vocabulary --ranks 8 --verify
// RUN: pctl-run %s --entry small_table --ranks 8 --verify
// RUN: pctl-run %s --entry more_than_a_lookup --ranks 8 --verify
// RUN: pctl-run %s --entry flags --ranks 8 --verify
// RUN: pctl-run %s --entry two_computed_places --ranks 8 --verify
// RUN: pctl-run %s --entry rows_shuffled --ranks 8 --verify

#ids = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

pctl.mesh @m <["x"=2, "y"=4]>

// The vocabulary is cut, the sizes that the body asks for are those of the whole.
func.func @vocabulary(%t: tensor<32x64xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}, {}]>}, %ids: tensor<2x3xi64>)
    -> tensor<2x3x64xf32> {
  %c32 = arith.constant 32 : i64
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<2x3x64xf32>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<2x3xi64>) outs(%e : tensor<2x3x64xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.remui %in, %c32 : i64
    %id = arith.index_cast %r : i64 to index
    %i = linalg.index 2 : index
    %size = tensor.dim %t, %c0 : tensor<32x64xf32>
    %fits = arith.cmpi slt, %id, %size : index
    cf.assert %fits, "index must be smaller than dim size"
    %x = tensor.extract %t[%id, %i] : tensor<32x64xf32>
    linalg.yield %x : f32
  } -> tensor<2x3x64xf32>
  return %0 : tensor<2x3x64xf32>
}

func.func @vocabulary_and_width(%t: tensor<30x10xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>}, %ids: tensor<1x5xi64>)
    -> tensor<1x5x10xi32> {
  %c30 = arith.constant 30 : i64
  %e = tensor.empty() : tensor<1x5x10xi32>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<1x5xi64>) outs(%e : tensor<1x5x10xi32>) {
  ^bb0(%in: i64, %out: i32):
    %r = arith.remui %in, %c30 : i64
    %id = arith.index_cast %r : i64 to index
    %i = linalg.index 2 : index
    %x = tensor.extract %t[%id, %i] : tensor<30x10xi32>
    linalg.yield %x : i32
  } -> tensor<1x5x10xi32>
  return %0 : tensor<1x5x10xi32>
}

// Five rows over eight ranks: three have none.
func.func @uneven_vocabulary(%t: tensor<5x6xf64> {pctl.layout = #pctl.layout<@m, [{"x", "y"}, {}]>}, %ids: tensor<1x2xi32>)
    -> tensor<1x2x6xf64> {
  %c5 = arith.constant 5 : i32
  %e = tensor.empty() : tensor<1x2x6xf64>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<1x2xi32>) outs(%e : tensor<1x2x6xf64>) {
  ^bb0(%in: i32, %out: f64):
    %r = arith.remui %in, %c5 : i32
    %id = arith.index_cast %r : i32 to index
    %i = linalg.index 2 : index
    %x = tensor.extract %t[%id, %i] : tensor<5x6xf64>
    linalg.yield %x : f64
  } -> tensor<1x2x6xf64>
  return %0 : tensor<1x2x6xf64>
}

// A small table is gathered.
func.func @small_table(%t: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}]>},
    %ids: tensor<6x8xi64> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) -> tensor<6x8x6xf32> {
  %c4 = arith.constant 4 : i64
  %e = tensor.empty() : tensor<6x8x6xf32>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<6x8xi64>) outs(%e : tensor<6x8x6xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.remui %in, %c4 : i64
    %id = arith.index_cast %r : i64 to index
    %i = linalg.index 2 : index
    %x = tensor.extract %t[%id, %i] : tensor<4x6xf32>
    linalg.yield %x : f32
  } -> tensor<6x8x6xf32>
  return %0 : tensor<6x8x6xf32>
}

func.func @more_than_a_lookup(%t: tensor<32x6xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>}, %ids: tensor<1x2xi64>)
    -> tensor<1x2x6xf32> {
  %c32 = arith.constant 32 : i64
  %e = tensor.empty() : tensor<1x2x6xf32>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<1x2xi64>) outs(%e : tensor<1x2x6xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.remui %in, %c32 : i64
    %id = arith.index_cast %r : i64 to index
    %i = linalg.index 2 : index
    %x = tensor.extract %t[%id, %i] : tensor<32x6xf32>
    %one = arith.constant 1.0 : f32
    %y = arith.addf %x, %one : f32
    linalg.yield %y : f32
  } -> tensor<1x2x6xf32>
  return %0 : tensor<1x2x6xf32>
}

func.func @flags(%t: tensor<32xi1> {pctl.layout = #pctl.layout<@m, [{"y"}]>}, %ids: tensor<5xi64>) -> tensor<5xi1> {
  %c32 = arith.constant 32 : i64
  %e = tensor.empty() : tensor<5xi1>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5xi1>) {
  ^bb0(%in: i64, %out: i1):
    %r = arith.remui %in, %c32 : i64
    %id = arith.index_cast %r : i64 to index
    %x = tensor.extract %t[%id] : tensor<32xi1>
    linalg.yield %x : i1
  } -> tensor<5xi1>
  return %0 : tensor<5xi1>
}

func.func @two_computed_places(%t: tensor<7x9xf32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>}, %ids: tensor<10xi64>)
    -> tensor<10xf32> {
  %c7 = arith.constant 7 : i64
  %c9 = arith.constant 9 : i64
  %e = tensor.empty() : tensor<10xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<10xi64>) outs(%e : tensor<10xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.remui %in, %c7 : i64
    %row = arith.index_cast %r : i64 to index
    %s = arith.remui %in, %c9 : i64
    %col = arith.index_cast %s : i64 to index
    %x = tensor.extract %t[%row, %col] : tensor<7x9xf32>
    linalg.yield %x : f32
  } -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// The places lie along a dim that is whole, so each rank has what it needs.
func.func @rows_shuffled(%t: tensor<4x9x3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>},
    %ids: tensor<4x9xi64> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<4x9x3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>}) {
  %c9 = arith.constant 9 : i64
  %e = tensor.empty() : tensor<4x9x3xf32>
  %0 = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<4x9xi64>) outs(%e : tensor<4x9x3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %r = arith.remui %in, %c9 : i64
    %row = arith.index_cast %r : i64 to index
    %x = tensor.extract %t[%i, %row, %j] : tensor<4x9x3xf32>
    linalg.yield %x : f32
  } -> tensor<4x9x3xf32>
  return %0 : tensor<4x9x3xf32>
}
