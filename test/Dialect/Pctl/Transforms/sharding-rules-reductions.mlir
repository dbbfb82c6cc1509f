// RUN: pctl-opt %s --pctl-propagate-layouts | FileCheck %s

// A body that accumulates by one op is a reduction of that op's kind, signedness
// and rule for NaN included.

pctl.mesh @m <["a"=2]>

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
#scalar = affine_map<(i, j) -> ()>

// CHECK-LABEL: @add_of_floats(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("a")]>]
func.func @add_of_floats(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.addf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @add_of_integers(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("a")]>]
func.func @add_of_integers(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.addi %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @add_of_booleans(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [xor("a")]>]
func.func @add_of_booleans(%x: tensor<8x6xi1> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi1>) -> tensor<8xi1> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi1>) outs(%i : tensor<8xi1>) {
  ^bb0(%in: i1, %acc: i1):
    %1 = arith.addi %acc, %in : i1
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// CHECK-LABEL: @product_of_floats(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [product("a")]>]
func.func @product_of_floats(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.mulf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @product_of_integers(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [product("a")]>]
func.func @product_of_integers(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.muli %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @product_of_booleans(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [and("a")]>]
func.func @product_of_booleans(%x: tensor<8x6xi1> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi1>) -> tensor<8xi1> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi1>) outs(%i : tensor<8xi1>) {
  ^bb0(%in: i1, %acc: i1):
    %1 = arith.muli %acc, %in : i1
    linalg.yield %1 : i1
  } -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// CHECK-LABEL: @maxsi(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maxsi("a")]>]
func.func @maxsi(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.maxsi %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @maxui(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maxui("a")]>]
func.func @maxui(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.maxui %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @minsi(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [minsi("a")]>]
func.func @minsi(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.minsi %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @minui(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [minui("a")]>]
func.func @minui(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.minui %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @maximumf(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maximumf("a")]>]
func.func @maximumf(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.maximumf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @maxnumf(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maxnumf("a")]>]
func.func @maxnumf(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.maxnumf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @minimumf(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [minimumf("a")]>]
func.func @minimumf(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.minimumf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @minnumf(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [minnumf("a")]>]
func.func @minnumf(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.minnumf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @andi(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [and("a")]>]
func.func @andi(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.andi %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @ori(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [or("a")]>]
func.func @ori(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.ori %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @xori(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [xor("a")]>]
func.func @xori(%x: tensor<8x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xi32>) -> tensor<8xi32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xi32>) outs(%i : tensor<8xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %1 = arith.xori %acc, %in : i32
    linalg.yield %1 : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// What is accumulated may be computed from anything but the accumulator.
// CHECK-LABEL: @sum_of_squares(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("a")]>]
func.func @sum_of_squares(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.mulf %in, %in : f32
    %2 = arith.addf %1, %acc : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A reduction of everything.
// CHECK-LABEL: @to_a_scalar(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [], partial = [sum("a")]>]
func.func @to_a_scalar(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %i: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#in, #scalar], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<8x6xf32>) outs(%i : tensor<f32>) {
  ^bb0(%in: f32, %acc: f32):
    %1 = arith.addf %acc, %in : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// Ranks combine pairs, so that the results are whole.
// CHECK-LABEL: @argmax(
// CHECK: linalg.generic {{.*}} attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}]>], pctl.operand_layouts = [#pctl.layout<@m, [{}, {"a"}]>
func.func @argmax(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}, %v: tensor<8xf32>,
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
