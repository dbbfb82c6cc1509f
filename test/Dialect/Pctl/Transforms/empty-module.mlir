// Passes load the dialects that they need in an order that programs don't
// prescribe, so an empty program is a test of its own.

// RUN: pctl-opt %s --pctl-apply-strategy='mesh="a=2"' | FileCheck %s
// RUN: pctl-opt %s --pctl-unfold-reshapes | FileCheck %s
// RUN: pctl-opt %s --pctl-apply-strategy='mesh="a=2"' --pctl-propagate-layouts \
// RUN:   --pctl-insert-redistribution --pctl-partition | FileCheck %s

// CHECK: module
module {
}
