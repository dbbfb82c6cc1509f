# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""The ops of random programs: each function adds one, on random operands.

A function that finds no fitting operands, or whose result might not be exact,
adds no op; operands that it made meanwhile stay. Left out is what upstream
refuses or crashes on: linalg.transpose of tensor rank 0, slices of dims of size
0, strides other than 1 where the size is 1, operands as offsets or strides of
empty slices and as strides of slices that drop dims.
"""

import dataclasses

import linalg_ops
import shape_ops
import window_ops
from elements import combined, of_dtype
from tensor_program import WIDTHS, is_exact, is_float, type_text

LOOP_COUNT = 3


def add_binary(program):
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    ops = of_dtype(a.dtype, ["add", "sub", "mul", "maximum", "minnum"],
                   ["addi", "subi", "muli", "andi", "xori", "maxsi", "minui"])

    def magnitude_of(op):
        return combined(op, a.magnitude, b.magnitude)

    op = program.exact_op(ops, a.dtype, magnitude_of)
    program.define(f"arith.{op} {a.name}, {b.name} : {a.type}", a.shape,
                   a.dtype, magnitude_of(op))


def add_unary(program):
    a = program.operand()
    ops = (["arith.negf", "math.absf", "math.floor"] if is_float(a.dtype)
           else ["math.ctpop", "math.absi"])
    op = program.random.choice(ops)
    magnitude = WIDTHS[a.dtype] if op == "math.ctpop" else a.magnitude
    program.define(f"{op} {a.name} : {a.type}", a.shape, a.dtype, magnitude)


def add_cast(program):
    a = program.operand()
    to = program.random.choice(program.dtypes + ["f32", "i32"])
    wider = WIDTHS[to] > WIDTHS[a.dtype]
    magnitude = a.magnitude
    if is_float(a.dtype) != is_float(to):
        if is_float(a.dtype):
            return
        op = "uitofp" if a.dtype == "i1" else "sitofp"
    elif WIDTHS[to] == WIDTHS[a.dtype]:
        return
    elif is_float(to):
        op = "extf" if wider else "truncf"
    else:
        op = program.random.choice(["extsi", "extui"]) if wider else "trunci"
        if op == "extui":
            magnitude = 2 ** WIDTHS[a.dtype]
    if is_exact(to, magnitude):
        program.define(
            f"arith.{op} {a.name} : {a.type} to {type_text(a.shape, to)}",
            a.shape, to, magnitude)


def scalar_condition(program):
    """The name of an i1 that is an element of a tensor."""
    tensor = program.operand((), "i1")
    return program.define_scalar(f"tensor.extract {tensor.name}[] : tensor<i1>")


def add_select(program):
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    if program.chance(0.4):
        condition, types = scalar_condition(program), a.type
    else:
        compare = "cmpf olt" if is_float(a.dtype) else "cmpi slt"
        mask = program.define(
            f"arith.{compare}, {a.name}, {b.name} : {a.type}", a.shape, "i1", 1)
        condition, types = mask.name, f"{mask.type}, {a.type}"
    program.define(f"arith.select {condition}, {a.name}, {b.name} : {types}",
                   a.shape, a.dtype, max(a.magnitude, b.magnitude))


def add_shard(program):
    a = program.operand()
    program.declares_mesh = True
    layout = program.layout(a.shape, quote='"')
    program.define(f"pctl.shard {a.name} to <@mesh, {layout}> : {a.type}",
                   a.shape, a.dtype, a.magnitude, a.maker)


@dataclasses.dataclass
class Function:
    """A private function of two tensors %x and %y of one type."""

    name: str
    shape: tuple
    dtype: str
    lines: list

    @property
    def text(self):
        type_ = type_text(self.shape, self.dtype)
        head = (f"func.func private {self.name}(%x: {type_}, %y: {type_})"
                f" -> {type_} {{")
        body = [f"  {line} : {type_}" for line in self.lines]
        return "\n".join([head, *body, "}"])

    def magnitude(self, x, y):
        """The magnitude of the result, from those of the arguments."""
        return {1: y, 2: x + y, 3: x * x + y}[len(self.lines)]


def random_function(program):
    shape, dtype = program.shape(), program.dtype()
    end = "f" if is_float(dtype) else "i"
    lines = program.random.choice([
        ["return %y"],
        [f"%0 = arith.add{end} %x, %y", "return %0"],
        [f"%0 = arith.mul{end} %x, %x", f"%1 = arith.sub{end} %0, %y",
         "return %1"]])
    function = Function(f"@f{len(program.functions)}", shape, dtype, lines)
    program.functions.append(function)
    return function


def add_call(program):
    if program.functions and program.chance(0.7):
        function = program.random.choice(program.functions)
    else:
        function = random_function(program)
    x = program.operand(function.shape, function.dtype)
    y = program.operand(function.shape, function.dtype)
    magnitude = function.magnitude(x.magnitude, y.magnitude)
    if is_exact(x.dtype, magnitude):
        program.define(
            f"func.call {function.name}({x.name}, {y.name})"
            f" : ({x.type}, {x.type}) -> {x.type}",
            x.shape, x.dtype, magnitude)


def add_if(program):
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    add = "addf" if is_float(a.dtype) else "addi"
    magnitude = a.magnitude + b.magnitude
    if is_exact(a.dtype, magnitude):
        condition = scalar_condition(program)
        program.define(
            f"scf.if {condition} -> ({a.type}) {{\n"
            f"  %x = arith.{add} {a.name}, {b.name} : {a.type}\n"
            f"  scf.yield %x : {a.type}\n"
            "} else {\n"
            f"  scf.yield {b.name} : {a.type}\n"
            "}", a.shape, a.dtype, magnitude)


def inner_shard(program, name, value, chance):
    """Lines that may lay out `name`, of the type of `value`, anew inside a body,
    and the name of what is then laid out."""
    if not program.chance(chance):
        return "", name
    program.declares_mesh = True
    layout = program.layout(value.shape, quote='"')
    return (f"  {name}s = pctl.shard {name} to <@mesh, {layout}>"
            f" : {value.type}\n", f"{name}s")


def add_nested(program):
    """A branch in a loop that swaps what it carries."""
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    add = "addf" if is_float(a.dtype) else "addi"
    # Each turn adds what is carried: as the numbers of Fibonacci.
    magnitude = 2**LOOP_COUNT * (a.magnitude + b.magnitude)
    if not is_exact(a.dtype, magnitude):
        return
    low, high, step = map(program.index_constant, (0, LOOP_COUNT, 1))
    shard, sum_name = inner_shard(program, "%x", a, 0.5)
    shard_else, other_name = inner_shard(program, "%z", a, 0.3)
    program.define(
        f"scf.for %i = {low} to {high} step {step}"
        f" iter_args(%s = {a.name}, %t = {b.name}) -> ({a.type}, {a.type}) {{\n"
        f"  %first = arith.cmpi slt, %i, {step} : index\n"
        f"  %y = scf.if %first -> ({a.type}) {{\n"
        f"  %x = arith.{add} %s, %t : {a.type}\n{shard}"
        f"  scf.yield {sum_name} : {a.type}\n"
        "  } else {\n"
        f"  %z = arith.{add} %t, {b.name} : {a.type}\n{shard_else}"
        f"  scf.yield {other_name} : {a.type}\n"
        "  }\n"
        f"  scf.yield %t, %y : {a.type}, {a.type}\n"
        "}", a.shape, a.dtype, magnitude, results=2)


def add_while(program):
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    add = "addf" if is_float(a.dtype) else "addi"
    magnitude = a.magnitude + LOOP_COUNT * b.magnitude
    if not is_exact(a.dtype, magnitude):
        return
    low, high, step = map(program.index_constant, (0, LOOP_COUNT, 1))
    before, passed = inner_shard(program, "%x", a, 0.4)
    after, yielded = inner_shard(program, "%y", a, 0.4)
    program.define(
        f"scf.while (%x = {a.name}, %n = {low}) : ({a.type}, index)"
        f" -> ({a.type}, index) {{\n"
        f"  %more = arith.cmpi slt, %n, {high} : index\n{before}"
        f"  scf.condition(%more) {passed}, %n : {a.type}, index\n"
        "} do {\n"
        f"^bb0(%w: {a.type}, %m: index):\n"
        f"  %k = arith.addi %m, {step} : index\n"
        f"  %y = arith.{add} %w, {b.name} : {a.type}\n{after}"
        f"  scf.yield {yielded}, %k : {a.type}, index\n"
        "}", a.shape, a.dtype, magnitude, results=2)


def add_for(program):
    a = program.operand()
    b = program.operand(a.shape, a.dtype)
    add = "addf" if is_float(a.dtype) else "addi"
    magnitude = a.magnitude + LOOP_COUNT * b.magnitude
    if is_exact(a.dtype, magnitude):
        low, high, step = map(program.index_constant, (0, LOOP_COUNT, 1))
        program.define(
            f"scf.for %i = {low} to {high} step {step}"
            f" iter_args(%it = {a.name}) -> ({a.type}) {{\n"
            f"  %x = arith.{add} %it, {b.name} : {a.type}\n"
            f"  scf.yield %x : {a.type}\n"
            "}", a.shape, a.dtype, magnitude)


# How often each op is drawn, relative to the others.
OP_WEIGHTS = {
    add_binary: 3,
    add_unary: 1,
    add_cast: 1,
    add_select: 1,
    linalg_ops.add_product: 3,
    linalg_ops.add_reduce: 2,
    linalg_ops.add_transpose: 1,
    linalg_ops.add_broadcast: 1,
    linalg_ops.add_generic: 3,
    shape_ops.add_collapse: 2,
    shape_ops.add_expand: 2,
    shape_ops.add_extract_slice: 2,
    shape_ops.add_insert_slice: 1,
    shape_ops.add_concat: 1,
    shape_ops.add_pad: 1,
    shape_ops.add_generate: 1,
    shape_ops.add_dim: 1,
    window_ops.add_window: 3,
    window_ops.add_named_window: 2,
    window_ops.add_table: 2,
    window_ops.add_argmax: 1,
    add_shard: 1,
    add_call: 1,
    add_if: 1,
    add_for: 1,
    add_nested: 1,
    add_while: 1,
}


def add_random_op(program):
    op, = program.random.choices(list(OP_WEIGHTS), OP_WEIGHTS.values())
    op(program)
