// All-gathers that move: what the program becomes, and that ranks hold the same
// afterwards, bit for bit.
//
// RUN: pctl-opt %s --pctl-optimize-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: rm -rf %t.before %t.after
// RUN: for f in product product_of_more whole_operand rows_of_a_product converted blown_up other_dim same_bytes own_factor own_scalar along_the_reduction; do \
// RUN:   pctl-run %s --entry $f --inputs random:7 --outputs %t.before/$f > /dev/null && \
// RUN:   pctl-run %t.mlir --entry $f --inputs random:7 --outputs %t.after/$f > /dev/null || exit 1; done
// RUN: diff -r %t.before %t.after

#cut = #pctl.layout<@m, [{"x"}, {}]>
#all = #pctl.layout<@m, [{}, {}]>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {pctl.form = "planned"} {
pctl.mesh @m <["x"=2]>

// CHECK-LABEL: @product(
// CHECK: %[[P:.*]] = arith.mulf %arg0, %arg1 : tensor<4x6xf32>
// CHECK: %[[G:.*]] = pctl.all_gather ins(%[[P]] : tensor<4x6xf32>) outs(%{{.*}} : tensor<8x6xf32>) dim = 0 axes = ["x"]
// CHECK-NEXT: return %[[G]]
func.func @product(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %b: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>})
    -> (tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>}) {
  %o = tensor.empty() : tensor<8x6xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = pctl.all_gather ins(%b : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %2 = arith.mulf %0, %1 : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// Past a transpose, a body with a constant and a bias for each row: the bias is
// whole, so each rank slices its part.

// CHECK-LABEL: @product_of_more(
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<6x4xf32>)
// CHECK: %[[S:.*]] = pctl.all_slice ins(%arg2 : tensor<8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[T]], %arg1, %[[S]] : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>)
// CHECK: pctl.all_gather
// CHECK-NOT: pctl.all_gather
// CHECK: return
func.func @product_of_more(%a: tensor<6x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<6x8xf32>},
                   %b: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %c: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<8xf32>})
    -> (tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>}) {
  %half = arith.constant 0.5 : f32
  %o = tensor.empty() : tensor<8x6xf32>
  %p = tensor.empty() : tensor<6x8xf32>
  %0 = pctl.all_gather ins(%a : tensor<6x4xf32>) outs(%p : tensor<6x8xf32>) dim = 1 axes = ["x"] on @m -> tensor<6x8xf32>
  %1 = pctl.all_gather ins(%b : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %2 = linalg.transpose ins(%0 : tensor<6x8xf32>) outs(%o : tensor<8x6xf32>) permutation = [1, 0]
  %3 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%2, %1, %c : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8xf32>) outs(%o : tensor<8x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %out: f32):
    %q = arith.mulf %x, %y : f32
    %r = arith.addf %q, %z : f32
    %s = arith.mulf %r, %half : f32
    linalg.yield %s : f32
  } -> tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}

// Nothing is saved by itself, but below the conversion there are half the bytes.

