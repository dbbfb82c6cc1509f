// RUN: pctl-opt %s --pctl-plan-redistribution | FileCheck %s
// RUN: pctl-opt %s --pctl-plan-redistribution=print-plans=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLANS

pctl.mesh @m <["x"=2, "y"=2]>
pctl.mesh @n <["x"=2, "y"=3]>

#row = #pctl.layout<@m, [{"x"}, {}]>
#col = #pctl.layout<@m, [{}, {"x"}]>
#both = #pctl.layout<@m, [{"x"}, {"y"}]>
#whole = #pctl.layout<@m, [{}, {}]>
#sum = #pctl.layout<@m, [{}, {}], partial = [sum("x")]>

// CHECK: module attributes {pctl.form = "planned"}

// PLANS: remark: plan: 8x8 on x=2, y=2: [{x},{}] -> [{},{}], 1 step
// PLANS: all_gather dim 0 over {x}
// PLANS: receives 128 bytes a rank

// CHECK-LABEL: func.func @gathers(
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<8x8xf32>
// CHECK: pctl.all_gather ins(%{{.*}} : tensor<4x8xf32>) outs(%[[OUT]] : tensor<8x8xf32>) dim = 0 axes = ["x"] on @m -> tensor<8x8xf32>
func.func @gathers(%a: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = pctl.redistribute %a from #row to #whole of tensor<8x8xf32> : tensor<4x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @changes_the_cut_dim(
// CHECK: pctl.all_to_all ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<8x4xf32>) split_dim = 1 concat_dim = 0 axes = ["x"] on @m
func.func @changes_the_cut_dim(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = pctl.redistribute %a from #row to #col of tensor<8x8xf32> : tensor<4x8xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @slices_each_dim(
// CHECK: pctl.all_slice ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) dim = 0 axes = ["x"] on @m
// CHECK: pctl.all_slice ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4x4xf32>) dim = 1 axes = ["y"] on @m
func.func @slices_each_dim(%a: tensor<8x8xf32>) -> tensor<4x4xf32> {
  %0 = pctl.redistribute %a from #whole to #both of tensor<8x8xf32> : tensor<8x8xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @slices_unevenly(
// CHECK: %{{.*}}, %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK: %[[OUT:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x8xf32>
// CHECK: pctl.all_slice ins(%{{.*}} : tensor<5x8xf32>) outs(%[[OUT]] : tensor<?x8xf32>) dim = 0 axes = ["x"] on @m
func.func @slices_unevenly(%a: tensor<5x8xf32>) -> tensor<?x8xf32> {
  %0 = pctl.redistribute %a from #whole to #row of tensor<5x8xf32> : tensor<5x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// all_slice makes blocks of 3 and 3 only.
// CHECK-LABEL: func.func @slices_to_explicit_blocks(
// CHECK: %[[TO:.*]], %[[SIZE:.*]] = pctl.block_range 6 by ["x"] sizes = [2, 4] on @m
// CHECK: tensor.extract_slice %{{.*}}[%[[TO]]] [%[[SIZE]]] [1] : tensor<6xf32> to tensor<?xf32>
func.func @slices_to_explicit_blocks(%a: tensor<6xf32>) -> tensor<?xf32> {
  %0 = pctl.redistribute %a from <@m, [{}]> to <@m, [{"x"}:[2, 4]]> of tensor<6xf32> : tensor<6xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Dims of unknown size are not cut, and each rank has them whole.
// CHECK-LABEL: func.func @exchanges_dims_of_unknown_size(
// CHECK: %[[SIZE:.*]] = tensor.dim %{{.*}}, %c2
// CHECK: %[[OUT:.*]] = tensor.empty(%{{.*}}, %[[SIZE]]) : tensor<5x?x?xf32>
// CHECK: pctl.exchange ins(%{{.*}} : tensor<?x5x?xf32>) outs(%[[OUT]] : tensor<5x?x?xf32>)
func.func @exchanges_dims_of_unknown_size(%a: tensor<?x5x?xf32>) -> tensor<5x?x?xf32> {
  %0 = pctl.redistribute %a from <@m, [{"x"}, {}, {}]> to <@m, [{}, {"x"}, {}]> of tensor<5x5x?xf32> : tensor<?x5x?xf32> -> tensor<5x?x?xf32>
  return %0 : tensor<5x?x?xf32>
}

// There is nothing to slice, and no offset in a dim without elements.
// CHECK-LABEL: func.func @slices_nothing_to_explicit_blocks(
// CHECK-NOT: tensor.extract_slice
// CHECK: %[[OUT:.*]] = tensor.empty(%{{.*}}) : tensor<0x?xf32>
// CHECK: return %[[OUT]]
func.func @slices_nothing_to_explicit_blocks(%a: tensor<0x6xf32>) -> tensor<0x?xf32> {
  %0 = pctl.redistribute %a from #whole to <@m, [{}, {"x"}:[2, 4]]> of tensor<0x6xf32> : tensor<0x6xf32> -> tensor<0x?xf32>
  return %0 : tensor<0x?xf32>
}

// CHECK-LABEL: func.func @reduces(
// CHECK: pctl.all_reduce ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<8x8xf32>) kind = sum axes = ["x"] on @m
func.func @reduces(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = pctl.redistribute %a from #sum to #whole of tensor<8x8xf32> : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @reduces_and_scatters(
// CHECK: pctl.reduce_scatter ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<4x8xf32>) kind = sum dim = 0 axes = ["x"] on @m
func.func @reduces_and_scatters(%a: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = pctl.redistribute %a from #sum to #row of tensor<8x8xf32> : tensor<8x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @permutes(
// CHECK: pctl.permute
func.func @permutes(%a: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = pctl.redistribute %a from <@m, [{"x", "y"}, {}]> to <@m, [{"y", "x"}, {}]> of tensor<8x8xf32>
      : tensor<2x8xf32> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @exchanges_uneven_blocks(
// CHECK: %{{.*}}, %[[SIZE:.*]] = pctl.block_range 5 by ["x"] on @m
// CHECK: %[[OUT:.*]] = tensor.empty(%[[SIZE]]) : tensor<5x?xf32>
// CHECK: pctl.exchange ins(%{{.*}} : tensor<?x5xf32>) outs(%[[OUT]] : tensor<5x?xf32>)
// CHECK-SAME: of tensor<5x5xf32> axes = ["x"] on @m -> tensor<5x?xf32>
func.func @exchanges_uneven_blocks(%a: tensor<?x5xf32>) -> tensor<5x?xf32> {
  %0 = pctl.redistribute %a from #row to #col of tensor<5x5xf32> : tensor<?x5xf32> -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

// A dim of unknown size is whole, and its size that of the operand.
// CHECK-LABEL: func.func @keeps_unknown_sizes(
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<4x?xf32>
// CHECK: %[[OUT:.*]] = tensor.empty(%[[N]]) : tensor<8x?xf32>
// CHECK: pctl.all_gather ins(%{{.*}} : tensor<4x?xf32>) outs(%[[OUT]] : tensor<8x?xf32>)
func.func @keeps_unknown_sizes(%a: tensor<4x?xf32>) -> tensor<8x?xf32> {
  %0 = pctl.redistribute %a from #row to #whole of tensor<8x?xf32> : tensor<4x?xf32> -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// CHECK-LABEL: func.func @nothing_to_do(
// CHECK-NEXT: return
func.func @nothing_to_do(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = pctl.redistribute %a from #row to <@m, [{"x":(1)2}, {}]> of tensor<8x8xf32> : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// 12 over 2 are 6 each, over 6 they are 2 each: blocks that nest. 10 over 2 are
// 5 each, over 6 they are 2 each: the third rank's block starts at 4, in the
// first half, the fourth's at 6, in the second.
// CHECK-LABEL: func.func @slices_blocks_that_nest(
// CHECK: pctl.all_slice ins(%{{.*}} : tensor<6xf32>) outs(%{{.*}} : tensor<2xf32>) dim = 0 axes = ["y"] on @n
func.func @slices_blocks_that_nest(%a: tensor<6xf32>) -> tensor<2xf32> {
  %0 = pctl.redistribute %a from <@n, [{"x"}]> to <@n, [{"x", "y"}]> of tensor<12xf32> : tensor<6xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @exchanges_blocks_that_do_not_nest(
// CHECK: pctl.exchange ins(%{{.*}} : tensor<5xf32>) outs(%{{.*}} : tensor<?xf32>)
func.func @exchanges_blocks_that_do_not_nest(%a: tensor<5xf32>) -> tensor<?xf32> {
  %0 = pctl.redistribute %a from <@n, [{"x"}]> to <@n, [{"x", "y"}]> of tensor<10xf32> : tensor<5xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
