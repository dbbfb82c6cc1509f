// RUN: pctl-opt %s --pctl-propagate-layouts | FileCheck %s

// How bodies want the tensors that they read at computed places.

#one = affine_map<(d0, d1) -> (d0)>
#two = affine_map<(d0, d1) -> (d0, d1)>

pctl.mesh @m <["a"=2, "b"=2]>

// Columns are cut with their loop, rows are reduced over.
// CHECK-LABEL: @lookup
// CHECK: linalg.generic {{.*}}pctl.layouts = [#pctl.layout<@m, [{}, {"b"}], partial = [sum("a")]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}, {"b"}]>, #pctl.layout<@m, [{"a"}, {"b"}]>]
func.func @lookup(%t: tensor<16x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %ids: tensor<8xindex>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<8xindex>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%id: index, %out: f32):
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%id, %j] : tensor<16x4xf32>
    linalg.yield %x : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// One row more, and it is cheaper to gather the rows of the table.
// CHECK-LABEL: @small_table
// CHECK: linalg.generic {{.*}}pctl.layouts = [#pctl.layout<@m, [{}, {"b"}]>]
// CHECK-SAME: pctl.operand_layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}, {"b"}]>, #pctl.layout<@m, [{}, {"b"}]>]
func.func @small_table(%t: tensor<16x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}, %ids: tensor<9xindex>) -> tensor<9x4xf32> {
  %e = tensor.empty() : tensor<9x4xf32>
  %0 = linalg.generic {indexing_maps = [#one, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<9xindex>) outs(%e : tensor<9x4xf32>) {
  ^bb0(%id: index, %out: f32):
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%id, %j] : tensor<16x4xf32>
    linalg.yield %x : f32
  } -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}

// The accumulator counts, so the op is no lookup; two reads of one dim at
// different loops are computed places; a loop index that went through 32 bits
// may be another number.
// CHECK-LABEL: @not_understood
// CHECK: pctl.operand_layouts = [#pctl.layout<@m, [{}]>, #pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{}, {}]>]
// CHECK: pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{}, {}]>]
// CHECK: pctl.operand_layouts = [#pctl.layout<@m, [{}, {}]>, #pctl.layout<@m, [{}]>]
func.func @not_understood(%t: tensor<16x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>},
    %s: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}, %v: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"b"}]>},
    %ids: tensor<8xindex>, %acc: tensor<8x4xf32>, %e: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#one, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<8xindex>) outs(%acc : tensor<8x4xf32>) {
  ^bb0(%id: index, %out: f32):
    %j = linalg.index 1 : index
    %x = tensor.extract %t[%id, %j] : tensor<16x4xf32>
    %y = arith.addf %x, %out : f32
    linalg.yield %y : f32
  } -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = tensor.extract %s[%i, %j] : tensor<4x4xf32>
    %y = tensor.extract %s[%j, %i] : tensor<4x4xf32>
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#two], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %k = arith.index_cast %n : i32 to index
    %x = tensor.extract %v[%k] : tensor<4xf32>
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<8x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
