// Rewrites of reductions: what they become, and that ranks hold the same
// afterwards, bit for bit (integers, so that any order of a sum is exact).
//
// RUN: pctl-opt %s --pctl-optimize-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: rm -rf %t.before %t.after
// RUN: for f in scatter scatter_and_reduce slice_along_another_axis slice_first join sum_of_two scaled_sum product_first not_linear bias_is_added_once used_twice factor_differs; do \
// RUN:   pctl-run %s --entry $f --inputs random:7 --outputs %t.before/$f > /dev/null && \
// RUN:   pctl-run %t.mlir --entry $f --inputs random:7 --outputs %t.after/$f > /dev/null || exit 1; done
// RUN: diff -r %t.before %t.after

#xy = #pctl.layout<@m, [{"x", "y"}, {}]>
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
module attributes {pctl.form = "planned"} {
pctl.mesh @m <["x"=2, "y"=2]>

// CHECK-LABEL: @scatter(
// CHECK-NOT: all_reduce
// CHECK: %[[R:.*]] = pctl.reduce_scatter ins(%arg0 : tensor<4x6xi32>) outs(%{{.*}} : tensor<4x3xi32>) kind = sum dim = 1 axes = ["x"] on @m
// CHECK-NEXT: return %[[R]]
func.func @scatter(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<4x3xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>, pctl.global_type = tensor<8x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<4x3xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_slice ins(%0 : tensor<4x6xi32>) outs(%p : tensor<4x3xi32>) dim = 1 axes = ["x"] on @m -> tensor<4x3xi32>
  return %1 : tensor<4x3xi32>
}

// Of four ranks two keep a block: a reduce-scatter over them, then a reduction
// of the half.

// CHECK-LABEL: @scatter_and_reduce(
// CHECK: %[[S:.*]] = pctl.reduce_scatter ins(%arg0 : tensor<4x6xi32>) {{.*}} kind = maxsi dim = 0 axes = ["y"]
// CHECK: pctl.all_reduce ins(%[[S]] : tensor<2x6xi32>) {{.*}} kind = maxsi axes = ["x"]
func.func @scatter_and_reduce(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<2x6xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}]>, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<2x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_slice ins(%0 : tensor<4x6xi32>) outs(%p : tensor<2x6xi32>) dim = 0 axes = ["y"] on @m -> tensor<2x6xi32>
  return %1 : tensor<2x6xi32>
}

// CHECK-LABEL: @slice_along_another_axis(
// CHECK: %[[S:.*]] = pctl.all_slice ins(%arg0
// CHECK: pctl.all_reduce ins(%[[S]] : tensor<2x6xi32>)
func.func @slice_along_another_axis(%a: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<8x6xi32>})
    -> (tensor<2x6xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}]>, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<2x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_slice ins(%0 : tensor<4x6xi32>) outs(%p : tensor<2x6xi32>) dim = 0 axes = ["y"] on @m -> tensor<2x6xi32>
  return %1 : tensor<2x6xi32>
}

// CHECK-LABEL: @slice_first(
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[1, 2] [2, 3] [1, 1]
// CHECK: pctl.all_reduce ins(%[[S]] : tensor<2x3xi32>)
func.func @slice_first(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<2x3xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<2x3xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = xor axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %1 = tensor.extract_slice %0[1, 2] [2, 3] [1, 1] : tensor<4x6xi32> to tensor<2x3xi32>
  return %1 : tensor<2x3xi32>
}

