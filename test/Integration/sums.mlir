// Sums that wait are done once, after what is linear in them, and what is no sum
// is counted once.

// RUN: pctl-run %s --entry two_products --ranks 4 --verify | FileCheck %s --check-prefix=TWO
// RUN: pctl-run %s --entry bias_between --ranks 4 --verify
// RUN: pctl-run %s --entry row_parallel_bias --ranks 4 --verify
// RUN: pctl-run %s --entry reduced_after --ranks 4 --verify
// RUN: pctl-run %s --entry rearranged --ranks 4 --verify
// RUN: pctl-run %s --entry scaled --ranks 4 --verify
// RUN: pctl-run %s --entry product_of_sums --ranks 4 --verify
// RUN: pctl-run %s --entry narrowed --ranks 4 --verify
// RUN: pctl-run %s --entry chosen --ranks 4 --verify
// RUN: pctl-run %s --entry through_a_product --ranks 4 --verify
// RUN: pctl-run %s --entry in_a_loop --ranks 4 --verify

pctl.mesh @m <["x"=4]>

// TWO: verified
func.func @two_products(
    %a: tensor<6x5xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<6x5xf32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %v: tensor<5x6xf32>, %w: tensor<5x6xf32>, %c: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = linalg.matmul ins(%a, %v : tensor<6x5xf32>, tensor<5x6xf32>) outs(%c : tensor<6x6xf32>) -> tensor<6x6xf32>
  %1 = linalg.matmul ins(%b, %w : tensor<6x5xf32>, tensor<5x6xf32>) outs(%c : tensor<6x6xf32>) -> tensor<6x6xf32>
  %2 = arith.subf %0, %1 : tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}

func.func @bias_between(
    %a: tensor<6x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %b: tensor<6x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>},
    %v: tensor<5x6xi32>, %w: tensor<5x6xi32>, %c: tensor<6x6xi32>, %bias: tensor<6x6xi32>) -> tensor<6x6xi32> {
  %0 = linalg.matmul ins(%a, %v : tensor<6x5xi32>, tensor<5x6xi32>) outs(%c : tensor<6x6xi32>) -> tensor<6x6xi32>
  %1 = linalg.matmul ins(%b, %w : tensor<6x5xi32>, tensor<5x6xi32>) outs(%c : tensor<6x6xi32>) -> tensor<6x6xi32>
  %2 = arith.subi %bias, %0 : tensor<6x6xi32>
  %3 = arith.addi %2, %1 : tensor<6x6xi32>
  return %3 : tensor<6x6xi32>
}

// Uneven: 5 over 4 is 2, 2, 1, 0.
func.func @row_parallel_bias(
    %a: tensor<6x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %v: tensor<5x6xi32>, %bias: tensor<6xi32>,
    %skips: tensor<4x6x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>}) -> tensor<6x6xi32> {
  %skip0 = arith.constant dense<0> : tensor<6x6xi32>
  %skip = linalg.reduce { arith.addi } ins(%skips : tensor<4x6x6xi32>) outs(%skip0 : tensor<6x6xi32>) dimensions = [0]
  %e = tensor.empty() : tensor<6x6xi32>
  %b = linalg.broadcast ins(%bias : tensor<6xi32>) outs(%e : tensor<6x6xi32>) dimensions = [0]
  %0 = linalg.matmul ins(%a, %v : tensor<6x5xi32>, tensor<5x6xi32>) outs(%b : tensor<6x6xi32>) -> tensor<6x6xi32>
  %1 = arith.addi %0, %b : tensor<6x6xi32>
  %2 = arith.addi %1, %skip : tensor<6x6xi32>
  return %2 : tensor<6x6xi32>
}

func.func @reduced_after(
    %a: tensor<6x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %v: tensor<5x6xi32>, %c: tensor<6x6xi32>,
    %init: tensor<6xi32>) -> tensor<6xi32> {
  %0 = linalg.matmul ins(%a, %v : tensor<6x5xi32>, tensor<5x6xi32>) outs(%c : tensor<6x6xi32>) -> tensor<6x6xi32>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<6x6xi32>) outs(%init : tensor<6xi32>) dimensions = [1]
  return %1 : tensor<6xi32>
}

func.func @rearranged(
    %ps: tensor<4x6x8xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>},
    %d: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %p0 = arith.constant dense<0> : tensor<6x8xi32>
  %p = linalg.reduce { arith.addi } ins(%ps : tensor<4x6x8xi32>) outs(%p0 : tensor<6x8xi32>) dimensions = [0]
  %e = tensor.empty() : tensor<8x6xi32>
  %0 = linalg.transpose ins(%p : tensor<6x8xi32>) outs(%e : tensor<8x6xi32>) permutation = [1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x6xi32> into tensor<48xi32>
  %2 = tensor.extract_slice %1[3] [8] [5] : tensor<48xi32> to tensor<8xi32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 4] : tensor<8xi32> into tensor<2x4xi32>
  %4 = tensor.extract_slice %3[0, 1] [2, 2] [1, 1] : tensor<2x4xi32> to tensor<2x2xi32>
  %5 = tensor.insert_slice %4 into %d[0, 2] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<2x4xi32>
  return %5 : tensor<2x4xi32>
}

