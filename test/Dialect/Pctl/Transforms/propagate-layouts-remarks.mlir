// RUN: pctl-opt %s --pctl-propagate-layouts='remarks=true' -split-input-file -verify-diagnostics -allow-unregistered-dialect

// What agrees is not remarked on.
pctl.mesh @m <["a"=2]>
func.func @agreed(%x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = arith.negf %x : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

pctl.mesh @m <["a"=2]>
func.func @done_whole(%x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>}) {
  // expected-remark@+1 {{tensor operand #0 (256 bytes whole) moves from [{a},{}] to [{},{}]: the op is done whole}}
  "test.unknown"(%x) : (tensor<8x8xf32>) -> ()
  return
}

// -----

// Taking differences is no reduction that can be cut.
pctl.mesh @m <["a"=2]>
func.func @no_reduction(%x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
                        %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark@+1 {{tensor operand #0 (256 bytes whole) moves from [{},{a}] to [{},{}]: dim 1 is not to be cut by a, as the op needs the dim whole}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%i : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.subf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

pctl.mesh @m <["a"=2, "b"=2]>
func.func @conflicts(%x: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"a"}, {}]>},
                     %y: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
                     %z: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{"b"}, {}]>},
                     %w: tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>})
    -> (tensor<8x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  // expected-remark@+1 {{tensor operand #1 (256 bytes whole) moves from [{},{a}] to [{a},{}]: dim 1 is not to be cut by a, as the op is cut by a along another dim}}
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  // expected-remark@+1 {{tensor operand #1 (256 bytes whole) moves from [{b},{}] to [{a},{}]: dim 0 is not to be cut by b, as the op is cut by a along the dim}}
  %1 = arith.addf %x, %z : tensor<8x8xf32>
  // expected-remark@+1 {{tensor operand #1 (256 bytes whole) moves from [{},{}] to [{a},{}]: other tensors of the op are cut so}}
  %2 = arith.addf %1, %w : tensor<8x8xf32>
  %3 = arith.addf %2, %0 : tensor<8x8xf32>
  // expected-remark@+1 {{tensor operand #0 (256 bytes whole) moves from [{a},{}] to [{},{}]: that is the layout stated here}}
  return %3 : tensor<8x8xf32>
}

// -----

pctl.mesh @m <["a"=2]>
func.func @merged(%x: tensor<3x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
                  %y: tensor<4x8xf32> {pctl.layout = #pctl.layout<@m, [{}, {"a"}]>},
                  %i: tensor<4x4xf32>, %w: tensor<8x4xf32>)
    -> (tensor<24xf32>, tensor<4x4xf32> {pctl.layout = #pctl.layout<@m, [{}, {}]>}) {
  // expected-remark@+1 {{tensor operand #0 (96 bytes whole) moves from [{},{a}] to [{},{}]: dim 1 is not to be cut by a, as no dim of the op's other tensors could have these blocks}}
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x8xf32> into tensor<24xf32>
  %1 = linalg.matmul ins(%y, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark@+1 {{tensor operand #1 (64 bytes whole) moves from [{},{}] partial=[sum(a)] to [{},{}]: it is a sum, or the like, that is still to be done}}
  return %0, %1 : tensor<24xf32>, tensor<4x4xf32>
}
