// RUN: pctl-opt %s | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --mlir-print-op-generic | pctl-opt | FileCheck %s
// RUN: pctl-opt %s --emit-bytecode | pctl-opt | FileCheck %s

// CHECK-LABEL: func.func @communicators
func.func @communicators(%id: memref<128xi8>, %rank: i32, %size: i32) {
  // CHECK: nccl.get_unique_id %{{.*}} : memref<128xi8>
  nccl.get_unique_id %id : memref<128xi8>
  // CHECK: nccl.comm_init_rank %{{.*}} rank = %{{.*}} of %{{.*}} : memref<128xi8>
  %comm = nccl.comm_init_rank %id rank = %rank of %size : memref<128xi8>
  // CHECK: nccl.comm_split %{{.*}} color = %{{.*}} key = %{{.*}}
  %new = nccl.comm_split %comm color = %rank key = %size
  // CHECK: nccl.comm_count %{{.*}} : i32
  %count = nccl.comm_count %comm : i32
  // CHECK: nccl.comm_user_rank %{{.*}} : i32
  %number = nccl.comm_user_rank %comm : i32
  // CHECK: nccl.comm_finalize %{{.*}}
  nccl.comm_finalize %comm
  // CHECK: nccl.comm_destroy %{{.*}}
  nccl.comm_destroy %comm
  // CHECK: nccl.comm_abort %{{.*}}
  nccl.comm_abort %new
  return
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%part: memref<4xf32>, %whole: memref<4x4xf32>, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.all_reduce %{{.*}}, %{{.*}} kind = sum on %{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>
  nccl.all_reduce %part, %part kind = sum on %comm, %stream : memref<4xf32>, memref<4xf32>
  // CHECK: nccl.reduce %{{.*}}, %{{.*}} kind = max root = 0 on %{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>
  nccl.reduce %part, %part kind = max root = 0 on %comm, %stream : memref<4xf32>, memref<4xf32>
  // CHECK: nccl.broadcast %{{.*}}, %{{.*}} root = 1 on %{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>
  nccl.broadcast %part, %part root = 1 on %comm, %stream : memref<4xf32>, memref<4xf32>
  // CHECK: nccl.all_gather %{{.*}}, %{{.*}} on %{{.*}}, %{{.*}} : memref<4xf32>, memref<4x4xf32>
  nccl.all_gather %part, %whole on %comm, %stream : memref<4xf32>, memref<4x4xf32>
  // CHECK: nccl.reduce_scatter %{{.*}}, %{{.*}} kind = avg on %{{.*}}, %{{.*}} : memref<4x4xf32>, memref<4xf32>
  nccl.reduce_scatter %whole, %part kind = avg on %comm, %stream : memref<4x4xf32>, memref<4xf32>
  // CHECK: nccl.all_to_all %{{.*}}, %{{.*}} on %{{.*}}, %{{.*}} : memref<4x4xf32>, memref<4x4xf32>
  nccl.all_to_all %whole, %whole on %comm, %stream : memref<4x4xf32>, memref<4x4xf32>
  // CHECK: nccl.gather %{{.*}}, %{{.*}} root = 0 on %{{.*}}, %{{.*}} : memref<4xf32>, memref<4x4xf32>
  nccl.gather %part, %whole root = 0 on %comm, %stream : memref<4xf32>, memref<4x4xf32>
  // CHECK: nccl.scatter %{{.*}}, %{{.*}} root = 0 on %{{.*}}, %{{.*}} : memref<4x4xf32>, memref<4xf32>
  nccl.scatter %whole, %part root = 0 on %comm, %stream : memref<4x4xf32>, memref<4xf32>
  return
}

// CHECK-LABEL: func.func @point_to_point
func.func @point_to_point(%x: memref<4xf32>, %peer: i32, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.group_start{{$}}
  nccl.group_start
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<4xf32>
  nccl.send %x to %peer on %comm, %stream : memref<4xf32>
  // CHECK: nccl.recv %{{.*}} from %{{.*}} on %{{.*}}, %{{.*}} : memref<4xf32>
  nccl.recv %x from %peer on %comm, %stream : memref<4xf32>
  // CHECK: nccl.group_end{{$}}
  nccl.group_end
  return
}

// CHECK-LABEL: func.func @kinds
func.func @kinds(%x: memref<i64>, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.all_reduce %{{.*}}, %{{.*}} kind = prod on %{{.*}}, %{{.*}} : memref<i64>, memref<i64>
  nccl.all_reduce %x, %x kind = prod on %comm, %stream : memref<i64>, memref<i64>
  // CHECK: nccl.all_reduce %{{.*}}, %{{.*}} kind = min on %{{.*}}, %{{.*}} : memref<i64>, memref<i64>
  nccl.all_reduce %x, %x kind = min on %comm, %stream : memref<i64>, memref<i64>
  return
}

// CHECK-LABEL: func.func @unsigned_elements
func.func @unsigned_elements(%x: memref<4xi32>, %peer: i32, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.all_reduce %{{.*}}, %{{.*}} kind = max unsigned on %{{.*}}, %{{.*}} : memref<4xi32>, memref<4xi32>
  nccl.all_reduce %x, %x kind = max unsigned on %comm, %stream : memref<4xi32>, memref<4xi32>
  // CHECK: nccl.send %{{.*}} to %{{.*}} unsigned on %{{.*}}, %{{.*}} : memref<4xi32>
  nccl.send %x to %peer unsigned on %comm, %stream : memref<4xi32>
  return
}

// CHECK-LABEL: func.func @element_types
func.func @element_types(%a: memref<2xi8>, %b: memref<2xi32>, %c: memref<2xf16>, %d: memref<2xbf16>, %e: memref<2xf64>, %f: memref<2xf8E4M3FN>, %g: memref<2xf8E5M2>, %peer: i32, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xi8>
  nccl.send %a to %peer on %comm, %stream : memref<2xi8>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xi32>
  nccl.send %b to %peer on %comm, %stream : memref<2xi32>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xf16>
  nccl.send %c to %peer on %comm, %stream : memref<2xf16>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xbf16>
  nccl.send %d to %peer on %comm, %stream : memref<2xbf16>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xf64>
  nccl.send %e to %peer on %comm, %stream : memref<2xf64>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xf8E4M3FN>
  nccl.send %f to %peer on %comm, %stream : memref<2xf8E4M3FN>
  // CHECK: nccl.send %{{.*}} to %{{.*}} on %{{.*}}, %{{.*}} : memref<2xf8E5M2>
  nccl.send %g to %peer on %comm, %stream : memref<2xf8E5M2>
  return
}

// CHECK-LABEL: func.func @dynamic_and_empty_sizes
func.func @dynamic_and_empty_sizes(%x: memref<?x3xf32>, %y: memref<4xf32, 1>, %z: memref<0xf32>, %comm: !nccl.comm, %stream: !nccl.stream) {
  // CHECK: nccl.all_gather %{{.*}}, %{{.*}} on %{{.*}}, %{{.*}} : memref<?x3xf32>, memref<4xf32, 1>
  nccl.all_gather %x, %y on %comm, %stream : memref<?x3xf32>, memref<4xf32, 1>
  // CHECK: nccl.all_reduce %{{.*}}, %{{.*}} kind = sum on %{{.*}}, %{{.*}} : memref<?x3xf32>, memref<4xf32, 1>
  nccl.all_reduce %x, %y kind = sum on %comm, %stream : memref<?x3xf32>, memref<4xf32, 1>
  // CHECK: nccl.all_gather %{{.*}}, %{{.*}} on %{{.*}}, %{{.*}} : memref<0xf32>, memref<0xf32>
  nccl.all_gather %z, %z on %comm, %stream : memref<0xf32>, memref<0xf32>
  return
}
