#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: utils/demo.sh
# Installs what is needed, builds the release preset, and cuts a GPT block for 8
# ranks: the batch in two, heads and the MLP in four. Prints the plan and checks
# every rank against the uncut block.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/install-packages.sh
cmake --preset release -DPCTL_ENABLE_TESTS=OFF
cmake --build build/release

columns='[{},{model}]'
rows='[{model},{}]'
set -x
build/release/bin/pctl-run test/Models/gpt-block.mlir \
  --mesh data=2,model=4 --layout '0=[{data},{},{}]' \
  --layout "3=$columns" --layout "5=$columns" --layout "7=$columns" \
  --layout "9=$rows" --layout "13=$columns" --layout "15=$rows" \
  --verify
