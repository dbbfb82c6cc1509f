module attributes {pctl.full_batch = false} {
  pctl.mesh @m <["a"=4]>
  func.func @main(%x: tensor<8x6xf32>) { return }
}
