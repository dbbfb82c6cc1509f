// RUN: pctl-opt %s --pctl-convert-assert-to-llvm | FileCheck %s

// Each has a text of its own, which ends with a zero.

// CHECK-DAG: llvm.mlir.global internal constant @pctl_assert("first\00")
// CHECK-DAG: llvm.mlir.global internal constant @pctl_assert_0("second\00")
// CHECK-DAG: llvm.func @pctlFail(!llvm.ptr)

// CHECK-LABEL: func.func @ends_a_rank_that_fails
// CHECK-SAME:    (%[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK:         cf.cond_br %[[A]], ^[[NEXT:.*]], ^[[FAILED:.*]]
// CHECK:       ^[[FAILED]]:
// CHECK-NEXT:    %[[TEXT:.*]] = llvm.mlir.addressof @pctl_assert : !llvm.ptr
// CHECK-NEXT:    llvm.call @pctlFail(%[[TEXT]]) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.unreachable
// CHECK:       ^[[NEXT]]:
// CHECK-NEXT:    cf.cond_br %[[B]], ^[[END:.*]], ^{{.*}}
// CHECK:         llvm.mlir.addressof @pctl_assert_0
// CHECK:       ^[[END]]:
// CHECK-NEXT:    return
func.func @ends_a_rank_that_fails(%a: i1, %b: i1) {
  cf.assert %a, "first"
  cf.assert %b, "second"
  return
}
