// RUN: pctl-opt %s -split-input-file -verify-diagnostics

func.func @get_unique_id_c1(%id: memref<64xi8>) {
  // expected-error @below {{'nccl.get_unique_id' op operand #0 must be memref<128xi8>, but got 'memref<64xi8>'}}
  nccl.get_unique_id %id : memref<64xi8>
  return
}

// -----

func.func @comm_init_rank_c1(%id: memref<128xf32>, %i: i32) {
  // expected-error @below {{'nccl.comm_init_rank' op operand #0 must be memref<128xi8>, but got 'memref<128xf32>'}}
  %0 = nccl.comm_init_rank %id rank = %i of %i : memref<128xf32>
  return
}

// -----

func.func @all_reduce_c1_strided(%x: memref<4xf32, strided<[2]>>, %y: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op operand #0 must be contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, but got 'memref<4xf32, strided<[2]>>'}}
  nccl.all_reduce %x, %y kind = sum on %c, %s : memref<4xf32, strided<[2]>>, memref<4xf32>
  return
}

// -----

func.func @all_reduce_c1_element_type(%x: memref<4xi16>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op operand #0 must be contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, but got 'memref<4xi16>'}}
  nccl.all_reduce %x, %x kind = sum on %c, %s : memref<4xi16>, memref<4xi16>
  return
}

// -----

func.func @all_reduce_c1_bool(%x: memref<4xi1>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op operand #0 must be contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, but got 'memref<4xi1>'}}
  nccl.all_reduce %x, %x kind = max on %c, %s : memref<4xi1>, memref<4xi1>
  return
}

// -----

func.func @all_reduce_c2(%x: memref<4xf32>, %y: memref<4xi32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op failed to verify that all of {send, recv} have same element type}}
  nccl.all_reduce %x, %y kind = sum on %c, %s : memref<4xf32>, memref<4xi32>
  return
}

// -----

func.func @all_reduce_c3(%x: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op is unsigned, but elements are of type 'f32'}}
  nccl.all_reduce %x, %x kind = sum unsigned on %c, %s : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @all_reduce_c4(%x: memref<4xf32>, %y: memref<3xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_reduce' op sends 4 elements but receives 3, expected equal counts}}
  nccl.all_reduce %x, %y kind = sum on %c, %s : memref<4xf32>, memref<3xf32>
  return
}

// -----

func.func @all_reduce_of_tensor(%x: tensor<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{custom op 'nccl.all_reduce' invalid kind of type specified: expected builtin.memref, but found 'tensor<4xf32>'}}
  nccl.all_reduce %x, %x kind = sum on %c, %s : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @all_reduce_of_unknown_kind(%x: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{custom op 'nccl.all_reduce' expected string or keyword containing one of the following enum values for attribute 'kind' [sum, prod, max, min, avg]}}
  nccl.all_reduce %x, %x kind = xor on %c, %s : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @reduce_c4(%x: memref<4xf32>, %y: memref<2x3xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.reduce' op sends 4 elements but receives 6, expected equal counts}}
  nccl.reduce %x, %y kind = sum root = 0 on %c, %s : memref<4xf32>, memref<2x3xf32>
  return
}

// -----

func.func @reduce_c5(%x: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.reduce' op attribute 'root' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nccl.reduce %x, %x kind = sum root = -1 on %c, %s : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @broadcast_c4(%x: memref<4xf32>, %y: memref<8xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.broadcast' op sends 4 elements but receives 8, expected equal counts}}
  nccl.broadcast %x, %y root = 0 on %c, %s : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @broadcast_c5(%x: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.broadcast' op attribute 'root' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nccl.broadcast %x, %x root = -2 on %c, %s : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @all_gather_c4(%x: memref<4xf32>, %y: memref<6xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_gather' op has a buffer of 6 elements, expected a multiple of the 4 of the other}}
  nccl.all_gather %x, %y on %c, %s : memref<4xf32>, memref<6xf32>
  return
}

// -----

func.func @all_gather_c4_of_nothing(%x: memref<0xf32>, %y: memref<6xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_gather' op has a buffer of 6 elements, expected a multiple of the 0 of the other}}
  nccl.all_gather %x, %y on %c, %s : memref<0xf32>, memref<6xf32>
  return
}

// -----

func.func @reduce_scatter_c4(%x: memref<4xf32>, %y: memref<8xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.reduce_scatter' op has a buffer of 4 elements, expected a multiple of the 8 of the other}}
  nccl.reduce_scatter %x, %y kind = sum on %c, %s : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @all_to_all_c4(%x: memref<4xf32>, %y: memref<8xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.all_to_all' op sends 4 elements but receives 8, expected equal counts}}
  nccl.all_to_all %x, %y on %c, %s : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @gather_c4(%x: memref<4xf32>, %y: memref<2xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.gather' op has a buffer of 2 elements, expected a multiple of the 4 of the other}}
  nccl.gather %x, %y root = 0 on %c, %s : memref<4xf32>, memref<2xf32>
  return
}

// -----

func.func @gather_c5(%x: memref<4xf32>, %y: memref<8xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.gather' op attribute 'root' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nccl.gather %x, %y root = -1 on %c, %s : memref<4xf32>, memref<8xf32>
  return
}

// -----

func.func @scatter_c4(%x: memref<4xf32>, %y: memref<3xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.scatter' op has a buffer of 4 elements, expected a multiple of the 3 of the other}}
  nccl.scatter %x, %y root = 0 on %c, %s : memref<4xf32>, memref<3xf32>
  return
}

// -----

func.func @scatter_c5(%x: memref<8xf32>, %y: memref<4xf32>, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.scatter' op attribute 'root' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  nccl.scatter %x, %y root = -1 on %c, %s : memref<8xf32>, memref<4xf32>
  return
}

// -----

func.func @send_c1(%x: memref<4xindex>, %p: i32, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.send' op operand #0 must be contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, but got 'memref<4xindex>'}}
  nccl.send %x to %p on %c, %s : memref<4xindex>
  return
}

// -----

func.func @send_c2(%x: memref<4xf32>, %p: i32, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.send' op is unsigned, but elements are of type 'f32'}}
  nccl.send %x to %p unsigned on %c, %s : memref<4xf32>
  return
}

// -----

func.func @recv_c1(%x: memref<4x4xf32, strided<[8, 1]>>, %p: i32, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.recv' op operand #0 must be contiguous memref of i8, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, but got 'memref<4x4xf32, strided<[8, 1]>>'}}
  nccl.recv %x from %p on %c, %s : memref<4x4xf32, strided<[8, 1]>>
  return
}

// -----

func.func @recv_c2(%x: memref<4xbf16>, %p: i32, %c: !nccl.comm, %s: !nccl.stream) {
  // expected-error @below {{'nccl.recv' op is unsigned, but elements are of type 'bf16'}}
  nccl.recv %x from %p unsigned on %c, %s : memref<4xbf16>
  return
}
