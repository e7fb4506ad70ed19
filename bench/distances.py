"""Distances from features: adjoin beside SciPy's cdist on the same numbers, in the same run.

    python bench/distances.py [n] [q] [rounds] [metric ...] [--quick]

Every metric that both have, n x n distances of q features; seconds, the best of several rounds in turn. "rows" does
not profit from symmetry, as cdist does not: newcomers come so.
"""

import pathlib
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import cdist

from common import THREADS, Section, Timing, alone, built, output, threads, times

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


def with_scipy(values, word, options):
    """Seconds and the sum of the distances."""
    start = time.perf_counter()
    found = cdist(values, values, word, **options)
    return time.perf_counter() - start, found.sum()


def with_adjoin(program, file, word, options, shape, thread_count):
    """Seconds and sums of the square and of the same as rows."""
    lines = output(program, word, file, *shape, thread_count, *options.values()).splitlines()
    return [[float(v) for v in line.split()] for line in lines]


def measure(quick, n=4000, q=100, rounds=2, wanted=()):
    n = 200 if quick else n
    program = built("distances")
    rng = np.random.default_rng(1)
    data = {"counts": rng.poisson(2.0, size=(n, q)).astype(float), "sets": rng.integers(0, 2, size=(n, q)).astype(float)}
    section = Section(
        "Distances from features",
        f"{n} × {n} distances of {q} features, best of {rounds} in turn; × is SciPy's time over adjoin's on one thread. Rows do not "
        "profit from symmetry, as `cdist` does not. Agreement is that of the sums, relative.",
        ["metric", "SciPy `cdist`", "rows", "×", "square", "×", "rows, 2 threads", "square, 2 threads", "agreement"],
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, values in data.items():
            values.tofile(pathlib.Path(folder) / name)
        for word, options in METRICS:
            if wanted and word not in wanted:
                continue
            name = "sets" if word == "jaccard" else "counts"
            values = data[name].astype(bool) if word == "jaccard" else data[name]
            theirs, ours, worst = [], {t: [] for t in THREADS}, 0.0
            for _ in range(rounds):
                with threads(1):
                    seconds, total = with_scipy(values, word, options)
                theirs.append(seconds)
                for t in THREADS:
                    square, rows = with_adjoin(program, pathlib.Path(folder) / name, word, options, (n, q), t)
                    ours[t].append((square[0], rows[0]))
                    worst = max(worst, abs(square[1] - total) / total, abs(rows[1] - total) / total)
            peer = Timing(theirs).best
            (square, rows), (square2, rows2) = ([min(r[i] for r in ours[t]) for i in (0, 1)] for t in THREADS)
            shown = word + "".join(f" {v}" for v in options.values())
            section.add(
                shown, f"{peer:.3f}", f"{rows:.3f}", times(peer / rows), f"{square:.3f}", times(peer / square), f"{rows2:.3f}",
                f"{square2:.3f}", f"{worst:.0e}",
            )
    return section


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if a != "--quick"]
    counts = [int(a) for a in given[:3]] + [5000, 100, 3][len(given[:3]) :]
    alone(lambda quick: measure(quick, *counts, given[3:]))
