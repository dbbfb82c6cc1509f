# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: check_svg.py PICTURE ANSWER
# The picture is well-formed XML, all of it lies inside its frame, no two texts
# lie on each other, and its arrows and cells are what the answer (JSON with
# --expand) sends: each pair of devices in each step once, with all its bytes.

import collections
import json
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
ELEMENT_BYTES = {"f32": 4, "bf16": 2, "i8": 1, "f64": 8}

tree = ElementTree.parse(sys.argv[1]).getroot()
with open(sys.argv[2]) as file:
    answer = json.load(file)
assert tree.tag == SVG + "svg", tree.tag
width, height = int(tree.get("width")), int(tree.get("height"))

# Of DejaVu Sans Mono, in parts of the size.
ADVANCE, ASCENT, DESCENT = 0.602, 0.76, 0.1


def text_box(text):
    size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
    length = len(text.text) * ADVANCE * size
    left = x - {"start": 0, "middle": length / 2, "end": length}[text.get("text-anchor")]
    return left, y - ASCENT * size, left + length, y + DESCENT * size


boxes = sorted((text_box(text), text.text) for text in tree.iter(SVG + "text"))
for left, top, right, bottom in (box for box, _ in boxes):
    assert 0 <= left and 0 <= top and right <= width and bottom <= height, (left, top)
for number, (a, a_text) in enumerate(boxes):
    for b, b_text in boxes[number + 1:]:
        if b[0] >= a[2]:
            break
        assert a[3] <= b[1] or b[3] <= a[1], f"'{a_text}' lies on '{b_text}'"

for rect in tree.iter(SVG + "rect"):
    x, y, w, h = (int(rect.get(key)) for key in ("x", "y", "width", "height"))
    assert 0 <= x and 0 <= y and x + w <= width and y + h <= height, (x, y, w, h)

drawn = collections.Counter()
for title in tree.iter(SVG + "title"):
    drawn[title.text] += 1
sent = collections.Counter()
for step in answer["steps"]:
    messages = collections.Counter()
    for transfer in step["transfers"]:
        elements = 1
        for size in transfer["size"]:
            elements *= size
        pair = transfer["from"], transfer["to"], "reduce" in transfer
        messages[pair] += elements * ELEMENT_BYTES[answer["element"]]
    for (source, target, added), count in messages.items():
        sent[f"{source} -> {target}: {count} bytes{', added' if added else ''}"] += 1
assert drawn == sent, (drawn - sent, sent - drawn)
print(f"{sum(drawn.values())} messages, {len(boxes)} texts")