func.func @scaled(
    %ps: tensor<4x6x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>},
    %qs: tensor<4x6x8xf32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>}, %s: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %p0 = arith.constant dense<0.0> : tensor<6x8xf32>
  %p = linalg.reduce { arith.addf } ins(%ps : tensor<4x6x8xf32>) outs(%p0 : tensor<6x8xf32>) dimensions = [0]
  %q0 = arith.constant dense<0.0> : tensor<6x8xf32>
  %q = linalg.reduce { arith.addf } ins(%qs : tensor<4x6x8xf32>) outs(%q0 : tensor<6x8xf32>) dimensions = [0]
  %two = arith.constant dense<2.0> : tensor<6x8xf32>
  %0 = arith.mulf %p, %two : tensor<6x8xf32>
  %1 = arith.negf %0 : tensor<6x8xf32>
  %2 = arith.mulf %s, %q : tensor<6x8xf32>
  %3 = arith.addf %1, %2 : tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}

func.func @product_of_sums(
    %ps: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %qs: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}) -> tensor<6xi32> {
  %p0 = arith.constant dense<0> : tensor<6xi32>
  %p = linalg.reduce { arith.addi } ins(%ps : tensor<4x6xi32>) outs(%p0 : tensor<6xi32>) dimensions = [0]
  %q0 = arith.constant dense<0> : tensor<6xi32>
  %q = linalg.reduce { arith.addi } ins(%qs : tensor<4x6xi32>) outs(%q0 : tensor<6xi32>) dimensions = [0]
  %0 = arith.muli %p, %q : tensor<6xi32>
  return %0 : tensor<6xi32>
}

func.func @narrowed(
    %ps: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %b: tensor<6xi8>) -> tensor<6xi8> {
  %p0 = arith.constant dense<0> : tensor<6xi32>
  %p = linalg.reduce { arith.addi } ins(%ps : tensor<4x6xi32>) outs(%p0 : tensor<6xi32>) dimensions = [0]
  %0 = arith.trunci %p : tensor<6xi32> to tensor<6xi8>
  %1 = arith.addi %b, %0 : tensor<6xi8>
  return %1 : tensor<6xi8>
}

func.func @chosen(
    %ps: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>},
    %qs: tensor<4x6xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}]>}, %c: tensor<6xi1>) -> tensor<6xi32> {
  %p0 = arith.constant dense<0> : tensor<6xi32>
  %p = linalg.reduce { arith.addi } ins(%ps : tensor<4x6xi32>) outs(%p0 : tensor<6xi32>) dimensions = [0]
  %q0 = arith.constant dense<0> : tensor<6xi32>
  %q = linalg.reduce { arith.addi } ins(%qs : tensor<4x6xi32>) outs(%q0 : tensor<6xi32>) dimensions = [0]
  %0 = arith.select %c, %p, %q : tensor<6xi1>, tensor<6xi32>
  return %0 : tensor<6xi32>
}

func.func @through_a_product(
    %ps: tensor<4x8x8xi32> {pctl.layout = #pctl.layout<@m, [{"x"}, {}, {}]>}, %w: tensor<8x2xi32>,
    %c: tensor<8x2xi32>) -> tensor<8x2xi32> {
  %p0 = arith.constant dense<0> : tensor<8x8xi32>
  %p = linalg.reduce { arith.addi } ins(%ps : tensor<4x8x8xi32>) outs(%p0 : tensor<8x8xi32>) dimensions = [0]
  %0 = linalg.matmul ins(%p, %w : tensor<8x8xi32>, tensor<8x2xi32>) outs(%c : tensor<8x2xi32>) -> tensor<8x2xi32>
  return %0 : tensor<8x2xi32>
}

func.func @in_a_loop(
    %a: tensor<6x5xi32> {pctl.layout = #pctl.layout<@m, [{}, {"x"}]>}, %v: tensor<5x6xi32>, %c: tensor<6x6xi32>) -> tensor<6x6xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %c) -> tensor<6x6xi32> {
    %1 = linalg.matmul ins(%a, %v : tensor<6x5xi32>, tensor<5x6xi32>) outs(%t : tensor<6x6xi32>) -> tensor<6x6xi32>
    %2 = linalg.matmul ins(%a, %v : tensor<6x5xi32>, tensor<5x6xi32>) outs(%1 : tensor<6x6xi32>) -> tensor<6x6xi32>
    scf.yield %2 : tensor<6x6xi32>
  }
  return %0 : tensor<6x6xi32>
}
