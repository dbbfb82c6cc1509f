# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""A random tensor program under construction, with random layouts.

Every draw comes from one seeded generator, so that a seed is a program. Floats
hold integers that their type represents exactly: each value carries a bound of
its elements' magnitudes, sums of magnitudes included, and an op that might
exceed what is exact is not emitted. A result that differs is thus a fault and
never a rounding.
"""

import dataclasses
import math
import random

# The greatest magnitude up to which a type represents every integer.
EXACT_LIMITS = {"bf16": 2**8, "f16": 2**11, "f32": 2**24, "f64": 2**53}
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64,
          "bf16": 16, "f16": 16, "f32": 32, "f64": 64}
# The greatest magnitude of an element of an argument, and of a constant.
MAX_ARGUMENT = 4
MAX_LITERAL = 3
MAX_ARGUMENTS = 6
MAX_OPS = 7

DTYPE_CHOICES = [
    ["f32"], ["f32"], ["i32"], ["f32", "i32"], ["f64", "i64"], ["i8", "i1"],
    ["i1"], ["f16"], ["bf16"], ["i64"], ["f32", "i1", "i32"], ["i16", "i32"]]
SIZE_CHOICES = [[4, 8], [8], [6, 4, 2], [5, 7, 3], [1, 2, 3, 4, 5, 6, 7, 8],
                [2, 4, 8, 1], [3, 4, 0, 2], [4, 6, 8, 12]]
MESH_CHOICES = [
    {"x": 2}, {"x": 3}, {"x": 4}, {"x": 5}, {"x": 6}, {"x": 8},
    {"x": 2, "y": 2}, {"x": 2, "y": 3}, {"x": 4, "y": 2}, {"x": 2, "y": 4},
    {"x": 1, "y": 4}, {"x": 2, "y": 2, "z": 2}]
# For the size of an axis, the lists of (size before it, size) of sub-axes that
# make up the axis.
SUB_AXIS_CHOICES = {
    4: [[(1, 2), (2, 2)]],
    6: [[(1, 2), (2, 3)], [(1, 3), (3, 2)]],
    8: [[(1, 2), (2, 4)], [(1, 4), (4, 2)], [(1, 2), (2, 2), (4, 2)]]}


def is_float(dtype):
    return dtype in EXACT_LIMITS


def is_exact(dtype, magnitude):
    """Whether `dtype` holds all integers up to `magnitude`. Integer types wrap
    around, which is exact."""
    return not is_float(dtype) or magnitude <= EXACT_LIMITS[dtype]


def type_text(shape, dtype):
    return "tensor<" + "".join(f"{size}x" for size in shape) + dtype + ">"


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor of the program. `maker` is the op that computed its elements
    where that op can be neither folded away nor become an alias, else ""."""

    name: str
    shape: tuple
    dtype: str
    magnitude: int
    maker: str = ""

    @property
    def type(self):
        return type_text(self.shape, self.dtype)


def may_alias(a, b):
    """Whether two values may turn out to be one allocation, be it that one is a
    reshape of the other or that folding and CSE make them the same. A program
    that returns an allocation twice is not accepted."""
    same_extent = (a.dtype == b.dtype
                   and math.prod(a.shape) == math.prod(b.shape))
    computed_apart = a.maker and b.maker and a.maker != b.maker
    return same_extent and not computed_apart


