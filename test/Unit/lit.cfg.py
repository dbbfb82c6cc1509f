# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# The GoogleTest programs of the build tree, each of whose cases is a test of
# its own. Found by lit when it walks the suite above.

import os

import lit.formats

config.name = "pctl-unit"
config.suffixes = []
config.excludes = ["CMakeFiles"]
config.test_exec_root = os.path.join(config.pctl_binary_dir, "test", "Unit")
config.test_source_root = config.test_exec_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools_dir, config.environment["PATH"]]
)
lit_config.load_config(
    config, os.path.join(config.pctl_source_dir, "test", "sanitizers.cfg.py")
)
