# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""The ops of linalg of random programs. See program_ops.py."""

import math

from elements import combined, index_as, of_dtype, reduced, reduction_ops
from tensor_program import is_exact, is_float, type_text


def product_shapes(program, op, shape):
    """For an op of linalg and the shape of its first operand: the shapes of the
    second operand and of the result, and the size of the contracted dim."""
    if op == "matmul":
        n = program.size()
        return (shape[1], n), (shape[0], n), shape[1]
    if op == "batch_matmul":
        n = program.size()
        return (shape[0], shape[2], n), (*shape[:2], n), shape[2]
    if op == "matvec":
        return shape[1:], shape[:1], shape[1]
    if op == "vecmat":
        n = program.size()
        return (*shape, n), (n,), shape[0]
    return shape, (), shape[0]


def add_product(program):
    dtypes = [t for t in program.dtypes if t != "i1"]
    if not dtypes:
        return
    dtype = program.random.choice(dtypes)
    tensor_ranks = {"matmul": 2, "batch_matmul": 3, "matvec": 2, "dot": 1,
                    "vecmat": 1}
    op, tensor_rank = program.random.choice(list(tensor_ranks.items()))
    known = [v for v in program.values
             if v.dtype == dtype and len(v.shape) == tensor_rank]
    if known and program.chance(0.8):
        a = program.random.choice(known)
    else:
        a = program.operand(program.shape(tensor_rank), dtype)
    b_shape, shape, count = product_shapes(program, op, a.shape)
    b, init = program.operand(b_shape, dtype), program.operand(shape, dtype)
    magnitude = init.magnitude + count * a.magnitude * b.magnitude
    if is_exact(dtype, magnitude):
        program.define(
            f"linalg.{op} ins({a.name}, {b.name} : {a.type}, {b.type})"
            f" outs({init.name} : {init.type}) -> {init.type}",
            shape, dtype, magnitude, op)


def add_reduce(program):
    a = program.operand()
    if not a.shape:
        return
    tensor_rank = len(a.shape)
    dims = sorted(program.random.sample(
        range(tensor_rank), program.random.randint(1, tensor_rank)))
    shape = [n for i, n in enumerate(a.shape) if i not in dims]
    init = program.operand(shape, a.dtype)
    count = math.prod(a.shape[i] for i in dims)

    def magnitude_of(op):
        return reduced(op, init.magnitude, a.magnitude, count)

    op = program.exact_op(reduction_ops(a.dtype), a.dtype, magnitude_of)
    program.define(
        f"linalg.reduce {{ arith.{op} }} ins({a.name} : {a.type})"
        f" outs({init.name} : {init.type}) dimensions = {dims}",
        shape, a.dtype, magnitude_of(op), "reduce")


def add_transpose(program):
    a = program.operand()
    if not a.shape:
        return
    order = list(range(len(a.shape)))
    program.random.shuffle(order)
    shape = [a.shape[i] for i in order]
    into = program.empty(shape, a.dtype)
    program.define(
        f"linalg.transpose ins({a.name} : {a.type})"
        f" outs({into} : {type_text(shape, a.dtype)}) permutation = {order}",
        shape, a.dtype, a.magnitude)


def add_broadcast(program):
    a = program.operand()
    if len(a.shape) >= program.max_tensor_rank:
        return
    dim = program.random.randint(0, len(a.shape))
    shape = (*a.shape[:dim], program.size(), *a.shape[dim:])
    into = program.empty(shape, a.dtype)
    program.define(
        f"linalg.broadcast ins({a.name} : {a.type})"
        f" outs({into} : {type_text(shape, a.dtype)}) dimensions = [{dim}]",
        shape, a.dtype, a.magnitude)