class Program:
    """The function @main, what it needs around it, and its layouts."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dtypes = self.random.choice(DTYPE_CHOICES)
        self.sizes = self.random.choice(SIZE_CHOICES)
        self.mesh = self.random.choice(MESH_CHOICES)
        self.max_tensor_rank = self.random.choice([1, 2, 2, 3, 3, 4])
        self.declares_mesh = False
        self.arguments = []
        self.values = []
        self.results = []
        self.functions = []
        self.lines = []
        self.name_count = 0

    # Draws.

    def chance(self, probability):
        return self.random.random() < probability

    def size(self):
        return self.random.choice(self.sizes)

    def shape(self, tensor_rank=None):
        if tensor_rank is None:
            least = 0 if self.chance(0.15) else 1
            tensor_rank = self.random.randint(least, self.max_tensor_rank)
        return tuple(self.size() for _ in range(tensor_rank))

    def dtype(self):
        return self.random.choice(self.dtypes)

    def exact_op(self, names, dtype, magnitude_of):
        """One of the ops `names` for whose result, of magnitude
        `magnitude_of(name)`, `dtype` is exact; None if there is none."""
        exact = [n for n in names if is_exact(dtype, magnitude_of(n))]
        return self.random.choice(exact) if exact else None

    # Text.

    def fresh_name(self):
        self.name_count += 1
        return f"%v{self.name_count}"

    def emit(self, *lines):
        self.lines += ["  " + line for line in lines]

    def define_scalar(self, operation):
        """Emits an op whose result is no tensor; gives the result's name."""
        name = self.fresh_name()
        self.emit(f"{name} = {operation}")
        return name

    def define(self, operation, shape, dtype, magnitude, maker="", results=1):
        """Emits an op, given by the lines of its text, whose first result is a
        tensor."""
        if not is_float(dtype):
            magnitude = min(magnitude, 2**WIDTHS[dtype])
        name = self.fresh_name()
        first, *rest = operation.split("\n")
        self.emit(f"{name}{f':{results}' * (results > 1)} = {first}", *rest)
        value = Value(name + "#0" * (results > 1), tuple(shape), dtype,
                      magnitude, maker)
        self.values.append(value)
        return value

    # Values without operands.

    def argument(self, shape, dtype):
        value = Value(f"%a{len(self.arguments)}", tuple(shape), dtype,
                      1 if dtype == "i1" else MAX_ARGUMENT)
        self.arguments.append(value)
        self.values.append(value)
        return value

    def literal(self, dtype):
        if dtype == "i1":
            return self.random.choice(["true", "false"])
        number = self.random.randint(-MAX_LITERAL, MAX_LITERAL)
        return f"{number}.0" if is_float(dtype) else str(number)

    def scalar_constant(self, dtype):
        suffix = "" if dtype == "i1" else f" : {dtype}"
        return self.define_scalar(
            f"arith.constant {self.literal(dtype)}{suffix}")

    def index_constant(self, number):
        return self.define_scalar(f"arith.constant {number} : index")

    def empty(self, shape, dtype):
        return self.define_scalar(f"tensor.empty() : {type_text(shape, dtype)}")

    def constant(self, shape, dtype):
        def nested(sizes):
            if not sizes:
                return self.literal(dtype)
            rows = (nested(sizes[1:]) for _ in range(sizes[0]))
            return "[" + ", ".join(rows) + "]"

        count = math.prod(shape)
        if count == 0:
            elements = ""
        elif count > 200 or self.chance(0.3):
            elements = self.literal(dtype)
        else:
            elements = nested(shape)
        text = f"arith.constant dense<{elements}> : {type_text(shape, dtype)}"
        return self.define(text, shape, dtype, MAX_LITERAL)

    def fill(self, shape, dtype):
        scalar, into = self.scalar_constant(dtype), self.empty(shape, dtype)
        result_type = type_text(shape, dtype)
        return self.define(
            f"linalg.fill ins({scalar} : {dtype}) outs({into} : {result_type})"
            f" -> {result_type}", shape, dtype, MAX_LITERAL)

    def splat(self, shape, dtype):
        scalar = self.scalar_constant(dtype)
        return self.define(f"tensor.splat {scalar} : {type_text(shape, dtype)}",
                           shape, dtype, MAX_LITERAL)

    def operand(self, shape=None, dtype=None):
        """A value of the shape and type asked for: an earlier one, late ones
        rather than early ones, or else a new one."""
        known = [v for v in self.values
                 if (shape is None or v.shape == tuple(shape))
                 and (dtype is None or v.dtype == dtype)]
        may_add = len(self.arguments) < MAX_ARGUMENTS
        if known and not (may_add and self.chance(0.35)):
            return self.random.choice(known[-4:] if self.chance(0.7) else known)
        shape = self.shape() if shape is None else shape
        dtype = dtype or self.dtype()
        if may_add and self.chance(0.9):
            return self.argument(shape, dtype)
        make = self.random.choice([self.constant, self.fill, self.splat])
        return make(shape, dtype)

    # Layouts.

    def axis_parts(self):
        """The axes of the mesh, some as their sub-axes, in random order: name,
        what follows the name, size."""
        parts = []
        for axis, size in self.mesh.items():
            if size in SUB_AXIS_CHOICES and self.chance(0.4):
                factors = self.random.choice(SUB_AXIS_CHOICES[size])
                parts += [(axis, f":({before}){part}", part)
                          for before, part in factors]
            else:
                parts.append((axis, "", size))
        self.random.shuffle(parts)
        return parts

    def block_sizes(self, size, block_count):
        """Explicit sizes of the blocks of a dim, most often uneven ones."""
        cuts = sorted(self.random.randint(0, size)
                      for _ in range(block_count - 1))
        edges = [0, *cuts, size]
        return ",".join(str(end - begin)
                        for begin, end in zip(edges, edges[1:]))

    def layout(self, shape, quote=""):
        """The text of a layout; `quote` goes around the names of axes."""
        cut_by = [[] for _ in shape]
        for part in self.axis_parts():
            if shape and self.chance(0.75):
                self.random.choice(cut_by).append(part)
        dims = []
        for size, parts in zip(shape, cut_by):
            names = [quote + axis + quote + suffix for axis, suffix, _ in parts]
            is_open = self.chance(0.15)
            text = "{" + ", ".join(names + ["?"] * is_open) + "}"
            if parts and not is_open and self.chance(0.12):
                count = math.prod(part_size for _, _, part_size in parts)
                text += f":[{self.block_sizes(size, count)}]"
            dims.append(text)
        return "[" + ", ".join(dims) + "]"

    # The whole.

    def finish(self):
        """Chooses what the program returns. A program without a value gets an
        argument; one in ten gets an argument that nothing reads."""
        if not self.values:
            self.operand()
        self.results = [self.values[-1]]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            value = self.random.choice(self.values)
            if not any(may_alias(value, other) for other in self.results):
                self.results.append(value)
        if self.chance(0.1):
            self.argument(self.shape(), self.dtype())

    def text(self):
        """The program as MLIR."""
        lines = []
        if self.declares_mesh:
            axes = ", ".join(f'"{a}"={n}' for a, n in self.mesh.items())
            lines.append(f"pctl.mesh @mesh <[{axes}]>")
        lines += [function.text for function in self.functions]
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.arguments)
        names = ", ".join(v.name for v in self.results)
        types = ", ".join(v.type for v in self.results)
        lines.append(f"func.func @main({arguments}) -> ({types}) {{")
        lines += self.lines
        lines += [f"  return {names} : {types}", "}"]
        return "\n".join(lines) + "\n"

    def options(self):
        """The options of pctl-run that give the mesh and random layouts of some
        arguments and results. Each call draws new ones."""
        options = []
        if not self.declares_mesh:
            axes = ",".join(f"{a}={n}" for a, n in self.mesh.items())
            options += ["--mesh", axes]
        ports = [(str(i), v, 0.7) for i, v in enumerate(self.arguments)]
        ports += [(f"result{i}", v, 0.5) for i, v in enumerate(self.results)]
        for port, value, probability in ports:
            if self.chance(probability):
                options += ["--layout", f"{port}={self.layout(value.shape)}"]
        return options
