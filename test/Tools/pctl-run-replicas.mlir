// Ranks that a layout says hold the same must do so: no one of them speaks for all.
//
// RUN: not pctl-run %s --entry differ --outputs %t.none 2>&1 | FileCheck %s --implicit-check-not={{.}}
// RUN: test ! -e %t.none/result0.npy
// RUN: pctl-run %s --entry agree --outputs %t.out > /dev/null
// RUN: test -e %t.out/result0.npy

// CHECK: {{^}}pctl-run: error: result 0: ranks 0 and 1 differ in block [0:2], of which the layout, [{}], says that they hold replicas{{$}}

pctl.mesh @m <["x"=2]>

func.func @differ(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<2xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  %0 = pctl.manual (%x) in [#pctl.layout<@m, [{"x"}]>] out [#pctl.layout<@m, [{}]>] {
  ^bb0(%local: tensor<2xf32>):
    pctl.return %local : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @agree(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<2xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  %0 = pctl.manual (%x) in [#pctl.layout<@m, [{"x"}]>] out [#pctl.layout<@m, [{}]>] {
  ^bb0(%local: tensor<2xf32>):
    %out = tensor.empty() : tensor<2xf32>
    %sum = pctl.all_reduce ins(%local : tensor<2xf32>) outs(%out : tensor<2xf32>) kind = sum axes = ["x"] on @m -> tensor<2xf32>
    pctl.return %sum : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
