// RUN: pctl-opt %s --pctl-propagate-layouts | FileCheck %s

// A body that does anything but accumulate by one op is no reduction that can be
// cut.

pctl.mesh @m <["a"=2]>

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>

// Differences depend on the order.
// CHECK-LABEL: @subtracts(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @subtracts(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.subf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A product that the accumulator is in as well.
// CHECK-LABEL: @uses_the_accumulator_twice(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @uses_the_accumulator_twice(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.mulf %acc, %in : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The sum is not all that happens to it.
// CHECK-LABEL: @scales_the_accumulator(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @scales_the_accumulator(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.addf %acc, %in : f32
    %2 = arith.mulf %1, %in : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What is kept is the last element.
// CHECK-LABEL: @keeps_the_last(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @keeps_the_last(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Two results that are reduced together, but not as an argmax is: the last of
// equal elements counts, a NaN is greater, element and place are of different
// orders, or places add up.
// CHECK-LABEL: @argmax_of_the_last(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @argmax_of_the_last(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %v: tensor<8xf32>,
                  %p: tensor<8xindex>) -> (tensor<8xf32>, tensor<8xindex>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xindex>) {
  ^bb0(%in: f32, %acc: f32, %at: index):
    %1 = linalg.index 1 : index
    %2 = arith.maximumf %in, %acc : f32
    %3 = arith.cmpf oge, %in, %acc : f32
    %4 = arith.select %3, %1, %at : index
    linalg.yield %2, %4 : f32, index
  } -> (tensor<8xf32>, tensor<8xindex>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xindex>
}

// CHECK-LABEL: @argmax_of_nan(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @argmax_of_nan(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %v: tensor<8xf32>,
                  %p: tensor<8xindex>) -> (tensor<8xf32>, tensor<8xindex>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xindex>) {
  ^bb0(%in: f32, %acc: f32, %at: index):
    %1 = linalg.index 1 : index
    %2 = arith.maximumf %in, %acc : f32
    %3 = arith.cmpf ugt, %in, %acc : f32
    %4 = arith.select %3, %1, %at : index
    linalg.yield %2, %4 : f32, index
  } -> (tensor<8xf32>, tensor<8xindex>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xindex>
}

// CHECK-LABEL: @place_of_the_least(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @place_of_the_least(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %v: tensor<8xf32>,
                  %p: tensor<8xindex>) -> (tensor<8xf32>, tensor<8xindex>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xindex>) {
  ^bb0(%in: f32, %acc: f32, %at: index):
    %1 = linalg.index 1 : index
    %2 = arith.maximumf %in, %acc : f32
    %3 = arith.cmpf olt, %in, %acc : f32
    %4 = arith.select %3, %1, %at : index
    linalg.yield %2, %4 : f32, index
  } -> (tensor<8xf32>, tensor<8xindex>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xindex>
}

// CHECK-LABEL: @place_depends_on_the_last(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>
func.func @place_depends_on_the_last(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %v: tensor<8xf32>,
                  %p: tensor<8xindex>) -> (tensor<8xf32>, tensor<8xindex>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xindex>) {
  ^bb0(%in: f32, %acc: f32, %at: index):
    %1 = linalg.index 1 : index
    %2 = arith.maximumf %in, %acc : f32
    %3 = arith.cmpf ogt, %in, %acc : f32
    %5 = arith.addi %1, %at : index
    %4 = arith.select %3, %5, %at : index
    linalg.yield %2, %4 : f32, index
  } -> (tensor<8xf32>, tensor<8xindex>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xindex>
}

// Its other dims are cut as ever.
// CHECK-LABEL: @argmax_of_rows(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{"a"}]>, #pctl.layout<@m, [{"a"}]>], pctl.operand_layouts = [#pctl.layout<@m, [{"a"}, {}]>
func.func @argmax_of_rows(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %v: tensor<8xf32>,
                          %p: tensor<8xindex>) -> (tensor<8xf32>, tensor<8xindex>) {
  %0:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xindex>) {
  ^bb0(%in: f32, %acc: f32, %at: index):
    %1 = linalg.index 1 : index
    %2 = arith.maximumf %in, %acc : f32
    %3 = arith.cmpf ogt, %in, %acc : f32
    %4 = arith.select %3, %1, %at : index
    linalg.yield %2, %4 : f32, index
  } -> (tensor<8xf32>, tensor<8xindex>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xindex>
}
