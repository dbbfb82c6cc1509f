# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: no-mlir.sh FILE
# FILE has a line for each library: its archive and the folders of its code.
# Fails, with what it found, where a symbol or an include of one is MLIR's.

set -u
status=0
checked=0
while read -r archive folders; do
  read -ra folders <<<"$folders"
  symbols=$(llvm-nm --demangle "$archive") || exit 1
  if [ -z "$symbols" ]; then
    echo "$archive has no symbols"
    status=1
  fi
  if grep 'mlir' <<<"$symbols"; then
    echo "$archive has symbols of MLIR, it must have none"
    status=1
  fi
  for folder in "${folders[@]}"; do
    [ -d "$folder" ] || exit 1
    if grep -rnE '#include "mlir(-c)?/' "$folder"; then
      echo "$folder includes MLIR, it must not"
      status=1
    fi
  done
  checked=$((checked + 1))
done <"$1"
echo "checked $checked libraries"
[ "$checked" -gt 0 ] && [ "$status" -eq 0 ]
