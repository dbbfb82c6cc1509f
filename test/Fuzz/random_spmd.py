# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Holds pctl-verify-spmd to what happens on ranks.

    random_spmd.py FIRST COUNT

For each seed from FIRST on, a planned program is written with collectives under
conditions, in loops and behind calls, which values that may differ between
ranks decide. All run on a mesh of 2x2, whose library refuses calls that do not
fit together and waits for nobody for long. What pctl-verify-spmd accepts must
run. What it refuses may run, too, as it can't see all; but of the programs of a
run some must be accepted, and some of the refused must fail, or this test would
say nothing. What is accepted is run again when its collectives have been
optimized, and must give the same. Prints each seed that is accepted and fails, with its program; exits
1 if there is one.
"""

import filecmp
import os
import random
import subprocess
import sys
import tempfile

AXES = ['"x"', '"y"', '"x", "y"']
T = "tensor<4xi32>"


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.count = 0

    def name(self):
        self.count += 1
        return "%%v%d" % self.count

    def number(self, lines, pad, numbers, tensors):
        """Adds an index below 3, which may differ between ranks or not."""
        rng, n = self.rng, self.name()
        kind = rng.choice(["where", "where", "constant", "sum", "sum", "element", "element", "choice"])
        if kind == "where":
            lines.append("%s%s = pctl.axis_index [%s] on @m : index" % (pad, n, rng.choice(AXES[:2])))
        elif kind == "constant":
            lines.append("%s%s = arith.constant %d : index" % (pad, n, rng.randrange(3)))
        elif kind == "sum":
            a, b = rng.choice(numbers), rng.choice(numbers)
            lines.append("%s%s_s = arith.addi %s, %s : index" % (pad, n, a, b))
            lines.append("%s%s = arith.remui %s_s, %%c3 : index" % (pad, n, n))
        elif kind == "choice":
            a, b = rng.choice(numbers), rng.choice(numbers)
            lines.append("%s%s_c = arith.cmpi ult, %s, %s : index" % (pad, n, a, b))
            lines.append("%s%s = arith.select %s_c, %%c1, %%c2 : index" % (pad, n, n))
        else:
            t = rng.choice(tensors)
            lines.append("%s%s_e = tensor.extract %s[%%c0] : %s" % (pad, n, t, T))
            lines.append("%s%s_i = arith.index_castui %s_e : i32 to index" % (pad, n, n))
            lines.append("%s%s = arith.remui %s_i, %%c3 : index" % (pad, n, n))
        numbers.append(n)

    def tensor(self, lines, pad, numbers, tensors):
        rng, n = self.rng, self.name()
        t, axes = rng.choice(tensors[-3:]), rng.choice(AXES)
        kind = rng.choice(["add", "all_reduce", "all_reduce", "broadcast", "permute"])
        if kind == "add":
            lines.append("%s%s = arith.addi %s, %s : %s" % (pad, n, t, rng.choice(tensors), T))
        else:
            how = {"all_reduce": "kind = sum", "broadcast": "root = 1", "permute": "pairs = [[0, 1]]"}[kind]
            lines.append("%s%s = pctl.%s ins(%s : %s) outs(%s : %s) %s axes = [%s] on @m -> %s" % (
                pad, n, kind, t, T, "%z" if kind == "permute" else "%o", T, how, axes, T))
        tensors.append(n)

    def region(self, lines, pad, numbers, tensors, depth):
        """Adds a conditional, a loop or a call; its number and tensor are new."""
        rng, n = self.rng, self.name()
        decider = rng.choice(numbers[-3:])
        kind = rng.choice(["if", "if", "for", "while", "call"])
        inner = pad + "  "
        if kind == "call":
            lines.append("%s%s:2 = func.call @callee(%s, %s, %%o) : (index, %s, %s) -> (index, %s)" % (
                pad, n, decider, rng.choice(tensors), T, T, T))
        elif kind == "if":
            lines.append("%s%s_c = arith.cmpi eq, %s, %%c%d : index" % (pad, n, decider, rng.randrange(3)))
            lines.append("%s%s:2 = scf.if %s_c -> (index, %s) {" % (pad, n, n, T))
            for last in (False, True):
                result = self.block(lines, inner, list(numbers), list(tensors), depth - 1)
                lines.append("%sscf.yield %s, %s : index, %s" % (inner, result[0], result[1], T))
                lines.append(pad + ("}" if last else "} else {"))
        elif kind == "for":
            lines.append("%s%s:2 = scf.for %s_i = %%c0 to %s step %%c1 iter_args(%s_n = %s, %s_t = %s) -> (index, %s) {" % (
                pad, n, n, decider, n, rng.choice(numbers), n, rng.choice(tensors), T))
            result = self.block(lines, inner, numbers + [n + "_i", n + "_n"], tensors + [n + "_t"], depth - 1)
            lines.append("%sscf.yield %s, %s : index, %s" % (inner, result[0], result[1], T))
            lines.append(pad + "}")
        else:
            # Counts up to what decides, from 0.
            lines.append("%s%s:2 = scf.while (%s_n = %%c0, %s_t = %s) : (index, %s) -> (index, %s) {" % (
                pad, n, n, n, rng.choice(tensors), T, T))
            result = self.block(lines, inner, list(numbers), tensors + [n + "_t"], 0)
            lines.append("%s%s_c = arith.cmpi ult, %s_n, %s : index" % (inner, n, n, decider))
            lines.append("%sscf.condition(%s_c) %s_n, %s : index, %s" % (inner, n, n, result[1], T))
            lines.append("%s} do {" % pad)
            lines.append("%s^bb0(%s_m: index, %s_u: %s):" % (pad, n, n, T))
            lines.append("%s%s_next = arith.addi %s_m, %%c1 : index" % (inner, n, n))
            lines.append("%sscf.yield %s_next, %s_u : index, %s" % (inner, n, n, T))
            lines.append(pad + "}")
        numbers.append(n + "#0")
        tensors.append(n + "#1")

    def block(self, lines, pad, numbers, tensors, depth):
        for _ in range(self.rng.randrange(3, 6)):
            step = self.rng.choice([self.number, self.number, self.tensor] +
                                   ([self.region] * 3 if depth > 0 else []))
            if step == self.region:
                step(lines, pad, numbers, tensors, depth)
            else:
                step(lines, pad, numbers, tensors)
        return numbers[-1], tensors[-1]


# A permute leaves some ranks what it writes to, which has to be something.
CONSTANTS = ["    %%c%d = arith.constant %d : index" % (i, i) for i in range(4)] + [
    "    %%z = arith.constant dense<0> : %s" % T]


def write(rng):
    program = Program(rng)
    callee, main = list(CONSTANTS), list(CONSTANTS)
    # What is called calls nobody.
    numbers, tensors = ["%n"], ["%t"]
    program.number(callee, "    ", numbers, tensors)
    callee.append("    %%c = arith.cmpi ult, %s, %%c1 : index" % rng.choice(numbers))
    callee.append("    %%r:2 = scf.if %%c -> (index, %s) {" % T)
    for last in (False, True):
        result = program.block(callee, "      ", list(numbers), list(tensors), 0)
        callee.append("      scf.yield %s, %s : index, %s" % (result[0], result[1], T))
        callee.append("    }" if last else "    } else {")
    result = program.block(main, "    ", ["%c0", "%c1"], ["%a", "%b"], 2)
    layouts = ['[{"x"}]', "[{}]"]
    return """module attributes {pctl.form = "planned"} {
  pctl.mesh @m <["x"=2, "y"=2]>
  func.func private @callee(%%n: index, %%t: %s, %%o: %s) -> (index, %s) {
%s
    return %%r#0, %%r#1 : index, %s
  }
  func.func @main(%%a: %s {pctl.layout = #pctl.layout<@m, %s>, pctl.global_type = tensor<8xi32>},
                  %%b: %s {pctl.layout = #pctl.layout<@m, %s>, pctl.global_type = tensor<4xi32>})
      -> (%s {pctl.layout = #pctl.layout<@m, [{"x", "y"}]>, pctl.global_type = tensor<16xi32>}) {
    %%o = tensor.empty() : %s
%s
    return %s : %s
  }
}
""" % (T, T, T, "\n".join(callee), T, T, layouts[0], T, layouts[1], T, T, "\n".join(main), result[1], T)


def run(command):
    environment = dict(os.environ, PCTL_NCCL_TIMEOUT_MS="2000")
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def compare_optimized(path, seed, outputs):
    """Returns what is wrong with the optimized program; None if it does the same."""
    optimized = path + ".optimized.mlir"
    for command in (["pctl-opt", path, "--pctl-optimize-collectives", "--pctl-verify-spmd", "-o", optimized],
                    ["pctl-run", optimized, "--inputs", "random:%d" % seed, "--outputs", outputs[1]]):
        result = run(command)
        if result.returncode != 0:
            return result.stderr
    for name in os.listdir(outputs[0]):
        if not filecmp.cmp(*(os.path.join(folder, name) for folder in outputs), shallow=False):
            return name + " differs"
    return None


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    accepted = refused_fails = failures = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.mlir")
            with open(path, "w") as file:
                file.write(write(random.Random(seed)))
            check = run(["pctl-opt", path, "--pctl-verify-spmd", "-o", os.devnull])
            is_accepted = check.returncode == 0
            if not is_accepted and "communicates" not in check.stderr:
                failures += 1
                print("seed %d: %s" % (seed, check.stderr))
                continue
            outputs = [os.path.join(folder, name) for name in ("before", "after")]
            result = run(["pctl-run", path, "--inputs", "random:%d" % seed, "--outputs", outputs[0]])
            accepted += is_accepted
            refused_fails += not is_accepted and result.returncode != 0
            if is_accepted and result.returncode != 0:
                failures += 1
                print("seed %d is accepted, but: %s" % (seed, result.stderr))
                print(open(path).read())
            elif is_accepted:
                error = compare_optimized(path, seed, outputs)
                failures += error is not None
                if error:
                    print("seed %d, optimized: %s" % (seed, error))
                    print(open(path).read())
    print("%d programs, %d accepted, %d refused that fail, %d wrong" % (count, accepted, refused_fails, failures))
    sys.exit(1 if failures or not accepted or not refused_fails else 0)


if __name__ == "__main__":
    main()
