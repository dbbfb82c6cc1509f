// One flag takes a program without annotations to collectives.

// RUN: pctl-opt %s --pctl-spmd-pipeline='mesh="model=2" layouts="1=[{},{model}];2=[{model},{}]"' | FileCheck %s
// RUN: pctl-opt %s --pctl-spmd-pipeline='mesh="model=2" layouts="1=[{},{model}];2=[{model},{}]" print-plans=true' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLANS
// RUN: pctl-opt %s --pctl-spmd-pipeline='mesh="data=4" data-args=0' | FileCheck %s --check-prefix=DATA
// RUN: not pctl-opt %s --pctl-spmd-pipeline='mesh="data=4" layouts="7=[{data},{}]"' 2>&1 | FileCheck %s --check-prefix=ERROR

// PLANS: remark: plan: 6x4 on model=2: [{},{}] partial=[sum(model)] -> [{},{}], 1 step
// PLANS: receives 96 bytes a rank

// CHECK: module attributes {pctl.form = "planned"}
// CHECK: pctl.mesh @mesh <["model"=2]>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<6x8xf32> {{{[^}]*}}{{.*}}tensor<8x8xf32> {pctl.global_type = tensor<8x16xf32>{{.*}}tensor<8x4xf32> {pctl.global_type = tensor<16x4xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<6x8xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<6x4xf32>
// CHECK: pctl.all_reduce {{.*}} kind = sum axes = ["model"] on @mesh -> tensor<6x4xf32>
// CHECK-NOT: pctl.all
// CHECK-NOT: pctl.redistribute
// CHECK: return

// 6 over 4: blocks of 2, 2, 2 and 0.
// DATA-LABEL: func.func @main(
// DATA-SAME: tensor<?x8xf32> {{{.*}}pctl.global_type = tensor<6x8xf32>
// DATA: pctl.block_range 6 by ["data"] on @mesh
// DATA: linalg.matmul {{.*}} -> tensor<?x16xf32>
// DATA: linalg.matmul {{.*}} -> tensor<?x4xf32>
// DATA-NOT: pctl.all
// DATA: return

// ERROR: error:
func.func @main(%x: tensor<6x8xf32>, %w1: tensor<8x16xf32>, %w2: tensor<16x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<6x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<6x16xf32>) -> tensor<6x16xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<6x8xf32>, tensor<8x16xf32>) outs(%i1 : tensor<6x16xf32>) -> tensor<6x16xf32>
  %r = math.exp %h : tensor<6x16xf32>
  %e2 = tensor.empty() : tensor<6x4xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<6x16xf32>, tensor<16x4xf32>) outs(%i2 : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}
