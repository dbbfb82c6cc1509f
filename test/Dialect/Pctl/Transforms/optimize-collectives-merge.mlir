// Reductions that become one: what the program becomes, and that ranks hold the
// same afterwards, bit for bit.
//
// RUN: pctl-opt %s --pctl-optimize-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: rm -rf %t.before %t.after
// RUN: for f in gradients chain two_types in_order effects_stay; do \
// RUN:   pctl-run %s --entry $f --inputs random:7 --outputs %t.before/$f > /dev/null && \
// RUN:   pctl-run %t.mlir --entry $f --inputs random:7 --outputs %t.after/$f > /dev/null || exit 1; done
// RUN: diff -r %t.before %t.after
// RUN: pctl-opt %s --pctl-optimize-collectives=merge-bytes=100 | FileCheck %s --check-prefix=BOUND

#cut = #pctl.layout<@m, [{"x"}, {}]>
#all = #pctl.layout<@m, [{}, {}]>
module attributes {pctl.form = "planned"} {
pctl.mesh @m <["x"=2, "y"=2]>

// Shapes of any tensor rank; the update of the first does not keep the second
// from being merged. 24 + 1 + 6 elements, of which 24 and 1 fit 100 bytes.

// CHECK-LABEL: @gradients(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<31xf32>
// CHECK: %[[A:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: %[[P0:.*]] = tensor.insert_slice %[[A]] into %[[E]][0] [24] [1]
// CHECK: %[[B:.*]] = tensor.expand_shape %arg1 []
// CHECK: %[[P1:.*]] = tensor.insert_slice %[[B]] into %[[P0]][24] [1] [1]
// CHECK: %[[P2:.*]] = tensor.insert_slice %{{.*}} into %[[P1]][25] [6] [1]
// CHECK: %[[R:.*]] = pctl.all_reduce ins(%[[P2]] : tensor<31xf32>)
// CHECK-NOT: pctl.all_reduce
// CHECK: tensor.extract_slice %[[R]][0] [24] [1]
// CHECK: tensor.extract_slice %[[R]][24] [1] [1]
// CHECK: tensor.extract_slice %[[R]][25] [6] [1]
// CHECK: return

// BOUND-LABEL: @gradients(
// BOUND: pctl.all_reduce ins(%{{.*}} : tensor<25xf32>)
// BOUND: pctl.all_reduce ins(%{{.*}} : tensor<6xf32>)
func.func @gradients(%a: tensor<4x6xf32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xf32>},
                     %b: tensor<f32> {pctl.layout = #pctl.layout<@m, []>, pctl.global_type = tensor<f32>},
                     %c: tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<12xf32>})
    -> (tensor<4x6xf32> {pctl.layout = #all, pctl.global_type = tensor<4x6xf32>},
        tensor<f32> {pctl.layout = #pctl.layout<@m, []>, pctl.global_type = tensor<f32>},
        tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{}]>, pctl.global_type = tensor<6xf32>}) {
  %oa = tensor.empty() : tensor<4x6xf32>
  %ob = tensor.empty() : tensor<f32>
  %oc = tensor.empty() : tensor<6xf32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xf32>) outs(%oa : tensor<4x6xf32>) kind = sum axes = ["x"] on @m -> tensor<4x6xf32>
  %1 = arith.mulf %0, %0 : tensor<4x6xf32>
  %2 = pctl.all_reduce ins(%b : tensor<f32>) outs(%ob : tensor<f32>) kind = sum axes = ["x"] on @m -> tensor<f32>
  %3 = math.absf %c : tensor<6xf32>
  %4 = pctl.all_reduce ins(%3 : tensor<6xf32>) outs(%oc : tensor<6xf32>) kind = sum axes = ["x"] on @m -> tensor<6xf32>
  %5 = arith.addf %4, %4 : tensor<6xf32>
  return %1, %2, %5 : tensor<4x6xf32>, tensor<f32>, tensor<6xf32>
}

// The second waits for the first. The third does not, and goes with the second.