class Body:
    """The region of a generic: lines, the element so far, its magnitude."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.lines = []
        self.element = "%i0"
        self.magnitude = 0

    def apply(self, op, a, b, magnitude):
        self.element = f"%e{len(self.lines)}"
        self.lines.append(
            f"{self.element} = arith.{op} {a}, {b} : {self.dtype}")
        self.magnitude = magnitude


def add_index(program, body, sizes):
    """Adds the index of a random loop to the element."""
    loop = program.random.randrange(len(sizes))
    lines, index = index_as(body.dtype, "%index")
    body.lines += [f"%index = linalg.index {loop} : index", *lines]
    body.apply("addf" if is_float(body.dtype) else "addi", body.element, index,
               body.magnitude + sizes[loop])


def generic_body(program, inputs, init, sizes, reduced_count):
    """The region of a generic, or None if its values might not be exact.
    `reduced_count` is None where no loop reduces."""
    body, dtype = Body(init.dtype), init.dtype
    body.magnitude = inputs[0].magnitude
    if len(inputs) == 2:
        op = program.random.choice(
            of_dtype(dtype, ["mul", "add", "sub"], ["muli", "subi", "andi"]))
        body.apply(op, "%i0", "%i1",
                   combined(op, inputs[0].magnitude, inputs[1].magnitude))
    if program.chance(0.5):
        add_index(program, body, sizes)
    if not is_exact(dtype, body.magnitude):
        return None
    if reduced_count is None:
        if program.chance(0.5):
            body.apply("addf" if is_float(dtype) else "addi", body.element,
                       "%o", body.magnitude + init.magnitude)
        return body if is_exact(dtype, body.magnitude) else None

    def magnitude_of(op):
        return reduced(op, init.magnitude, body.magnitude, reduced_count)

    ops = reduction_ops(dtype)
    if program.chance(0.1):
        ops = of_dtype(dtype, ["sub"], ["subi"])
    op = program.exact_op(ops, dtype, magnitude_of)
    if op is None:
        return None
    operands = ["%o", body.element]
    if not op.startswith("sub"):
        program.random.shuffle(operands)
    body.apply(op, *operands, magnitude_of(op))
    return body


def map_text(loop_count, loops):
    names = ", ".join(f"d{i}" for i in range(loop_count))
    return f"affine_map<({names}) -> ({', '.join(f'd{i}' for i in loops)})>"


def generic_loops(program):
    """Sizes of random loops, and the loops that index each of one or two inputs
    and the result; every loop indexes something."""
    count = program.random.randint(1, 4)
    most = min(count, program.max_tensor_rank)
    out = program.random.sample(
        range(count), program.random.randint(1, most) if program.chance(0.9)
        else 0)
    if program.chance(0.4):
        out = list(range(count))
    ins = [program.random.sample(range(count), program.random.randint(0, count))
           for _ in range(program.random.randint(1, 2))]
    seen = set(out).union(*ins)
    ins[0] += [i for i in range(count) if i not in seen]
    return [program.size() for _ in range(count)], ins, out


def add_generic(program):
    sizes, ins, out = generic_loops(program)
    dtype = program.dtype()
    inputs = [program.operand([sizes[i] for i in loops], dtype)
              for loops in ins]
    shape = [sizes[i] for i in out]
    init = program.operand(shape, dtype)
    inner = [n for i, n in enumerate(sizes) if i not in out]
    body = generic_body(program, inputs, init, sizes,
                        math.prod(inner) if inner else None)
    if body is None:
        return
    maps = ", ".join(map_text(len(sizes), loops) for loops in [*ins, out])
    kinds = ", ".join('"parallel"' if i in out else '"reduction"'
                      for i in range(len(sizes)))
    elements = [f"%i{i}: {dtype}" for i in range(len(inputs))]
    text = [
        f"linalg.generic {{indexing_maps = [{maps}],"
        f" iterator_types = [{kinds}]}}"
        f" ins({', '.join(v.name for v in inputs)}"
        f" : {', '.join(v.type for v in inputs)})"
        f" outs({init.name} : {init.type}) {{",
        f"^bb0({', '.join(elements)}, %o: {dtype}):",
        *("  " + line for line in body.lines),
        f"  linalg.yield {body.element} : {dtype}",
        f"}} -> {init.type}"]
    program.define("\n".join(text), shape, dtype, body.magnitude,
                   "generic" if body.lines else "")
