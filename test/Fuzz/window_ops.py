# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Windows, tables and arguments of maxima: the ops of random programs that read
elsewhere than at their own place. See program_ops.py."""

import dataclasses
import math

from elements import of_dtype, reduced, reduction_ops
from tensor_program import Value, is_exact, is_float, type_text

MAX_WINDOW = 5
MAX_STRIDE = 3


def map_text(loop_count, exprs):
    names = ", ".join(f"d{i}" for i in range(loop_count))
    return f"affine_map<({names}) -> ({', '.join(exprs)})>"


@dataclasses.dataclass
class Window:
    """How a dim is read: `out` times, `size` places each time."""

    out: int
    size: int
    stride: int
    dilation: int
    start: int
    is_turned: bool

    def expr(self, outer, inner):
        """The index as a function of the two loops, given by their names."""
        sign, start = "+", self.start
        if self.is_turned:
            sign, start = "-", start + self.dilation * (self.size - 1)
        return f"{outer} * {self.stride} {sign} {inner} * {self.dilation} + {start}"


def random_window(program, extent):
    """A window that fits a dim of `extent`, which is not 0."""
    random = program.random
    size = random.randint(1, min(extent, MAX_WINDOW))
    dilation = 1
    if size > 1 and program.chance(0.3):
        dilation = random.randint(1, (extent - 1) // (size - 1))
    room = extent - (size - 1) * dilation - 1
    stride = random.randint(1, MAX_STRIDE) if program.chance(0.5) else 1
    out = room // stride + 1
    if program.chance(0.2):
        out = random.randint(1, out)
    start = random.randint(0, room - stride * (out - 1))
    if program.chance(0.6):
        start = 0
    return Window(out, size, stride, dilation, start, program.chance(0.15))


def add_window(program):
    """A generic that slides a window over some dims of its first operand and
    sums products with a second one, or reduces."""
    a = program.operand()
    if not a.shape or 0 in a.shape:
        return
    windows = [random_window(program, n) if program.chance(0.7)
               else Window(n, 1, 1, 1, 0, False) for n in a.shape]
    # In the gradient of the kernel the long loops are the reduced ones.
    is_gradient = program.chance(0.15)
    count = len(windows)
    outer = [f"d{i}" for i in range(count)]
    inner = [f"d{count + i}" for i in range(count)]
    outer_shape = [w.out for w in windows]
    inner_shape = [w.size for w in windows]
    other, result = inner, outer
    other_shape, shape = inner_shape, outer_shape
    if is_gradient:
        other, result = outer, inner
        other_shape, shape = outer_shape, inner_shape
    k, init = program.operand(other_shape, a.dtype), program.operand(
        shape, a.dtype)
    terms = math.prod(other_shape)
    is_product = is_gradient or program.chance(0.6)
    element = a.magnitude * k.magnitude if is_product else a.magnitude
    ops = reduction_ops(a.dtype)
    if is_product:
        ops = of_dtype(a.dtype, ["add"], ["addi"])
    op = program.exact_op(
        ops, a.dtype,
        lambda name: max(element, reduced(name, init.magnitude, element, terms)))
    if op is None:
        return
    suffix = "f" if is_float(a.dtype) else "i"
    index = [w.expr(o, i) for w, o, i in zip(windows, outer, inner)]
    maps = ", ".join(map_text(2 * count, exprs)
                     for exprs in (index, other, result))
    kinds = ["parallel"] * count + ["reduction"] * count
    if is_gradient:
        kinds.reverse()
    kinds = ", ".join(f'"{kind}"' for kind in kinds)
    first = (f"  %e = arith.mul{suffix} %x, %k : {a.dtype}\n"
             if is_product else "")
    program.define(
        f"linalg.generic {{indexing_maps = [{maps}],"
        f" iterator_types = [{kinds}]}}"
        f" ins({a.name}, {k.name} : {a.type}, {k.type})"
        f" outs({init.name} : {init.type}) {{\n"
        f"^bb0(%x: {a.dtype}, %k: {a.dtype}, %o: {a.dtype}):\n{first}"
        f"  %s = arith.{op} %o, {'%e' if is_product else '%x'} : {a.dtype}\n"
        f"  linalg.yield %s : {a.dtype}\n}} -> {init.type}",
        shape, a.dtype, reduced(op, init.magnitude, element, terms), "window")


# Of named convolutions and poolings: for each dim of the image, the kernel and
# the result its letter. Those of `hw` are windows over h and w.
NAMED = {
    "conv_1d": ("h", "h", "h"),
    "conv_2d": ("hw", "hw", "hw"),
    "conv_2d_nhwc_hwcf": ("nhwc", "hwcf", "nhwf"),
    "conv_2d_nchw_fchw": ("nchw", "fchw", "nfhw"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgchw", "ngfhw"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "hwc", "nhwc"),
    "conv_1d_nwc_wcf": ("nhc", "hcf", "nhf"),
    "pooling_nhwc_sum": ("nhwc", "hw", "nhwc"),
    "pooling_nhwc_max": ("nhwc", "hw", "nhwc"),
    "pooling_nhwc_min": ("nhwc", "hw", "nhwc"),
    "pooling_nchw_sum": ("nchw", "hw", "nchw"),
    "pooling_nchw_max": ("nchw", "hw", "nchw"),
}


def image_sizes(program, letters):
    """A size for each letter that is not 0, small but for the windows'."""
    return {letter: max(1, program.size()) if letter in "hw"
            else program.random.randint(1, 4) for letter in letters}