// CHECK-LABEL: @chain(
// CHECK: pctl.all_reduce ins(%{{.*}} : tensor<4x6xi32>)
// CHECK: pctl.all_reduce ins(%{{.*}} : tensor<48xi32>)
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @chain(%a: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>},
                 %b: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>},
        tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = arith.muli %0, %b : tensor<4x6xi32>
  %2 = pctl.all_reduce ins(%1 : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  %3 = pctl.all_reduce ins(%b : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  return %2, %3 : tensor<4x6xi32>, tensor<4x6xi32>
}

// Neither element types nor kinds nor groups are mixed.

// CHECK-LABEL: @two_types(
// CHECK-DAG: pctl.all_reduce ins(%{{.*}} : tensor<4x6xi32>) {{.*}} kind = sum axes = ["x"]
// CHECK-DAG: pctl.all_reduce ins(%{{.*}} : tensor<4x6xi64>) {{.*}} kind = sum axes = ["x"]
// CHECK-DAG: pctl.all_reduce ins(%{{.*}} : tensor<4x6xi32>) {{.*}} kind = maxsi axes = ["x"]
// CHECK-DAG: pctl.all_reduce ins(%{{.*}} : tensor<4x6xi32>) {{.*}} kind = sum axes = ["y"]
// CHECK: return
func.func @two_types(%a: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>},
                     %b: tensor<4x6xi64> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi64>})
    -> (tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>},
        tensor<4x6xi64> {pctl.layout = #all, pctl.global_type = tensor<4x6xi64>},
        tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>},
        tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %p = tensor.empty() : tensor<4x6xi64>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = pctl.all_reduce ins(%b : tensor<4x6xi64>) outs(%p : tensor<4x6xi64>) kind = sum axes = ["x"] on @m -> tensor<4x6xi64>
  %2 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  %3 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["y"] on @m -> tensor<4x6xi32>
  return %0, %1, %2, %3 : tensor<4x6xi32>, tensor<4x6xi64>, tensor<4x6xi32>, tensor<4x6xi32>
}

// Two merged reductions, each of which could wait for the other: the second
// sum needs the first maximum, the second maximum the first sum.

// CHECK-LABEL: @in_order(
// CHECK-COUNT-3: pctl.all_reduce
// CHECK-NOT: pctl.all_reduce
// CHECK: return
func.func @in_order(%a: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>},
                    %b: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>},
        tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %s0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %m0 = pctl.all_reduce ins(%b : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  %0 = arith.xori %m0, %a : tensor<4x6xi32>
  %s1 = pctl.all_reduce ins(%0 : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = arith.xori %s0, %b : tensor<4x6xi32>
  %m1 = pctl.all_reduce ins(%1 : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = maxsi axes = ["x"] on @m -> tensor<4x6xi32>
  return %s1, %m1 : tensor<4x6xi32>, tensor<4x6xi32>
}

// A call may have effects, and is not moved: what it takes is reduced before.

func.func private @effects(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  return %x : tensor<4x6xi32>
}

// CHECK-LABEL: @effects_stay(
// CHECK: pctl.all_reduce
// CHECK: call @effects
// CHECK: pctl.all_reduce
// CHECK: return
func.func @effects_stay(%a: tensor<4x6xi32> {pctl.layout = #cut, pctl.global_type = tensor<8x6xi32>})
    -> (tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>},
        tensor<4x6xi32> {pctl.layout = #all, pctl.global_type = tensor<4x6xi32>}) {
  %o = tensor.empty() : tensor<4x6xi32>
  %0 = pctl.all_reduce ins(%a : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  %1 = func.call @effects(%0) : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %n = arith.addi %a, %a : tensor<4x6xi32>
  %2 = pctl.all_reduce ins(%n : tensor<4x6xi32>) outs(%o : tensor<4x6xi32>) kind = sum axes = ["x"] on @m -> tensor<4x6xi32>
  return %1, %2 : tensor<4x6xi32>, tensor<4x6xi32>
}
}
