// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'?' must be last in its dim}}
func.func private @open_mark_first() attributes {a = #pctl.layout<@m, [{?, "x"}]>}

// -----

// expected-error @below {{sub-axis (1)0 of axis 'x' must have sizes of at least 1}}
func.func private @sub_axis_of_size_zero() attributes {a = #pctl.layout<@m, [{"x":(1)0}]>}

// -----

// expected-error @below {{partial reduction over no axes}}
func.func private @partial_over_nothing() attributes {a = #pctl.layout<@m, [{}], partial = [sum()]>}

// -----

// expected-error @below {{unknown reduction kind 'mean', expected sum, product, maxsi, maxui, maximumf, maxnumf, minsi, minui, minimumf, minnumf, and, or or xor}}
func.func private @unknown_kind() attributes {a = #pctl.layout<@m, [{}], partial = [mean("x")]>}

// -----

// expected-error @below {{expected a reduction kind}}
func.func private @kind_is_a_string() attributes {a = #pctl.layout<@m, [{}], partial = ["x"]>}

// -----

// expected-error @below {{expected 'partial'}}
func.func private @unknown_clause() attributes {a = #pctl.layout<@m, [{}], reduce = [sum("x")]>}

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
func.func private @mesh_is_a_string() attributes {a = #pctl.layout<"m", [{}]>}

// -----

// expected-error @below {{expected string}}
func.func private @axis_without_quotes() attributes {a = #pctl.layout<@m, [{x}]>}

// -----

func.func @neither_layout_nor_symbol(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'pctl.redistribute' expected a layout or the symbol of one}}
  %0 = pctl.redistribute %x from "row" to @row : tensor<4xf32>
  return
}

// -----

func.func @odd_pair(%x: tensor<4xf32>) {
  // expected-error @below {{expected ']'}}
  %0 = pctl.permute ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) pairs = [[0, 1, 2]] axes = [] on @m -> tensor<4xf32>
  return
}

// -----

func.func @boxes_of_other_dims(%x: tensor<4xf32>) {
  // expected-error @below {{found 2 sizes, before there were 1}}
  pctl.exchange ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) from @a to @b of tensor<4xf32> transfers = [0 -> 1 [0] [1, 2]] axes = [] on @m
  return
}
