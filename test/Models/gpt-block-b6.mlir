// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.
//
// A pre-norm transformer block as in GPT-2.
// Written by `utils/export/export.py gpt-block --batch 6`
// with torch 2.15.0, torch-mlir 20261001; do not edit.
//
// argument  name        shape
// 0         x           [6, 16, 64]
// 1         ln1_weight  [64]
// 2         ln1_bias    [64]
// 3         wq          [64, 64]
// 4         bq          [64]
// 5         wk          [64, 64]
// 6         bk          [64]
// 7         wv          [64, 64]
// 8         bv          [64]
// 9         wo          [64, 64]
// 10        bo          [64]
// 11        ln2_weight  [64]
// 12        ln2_bias    [64]
// 13        w_up        [64, 256]
// 14        b_up        [256]
// 15        w_down      [256, 64]
// 16        b_down      [64]
// result 0              [6, 16, 64]

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<6x16x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64x64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64x64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64x256xf32>, %arg14: tensor<256xf32>, %arg15: tensor<256x64xf32>, %arg16: tensor<64xf32>) -> tensor<6x16x64xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant 6.400000e+01 : f32
    %cst_3 = arith.constant 9.99999974E-6 : f32
    %cst_4 = arith.constant 0.353553385 : f32
    %cst_5 = arith.constant 4.471500e-02 : f32
    %cst_6 = arith.constant 0.797884583 : f32
    %cst_7 = arith.constant 5.000000e-01 : f32
    %cst_8 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x16x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6x16x1xf32>) -> tensor<6x16x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<6x16x64xf32>) outs(%1 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_2 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %4 = tensor.empty() : tensor<6x16x64xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.subf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %5 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<6x16x64xf32>) outs(%1 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_2 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %cst_3 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %10 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %arg1 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %arg2 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %collapsed = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<6x16x64xf32> into tensor<96x64xf32>
    %14 = tensor.empty() : tensor<96x64xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %16 = linalg.matmul ins(%collapsed, %arg3 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%15 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded = tensor.expand_shape %16 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %arg4 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %expanded_9 = tensor.expand_shape %17 [[0], [1], [2, 3]] output_shape [6, 16, 8, 8] : tensor<6x16x64xf32> into tensor<6x16x8x8xf32>
    %18 = tensor.empty() : tensor<6x8x16x8xf32>
    %transposed = linalg.transpose ins(%expanded_9 : tensor<6x16x8x8xf32>) outs(%18 : tensor<6x8x16x8xf32>) permutation = [0, 2, 1, 3]
    %19 = linalg.matmul ins(%collapsed, %arg5 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%15 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_10 = tensor.expand_shape %19 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_10, %arg6 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %expanded_11 = tensor.expand_shape %20 [[0], [1], [2, 3]] output_shape [6, 16, 8, 8] : tensor<6x16x64xf32> into tensor<6x16x8x8xf32>
    %21 = linalg.matmul ins(%collapsed, %arg7 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%15 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_12 = tensor.expand_shape %21 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_12, %arg8 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %expanded_13 = tensor.expand_shape %22 [[0], [1], [2, 3]] output_shape [6, 16, 8, 8] : tensor<6x16x64xf32> into tensor<6x16x8x8xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<6x16x8x8xf32>) outs(%18 : tensor<6x8x16x8xf32>) permutation = [0, 2, 1, 3]
    %23 = tensor.empty() : tensor<6x8x8x16xf32>
    %transposed_15 = linalg.transpose ins(%expanded_11 : tensor<6x16x8x8xf32>) outs(%23 : tensor<6x8x8x16xf32>) permutation = [0, 2, 3, 1]
    %collapsed_16 = tensor.collapse_shape %transposed [[0, 1], [2], [3]] : tensor<6x8x16x8xf32> into tensor<48x16x8xf32>
    %collapsed_17 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<6x8x8x16xf32> into tensor<48x8x16xf32>
    %24 = tensor.empty() : tensor<48x16x16xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<48x16x16xf32>) -> tensor<48x16x16xf32>
    %26 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<48x16x8xf32>, tensor<48x8x16xf32>) outs(%25 : tensor<48x16x16xf32>) -> tensor<48x16x16xf32>
    %expanded_18 = tensor.expand_shape %26 [[0, 1], [2], [3]] output_shape [6, 8, 16, 16] : tensor<48x16x16xf32> into tensor<6x8x16x16xf32>
    %27 = tensor.empty() : tensor<6x8x16x16xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<6x8x16x16xf32>) outs(%27 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.mulf %in, %cst_4 : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x16xf32>
    %29 = tensor.empty() : tensor<16xi64>
    %30 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%29 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %80 = linalg.index 0 : index
      %81 = arith.index_cast %80 : index to i64
      linalg.yield %81 : i64
    } -> tensor<16xi64>
    %expanded_19 = tensor.expand_shape %30 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %expanded_20 = tensor.expand_shape %30 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %31 = tensor.empty() : tensor<16x16xi1>
    %32 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_19, %expanded_20 : tensor<1x16xi64>, tensor<16x1xi64>) outs(%31 : tensor<16x16xi1>) {
    ^bb0(%in: i64, %in_32: i64, %out: i1):
      %80 = arith.cmpi sgt, %in, %in_32 : i64
      linalg.yield %80 : i1
    } -> tensor<16x16xi1>
    %33 = linalg.generic {indexing_maps = [#map8, #map9, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %cst_1, %28 : tensor<16x16xi1>, tensor<f32>, tensor<6x8x16x16xf32>) outs(%27 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: i1, %in_32: f32, %in_33: f32, %out: f32):
      %80 = arith.select %in, %in_32, %in_33 : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x16xf32>
    %34 = tensor.empty() : tensor<6x8x16xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<6x8x16xi64>) -> tensor<6x8x16xi64>
    %36 = tensor.empty() : tensor<6x8x16xf32>
    %37 = linalg.fill ins(%cst_0 : f32) outs(%36 : tensor<6x8x16xf32>) -> tensor<6x8x16xf32>
    %38:2 = linalg.generic {indexing_maps = [#map3, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<6x8x16x16xf32>) outs(%37, %35 : tensor<6x8x16xf32>, tensor<6x8x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_32: i64):
      %80 = linalg.index 3 : index
      %81 = arith.index_cast %80 : index to i64
      %82 = arith.maximumf %in, %out : f32
      %83 = arith.cmpf ogt, %in, %out : f32
      %84 = arith.select %83, %81, %out_32 : i64
      linalg.yield %82, %84 : f32, i64
    } -> (tensor<6x8x16xf32>, tensor<6x8x16xi64>)
    %expanded_21 = tensor.expand_shape %38#0 [[0], [1], [2, 3]] output_shape [6, 8, 16, 1] : tensor<6x8x16xf32> into tensor<6x8x16x1xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_21 : tensor<6x8x16x16xf32>, tensor<6x8x16x1xf32>) outs(%27 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.subf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x16xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<6x8x16x16xf32>) outs(%27 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.exp %in : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x16xf32>
    %41 = tensor.empty() : tensor<6x8x16x1xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<6x8x16x1xf32>) -> tensor<6x8x16x1xf32>
    %43 = linalg.generic {indexing_maps = [#map3, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<6x8x16x16xf32>) outs(%42 : tensor<6x8x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x1xf32>
    %44 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<6x8x16x16xf32>, tensor<6x8x16x1xf32>) outs(%27 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.divf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x8x16x16xf32>
    %collapsed_22 = tensor.collapse_shape %44 [[0, 1], [2], [3]] : tensor<6x8x16x16xf32> into tensor<48x16x16xf32>
    %collapsed_23 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3]] : tensor<6x8x16x8xf32> into tensor<48x16x8xf32>
    %45 = tensor.empty() : tensor<48x16x8xf32>
    %46 = linalg.fill ins(%cst : f32) outs(%45 : tensor<48x16x8xf32>) -> tensor<48x16x8xf32>
    %47 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<48x16x16xf32>, tensor<48x16x8xf32>) outs(%46 : tensor<48x16x8xf32>) -> tensor<48x16x8xf32>
    %expanded_24 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [6, 8, 16, 8] : tensor<48x16x8xf32> into tensor<6x8x16x8xf32>
    %48 = tensor.empty() : tensor<6x16x8x8xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<6x8x16x8xf32>) outs(%48 : tensor<6x16x8x8xf32>) permutation = [0, 2, 1, 3]
    %collapsed_26 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<6x16x8x8xf32> into tensor<96x64xf32>
    %49 = linalg.matmul ins(%collapsed_26, %arg9 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%15 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_27 = tensor.expand_shape %49 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %50 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_27, %arg10 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %50 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%51 : tensor<6x16x64xf32>) outs(%1 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_2 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %53 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.subf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %54 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %56 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<6x16x64xf32>) outs(%1 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_2 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %cst_3 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<6x16x1xf32>) outs(%0 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x1xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %59 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %arg11 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %arg12 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %collapsed_28 = tensor.collapse_shape %62 [[0, 1], [2]] : tensor<6x16x64xf32> into tensor<96x64xf32>
    %63 = tensor.empty() : tensor<96x256xf32>
    %64 = linalg.fill ins(%cst : f32) outs(%63 : tensor<96x256xf32>) -> tensor<96x256xf32>
    %65 = linalg.matmul ins(%collapsed_28, %arg13 : tensor<96x64xf32>, tensor<64x256xf32>) outs(%64 : tensor<96x256xf32>) -> tensor<96x256xf32>
    %expanded_29 = tensor.expand_shape %65 [[0, 1], [2]] output_shape [6, 16, 256] : tensor<96x256xf32> into tensor<6x16x256xf32>
    %66 = tensor.empty() : tensor<6x16x256xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29, %arg14 : tensor<6x16x256xf32>, tensor<256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %68 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.mulf %in, %cst_5 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %67 : tensor<6x16x256xf32>, tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %67 : tensor<6x16x256xf32>, tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %70 : tensor<6x16x256xf32>, tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.mulf %in, %cst_6 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.mulf %in, %cst_7 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.tanh %in : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74 : tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %cst_8 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %75 : tensor<6x16x256xf32>, tensor<6x16x256xf32>) outs(%66 : tensor<6x16x256xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.mulf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x256xf32>
    %collapsed_30 = tensor.collapse_shape %76 [[0, 1], [2]] : tensor<6x16x256xf32> into tensor<96x256xf32>
    %77 = linalg.matmul ins(%collapsed_30, %arg15 : tensor<96x256xf32>, tensor<256x64xf32>) outs(%15 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_31 = tensor.expand_shape %77 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %78 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31, %arg16 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %78 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%4 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_32: f32, %out: f32):
      %80 = arith.addf %in, %in_32 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x64xf32>
    return %79 : tensor<6x16x64xf32>
  }
}
