// RUN: pctl-opt %s -pctl-strip-layouts | FileCheck %s

// CHECK-NOT: pctl
pctl.mesh @mesh <["x"=2]>
pctl.layout @row <@mesh, [{"x"}]>

// CHECK-LABEL: func.func @forgets_layouts(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {llvm.noalias})
// CHECK-SAME:    -> tensor<4xf32> {
func.func @forgets_layouts(%x: tensor<4xf32> {pctl.layout = @row, pctl.data, llvm.noalias})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@mesh, [{}]>}) {
  %0 = pctl.shard %x to <@mesh, [{}]> : tensor<4xf32>
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[X]] : tensor<4xf32>
  %1 = arith.addf %0, %x {pctl.rule = #pctl.rule<([i], [i]) -> ([i])>} : tensor<4xf32>
  %2 = pctl.redistribute %1 from <@mesh, [{"x"}]> to <@mesh, [{}]> : tensor<4xf32>
  // CHECK-NEXT: return %[[SUM]]
  return %2 : tensor<4xf32>
}
