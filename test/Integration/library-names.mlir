// Functions of a program may have any name: the libraries that its code is
// linked with keep theirs.

// RUN: rm -rf %t && split-file %s %t
// RUN: pctl-run %t/private.mlir --outputs %t/private
// RUN: od -An -td4 -j128 %t/private/result0.npy | FileCheck %s --check-prefix=PRIVATE
// RUN: pctl-run %t/entry.mlir --verify --entry tanhf --outputs %t/entry | FileCheck %s --check-prefix=ENTRY
// RUN: od -An -td4 -j128 %t/entry/result0.npy | FileCheck %s --check-prefix=PRIVATE
// RUN: not pctl-run %t/declared.mlir 2>&1 | FileCheck %s --check-prefix=DECLARED

// tanh(0) is 0 and not what @tanhf gives; memory comes from the runtime.
// PRIVATE: {{^}} 0 5{{$}}

// ENTRY: program {{.*}}, function 'tanhf'
// ENTRY: verified

// DECLARED: declared.mlir:2:1: error: function 'exit' is called, but has no body; a run knows only the functions of the program{{$}}
// DECLARED: {{^}}pctl-run: error: the program was not compiled{{$}}

//--- private.mlir
pctl.mesh @m <["x"=2]>
func.func private @tanhf(%x: f32) -> f32 {
  %five = arith.constant 5.0 : f32
  return %five : f32
}
func.func private @malloc(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @free(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @free(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @memcpy(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}
func.func @main() -> tensor<2xi32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %doubled = call @malloc(%zero) : (tensor<2xf32>) -> tensor<2xf32>
  %tanh = math.tanh %doubled : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.extract %tanh[%c0] : tensor<2xf32>
  %own = call @tanhf(%first) : (f32) -> f32
  %floats = tensor.insert %own into %tanh[%c1] : tensor<2xf32>
  %integers = arith.fptosi %floats : tensor<2xf32> to tensor<2xi32>
  %r = call @memcpy(%integers) : (tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
//--- entry.mlir
pctl.mesh @m <["x"=2]>
func.func @tanhf(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) -> tensor<2xi32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %tanh = math.tanh %zero : tensor<2xf32>
  %integers = arith.fptosi %tanh : tensor<2xf32> to tensor<2xi32>
  %five = arith.constant dense<[0, 5]> : tensor<2xi32>
  %r = arith.addi %integers, %five : tensor<2xi32>
  %t = math.tanh %x : tensor<4xf32>
  return %r : tensor<2xi32>
}
func.func @main() { return }
//--- declared.mlir
pctl.mesh @m <["x"=2]>
func.func private @exit(i32)
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c3 = arith.constant 3 : i32
  call @exit(%c3) : (i32) -> ()
  return %x : tensor<2xf32>
}
