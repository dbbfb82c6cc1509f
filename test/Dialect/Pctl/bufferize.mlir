// RUN: pctl-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

pctl.mesh @m <["data"=4]>

// CHECK-LABEL: @each_collective
func.func @each_collective(%x: tensor<8x2xf32>, %y: tensor<8x2xf32>, %o: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x8xf32>) {
  // CHECK-SAME: (%[[X:.*]]: memref<8x2xf32>, %[[Y:.*]]: memref<8x2xf32>, %[[O:.*]]: memref<2x8xf32>, %[[W:.*]]: memref<8x8xf32>)
  // CHECK-NEXT: pctl.all_gather ins(%[[X]] : memref<8x2xf32>) outs(%[[W]] : memref<8x8xf32>) dim = 1 axes = ["data"] on @m{{$}}
  %0 = pctl.all_gather ins(%x : tensor<8x2xf32>) outs(%w : tensor<8x8xf32>) dim = 1 axes = ["data"] on @m -> tensor<8x8xf32>
  // CHECK-NEXT: pctl.all_slice ins(%[[W]] : memref<8x8xf32>) outs(%[[Y]] : memref<8x2xf32>) dim = 1
  %1 = pctl.all_slice ins(%0 : tensor<8x8xf32>) outs(%y : tensor<8x2xf32>) dim = 1 axes = ["data"] on @m -> tensor<8x2xf32>
  // CHECK-NEXT: pctl.all_to_all ins(%[[Y]] : memref<8x2xf32>) outs(%[[O]] : memref<2x8xf32>) split_dim = 0 concat_dim = 1
  %2 = pctl.all_to_all ins(%1 : tensor<8x2xf32>) outs(%o : tensor<2x8xf32>) split_dim = 0 concat_dim = 1 axes = ["data"] on @m -> tensor<2x8xf32>
  // CHECK-NEXT: pctl.exchange ins(%[[O]] : memref<2x8xf32>) outs(%[[Y]] : memref<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> of tensor<8x8xf32>
  %3 = pctl.exchange ins(%2 : tensor<2x8xf32>) outs(%y : tensor<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> of tensor<8x8xf32> axes = ["data"] on @m -> tensor<8x2xf32>
  // CHECK-NEXT: pctl.reduce_scatter ins(%[[W]] : memref<8x8xf32>) outs(%[[O]] : memref<2x8xf32>) kind = sum dim = 0
  %4 = pctl.reduce_scatter ins(%0 : tensor<8x8xf32>) outs(%o : tensor<2x8xf32>) kind = sum dim = 0 axes = ["data"] on @m -> tensor<2x8xf32>
  // CHECK-NEXT: return
  return %3, %4, %0 : tensor<8x2xf32>, tensor<2x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @all_reduce_and_broadcast_work_in_place
func.func @all_reduce_and_broadcast_work_in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
  // CHECK-NEXT: pctl.all_reduce ins(%[[X]] : memref<4xf32>) outs(%[[X]] : memref<4xf32>)
  %0 = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) kind = sum axes = ["data"] on @m -> tensor<4xf32>
  // CHECK-NEXT: pctl.broadcast ins(%[[X]] : memref<4xf32>) outs(%[[X]] : memref<4xf32>)
  %1 = pctl.broadcast ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) root = 0 axes = ["data"] on @m -> tensor<4xf32>
  // CHECK-NEXT: return %[[X]]
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @permute_does_not_work_in_place
func.func @permute_does_not_work_in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-SAME: (%[[X:.*]]: memref<4xf32>)
  // CHECK: %[[COPY:.*]] = memref.alloc
  // CHECK: memref.copy %[[X]], %[[COPY]]
  // CHECK: pctl.permute ins(%[[X]] : memref<4xf32>) outs(%[[COPY]] : memref<4xf32>)
  %0 = pctl.permute ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) pairs = [[0, 1]] axes = ["data"] on @m -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What a position without a source keeps must be there.
// CHECK-LABEL: @permute_reads_its_output
func.func @permute_reads_its_output(%x: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[FILLED:.*]] = memref.alloc
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[FILLED]] : memref<4xf32>)
  // CHECK: %[[COPY:.*]] = memref.alloc
  // CHECK: memref.copy %[[FILLED]], %[[COPY]]
  // CHECK: pctl.permute ins(%{{.*}}) outs(%[[COPY]] : memref<4xf32>)
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = pctl.permute ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) pairs = [[0, 1]] axes = ["data"] on @m -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// With a source for every position nothing of the output is read.
// CHECK-LABEL: @full_permute_overwrites_its_output
func.func @full_permute_overwrites_its_output(%x: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK: pctl.permute
  // CHECK-NOT: memref.copy
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = pctl.permute ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) pairs = [[0, 1], [1, 2], [2, 3], [3, 0]] axes = ["data"] on @m -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Where the tensor ends its halo is what the output was.
// CHECK-LABEL: @halo_exchange_reads_its_output
func.func @halo_exchange_reads_its_output(%x: tensor<2xf32>, %f: f32) -> tensor<4xf32> {
  // CHECK: %[[FILLED:.*]] = memref.alloc
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[FILLED]] : memref<4xf32>)
  // CHECK: pctl.halo_exchange ins(%{{.*}} : memref<2xf32>) outs(%[[FILLED]] : memref<4xf32>)
  // CHECK: return %[[FILLED]]
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = pctl.halo_exchange ins(%x : tensor<2xf32>) outs(%0 : tensor<4xf32>) dim = 0 before = 1 after = 1 axes = ["data"] on @m -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
