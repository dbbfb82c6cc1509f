// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.
//
// A transformer block as in Llama: RMS norm, rotary embedding, each key/value
// head serving a group of query heads, SwiGLU, no biases.
// Written by `utils/export/export.py llama-block --batch 6`
// with torch 2.15.0, torch-mlir 20261001; do not edit.
//
// argument  name       shape
// 0         x          [6, 16, 64]
// 1         cos        [16, 8]
// 2         sin        [16, 8]
// 3         attn_norm  [64]
// 4         wq         [64, 64]
// 5         wk         [64, 32]
// 6         wv         [64, 32]
// 7         wo         [64, 64]
// 8         mlp_norm   [64]
// 9         w_gate     [64, 192]
// 10        w_up       [64, 192]
// 11        w_down     [192, 64]
// result 0             [6, 16, 64]

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<(d0, d1) -> (0, d1)>
#map9 = affine_map<(d0, d1) -> (d0, 0)>
#map10 = affine_map<(d0, d1) -> (d0, d1)>
#map11 = affine_map<(d0, d1, d2, d3) -> ()>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<6x16x64xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<16x8xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x64xf32>, %arg5: tensor<64x32xf32>, %arg6: tensor<64x32xf32>, %arg7: tensor<64x64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x192xf32>, %arg10: tensor<64x192xf32>, %arg11: tensor<192x64xf32>) -> tensor<6x16x64xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_3 = arith.constant 6.400000e+01 : f32
    %cst_4 = arith.constant 9.99999974E-6 : f32
    %cst_5 = arith.constant 0.353553385 : f32
    %0 = tensor.empty() : tensor<6x16x64xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %2 = tensor.empty() : tensor<6x16x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<6x16x1xf32>) -> tensor<6x16x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<6x16x64xf32>) outs(%3 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.divf %in, %cst_3 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %cst_4 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.rsqrt %in : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %arg3 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %collapsed = tensor.collapse_shape %9 [[0, 1], [2]] : tensor<6x16x64xf32> into tensor<96x64xf32>
    %10 = tensor.empty() : tensor<96x64xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %12 = linalg.matmul ins(%collapsed, %arg4 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%11 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded = tensor.expand_shape %12 [[0, 1], [2, 3]] output_shape [6, 16, 8, 8] : tensor<96x64xf32> into tensor<6x16x8x8xf32>
    %13 = tensor.empty() : tensor<6x8x16x8xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<6x16x8x8xf32>) outs(%13 : tensor<6x8x16x8xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice = tensor.extract_slice %transposed[0, 0, 0, 0] [6, 8, 16, 4] [1, 1, 1, 1] : tensor<6x8x16x8xf32> to tensor<6x8x16x4xf32>
    %extracted_slice_6 = tensor.extract_slice %transposed[0, 0, 0, 4] [6, 8, 16, 4] [1, 1, 1, 1] : tensor<6x8x16x8xf32> to tensor<6x8x16x4xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed, %arg1 : tensor<6x8x16x8xf32>, tensor<16x8xf32>) outs(%13 : tensor<6x8x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x8xf32>
    %15 = tensor.empty() : tensor<6x8x16x4xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_6 : tensor<6x8x16x4xf32>) outs(%15 : tensor<6x8x16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x4xf32>
    %concat = tensor.concat dim(3) %16, %extracted_slice : (tensor<6x8x16x4xf32>, tensor<6x8x16x4xf32>) -> tensor<6x8x16x8xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<6x8x16x8xf32>, tensor<16x8xf32>) outs(%13 : tensor<6x8x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x8xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<6x8x16x8xf32>, tensor<6x8x16x8xf32>) outs(%13 : tensor<6x8x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.addf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x8xf32>
    %19 = tensor.empty() : tensor<96x32xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<96x32xf32>) -> tensor<96x32xf32>
    %21 = linalg.matmul ins(%collapsed, %arg5 : tensor<96x64xf32>, tensor<64x32xf32>) outs(%20 : tensor<96x32xf32>) -> tensor<96x32xf32>
    %expanded_7 = tensor.expand_shape %21 [[0, 1], [2, 3]] output_shape [6, 16, 4, 8] : tensor<96x32xf32> into tensor<6x16x4x8xf32>
    %22 = tensor.empty() : tensor<6x4x16x8xf32>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<6x16x4x8xf32>) outs(%22 : tensor<6x4x16x8xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice_9 = tensor.extract_slice %transposed_8[0, 0, 0, 0] [6, 4, 16, 4] [1, 1, 1, 1] : tensor<6x4x16x8xf32> to tensor<6x4x16x4xf32>
    %extracted_slice_10 = tensor.extract_slice %transposed_8[0, 0, 0, 4] [6, 4, 16, 4] [1, 1, 1, 1] : tensor<6x4x16x8xf32> to tensor<6x4x16x4xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_8, %arg1 : tensor<6x4x16x8xf32>, tensor<16x8xf32>) outs(%22 : tensor<6x4x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x4x16x8xf32>
    %24 = tensor.empty() : tensor<6x4x16x4xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_10 : tensor<6x4x16x4xf32>) outs(%24 : tensor<6x4x16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      linalg.yield %77 : f32
    } -> tensor<6x4x16x4xf32>
    %concat_11 = tensor.concat dim(3) %25, %extracted_slice_9 : (tensor<6x4x16x4xf32>, tensor<6x4x16x4xf32>) -> tensor<6x4x16x8xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_11, %arg2 : tensor<6x4x16x8xf32>, tensor<16x8xf32>) outs(%22 : tensor<6x4x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x4x16x8xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %26 : tensor<6x4x16x8xf32>, tensor<6x4x16x8xf32>) outs(%22 : tensor<6x4x16x8xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.addf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x4x16x8xf32>
    %28 = linalg.matmul ins(%collapsed, %arg6 : tensor<96x64xf32>, tensor<64x32xf32>) outs(%20 : tensor<96x32xf32>) -> tensor<96x32xf32>
    %expanded_12 = tensor.expand_shape %28 [[0, 1], [2, 3]] output_shape [6, 16, 4, 8] : tensor<96x32xf32> into tensor<6x16x4x8xf32>
    %transposed_13 = linalg.transpose ins(%expanded_12 : tensor<6x16x4x8xf32>) outs(%22 : tensor<6x4x16x8xf32>) permutation = [0, 2, 1, 3]
    %29 = tensor.empty() : tensor<6x4x2x16x8xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<6x4x16x8xf32>) outs(%29 : tensor<6x4x2x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x4x2x16x8xf32>
    %collapsed_14 = tensor.collapse_shape %30 [[0], [1, 2], [3], [4]] : tensor<6x4x2x16x8xf32> into tensor<6x8x16x8xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_13 : tensor<6x4x16x8xf32>) outs(%29 : tensor<6x4x2x16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x4x2x16x8xf32>
    %32 = tensor.empty() : tensor<6x8x8x16xf32>
    %transposed_15 = linalg.transpose ins(%collapsed_14 : tensor<6x8x16x8xf32>) outs(%32 : tensor<6x8x8x16xf32>) permutation = [0, 1, 3, 2]
    %collapsed_16 = tensor.collapse_shape %18 [[0, 1], [2], [3]] : tensor<6x8x16x8xf32> into tensor<48x16x8xf32>
    %collapsed_17 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<6x8x8x16xf32> into tensor<48x8x16xf32>
    %33 = tensor.empty() : tensor<48x16x16xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<48x16x16xf32>) -> tensor<48x16x16xf32>
    %35 = linalg.batch_matmul ins(%collapsed_16, %collapsed_17 : tensor<48x16x8xf32>, tensor<48x8x16xf32>) outs(%34 : tensor<48x16x16xf32>) -> tensor<48x16x16xf32>
    %expanded_18 = tensor.expand_shape %35 [[0, 1], [2], [3]] output_shape [6, 8, 16, 16] : tensor<48x16x16xf32> into tensor<6x8x16x16xf32>
    %36 = tensor.empty() : tensor<6x8x16x16xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_18 : tensor<6x8x16x16xf32>) outs(%36 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.mulf %in, %cst_5 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x16xf32>
    %38 = tensor.empty() : tensor<16xi64>
    %39 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel"]} outs(%38 : tensor<16xi64>) {
    ^bb0(%out: i64):
      %77 = linalg.index 0 : index
      %78 = arith.index_cast %77 : index to i64
      linalg.yield %78 : i64
    } -> tensor<16xi64>
    %expanded_19 = tensor.expand_shape %39 [[0, 1]] output_shape [1, 16] : tensor<16xi64> into tensor<1x16xi64>
    %expanded_20 = tensor.expand_shape %39 [[0, 1]] output_shape [16, 1] : tensor<16xi64> into tensor<16x1xi64>
    %40 = tensor.empty() : tensor<16x16xi1>
    %41 = linalg.generic {indexing_maps = [#map8, #map9, #map10], iterator_types = ["parallel", "parallel"]} ins(%expanded_19, %expanded_20 : tensor<1x16xi64>, tensor<16x1xi64>) outs(%40 : tensor<16x16xi1>) {
    ^bb0(%in: i64, %in_33: i64, %out: i1):
      %77 = arith.cmpi sgt, %in, %in_33 : i64
      linalg.yield %77 : i1
    } -> tensor<16x16xi1>
    %42 = linalg.generic {indexing_maps = [#map4, #map11, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41, %cst_2, %37 : tensor<16x16xi1>, tensor<f32>, tensor<6x8x16x16xf32>) outs(%36 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: i1, %in_33: f32, %in_34: f32, %out: f32):
      %77 = arith.select %in, %in_33, %in_34 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x16xf32>
    %43 = tensor.empty() : tensor<6x8x16xi64>
    %44 = linalg.fill ins(%c0_i64 : i64) outs(%43 : tensor<6x8x16xi64>) -> tensor<6x8x16xi64>
    %45 = tensor.empty() : tensor<6x8x16xf32>
    %46 = linalg.fill ins(%cst_0 : f32) outs(%45 : tensor<6x8x16xf32>) -> tensor<6x8x16xf32>
    %47:2 = linalg.generic {indexing_maps = [#map3, #map12, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%42 : tensor<6x8x16x16xf32>) outs(%46, %44 : tensor<6x8x16xf32>, tensor<6x8x16xi64>) {
    ^bb0(%in: f32, %out: f32, %out_33: i64):
      %77 = linalg.index 3 : index
      %78 = arith.index_cast %77 : index to i64
      %79 = arith.maximumf %in, %out : f32
      %80 = arith.cmpf ogt, %in, %out : f32
      %81 = arith.select %80, %78, %out_33 : i64
      linalg.yield %79, %81 : f32, i64
    } -> (tensor<6x8x16xf32>, tensor<6x8x16xi64>)
    %expanded_21 = tensor.expand_shape %47#0 [[0], [1], [2, 3]] output_shape [6, 8, 16, 1] : tensor<6x8x16xf32> into tensor<6x8x16x1xf32>
    %48 = linalg.generic {indexing_maps = [#map3, #map13, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %expanded_21 : tensor<6x8x16x16xf32>, tensor<6x8x16x1xf32>) outs(%36 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.subf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x16xf32>
    %49 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48 : tensor<6x8x16x16xf32>) outs(%36 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.exp %in : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x16xf32>
    %50 = tensor.empty() : tensor<6x8x16x1xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<6x8x16x1xf32>) -> tensor<6x8x16x1xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%49 : tensor<6x8x16x16xf32>) outs(%51 : tensor<6x8x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x1xf32>
    %53 = linalg.generic {indexing_maps = [#map3, #map13, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %52 : tensor<6x8x16x16xf32>, tensor<6x8x16x1xf32>) outs(%36 : tensor<6x8x16x16xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.divf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x8x16x16xf32>
    %collapsed_22 = tensor.collapse_shape %53 [[0, 1], [2], [3]] : tensor<6x8x16x16xf32> into tensor<48x16x16xf32>
    %collapsed_23 = tensor.collapse_shape %31 [[0, 1, 2], [3], [4]] : tensor<6x4x2x16x8xf32> into tensor<48x16x8xf32>
    %54 = tensor.empty() : tensor<48x16x8xf32>
    %55 = linalg.fill ins(%cst : f32) outs(%54 : tensor<48x16x8xf32>) -> tensor<48x16x8xf32>
    %56 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<48x16x16xf32>, tensor<48x16x8xf32>) outs(%55 : tensor<48x16x8xf32>) -> tensor<48x16x8xf32>
    %expanded_24 = tensor.expand_shape %56 [[0, 1], [2], [3]] output_shape [6, 8, 16, 8] : tensor<48x16x8xf32> into tensor<6x8x16x8xf32>
    %57 = tensor.empty() : tensor<6x16x8x8xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<6x8x16x8xf32>) outs(%57 : tensor<6x16x8x8xf32>) permutation = [0, 2, 1, 3]
    %collapsed_26 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<6x16x8x8xf32> into tensor<96x64xf32>
    %58 = linalg.matmul ins(%collapsed_26, %arg7 : tensor<96x64xf32>, tensor<64x64xf32>) outs(%11 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_27 = tensor.expand_shape %58 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_27 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.addf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %59 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%60 : tensor<6x16x64xf32>) outs(%3 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.divf %in, %cst_3 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %cst_4 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<6x16x1xf32>) outs(%2 : tensor<6x16x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.rsqrt %in : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x1xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %64 : tensor<6x16x64xf32>, tensor<6x16x1xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65, %arg8 : tensor<6x16x64xf32>, tensor<64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    %collapsed_28 = tensor.collapse_shape %66 [[0, 1], [2]] : tensor<6x16x64xf32> into tensor<96x64xf32>
    %67 = tensor.empty() : tensor<96x192xf32>
    %68 = linalg.fill ins(%cst : f32) outs(%67 : tensor<96x192xf32>) -> tensor<96x192xf32>
    %69 = linalg.matmul ins(%collapsed_28, %arg9 : tensor<96x64xf32>, tensor<64x192xf32>) outs(%68 : tensor<96x192xf32>) -> tensor<96x192xf32>
    %expanded_29 = tensor.expand_shape %69 [[0, 1], [2]] output_shape [6, 16, 192] : tensor<96x192xf32> into tensor<6x16x192xf32>
    %70 = tensor.empty() : tensor<6x16x192xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<6x16x192xf32>) outs(%70 : tensor<6x16x192xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      %78 = math.exp %77 : f32
      %79 = arith.addf %78, %cst_1 : f32
      %80 = arith.divf %cst_1, %79 : f32
      linalg.yield %80 : f32
    } -> tensor<6x16x192xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29, %71 : tensor<6x16x192xf32>, tensor<6x16x192xf32>) outs(%70 : tensor<6x16x192xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x192xf32>
    %73 = linalg.matmul ins(%collapsed_28, %arg10 : tensor<96x64xf32>, tensor<64x192xf32>) outs(%68 : tensor<96x192xf32>) -> tensor<96x192xf32>
    %expanded_30 = tensor.expand_shape %73 [[0, 1], [2]] output_shape [6, 16, 192] : tensor<96x192xf32> into tensor<6x16x192xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %expanded_30 : tensor<6x16x192xf32>, tensor<6x16x192xf32>) outs(%70 : tensor<6x16x192xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.mulf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x192xf32>
    %collapsed_31 = tensor.collapse_shape %74 [[0, 1], [2]] : tensor<6x16x192xf32> into tensor<96x192xf32>
    %75 = linalg.matmul ins(%collapsed_31, %arg11 : tensor<96x192xf32>, tensor<192x64xf32>) outs(%11 : tensor<96x64xf32>) -> tensor<96x64xf32>
    %expanded_32 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [6, 16, 64] : tensor<96x64xf32> into tensor<6x16x64xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %expanded_32 : tensor<6x16x64xf32>, tensor<6x16x64xf32>) outs(%0 : tensor<6x16x64xf32>) {
    ^bb0(%in: f32, %in_33: f32, %out: f32):
      %77 = arith.addf %in, %in_33 : f32
      linalg.yield %77 : f32
    } -> tensor<6x16x64xf32>
    return %76 : tensor<6x16x64xf32>
  }
}
