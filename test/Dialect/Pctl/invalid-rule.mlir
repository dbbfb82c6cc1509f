// RUN: pctl-opt %s -split-input-file -verify-diagnostics

// The labels rule_c1 to c8 are those of #pctl.rule.

// rule_c1
// expected-error @below {{factor 'i' is used twice in one operand or result}}
func.func private @twice_in_a_tensor() attributes {a = #pctl.rule<([i, i]) -> ([i])>}

// -----

// rule_c2
// expected-error @below {{factor 'j' is part of a product but has no size in rule}}
func.func private @product_without_sizes() attributes {a = #pctl.rule<([(i j)]) -> ([i, j]), sizes = [i: 4]>}

// -----

// rule_c2
// expected-error @below {{factor 'i' has size 0, expected at least 1}}
func.func private @size_of_zero() attributes {a = #pctl.rule<([i]) -> ([i]), sizes = [i: 0]>}

// -----

// rule_c3
// expected-error @below {{factor 'i' is reduced, so it must be in an operand and in no result}}
func.func private @reduced_but_in_result() attributes {a = #pctl.rule<([i]) -> ([i]), reduce = [i: sum]>}

// -----

// rule_c4
// expected-error @below {{factor 'k' is in no result and is neither reduced nor replicated}}
func.func private @in_no_result() attributes {a = #pctl.rule<([i, k]) -> ([i])>}

// -----

// rule_c5
// expected-error @below {{factor 'k' is in no operand or result of the rule}}
func.func private @unknown_factor() attributes {a = #pctl.rule<([i]) -> ([i]), reduce = [k: sum]>}

// -----

// rule_c5
// expected-error @below {{factor 'k' is listed twice in 'reduce'}}
func.func private @reduced_twice() attributes {a = #pctl.rule<([i, k]) -> ([i]), reduce = [k: sum, k: sum]>}

// -----

// rule_c5
// expected-error @below {{factor 'i' is listed twice in 'replicate'}}
func.func private @replicated_twice() attributes {a = #pctl.rule<([i]) -> ([i]), replicate = [i, i]>}

// -----

// rule_c5
// expected-error @below {{factor 'i' has two sizes in rule}}
func.func private @two_sizes() attributes {a = #pctl.rule<([i]) -> ([i]), sizes = [i: 1, i: 1]>}

// -----

// rule_c5
// expected-error @below {{factor 'k' is both reduced and replicated}}
func.func private @reduced_and_replicated() attributes {a = #pctl.rule<([i, k]) -> ([i]), reduce = [k: sum], replicate = [k]>}

// -----

// expected-error @below {{unknown reduction kind 'mean', expected sum, product, maxsi, maxui, maximumf, maxnumf, minsi, minui, minimumf, minnumf, and, or or xor}}
func.func private @unknown_kind() attributes {a = #pctl.rule<([i, k]) -> ([i]), reduce = [k: mean]>}

// -----

// expected-error @below {{unknown clause 'keep', expected reduce, sizes or replicate}}
func.func private @unknown_clause() attributes {a = #pctl.rule<([i]) -> ([i]), keep = [i]>}

// -----

// expected-error @below {{expected the name of a factor}}
func.func private @no_name() attributes {a = #pctl.rule<([1]) -> ([i])>}

// -----

func.func @rule_c6_operands(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op has 1 operands, its rule has 2}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i], [i]) -> ([i])>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c6_results(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op has 1 results, its rule has 0}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i]) -> ()
      , replicate = [i]>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c7_tensor(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op result 0 has 1 dims, its rule has 2}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i]) -> ([i, j])>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c7_scalar(%x: f32) {
  // expected-error @below {{'math.exp' op operand 0 has 0 dims, its rule has 1}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i]) -> ([i])>} : f32
  return
}

// -----

func.func @rule_c8_sizes_differ(%x: tensor<4x5xf32>) {
  // expected-error @below {{'math.exp' op dim 0 of result 0 has size 4, but factor 'j' has size 5}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i, j]) -> ([j, i])>} : tensor<4x5xf32>
  return
}

// -----

func.func @rule_c8_size_given(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op dim 0 of operand 0 has size 4, but factor 'i' has size 5}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([i]) -> ([i]), sizes = [i: 5]>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c8_product(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op dim 0 of operand 0 has size 4, but the product of its factors in the rule is 6}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([(i j)]) -> ([(i j)]), sizes = [i: 3, j: 2]>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c8_product_overflows(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op dim 0 of operand 0 has size 4, but the product of its factors in the rule is beyond 64 bits}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([(i j)]) -> ([(i j)]), sizes = [i: 4294967296, j: 4294967296]>} : tensor<4xf32>
  return
}

// -----

func.func @rule_c8_broadcast(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op dim 0 of operand 0 has size 4, but the product of its factors in the rule is 1}}
  %0 = math.exp %x {pctl.rule = #pctl.rule<([()]) -> ([i])>} : tensor<4xf32>
  return
}

// -----

func.func @rule_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'math.exp' op 'pctl.rule' is "einsum", expected a #pctl.rule}}
  %0 = math.exp %x {pctl.rule = "einsum"} : tensor<4xf32>
  return
}
