// A train step of two linear layers under data parallelism: each of the four
// gradients is a sum over the batch, and all of them are one reduction.
//
// RUN: pctl-run %s --mesh data=4 --layout '0=[{data},{}]' --layout '1=[{data},{}]' --layout 'result0=[{},{}]' --layout 'result1=[{},{}]' --layout 'result2=[{}]' --layout 'result3=[{}]' --verify | FileCheck %s
// CHECK: {{^}}collectives  1, 1 all_reduce{{$}}
// CHECK: {{^}}verified{{$}}

// A batch of 6 over 4 ranks, of which the last has none.
//
// RUN: sed 's/16x/6x/g; s/x16x/x6x/g' %s > %t.mlir
// RUN: pctl-run %t.mlir --mesh data=4 --layout '0=[{data},{}]' --layout '1=[{data},{}]' --layout 'result0=[{},{}]' --layout 'result1=[{},{}]' --layout 'result2=[{}]' --layout 'result3=[{}]' --verify | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
func.func @train_step(%x: tensor<16x8xf32>, %y: tensor<16x4xf32>,
                      %w1: tensor<8x12xf32>, %w2: tensor<12x4xf32>,
                      %b1: tensor<12xf32>, %b2: tensor<4xf32>)
    -> (tensor<8x12xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x12xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x12xf32>) -> tensor<16x12xf32>
  %h0 = linalg.matmul ins(%x, %w1 : tensor<16x8xf32>, tensor<8x12xf32>) outs(%z0 : tensor<16x12xf32>) -> tensor<16x12xf32>
  %h = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h0, %b1 : tensor<16x12xf32>, tensor<12xf32>) outs(%e0 : tensor<16x12xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x12xf32>
  %e1 = tensor.empty() : tensor<16x4xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x4xf32>) -> tensor<16x4xf32>
  %p0 = linalg.matmul ins(%h, %w2 : tensor<16x12xf32>, tensor<12x4xf32>) outs(%z1 : tensor<16x4xf32>) -> tensor<16x4xf32>
  %g = linalg.generic {indexing_maps = [#id, #col, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p0, %b2, %y : tensor<16x4xf32>, tensor<4xf32>, tensor<16x4xf32>) outs(%e1 : tensor<16x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %d = arith.subf %s, %c : f32
    linalg.yield %d : f32
  } -> tensor<16x4xf32>
  // Backward.
  %eb2 = tensor.empty() : tensor<4xf32>
  %zb2 = linalg.fill ins(%zero : f32) outs(%eb2 : tensor<4xf32>) -> tensor<4xf32>
  %gb2 = linalg.reduce { arith.addf } ins(%g : tensor<16x4xf32>) outs(%zb2 : tensor<4xf32>) dimensions = [0]
  %b2n = arith.subf %b2, %gb2 : tensor<4xf32>
  %eht = tensor.empty() : tensor<12x16xf32>
  %ht = linalg.transpose ins(%h : tensor<16x12xf32>) outs(%eht : tensor<12x16xf32>) permutation = [1, 0]
  %ew2 = tensor.empty() : tensor<12x4xf32>
  %zw2 = linalg.fill ins(%zero : f32) outs(%ew2 : tensor<12x4xf32>) -> tensor<12x4xf32>
  %gw2 = linalg.matmul ins(%ht, %g : tensor<12x16xf32>, tensor<16x4xf32>) outs(%zw2 : tensor<12x4xf32>) -> tensor<12x4xf32>
  %w2n = arith.subf %w2, %gw2 : tensor<12x4xf32>
  %ew2t = tensor.empty() : tensor<4x12xf32>
  %w2t = linalg.transpose ins(%w2 : tensor<12x4xf32>) outs(%ew2t : tensor<4x12xf32>) permutation = [1, 0]
  %gh = linalg.matmul ins(%g, %w2t : tensor<16x4xf32>, tensor<4x12xf32>) outs(%z0 : tensor<16x12xf32>) -> tensor<16x12xf32>
  %eb1 = tensor.empty() : tensor<12xf32>
  %zb1 = linalg.fill ins(%zero : f32) outs(%eb1 : tensor<12xf32>) -> tensor<12xf32>
  %gb1 = linalg.reduce { arith.addf } ins(%gh : tensor<16x12xf32>) outs(%zb1 : tensor<12xf32>) dimensions = [0]
  %b1n = arith.subf %b1, %gb1 : tensor<12xf32>
  %ext = tensor.empty() : tensor<8x16xf32>
  %xt = linalg.transpose ins(%x : tensor<16x8xf32>) outs(%ext : tensor<8x16xf32>) permutation = [1, 0]
  %ew1 = tensor.empty() : tensor<8x12xf32>
  %zw1 = linalg.fill ins(%zero : f32) outs(%ew1 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %gw1 = linalg.matmul ins(%xt, %gh : tensor<8x16xf32>, tensor<16x12xf32>) outs(%zw1 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %w1n = arith.subf %w1, %gw1 : tensor<8x12xf32>
  return %w1n, %w2n, %b1n, %b2n : tensor<8x12xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<4xf32>
}
