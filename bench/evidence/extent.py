"""Far out within the map: is T² the right measure? Forms of it, by how often they call newcomers of the old objects' own kind strange.

    python bench/evidence/extent.py [--maps 400] [--out bench/evidence/EXTENT.md]

In NumPy, beside the program. An old object left out is measured on the map of n − 1 objects, (n−2) Σ_a y_(i)a²/μ_a, a newcomer on the map of n:
that is nearly the same, not quite. Tried are

    as it is        (n−1) Σ_a ŷ_a²/c_a, which is what adjoin does
    smaller maps    Σ_a ŷ_a² mean_i (n−2)/μ_(i)a: by the eigenvalues of the maps of n − 1
    left-out places both by the second moments of the y_(i), on each axis; an old object's own is not counted
    in pairs        newcomer and old object i both on the map without i, i by i: the two are drawn alike given the others, so that nothing is
                    favoured. It takes all n eigenvectors and O(n²d) a newcomer, which nobody who keeps a map has

and each of them for newcomers twice as far from the centre too, which should be called strange.
"""

import argparse
import math
import sys

import numpy as np
from kinds import KINDS, SIMILARITIES

NEWCOMERS = 50
LEVELS = (0.05, 0.10)
DIMENSIONS = (2, 10)
FORMS = ("as it is", "smaller maps", "left-out places", "in pairs")


def centred(proximities, n, similarities):
    """Return B of the first n objects, and b of the others."""
    t = proximities if similarities else -0.5 * proximities**2
    r, m = t[:, :n].mean(1), t[:n, :n].mean()
    b = t[:, :n] - r[:, None] - r[None, :n] + m
    return b[:n], b[n:]


def eigenpairs(B):
    """Return all eigenpairs but (0, e), the largest first."""
    n = len(B)
    values, vectors = np.linalg.eigh(B - 10 * np.linalg.norm(B) / n)
    return values[:0:-1], vectors[:, :0:-1]


def left_out(c, U, d):
    """Return μ and y of each object on the map of the others, n × d, and the axes of that map, d × n × n."""
    n, masses = len(U), U**2
    low, high = np.tile(c[1 : d + 1], (n, 1)), np.tile(c[:d], (n, 1))
    terms = lambda mu, power: np.array([(masses / (c - m[:, None]) ** power).sum(1) for m in mu.T]).T  # noqa: E731
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = terms(middle, 1) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    mu = 0.5 * (low + high)
    q = terms(mu, 2)
    mu[mu[:, -1] <= 1e-12 * c[0]] = np.nan
    y = np.sign(U[:, :d]) / np.sqrt(mu * q)
    axes = np.array([(U / (c - mu[:, [a]])) @ U.T / np.sqrt(q[:, [a]]) for a in range(d)])
    return mu, y, axes


def share(old, new):
    """Return the share of old objects, and the newcomer, whose measure is at least the newcomer's."""
    known = np.sort(old[~np.isnan(old)])
    return (1 + len(known) - np.searchsorted(known, new)) / (len(known) + 1)


def p_inside(b, c, U, mu, y, axes):
    """Return p_inside of newcomers, by each form."""
    n, d = y.shape
    own = (n - 2) * (y**2 / mu).sum(1)
    projected = b @ U[:, :d] / np.sqrt(c[:d])
    known = ~np.isnan(own)
    moments = np.sum(y[known] ** 2, axis=0)
    yield share(own, (n - 1) * (projected**2 / c[:d]).sum(1))
    yield share(own, (projected**2 * np.mean((n - 2) / mu[known], axis=0)).sum(1))
    yield share((known.sum() - 1) * (y**2 / (moments - y**2)).sum(1), known.sum() * (projected**2 / moments).sum(1))
    pairs = np.array([b @ axis.T / np.sqrt(m) + left / n for axis, m, left in zip(axes, mu.T, y.T)])
    measured = (n - 2) * (pairs**2 / mu.T[:, None]).sum(0)
    yield (1 + (own[known] >= measured[:, known]).sum(1)) / (known.sum() + 1)


def rates(kind, n, maps, seed):
    """Return the share of newcomers that are called strange, map by map: by axes, near or far, forms and levels."""
    rng = np.random.default_rng([seed, n])
    found = np.zeros((maps, len(DIMENSIONS), 2, len(FORMS), len(LEVELS)))
    for at in found:
        B, b = centred(KINDS[kind](rng, n + NEWCOMERS), n, kind in SIMILARITIES)
        c, U = eigenpairs(B)
        for of_axes, d in zip(at, DIMENSIONS):
            left = left_out(c, U, d)
            for of_place, times in zip(of_axes, (1, 2)):
                of_place[:] = [[np.mean(p <= level) for level in LEVELS] for p in p_inside(times * b, c, U, *left)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maps", type=int, default=400)
    parser.add_argument("--objects", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    n = args.objects
    right = [math.floor(level * (n + 1) + 1e-9) / (n + 1) for level in LEVELS]
    found = {}
    with np.errstate(all="ignore"):
        for kind in KINDS:
            found[kind] = rates(kind, n, args.maps, args.seed)
            print(kind, found[kind].mean(0)[:, 0, :, 1].round(3).tolist(), file=sys.stderr, flush=True)
    errors = max(f[:, :, 0].std(0).max() for f in found.values()) / math.sqrt(args.maps)
    lines = [
        "# Forms of T²",
        "",
        f"Made by `python bench/evidence/extent.py --maps {args.maps} --objects {n} --seed {args.seed}`, which says what the forms are: the share of {NEWCOMERS} newcomers of "
        f"the old objects' own kind on each of {args.maps} maps with p_inside ≤ 0.05 / ≤ 0.10, and, in brackets, of newcomers twice as far from the centre with "
        f"p_inside ≤ 0.10. Right is {right[0]:.3f} / {right[1]:.3f}; standard errors are at most {errors:.3f}.",
    ]
    for at, d in enumerate(DIMENSIONS):
        lines += ["", f"## n = {n}, d = {d}", "", "| kind | " + " | ".join(FORMS) + " |", "| --- " * (1 + len(FORMS)) + "|"]
        for kind, all_ in found.items():
            near, far = all_.mean(0)[at]
            cells = [f"{a:.3f} / {b:.3f} ({power:.2f})" for (a, b), (_, power) in zip(near, far)]
            lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    worst = [max(np.abs(f.mean(0)[:, 0, i] - right).max() for f in found.values()) for i in range(len(FORMS))]
    names = ", ".join(f"{w:.3f} {form}" for form, w in zip(FORMS, worst))
    lines += ["", f"Farthest from what is right: {names}."]
    text = "\n".join(lines) + "\n"
    if args.out:
        with open(args.out, "w") as out:
            out.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
