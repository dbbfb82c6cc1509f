// RUN: pctl-opt %s | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --mlir-print-op-generic | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --emit-bytecode | pctl-opt | FileCheck %s

// CHECK: pctl.mesh @m
pctl.mesh @m <["data"=4, "model"=2]>

// CHECK-LABEL: func.func @gathers_and_slices
func.func @gathers_and_slices(%x: tensor<4x2xf32>, %o: tensor<4x8xf32>, %u: tensor<6xf32>, %v: tensor<?xf32>) {
  // CHECK: pctl.all_gather ins(%{{.*}} : tensor<4x2xf32>) outs(%{{.*}} : tensor<4x8xf32>) dim = 1 axes = ["data"] on @m -> tensor<4x8xf32>
  %0 = pctl.all_gather ins(%x : tensor<4x2xf32>) outs(%o : tensor<4x8xf32>) dim = 1 axes = ["data"] on @m -> tensor<4x8xf32>
  // CHECK: pctl.all_slice ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x2xf32>) dim = 1 axes = ["data"] on @m -> tensor<4x2xf32>
  %1 = pctl.all_slice ins(%o : tensor<4x8xf32>) outs(%x : tensor<4x2xf32>) dim = 1 axes = ["data"] on @m -> tensor<4x2xf32>
  // CHECK: pctl.all_slice ins(%{{.*}} : tensor<6xf32>) outs(%{{.*}} : tensor<?xf32>) dim = 0 axes = ["data"] on @m -> tensor<?xf32>
  %2 = pctl.all_slice ins(%u : tensor<6xf32>) outs(%v : tensor<?xf32>) dim = 0 axes = ["data"] on @m -> tensor<?xf32>
  // CHECK: pctl.all_gather ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<6xf32>) dim = 0 axes = ["data"] on @m -> tensor<6xf32>
  %3 = pctl.all_gather ins(%v : tensor<?xf32>) outs(%u : tensor<6xf32>) dim = 0 axes = ["data"] on @m -> tensor<6xf32>
  return
}

// CHECK-LABEL: func.func @reduces
func.func @reduces(%x: tensor<4x2xi32>, %o: tensor<1x2xi32>, %z: tensor<4xcomplex<f32>>) {
  // CHECK: pctl.all_reduce ins(%{{.*}} : tensor<4x2xi32>) outs(%{{.*}} : tensor<4x2xi32>) kind = maxui axes = ["data", "model"] on @m -> tensor<4x2xi32>
  %0 = pctl.all_reduce ins(%x : tensor<4x2xi32>) outs(%x : tensor<4x2xi32>) kind = maxui axes = ["data", "model"] on @m -> tensor<4x2xi32>
  // CHECK: pctl.reduce_scatter ins(%{{.*}} : tensor<4x2xi32>) outs(%{{.*}} : tensor<1x2xi32>) kind = xor dim = 0 axes = ["data"] on @m -> tensor<1x2xi32>
  %1 = pctl.reduce_scatter ins(%x : tensor<4x2xi32>) outs(%o : tensor<1x2xi32>) kind = xor dim = 0 axes = ["data"] on @m -> tensor<1x2xi32>
  // CHECK: pctl.all_reduce ins(%{{.*}} : tensor<4xcomplex<f32>>) outs(%{{.*}} : tensor<4xcomplex<f32>>) kind = sum axes = [] on @m -> tensor<4xcomplex<f32>>
  %2 = pctl.all_reduce ins(%z : tensor<4xcomplex<f32>>) outs(%z : tensor<4xcomplex<f32>>) kind = sum axes = [] on @m -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @exchanges
func.func @exchanges(%x: tensor<8x2xf32>, %o: tensor<2x8xf32>, %y: tensor<?x2xf32>) {
  // CHECK: pctl.all_to_all ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<2x8xf32>) split_dim = 0 concat_dim = 1 axes = ["data"] on @m -> tensor<2x8xf32>
  %0 = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%o : tensor<2x8xf32>) split_dim = 0 concat_dim = 1 axes = ["data"] on @m -> tensor<2x8xf32>
  // CHECK: pctl.all_to_all ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xf32>) split_dim = 0 concat_dim = 0 axes = ["data":(2)2] on @m -> tensor<8x2xf32>
  %1 = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%x : tensor<8x2xf32>) split_dim = 0 concat_dim = 0 axes = ["data":(2)2] on @m -> tensor<8x2xf32>
  // CHECK: pctl.permute ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xf32>) pairs = {{\[\[}}0, 1], [1, 0]] axes = ["model"] on @m -> tensor<8x2xf32>
  %2 = pctl.permute ins(%x : tensor<8x2xf32>) outs(%x : tensor<8x2xf32>) pairs = [[0, 1], [1, 0]] axes = ["model"] on @m -> tensor<8x2xf32>
  // CHECK: pctl.permute ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xf32>) pairs = [] axes = ["model"] on @m -> tensor<8x2xf32>
  %3 = pctl.permute ins(%x : tensor<8x2xf32>) outs(%x : tensor<8x2xf32>) pairs = [] axes = ["model"] on @m -> tensor<8x2xf32>
  // CHECK: pctl.broadcast ins(%{{.*}} : tensor<8x2xf32>) outs(%{{.*}} : tensor<8x2xf32>) root = 3 axes = ["data"] on @m -> tensor<8x2xf32>
  %4 = pctl.broadcast ins(%x : tensor<8x2xf32>) outs(%x : tensor<8x2xf32>) root = 3 axes = ["data"] on @m -> tensor<8x2xf32>
  // CHECK: pctl.broadcast ins(%{{.*}} : tensor<?x2xf32>) outs(%{{.*}} : tensor<8x2xf32>) root = 1 axes = ["data"] on @m -> tensor<8x2xf32>
  %5 = pctl.broadcast ins(%y : tensor<?x2xf32>) outs(%x : tensor<8x2xf32>) root = 1 axes = ["data"] on @m -> tensor<8x2xf32>
  return
}

