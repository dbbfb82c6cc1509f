# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: no-mlir.sh FILE
# FILE has a line for each library: its archive and the folder of its sources.
# Fails, with what it found, where a symbol or an include of one is MLIR's.

set -u
status=0
checked=0
while read -r archive sources; do
  symbols=$(llvm-nm --demangle "$archive") || exit 1
  if [ -z "$symbols" ]; then
    echo "$archive has no symbols"
    status=1
  fi
  if grep 'mlir' <<<"$symbols"; then
    echo "$archive has symbols of MLIR, it must have none"
    status=1
  fi
  if grep -rnE '#include "mlir(-c)?/' "$sources"; then
    echo "$sources includes MLIR, it must not"
    status=1
  fi
  checked=$((checked + 1))
done <"$1"
echo "checked $checked libraries"
[ "$checked" -gt 0 ] && [ "$status" -eq 0 ]
