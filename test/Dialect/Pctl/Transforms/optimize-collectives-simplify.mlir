// Collectives that need not be, and the report of what was done.
//
// RUN: pctl-opt %s --pctl-optimize-collectives=report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: pctl-opt %s --pctl-optimize-collectives='only=common,dead report=%t.some.json' -o /dev/null
// RUN: FileCheck %s --check-prefix=SOME < %t.some.json
// RUN: pctl-opt %s --pctl-optimize-collectives='only=common remarks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Five gathers of 3 of 6 elements of 4 bytes, and one reduction of 6 elements,
// of which a rank receives as many. What is left: two gathers, a reduction.

// REPORT: "bytes_after": 48
// REPORT: "bytes_before": 84
// REPORT: "collectives_after": 3
// REPORT: "collectives_before": 6
// REPORT: "bytes_after": 0
// REPORT: "bytes_before": 12
// REPORT: "collectives_after": 0
// REPORT: "collectives_before": 1
// REPORT: "loc": "loc({{.*}}optimize-collectives-simplify.mlir{{.*}})"
// REPORT: "rewrite": "common"
// REPORT: "rewrite": "inverse"
// REPORT: "rewrite": "inverse"
// REPORT: "rewrite": "dead"

// SOME: "bytes_after": 60
// SOME: "bytes_before": 84
// SOME: "collectives_after": 4
// SOME: "collectives_before": 6
// SOME: "rewrite": "common"
// SOME: "rewrite": "dead"
// SOME-NOT: rewrite

// REMARK: remark: common: collectives 1 -> 0, bytes a rank 12 -> 0

module attributes {pctl.form = "planned"} {
pctl.mesh @m <["x"=2]>

// CHECK-LABEL: @simplify(
// CHECK: %[[G:.*]] = pctl.all_gather ins(%arg0
// CHECK-NOT: pctl.all_gather
// CHECK: %[[R:.*]] = pctl.all_reduce ins(%arg1
// CHECK: return %[[G]], %[[G]], %arg1, %arg0, %[[R]]
func.func @simplify(%a: tensor<3xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<6xi32>},
                    %b: tensor<6xi32> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<6xi32>})
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi32>, tensor<6xi32>) {
  %o = tensor.empty() : tensor<6xi32>
  %p = tensor.empty() : tensor<6xi32>
  %q = tensor.empty() : tensor<3xi32>
  %0 = pctl.all_gather ins(%a : tensor<3xi32>) outs(%o : tensor<6xi32>) dim = 0 axes = ["x"] on @m -> tensor<6xi32>
  %1 = pctl.all_gather ins(%a : tensor<3xi32>) outs(%p : tensor<6xi32>) dim = 0 axes = ["x"] on @m -> tensor<6xi32>
  %s = pctl.all_slice ins(%b : tensor<6xi32>) outs(%q : tensor<3xi32>) dim = 0 axes = ["x"] on @m -> tensor<3xi32>
  %2 = pctl.all_gather ins(%s : tensor<3xi32>) outs(%o : tensor<6xi32>) dim = 0 axes = ["x"] on @m -> tensor<6xi32>
  %d = arith.addi %a, %a : tensor<3xi32>
  %3 = pctl.all_gather ins(%d : tensor<3xi32>) outs(%o : tensor<6xi32>) dim = 0 axes = ["x"] on @m -> tensor<6xi32>
  %4 = pctl.all_slice ins(%0 : tensor<6xi32>) outs(%q : tensor<3xi32>) dim = 0 axes = ["x"] on @m -> tensor<3xi32>
  %5 = pctl.all_reduce ins(%b : tensor<6xi32>) outs(%o : tensor<6xi32>) kind = sum axes = ["x"] on @m -> tensor<6xi32>
  return %0, %1, %2, %4, %5 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi32>, tensor<6xi32>
}

// Ranks hold different tensors: a gather of slices is none of them.

// CHECK-LABEL: @slices_of_what_differs(
// CHECK: pctl.all_slice
// CHECK: pctl.all_gather
func.func @slices_of_what_differs(%b: tensor<6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<12xi32>})
    -> tensor<6xi32> {
  %o = tensor.empty() : tensor<6xi32>
  %q = tensor.empty() : tensor<3xi32>
  %s = pctl.all_slice ins(%b : tensor<6xi32>) outs(%q : tensor<3xi32>) dim = 0 axes = ["x"] on @m -> tensor<3xi32>
  %2 = pctl.all_gather ins(%s : tensor<3xi32>) outs(%o : tensor<6xi32>) dim = 0 axes = ["x"] on @m -> tensor<6xi32>
  return %2 : tensor<6xi32>
}
}
