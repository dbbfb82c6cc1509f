// RUN: pctl-opt %s --pctl-apply-dataset-strategy | FileCheck %s --check-prefix=PARALLEL
// RUN: pctl-opt %s --pctl-apply-dataset-strategy='strategy=full_batch' | FileCheck %s --check-prefix=FULL
// RUN: pctl-opt %s --pctl-apply-dataset-strategy='strategy="((2,2),(4,),())"' | FileCheck %s --check-prefix=CUTS
// RUN: pctl-opt %s --pctl-apply-dataset-strategy='strategy="[{a},{b}];[{b:(1)2}] ; []"' | FileCheck %s --check-prefix=LAYOUTS
// RUN: pctl-opt %s --pctl-apply-dataset-strategy='strategy="((8,1))" data-args=2' | FileCheck %s --check-prefix=ARGS

pctl.mesh @m <["a"=2, "b"=4]>

// PARALLEL:      %{{[^:]*}}: tensor<16x4xf32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>}
// PARALLEL-SAME: %{{[^:]*}}: tensor<16xi32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"a", "b"}]>}
// PARALLEL-SAME: %{{[^:]*}}: tensor<4x4xf32>,
// PARALLEL-SAME: %{{[^:]*}}: tensor<f32> {pctl.data, pctl.layout = #pctl.layout<@m, []>})

// FULL:      tensor<16x4xf32> {pctl.data, pctl.layout = #pctl.layout<@m, [{}, {}]>}
// FULL-SAME: tensor<16xi32> {pctl.data, pctl.layout = #pctl.layout<@m, [{}]>}

// What is left of the ranks is the major part of their number: of 8 ranks, 4
// ways are the last 4, all on b.
// CUTS:      tensor<16x4xf32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"b":(1)2}, {"b":(2)2}]>}
// CUTS-SAME: tensor<16xi32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"b"}]>}

// LAYOUTS:      tensor<16x4xf32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"a"}, {"b"}]>}
// LAYOUTS-SAME: tensor<16xi32> {pctl.data, pctl.layout = #pctl.layout<@m, [{"b":(1)2}]>}

// ARGS:      tensor<16x4xf32> {pctl.data},
// ARGS-SAME: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"a", "b"}, {}]>}
func.func @main(%x: tensor<16x4xf32> {pctl.data}, %y: tensor<16xi32> {pctl.data},
                %w: tensor<4x4xf32>, %s: tensor<f32> {pctl.data}) {
  return
}
