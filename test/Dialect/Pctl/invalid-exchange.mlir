// RUN: pctl-opt %s -split-input-file -verify-diagnostics

pctl.mesh @m <["x"=4]>
func.func @all_to_all_c4_split_dim(%x: tensor<8x2xf32>, %o: tensor<2x8xf32>) {
  // expected-error @below {{'pctl.all_to_all' op split_dim is 2, input has 2 dims}}
  %0 = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%o : tensor<2x8xf32>) split_dim = 2 concat_dim = 1 axes = ["x"] on @m -> tensor<2x8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_to_all_c4_concat_dim(%x: tensor<8x2xf32>, %o: tensor<2x8xf32>) {
  // expected-error @below {{'pctl.all_to_all' op concat_dim is -1, input has 2 dims}}
  %0 = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%o : tensor<2x8xf32>) split_dim = 0 concat_dim = -1 axes = ["x"] on @m -> tensor<2x8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_to_all_c5(%x: tensor<6x2xf32>, %o: tensor<?x8xf32>) {
  // expected-error @below {{'pctl.all_to_all' op dim of size 6 is not a multiple of the group of 4 ranks}}
  %0 = pctl.all_to_all ins(%x : tensor<6x2xf32>) outs(%o : tensor<?x8xf32>) split_dim = 0 concat_dim = 1 axes = ["x"] on @m -> tensor<?x8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_to_all_c6(%x: tensor<8x2xf32>, %o: tensor<2x6xf32>) {
  // expected-error @below {{'pctl.all_to_all' op dim 1 of the output is 6, expected 8}}
  %0 = pctl.all_to_all ins(%x : tensor<8x2xf32>) outs(%o : tensor<2x6xf32>) split_dim = 0 concat_dim = 1 axes = ["x"] on @m -> tensor<2x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @all_to_all_c6_same_dim(%x: tensor<8xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.all_to_all' op dim 0 of the output is 2, expected 8}}
  %0 = pctl.all_to_all ins(%x : tensor<8xf32>) outs(%o : tensor<2xf32>) split_dim = 0 concat_dim = 0 axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @permute_c4(%x: tensor<8xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.permute' op dim 0 of the output is 4, expected 8}}
  %0 = pctl.permute ins(%x : tensor<8xf32>) outs(%o : tensor<4xf32>) pairs = [[0, 1]] axes = ["x"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @permute_c5(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.permute' op position 4 is not in the group of 4 ranks}}
  %0 = pctl.permute ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) pairs = [[0, 4]] axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @permute_c6_source(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.permute' op position 0 is a source twice}}
  %0 = pctl.permute ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) pairs = [[0, 1], [0, 2]] axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @permute_c6_destination(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.permute' op position 1 is a destination twice}}
  %0 = pctl.permute ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) pairs = [[0, 1], [2, 1]] axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @permute_odd_in_generic_form(%x: tensor<8xf32>) {
  // expected-error @below {{'pctl.permute' op pairs hold an odd number of positions}}
  %0 = "pctl.permute"(%x, %x) <{axes = [#pctl.axis<"x">], mesh = @m, pairs = array<i64: 0>}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @broadcast_c4(%x: tensor<8xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.broadcast' op dim 0 of the output is 4, expected 8}}
  %0 = pctl.broadcast ins(%x : tensor<8xf32>) outs(%o : tensor<4xf32>) root = 0 axes = ["x"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @broadcast_c5(%x: tensor<8xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.broadcast' op root 4 is not in the group of 4 ranks}}
  %0 = pctl.broadcast ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) root = 4 axes = ["x"] on @m -> tensor<8xf32>
  return
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=4]>
func.func @exchange_c4_layout(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op 'from': mesh has no axis 'y'; its axes are 'x' (size 4)}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"y"}, {}]> to <@m, [{}, {"x"}]> of tensor<8x8xf32> axes = ["x"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
pctl.mesh @n <["x"=4]>
func.func @exchange_c4_mesh(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op 'to' is on mesh 'n', the op on 'm'}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@n, [{}, {"x"}]> of tensor<8x8xf32> axes = ["x"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @exchange_c4_dynamic(%x: tensor<2x?xf32>, %o: tensor<8x?xf32>) {
  // expected-error @below {{'pctl.exchange' op global type is 'tensor<8x?xf32>', expected a static shape for listed transfers}}
  %0 = pctl.exchange ins(%x : tensor<2x?xf32>) outs(%o : tensor<8x?xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {}]> of tensor<8x?xf32> transfers = [0 -> 1 [0, 0] [2, 1]] axes = ["x"] on @m -> tensor<8x?xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @exchange_c5_input(%x: tensor<8x2xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op input is 'tensor<8x2xf32>', expected the shape and elements of 'tensor<2x8xf32>'}}
  %0 = pctl.exchange ins(%x : tensor<8x2xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> of tensor<8x8xf32> axes = ["x"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @exchange_c5_output(%x: memref<2x8xf32>, %o: memref<2x8xf32>) {
  // expected-error @below {{'pctl.exchange' op output is 'memref<2x8xf32>', expected the shape and elements of 'tensor<8x2xf32>'}}
  pctl.exchange ins(%x : memref<2x8xf32>) outs(%o : memref<2x8xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> of tensor<8x8xf32> axes = ["x"] on @m
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c6_reduces(%x: tensor<2xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.exchange' op 'from' and 'to' differ in partial axes, which an exchange does not reduce}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<2xf32>) from <@m, [{"x"}], partial = [sum("y")]> to <@m, [{"x"}]> of tensor<8xf32> axes = ["x"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c6_mixes_contributions(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.exchange' op exchanges along axis 'y', along which the value is partial}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) from <@m, [{"x"}], partial = [sum("y")]> to <@m, [{}], partial = [sum("y")]> of tensor<8xf32> axes = ["x", "y"] on @m -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c7_other_axis(%x: tensor<2x8xf32>, %o: tensor<8x4xf32>) {
  // expected-error @below {{'pctl.exchange' op axes lack some of x, along which what ranks will hold is spread}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x4xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"y"}]> of tensor<8x8xf32> axes = ["y"] on @m -> tensor<8x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @exchange_c7_half_of_the_axis(%x: tensor<2xf32>, %o: tensor<8xf32>) {
  // expected-error @below {{'pctl.exchange' op axes lack some of x, along which what ranks will hold is spread}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<8xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<8xf32> axes = ["x":(2)2] on @m -> tensor<8xf32>
  return
}

// -----

// Over 4 positions 6 is 2, 2, 2, 0; over the first 2 of them 3, 3. Blocks do not
// nest: a rank with the second 3 lacks an element that ranks of the other half
// of x hold.
pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c7_uneven_blocks_do_not_nest(%x: tensor<?xf32>, %o: tensor<3xf32>) {
  // expected-error @below {{'pctl.exchange' op axes lack some of x,y, along which what ranks will hold is spread}}
  %0 = pctl.exchange ins(%x : tensor<?xf32>) outs(%o : tensor<3xf32>) from <@m, [{"x", "y"}]> to <@m, [{"x"}]> of tensor<6xf32> axes = ["y"] on @m -> tensor<3xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
pctl.mesh @n <["x"=4]>
func.func @exchange_c4_owners_mesh(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op 'owners' is on mesh 'n', the op on 'm'}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@n, [{"x"}, {}]> of tensor<8x8xf32> axes = ["x", "y"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c7_owners(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op axes lack some of x,y, along which what ranks will hold is spread}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{"x", "y"}, {}]> of tensor<8x8xf32> axes = ["x"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c8_other_blocks(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op dim 0 is cut by {x} before and by {y,x} among owners, not inside the blocks before}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{"y", "x"}, {}]> of tensor<8x8xf32> axes = ["x", "y"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c8_less(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op dim 0 is cut by {x} before and by {} among owners, not inside the blocks before}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{}, {"x"}]> of tensor<8x8xf32> axes = ["x", "y"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c8_partial(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op partial axes of owners are sum(y), those before are none}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{"x"}, {}], partial = [sum("y")]> of tensor<8x8xf32> axes = ["x"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c8_owners_and_transfers(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op has both owners and transfers, expected one of them to say who sends}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> owners <@m, [{"x"}, {}]> of tensor<8x8xf32> transfers = [0 -> 2 [0, 2] [2, 2]] axes = ["x", "y"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_none(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfers hold 0 numbers, expected 4 for each of one or more: source, target, offsets, sizes}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_dims(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfers hold 6 numbers, expected 4 for each of one or more: source, target, offsets, sizes}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 2 [0, 0] [2, 1]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_rank(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 0 -> 4: rank 4 is not one of the 4 of the mesh}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 4 [0] [2]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_same(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 2 -> 2: source and target are one rank}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [2 -> 2 [0] [2]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_axes(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 0 -> 3: source and target differ along other axes than {x}}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 3 [0] [2]] axes = ["x"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_empty(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 0 -> 2: [0:0] is no box of the tensor with elements in it}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 2 [0] [0]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_source(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 0 -> 2: the source holds [0:2], not [1:3]}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 2 [1] [2]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_target(%x: tensor<2xf32>, %o: tensor<2xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 2 -> 0: the target will hold [0:2], not [2:3]}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<2xf32>) from <@m, [{"x"}]> to <@m, [{"y"}]> of tensor<4xf32> transfers = [2 -> 0 [2] [1]] axes = ["x", "y"] on @m -> tensor<2xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c9_held(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfer 0 -> 1: the target holds [0:2], some of [0:2]}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 1 [0] [2]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c10_lacking(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op rank 1 lacks 2 elements, transfers bring it 1}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 2 [0] [2], 2 -> 0 [2] [2], 1 -> 3 [0] [2], 2 -> 1 [2] [1]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @exchange_c10_twice(%x: tensor<2xf32>, %o: tensor<4xf32>) {
  // expected-error @below {{'pctl.exchange' op transfers to rank 1: [2:4] and [3:4] have elements in common}}
  %0 = pctl.exchange ins(%x : tensor<2xf32>) outs(%o : tensor<4xf32>) from <@m, [{"x"}]> to <@m, [{}]> of tensor<4xf32> transfers = [0 -> 2 [0] [2], 2 -> 0 [2] [2], 1 -> 3 [0] [2], 2 -> 1 [2] [2], 3 -> 1 [3] [1]] axes = ["x", "y"] on @m -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=4, "y"=2]>
func.func @exchange_c11(%x: tensor<2x8xf32>, %o: tensor<8x2xf32>) {
  // expected-error @below {{'pctl.exchange' op has 0 rounds, expected at least 1}}
  %0 = pctl.exchange ins(%x : tensor<2x8xf32>) outs(%o : tensor<8x2xf32>) from <@m, [{"x"}, {}]> to <@m, [{}, {"x"}]> of tensor<8x8xf32> rounds = 0 axes = ["x", "y"] on @m -> tensor<8x2xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @halo_exchange_c4(%x: tensor<2x6xf32>, %o: tensor<4x6xf32>) {
  // expected-error @below {{'pctl.halo_exchange' op dim is 2, input has 2 dims}}
  %0 = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<4x6xf32>) dim = 2 before = 1 after = 1 axes = ["x"] on @m -> tensor<4x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @halo_exchange_c5(%x: tensor<2x6xf32>, %o: tensor<2x6xf32>) {
  // expected-error @below {{'pctl.halo_exchange' op takes -1 before and 1 after, expected at least 0}}
  %0 = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<2x6xf32>) dim = 0 before = -1 after = 1 axes = ["x"] on @m -> tensor<2x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @halo_exchange_c6(%x: tensor<2x6xf32>, %o: tensor<4x6xf32>) {
  // expected-error @below {{'pctl.halo_exchange' op dim 0 of the output is 4, expected 5}}
  %0 = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<4x6xf32>) dim = 0 before = 1 after = 2 axes = ["x"] on @m -> tensor<4x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @halo_exchange_c7(%x: tensor<2x6xf32>, %o: tensor<4x5xf32>) {
  // expected-error @below {{'pctl.halo_exchange' op dim 1 of the output is 5, expected 6}}
  %0 = pctl.halo_exchange ins(%x : tensor<2x6xf32>) outs(%o : tensor<4x5xf32>) dim = 0 before = 1 after = 1 axes = ["x"] on @m -> tensor<4x5xf32>
  return
}

// -----

pctl.mesh @m <["x"=4]>
func.func @halo_exchange_c6_overflow(%x: tensor<2xf32>, %o: tensor<?xf32>) {
  // expected-error @below {{'pctl.halo_exchange' op dim 0 with its halo is beyond 64 bits}}
  %0 = pctl.halo_exchange ins(%x : tensor<2xf32>) outs(%o : tensor<?xf32>) dim = 0 before = 9223372036854775807 after = 1 axes = ["x"] on @m -> tensor<?xf32>
  return
}
