// RUN: pctl-opt %s | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --mlir-print-op-generic | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --emit-bytecode | pctl-opt | FileCheck %s

// CHECK: module attributes {pctl.dataset_strategy = "data_parallel", pctl.form = "annotated", pctl.full_batch = false}
module attributes {pctl.dataset_strategy = "data_parallel", pctl.form = "annotated", pctl.full_batch = false} {
  pctl.mesh @m <["data"=4, "model"=2]>
  pctl.layout @row <@m, [{"data"}, {}]>

  // CHECK: func.func private @global(tensor<8x6xf32> {pctl.data, pctl.layout = @row}, tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{?}]>}, index) -> (tensor<8x6xf32> {pctl.layout = @row}, f32)
  func.func private @global(tensor<8x6xf32> {pctl.data, pctl.layout = @row}, tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{?}]>}, index) -> (tensor<8x6xf32> {pctl.layout = @row}, f32)

  // CHECK: func.func private @local(tensor<2x6xf32> {pctl.global_type = tensor<8x6xf32>, pctl.layout = @row}) -> (tensor<?x6xf32> {pctl.global_type = tensor<5x6xf32>, pctl.layout = @row})
  func.func private @local(tensor<2x6xf32> {pctl.global_type = tensor<8x6xf32>, pctl.layout = @row}) -> (tensor<?x6xf32> {pctl.global_type = tensor<5x6xf32>, pctl.layout = @row})

  // CHECK: func.func private @buffers(memref<2x6xf32, strided<[?, ?], offset: ?>> {pctl.global_type = tensor<8x6xf32>, pctl.layout = @row})
  func.func private @buffers(memref<2x6xf32, strided<[?, ?], offset: ?>> {pctl.global_type = tensor<8x6xf32>, pctl.layout = @row})

  // CHECK-LABEL: func.func @laid_out
  func.func @laid_out(%x: tensor<8x6xf32>, %y: f32) {
    // CHECK: math.exp %{{.*}} {pctl.layouts = [#pctl.layout<@m, [{"data"}, {}]>]}
    %0 = math.exp %x {pctl.layouts = [#pctl.layout<@m, [{"data"}, {}]>]} : tensor<8x6xf32>
    // CHECK: math.exp %{{.*}} {pctl.layouts = [unit]}
    %1 = math.exp %y {pctl.layouts = [unit]} : f32
    return
  }

  // CHECK: module @full attributes {pctl.dataset_strategy = "full_batch", pctl.full_batch = true}
  module @full attributes {pctl.dataset_strategy = "full_batch", pctl.full_batch = true} {}
  // CHECK: module @cuts attributes {pctl.dataset_strategy = {{\[\[}}2, 1], array<i64: 4>]}
  module @cuts attributes {pctl.dataset_strategy = [[2, 1], array<i64: 4>]} {}
  // CHECK: module @layouts attributes {pctl.dataset_strategy = [#pctl.layout<@n, [{"x"}]>, #pctl.layout<@n, []>]}
  module @layouts attributes {pctl.dataset_strategy = [#pctl.layout<@n, [{"x"}]>, #pctl.layout<@n, []>]} {
    pctl.mesh @n <["x"=2]>
  }
}
