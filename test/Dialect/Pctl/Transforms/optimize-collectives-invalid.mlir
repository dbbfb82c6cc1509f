// RUN: pctl-opt %s -split-input-file -verify-diagnostics --pctl-optimize-collectives='only=merge,fuse'
// RUN: not pctl-opt %s -split-input-file --pctl-optimize-collectives=merge-bytes=-1 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not pctl-opt %s -split-input-file --pctl-optimize-collectives=report=%t.none/file.json 2>&1 | FileCheck %s --check-prefix=FILE

// BYTES: error: pctl-optimize-collectives: merge-bytes is -1, expected a number of bytes, or 0 for any
// FILE: error: pctl-optimize-collectives: cannot open output file '{{.*}}.none/file.json': No such file or directory

// expected-error@+1 {{pctl-optimize-collectives: 'fuse' is no rewrite; the rewrites are common, dead, inverse, reduce-scatter, slice-first, join-reductions, defer-reduction, sink-gather, hoist-gather, merge}}
module attributes {pctl.form = "planned"} {
}

// -----

// expected-error@+1 {{pctl-optimize-collectives needs the planned form, but the module is in the local form; run pctl-plan-redistribution first}}
module attributes {pctl.form = "local"} {
}
