#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: measure-redistribution.sh [MAX_PAIRS_A_ROW [RANDOM_PAIRS]]
# Plans every ordered pair of layouts of small meshes, evaluates each plan and
# compares it with the optimum: prints the table of docs/redistribution.md.

set -eu
cd "$(dirname "$0")/.."
cmake --preset release -DPCTL_ENABLE_TESTS=ON >/dev/null
ninja -C build/release PctlMeasureRedistribution >/dev/null
build/release/test/Unit/Redistribute/PctlMeasureRedistribution "$@"