// CHECK-LABEL: func.func @exchanges_boxes
func.func @exchanges_boxes(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>, %p: tensor<?x8xf32>, %q: tensor<3x8xf32>) {
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}} : tensor<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> of tensor<8x8xf32> axes = ["data"] on @m -> tensor<8x2xf32>
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> of tensor<8x8xf32> axes = ["data"] on @m -> tensor<8x2xf32>
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}} : tensor<3x8xf32>) from <@m, [{"data"}, {}]> to <@m, [{"model"}, {}]> of tensor<6x8xf32> axes = ["data"] on @m -> tensor<3x8xf32>
  %1 = pctl.exchange ins(%p : tensor<?x8xf32>) outs(%q : tensor<3x8xf32>) from <@m, [{"data"}, {}]> to <@m, [{"model"}, {}]> of tensor<6x8xf32> axes = ["data"] on @m -> tensor<3x8xf32>
  return
}

// Of equal blocks the prefix that both share needs no exchange.
// CHECK-LABEL: func.func @exchanges_behind_the_common_prefix
func.func @exchanges_behind_the_common_prefix(%x: tensor<1x8xf32>, %o: tensor<2x4xf32>) {
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<1x8xf32>) outs(%{{.*}} : tensor<2x4xf32>) from <@m, [{"data", "model"}, {}]> to <@m, [{"data"}, {"model"}]> of tensor<8x8xf32> axes = ["model"] on @m -> tensor<2x4xf32>
  %0 = pctl.exchange ins(%x : tensor<1x8xf32>) outs(%o : tensor<2x4xf32>) from <@m, [{"data", "model"}, {}]> to <@m, [{"data"}, {"model"}]> of tensor<8x8xf32> axes = ["model"] on @m -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @exchanges_what_owners_supply
func.func @exchanges_what_owners_supply(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}} : tensor<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> owners <@m, [{"data", "model"}, {}]> of tensor<8x8xf32> axes = ["data", "model"] on @m -> tensor<8x2xf32>
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"data"}, {}]> to <@m, [{}, {"data"}]> owners <@m, [{"data", "model"}, {}]> of tensor<8x8xf32> axes = ["data", "model"] on @m -> tensor<8x2xf32>
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}} : tensor<8x2xf32>) from @row to @col owners @row of tensor<8x8xf32> rounds = 3 axes = ["data"] on @m -> tensor<8x2xf32>
  %1 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from @row to @col owners @row of tensor<8x8xf32> rounds = 3 axes = ["data"] on @m -> tensor<8x2xf32>
  return
}

// CHECK: pctl.layout @row
pctl.layout @row <@m, [{"data"}, {}]>
pctl.layout @col <@m, [{}, {"data"}]>

// CHECK-LABEL: func.func @exchanges_what_is_listed
func.func @exchanges_what_is_listed(%x: tensor<4x2xf32>, %o: tensor<4x4xf32>, %y: memref<?x8xf32>, %p: memref<?x8xf32>) {
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<4x2xf32>) outs(%{{.*}} : tensor<4x4xf32>) from <@n, [{}, {"x"}]> to <@n, [{}, {}]> of tensor<4x4xf32> transfers = [0 -> 1 [0, 0] [4, 2], 1 -> 0 [0, 2] [2, 2], 1 -> 0 [2, 2] [2, 2]] axes = ["x"] on @n -> tensor<4x4xf32>
  %0 = pctl.exchange ins(%x : tensor<4x2xf32>) outs(%o : tensor<4x4xf32>) from <@n, [{}, {"x"}]> to <@n, [{}, {}]> of tensor<4x4xf32> transfers = [0 -> 1 [0, 0] [4, 2], 1 -> 0 [0, 2] [2, 2], 1 -> 0 [2, 2] [2, 2]] axes = ["x"] on @n -> tensor<4x4xf32>
  // CHECK: pctl.exchange ins(%{{.*}} : memref<?x8xf32>) outs(%{{.*}} : memref<?x8xf32>) from <@n, [{"x"}:[3, 0], {}]> to <@n, [{"x"}:[1, 2], {}]> of tensor<3x8xf32> transfers = [0 -> 1 [1, 0] [2, 8]] rounds = 2 axes = ["x"] on @n
  pctl.exchange ins(%y : memref<?x8xf32>) outs(%p : memref<?x8xf32>) from <@n, [{"x"}:[3, 0], {}]> to <@n, [{"x"}:[1, 2], {}]> of tensor<3x8xf32> transfers = [0 -> 1 [1, 0] [2, 8]] rounds = 2 axes = ["x"] on @n
  return
}

