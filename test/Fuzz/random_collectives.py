# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Runs random planned programs before and after pctl-optimize-collectives.

    random_collectives.py FIRST COUNT

For each seed from FIRST on, a program of collectives and tensor ops on a mesh of
2x2 is written, run, optimized and run again on the same inputs. What ranks hold
must be equal in all bits, so that elements are integers, of which sums are exact
in any order. Each rank's part of each result is compared: results are declared
to be cut by the whole mesh. Prints a seed that fails, with its program; exits 1
if there is one.
"""

import filecmp
import os
import random
import subprocess
import sys
import tempfile

AXES = [["x"], ["y"], ["x", "y"], ["y", "x"]]
SIZES = [1, 2, 4, 8]
MAX_ELEMENTS = 256


def type_of(shape):
    return "tensor<%sxi32>" % "x".join(str(n) for n in shape)


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.count = 0
        # Each is (name, shape).
        self.values = []
        self.used = set()

    def new(self, text, shape):
        name = "%%v%d" % self.count
        self.count += 1
        self.lines.append("    %s = %s" % (name, text))
        self.values.append((name, shape))
        return name

    def pick(self, shape=None, but=None):
        """Returns a value, of the shape if one is given, most often a late one that
        nobody uses yet: what is used twice is seldom rewritten."""
        fitting = [v for v in self.values if shape is None or v[1] == shape]
        fitting = [v for v in fitting if v[0] != but] or fitting
        unused = [v for v in fitting if v[0] not in self.used]
        if unused and self.rng.random() < 0.8:
            fitting = unused
        value = fitting[max(0, len(fitting) - 1 - int(self.rng.expovariate(0.7)))]
        self.used.add(value[0])
        return value

    def empty(self, shape):
        name = "%%e%d" % self.count
        self.count += 1
        self.lines.append("    %s = tensor.empty() : %s" % (name, type_of(shape)))
        return name

    def collective(self):
        rng = self.rng
        name, shape = self.pick()
        # Few axes, so that they meet.
        axes = rng.choice(AXES[:1] * 4 + AXES)
        group = 2 ** len(axes)
        dim = rng.randrange(len(shape))
        size = 1
        for n in shape:
            size *= n
        kind = rng.choice(["all_reduce"] * 3 + ["all_gather"] * 3 + ["all_slice"] * 2 + ["reduce_scatter"])
        out, extra = list(shape), ""
        if kind in ("all_slice", "reduce_scatter"):
            if shape[dim] % group:
                return
            out[dim] //= group
        if kind == "all_gather":
            if size * group > MAX_ELEMENTS:
                return
            out[dim] *= group
        if kind != "all_reduce":
            extra = "dim = %d " % dim
        if kind in ("all_reduce", "reduce_scatter"):
            reduction = rng.choice(["sum", "sum", "sum", "maxsi", "xor"])
            extra = "kind = %s " % reduction + extra
        self.new("pctl.%s ins(%s : %s) outs(%s : %s) %saxes = [%s] on @m -> %s" % (
            kind, name, type_of(shape), self.empty(out), type_of(out), extra,
            ", ".join('"%s"' % a for a in axes), type_of(out)), out)

    def collective_like(self, a, b, shape):
        """Gathers or reduces both values along the same axes."""
        results = []
        kind = self.rng.choice(["gather", "reduce"])
        dim = self.rng.randrange(len(shape))
        out = list(shape)
        if kind == "gather":
            out[dim] *= 2
        for name in (a, b):
            text = ("pctl.all_gather ins(%s : %s) outs(%s : %s) dim = {} axes = [\"x\"] on @m -> %s".format(dim)
                    if kind == "gather" else
                    "pctl.all_reduce ins(%s : %s) outs(%s : %s) kind = sum axes = [\"x\"] on @m -> %s")
            results.append(self.new(text % (name, type_of(shape), self.empty(out), type_of(out), type_of(out)), out))
            if self.rng.random() < 0.3 and len(out) == 2:
                # Something between them and what they meet in.
                results[-1] = self.new("arith.muli %s, %s : %s" % (results[-1], self.factor(out), type_of(out)), out)
            self.used.update(results)
        return results

    def factor(self, shape):
        name = "%%k%d" % self.count
        self.count += 1
        self.lines.append("    %s = arith.constant dense<3> : %s" % (name, type_of(shape)))
        return name

    def elementwise(self):
        a, shape = self.pick()
        if self.rng.random() < 0.5:
            # Of two that are made alike.
            other, _ = self.pick(shape, but=a)
            a, b = self.collective_like(a, other, shape)
            shape = next(s for n, s in self.values if n == a)
        else:
            b, _ = self.pick(shape)
        op = self.rng.choice(["arith.addi", "arith.subi", "arith.muli", "arith.maxsi"])
        self.new("%s %s, %s : %s" % (op, a, b, type_of(shape)), shape)

    def transpose(self):
        a, shape = self.pick()
        out = shape[::-1]
        self.new("linalg.transpose ins(%s : %s) outs(%s : %s) permutation = [%s]" % (
            a, type_of(shape), self.empty(out), type_of(out),
            ", ".join(str(i) for i in reversed(range(len(shape))))), out)

    def broadcast(self):
        a, shape = self.pick()
        if len(shape) != 1:
            return
        dim = self.rng.randrange(2)
        out = list(shape)
        out.insert(dim, self.rng.choice(SIZES))
        self.new("linalg.broadcast ins(%s : %s) outs(%s : %s) dimensions = [%d]" % (
            a, type_of(shape), self.empty(out), type_of(out), dim), out)

    def reduce(self):
        a, shape = self.pick()
        if len(shape) != 2:
            return
        dim = self.rng.randrange(2)
        out = [shape[1 - dim]]
        self.new("linalg.reduce { arith.addi } ins(%s : %s) outs(%s : %s) dimensions = [%d]" % (
            a, type_of(shape), self.fill(out), type_of(out), dim), out)

    def fill(self, shape):
        start = self.rng.choice(["%zero", "%zero", "%three", "%where"])
        name = "%%f%d" % self.count
        empty = self.empty(shape)
        self.lines.append("    %s = linalg.fill ins(%s : i32) outs(%s : %s) -> %s" % (
            name, start, empty, type_of(shape), type_of(shape)))
        return name

    def matmul(self):
        a, shape = self.pick()
        if len(shape) != 2:
            return
        fitting = [v for v in self.values if len(v[1]) == 2 and v[1][0] == shape[1]]
        if not fitting:
            return
        b, other = self.rng.choice(fitting)
        out = [shape[0], other[1]]
        if out[0] * out[1] > MAX_ELEMENTS:
            return
        self.new("linalg.matmul ins(%s, %s : %s, %s) outs(%s : %s) -> %s" % (
            a, b, type_of(shape), type_of(other), self.fill(out), type_of(out), type_of(out)), out)

    def body(self):
        """A generic with a row bias, a constant and what differs between ranks."""
        a, shape = self.pick()
        rows = [v for v in self.values if v[1] == [shape[-1]]]
        if len(shape) != 2 or not rows:
            return
        b, _ = self.rng.choice(rows)
        captured = self.rng.choice(["%three", "%three", "%where"])
        ops = [self.rng.choice(["muli", "addi"]) for _ in range(2)]
        self.new("""linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s, %s : %s, %s) outs(%s : %s) {
    ^bb0(%%x: i32, %%y: i32, %%z: i32):
      %%p = arith.%s %%x, %%y : i32
      %%q = arith.%s %%p, %s : i32
      linalg.yield %%q : i32
    } -> %s""" % (a, b, type_of(shape), type_of([shape[-1]]), self.empty(shape), type_of(shape),
                  ops[0], ops[1], captured, type_of(shape)), shape)

    def slice(self):
        a, shape = self.pick()
        out = [self.rng.choice([n for n in SIZES if n <= size]) for size in shape]
        offsets = [self.rng.randrange(size - n + 1) for size, n in zip(shape, out)]
        self.new("tensor.extract_slice %s[%s] [%s] [%s] : %s to %s" % (
            a, ", ".join(map(str, offsets)), ", ".join(map(str, out)), ", ".join("1" for _ in out),
            type_of(shape), type_of(out)), out)


def write(rng):
    program = Program(rng)
    args = []
    for i in range(4):
        shape = [rng.choice(SIZES[1:]) for _ in range(rng.choice([1, 2, 2]))]
        cut = rng.choice([[], ["x"], ["x", "y"], ["y"]])
        whole = [shape[0] * 2 ** len(cut)] + shape[1:]
        dims = ["{%s}" % ", ".join('"%s"' % a for a in cut)] + ["{}"] * (len(shape) - 1)
        args.append("%%a%d: %s {pctl.layout = #pctl.layout<@m, [%s]>, pctl.global_type = %s}" % (
            i, type_of(shape), ", ".join(dims), type_of(whole)))
        program.values.append(("%%a%d" % i, shape))
    steps = [program.collective] * 6 + [program.elementwise] * 4 + [
        program.transpose, program.broadcast, program.reduce, program.matmul, program.body, program.slice]
    for _ in range(rng.randrange(8, 24)):
        rng.choice(steps)()
    results = [v for v in program.values if v[0] not in program.used][-6:] or program.values[-1:]
    types = []
    for _, shape in results:
        dims = ['{"x", "y"}'] + ["{}"] * (len(shape) - 1)
        types.append("%s {pctl.layout = #pctl.layout<@m, [%s]>, pctl.global_type = %s}" % (
            type_of(shape), ", ".join(dims), type_of([shape[0] * 4] + shape[1:])))
    return """#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
