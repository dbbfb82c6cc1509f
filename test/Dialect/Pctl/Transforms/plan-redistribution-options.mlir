// RUN: pctl-opt %s --pctl-plan-redistribution | FileCheck %s
// RUN: pctl-opt %s --pctl-plan-redistribution=chunk-bytes=32 | FileCheck %s --check-prefix=CHUNK
// RUN: pctl-opt %s "--pctl-plan-redistribution=cluster=h100 print-plans=true" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: pctl-opt %s --pctl-plan-redistribution=cap-bytes=200 | FileCheck %s
// RUN: not pctl-opt %s --pctl-plan-redistribution=cap-bytes=40 2>&1 | FileCheck %s --check-prefix=CAP
// RUN: not pctl-opt %s --pctl-plan-redistribution=cap-bytes=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not pctl-opt %s --pctl-plan-redistribution=chunk-bytes=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pctl-opt %s --pctl-plan-redistribution=cluster=nope 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not pctl-opt %s "--pctl-spmd-pipeline=cap-bytes=-1" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not pctl-run %s --cap-bytes 40 2>&1 | FileCheck %s --check-prefix=CAP
// RUN: pctl-run %s --chunk-bytes 32 | FileCheck %s --check-prefix=RUN-ROUNDS

// NEGATIVE: error: pctl-plan-redistribution: cap-bytes is -1, expected a number of bytes, or 0 for the default
// NONE: error: pctl-plan-redistribution: chunk-bytes is 0, expected at least 1
// CLUSTER: error: pctl-plan-redistribution: cluster 'nope' is none of bytes, a100, h100, b200, nor a file that can be read
// FORM: error:
// PLAN: remark: plan: 7x4 on x=4
// PLAN: receives 24 bytes a rank; holds {{[0-9]+}} bytes; takes {{[0-9.]+}} us on h100
// RUN-ROUNDS: plan         exchange over x of ?x4xf32

module attributes {pctl.form = "local"} {

pctl.mesh @m <["x"=4]>

// CHECK-LABEL: func.func @main
// CHECK-NOT: rounds
// CHUNK: pctl.exchange {{.*}} rounds = 2
// CAP: plan-redistribution-options.mlir:[[# @LINE + 3]]:{{.*}} error: {{.*}}step 1 (exchange) holds {{[0-9]+}} bytes on a rank, the cap is 40
func.func @main(%x: tensor<?x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<7x4xf32>})
    -> (tensor<7x1xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>, pctl.global_type = tensor<7x4xf32>}) {
  %0 = pctl.redistribute %x from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> of tensor<7x4xf32> : tensor<?x4xf32> -> tensor<7x1xf32>
  return %0 : tensor<7x1xf32>
}

}