def add_named_window(program):
    dtypes = [t for t in program.dtypes if t != "i1"]
    if not dtypes:
        return
    dtype = program.random.choice(dtypes)
    op, (image, kernel, result) = program.random.choice(list(NAMED.items()))
    sizes = image_sizes(program, sorted(set(image + kernel + result)))
    known = [v for v in program.values if v.dtype == dtype
             and len(v.shape) == len(image) and 0 not in v.shape]
    if known and program.chance(0.7):
        a = program.random.choice(known)
        sizes.update(zip(image, a.shape))
    else:
        a = program.operand([sizes[c] for c in image], dtype)
    windows = {c: random_window(program, sizes[c]) for c in "hw" if c in image}
    plain = op in ("conv_1d", "conv_2d")
    for c, w in windows.items():
        if plain:
            w.stride = w.dilation = 1
        w.out = (sizes[c] - (w.size - 1) * w.dilation - 1) // w.stride + 1
    k = program.operand([windows[c].size if c in windows else sizes[c]
                         for c in kernel], dtype)
    shape = [windows[c].out if c in windows else sizes[c] for c in result]
    init = program.operand(shape, dtype)
    count = math.prod(w.size for w in windows.values())
    count *= math.prod(n for c, n in sizes.items()
                       if c in image and c not in result)
    is_pooling = op.startswith("pooling")
    element = a.magnitude * (1 if is_pooling else k.magnitude)
    magnitude = init.magnitude + count * element
    if op.endswith(("max", "min")):
        magnitude = max(init.magnitude, element)
    if not is_exact(dtype, magnitude):
        return
    attributes = ""
    if not plain:
        attributes = " {" + ", ".join(
            f"{name} = dense<[{', '.join(str(v) for v in values)}]>"
            f" : tensor<{len(windows)}xi64>" for name, values in (
                ("strides", [w.stride for w in windows.values()]),
                ("dilations", [w.dilation for w in windows.values()]))) + "}"
    program.define(
        f"linalg.{op}{attributes} ins({a.name}, {k.name} : {a.type}, {k.type})"
        f" outs({init.name} : {init.type}) -> {init.type}",
        shape, dtype, magnitude, op)


def table_place(program, d, extent, ids):
    """Lines that compute a place in a dim of `extent`, and its name."""
    factor, offset = program.random.randint(1, 5), program.random.randint(0, 9)
    base = ids or "%i0"
    return [f"%f{d} = arith.constant {factor} : index",
            f"%g{d} = arith.constant {offset + 32} : index",
            f"%h{d} = arith.constant {extent} : index",
            f"%p{d} = arith.muli {base}, %f{d} : index",
            f"%q{d} = arith.addi %p{d}, %g{d} : index",
            f"%r{d} = arith.remui %q{d}, %h{d} : index"], f"%r{d}"


def table_check(program, table, d, place):
    """Lines that assert that `place` is one of dim `d` of the table."""
    if not program.chance(0.3):
        return []
    return [f"%k{d} = arith.constant {d} : index",
            f"%n{d} = tensor.dim {table.name}, %k{d} : {table.type}",
            f"%c{d} = arith.cmpi ult, {place}, %n{d} : index",
            f'cf.assert %c{d}, "place beyond the table"']


