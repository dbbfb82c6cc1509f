// RUN: pctl-opt %s -split-input-file -verify-diagnostics

pctl.mesh @m <["x"=4]>
func.func @all_gather_c4_dim(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op dim is 1, input has 1 dims}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 1 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_gather_c4_number_of_dims(%x: tensor<2xf32>, %o: tensor<8x1xf32>) {
  // expected-error @below {{'pctl.all_gather' op output has 2 dims, input has 1}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8x1xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x1xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_gather_c5(%x: tensor<2xf32>, %o: tensor<6xf32>) {
  // expected-error @below {{'pctl.all_gather' op dim 0 of the output is 6, expected 8}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<6xf32>) dim = 0 axes = ["x"] on @m -> tensor<6xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_gather_c5_overflow(%x: tensor<4611686018427387904xi8>, %o: tensor<?xi8>) {
  // expected-error @below {{'pctl.all_gather' op dim of size 4611686018427387904 from each of 4 ranks is beyond 64 bits}}
  %0 = pctl.all_gather ins(%x : tensor<4611686018427387904xi8>) outs(%o : tensor<?xi8>) dim = 0 axes = ["x"] on @m -> tensor<?xi8>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_gather_c6(%x: memref<2x3xf32>, %o: memref<8x2xf32>) {
  // expected-error @below {{'pctl.all_gather' op dim 1 of the output is 2, expected 3}}
  pctl.all_gather ins(%x : memref<2x3xf32>) outs(%o : memref<8x2xf32>) dim = 0 axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_slice_c4_dim(%x: tensor<8xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.all_slice' op dim is -1, input has 1 dims}}
  %0 = pctl.all_slice ins(%x : tensor<8xf32>) outs(%o : tensor<2xf32>) dim = -1 axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_slice_c4_dynamic(%x: tensor<?xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.all_slice' op dim 0 of the input is dynamic, expected a static size}}
  %0 = pctl.all_slice ins(%x : tensor<?xf32>) outs(%o : tensor<2xf32>) dim = 0 axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_slice_c5_even(%x: tensor<8xf32>, %o: tensor<?xf32>) {
  // expected-error @below {{'pctl.all_slice' op dim 0 of the output must be 2, one block of 8}}
  %0 = pctl.all_slice ins(%x : tensor<8xf32>) outs(%o : tensor<?xf32>) dim = 0 axes = ["x"] on @m -> tensor<?xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_slice_c5_uneven(%x: tensor<6xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.all_slice' op dim 0 of the output must be dynamic, as the blocks of 6 differ between ranks}}
  %0 = pctl.all_slice ins(%x : tensor<6xf32>) outs(%o : tensor<2xf32>) dim = 0 axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_slice_c6(%x: tensor<8x3xf32>, %o: tensor<2x2xf32>) {
  // expected-error @below {{'pctl.all_slice' op dim 1 of the output is 2, expected 3}}
  %0 = pctl.all_slice ins(%x : tensor<8x3xf32>) outs(%o : tensor<2x2xf32>) dim = 0 axes = ["x"] on @m -> tensor<2x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_reduce_c4(%x: tensor<8xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.all_reduce' op dim 0 of the output is 2, expected 8}}
  %0 = pctl.all_reduce ins(%x : tensor<8xf32>) outs(%o : tensor<2xf32>) kind = sum axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_reduce_c5_integer_kind(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_reduce' op kind maxsi is not one for elements of type 'f32'}}
  %0 = pctl.all_reduce ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) kind = maxsi axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_reduce_c5_float_kind(%x: tensor<8xi32>, %o: tensor<8xi32>) {
  // expected-error @below {{'pctl.all_reduce' op kind minnumf is not one for elements of type 'i32'}}
  %0 = pctl.all_reduce ins(%x : tensor<8xi32>) outs(%o : tensor<8xi32>) kind = minnumf axes = ["x"] on @m -> tensor<8xi32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_reduce_unknown_kind(%x: tensor<8xi32>, %o: tensor<8xi32>) {
  // expected-error @below {{custom op 'pctl.all_reduce' unknown reduction kind 'avg', expected sum, product, maxsi, maxui, maximumf, maxnumf, minsi, minui, minimumf, minnumf, and, or or xor}}
  %0 = pctl.all_reduce ins(%x : tensor<8xi32>) outs(%o : tensor<8xi32>) kind = avg axes = ["x"] on @m -> tensor<8xi32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @reduce_scatter_c4(%x: tensor<8xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.reduce_scatter' op dim is 1, input has 1 dims}}
  %0 = pctl.reduce_scatter ins(%x : tensor<8xf32>) outs(%o : tensor<2xf32>) kind = sum dim = 1 axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @reduce_scatter_c5_uneven(%x: tensor<6xf32>, %o: tensor<?xf32>) {
  // expected-error @below {{'pctl.reduce_scatter' op dim of size 6 is not a multiple of the group of 4 ranks}}
  %0 = pctl.reduce_scatter ins(%x : tensor<6xf32>) outs(%o : tensor<?xf32>) kind = sum dim = 0 axes = ["x"] on @m -> tensor<?xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @reduce_scatter_c5_size(%x: tensor<8xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.reduce_scatter' op dim 0 of the output is 4, expected 2}}
  %0 = pctl.reduce_scatter ins(%x : tensor<8xf32>) outs(%o : tensor<4xf32>) kind = sum dim = 0 axes = ["x"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @reduce_scatter_c6(%x: tensor<8x3xf32>, %o: tensor<2x4xf32>) {
  // expected-error @below {{'pctl.reduce_scatter' op dim 1 of the output is 4, expected 3}}
  %0 = pctl.reduce_scatter ins(%x : tensor<8x3xf32>) outs(%o : tensor<2x4xf32>) kind = sum dim = 0 axes = ["x"] on @m -> tensor<2x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @reduce_scatter_c7(%x: tensor<8xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.reduce_scatter' op kind xor is not one for elements of type 'f32'}}
  %0 = pctl.reduce_scatter ins(%x : tensor<8xf32>) outs(%o : tensor<2xf32>) kind = xor dim = 0 axes = ["x"] on @m -> tensor<2xf32>
  return
}
