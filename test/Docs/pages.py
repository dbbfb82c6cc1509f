# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""What the tests of pages share: the blocks of a page, and running a command."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(page):
    return (ROOT / page).read_text()


def indented_blocks(text):
    """The blocks that are indented by four spaces, without them."""
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [re.sub(r"^    ", "", block, flags=re.M) for block in blocks]


def fenced_blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def run(command, text=None):
    """Runs a command of the shell at the root of the source tree, which must
    succeed, with `text` as input; gives what it printed."""
    done = subprocess.run(command, shell=True, cwd=ROOT, input=text, text=True,
                          capture_output=True)
    assert done.returncode == 0, f"$ {command}\n{done.stderr}"
    return done.stdout


def without_names(ir):
    """IR with all values called alike and one space between words."""
    return re.sub(r"\s+", " ", re.sub(r"%\w+(:\d+|#\d+)?", "%", ir)).strip()
