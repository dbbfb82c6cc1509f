// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'func.func' op argument 0: no mesh 'm' is declared}}
func.func private @layout_of_argument_without_mesh(tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op argument 0: mesh has no axis 'y'; its axes are 'x' (size 2)}}
func.func private @layout_of_argument_with_unknown_axis(tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"y"}]>})

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op argument 0: layout has 2 dims, tensor has rank 1}}
func.func private @second_dim_of_vector(tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>})

// -----

pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op argument 1: layout on a value of type 'f32', expected a ranked tensor}}
func.func private @layout_of_scalar(index, f32 {pctl.layout = #pctl.layout<@m, []>})

// -----

// expected-error @below {{'func.func' op argument 0: no layout 'row' is declared}}
func.func private @layout_of_no_symbol(tensor<4xf32> {pctl.layout = @row})

// -----

// expected-error @below {{'func.func' op argument 0: expected a layout or the symbol of one}}
func.func private @layout_of_another_kind(tensor<4xf32> {pctl.layout = "row"})

// -----

pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op result 0: layout on a value of type 'f32', expected a ranked tensor}}
func.func private @layout_of_result(f32) -> (f32 {pctl.layout = #pctl.layout<@m, []>})

// -----

pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op argument 0: value of type 'tensor<4xf32>', expected the local shape of 'tensor<4xf32>' in its layout, 'tensor<2xf32>'}}
func.func private @local_type_of_argument(tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xf32>})

// -----

pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op result 0: value of type 'memref<4xf32>', expected the local shape of 'tensor<4xf32>' in its layout, 'tensor<2xf32>'}}
func.func private @local_type_of_result() -> (memref<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>, pctl.global_type = tensor<4xf32>})

// -----

// expected-error @below {{'func.func' op argument 0: 'pctl.global_type' is f32, expected a ranked tensor type}}
func.func private @global_type_of_another_kind(tensor<4xf32> {pctl.global_type = f32})

// -----

// expected-error @below {{'func.func' op result 0: 'pctl.global_type' is 4 : i64, expected a ranked tensor type}}
func.func private @global_type_of_result() -> (tensor<4xf32> {pctl.global_type = 4 : i64})

// -----

// expected-error @below {{'func.func' op argument 0: 'pctl.data' is true, expected unit}}
func.func private @data_of_another_kind(tensor<4xf32> {pctl.data = true})

// -----

// expected-error @below {{'func.func' op argument 0: unknown attribute 'pctl.shard' on a function argument, known are pctl.layout, pctl.data, pctl.global_type}}
func.func private @unknown_on_argument(tensor<4xf32> {pctl.shard = "x"})

// -----

// expected-error @below {{'func.func' op result 0: unknown attribute 'pctl.data' on a function result, known are pctl.layout, pctl.global_type}}
func.func private @unknown_on_result() -> (tensor<4xf32> {pctl.data})

// -----

// expected-error @below {{'func.func' op unknown attribute 'pctl.form' on an op, known are pctl.layouts, pctl.operand_layouts, pctl.operand_reasons, pctl.rule}}
func.func private @unknown_on_op() attributes {pctl.form = "local"}

// -----

// expected-error @below {{'builtin.module' op unknown attribute 'pctl.lay_out' on a module, known are pctl.form, pctl.dataset_strategy, pctl.full_batch}}
module attributes {pctl.lay_out} {}

// -----

// expected-error @below {{'builtin.module' op 'pctl.form' is "partitioned", expected one of annotated, laid-out, local, planned, buffers, executable}}
module attributes {pctl.form = "partitioned"} {}

// -----

// expected-error @below {{'builtin.module' op 'pctl.full_batch' is 1 : i64, expected a bool}}
module attributes {pctl.full_batch = 1 : i64} {}

// -----

// expected-error @below {{'builtin.module' op 'pctl.dataset_strategy' is "batch", expected "data_parallel", "full_batch", an array of the cuts of each data argument, or an array of their layouts}}
module attributes {pctl.dataset_strategy = "batch"} {}

// -----

// expected-error @below {{'builtin.module' op 'pctl.dataset_strategy' entry 0 is [2, 0], expected a layout or an array of cuts of at least 1}}
module attributes {pctl.dataset_strategy = [[2, 0]]} {}

// -----

// expected-error @below {{'builtin.module' op 'pctl.dataset_strategy' mixes layouts and cuts}}
module attributes {pctl.dataset_strategy = [array<i64: 2, 1>, #pctl.layout<@m, [{"x"}]>]} {
  pctl.mesh @m <["x"=2]>
}

// -----

// expected-error @below {{'builtin.module' op 'pctl.dataset_strategy' entry 0: mesh has no axis 'y'; its axes are 'x' (size 2)}}
module attributes {pctl.dataset_strategy = [#pctl.layout<@m, [{"y"}]>]} {
  // expected-note @below {{mesh declared here}}
  pctl.mesh @m <["x"=2]>
}

// -----

// expected-error @below {{'builtin.module' op 'pctl.dataset_strategy' entry 0 is "full_batch", expected a layout or an array of cuts of at least 1}}
module attributes {pctl.dataset_strategy = ["full_batch"]} {}

// -----

func.func @layouts_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.layouts' is unit, expected an array}}
  %0 = math.exp %x {pctl.layouts} : tensor<4xf32>
  return
}

// -----

func.func @layouts_for_each_result(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.layouts' has 0 entries, expected one for each of 1 results}}
  %0 = math.exp %x {pctl.layouts = []} : tensor<4xf32>
  return
}

// -----

func.func @layouts_hold_layouts(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op layout of result 0: found unit, expected a layout}}
  %0 = math.exp %x {pctl.layouts = [unit]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @layouts_hold_unit_for_scalars(%x: f32) {
  // expected-error @below {{'math.exp' op layout of result 0: value of type 'f32' has no layout, expected unit}}
  %0 = math.exp %x {pctl.layouts = [#pctl.layout<@m, []>]} : f32
  return
}

// -----

// expected-note @below {{mesh declared here}}
pctl.mesh @m <["x"=2]>
func.func @layouts_fit(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op layout of result 0: layout has 0 dims, tensor has rank 1}}
  %0 = math.exp %x {pctl.layouts = [#pctl.layout<@m, []>]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @operand_layouts_are_an_array(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.operand_layouts' is unit, expected an array}}
  %0 = math.exp %x {pctl.operand_layouts} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @operand_layouts_hold_layouts(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op wanted layout of tensor operand 0: found unit, expected a layout}}
  %0 = math.exp %x {pctl.operand_layouts = [unit]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @reasons_need_layouts(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.operand_reasons' is ["it moves"], expected a text for each entry of 'pctl.operand_layouts'}}
  %0 = math.exp %x {pctl.operand_reasons = ["it moves"]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @reasons_are_texts(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.operand_reasons' is [unit], expected a text for each entry of 'pctl.operand_layouts'}}
  %0 = math.exp %x {pctl.operand_layouts = [#pctl.layout<@m, [{}]>], pctl.operand_reasons = [unit]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
// expected-error @below {{'func.func' op argument 0: layout is partial by and, which is not a kind for elements of type 'f32'}}
func.func @kinds_are_of_the_elements(%x: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [and("x")]>}) {
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @kinds_are_of_the_elements(%x: tensor<4xi32>) {
  // expected-error @below {{'arith.addi' op layout of result 0: layout is partial by maximumf, which is not a kind for elements of type 'i32'}}
  %0 = arith.addi %x, %x {pctl.layouts = [#pctl.layout<@m, [{}], partial = [maximumf("x")]>]} : tensor<4xi32>
  return
}
