// RUN: pctl-opt %s -split-input-file \
// RUN:   --pctl-apply-strategy='mesh="data=2,model=4" layouts="0=[{data},{}]; 2 = [{?},{model:(2)2,?}];result1=[{},{model}];helper:0=[{model}]"' \
// RUN:   | FileCheck %s

// A mesh is declared, and every entry lands where it says; spaces don't count.
// CHECK: pctl.mesh @mesh <["data"=2, "model"=4]>

// CHECK:      func.func @main(
// CHECK-SAME:   %{{[^:]*}}: tensor<8x6xf32> {pctl.layout = #pctl.layout<@mesh, [{"data"}, {}]>},
// CHECK-SAME:   %{{[^:]*}}: i32,
// CHECK-SAME:   %{{[^:]*}}: tensor<3x8xf32> {pctl.layout = #pctl.layout<@mesh, [{?}, {"model":(2)2, ?}]>})
// CHECK-SAME:   -> (f32, tensor<3x8xf32> {pctl.layout = #pctl.layout<@mesh, [{}, {"model"}]>})
func.func @main(%x: tensor<8x6xf32>, %n: i32, %w: tensor<3x8xf32>)
    -> (f32, tensor<3x8xf32>) {
  %0 = arith.constant 0.0 : f32
  return %0, %w : f32, tensor<3x8xf32>
}

// CHECK: func.func private @helper(%{{[^:]*}}: tensor<4xf32> {pctl.layout = #pctl.layout<@mesh, [{"model"}]>})
func.func private @helper(%x: tensor<4xf32>) {
  return
}

// -----

// An equal mesh is there already and is used, by its name; so is an equal
// layout. `main` is the default where several functions are public.
// CHECK:      pctl.mesh @m <["data"=2, "model"=4]>
// CHECK-NOT:  pctl.mesh
// CHECK:      func.func @main(
// CHECK-SAME:   {pctl.layout = #pctl.layout<@m, [{"data"}, {}]>}
pctl.mesh @m <["data"=2, "model"=4]>
func.func @main(
    %x: tensor<8x6xf32> {pctl.layout = #pctl.layout<@m, [{"data"}, {}]>},
    %n: i32, %w: tensor<3x8xf32>) -> (f32, tensor<3x8xf32>) {
  %0 = arith.constant 0.0 : f32
  return %0, %w : f32, tensor<3x8xf32>
}
func.func @other() { return }
func.func @helper(%x: tensor<4xf32>) {
  return
}

// -----

// A symbol called so is no reason to fail.
// CHECK: pctl.mesh @[[MESH:mesh_[0-9]+]] <["data"=2, "model"=4]>
// CHECK: #pctl.layout<@[[MESH]], [{"data"}, {}]>
func.func private @mesh()
func.func @main(%x: tensor<8x6xf32>, %n: i32, %w: tensor<3x8xf32>)
    -> (f32, tensor<3x8xf32>) {
  %0 = arith.constant 0.0 : f32
  return %0, %w : f32, tensor<3x8xf32>
}
func.func private @helper(%x: tensor<4xf32>) {
  return
}
