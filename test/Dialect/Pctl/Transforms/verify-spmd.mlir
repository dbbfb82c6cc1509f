// What pctl-verify-spmd accepts: control flow and sizes that are the same along
// the axes of the collectives, though they may differ along others.
//
// RUN: pctl-opt %s -split-input-file -allow-unregistered-dialect --pctl-verify-spmd | FileCheck %s

// CHECK-LABEL: @whole_groups_take_one_way
pctl.mesh @m <["x"=2, "y"=2]>
func.func @whole_groups_take_one_way(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = pctl.axis_index ["x"] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %first -> (tensor<4xf32>) {
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["y"] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @one_factor_decides_about_another
pctl.mesh @m <["x"=4]>
func.func @one_factor_decides_about_another(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = pctl.axis_index ["x":(1)2] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %first -> (tensor<4xf32>) {
    %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x":(2)2] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A loop until a norm is small: each rank has the reduced norm.

// CHECK-LABEL: @while_on_a_reduced_value
pctl.mesh @m <["x"=2]>
func.func @while_on_a_reduced_value(
    %x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<8xf32>}) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %small = arith.constant 1.0 : f32
  %r:2 = scf.while (%v = %x, %n = %small) : (tensor<4xf32>, f32) -> (tensor<4xf32>, f32) {
    %part = linalg.reduce { arith.addf } ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %e = tensor.empty() : tensor<f32>
    %sum = pctl.all_reduce ins(%part : tensor<f32>) outs(%e : tensor<f32>) kind = sum axes = ["x"] on @m -> tensor<f32>
    %s = tensor.extract %sum[] : tensor<f32>
    %go = arith.cmpf ogt, %s, %small : f32
    scf.condition(%go) %v, %s : tensor<4xf32>, f32
  } do {
  ^bb0(%v: tensor<4xf32>, %s: f32):
    %half = arith.mulf %v, %v : tensor<4xf32>
    scf.yield %half, %s : tensor<4xf32>, f32
  }
  return %r#1 : f32
}

// -----

// Which of both values a rank holds may differ, and neither is communicated.

// CHECK-LABEL: @differs_where_nobody_waits
pctl.mesh @m <["x"=2]>
func.func @differs_where_nobody_waits(%x: tensor<4xf32>, %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = pctl.axis_index ["x"] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %first -> (tensor<4xf32>) {
    scf.yield %y : tensor<4xf32>
  } else {
    %e = pctl.all_slice ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) dim = 0 axes = [] on @m -> tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  %s = pctl.all_reduce ins(%r : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// Bounds that differ, and yet the loop is run four times.

// CHECK-LABEL: @static_trip_count
pctl.mesh @m <["x"=2]>
func.func @static_trip_count(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %s = pctl.all_reduce ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The number of iterations comes from outside, where scalars are the same.

// CHECK-LABEL: @trip_count_of_a_scalar
pctl.mesh @m <["x"=2]>
func.func private @step(%v: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %s = pctl.all_reduce ins(%v : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @trip_count_of_a_scalar(%n: index, %x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
    %s = func.call @step(%v, %o) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Blocks of a dim differ along x, so along y they have one size.

// CHECK-LABEL: @sizes_agree_in_the_group
pctl.mesh @m <["x"=2, "y"=2]>
func.func @sizes_agree_in_the_group(
    %x: tensor<?x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>, pctl.global_type = tensor<5x4xf32>}) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %s = pctl.all_reduce ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) kind = sum axes = ["y"] on @m -> tensor<?x4xf32>
  %w = tensor.empty() : tensor<5x4xf32>
  %g = pctl.all_gather ins(%s : tensor<?x4xf32>) outs(%w : tensor<5x4xf32>) dim = 0 axes = ["x"] on @m -> tensor<5x4xf32>
  return %g : tensor<5x4xf32>
}

// -----

// The last block is where both ways meet.

// CHECK-LABEL: @blocks_that_all_come_to
pctl.mesh @m <["x"=2]>
func.func @blocks_that_all_come_to(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = pctl.axis_index ["x"] on @m : index
  %first = arith.cmpi eq, %i, %c0 : index
  cf.cond_br %first, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  %s = pctl.all_reduce ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// An op that nobody knows is a function of its operands; an element of a
// gathered tensor is the same on all ranks that gathered it.

// CHECK-LABEL: @unknown_function_of_what_is_whole
pctl.mesh @m <["x"=2]>
func.func @unknown_function_of_what_is_whole(
    %x: tensor<2xi1> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xi1>},
    %y: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xi1>
  %g = pctl.all_gather ins(%x : tensor<2xi1>) outs(%e : tensor<4xi1>) dim = 0 axes = ["x"] on @m -> tensor<4xi1>
  %h = "my.shuffle"(%g) : (tensor<4xi1>) -> tensor<4xi1>
  %c = tensor.extract %h[%c0] : tensor<4xi1>
  %r = scf.if %c -> (tensor<4xf32>) {
    %s = pctl.all_reduce ins(%y : tensor<4xf32>) outs(%o : tensor<4xf32>) kind = sum axes = ["x"] on @m -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What a body asserts differs, and so may its elements, but not how many.

// CHECK-LABEL: @body_that_asserts
pctl.mesh @m <["x"=2, "y"=2]>
func.func @body_that_asserts(
    %x: tensor<4x?xindex> {pctl.layout = #pctl.layout<@m, [{"x"}, {"y"}]>, pctl.global_type = tensor<8x5xindex>}, %o: tensor<6x?xindex>) -> tensor<6x?xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<4x?xindex>) {
  ^bb0(%out: index):
    %p = pctl.axis_index ["x"] on @m : index
    %c = arith.cmpi sge, %out, %p : index
    cf.assert %c, "too small"
    linalg.yield %out : index
  } -> tensor<4x?xindex>
  %h = pctl.halo_exchange ins(%r : tensor<4x?xindex>) outs(%o : tensor<6x?xindex>) dim = 0 before = 1 after = 1 axes = ["x"] on @m
      -> tensor<6x?xindex>
  return %h : tensor<6x?xindex>
}

// -----

// What a body asserts has no part in the size of what it makes.

// CHECK-LABEL: @assertion
#id = affine_map<(i) -> (i)>
pctl.mesh @m <["x"=2, "y"=2]>
func.func @assertion(
    %x: tensor<?xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<5xf32>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %i = pctl.axis_index ["y"] on @m : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %below = arith.cmpi ult, %i, %c2 : index
    cf.assert %below, "beyond"
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %s = pctl.all_reduce ins(%v : tensor<?xf32>) outs(%e : tensor<?xf32>) kind = sum axes = ["y"] on @m -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// Before planning: a redistribute is a collective.

// CHECK-LABEL: @local_form
module attributes {pctl.form = "local"} {
pctl.mesh @m <["x"=2]>
func.func @local_form(
    %x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<8xf32>}, %c: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.if %c -> (tensor<8xf32>) {
    %g = pctl.redistribute %x from <@m, [{"x"}]> to <@m, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8xf32>
    scf.yield %g : tensor<8xf32>
  } else {
    scf.yield %e : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
}
