// RUN: pctl-opt %s --pctl-partition --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{pctl-partition needs the laid-out form, but the module is in the annotated form; run pctl-insert-redistribution first}}
module attributes {pctl.form = "annotated"} {}

// -----

// expected-error @+1 {{pctl-partition needs the laid-out form, but the module is in the local form}}
module attributes {pctl.form = "local"} {}

// -----

// expected-error @+1 {{'func.func' op has tensors but no layouts; in the laid-out form every tensor has one}}
func.func @no_layouts(%a: tensor<4xf32>) {
  return
}

// -----

pctl.mesh @m <["x"=2]>
// expected-error @+1 {{'func.func' op argument #1 has no 'pctl.layout'; in the laid-out form every tensor has one}}
func.func @argument_without_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %b: tensor<4xf32>) {
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @op_without_layouts(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op result #0 has no layout; in the laid-out form every op with tensor results has 'pctl.layouts'}}
  %0 = math.exp %a : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
pctl.mesh @n <["x"=2]>
func.func @two_meshes(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'math.exp' op result #0 is laid out over mesh @n in a function over mesh @m; a function is cut over one mesh}}
  %0 = math.exp %a {pctl.layouts = [#pctl.layout<@n, [{"x"}]>]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @shard_is_left(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'pctl.shard' op is left in the laid-out form; propagation turns it into layouts}}
  %0 = pctl.shard %a to <@m, [{}]> {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_from_another_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'pctl.redistribute' op operand #0 is laid out as [{x}]; the op takes it from [{}]}}
  %0 = pctl.redistribute %a from <@m, [{}]> to <@m, [{"x"}]> : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @manual_takes_another_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'pctl.manual' op operand #0 is laid out as [{x}]; the op takes it as [{}]}}
  %0 = pctl.manual (%a) in [#pctl.layout<@m, [{}]>] out [#pctl.layout<@m, [{}]>] {
  ^bb0(%local: tensor<4xf32>):
    pctl.return %local : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @loops_disagree(%a: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %c: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  // expected-error @+1 {{'linalg.exp' op operand #1 is laid out as [{},{}]; loop 0 (dim 0) must be cut as operand #0 cuts it}}
  %0 = linalg.exp {pctl.layouts = [#pctl.layout<@m, [{}, {}]>]} ins(%a : tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @result_is_not_partial(%a: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %b: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %c: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  // expected-error @+1 {{'linalg.matmul' op result #0 is laid out as [{},{}]; its operands make it [{},{}] partial=[sum(x)]}}
  %0 = linalg.matmul {pctl.layouts = [#pctl.layout<@m, [{}, {}]>]} ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @operand_is_partial(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>},
    %c: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'linalg.exp' op operand #0 is laid out as [{}] partial=[sum(x)]; operands must not be partial}}
  %0 = linalg.exp {pctl.layouts = [#pctl.layout<@m, [{}]>]} ins(%a : tensor<4xf32>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The body subtracts: no reduction that could be cut.
pctl.mesh @m <["x"=2]>
func.func @body_is_no_reduction(%a: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %c: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'linalg.reduce' op has layouts that do not fit together}}
  %0 = linalg.reduce ins(%a : tensor<4x4xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]}
      (%in: f32, %out: f32) {
        %1 = arith.subf %out, %in : f32
        linalg.yield %1 : f32
      }
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @complex_product(%a: tensor<4x4xcomplex<f32>> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %c: tensor<4xcomplex<f32>> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'linalg.reduce' op has layouts that do not fit together}}
  %0 = linalg.reduce { complex.mul } ins(%a : tensor<4x4xcomplex<f32>>) outs(%c : tensor<4xcomplex<f32>>) dimensions = [1]
      {pctl.layouts = [#pctl.layout<@m, [{}], partial = [product("x")]>]}
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @windows_are_whole(%a: tensor<1x1x8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>},
    %w: tensor<1x1x3x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {}]>},
    %c: tensor<1x1x6x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {}]>}) {
  // expected-error @+1 {{'linalg.conv_2d_nchw_fchw' op operand #0 is laid out as [{},{},{x},{}]; dim 2 must be cut by the axes of loop 2, with which its window slides}}
  %0 = linalg.conv_2d_nchw_fchw {pctl.layouts = [#pctl.layout<@m, [{}, {}, {}, {}]>]}
      ins(%a, %w : tensor<1x1x8x8xf32>, tensor<1x1x3x3xf32>) outs(%c : tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @window_loops_are_whole(%a: tensor<1x1x8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {}]>},
    %w: tensor<1x1x3x3xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {}, {}]>},
    %c: tensor<1x1x6x6xf32> {pctl.layout = #pctl.layout<@m, [{}, {}, {"x"}, {}]>}) {
  // expected-error @+1 {{'linalg.conv_2d_nchw_fchw' op operand #0 is laid out as [{},{},{},{}]; dim 2 must be cut by the axes of loop 2, with which its window slides}}
  %0 = linalg.conv_2d_nchw_fchw {pctl.layouts = [#pctl.layout<@m, [{}, {}, {"x"}, {}]>]}
      ins(%a, %w : tensor<1x1x8x8xf32>, tensor<1x1x3x3xf32>) outs(%c : tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @softmax_dim_is_cut(%a: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %e: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}) {
  // expected-error @+1 {{'linalg.softmax' op operand #0 is laid out as [{},{x}]; dim 1 must be whole and the operand not partial}}
  %0 = linalg.softmax {pctl.layouts = [#pctl.layout<@m, [{}, {"x"}]>]} dimension(1) ins(%a : tensor<4x4xf32>)
      outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @captured_tensor_is_cut(%e: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>},
    %table: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'linalg.generic' op captured tensor is laid out as [{x}]; dim 0 is read at no loop's index, and the op gives more than what it reads, so the dim must be whole}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) attrs = {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %table[%i] : tensor<8xf32>
    %y = arith.negf %x : f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @captured_tensor_is_partial(%e: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>},
    %table: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error @+1 {{'linalg.generic' op captured tensor is laid out as [{}] partial=[sum(x)]; it must not be partial}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) attrs = {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %table[%i] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return
}

// -----

// A lookup in a cut table is a sum still to be made.
pctl.mesh @m <["x"=2]>
func.func @lookup_is_not_partial(%ids: tensor<4xindex> {pctl.layout = #pctl.layout<@m, [{}]>},
    %e: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}, %table: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'linalg.generic' op result #0 is laid out as [{}]; its operands make it [{}] partial=[sum(x)]}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<4xindex>) outs(%e : tensor<4xf32>) attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>]} {
  ^bb0(%id: index, %out: f32):
    %x = tensor.extract %table[%id] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return
}

// -----

// What an op that keeps its body captures is whole.
pctl.mesh @m <["x"=2]>
func.func @generate_captures_cut_tensor(%table: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'tensor.generate' op captured tensor is laid out as [{x}]; what a body captures must be whole}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    %x = tensor.extract %table[%i] : tensor<8xf32>
    tensor.yield %x : f32
  } {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @window_is_cut(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>},
    %k: tensor<3xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %c: tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'linalg.conv_1d' op loop 1 is cut by operand #1 but is part of a compound index; only the loop that a window slides with may be cut}}
  %0 = linalg.conv_1d {pctl.layouts = [#pctl.layout<@m, [{}]>]} ins(%a, %k : tensor<8xf32>, tensor<3xf32>) outs(%c : tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

pctl.mesh @m <["x"=2, "y"=2]>
func.func @window_over_other_axes(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"y"}]>},
    %k: tensor<3xf32> {pctl.layout = #pctl.layout<@m, [{}]>}, %c: tensor<6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'linalg.conv_1d' op operand #0 is laid out as [{y}]; dim 0 must be cut by the axes of loop 0, with which its window slides}}
  %0 = linalg.conv_1d {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} ins(%a, %k : tensor<8xf32>, tensor<3xf32>) outs(%c : tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @no_window(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %c: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'linalg.generic' op operand #0 is laid out as [{x}]; dim 0 is no single loop and no window, and must be whole}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%c : tensor<8xf32>) attrs = {pctl.layouts = [#pctl.layout<@m, [{}]>]} {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @unknown_op_is_cut(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'other.op' op can't be cut: it implements no PartitionOpInterface and has no 'pctl.rule'}}
  %0 = "other.op"(%a) {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @layouts_break_the_rule(%a: tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) {
  // expected-error @+1 {{'other.rows' op has layouts that do not fit together}}
  %0 = "other.rows"(%a) {pctl.layouts = [#pctl.layout<@m, [{}, {}]>], pctl.rule = #pctl.rule<([i, j]) -> ([i, j])>}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @product_of_partials(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error @+1 {{'arith.mulf' op has layouts that do not fit together: operand 0 is partial, and the op is not additive in all operands that are}}
  %0 = arith.mulf %a, %a {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]} : tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @bits_of_a_partial_value(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}], partial = [sum("x")]>}) {
  // expected-error @+1 {{'tensor.bitcast' op operand #0 is laid out as [{}] partial=[sum(x)]; it must not be partial}}
  %0 = tensor.bitcast %a {pctl.layouts = [#pctl.layout<@m, [{}], partial = [sum("x")]>]} : tensor<4xf32> to tensor<4xi32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @dim_of_computed_number(%a: tensor<4x6xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %i: index) {
  // expected-error @+1 {{the size of a dim of computed number needs a whole tensor}}
  %0 = tensor.dim %a, %i : tensor<4x6xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @slice_of_missing_elements(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'tensor.extract_slice' op operand #0 is laid out as [{x}]; some rank lacks elements of dim 0 that its part of the result, laid out as [{x}], needs}}
  %0 = tensor.extract_slice %a[1] [4] [1] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<8xf32> to tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @slice_at_computed_offset(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %i: index) {
  // expected-error @+1 {{dim 0 is sliced at a computed offset or stride and must be whole}}
  %0 = tensor.extract_slice %a[%i] [4] [1] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<8xf32> to tensor<4xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @dim_written_in_part(%a: tensor<8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>},
    %b: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'tensor.insert_slice' op operand #1 is laid out as [{x}]; dim 0 is written in part and must be whole}}
  %0 = tensor.insert_slice %b into %a[2] [4] [1] {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<4xf32> into tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @padding_is_not_at_the_end(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %v: f32) {
  // expected-error @+1 {{'tensor.pad' op has layouts that do not fit together: result 0 is laid out as [{x}], but the op's rule asks for [{x}:[2,3]]}}
  %0 = tensor.pad %a low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : tensor<4xf32> to tensor<5xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @padded_dim_of_computed_size_is_cut(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %v: f32, %n: index) {
  // expected-error @+1 {{'tensor.pad' op has layouts that do not fit together: operand 0 is laid out as [{x}], but the op's rule asks for [{}]}}
  %0 = tensor.pad %a low[0] high[%n] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } {pctl.layouts = [#pctl.layout<@m, [{}]>]} : tensor<4xf32> to tensor<?xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @joined_dim_is_cut(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'tensor.concat' op result #0 is laid out as [{x}]; dim 0 is joined and must be whole}}
  %0 = tensor.concat dim(0) %a, %a {pctl.layouts = [#pctl.layout<@m, [{"x"}]>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func private @callee(tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>})
func.func @call_with_another_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  // expected-error @+1 {{'func.call' op operand #0 is laid out as [{x}]; function @callee has it as [{}]}}
  call @callee(%a) : (tensor<4xf32>) -> ()
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @return_of_another_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>})
    -> (tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}) {
  // expected-error @+1 {{'func.return' op result #0 is laid out as [{x}]; function @return_of_another_layout has it as [{}]}}
  return %a : tensor<4xf32>
}

// -----

pctl.mesh @m <["x"=2]>
func.func @loop_changes_layout(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}, %n: index) {
  // expected-error @+1 {{'scf.for' op initial value #0 is laid out as [{x}]; what it becomes is laid out as [{}]}}
  %0 = scf.for %i = %n to %n step %n iter_args(%arg = %a) -> tensor<4xf32> {
    scf.yield %arg : tensor<4xf32>
  } {pctl.layouts = [#pctl.layout<@m, [{}]>]}
  return
}

// -----

pctl.mesh @m <["x"=2]>
// expected-error @+1 {{'func.func' op has several blocks; only structured control flow can be cut}}
func.func @several_blocks(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{"x"}]>}) {
  cf.br ^bb1
^bb1:
  return
}

// -----

pctl.mesh @m <["x"=2]>
func.func @redistribute_in_a_whole_op(%a: tensor<4xf32> {pctl.layout = #pctl.layout<@m, [{}]>}, %n: index) {
  // expected-note @+1 {{'scf.parallel' is done whole}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    // expected-error @+1 {{'pctl.redistribute' op is in an op that is done whole}}
    %0 = pctl.redistribute %a from <@m, [{}]> to <@m, [{"x"}]> : tensor<4xf32>
  }
  return
}
