# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""The ops of random programs that move, cut and make tensors. See
program_ops.py."""

import dataclasses
import math

from elements import index_as
from tensor_program import is_exact, type_text

MAX_EXPANDED_RANK = 6


def list_text(items):
    return "[" + ", ".join(map(str, items)) + "]"


def add_collapse(program):
    a = program.operand()
    if len(a.shape) < 2:
        return
    groups = [[0]]
    for dim in range(1, len(a.shape)):
        if program.chance(0.6):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    shape = [math.prod(a.shape[i] for i in group) for group in groups]
    program.define(
        f"tensor.collapse_shape {a.name} {groups} : {a.type}"
        f" into {type_text(shape, a.dtype)}",
        shape, a.dtype, a.magnitude, a.maker)


def split_size(program, size):
    """One to three sizes whose product is `size`."""
    sizes = [size]
    for _ in range(program.random.randint(0, 2)):
        i = program.random.randrange(len(sizes))
        major = program.random.choice(
            [n for n in range(1, sizes[i] + 1) if sizes[i] % n == 0])
        sizes[i:i + 1] = [major, sizes[i] // major]
    return sizes


def add_expand(program):
    a = program.operand()
    if not a.shape or 0 in a.shape:
        return
    groups, shape = [], []
    for size in a.shape:
        sizes = split_size(program, size)
        groups.append(list(range(len(shape), len(shape) + len(sizes))))
        shape += sizes
    if len(shape) <= MAX_EXPANDED_RANK:
        program.define(
            f"tensor.expand_shape {a.name} {groups} output_shape {shape}"
            f" : {a.type} into {type_text(shape, a.dtype)}",
            shape, a.dtype, a.magnitude, a.maker)


@dataclasses.dataclass
class Slice:
    """The offsets, sizes and strides of a slice, and the shape of what it
    takes, where dims of size 1 may be dropped."""

    offsets: list
    sizes: list
    strides: list
    shape: list

    def __str__(self):
        return " ".join(map(list_text, (self.offsets, self.sizes,
                                        self.strides)))


def random_cut(program, size):
    """Offset, size and stride of a slice along a dim of size `size`."""
    if program.chance(0.5):
        return 0, size, 1
    stride = program.random.choice([1, 1, 2, 3])
    offset = program.random.randint(0, size - 1)
    taken = program.random.randint(0 if 0 in program.sizes else 1,
                                   (size - 1 - offset) // stride + 1)
    return offset, taken, 1 if taken == 1 else stride


def random_slice(program, shape):
    """A slice of a tensor with dims, none of size 0. Some offsets and strides
    become operands."""
    cuts = [random_cut(program, size) for size in shape]
    result = Slice(*map(list, zip(*cuts)), [])
    result.shape = [n for n in result.sizes
                    if n != 1 or not program.chance(0.4)]
    if 0 in result.sizes:
        return result

    def maybe_operand(number):
        return (program.index_constant(number) if program.chance(0.2)
                else number)

    result.offsets = [maybe_operand(n) for n in result.offsets]
    if len(result.shape) == len(shape):
        result.strides = [n if size == 1 else maybe_operand(n)
                          for n, size in zip(result.strides, result.sizes)]
    return result


def add_extract_slice(program):
    a = program.operand()
    if not a.shape or 0 in a.shape:
        return
    cut = random_slice(program, a.shape)
    program.define(
        f"tensor.extract_slice {a.name}{cut} : {a.type}"
        f" to {type_text(cut.shape, a.dtype)}",
        cut.shape, a.dtype, a.magnitude)


def add_insert_slice(program):
    into = program.operand()
    if not into.shape or 0 in into.shape:
        return
    cut = random_slice(program, into.shape)
    a = program.operand(cut.shape, into.dtype)
    program.define(
        f"tensor.insert_slice {a.name} into {into.name}{cut} : {a.type}"
        f" into {into.type}",
        into.shape, into.dtype, max(a.magnitude, into.magnitude))


def add_concat(program):
    a = program.operand()
    if not a.shape:
        return
    dim = program.random.randrange(len(a.shape))
    b_shape, shape = list(a.shape), list(a.shape)
    b_shape[dim] = program.size()
    shape[dim] += b_shape[dim]
    b = program.operand(b_shape, a.dtype)
    program.define(
        f"tensor.concat dim({dim}) {a.name}, {b.name} : ({a.type}, {b.type})"
        f" -> {type_text(shape, a.dtype)}",
        shape, a.dtype, max(a.magnitude, b.magnitude))


def indexed_region(program, shape, dtype, scalar=None):
    """The region of a pad or generate: it yields `scalar` or, without one, the
    index along a random dim."""
    indices = ", ".join(f"%p{i}: index" for i in range(len(shape)))
    lines = []
    if scalar is None:
        dim = program.random.randrange(len(shape))
        lines, scalar = index_as(dtype, f"%p{dim}")
    return "\n".join([f"^bb0({indices}):", *("  " + line for line in lines),
                      f"  tensor.yield {scalar} : {dtype}", "}"])


def add_pad(program):
    a = program.operand()
    if not a.shape:
        return
    low = [program.random.choice([0, 0, 1, 2]) for _ in a.shape]
    high = [program.random.choice([0, 0, 1]) for _ in a.shape]
    shape = [sum(sizes) for sizes in zip(low, a.shape, high)]
    scalar, magnitude = None, max(a.magnitude, *shape)
    if program.chance(0.6):
        scalar, magnitude = program.scalar_constant(a.dtype), a.magnitude + 3
    region = indexed_region(program, shape, a.dtype, scalar)
    if is_exact(a.dtype, magnitude):
        program.define(
            f"tensor.pad {a.name} low{low} high{high} {{\n{region}"
            f" : {a.type} to {type_text(shape, a.dtype)}",
            shape, a.dtype, magnitude, "pad" if any(low + high) else "")


def add_generate(program):
    shape, dtype = program.shape(), program.dtype()
    if not shape:
        return
    region = indexed_region(program, shape, dtype)
    program.define(
        f"tensor.generate {{\n{region} : {type_text(shape, dtype)}",
        shape, dtype, max(shape), "generate")


def add_dim(program):
    a = program.operand()
    if not a.shape:
        return
    dim = program.random.randrange(len(a.shape))
    index = program.index_constant(dim)
    size = program.define_scalar(f"tensor.dim {a.name}, {index} : {a.type}")
    number = program.define_scalar(f"arith.index_cast {size} : index to i32")
    shape = program.shape()
    program.define(f"tensor.splat {number} : {type_text(shape, 'i32')}", shape,
                   "i32", a.shape[dim])
