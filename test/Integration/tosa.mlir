// TOSA programs are cut like those of linalg.
//
// RUN: split-file %s %t
// RUN: pctl-run %t/mlp.mlir --verify | FileCheck %s --check-prefix=MLP
// RUN: pctl-run %t/heads.mlir --verify | FileCheck %s --check-prefix=HEADS
// RUN: pctl-run %t/images.mlir --verify | FileCheck %s --check-prefix=IMAGES
// RUN: pctl-run %t/sum.mlir --verify | FileCheck %s --check-prefix=SUM
// RUN: pctl-opt %t/mlp.mlir --pctl-spmd-pipeline | FileCheck %s --check-prefix=PLANNED

// PLANNED-NOT: tosa.

// Columns, then rows: one reduction.
// MLP: collectives  1, 1 all_reduce
// MLP: verified
//--- mlp.mlir
pctl.mesh @m <["model"=4]>
func.func @main(%x: tensor<1x8x16xf32>,
               %up: tensor<1x16x32xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"model"}]>},
               %down: tensor<1x32x16xf32> {pctl.layout = #pctl.layout<@m, [{}, {"model"}, {}]>}) -> tensor<1x8x16xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %up, %z, %z : (tensor<1x8x16xf32>, tensor<1x16x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x32xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  %2 = tosa.matmul %1, %down, %z, %z : (tensor<1x8x32xf32>, tensor<1x32x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x16xf32>
  return %2 : tensor<1x8x16xf32>
}

// The cut of the hidden dim becomes one of the heads.
// HEADS: collectives  0
// HEADS: verified
//--- heads.mlir
pctl.mesh @m <["model"=4]>
func.func @main(%x: tensor<1x8x16xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"model"}]>}) -> (tensor<1x4x8x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"model"}, {}, {}]>}) {
  %shape = tosa.const_shape {values = dense<[1, 8, 4, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.reshape %x, %shape : (tensor<1x8x16xf32>, !tosa.shape<4>) -> tensor<1x8x4x4xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x8x4x4xf32>) -> tensor<1x4x8x4xf32>
  %2 = tosa.exp %1 : (tensor<1x4x8x4xf32>) -> tensor<1x4x8x4xf32>
  return %2 : tensor<1x4x8x4xf32>
}

// IMAGES: collectives  0
// IMAGES: verified
//--- images.mlir
pctl.mesh @m <["model"=4]>
func.func @main(%x: tensor<4x6x6x3xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {}, {}, {}]>}, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>)
    -> (tensor<4x6x6x5xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {}, {}, {}]>}) {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x5xf32>
  return %0 : tensor<4x6x6x5xf32>
}

// SUM: collectives  1, 1 all_reduce
// SUM: verified
//--- sum.mlir
pctl.mesh @m <["model"=4]>
func.func @main(%x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{"model"}, {}]>}) -> tensor<1x6xf32> {
  %0 = tosa.reduce_sum %x {axis = 0 : i32} : (tensor<8x6xf32>) -> tensor<1x6xf32>
  return %0 : tensor<1x6xf32>
}