module attributes {pctl.form = "planned"} {
  pctl.mesh @m <["x"=2, "y"=2]>
  func.func @main(%s) -> (%s) {
    %%zero = arith.constant 0 : i32
    %%three = arith.constant 3 : i32
    %%i = pctl.axis_index ["x"] on @m : index
    %%where = arith.index_cast %%i : index to i32
%s
    return %s : %s
  }
}
""" % (", ".join(args), ", ".join(types), "\n".join(program.lines),
       ", ".join(name for name, _ in results), ", ".join(type_of(shape) for _, shape in results))


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stderr if result.returncode else None


def check(seed, folder):
    before, after = os.path.join(folder, "before.mlir"), os.path.join(folder, "after.mlir")
    with open(before, "w") as file:
        file.write(write(random.Random(seed)))
    outputs = [os.path.join(folder, name) for name in ("before", "after")]
    for command in (
        ["pctl-opt", before, "--pctl-optimize-collectives", "--pctl-verify-spmd", "-o", after],
        ["pctl-run", before, "--inputs", "random:%d" % seed, "--outputs", outputs[0]],
        ["pctl-run", after, "--inputs", "random:%d" % seed, "--outputs", outputs[1]]):
        error = run(command)
        if error:
            return " ".join(command) + "\n" + error
    for name in sorted(os.listdir(outputs[0])):
        if not filecmp.cmp(os.path.join(outputs[0], name), os.path.join(outputs[1], name), shallow=False):
            return "%s differs" % name
    return None


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    failures = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            error = check(seed, folder)
            if error:
                failures += 1
                print("seed %d: %s" % (seed, error))
                print(open(os.path.join(folder, "before.mlir")).read())
    print("%d programs, %d failed" % (count, failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