pctl.mesh @n <["x"=2]>

// CHECK-LABEL: func.func @exchanges_contributions
func.func @exchanges_contributions(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // CHECK: pctl.exchange ins(%{{.*}} : tensor<2x8xf32>) outs(%{{.*}} : tensor<8x2xf32>) from <@m, [{"data"}, {}], partial = [sum("model")]> to <@m, [{}, {"data"}], partial = [sum("model")]> of tensor<8x8xf32> axes = ["data"] on @m -> tensor<8x2xf32>
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"data"}, {}], partial = [sum("model")]> to <@m, [{}, {"data"}], partial = [sum("model")]> of tensor<8x8xf32> axes = ["data"] on @m -> tensor<8x2xf32>
  return
}

// CHECK-LABEL: func.func @works_on_buffers
func.func @works_on_buffers(%x: memref<4x2xf32>, %o: memref<4x8xf32>, %d: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
  // CHECK: pctl.all_gather ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<4x8xf32>) dim = 1 axes = ["data"] on @m
  pctl.all_gather ins(%x : memref<4x2xf32>) outs(%o : memref<4x8xf32>) dim = 1 axes = ["data"] on @m
  // CHECK: pctl.all_slice ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x2xf32>) dim = 1 axes = ["data"] on @m
  pctl.all_slice ins(%o : memref<4x8xf32>) outs(%x : memref<4x2xf32>) dim = 1 axes = ["data"] on @m
  // CHECK: pctl.all_reduce ins(%{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%{{.*}} : memref<4x2xf32>) kind = sum axes = ["data"] on @m
  pctl.all_reduce ins(%d : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%x : memref<4x2xf32>) kind = sum axes = ["data"] on @m
  // CHECK: pctl.reduce_scatter ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x2xf32>) kind = minimumf dim = 1 axes = ["data"] on @m
  pctl.reduce_scatter ins(%o : memref<4x8xf32>) outs(%x : memref<4x2xf32>) kind = minimumf dim = 1 axes = ["data"] on @m
  // CHECK: pctl.all_to_all ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>) split_dim = 0 concat_dim = 1 axes = ["data"] on @m
  pctl.all_to_all ins(%x : memref<4x2xf32>) outs(%d : memref<?x?xf32, strided<[?, 1], offset: ?>>) split_dim = 0 concat_dim = 1 axes = ["data"] on @m
  // CHECK: pctl.permute ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<4x2xf32>) pairs = {{\[\[}}0, 1]] axes = ["data"] on @m
  pctl.permute ins(%x : memref<4x2xf32>) outs(%x : memref<4x2xf32>) pairs = [[0, 1]] axes = ["data"] on @m
  // CHECK: pctl.broadcast ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<4x2xf32>) root = 0 axes = ["data"] on @m
  pctl.broadcast ins(%x : memref<4x2xf32>) outs(%x : memref<4x2xf32>) root = 0 axes = ["data"] on @m
  // CHECK: pctl.exchange ins(%{{.*}} : memref<4x2xf32>) outs(%{{.*}} : memref<4x8xf32>) from <@m, [{}, {"data"}]> to <@m, [{}, {}]> of tensor<4x8xf32> axes = ["data"] on @m
  pctl.exchange ins(%x : memref<4x2xf32>) outs(%o : memref<4x8xf32>) from <@m, [{}, {"data"}]> to <@m, [{}, {}]> of tensor<4x8xf32> axes = ["data"] on @m
  return
}

// CHECK-LABEL: func.func @exchanges_halos
func.func @exchanges_halos(%x: tensor<2x6xf32>, %o: tensor<4x6xf32>, %y: memref<?x6xf32>, %p: memref<?x6xf32>) {
  // CHECK: pctl.halo_exchange ins(%{{.*}} : tensor<2x6xf32>) outs(%{{.*}} : tensor<4x6xf32>) dim = 0 before = 1 after = 1 axes = ["data"] on @m -> tensor<4x6xf32>
  %0 = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<4x6xf32>) dim = 0 before = 1 after = 1 axes = ["data"] on @m -> tensor<4x6xf32>
  // CHECK: pctl.halo_exchange ins(%{{.*}} : memref<?x6xf32>) outs(%{{.*}} : memref<?x6xf32>) dim = 0 before = 0 after = 5 axes = ["data"] on @m
  pctl.halo_exchange ins(%y : memref<?x6xf32>) outs(%p : memref<?x6xf32>) dim = 0 before = 0 after = 5 axes = ["data"] on @m
  return
}
