// What moves and why, as JSON, from the pipeline, from its passes, from pctl-run.
//
// RUN: pctl-opt %s --pctl-spmd-pipeline='report=%t.json rewrite-report=%t.saved.json' -o %t.with
// RUN: FileCheck %s < %t.json
// RUN: FileCheck %s --check-prefix=SAVED < %t.saved.json
// RUN: pctl-opt %s --pctl-spmd-pipeline -o %t.without && diff %t.without %t.with
// RUN: pctl-run %s --report %t.run.json > %t.run && diff %t.json %t.run.json
// RUN: pctl-opt %s --pctl-propagate-layouts=reasons | FileCheck %s --check-prefix=ATTR
// RUN: pctl-opt %s --pctl-propagate-layouts=reasons --pctl-insert-redistribution | FileCheck %s --check-prefix=GONE
// RUN: pctl-opt %s --pctl-propagate-layouts --pctl-insert-redistribution --pctl-partition --pctl-plan-redistribution=report=%t.some.json -o /dev/null
// RUN: FileCheck %s --check-prefix=SOME < %t.some.json
// RUN: %python -c "import json, sys; json.dump(json.load(open(sys.argv[1]))['redistributions'][0]['plan'], open(sys.argv[2], 'w'))" %t.json %t.plan.json
// RUN: pctl-plan --check %t.plan.json | FileCheck %s --check-prefix=PLAN
// RUN: not pctl-opt %s --pctl-spmd-pipeline=report=%t.none/file.json 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not pctl-run %t.with --report %t.none.json 2>&1 | FileCheck %s --check-prefix=PLANNED

// PLANNED: pctl-run: error: --report: the program is in form 'planned', in which no change of layout is left to plan

// CHECK: "cluster": "bytes"
// CHECK: "max_received_bytes": 48
// CHECK: "max_received_bytes": 16
// CHECK: "certificate": "meets the bound on time: {{.*}}"
// CHECK: "peak_bytes": 64
// CHECK: "function": "main"
// CHECK: "loc": "loc({{.*}}report.mlir{{.*}}:[[# @LINE + 30]]:{{.*}})"
// CHECK: "op": "all_to_all"
// CHECK: "type": "tensor<4x4xf32>"
// CHECK: "wanted_at": "loc({{.*}}report.mlir{{.*}}:[[# @LINE + 29]]:{{.*}})"
// CHECK: "wanted_by": "arith.addf"
// CHECK: "why": "dim 1 is not to be cut by a, as the op is cut by a along another dim"
// CHECK: "max_received_bytes": 32
// CHECK: "op": "all_gather"
// CHECK: "wanted_by": "func.return"
// CHECK: "why": "that is the layout stated here"
// CHECK: "time_us": 48

// SAVED: "collectives_after": 2

// ATTR: arith.addf
// ATTR-SAME: pctl.operand_reasons = ["", "dim 1 is not to be cut by a, as the op is cut by a along another dim"]

// GONE-NOT: reasons
// GONE-COUNT-2: pctl.redistribute

// SOME-NOT: why

// PLAN: checked

// FILE: error: pctl-plan-redistribution: cannot open output file '{{.*}}.none/file.json': No such file or directory

pctl.mesh @m <["a"=2]>

func.func @main(
    %x: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>},
    %y: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>})
    -> (tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  %0 = arith.addf %x, %y : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
