// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.
//
// Three dense layers with ReLU: small integers give exact results.
// Written by `utils/export/export.py mlp --batch 8`
// with torch 2.15.0, torch-mlir 20261001; do not edit.
//
// argument  name  shape
// 0         x     [8, 32]
// 1         w1    [32, 128]
// 2         b1    [128]
// 3         w2    [128, 128]
// 4         b2    [128]
// 5         w3    [128, 16]
// 6         b3    [16]
// result 0        [8, 16]

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<8x32xf32>, %arg1: tensor<32x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128x128xf32>, %arg4: tensor<128xf32>, %arg5: tensor<128x16xf32>, %arg6: tensor<16xf32>) -> tensor<8x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x128xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x128xf32>) -> tensor<8x128xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<8x32xf32>, tensor<32x128xf32>) outs(%1 : tensor<8x128xf32>) -> tensor<8x128xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %arg2 : tensor<8x128xf32>, tensor<128xf32>) outs(%0 : tensor<8x128xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<8x128xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<8x128xf32>) outs(%0 : tensor<8x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.cmpf ugt, %in, %cst : f32
      %13 = arith.select %12, %in, %cst : f32
      linalg.yield %13 : f32
    } -> tensor<8x128xf32>
    %5 = linalg.matmul ins(%4, %arg3 : tensor<8x128xf32>, tensor<128x128xf32>) outs(%1 : tensor<8x128xf32>) -> tensor<8x128xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %arg4 : tensor<8x128xf32>, tensor<128xf32>) outs(%0 : tensor<8x128xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<8x128xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<8x128xf32>) outs(%0 : tensor<8x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.cmpf ugt, %in, %cst : f32
      %13 = arith.select %12, %in, %cst : f32
      linalg.yield %13 : f32
    } -> tensor<8x128xf32>
    %8 = tensor.empty() : tensor<8x16xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = linalg.matmul ins(%7, %arg5 : tensor<8x128xf32>, tensor<128x16xf32>) outs(%9 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %arg6 : tensor<8x16xf32>, tensor<16xf32>) outs(%8 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<8x16xf32>
    return %11 : tensor<8x16xf32>
  }
}
