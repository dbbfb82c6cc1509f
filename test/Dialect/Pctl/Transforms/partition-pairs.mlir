// RUN: pctl-opt %s --pctl-partition --split-input-file --verify-diagnostics | FileCheck %s

// Greatest elements and their places: each rank finds a pair, the pairs are
// gathered and the same body goes through them.

pctl.mesh @m <["x"=2]>

#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
#row = #pctl.layout<@m, [{}]>
#cut = #pctl.layout<@m, [{}, {"x"}]>

// CHECK-LABEL: func.func @selected(
// CHECK-SAME: %[[A:arg0]]: tensor<3x4xf32>
// CHECK-SAME: %[[LOW:arg1]]: tensor<3xf32>
// CHECK-SAME: %[[NONE:arg2]]: tensor<3xi64>
// CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 8 by ["x"] on @m
// CHECK: %[[OWN:.*]]:2 = linalg.generic {{.*}} ins(%[[A]] : tensor<3x4xf32>) outs(%[[LOW]], %[[NONE]] : tensor<3xf32>, tensor<3xi64>)
// CHECK: arith.addi %{{.*}}, %[[OFFSET]] : index
// CHECK: %[[B:.*]] = tensor.expand_shape %[[OWN]]#0
// CHECK: %[[ALL_B:.*]] = pctl.all_gather ins(%[[B]] : tensor<1x3xf32>) outs(%{{.*}} : tensor<2x3xf32>) dim = 0 axes = ["x"]
// CHECK: %[[P:.*]] = tensor.expand_shape %[[OWN]]#1
// CHECK: %[[ALL_P:.*]] = pctl.all_gather ins(%[[P]] : tensor<1x3xi64>) outs(%{{.*}} : tensor<2x3xi64>) dim = 0 axes = ["x"]
// CHECK: %[[BEST:.*]]:2 = linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK-SAME: ins(%[[ALL_B]], %[[ALL_P]] : tensor<2x3xf32>, tensor<2x3xi64>) outs(%[[LOW]], %[[NONE]] : tensor<3xf32>, tensor<3xi64>)
// CHECK: ^bb0(%[[X:.*]]: f32, %[[AT:.*]]: i64, %[[V:.*]]: f32, %[[W:.*]]: i64):
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[X]], %[[V]] : f32
// CHECK: arith.select %{{.*}}, %[[X]], %[[V]] : f32
// CHECK: arith.select %[[C]], %[[AT]], %[[W]] : i64
// CHECK: return %[[BEST]]#0, %[[BEST]]#1
func.func @selected(%a: tensor<3x8xf32> {pctl.layout = #cut}, %low: tensor<3xf32> {pctl.layout = #row}, %none: tensor<3xi64> {pctl.layout = #row})
    -> (tensor<3xf32> {pctl.layout = #row}, tensor<3xi64> {pctl.layout = #row}) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x8xf32>) outs(%low, %none : tensor<3xf32>, tensor<3xi64>) attrs = {pctl.layouts = [#row, #row]} {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %v : f32
    %b = arith.select %c, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %b, %p : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

// A NaN takes the element over, so what was best before it is found as well.
// CHECK-LABEL: func.func @maximum(
// CHECK: %[[OWN:.*]]:3 = linalg.generic
// CHECK: %[[M:.*]] = arith.maximumf
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[M]], %[[M]] : f32
// CHECK: arith.select %[[NAN]], %{{.*}}, %[[M]] : f32
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: f32, %[[AT:.*]]: i64, %[[BEFORE:.*]]: f32, %[[V:.*]]: f32, %[[W:.*]]: i64):
// CHECK: %[[C:.*]] = arith.cmpf ogt, %[[BEFORE]], %[[V]] : f32
// CHECK: arith.maximumf %[[X]], %[[V]] : f32
// CHECK: arith.select %[[C]], %[[AT]], %[[W]] : i64
func.func @maximum(%a: tensor<3x8xf32> {pctl.layout = #cut}, %low: tensor<3xf32> {pctl.layout = #row}, %none: tensor<3xi64> {pctl.layout = #row})
    -> (tensor<3xf32> {pctl.layout = #row}, tensor<3xi64> {pctl.layout = #row}) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x8xf32>) outs(%low, %none : tensor<3xf32>, tensor<3xi64>) attrs = {pctl.layouts = [#row, #row]} {
  ^bb0(%x: f32, %v: f32, %w: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %b = arith.maximumf %x, %v : f32
    %c = arith.cmpf ogt, %x, %v : f32
    %p = arith.select %c, %n, %w : i64
    linalg.yield %b, %p : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi64>
}

// -----

// Blocks of an inner loop do not follow each other.
pctl.mesh @m <["x"=2]>
#none = #pctl.layout<@m, []>
func.func @inner_loop(%a: tensor<3x8xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %v: tensor<i32> {pctl.layout = #none},
    %w: tensor<i64> {pctl.layout = #none}) {
  // expected-error @+1 {{'linalg.generic' op result #0 is laid out as []; its operands make it [] partial=[sum(x)]}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%a : tensor<3x8xi32>) outs(%v, %w : tensor<i32>, tensor<i64>) attrs = {pctl.layouts = [#none, #none]} {
  ^bb0(%x: i32, %b: i32, %p: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maxsi %x, %b : i32
    %c = arith.cmpi sgt, %x, %b : i32
    %q = arith.select %c, %n, %p : i64
    linalg.yield %m, %q : i32, i64
  } -> (tensor<i32>, tensor<i64>)
  return
}
