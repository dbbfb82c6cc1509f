// RUN: pctl-opt %s --pctl-to-llvm-pipeline="target=host" | FileCheck %s
// RUN: pctl-opt %s --pctl-to-llvm-pipeline | FileCheck %s
// RUN: pctl-opt %s --pctl-to-buffers-pipeline | FileCheck %s --check-prefix=BUFFERS

pctl.mesh @m <["x"=2, "y"=2]>

// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.func @ncclAllReduce
// CHECK: llvm.func @_mlir_ciface_main(
// CHECK-SAME: nccl.comms = {{\[\[}}#pctl.axis<"y">]]
// CHECK-SAME: nccl.signature = (memref<4x3xf32>, memref<3x2xf32>) -> memref<4x2xf32>
// CHECK: llvm.func @_mlir_ciface_main_comms(

// Nothing is copied, and what is not returned is freed.

// BUFFERS: module attributes {pctl.form = "buffers"}
// BUFFERS-LABEL: func.func @main
// BUFFERS-SAME: %[[COMM:[a-z0-9]+]]: !nccl.comm {nccl.axes = [#pctl.axis<"y">]}, %[[STREAM:[a-z0-9]+]]: !nccl.stream, %[[X:[a-z0-9]+]]: memref<4x3xf32>, %[[W:[a-z0-9]+]]: memref<3x2xf32>) -> memref<4x2xf32>
// BUFFERS-NOT: memref.copy
// BUFFERS: %[[R:.*]] = memref.alloc
// BUFFERS: linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[R]]
// BUFFERS: nccl.all_reduce %[[R]], %[[R]] kind = sum on %[[COMM]], %[[STREAM]]
// BUFFERS: return %[[R]]
func.func @main(%x: tensor<4x3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}]>,
                                     pctl.global_type = tensor<8x6xf32>},
                %w: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x2xf32>)
      outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  %r = pctl.all_reduce ins(%p : tensor<4x2xf32>) outs(%p : tensor<4x2xf32>)
      kind = sum axes = ["y"] on @m -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
