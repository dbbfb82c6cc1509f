# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# usage: replay.py questions SEED COUNT        prints a batch of random questions
#        replay.py check SEED COUNT ANSWERS    replays the answers to them
#
# Knows what layouts mean and nothing of plans. A device's memory is a map from
# elements to the set of contributions that are in it; the transfers of a step
# all read what there was before it. At the end each device must have what the
# second layout says, and the busiest device must have received and sent what
# the answer says, in bytes.

import itertools
import json
import math
import random
import sys

ELEMENT_BYTES = {"f32": 4, "bf16": 2, "i1": 1, "i4": 1, "f64": 8, "complex<f32>": 8}


class Mesh:
    def __init__(self, axes, devices=None):
        self.axes = axes  # [(name, size)]
        self.num_ranks = math.prod(size for _, size in axes)
        self.devices = devices or list(range(self.num_ranks))

    def coordinate(self, rank, axis):
        stride = math.prod(size for _, size in self.axes[axis + 1:])
        return rank // stride % self.axes[axis][1]

    def position(self, rank, axes):
        position = 0
        for axis in axes:
            position = position * self.axes[axis][1] + self.coordinate(rank, axis)
        return position

    def count(self, axes):
        return math.prod(self.axes[axis][1] for axis in axes)

    def names(self, axes):
        return ",".join(self.axes[axis][0] for axis in axes)

    def text(self, listed):
        text = ",".join(f"{name}={size}" for name, size in self.axes)
        return text + (f" devices={self.devices}" if listed else "")


