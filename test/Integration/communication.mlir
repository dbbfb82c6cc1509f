// What a program sends is what the plans say, counted by the bytes that the
// rank with the most receives.

// RUN: pctl-run %s --ranks 2 --verify | FileCheck %s

// Rows of 3 and 2 become columns of 2 and 1: the first rank lacks 2 rows of 2
// columns, 16 bytes. Then 2 columns and 1 become whole: the second rank lacks 5
// rows of 2 columns, 40 bytes.
// CHECK: collectives  2
// CHECK-NEXT: bytes        56 received by a rank
// CHECK: verified

pctl.mesh @m <["x"=2]>

func.func @main(%a: tensor<5x3xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>})
    -> (tensor<5x3xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, tensor<5x3xi32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  %0 = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<5x3xi32>
  %1 = arith.addi %0, %0 : tensor<5x3xi32>
  return %0, %1 : tensor<5x3xi32>, tensor<5x3xi32>
}
