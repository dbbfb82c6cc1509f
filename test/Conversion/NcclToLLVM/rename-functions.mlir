// RUN: pctl-opt %s --split-input-file --verify-diagnostics --pctl-rename-functions | FileCheck %s

// Names with a dot are nobody else's; of two that would be one, the second gets
// a number.

// CHECK-LABEL: func.func @main
// CHECK:         call @program.tanhf.0(
// CHECK:         call @program.layer(
// CHECK-LABEL: func.func private @program.tanhf.0(
// CHECK-LABEL: func.func private @program.layer(
// CHECK:         call @program.tanhf.0(
// CHECK-LABEL: func.func @program.tanhf(
func.func @main(%x: f32) -> f32 {
  %0 = call @tanhf(%x) : (f32) -> f32
  %1 = call @layer(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @tanhf(%x: f32) -> f32 { return %x : f32 }
func.func private @layer(%x: f32) -> f32 {
  %0 = call @tanhf(%x) : (f32) -> f32
  return %0 : f32
}
func.func @program.tanhf() { return }

// -----

// An entry keeps its name for callers; the maker of its communicators is found
// by it.

// CHECK-LABEL: func.func @program.malloc(
// CHECK-SAME:    attributes {nccl.entry = "malloc", nccl.signature = () -> ()}
func.func @malloc(%world: i32) attributes {nccl.signature = () -> ()} { return }
// CHECK-LABEL: func.func @malloc_comms(
func.func @malloc_comms(%world: i32) { return }

// -----

// CHECK: memref.global "private" constant @program.expf
// CHECK: memref.get_global @program.expf
memref.global "private" constant @expf : memref<2xf32> = dense<1.0>
func.func @main() -> memref<2xf32> {
  %0 = memref.get_global @expf : memref<2xf32>
  return %0 : memref<2xf32>
}

// -----

// What is only declared keeps its name, if it is used.

// CHECK-NOT: @free
// CHECK: func.func private @from_a_library()
func.func private @free()
func.func private @from_a_library()
func.func @main() {
  call @from_a_library() : () -> ()
  return
}

// -----

// expected-error @below {{function 'exit' is declared without a body, and its name is one of the runtime or of the C library, which a program cannot call}}
func.func private @exit(i32)
func.func @main(%x: i32) {
  call @exit(%x) : (i32) -> ()
  return
}