def add_table(program):
    """A generic that reads a captured tensor, along some dims at the places of
    its loops and along others at computed ones."""
    table = program.operand()
    if not table.shape or 0 in table.shape or len(table.shape) > 3:
        return
    is_aligned = [program.chance(0.4) for _ in table.shape]
    own = [max(1, program.size()) for _ in range(program.random.randint(1, 2))]
    shape = own + [n for n, aligned in zip(table.shape, is_aligned) if aligned]
    ids = (program.operand(own, "i32")
           if len(program.arguments) < 6 and program.chance(0.6) else None)
    init = program.operand(shape, table.dtype)
    lines = [f"%i{i} = linalg.index {i} : index" for i in range(len(shape))]
    if ids:
        lines.append("%id = arith.index_cast %x : i32 to index")
    places, loop = [], len(own)
    for d, (extent, aligned) in enumerate(zip(table.shape, is_aligned)):
        if aligned:
            place = f"%i{loop}"
            loop += 1
        else:
            more, place = table_place(program, d, extent, "%id" if ids else None)
            lines += more
        lines += table_check(program, table, d, place)
        places.append(place)
    lines.append(
        f"%e = tensor.extract {table.name}[{', '.join(places)}] : {table.type}")
    element, magnitude = "%e", table.magnitude
    if program.chance(0.3):
        magnitude += init.magnitude
        if not is_exact(table.dtype, magnitude):
            return
        add = "addf" if is_float(table.dtype) else "addi"
        lines.append(f"%s = arith.{add} %e, %o : {table.dtype}")
        element = "%s"
    everything = [f"d{i}" for i in range(len(shape))]
    maps = [map_text(len(shape), everything)]
    arguments, inputs = f"%o: {table.dtype}", ""
    if ids:
        maps.insert(0, map_text(len(shape), everything[:len(own)]))
        arguments = f"%x: i32, {arguments}"
        inputs = f" ins({ids.name} : {ids.type})"
    kinds = ", ".join(['"parallel"'] * len(shape))
    body = "".join(f"  {line}\n" for line in lines)
    program.define(
        f"linalg.generic {{indexing_maps = [{', '.join(maps)}],"
        f" iterator_types = [{kinds}]}}{inputs}"
        f" outs({init.name} : {init.type}) {{\n"
        f"^bb0({arguments}):\n{body}"
        f"  linalg.yield {element} : {table.dtype}\n}} -> {init.type}",
        shape, table.dtype, magnitude, "table")


def add_argmax(program):
    """The greatest or least element along a dim, and where it is first."""
    a = program.operand()
    if not a.shape or a.dtype == "i1":
        return
    rank = len(a.shape)
    dims = sorted(program.random.sample(
        range(rank), 2 if rank > 1 and program.chance(0.2) else 1))
    shape = [n for i, n in enumerate(a.shape) if i not in dims]
    where = program.random.choice(["i64", "i32"])
    init = program.operand(shape, a.dtype)
    start = program.operand(shape, where)
    is_max = program.chance(0.6)
    if is_float(a.dtype):
        compare = "cmpf ogt" if is_max else "cmpf olt"
        choose = "maximumf" if is_max else "minimumf"
    else:
        sign = program.random.choice("su")
        compare = f"cmpi {sign}{'gt' if is_max else 'lt'}"
        choose = f"{'max' if is_max else 'min'}{sign}i"
    best = (f"arith.{choose} %x, %v : {a.dtype}" if program.chance(0.5)
            else f"arith.select %c, %x, %v : {a.dtype}")
    result = [f"d{i}" for i in range(rank) if i not in dims]
    maps = ", ".join([map_text(rank, [f"d{i}" for i in range(rank)]),
                      map_text(rank, result), map_text(rank, result)])
    kinds = ", ".join('"reduction"' if i in dims else '"parallel"'
                      for i in range(rank))
    name = program.fresh_name()
    text = (
        f"{name}:2 = linalg.generic {{indexing_maps = [{maps}],"
        f" iterator_types = [{kinds}]}} ins({a.name} : {a.type})"
        f" outs({init.name}, {start.name} : {init.type}, {start.type}) {{\n"
        f"^bb0(%x: {a.dtype}, %v: {a.dtype}, %w: {where}):\n"
        f"  %i = linalg.index {program.random.choice(dims)} : index\n"
        f"  %n = arith.index_cast %i : index to {where}\n"
        f"  %c = arith.{compare}, %x, %v : {a.dtype}\n"
        f"  %b = {best}\n"
        f"  %p = arith.select %c, %n, %w : {where}\n"
        f"  linalg.yield %b, %p : {a.dtype}, {where}\n"
        f"}} -> ({init.type}, {start.type})")
    program.emit(*text.split("\n"))
    magnitude = max(a.magnitude, init.magnitude)
    program.values += [
        Value(f"{name}#0", tuple(shape), a.dtype, magnitude, "argmax"),
        Value(f"{name}#1", tuple(shape), where, 2**31, "argmax")]
