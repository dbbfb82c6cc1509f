// RUN: pctl-opt %s | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --mlir-print-op-generic | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --emit-bytecode | pctl-opt | FileCheck %s

// CHECK: pctl.mesh @m <["data"=4, "model"=2]>
pctl.mesh @m <["data"=4, "model"=2]>
// CHECK: pctl.mesh @one_rank <[]>
pctl.mesh @one_rank <[]>
// CHECK: pctl.mesh @second_stage <["x"=2]> device_ids = [8, 9]
pctl.mesh @second_stage <["x"=2]> device_ids = [8, 9]
// CHECK: pctl.layout @row <@m, [{"data"}, {}]>
pctl.layout @row <@m, [{"data"}, {}]>
// CHECK: pctl.layout @column <@m, [{}, {"data"}]>
pctl.layout @column <@m, [{}, {"data"}]>

// CHECK-LABEL: func.func @shards_by_layout_and_by_name
func.func @shards_by_layout_and_by_name(%x: tensor<8x6xf32>) {
  // CHECK: pctl.shard %{{.*}} to <@m, [{"data"}, {?}]> : tensor<8x6xf32>
  %0 = pctl.shard %x to <@m, [{"data"}, {?}]> : tensor<8x6xf32>
  // CHECK: pctl.shard %{{.*}} to @row : tensor<8x6xf32>
  %1 = pctl.shard %x to @row : tensor<8x6xf32>
  return
}

// CHECK-LABEL: func.func @shards_scalars_and_dynamic_dims
func.func @shards_scalars_and_dynamic_dims(%x: tensor<f32>, %y: tensor<?x6xf32>) {
  // CHECK: pctl.shard %{{.*}} to <@m, [], partial = [sum("data")]> : tensor<f32>
  %0 = pctl.shard %x to <@m, [], partial = [sum("data")]> : tensor<f32>
  // CHECK: pctl.shard %{{.*}} to <@m, [{?}, {"data"}]> : tensor<?x6xf32>
  %1 = pctl.shard %y to <@m, [{?}, {"data"}]> : tensor<?x6xf32>
  return
}

// CHECK-LABEL: func.func @redistributes_in_global_view
func.func @redistributes_in_global_view(%x: tensor<8x8xf32>) {
  // CHECK: pctl.redistribute %{{.*}} from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> : tensor<8x8xf32>
  %0 = pctl.redistribute %x from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> : tensor<8x8xf32>
  // CHECK: pctl.redistribute %{{.*}} from @row to @column : tensor<8x8xf32>
  %1 = pctl.redistribute %x from @row to @column : tensor<8x8xf32>
  return
}

// CHECK-LABEL: func.func @redistributes_in_local_view
func.func @redistributes_in_local_view(%x: tensor<2x8xf32>) {
  // CHECK: pctl.redistribute %{{.*}} from @row to @column of tensor<8x8xf32> : tensor<2x8xf32> -> tensor<8x2xf32>
  %0 = pctl.redistribute %x from @row to @column of tensor<8x8xf32> : tensor<2x8xf32> -> tensor<8x2xf32>
  // CHECK: pctl.redistribute %{{.*}} from @row to @row of tensor<8x8xf32> : tensor<2x8xf32>
  %1 = pctl.redistribute %x from @row to @row of tensor<8x8xf32> : tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func @redistributes_uneven_blocks
func.func @redistributes_uneven_blocks(%x: tensor<?x8xf32>) {
  // CHECK: pctl.redistribute %{{.*}} from @row to @column of tensor<5x8xf32> : tensor<?x8xf32> -> tensor<5x2xf32>
  %0 = pctl.redistribute %x from @row to @column of tensor<5x8xf32> : tensor<?x8xf32> -> tensor<5x2xf32>
  return
}

// CHECK-LABEL: func.func @redistributes_between_meshes
func.func @redistributes_between_meshes(%x: tensor<8x8xf32>) {
  // CHECK: pctl.redistribute %{{.*}} from @row to <@second_stage, [{"x"}, {}]> : tensor<8x8xf32>
  %0 = pctl.redistribute %x from @row to <@second_stage, [{"x"}, {}]> : tensor<8x8xf32>
  return
}

// CHECK-LABEL: func.func @holds_local_code
func.func @holds_local_code(%x: tensor<8x6xf32>, %y: tensor<6xf32>) {
  // CHECK: pctl.manual(%{{.*}}, %{{.*}}) in [@row, <@m, [{}]>] out [<@m, [{"data"}, {}]>, <@m, [{}], partial = [sum("model")]>] {
  %0:2 = pctl.manual(%x, %y) in [@row, <@m, [{}]>] out [<@m, [{"data"}, {}]>, <@m, [{}], partial = [sum("model")]>] {
  ^bb0(%a: tensor<2x6xf32>, %b: tensor<6xf32>):
    // CHECK: pctl.return %{{.*}}, %{{.*}} : tensor<2x6xf32>, tensor<6xf32>
    pctl.return %a, %b : tensor<2x6xf32>, tensor<6xf32>
  } : (tensor<8x6xf32>, tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>)
  return
}

// CHECK-LABEL: func.func @holds_local_code_of_no_values
func.func @holds_local_code_of_no_values() {
  // CHECK: pctl.manual() in [] out [] {
  pctl.manual() in [] out [] {
    // CHECK: pctl.return
    pctl.return
  } : () -> ()
  return
}

// CHECK-LABEL: func.func @positions
func.func @positions() {
  // CHECK: pctl.axis_index ["data", "model":(1)2] on @m : index
  %0 = pctl.axis_index ["data", "model":(1)2] on @m : index
  // CHECK: pctl.block_range 6 by ["data"] on @m : index, index
  %offset, %size = pctl.block_range 6 by ["data"] on @m : index, index
  // CHECK: pctl.block_range 6 by ["data"] sizes = [0, 3, 2, 1] on @m : index, index
  %offset_0, %size_0 = pctl.block_range 6 by ["data"] sizes = [0, 3, 2, 1] on @m : index, index
  return
}
