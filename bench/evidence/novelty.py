"""How often are newcomers of the old objects' own kind called unlike them? p, p_outside and p_inside at 0.05 and 0.10.

    python bench/evidence/novelty.py [--maps 400] [--out bench/evidence/NOVELTY.md]

For each of ten kinds of data (kinds.py), n = 50 and 200 old objects and d = 2 and 10 axes, many maps are fitted and fifty
newcomers of the same kind are placed on each. A p-value that is right is at most α in ⌊α(n+1)⌋/(n+1) of the cases. Newcomers to one map have their
yardstick in common, so that what is found scatters with the number of maps, not of newcomers: by sixty maps a cell may well be 0.03 off.
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
DIMENSIONS = (2, 10)


def rates(kind, n, maps, seed):
    """Return, map by map, for each number of axes, measure and level the share of newcomers that are called strange."""
    rng = np.random.default_rng([seed, n])
    found = np.zeros((maps, len(DIMENSIONS), len(MEASURES), len(LEVELS)))
    for at in found:
        all_ = KINDS[kind](rng, n + NEWCOMERS)
        old, new = all_[:n, :n], all_[n:, :n]
        for shares, d in zip(at, DIMENSIONS):
            if kind in SIMILARITIES:
                model = adjoin.KernelPCA(n_components=d, kernel="precomputed").fit(old)
                placed = model.place(new, self_similarity=np.diag(all_)[n:])
            else:
                model = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(old)
                placed = model.place(new)
            for i, measure in enumerate(MEASURES):
                values = getattr(placed, measure)
                shares[i] = [np.mean(values <= level) for level in LEVELS]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    lines = [
        "# False positives of p",
        "",
        f"Made by `python bench/evidence/novelty.py --maps {args.maps} --seed {args.seed}`: {NEWCOMERS} newcomers of the old objects' own kind on each "
        f"of {args.maps} maps of 50 objects and {max(1, args.maps // 2)} of 200. Each cell has the share of them with p ≤ 0.05 and with p ≤ 0.10.",
    ]
    worst, error = np.zeros(len(MEASURES)), 0.0
    for n, maps in ((50, args.maps), (200, max(1, args.maps // 2))):
        wanted = [math.floor(level * (n + 1) + 1e-9) / (n + 1) for level in LEVELS]
        found = {}
        for kind in KINDS:
            each = rates(kind, n, maps, args.seed)
            found[kind] = each.mean(0)
            error = max(error, each.std(0).max() / math.sqrt(maps))
            worst = np.maximum(worst, np.abs(found[kind] - wanted).max(axis=(0, 2)))
            print(n, kind, found[kind].tolist(), file=sys.stderr, flush=True)
        for at, d in enumerate(DIMENSIONS):
            lines += ["", f"## n = {n}, d = {d}", "", f"Right is {wanted[0]:.3f} / {wanted[1]:.3f}.", ""]
            lines += ["| kind | " + " | ".join(f"`{m}`" for m in MEASURES) + " |", "| --- " * 4 + "|"]
            for kind in KINDS:
                lines.append(f"| {kind} | " + " | ".join(f"{a:.3f} / {b:.3f}" for a, b in found[kind][at]) + " |")
    names = ", ".join(f"{w:.3f} of `{m}`" for m, w in zip(MEASURES, worst))
    lines += ["", f"Farthest from what is right: {names}. Standard errors are at most {error:.3f}."]
    text = "\n".join(lines) + "\n"
    if args.out:
        with open(args.out, "w") as out:
            out.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
