"""What a member costs: a thousand newcomers grown one at a time, each compared with all who are there already.

    python bench/evidence/growing.py [--founders 200] [--members 1000] [--out bench/evidence/GROWING.md]

Each step places one newcomer on everybody before it and makes a new map. Times are the medians of the steps around a size; if a step is
linear in the number of members, time over size does not grow.
"""

import argparse
import pathlib
import time

import adjoin
import numpy as np
from scipy.spatial.distance import cdist


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--founders", type=int, default=200)
    parser.add_argument("--members", type=int, default=1000)
    parser.add_argument("--out")
    args = parser.parse_args()
    n, k = args.founders, args.members
    rng = np.random.default_rng(1)
    points = rng.normal(size=(n + k, 20)) * np.arange(1, 21) ** -0.5
    D = cdist(points, points)
    grown = adjoin.ClassicalMDS(n_components=5, metric="precomputed").fit(D[:n, :n])
    seconds = []
    for i in range(n, n + k):
        start = time.perf_counter()
        grown = grown.grow(D[i : i + 1, :i], strategy="reconstruct")
        seconds.append(time.perf_counter() - start)
    lines = [
        "# A thousand members, one at a time",
        "",
        f"Made by `bench/evidence/growing.py`: {n} founders, {k} members by reconstruct on five axes, each with its proximities to all before it.",
        "",
        "| objects on the map | a step, ms | beside the size, µs an object |",
        "| --- | --- | --- |",
    ]
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        at = int(share * k)
        step = np.median(seconds[max(0, at - k // 20) : at + k // 20])
        lines.append(f"| {n + at} | {1e3 * step:.2f} | {1e6 * step / (n + at):.2f} |")
    text = "\n".join(lines) + "\n"
    if args.out:
        pathlib.Path(args.out).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
