// What --layout and --data-args name by number alone is of the function that
// --entry names.
// RUN: pctl-run %s --mesh d=2 --entry g --layout '0=[{d},{}]' --verify | FileCheck %s --check-prefix=LAYOUT
// RUN: pctl-run %s --mesh d=2 --entry g --layout 'g:0=[{d},{}]' --verify | FileCheck %s --check-prefix=LAYOUT
// RUN: pctl-run %s --mesh d=2 --entry g --dataset-strategy data_parallel --data-args 0 --verify | FileCheck %s --check-prefix=LAYOUT
// RUN: pctl-run %s --mesh d=2 --layout '0=[{d},{}]' --verify | FileCheck %s --check-prefix=MAIN
// RUN: not pctl-opt %s --pctl-apply-strategy='mesh=d=2 layouts=0=[{d}] entry=k' 2>&1 | FileCheck %s --check-prefix=NONE

// LAYOUT: {{^}}argument 0   4x3xf32 [{d},{}]{{$}}
// LAYOUT: {{^}}verified{{$}}
// MAIN: {{^}}argument 0   2x2xf32 [{d},{}]{{$}}
// NONE: error: entry is to be 'k', but the module has no function of that name

func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  return %x : tensor<2x2xf32>
}
func.func @g(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = math.tanh %x : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Where blocks are uneven ranks differ in what they receive.
// RUN: pctl-run %s --mesh d=3,m=2 --entry h --layout '0=[{d},{m}]' --layout '1=[{m},{}]' | FileCheck %s --check-prefix=UNEVEN
// RUN: pctl-run %s --mesh d=3,m=2 --entry h --layout '0=[{d},{m}]' --layout '1=[{m},{}]' --json | FileCheck %s --check-prefix=JSON
// UNEVEN: {{^}}plan         all_reduce over m of ?x2xf32{{$}}
// UNEVEN: {{^}}bytes        differ between ranks, as blocks do; --trace tells{{$}}
// JSON: "received_bytes": null
// JSON: {{^}}  "received_bytes": null
func.func @h(%x: tensor<5x4xf32>, %w: tensor<4x2xf32>) -> tensor<5x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<5x2xf32>) -> tensor<5x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<5x4xf32>, tensor<4x2xf32>) outs(%i : tensor<5x2xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
