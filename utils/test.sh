#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: utils/test.sh [PRESET [CMAKE-OPTION...]]
# Installs what is needed, builds the preset (dev) and runs every test. The last
# line counts them; the exit status is 0 when none failed.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-dev}
shift $(($# > 0))
utils/install-packages.sh
cmake --preset "$preset" "$@"
cmake --build "build/$preset" --target all pctl-test-depends

report="build/$preset/test-results.json"
rm -f "$report"
/usr/lib/llvm-22/bin/lit -sv -o "$report" "build/$preset/test" || true
python3 - "$report" <<'PYTHON'
import json
import sys

codes = [test["code"] for test in json.load(open(sys.argv[1]))["tests"]]
passed = sum(code in ("PASS", "XFAIL", "FLAKYPASS") for code in codes)
skipped = sum(code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED") for code in codes)
failed = len(codes) - passed - skipped
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0 or passed == 0)
PYTHON
