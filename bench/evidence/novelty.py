"""How often are newcomers of the old objects' own kind called unlike them? p, p_outside and p_inside at 0.05 and 0.10.

    python bench/evidence/novelty.py [--maps 100] [--out bench/evidence/NOVELTY.md]

For each of ten kinds of data (kinds.py), n = 50 and 200 old objects and d = 2 and 10 axes, many maps are fitted and fifty
newcomers of the same kind are placed on each. A p-value that is right is at most α in ⌊α(n+1)⌋/(n+1) of the cases.
"""

import argparse
import math
import sys

import adjoin
import numpy as np
from kinds import KINDS, SIMILARITIES

NEWCOMERS = 50
LEVELS = (0.05, 0.10)
MEASURES = ("p", "p_outside", "p_inside")


def rates(kind, n, d, maps, seed):
    rng = np.random.default_rng([seed, n, d])
    counts = np.zeros((len(MEASURES), len(LEVELS)))
    total = 0
    for _ in range(maps):
        all_ = KINDS[kind](rng, n + NEWCOMERS)
        old, new = all_[:n, :n], all_[n:, :n]
        if kind in SIMILARITIES:
            model = adjoin.KernelPCA(n_components=d, kernel="precomputed").fit(old)
            placed = model.place(new, self_similarity=np.diag(all_)[n:])
        else:
            model = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(old)
            placed = model.place(new)
        for i, measure in enumerate(MEASURES):
            values = getattr(placed, measure)
            for j, level in enumerate(LEVELS):
                counts[i, j] += np.sum(values <= level)
        total += NEWCOMERS
    return counts / total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    lines = [
        "# False positives of p",
        "",
        f"Made by `bench/evidence/novelty.py`: {args.maps} maps a line, {NEWCOMERS} newcomers of the old objects' own kind on each, "
        f"seed {args.seed}. Each cell has the share of them with p ≤ 0.05 and with p ≤ 0.10.",
    ]
    worst = 0
    for n in (50, 200):
        wanted = [math.floor(level * (n + 1) + 1e-9) / (n + 1) for level in LEVELS]
        for d in (2, 10):
            lines += ["", f"## n = {n}, d = {d}", "", f"Right is {wanted[0]:.3f} / {wanted[1]:.3f}.", ""]
            lines += ["| kind | " + " | ".join(f"`{m}`" for m in MEASURES) + " |", "| --- " * 4 + "|"]
            for kind in KINDS:
                found = rates(kind, n, d, args.maps, args.seed)
                worst = max(worst, np.abs(found - wanted).max())
                lines.append(f"| {kind} | " + " | ".join(f"{a:.3f} / {b:.3f}" for a, b in found) + " |")
                print(lines[-1], file=sys.stderr, flush=True)
    lines += ["", f"The worst is {worst:.3f} away from what is right."]
    text = "\n".join(lines) + "\n"
    if args.out:
        with open(args.out, "w") as out:
            out.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
