// One change of layout as a plain exchange, with owners, with a list, in rounds:
// all give the same.

// RUN: rm -rf %t && mkdir %t
// RUN: pctl-run %s --entry plain --ranks 4 --inputs random:7 --outputs %t/plain
// RUN: pctl-run %s --entry owners --ranks 4 --inputs random:7 --outputs %t/owners
// RUN: pctl-run %s --entry listed --ranks 4 --inputs random:7 --outputs %t/listed
// RUN: pctl-run %s --entry broadcast --ranks 4 --inputs random:7 --outputs %t/broadcast
// RUN: cmp %t/plain/result0.npy %t/owners/result0.npy
// RUN: cmp %t/plain/result0.npy %t/listed/result0.npy
// RUN: cmp %t/plain/result0.npy %t/broadcast/result0.npy

module attributes {pctl.form = "planned"} {

pctl.mesh @m <["x"=2, "y"=2]>

pctl.layout @row <@m, [{"x"}, {}]>
pctl.layout @col <@m, [{}, {"x"}]>

func.func @plain(%x: tensor<2x6xbf16> {pctl.layout = @row, pctl.global_type = tensor<4x6xbf16>})
    -> (tensor<4x3xbf16> {pctl.layout = @col, pctl.global_type = tensor<4x6xbf16>}) {
  %o = tensor.empty() : tensor<4x3xbf16>
  %r = pctl.exchange ins(%x : tensor<2x6xbf16>) outs(%o : tensor<4x3xbf16>) from @row to @col of tensor<4x6xbf16> axes = ["x"] on @m -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

func.func @owners(%x: tensor<2x6xbf16> {pctl.layout = @row, pctl.global_type = tensor<4x6xbf16>})
    -> (tensor<4x3xbf16> {pctl.layout = @col, pctl.global_type = tensor<4x6xbf16>}) {
  %o = tensor.empty() : tensor<4x3xbf16>
  %r = pctl.exchange ins(%x : tensor<2x6xbf16>) outs(%o : tensor<4x3xbf16>) from @row to @col owners <@m, [{"x", "y"}, {}]> of tensor<4x6xbf16> rounds = 2 axes = ["x", "y"] on @m -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

// Rank 0 sends to both that lack what it has, rank 1 to none.
func.func @listed(%x: tensor<2x6xbf16> {pctl.layout = @row, pctl.global_type = tensor<4x6xbf16>})
    -> (tensor<4x3xbf16> {pctl.layout = @col, pctl.global_type = tensor<4x6xbf16>}) {
  %o = tensor.empty() : tensor<4x3xbf16>
  %r = pctl.exchange ins(%x : tensor<2x6xbf16>) outs(%o : tensor<4x3xbf16>) from @row to @col of tensor<4x6xbf16> transfers = [0 -> 2 [0, 3] [2, 3], 0 -> 3 [0, 3] [2, 3], 2 -> 0 [3, 0] [1, 3], 3 -> 0 [2, 0] [1, 3], 3 -> 1 [2, 0] [2, 3]] rounds = 3 axes = ["x", "y"] on @m -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

// By way of the rank at place 1 of each row of ranks, which gathers all.
func.func @broadcast(%x: tensor<2x6xbf16> {pctl.layout = @row, pctl.global_type = tensor<4x6xbf16>})
    -> (tensor<4x3xbf16> {pctl.layout = @col, pctl.global_type = tensor<4x6xbf16>}) {
  %o, %n = pctl.block_range 4 by ["x"] sizes = [0, 4] on @m : index, index
  %e = tensor.empty(%n) : tensor<?x6xbf16>
  %0 = pctl.exchange ins(%x : tensor<2x6xbf16>) outs(%e : tensor<?x6xbf16>) from @row to <@m, [{"x"}:[0, 4], {}]> of tensor<4x6xbf16> axes = ["x"] on @m -> tensor<?x6xbf16>
  %f = tensor.empty() : tensor<4x6xbf16>
  %1 = pctl.broadcast ins(%0 : tensor<?x6xbf16>) outs(%f : tensor<4x6xbf16>) root = 1 axes = ["x"] on @m -> tensor<4x6xbf16>
  %g = tensor.empty() : tensor<4x3xbf16>
  %2 = pctl.all_slice ins(%1 : tensor<4x6xbf16>) outs(%g : tensor<4x3xbf16>) dim = 1 axes = ["x"] on @m -> tensor<4x3xbf16>
  return %2 : tensor<4x3xbf16>
}

}
