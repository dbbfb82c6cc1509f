// RUN: pctl-opt %s --canonicalize --split-input-file | FileCheck %s

pctl.mesh @m <["data"=4, "model"=2, "one"=1]>
pctl.layout @row <@m, [{"data"}, {}]>

// CHECK-LABEL: @position_along_no_axes_is_zero
func.func @position_along_no_axes_is_zero() -> (index, index) {
  %0 = pctl.axis_index [] on @m : index
  %1 = pctl.axis_index ["one"] on @m : index
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: return %[[ZERO]], %[[ZERO]]
  return %0, %1 : index, index
}

// CHECK-LABEL: @position_along_an_axis_stays
func.func @position_along_an_axis_stays() -> index {
  // CHECK: pctl.axis_index ["model"] on @m
  %0 = pctl.axis_index ["model"] on @m : index
  return %0 : index
}

// CHECK-LABEL: @block_of_an_uncut_dim_is_the_dim
func.func @block_of_an_uncut_dim_is_the_dim() -> (index, index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : index
  // CHECK: return %[[ZERO]], %[[SIX]]
  %0, %1 = pctl.block_range 6 by [] on @m : index, index
  return %0, %1 : index, index
}

// CHECK-LABEL: @size_of_an_even_block_is_known
func.func @size_of_an_even_block_is_known() -> (index, index) {
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: %[[OFFSET:.*]], %{{.*}} = pctl.block_range 8 by ["data"] on @m
  // CHECK: return %[[OFFSET]], %[[TWO]]
  %0, %1 = pctl.block_range 8 by ["data"] on @m : index, index
  return %0, %1 : index, index
}

// CHECK-LABEL: @size_of_an_uneven_block_stays
func.func @size_of_an_uneven_block_stays() -> (index, index) {
  // CHECK: %[[OFFSET:.*]], %[[SIZE:.*]] = pctl.block_range 6 by ["data"] on @m
  // CHECK: return %[[OFFSET]], %[[SIZE]]
  %0, %1 = pctl.block_range 6 by ["data"] on @m : index, index
  return %0, %1 : index, index
}

// CHECK-LABEL: @size_of_explicit_blocks
func.func @size_of_explicit_blocks() -> (index, index) {
  // CHECK: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: %{{.*}}, %[[SIZE:.*]] = pctl.block_range 8 by ["data"] sizes = [1, 2, 3, 2] on @m
  // CHECK: return %[[SIZE]], %[[TWO]]
  %0, %1 = pctl.block_range 8 by ["data"] sizes = [1, 2, 3, 2] on @m : index, index
  %2, %3 = pctl.block_range 8 by ["data"] sizes = [2, 2, 2, 2] on @m : index, index
  return %1, %3 : index, index
}

// CHECK-LABEL: @redistribute_to_the_same_layout_goes
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
func.func @redistribute_to_the_same_layout_goes(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = pctl.redistribute %x from @row to @row : tensor<8x8xf32>
  // Other words for the same.
  %1 = pctl.redistribute %x from @row to <@m, [{"data":(1)2, "data":(2)2}, {"one"}]> : tensor<8x8xf32>
  // CHECK-NEXT: return %[[X]], %[[X]]
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @redistribute_that_reduces_stays
func.func @redistribute_that_reduces_stays(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: pctl.redistribute
  %0 = pctl.redistribute %x from <@m, [{}, {}], partial = [sum("data")]> to <@m, [{}, {}]> of tensor<8x8xf32> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: @two_in_a_row_become_one
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>)
func.func @two_in_a_row_become_one(%x: tensor<2x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[R:.*]] = pctl.redistribute %[[X]] from @row to <@m, [{"model"}, {}]> of tensor<8x8xf32> : tensor<2x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = pctl.redistribute %x from @row to <@m, [{}, {"data"}]> of tensor<8x8xf32> : tensor<2x8xf32> -> tensor<8x2xf32>
  %1 = pctl.redistribute %0 from <@m, [{}, {"data"}]> to <@m, [{"model"}, {}]> of tensor<8x8xf32> : tensor<8x2xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @there_and_back_is_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
func.func @there_and_back_is_nothing(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = pctl.redistribute %x from @row to <@m, [{}, {"data"}]> : tensor<8x8xf32>
  %1 = pctl.redistribute %0 from <@m, [{}, {"data"}]> to @row : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: @what_is_between_is_used
func.func @what_is_between_is_used(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[A:.*]] = pctl.redistribute
  // CHECK: %[[B:.*]] = pctl.redistribute %[[A]]
  %0 = pctl.redistribute %x from @row to <@m, [{}, {"data"}]> : tensor<8x8xf32>
  %1 = pctl.redistribute %0 from <@m, [{}, {"data"}]> to <@m, [{"model"}, {}]> : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @layouts_between_differ
func.func @layouts_between_differ(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-COUNT-2: pctl.redistribute
  %0 = pctl.redistribute %x from @row to <@m, [{}, {"data"}]> : tensor<8x8xf32>
  %1 = pctl.redistribute %0 from <@m, [{}, {"model"}]> to @row : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