// CHECK-LABEL: @whole_operand(
// CHECK: pctl.all_gather ins(%{{.*}} : tensor<4x6xf16>)
// CHECK-NOT: pctl.all_gather
// CHECK: return
func.func @whole_operand(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %b: tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>})
    -> (tensor<8x6xf16> {pctl.layout = #all, pctl.global_type = tensor<8x6xf16>}) {
  %o = tensor.empty() : tensor<8x6xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = arith.addf %0, %b : tensor<8x6xf32>
  %2 = arith.truncf %1 : tensor<8x6xf32> to tensor<8x6xf16>
  return %2 : tensor<8x6xf16>
}

// CHECK-LABEL: @rows_of_a_product(
// CHECK: %[[P:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<4x6xf32>, tensor<6x2xf32>) outs(%{{.*}} : tensor<4x2xf32>)
// CHECK: pctl.all_gather ins(%[[P]] : tensor<4x2xf32>)
func.func @rows_of_a_product(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %w: tensor<6x2xf32> {pctl.layout = #all, pctl.global_type = tensor<6x2xf32>})
    -> (tensor<8x2xf32> {pctl.layout = #all, pctl.global_type = tensor<8x2xf32>}) {
  %c = arith.constant 1.0 : f32
  %o = tensor.empty() : tensor<8x6xf32>
  %p = tensor.empty() : tensor<8x2xf32>
  %z = linalg.fill ins(%c : f32) outs(%p : tensor<8x2xf32>) -> tensor<8x2xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<8x6xf32>, tensor<6x2xf32>) outs(%z : tensor<8x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @converted(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0 : tensor<4x6xi8>)
// CHECK: arith.extsi %[[G]]
func.func @converted(%a: tensor<4x6xi8> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi8>})
    -> (tensor<8x6xi32> {pctl.layout = #all, pctl.global_type = tensor<8x6xi32>}) {
  %o = tensor.empty() : tensor<8x6xi32>
  %0 = arith.extsi %a : tensor<4x6xi8> to tensor<4x6xi32>
  %1 = pctl.all_gather ins(%0 : tensor<4x6xi32>) outs(%o : tensor<8x6xi32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xi32>
  return %1 : tensor<8x6xi32>
}

// CHECK-LABEL: @blown_up(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0 : tensor<4xf32>)
// CHECK: linalg.broadcast ins(%[[G]] : tensor<8xf32>) outs(%{{.*}} : tensor<8x6xf32>)
// CHECK-NOT: pctl.all_gather
// CHECK: return
func.func @blown_up(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<8xf32>})
    -> (tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>}) {
  %o = tensor.empty() : tensor<8x6xf32>
  %p = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.broadcast ins(%a : tensor<4xf32>) outs(%p : tensor<4x6xf32>) dimensions = [1]
  %1 = pctl.all_gather ins(%0 : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: @other_dim(
// CHECK-COUNT-2: pctl.all_gather
// CHECK: arith.mulf
func.func @other_dim(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %b: tensor<8x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<8x6xf32>})
    -> (tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>}) {
  %o = tensor.empty() : tensor<8x6xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = pctl.all_gather ins(%b : tensor<8x3xf32>) outs(%o : tensor<8x6xf32>) dim = 1 axes = ["x"] on @m -> tensor<8x6xf32>
  %2 = arith.mulf %0, %1 : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
}

// CHECK-LABEL: @same_bytes(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0
// CHECK: arith.addf %[[G]], %arg1
func.func @same_bytes(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %b: tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>})
    -> (tensor<8x6xf32> {pctl.layout = #all, pctl.global_type = tensor<8x6xf32>}) {
  %o = tensor.empty() : tensor<8x6xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = arith.addf %0, %b : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// Each rank multiplies all rows by its own columns: no rank can do the rows of
// another.

// CHECK-LABEL: @own_factor(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0
// CHECK: linalg.matmul ins(%[[G]], %arg1
func.func @own_factor(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                   %w: tensor<6x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<6x4xf32>})
    -> (tensor<8x2xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<8x4xf32>}) {
  %c = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<8x6xf32>
  %p = tensor.empty() : tensor<8x2xf32>
  %z = linalg.fill ins(%c : f32) outs(%p : tensor<8x2xf32>) -> tensor<8x2xf32>
  %0 = pctl.all_gather ins(%a : tensor<4x6xf32>) outs(%o : tensor<8x6xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x6xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<8x6xf32>, tensor<6x2xf32>) outs(%z : tensor<8x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// Nor can it where a scalar differs, which fills a tensor or is read by a body.

// CHECK-LABEL: @own_scalar(
// CHECK-COUNT-2: pctl.all_gather
func.func @own_scalar(%a: tensor<4x6xi64> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi64>},
                   %b: tensor<4x6xi64> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi64>})
    -> (tensor<8x6xi64> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<16x6xi64>}) {
  %i = pctl.axis_index ["x"] on @m : index
  %s = arith.index_cast %i : index to i64
  %o = tensor.empty() : tensor<8x6xi64>
  %0 = pctl.all_gather ins(%a : tensor<4x6xi64>) outs(%o : tensor<8x6xi64>) dim = 0 axes = ["x"] on @m -> tensor<8x6xi64>
  %1 = pctl.all_gather ins(%b : tensor<4x6xi64>) outs(%o : tensor<8x6xi64>) dim = 0 axes = ["x"] on @m -> tensor<8x6xi64>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<8x6xi64>, tensor<8x6xi64>) outs(%o : tensor<8x6xi64>) {
  ^bb0(%x: i64, %y: i64, %out: i64):
    %q = arith.addi %x, %y : i64
    %r = arith.addi %q, %s : i64
    linalg.yield %r : i64
  } -> tensor<8x6xi64>
  return %2 : tensor<8x6xi64>
}

// The gathered dim is summed over.

// CHECK-LABEL: @along_the_reduction(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0
// CHECK: linalg.matmul ins(%[[G]], %arg1
func.func @along_the_reduction(%a: tensor<2x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<2x8xf32>},
                   %w: tensor<8x2xf32> {pctl.layout = #all, pctl.global_type = tensor<8x2xf32>})
    -> (tensor<2x2xf32> {pctl.layout = #all, pctl.global_type = tensor<2x2xf32>}) {
  %c = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<2x8xf32>
  %p = tensor.empty() : tensor<2x2xf32>
  %z = linalg.fill ins(%c : f32) outs(%p : tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = pctl.all_gather ins(%a : tensor<2x4xf32>) outs(%o : tensor<2x8xf32>) dim = 1 axes = ["x"] on @m -> tensor<2x8xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<2x8xf32>, tensor<8x2xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
}
