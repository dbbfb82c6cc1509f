// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// The labels layout_attr_c1 to c6 are those of #pctl.layout, tested on pctl.shard.

// layout_c1
// expected-error @below {{'pctl.layout' op no mesh 'm' is declared}}
pctl.layout @no_mesh <@m, [{"x"}]>

// -----

// layout_c1
// expected-note @below {{declared here}}
func.func private @f()
// expected-error @below {{'pctl.layout' op symbol 'f' is no mesh but a 'func.func'}}
pctl.layout @mesh_is_a_function <@f, [{"x"}]>

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
// layout_c1
// expected-error @below {{'pctl.layout' op mesh has no axis 'y'; its axes are 'x' (size 4)}}
pctl.layout @unknown_axis <@m, [{"y"}]>

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
// layout_c1
// expected-error @below {{'pctl.layout' op axis 'x' (size 4) is used twice in layout}}
pctl.layout @axis_twice <@m, [{"x"}, {"x"}]>

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4, "y"=2]>
func.func @layout_attr_c2_number_of_dims(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op layout has 2 dims, tensor has rank 1}}
  %0 = pctl.shard %x to <@m, [{"x"}, {"y"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c2_dim_of_scalar_tensor(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'pctl.shard' op layout has 1 dims, tensor has rank 0}}
  %0 = pctl.shard %x to <@m, [{}]> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c3_unknown_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op mesh has no axis 'z'; its axes are 'x' (size 4)}}
  %0 = pctl.shard %x to <@m, [{"z"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c3_sub_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op sub-axis 'x:(1)3' does not divide axis 'x' (size 4)}}
  %0 = pctl.shard %x to <@m, [{"x":(1)3}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c4_axis_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op axis 'x' (size 4) is used twice in layout}}
  %0 = pctl.shard %x to <@m, [{"x"}], partial = [sum("x")]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c4_overlapping_sub_axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op 'x' and 'x:(1)2' in layout are not separate factors of axis 'x' (size 4)}}
  %0 = pctl.shard %x to <@m, [{"x", "x":(1)2}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @layout_attr_c5_dynamic_dim(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'pctl.shard' op dim 0 is cut by 'x', so its size must be known}}
  %0 = pctl.shard %x to <@m, [{"x"}]> : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @layout_attr_c6_number_of_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op dim 0 has 1 explicit block sizes, its axes have 2 positions}}
  %0 = pctl.shard %x to <@m, [{"x"}:[4]]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @layout_attr_c6_sum_of_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op explicit block sizes of dim 0 sum to 3, its size is 4}}
  %0 = pctl.shard %x to <@m, [{"x"}:[1, 2]]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @layout_attr_c6_negative_block(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op explicit block 0 of dim 0 has size -1, it must be at least 0}}
  %0 = pctl.shard %x to <@m, [{"x"}:[-1, 5]]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @layout_attr_c6_open_dim_with_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op dim 0 is open, only a closed dim may have explicit block sizes}}
  %0 = pctl.shard %x to <@m, [{"x", ?}:[1, 3]]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @layout_attr_c1_no_layout(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op no layout 'row' is declared}}
  %0 = pctl.shard %x to @row : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{declared here}}
pctl.mesh @m <["x"=2]>
func.func @layout_attr_c1_no_layout_but_a_mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op symbol 'm' is no layout but a 'pctl.mesh'}}
  %0 = pctl.shard %x to @m : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @layout_attr_c1_no_mesh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pctl.shard' op no mesh 'm' is declared}}
  %0 = pctl.shard %x to <@m, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shard_of_unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @below {{custom op 'pctl.shard' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = pctl.shard %x to <@m, []> : tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @shard_with_full_attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'pctl.shard' write this layout as '<@mesh, [...]>', without '#pctl.layout'}}
  %0 = pctl.shard %x to #pctl.layout<@m, [{"x"}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