// CHECK-LABEL: @join(
// CHECK: pctl.all_reduce ins(%arg0 : tensor<4x6xi32>) {{.*}} axes = ["x", "y"]
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @join(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["y"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_reduce ins(%0 : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  return %1 : tensor<4x6xi32>
}

// CHECK-LABEL: @sum_of_two(
// CHECK: %[[S:.*]] = arith.subi %arg0, %arg1
// CHECK: pctl.all_reduce ins(%[[S]]
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @sum_of_two(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                      %b: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<8x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["y"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_reduce ins(%b : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["y"] on @m -> tensor<4x6xi32>
  %2 = arith.subi %0, %1 : tensor<4x6xi32>
  return %2 : tensor<4x6xi32>
}

// A scaled transpose lies between: both are linear.

// CHECK-LABEL: @scaled_sum(
// CHECK: linalg.generic
// CHECK: linalg.transpose
// CHECK: linalg.transpose
// CHECK: arith.addi
// CHECK: pctl.all_reduce
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @scaled_sum(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                      %b: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                      %s: tensor<6xi32> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<6xi32>})
    -> (tensor<6x4xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<6x4xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %t = tensor.empty() : tensor<6x4xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_reduce ins(%b : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %2 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %s : tensor<4x6xi32>, tensor<6xi32>) outs(%o : tensor<4x6xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %p = arith.muli %x, %y : i32
    linalg.yield %p : i32
  } -> tensor<4x6xi32>
  %3 = linalg.transpose ins(%2 : tensor<4x6xi32>) outs(%t : tensor<6x4xi32>) permutation = [1, 0]
  %4 = linalg.transpose ins(%1 : tensor<4x6xi32>) outs(%t : tensor<6x4xi32>) permutation = [1, 0]
  %5 = arith.addi %3, %4 : tensor<6x4xi32>
  return %5 : tensor<6x4xi32>
}

// The product is smaller than its operand.

// CHECK-LABEL: @product_first(
// CHECK: %[[P:.*]] = linalg.matmul ins(%arg0, %arg1
// CHECK: pctl.all_reduce ins(%[[P]] : tensor<4x2xi32>)
func.func @product_first(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                         %w: tensor<6x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<6x2xi32>})
    -> (tensor<4x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<4x2xi32>}) {
  %c0 = arith.constant 0 : i32
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %e = tensor.empty() : tensor<4x2xi32>
  %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x6xi32>, tensor<6x2xi32>) outs(%z : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}

// CHECK-LABEL: @not_linear(
// CHECK-COUNT-2: pctl.all_reduce
// CHECK: arith.muli
func.func @not_linear(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                      %b: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_reduce ins(%b : tensor<4x6xi32>) outs(%p : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %2 = arith.muli %0, %1 : tensor<4x6xi32>
  return %2 : tensor<4x6xi32>
}

// What a product starts from would be added by each rank.

// CHECK-LABEL: @bias_is_added_once(
// CHECK: pctl.all_reduce ins(%arg0
// CHECK: linalg.matmul
func.func @bias_is_added_once(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                         %w: tensor<6x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<6x2xi32>})
    -> (tensor<4x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>, pctl.global_type = tensor<4x2xi32>}) {
  %c1 = arith.constant 1 : i32
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %e = tensor.empty() : tensor<4x2xi32>
  %z = linalg.fill ins(%c1 : i32) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x6xi32>, tensor<6x2xi32>) outs(%z : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}

// All of the reduction is wanted as well.

// CHECK-LABEL: @used_twice(
// CHECK: pctl.all_reduce
// CHECK: pctl.all_slice
func.func @used_twice(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {}]>, pctl.global_type = tensor<8x6xi32>},
        tensor<4x3xi32> {pctl.layout = #pctl.layout<@m, [{"y"}, {"x"}]>, pctl.global_type = tensor<8x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<4x3xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_slice ins(%0 : tensor<4x6xi32>) outs(%p : tensor<4x3xi32>) dim = 1 axes = ["x"] on @m -> tensor<4x3xi32>
  return %0, %1 : tensor<4x6xi32>, tensor<4x3xi32>
}

// Each rank multiplies by its own block.

// CHECK-LABEL: @factor_differs(
// CHECK: pctl.all_reduce ins(%arg0
// CHECK: linalg.matmul
func.func @factor_differs(%a: tensor<4x6xi32> {pctl.layout = #xy, pctl.global_type = tensor<16x6xi32>},
                         %w: tensor<6x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x", "y"}]>, pctl.global_type = tensor<6x8xi32>})
    -> (tensor<4x2xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x", "y"}]>, pctl.global_type = tensor<4x8xi32>}) {
  %c0 = arith.constant 0 : i32
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x", "y"] on @m -> tensor<4x6xi32>
  %e = tensor.empty() : tensor<4x2xi32>
  %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x2xi32>) -> tensor<4x2xi32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x6xi32>, tensor<6x2xi32>) outs(%z : tensor<4x2xi32>) -> tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}
}
