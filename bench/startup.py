"""The small things that people feel: starting the program, and one newcomer to twenty objects by the shell and from Python.

    python bench/startup.py
"""

import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.spatial.distance import cdist

import adjoin
from common import Section, Target, alone, built, in_turn

RUNS = 20
CALLS = 200  # of Python


def table(rows, columns, values):
    lines = ["\t".join(["", *columns])] + ["\t".join([label, *map(repr, row)]) for label, row in zip(rows, values.tolist())]
    return "\n".join(lines) + "\n"


def measure(quick):
    program = built()
    section = Section(
        "Small things",
        f"Milliseconds. The program: {RUNS} runs, from the start of the process to its end; Python: {CALLS} calls in one process.",
        ["what", "best", "median", "worst"],
    )

    def add(words, timing):
        section.add(words, *(f"{1000 * s:.3g}" for s in (timing.best, timing.median, max(timing.seconds))))

    points = np.random.default_rng(1).normal(size=(21, 3))
    old, new = cdist(points[:20], points[:20]), cdist(points[20:], points[:20])
    labels = [f"o{i}" for i in range(20)]
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / name for name in ("old.tsv", "new.tsv", "map.adjoin", "out.tsv")}
        files["old.tsv"].write_text(table(labels, labels, old))
        files["new.tsv"].write_text(table(["new"], labels, new))

        def run(*arguments):
            subprocess.run([program, *arguments], check=True, capture_output=True)

        run("fit", files["old.tsv"], "-d", "2", "-o", files["map.adjoin"])
        works = {
            "`adjoin --version`": lambda: run("--version"),
            "`adjoin fit`, 20 objects": lambda: run("fit", files["old.tsv"], "-d", "2", "-o", files["map.adjoin"]),
            "`adjoin place`, one newcomer to 20 objects": lambda: run("place", files["map.adjoin"], files["new.tsv"], "-o", files["out.tsv"]),
        }
        timings = in_turn(works, RUNS)
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(old)
    works = {
        "Python `fit`, 20 objects": lambda: adjoin.ClassicalMDS(2, metric="precomputed").fit(old),
        "Python `transform`, one newcomer to 20 objects": lambda: model.transform(new),
        "Python `place`, the same": lambda: model.place(new),
    }
    for name, timing in {**timings, **in_turn(works, CALLS)}.items():
        add(name, timing)
    section.targets.append(Target("start-up of the binary, median", "≤ 20 ms", 1000 * timings["`adjoin --version`"].median, 20))
    return section


if __name__ == "__main__":
    alone(measure)
