#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Runs random tensor programs with random layouts through pctl-run --verify.

  random_programs.py --count 25
  random_programs.py --first 7 --count 1 --keep DIR    one seed, files kept

A seed is a program, a mesh, layouts and inputs. Each program is one that pctl
accepts, so that all must run and give what the uncut program gives. For each
that does not, prints the seed, the command and its output; the exit status is
then 1. A folder of --keep holds, for each such seed, the program and its
inputs.
"""

import argparse
import math
import os
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

# The tests leave nothing in the source tree.
sys.dont_write_bytecode = True

from program_ops import add_random_op
from tensor_program import MAX_ARGUMENT, MAX_OPS, Program

TIMEOUT_SEC = 120
NCCL_TIMEOUT_MS = 20000

# For each element type NumPy's name of it and the format of `struct`; an
# element of bf16 is the upper half of an f32.
STORAGE = {"i1": ("|b1", "<?"), "i8": ("|i1", "<b"), "i16": ("<i2", "<h"),
           "i32": ("<i4", "<i"), "i64": ("<i8", "<q"), "f16": ("<f2", "<e"),
           "bf16": ("<V2", "<f"), "f32": ("<f4", "<f"), "f64": ("<f8", "<d")}


def random_program(seed):
    program = Program(seed)
    for _ in range(program.random.randint(1, MAX_OPS)):
        add_random_op(program)
    program.finish()
    return program


def random_elements(generator, dtype, count):
    """The bytes of `count` small integers stored as `dtype`."""
    least = 0 if dtype == "i1" else -MAX_ARGUMENT
    most = 1 if dtype == "i1" else MAX_ARGUMENT
    parts = []
    for _ in range(count):
        part = struct.pack(STORAGE[dtype][1], generator.randint(least, most))
        parts.append(part[2:] if dtype == "bf16" else part)
    return b"".join(parts)


def write_npy(path, value, generator):
    """Writes a random tensor of the shape and type of `value` in NumPy's
    format, version 1.0 (numpy.lib.format)."""
    shape = "".join(f"{size}, " for size in value.shape)
    header = (f"{{'descr': '{STORAGE[value.dtype][0]}',"
              f" 'fortran_order': False, 'shape': ({shape})}}")
    # The data starts at a multiple of 64 bytes: magic, version and length of
    # the header take 10, the line's end 1.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = random_elements(generator, value.dtype, math.prod(value.shape))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                     + header.encode() + data)


def write_program(folder, seed, pctl_run):
    """Writes the program and its inputs; gives the command that runs it."""
    program = random_program(seed)
    command = [pctl_run, str(folder / "program.mlir"), "--verify",
               "--inputs", str(folder), *program.options()]
    (folder / "program.mlir").write_text(
        f"// {shlex.join(command)}\n{program.text()}")
    for i, argument in enumerate(program.arguments):
        write_npy(folder / f"arg{i}.npy", argument, program.random)
    return command


def run(command):
    """Whether the program ran and was verified, and all that was printed."""
    environment = os.environ | {"PCTL_NCCL_TIMEOUT_MS": str(NCCL_TIMEOUT_MS)}
    try:
        done = subprocess.run(command, env=environment, text=True,
                              errors="replace", timeout=TIMEOUT_SEC,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return False, f"no end within {TIMEOUT_SEC} s"
    verified = any(line.split(maxsplit=1)[:1] == ["verified"]
                   for line in done.stdout.splitlines())
    return (done.returncode == 0 and verified,
            f"{done.stdout}exit status {done.returncode}")


def check_seed(seed, options):
    """Whether the program of a seed passes. Prints what happened if not."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if options.keep:
            folder = options.keep / f"seed-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
        command = write_program(folder, seed, options.pctl_run)
        passed, output = run(command)
    if not passed:
        print(f"seed {seed}: {shlex.join(command)}\n{output}", flush=True)
    elif options.keep:
        shutil.rmtree(folder)
    return passed


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, metavar="SEED",
                        help="first seed (default 0)")
    parser.add_argument("--count", type=int, default=25, metavar="N",
                        help="number of seeds (default 25)")
    parser.add_argument("--pctl-run", default="pctl-run", metavar="PATH",
                        help="the tool (default: the one on PATH)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="where to keep the files of seeds that fail")
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"count is {options.count}, expected at least 1")
    return options


def main():
    options = parse_arguments()
    seeds = range(options.first, options.first + options.count)
    failed = [seed for seed in seeds if not check_seed(seed, options)]
    if failed:
        sys.exit(f"{len(failed)} of {len(seeds)} programs failed, seeds:"
                 f" {' '.join(map(str, failed))}")
    print(f"{len(seeds)} programs verified")


if __name__ == "__main__":
    main()
