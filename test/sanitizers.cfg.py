# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# The environment of tests built with a sanitizer; both suites load it.

import os

for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.sanitizer:
    # LLVM's arenas are poisoned by what we compile and unpoisoned by what we
    # compile alone: libMLIR, which is not instrumented, hands out the rest.
    # Tests ask for more memory than there is and look at the message.
    config.environment.setdefault(
        "ASAN_OPTIONS",
        "allow_user_poisoning=0:allocator_may_return_null=1:detect_leaks=0",
    )
    config.available_features.add("sanitizer")
