// Greatest elements and where they are first, over cut dims.

// RUN: pctl-run %s --entry over_a_cut_dim --ranks 4 --verify
// RUN: pctl-run %s --entry equal_elements --ranks 4 --verify
// RUN: pctl-run %s --entry nan_stops_the_search --ranks 4 --verify
// RUN: pctl-run %s --entry nan_is_passed_over --ranks 4 --verify
// RUN: pctl-run %s --entry nan_at_the_start --ranks 4 --verify
// RUN: pctl-run %s --entry zeros_are_equal --ranks 4 --verify
// RUN: pctl-run %s --entry uneven --ranks 4 --verify
// RUN: pctl-run %s --entry two_dims --ranks 4 --verify
// RUN: pctl-run %s --entry last_place --ranks 4 --verify
// RUN: pctl-run %s --entry whole --ranks 4 --verify

pctl.mesh @m <["x"=2, "y"=2]>

#pair = affine_map<(d0) -> ()>
#id = affine_map<(d0) -> (d0)>
#in4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#out4 = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>

func.func @over_a_cut_dim(%a: tensor<10x5x3x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}, {"y"}]>})
    -> (tensor<5x3x8xf32>, tensor<5x3x8xi64>) {
  %low = arith.constant dense<0xFF800000> : tensor<5x3x8xf32>
  %none = arith.constant dense<0> : tensor<5x3x8xi64>
  %0:2 = linalg.generic {indexing_maps = [#in4, #out4, #out4], iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<10x5x3x8xf32>) outs(%low, %none : tensor<5x3x8xf32>, tensor<5x3x8xi64>) {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %b = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %b, %p : f32, i64
  } -> (tensor<5x3x8xf32>, tensor<5x3x8xi64>)
  return %0#0, %0#1 : tensor<5x3x8xf32>, tensor<5x3x8xi64>
}

// All are equal: the place is that of the first, 0.
func.func @equal_elements() -> (tensor<5x3x8xi32>, tensor<5x3x8xi64>) {
  %ones = arith.constant dense<1> : tensor<10x5x3x8xi32>
  %a = pctl.shard %ones to <@m, [{"x", "y"}, {}, {}, {}]> : tensor<10x5x3x8xi32>
  %low = arith.constant dense<-5> : tensor<5x3x8xi32>
  %none = arith.constant dense<-1> : tensor<5x3x8xi64>
  %0:2 = linalg.generic {indexing_maps = [#in4, #out4, #out4], iterator_types = ["reduction", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<10x5x3x8xi32>) outs(%low, %none : tensor<5x3x8xi32>, tensor<5x3x8xi64>) {
  ^bb0(%x: i32, %v: i32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %c = arith.cmpi slt, %v, %x : i32
    %b = arith.maxsi %v, %x : i32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %b, %p : i32, i64
  } -> (tensor<5x3x8xi32>, tensor<5x3x8xi64>)
  return %0#0, %0#1 : tensor<5x3x8xi32>, tensor<5x3x8xi64>
}

// The second rank has a better element, then a NaN, then one that is better
// still: the place is that before the NaN.
func.func @nan_stops_the_search() -> (tensor<f32>, tensor<i64>) {
  %all = arith.constant dense<[1.0, 2.0, 0.0, 3.0, 0x7FC00000, 7.0, 9.0, 8.0]> : tensor<8xf32>
  %a = pctl.shard %all to <@m, [{"x"}]> : tensor<8xf32>
  %parts = arith.constant dense<[1.0, 2.0, 0.0, 3.0, 5.0, 0x7FC00000, 9.0, 8.0]> : tensor<8xf32>
  %b = pctl.shard %parts to <@m, [{"y"}]> : tensor<8xf32>
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %none = arith.constant dense<-1> : tensor<i64>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%low, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %1:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%b : tensor<8xf32>) outs(%0#1, %0#0 : tensor<i64>, tensor<f32>) {
  ^bb0(%x: f32, %w: i64, %v: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %p, %m : i64, f32
  } -> (tensor<i64>, tensor<f32>)
  %2:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%b : tensor<8xf32>) outs(%1#0, %low : tensor<i64>, tensor<f32>) {
  ^bb0(%x: f32, %w: i64, %v: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %p, %m : i64, f32
  } -> (tensor<i64>, tensor<f32>)
  return %2#1, %2#0 : tensor<f32>, tensor<i64>
}

func.func @nan_is_passed_over() -> (tensor<f32>, tensor<i32>) {
  %all = arith.constant dense<[0x7FC00000, 2.0, 0.0, 3.0, 5.0, 0x7FC00000, 0.5, 8.0]> : tensor<8xf32>
  %a = pctl.shard %all to <@m, [{"x", "y"}]> : tensor<8xf32>
  %high = arith.constant dense<0x7F800000> : tensor<f32>
  %none = arith.constant dense<-1> : tensor<i32>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%high, %none : tensor<f32>, tensor<i32>) {
  ^bb0(%x: f32, %v: f32, %w: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c = arith.cmpf olt, %x, %v : f32
    %m = arith.select %c, %x, %v : f32
    %p = arith.select %c, %n, %w : i32
    linalg.yield %m, %p : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}

func.func @nan_at_the_start(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>}) -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
  %nan = arith.constant dense<0x7FC00000> : tensor<f32>
  %none = arith.constant dense<-1> : tensor<i64>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%nan, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.minimumf %v, %x : f32
    %c = arith.cmpf olt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  %1:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xf32>) outs(%nan, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %v : f32
    %m = arith.select %c, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
}

func.func @zeros_are_equal() -> (tensor<f32>, tensor<i64>) {
  %all = arith.constant dense<[-1.0, -0.0, 0.0, -0.0]> : tensor<4xf32>
  %a = pctl.shard %all to <@m, [{"x", "y"}]> : tensor<4xf32>
  %low = arith.constant dense<0xFF800000> : tensor<f32>
  %none = arith.constant dense<-1> : tensor<i64>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<4xf32>) outs(%low, %none : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}

// Blocks of 2, 2, 1 and 0; what is compared is computed, and so is the place.
func.func @uneven(%a: tensor<3x5xi8> {pctl.layout = #pctl.layout<@m, [{}, {"x", "y"}]>}) -> (tensor<3xi8>, tensor<3xi32>) {
  %low = arith.constant dense<3> : tensor<3xi8>
  %none = arith.constant dense<-1> : tensor<3xi32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>],
                         iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<3x5xi8>) outs(%low, %none : tensor<3xi8>, tensor<3xi32>) {
  ^bb0(%x: i8, %v: i8, %w: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %n = arith.index_cast %s : index to i32
    %y = arith.muli %x, %x : i8
    %m = arith.maxui %v, %y : i8
    %c = arith.cmpi ugt, %y, %v : i8
    %p = arith.select %c, %n, %w : i32
    linalg.yield %m, %p : i8, i32
  } -> (tensor<3xi8>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xi8>, tensor<3xi32>
}

// Only the outer of two reduced dims may be cut: the order is row by row.
func.func @two_dims() -> (tensor<i32>, tensor<i64>) {
  %all = arith.constant dense<[[1, 2, 7, 3], [7, 7, 0, 1]]> : tensor<2x4xi32>
  %a = pctl.shard %all to <@m, [{"y"}, {"x"}]> : tensor<2x4xi32>
  %low = arith.constant dense<0> : tensor<i32>
  %none = arith.constant dense<-1> : tensor<i64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<2x4xi32>) outs(%low, %none : tensor<i32>, tensor<i64>) {
  ^bb0(%x: i32, %v: i32, %w: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %r = arith.muli %i, %c4 : index
    %s = arith.addi %r, %j : index
    %n = arith.index_cast %s : index to i64
    %m = arith.maxsi %x, %v : i32
    %c = arith.cmpi sgt, %x, %v : i32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : i32, i64
  } -> (tensor<i32>, tensor<i64>)
  return %0#0, %0#1 : tensor<i32>, tensor<i64>
}

// Of equal elements the last one counts: done whole.
func.func @last_place(%a: tensor<8xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) -> (tensor<i32>, tensor<i64>) {
  %low = arith.constant dense<0> : tensor<i32>
  %none = arith.constant dense<-1> : tensor<i64>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xi32>) outs(%low, %none : tensor<i32>, tensor<i64>) {
  ^bb0(%x: i32, %v: i32, %w: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maxsi %x, %v : i32
    %c = arith.cmpi sge, %x, %v : i32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %m, %p : i32, i64
  } -> (tensor<i32>, tensor<i64>)
  return %0#0, %0#1 : tensor<i32>, tensor<i64>
}

// A sum and a count of two results.
func.func @whole(%a: tensor<8xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) -> (tensor<i32>, tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %one = arith.constant dense<1> : tensor<i32>
  %0:2 = linalg.generic {indexing_maps = [#id, #pair, #pair], iterator_types = ["reduction"]}
      ins(%a : tensor<8xi32>) outs(%zero, %one : tensor<i32>, tensor<i32>) {
  ^bb0(%x: i32, %v: i32, %w: i32):
    %s = arith.addi %x, %v : i32
    %d = arith.subi %w, %x : i32
    linalg.yield %s, %d : i32, i32
  } -> (tensor<i32>, tensor<i32>)
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
