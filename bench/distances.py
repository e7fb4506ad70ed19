"""Distances from features: adjoin beside SciPy's cdist on the same numbers, in the same run.

    python bench/distances.py [n] [q] [rounds] [metric ...]

Every metric that both have, n x n distances of q features; seconds, the best of several rounds in turn. "rows" does
not profit from symmetry, as cdist does not: newcomers come so. Needs NumPy and SciPy.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent

METRICS = [
    ("euclidean", {}),
    ("sqeuclidean", {}),
    ("cityblock", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3.0}),
    ("minkowski", {"p": 1.5}),
    ("minkowski", {"p": 2.3}),
    ("cosine", {}),
    ("correlation", {}),
    ("braycurtis", {}),
    ("canberra", {}),
    ("jaccard", {}),
    ("hamming", {}),
]


def main():
    n, q, rounds = (int(a) for a in sys.argv[1:4] + ["5000", "100", "3"][len(sys.argv[1:4]) :])
    wanted = sys.argv[4:]
    build = ["cargo", "build", "--release", "-q", "-p", "adjoin", "--example", "distances"]
    subprocess.run(build, cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--format-version=1", "--no-deps"]
    metadata = subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout
    program = pathlib.Path(json.loads(metadata)["target_directory"]) / "release" / "examples" / "distances"
    rng = np.random.default_rng(1)
    data = {"counts": rng.poisson(2.0, size=(n, q)).astype(float), "sets": rng.integers(0, 2, size=(n, q)).astype(float)}
    print(f"{n} x {n} x {q}: seconds, best of {rounds}; x = SciPy's time over adjoin's")
    print(f"{'metric':18} {'cdist':>7} | {'rows':>7} {'x':>5} | {'square':>7} {'x':>5} | {'rows 2':>7} {'square 2':>8} | agree")
    with tempfile.TemporaryDirectory() as folder:
        for name, values in data.items():
            values.tofile(pathlib.Path(folder) / name)
        for word, options in METRICS:
            if wanted and word not in wanted:
                continue
            name = "sets" if word == "jaccard" else "counts"
            values = data[name].astype(bool) if word == "jaccard" else data[name]
            scipy, ours = [], {1: [], 2: []}
            for _ in range(rounds):
                start = time.perf_counter()
                total = cdist(values, values, word, **options)
                scipy.append(time.perf_counter() - start)
                total = total.sum()
                for threads in (1, 2):
                    call = [program, word, pathlib.Path(folder) / name, n, q, threads, *options.values()]
                    out = subprocess.run([str(c) for c in call], check=True, capture_output=True, text=True).stdout
                    square, rows = ([float(v) for v in line.split()] for line in out.splitlines())
                    ours[threads].append((square[0], rows[0]))
                    worst = max(abs(square[1] - total), abs(rows[1] - total)) / total
            theirs = min(scipy)
            square, rows = (min(t[i] for t in ours[1]) for i in (0, 1))
            square2, rows2 = (min(t[i] for t in ours[2]) for i in (0, 1))
            shown = word + "".join(f" {v}" for v in options.values())
            print(
                f"{shown:18} {theirs:7.3f} | {rows:7.3f} {theirs / rows:5.1f} | {square:7.3f} {theirs / square:5.1f} | "
                f"{rows2:7.3f} {square2:8.3f} | {worst:.0e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
