// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// mesh_c1
// expected-error @below {{'pctl.mesh' op axis 0 of the mesh has an empty name}}
pctl.mesh @empty_name <[""=2]>

// -----

// mesh_c1
// expected-error @below {{'pctl.mesh' op mesh has two axes named 'x'}}
pctl.mesh @repeated_name <["x"=2, "x"=3]>

// -----

// mesh_c1
// expected-error @below {{'pctl.mesh' op axis 'x' has size 0, it must be at least 1}}
pctl.mesh @zero_size <["x"=0]>

// -----

// mesh_c1
// expected-error @below {{'pctl.mesh' op axis 'y' (size 4294967296) takes the mesh beyond 2^63 - 1 ranks}}
pctl.mesh @too_many_ranks <["x"=4294967296, "y"=4294967296]>

// -----

// mesh_c2
// expected-error @below {{'pctl.mesh' op device list has 2 entries, mesh has 4 ranks}}
pctl.mesh @too_few_devices <["x"=4]> device_ids = [0, 1]

// -----

// mesh_c2
// expected-error @below {{'pctl.mesh' op device list holds -1 at position 1, devices are numbered from 0}}
pctl.mesh @negative_device <["x"=2]> device_ids = [0, -1]

// -----

// mesh_c2
// expected-error @below {{'pctl.mesh' op device 3 is listed twice, at positions 0 and 1}}
pctl.mesh @repeated_device <["x"=2]> device_ids = [3, 3]

// -----

func.func @axis_index_c1_no_mesh() -> index {
  // expected-error @below {{'pctl.axis_index' op no mesh 'm' is declared}}
  %0 = pctl.axis_index ["x"] on @m : index
  return %0 : index
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @axis_index_c1_no_axis() -> index {
  // expected-error @below {{'pctl.axis_index' op mesh has no axis 'y'; its axes are 'x' (size 2)}}
  %0 = pctl.axis_index ["y"] on @m : index
  return %0 : index
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @axis_index_c1_overlap() -> index {
  // expected-error @below {{'pctl.axis_index' op 'x:(1)2' and 'x' in layout are not separate factors of axis 'x' (size 4)}}
  %0 = pctl.axis_index ["x":(1)2, "x"] on @m : index
  return %0 : index
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @block_range_c1() -> index {
  // expected-error @below {{'pctl.block_range' op mesh has no axis 'y'; its axes are 'x' (size 2)}}
  %0, %1 = pctl.block_range 6 by ["y"] on @m : index, index
  return %0 : index
}

// -----

pctl.mesh @m <["x"=2]>
func.func @block_range_c2() -> index {
  // expected-error @below {{'pctl.block_range' op dim 0 has size -6, it must be at least 0}}
  %0, %1 = pctl.block_range -6 by ["x"] on @m : index, index
  return %0 : index
}

// -----

pctl.mesh @m <["x"=2]>
func.func @block_range_c3_sum() -> index {
  // expected-error @below {{'pctl.block_range' op explicit block sizes of dim 0 sum to 5, its size is 6}}
  %0, %1 = pctl.block_range 6 by ["x"] sizes = [1, 4] on @m : index, index
  return %0 : index
}

// -----

pctl.mesh @m <["x"=2]>
func.func @block_range_c3_count() -> index {
  // expected-error @below {{'pctl.block_range' op dim 0 has 1 explicit block sizes, its axes have 2 positions}}
  %0, %1 = pctl.block_range 6 by ["x"] sizes = [6] on @m : index, index
  return %0 : index
}
