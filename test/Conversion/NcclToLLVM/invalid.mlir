// RUN: pctl-opt %s --nccl-to-llvm --split-input-file --verify-diagnostics

// expected-error@+1 {{symbol 'ncclSend' is taken by the runtime; call it another name}}
func.func @ncclSend() {
  return
}

// -----

// expected-error@+1 {{symbol 'pctlCheck' is taken by the runtime; call it another name}}
func.func private @pctlCheck()
