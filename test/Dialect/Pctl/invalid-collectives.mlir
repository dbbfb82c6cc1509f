// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// The labels collective_c1 to c3 are C1 to C3 of every collective.

pctl.mesh @m <["x"=4]>
func.func @collective_c1_tensor_and_memref(%x: tensor<2xf32>, %o: memref<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op input is 'tensor<2xf32>', output is 'memref<8xf32>', expected two tensors or two memrefs}}
  pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : memref<8xf32>) dim = 0 axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c1_memref_and_tensor(%x: memref<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op input is 'memref<2xf32>', output is 'tensor<8xf32>', expected two tensors or two memrefs}}
  %0 = pctl.all_gather ins(%x : memref<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c1_no_result(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c1_result_of_memref(%x: memref<2xf32>, %o: memref<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = pctl.all_gather ins(%x : memref<2xf32>) outs(%o : memref<8xf32>) dim = 0 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c1_type_of_result(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op expected type of operand #1 ('tensor<8xf32>') to match type of corresponding result ('tensor<?xf32>')}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["x"] on @m -> tensor<?xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c1_scalar(%x: f32, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op operand #0 must be ranked tensor or memref, but got 'f32'}}
  %0 = pctl.all_gather ins(%x : f32) outs(%o : tensor<8xf32>) dim = 0 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @collective_c2(%x: tensor<2xf32>, %o: tensor<8xf16>) {
  // expected-error @below {{'pctl.all_gather' op failed to verify that all of {input, output} have same element type}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf16>) dim = 0 axes = ["x"] on @m -> tensor<8xf16>
  return
}

// -----

func.func @collective_c3_no_mesh(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op no mesh 'm' is declared}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @collective_c3_no_axis(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op mesh has no axis 'y'; its axes are 'x' (size 4)}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["y"] on @m -> tensor<8xf32>
  return
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @collective_c3_axis_twice(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.all_gather' op axis 'x' (size 4) is used twice in layout}}
  %0 = pctl.all_gather ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) dim = 0 axes = ["x", "x"] on @m -> tensor<8xf32>
  return
}