class Layout:
    def __init__(self, dims, partial=()):
        self.dims = dims  # [(axes, explicit block sizes or None)]
        self.partial = list(partial)

    def text(self, mesh):
        dims = ",".join(
            "{" + mesh.names(axes) + "}" + (f":{sizes}" if sizes else "")
            for axes, sizes in self.dims)
        partial = f" partial=[sum({mesh.names(self.partial)})]" if self.partial else ""
        return f"[{dims}]{partial}"

    def box(self, mesh, shape, rank):
        """Ranges of the elements of rank, one a dim."""
        ranges = []
        for (axes, sizes), size in zip(self.dims, shape):
            position = mesh.position(rank, axes)
            if sizes:
                start = sum(sizes[:position])
                ranges.append(range(start, start + sizes[position]))
                continue
            block = -(-size // mesh.count(axes))
            ranges.append(range(min(position * block, size), min((position + 1) * block, size)))
        return ranges


def random_mesh(rng, least=1):
    axes = []
    for name in rng.sample("xyzw", rng.randint(1, 3)):
        axes.append((name, rng.choice([1, 2, 2, 2, 3, 4])))
    while math.prod(size for _, size in axes) > 16:
        axes.pop()
    return Mesh(axes)


def random_layout(rng, mesh, shape, partial):
    axes = list(range(len(mesh.axes)))
    rng.shuffle(axes)
    dims = [([], None) for _ in shape]
    left = []
    for axis in axes:
        place = rng.randrange(len(shape) + 1) if shape else 0
        if place == len(shape):
            left.append(axis)
        else:
            dims[place][0].append(axis)
    for dim, (cut, _) in enumerate(dims):
        if cut and rng.random() < 0.15:
            marks = sorted(rng.randint(0, shape[dim]) for _ in range(mesh.count(cut) - 1))
            marks = [0] + marks + [shape[dim]]
            dims[dim] = (cut, [b - a for a, b in zip(marks, marks[1:])])
    return Layout(dims, [a for a in left if rng.random() < 0.7] if partial else [])


class Question:
    def __init__(self, rng):
        self.element = rng.choice(sorted(ELEMENT_BYTES))
        self.mesh = self.to_mesh = random_mesh(rng)
        rank = rng.choice([0, 1, 1, 2, 2, 2, 3])
        self.shape = [rng.choice([0, 1, 2, 4, 4, 5, 6, 7, 8, 12]) for _ in range(rank)]
        self.to_shape = self.shape
        self.offset = [0] * rank
        self.is_move = rng.random() < 0.3
        partial = rng.random() < 0.3
        self.source = random_layout(rng, self.mesh, self.shape, partial)
        if self.is_move:
            self.make_move(rng)
        self.target = random_layout(rng, self.to_mesh, self.to_shape, False)
        if partial and not self.is_move:
            # Some contributions may stay apart.
            used = {axis for cut, _ in self.target.dims for axis in cut}
            self.target.partial = [
                a for a in self.source.partial if a not in used and rng.random() < 0.3]

    def make_move(self, rng):
        self.to_mesh = random_mesh(rng)
        self.to_mesh.devices = rng.sample(range(20), self.to_mesh.num_ranks)
        if rng.random() < 0.5:
            return
        self.to_shape, self.offset = [], []
        for size in self.shape:
            offset = rng.randint(-2, max(size - 1, 0))
            least = max(1, 1 - offset)
            self.offset.append(offset)
            self.to_shape.append(rng.randint(least, least + 6))

    def line(self):
        def shape(sizes):
            return "x".join(map(str, sizes + [self.element]))

        words = ["--mesh", self.mesh.text(False), "--shape", shape(self.shape),
                 "--from", self.source.text(self.mesh),
                 "--to", self.target.text(self.to_mesh)]
        if self.is_move:
            words += ["--to-mesh", self.to_mesh.text(True), "--to-shape", shape(self.to_shape)]
            if self.offset:
                words += ["--offset", ",".join(map(str, self.offset))]
        return " ".join(f"'{word}'" for word in words)


def questions(seed, count):
    rng = random.Random(seed)
    return [Question(rng) for _ in range(count)]


def elements(box):
    return itertools.product(*box)


def initial_memory(question):
    memory = {}
    for rank, device in enumerate(question.mesh.devices):
        position = question.mesh.position(rank, question.source.partial)
        box = question.source.box(question.mesh, question.shape, rank)
        memory[device] = {element: frozenset([position]) for element in elements(box)}
    return memory


def expected(question, rank):
    """What a rank must have in the end: elements of the source, contributions."""
    mesh, partial = question.mesh, question.source.partial
    if question.is_move:
        terms = frozenset(range(mesh.count(partial)))
    else:
        stays = question.target.partial
        terms = frozenset(
            mesh.position(other, partial) for other in range(mesh.num_ranks)
            if mesh.position(other, stays) == mesh.position(rank, stays))
    for index in elements(question.target.box(question.to_mesh, question.to_shape, rank)):
        element = tuple(i + by for i, by in zip(index, question.offset))
        if all(0 <= i < size for i, size in zip(element, question.shape)):
            yield element, terms


def do_step(step, memory, received, sent):
    before = {device: dict(cells) for device, cells in memory.items()}
    stored = {}
    for transfer in step["transfers"]:
        source, target = transfer["from"], transfer["to"]
        assert source != target, "a device sends to itself"
        assert all(size > 0 for size in transfer["size"]), "an empty box"
        assert transfer.get("reduce") in (None, "sum"), transfer
        box = [range(start, start + size)
               for start, size in zip(transfer["offset"], transfer["size"])]
        for element in elements(box):
            assert element in before[source], f"device {source} has no element {element}"
            terms = before[source][element]
            cells = memory.setdefault(target, {})
            received[target] = received.get(target, 0) + 1
            sent[source] = sent.get(source, 0) + 1
            if "reduce" in transfer:
                assert not cells[element] & terms, f"{element} is added twice on {target}"
                cells[element] |= terms
                continue
            places = stored.setdefault(target, set())
            assert element not in places, f"{element} is stored twice on {target}"
            places.add(element)
            cells[element] = terms


def replay(question, answer):
    assert "error" not in answer, answer["error"]
    memory = initial_memory(question)
    received, sent = {}, {}
    for step in answer["steps"]:
        do_step(step, memory, received, sent)
    for rank, device in enumerate(question.to_mesh.devices):
        for element, terms in expected(question, rank):
            found = memory.get(device, {}).get(element)
            assert found == terms, f"device {device}, element {element}: {found}, not {terms}"

    size = ELEMENT_BYTES[question.element]
    most_received = max(received.values(), default=0) * size
    most_sent = max(sent.values(), default=0) * size
    cost, bound = answer["cost"], answer["bound"]
    # Collectives of a target with padding move that, too; it is not listed.
    exact = cost["exact"]
    for key, found in [("max_received_bytes", most_received), ("max_sent_bytes", most_sent),
                       ("total_received_bytes", sum(received.values()) * size)]:
        assert cost[key] == found or (not exact and cost[key] >= found), (key, cost[key], found)
    assert bound["max_received_bytes"] <= most_received or most_received == 0
    if not question.source.partial:
        check_bound(question, bound, size)
    return len(answer["steps"])


def check_bound(question, bound, size):
    """Without sums a device has to receive what it lacks."""
    memory = initial_memory(question)
    lacking = [
        sum(element not in memory.get(device, {}) for element, _ in expected(question, rank))
        for rank, device in enumerate(question.to_mesh.devices)]
    assert bound["max_received_bytes"] == max(lacking) * size, (bound, lacking)


def main():
    mode, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    asked = questions(seed, count)
    if mode == "questions":
        for question in asked:
            print(question.line())
        return
    with open(sys.argv[4]) as file:
        answers = [json.loads(line) for line in file]
    assert len(answers) == len(asked), (len(answers), len(asked))
    steps = 0
    for question, answer in zip(asked, answers):
        try:
            steps += replay(question, answer)
        except AssertionError as error:
            sys.exit(f"{question.line()}\n{json.dumps(answer)}\n{error}")
    moves = sum(question.is_move for question in asked)
    sums = sum(bool(question.source.partial) for question in asked)
    print(f"replayed {count} plans, {moves} between meshes, {sums} with sums, {steps} steps")


main()
