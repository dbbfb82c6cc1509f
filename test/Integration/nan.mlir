// One NaN, on the second rank: maximumf and minimumf give NaN, maxnumf and
// minnumf ignore it, unless there is nothing else. Signed zeros and infinities
// stay what they are.

// RUN: pctl-run %s --entry one_nan --ranks 2 --verify
// RUN: pctl-run %s --entry nothing_but_nan --ranks 2 --verify
// RUN: pctl-run %s --entry signed_zeros --ranks 2 --verify
// RUN: pctl-run %s --entry infinities --ranks 2 --verify

pctl.mesh @m <["x"=2]>

func.func @one_nan() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = arith.constant dense<[[1.0, 2.0, 3.0, 0x7FC00000, 5.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]> : tensor<2x6xf32>
  %cut = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<2x6xf32>
  %init = arith.constant dense<2.5> : tensor<2xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%cut : tensor<2x6xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.maxnumf } ins(%cut : tensor<2x6xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  %2 = linalg.reduce { arith.minimumf } ins(%cut : tensor<2x6xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  %3 = linalg.reduce { arith.minnumf } ins(%cut : tensor<2x6xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

func.func @nothing_but_nan() -> (tensor<1xf32>, tensor<1xf32>) {
  %a = arith.constant dense<0x7FC00000> : tensor<1x4xf32>
  %cut = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<1x4xf32>
  %init = arith.constant dense<0x7FC00000> : tensor<1xf32>
  %0 = linalg.reduce { arith.maxnumf } ins(%cut : tensor<1x4xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.minnumf } ins(%cut : tensor<1x4xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
  return %0, %1 : tensor<1xf32>, tensor<1xf32>
}

// The sum of -0.0 and -0.0, from -0.0, is -0.0: seen by its reciprocal.
func.func @signed_zeros() -> (tensor<1xf32>, tensor<1xf32>) {
  %a = arith.constant dense<-0.0> : tensor<1x4xf32>
  %cut = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<1x4xf32>
  %minus = arith.constant dense<-0.0> : tensor<1xf32>
  %plus = arith.constant dense<0.0> : tensor<1xf32>
  %0 = linalg.reduce { arith.addf } ins(%cut : tensor<1x4xf32>) outs(%minus : tensor<1xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%cut : tensor<1x4xf32>) outs(%plus : tensor<1xf32>) dimensions = [1]
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %2 = arith.divf %one, %0 : tensor<1xf32>
  %3 = arith.divf %one, %1 : tensor<1xf32>
  return %2, %3 : tensor<1xf32>, tensor<1xf32>
}

func.func @infinities() -> (tensor<1xf32>, tensor<1xf32>) {
  %a = arith.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<1x3xf32>
  %cut = pctl.shard %a to <@m, [{}, {"x"}]> : tensor<1x3xf32>
  %init = arith.constant dense<0xFF800000> : tensor<1xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%cut : tensor<1x3xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.mulf } ins(%cut : tensor<1x3xf32>) outs(%one : tensor<1xf32>) dimensions = [1]
  return %0, %1 : tensor<1xf32>, tensor<1xf32>
}
