# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

"""Lines of a batch that are nearly questions, and a check of what is answered.

    mutate.py SEED COUNT

asks pctl-plan COUNT lines, most of them broken, all at once: characters are
dropped, doubled, swapped and replaced, words are cut, joined and repeated,
numbers become others. However a line is broken, it gets one JSON object, which
is a plan or an error, in its place; the exit status says whether all are plans.
"""

import json
import random
import subprocess
import sys

QUESTIONS = [
    "--mesh x=4,y=2 --shape 16x16x16xf32 --from '[{y},{},{x}]' --to '[{},{x,y},{}]'",
    "--mesh x=2,y=3 --shape 5x12xbf16 --from '[{x},{y}]' --to '[{},{y}]' --expand",
    "--mesh x=4 --shape 8x8xi4 --from '[{x:(1)2},{}] partial=[sum(x:(2)2)]' --to '[{},{x}]'",
    "--mesh 'x=2,y=2' --shape 7xcomplex<f32> --from '[{x}:[3,4]]' --to '[{y,x}]' --cluster h100",
    "--mesh a=6 --shape 12xf32 --from '[{a}]' --to-mesh 'b=4 devices=[0,2,4,9]' --to '[{b}]' --expand",
    "--mesh a=2 --shape 6xi1 --from '[{a}]' --to '[{}]' --to-shape 4xi1 --offset 1 --cap-bytes 64",
    '--mesh "\\"a b\\"=2" --shape f64 --from [] --to=[] --chunk-bytes 16 # a scalar',
    "--mesh x=2,y=2 --shape 0x3xf8E4M3FN --from [{x},{}] --to [{},{y}] --cluster=a100 --json",
]
NUMBERS = ["0", "-1", "1", "3", "255", "1025", "65536", "2147483648",
           "9223372036854775807", "9223372036854775808", "1e9", "?", ""]
CHARACTERS = "{}[](),:=-+'\"\\#x?0129 \t\r\x00\x7f\u00e9\u2028"


def mutate_characters(rng, line):
    place = rng.randrange(len(line) + 1)
    end = min(len(line), place + rng.randint(1, 3))
    return rng.choice([
        line[:place] + line[end:],
        line[:end] + line[place:],
        line[:place] + line[place:end][::-1] + line[end:],
        line[:place] + rng.choice(CHARACTERS) + line[place:],
        line[:place] + rng.choice(CHARACTERS) + line[end:],
    ])


def mutate_words(rng, line):
    words = line.split(" ")
    place = rng.randrange(len(words))
    other = rng.choice(rng.choice(QUESTIONS).split(" "))
    return " ".join(rng.choice([
        words[:place] + words[place + 1:],
        words[:place] + [other] + words[place:],
        words[:place] + [other] + words[place + 1:],
        words[:place] + [words[place]] * rng.randint(2, 40) + words[place + 1:],
    ]))


def mutate_number(rng, line):
    places = [i for i, c in enumerate(line) if c.isdigit()]
    if not places:
        return line
    place = rng.choice(places)
    return line[:place] + rng.choice(NUMBERS) + line[place + 1:]


def mutate(rng, line):
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])):
        line = rng.choice([mutate_characters, mutate_words, mutate_number])(rng, line)
    return line


def asks(line):
    text = line.lstrip(b" \t\v\f\r")
    return text != b"" and not text.startswith(b"#")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    lines = [mutate(rng, rng.choice(QUESTIONS)).encode() for _ in range(count)]
    # What is no text at all.
    lines += [bytes(rng.randrange(256) for _ in range(rng.randrange(60))).replace(b"\n", b"")
              for _ in range(count // 10)]
    run = subprocess.run(["pctl-plan", "--batch", "-"], input=b"\n".join(lines),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answers = run.stdout.split(b"\n")
    assert answers.pop() == b"", "the last answer has no line break"
    questions = [line for line in lines if asks(line)]
    for question, answer in zip(questions, answers):
        value = json.loads(answer)
        assert isinstance(value, dict) and ("error" in value) != ("steps" in value), (question, answer)
    assert len(answers) == len(questions), (len(answers), questions[len(answers):][:1], run.stderr)
    assert run.stderr == b"", run.stderr
    errors = sum(b'{"error":' in answer[:9] for answer in answers)
    assert run.returncode == (1 if errors else 0), run.returncode
    print(f"{len(answers)} answers, {errors} errors")


main()
