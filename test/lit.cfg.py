# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# The suite of everything below test/, unit tests included (test/Unit has its
# own format). Run by `ninja check-pctl`, or by lit on a file of the build tree.

import os
import sys

import lit.formats

config.name = "pctl"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.pctl_binary_dir, "test")

path = [
    os.path.join(config.pctl_binary_dir, "bin"),
    config.llvm_tools_dir,
    config.environment["PATH"],
]
config.environment["PATH"] = os.pathsep.join(path)
config.substitutions += [
    ("%models", os.path.join(config.test_source_root, "Models")),
    ("%cmake", config.cmake_command),
    ("%python", sys.executable),
    ("%binary-dir", config.pctl_binary_dir),
    ("%install-libdir", config.install_libdir),
    ("%llvm-libdir", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")),
    ("%example-cmake-options", config.example_cmake_options),
    ("%host-nccl", os.path.join(config.pctl_binary_dir, "lib", "libpctl_nccl_host.so")),
]
lit_config.load_config(
    config, os.path.join(config.test_source_root, "sanitizers.cfg.py")
)
if config.long_tests:
    config.available_features.add("long-tests")
