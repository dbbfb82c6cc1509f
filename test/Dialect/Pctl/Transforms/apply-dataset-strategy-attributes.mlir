// RUN: pctl-opt %s --pctl-apply-dataset-strategy -split-input-file -verify-diagnostics | FileCheck %s
// RUN: pctl-opt %S/Inputs/not-full-batch.mlir --pctl-apply-dataset-strategy=if-asked=true | FileCheck %s --check-prefix=UNASKED

// To say that the batch is not full asks for nothing.
// UNASKED: func.func @main(%{{.*}}: tensor<8x6xf32>)

// CHECK-LABEL: @cuts
// CHECK-SAME: #pctl.layout<@m, [{"a"}, {}]>
module attributes {pctl.dataset_strategy = [[4, 1]]} {
  pctl.mesh @m <["a"=4]>
  func.func @cuts(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// CHECK-LABEL: @dense_cuts
// CHECK-SAME: #pctl.layout<@m, [{"a":(2)2}, {}]>
module attributes {pctl.dataset_strategy = [array<i64: 2, 1>]} {
  pctl.mesh @m <["a"=4]>
  func.func @dense_cuts(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// CHECK-LABEL: @layouts
// CHECK-SAME: #pctl.layout<@m, [{}, {"a"}]>
module attributes {pctl.dataset_strategy = [#pctl.layout<@m, [{}, {"a"}]>]} {
  pctl.mesh @m <["a"=4]>
  func.func @layouts(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// CHECK-LABEL: @full_batch
// CHECK-SAME: #pctl.layout<@m, [{}, {}]>
module attributes {pctl.full_batch = true} {
  pctl.mesh @m <["a"=4]>
  func.func @full_batch(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// CHECK-LABEL: @full_batch_by_name
// CHECK-SAME: #pctl.layout<@m, [{}, {}]>
module attributes {pctl.full_batch = true, pctl.dataset_strategy = "full_batch"} {
  pctl.mesh @m <["a"=4]>
  func.func @full_batch_by_name(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// expected-error@+1 {{module says 'pctl.full_batch', but the dataset strategy is another, expected one of them}}
module attributes {pctl.full_batch = true, pctl.dataset_strategy = [[4, 1]]} {
  pctl.mesh @m <["a"=4]>
  func.func @main(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

module {
  pctl.mesh @m <["a"=4]>
  // expected-error@+1 {{'func.func' op has no data input, expected arguments with 'pctl.data' or the option 'data-args'}}
  func.func @main(%x: tensor<8x6xf32>) { return }
}

// -----

module {
  // expected-error@+1 {{'pctl.mesh' op has an axis 'interleaved_parallel', which a dataset strategy can't have}}
  pctl.mesh @m <["a"=4, "interleaved_parallel"=2]>
  func.func @main(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

module {
  pctl.mesh @m <["a"=4]>
  // expected-error@+1 {{'func.func' op argument #0 is to be laid out as #pctl.layout<@m, [{"a"}, {}]>, but is annotated as #pctl.layout<@m, [{}, {"a"}]>}}
  func.func @main(%x: tensor<8x6xf32> {pctl.data, pctl.layout = #pctl.layout<@m, [{}, {"a"}]>}) { return }
}

// -----

module {
  pctl.mesh @m <["a"=4]>
  // expected-error@+1 {{'func.func' op data input #0 is of type 'tensor<*xf32>', expected a ranked tensor}}
  func.func @main(%x: tensor<*xf32> {pctl.data}) { return }
}

// -----

// expected-error@+1 {{module declares several meshes, and nothing says which one is meant}}
module {
  // expected-note@+1 {{mesh declared here}}
  pctl.mesh @m <["a"=4]>
  // expected-note@+1 {{mesh declared here}}
  pctl.mesh @n <["a"=2]>
  func.func @main(%x: tensor<8x6xf32> {pctl.data}) { return }
}

// -----

// expected-error@+1 {{module has 2 public functions and none of them is 'main', so name the one that is meant}}
module {
  pctl.mesh @m <["a"=4]>
  func.func @f(%x: tensor<8x6xf32> {pctl.data}) { return }
  func.func @g(%x: tensor<8x6xf32> {pctl.data}) { return }
}
