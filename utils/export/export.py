#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Exports a model of models.py to linalg on tensors, through torch-mlir.

  export.py gpt-block --batch 6           rewrites test/Models/gpt-block-b6.mlir
  export.py mlp -o FILE                   writes FILE instead ("-": stdout)
  export.py mlp --save-reference DIR      writes only inputs and PyTorch's result

The file's leading comment says which argument is which. A reference folder
holds arg0.npy, arg1.npy, ... (seeded random data) and result0.npy, all float32
in C order.
"""

import argparse
import importlib.metadata
import pathlib
import sys
import textwrap

import numpy
import torch

from models import MODELS

DEFAULT_BATCH = 8
MODELS_DIR = pathlib.Path(__file__).resolve().parents[2] / "test" / "Models"

HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of pctl, a compiler library for distributed tensor programs.
//
{summary}
// Written by `utils/export/export.py {model} --batch {batch}`
// with {versions}; do not edit.
//
{table}
"""


class ByPosition(torch.nn.Module):
    """Calls `forward` with positional tensors bound to the arguments' names."""

    def __init__(self, forward, names):
        super().__init__()
        self.function, self.names = forward, names

    def forward(self, *values):
        return self.function(**dict(zip(self.names, values)))


def draw(arguments, seed):
    """One value an argument. Values are distinct objects: torch.export takes
    the same tensor given twice for one input."""
    generator = torch.Generator().manual_seed(seed)
    return [a.init(a.shape, generator) for a in arguments]


def type_text(shape):
    return "tensor<" + "".join(f"{n}x" for n in shape) + "f32>"


def table_text(rows):
    """`rows` of words as comment lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        ("// " + "  ".join(w.ljust(n) for w, n in zip(row, widths))).rstrip()
        for row in rows)


def header(name, batch, arguments, result):
    rows = [("argument", "name", "shape")]
    rows += [(str(i), a.name, str(list(a.shape)))
             for i, a in enumerate(arguments)]
    rows += [("result 0", "", str(list(result.shape)))]
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}"
                         for p in ("torch", "torch-mlir"))
    summary = textwrap.fill(" ".join(MODELS[name].forward.__doc__.split()),
                            width=80, initial_indent="// ",
                            subsequent_indent="// ")
    return HEADER.format(summary=summary, model=name, batch=batch,
                         versions=versions, table=table_text(rows))


def export(module, arguments, values, result):
    """The text of `module` as linalg on tensors. Raises RuntimeError where the
    signature of @main is not what `arguments` and `result` say."""
    from torch_mlir import fx

    imported = fx.export_and_import(module, *values, func_name="main",
                                    output_type="linalg-on-tensors")
    found = str(imported.body.operations[0].attributes["function_type"])
    types = ", ".join(type_text(a.shape) for a in arguments)
    wanted = f"({types}) -> {type_text(result.shape)}"
    if found != wanted:
        raise RuntimeError(f"@main has type '{found}', expected '{wanted}'")
    # Some upstream printers leave a space before the line's end.
    return "".join(line.rstrip() + "\n" for line in str(imported).splitlines())


def save_reference(folder, values, result):
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {f"arg{i}": v for i, v in enumerate(values)} | {"result0": result}
    for stem, tensor in arrays.items():
        array = numpy.ascontiguousarray(tensor.numpy(), dtype=numpy.float32)
        numpy.save(folder / f"{stem}.npy", array)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("--batch", type=int, default=DEFAULT_BATCH,
                        help=f"batch size (default {DEFAULT_BATCH})")
    parser.add_argument("--seed", type=int, default=0,
                        help="seed of the reference's data (default 0)")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("-o", "--output", metavar="FILE",
                        help='where to write the program; "-" is stdout')
    action.add_argument("--save-reference", metavar="DIR", type=pathlib.Path,
                        help="write inputs and PyTorch's result, no program")
    options = parser.parse_args()
    if options.batch < 1:
        parser.error(f"batch is {options.batch}, expected at least 1")
    return options


def main():
    options = parse_arguments()
    model = MODELS[options.model]
    arguments = model.arguments(options.batch)
    values = draw(arguments, options.seed)
    module = ByPosition(model.forward, [a.name for a in arguments])
    with torch.no_grad():
        result = module(*values)
    if options.save_reference:
        save_reference(options.save_reference, values, result)
        return
    comment = header(options.model, options.batch, arguments, result)
    text = comment + "\n" + export(module, arguments, values, result)
    if options.output == "-":
        sys.stdout.write(text)
        return
    suffix = "" if options.batch == DEFAULT_BATCH else f"-b{options.batch}"
    target = options.output or MODELS_DIR / f"{options.model}{suffix}.mlir"
    pathlib.Path(target).write_text(text)
    print(comment, end="")


if __name__ == "__main__":
    main()
