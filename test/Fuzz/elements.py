# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""What ops do with elements: names of the ops of `arith`, and bounds of the
magnitudes that they give."""

from tensor_program import is_float


def of_dtype(dtype, float_ops, int_ops):
    """Names of the ops of `arith` for elements of `dtype`, from their stems."""
    return [f"{op}f" for op in float_ops] if is_float(dtype) else int_ops


def combined(op, a, b):
    """The magnitude of `a op b`, from those of the operands."""
    if op.startswith(("add", "sub")):
        return a + b
    if op.startswith("mul"):
        return a * b
    if op in ("andi", "ori", "xori"):
        return 2 * max(a, b) + 1
    return max(a, b)


def reduced(op, init, element, count):
    """The magnitude of `init op e1 op ... op e<count>`, partial results
    included, as for sums the magnitudes add up."""
    if op.startswith(("add", "sub")):
        return init + count * element
    if op.startswith("mul"):
        # From 64 factors on nothing but products of ones is exact.
        return max(init, 1) * max(element, 1) ** min(count, 64)
    return combined(op, init, element)


def reduction_ops(dtype):
    return of_dtype(
        dtype, ["add", "mul", "maximum", "minimum", "maxnum", "minnum"],
        ["addi", "muli", "maxsi", "maxui", "minsi", "minui", "andi", "ori",
         "xori"])


def index_as(dtype, index):
    """Lines that turn the index %`index` into an element of `dtype`, and the
    name of that element."""
    to_i64 = f"%n = arith.index_cast {index} : index to i64"
    if dtype == "i64":
        return [to_i64], "%n"
    op = "sitofp" if is_float(dtype) else "trunci"
    return [to_i64, f"%m = arith.{op} %n : i64 to {dtype}"], "%m"
