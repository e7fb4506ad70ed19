"""When to refit: how often the verdict on a batch is right.

    python bench/evidence/refit_rule.py [--batches 400] [--out bench/evidence/REFIT.md]

Batches of newcomers, ordinary and strange in three ways and to any degree, are assessed on maps of old objects. Whether a map
would have been better fitted anew is computed: with B of all objects about the old ones' centroid and Z the old objects and the
projected newcomers on the map, the excess strain

    (‖B − ZZ'‖² − ‖B − its best d axes‖²)/‖B − its best d axes‖²

is what a refit would gain; above 5 % it was needed. Sensitivity is the share of needed refits that are called, specificity the
share of the others that are not, false alarms the share of ordinary batches that are.
"""

import argparse
import pathlib
import sys

import adjoin
import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import binom

NEEDED = 0.05


def gaussian(rng, count, features, decay):
    return rng.normal(size=(count, features)) * np.arange(1, features + 1) ** -decay


def mixture(rng, count, features):
    centres = np.random.default_rng(0).normal(size=(5, features)) * 0.6
    return centres[rng.integers(5, size=count)] + rng.normal(size=(count, features))


KINDS = {
    "Gaussian, 20 dimensions": lambda rng, n: gaussian(rng, n, 20, 0.5),
    "Gaussian, 300 dimensions": lambda rng, n: gaussian(rng, n, 300, 0.3),
    "mixture of 5, 50 dimensions": lambda rng, n: mixture(rng, n, 50),
}


def strange(rng, points, how):
    """Change newcomers: nothing, a direction of their own, another centre, or more noise; all of them or a third."""
    k, q = points.shape
    who = rng.random(k) < rng.choice([0.34, 1.0])
    size = np.sqrt((points**2).sum(axis=1).mean()) * rng.uniform(0.2, 2.0)
    direction = rng.normal(size=q)
    direction /= np.linalg.norm(direction)
    match how:
        case "a direction of their own":
            points = points + np.outer(who * rng.normal(size=k), direction) * size
        case "another centre":
            points = points + np.outer(who, direction) * size
        case "more noise":
            points = points * np.where(who, rng.uniform(1.1, 2.0), 1.0)[:, None]
    return points


WAYS = ("none", "a direction of their own", "another centre", "more noise")


def excess(squares, n, placed, embedding):
    """The excess strain of old objects and newcomers on the old map."""
    means = squares[:, :n].mean(axis=1)
    B = -0.5 * (squares - means[:, None] - means[None, :] + squares[:n, :n].mean())
    Z = np.vstack([embedding, placed])
    best = np.sort(np.linalg.eigvalsh(B))[::-1][: Z.shape[1]].clip(0)
    left = np.sum(B * B) - np.sum(best**2)
    return (np.sum((B - Z @ Z.T) ** 2) - left) / left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    rows = []
    for kind, draw in KINDS.items():
        rng = np.random.default_rng([args.seed, len(kind)])
        for batch in range(args.batches):
            n, k, d = rng.choice([50, 100, 200]), rng.choice([10, 30, 100]), rng.choice([2, 5])
            how = WAYS[batch % len(WAYS)]
            old, new = draw(rng, n), strange(rng, draw(rng, k), how)
            all_ = cdist(np.vstack([old, new]), np.vstack([old, new]))
            model = adjoin.ClassicalMDS(n_components=int(d), metric="precomputed").fit(all_[:n, :n])
            placed = model.place(all_[n:, :n])
            alone = placed.assessment_
            together = model.place(all_[n:, :n], between=all_[n:, n:]).assessment_
            gain = excess(all_**2, n, placed.coordinates, model.embedding_)
            plain = binom.sf(alone.unlike - 1, alone.newcomers, alone.level)
            rows.append((kind, how, gain, alone, together, plain < 0.01, k / n))
        print(f"{kind}: {args.batches} batches", file=sys.stderr, flush=True)

    rules = {
        "without what is between them": lambda r: r[3].verdict == "refit",
        "with what is between them": lambda r: r[4].verdict == "refit",
        "with it, counted by the binomial": lambda r: r[5] and r[4].weight > 1,
    }
    gain = np.array([r[2] for r in rows])
    needed = gain > NEEDED
    ordinary = np.array([r[1] == "none" for r in rows])
    count = np.array([r[3].newcomers for r in rows])
    called = {name: np.array([rule(r) for r in rows]) for name, rule in rules.items()}
    share = lambda values: f"{values.mean():.2f}" if len(values) else "–"  # noqa: E731
    lines = [
        "# When to refit",
        "",
        f"Made by `python bench/evidence/refit_rule.py --batches {args.batches} --seed {args.seed}`: {len(rows)} batches, a quarter of them ordinary. "
        f"A refit was needed if it would gain more than {NEEDED:.0%} of the strain. Sensitivity and specificity are of the strange batches; "
        "ordinary ones are in the last column.",
        "",
        "| rule | sensitivity | specificity | ordinary batches called |",
        "| --- | --- | --- | --- |",
    ]
    for name, yes in called.items():
        strange_ = ~ordinary
        numbers = (yes[strange_ & needed], ~yes[strange_ & ~needed], yes[ordinary])
        lines.append(f"| {name} | " + " | ".join(map(share, numbers)) + " |")
    lines += [
        "",
        "By the number of newcomers, sensitivity / specificity (what is strange about a batch is a third of it or all):",
        "",
        "| newcomers | without what is between them | with it |",
        "| --- | --- | --- |",
    ]
    first, second = list(called.values())[:2]
    for k in np.unique(count):
        some = ~ordinary & (count == k)
        cells = [f"{share(yes[some & needed])} / {share(~yes[some & ~needed])}" for yes in (first, second)]
        lines.append(f"| {k} | {cells[0]} | {cells[1]} |")
    lines += ["", "By what a refit would gain, the share of strange batches that are called:", ""]
    lines += ["| gain | batches | without what is between them | with it |", "| --- | --- | --- | --- |"]
    for low, high in ((0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.5), (0.5, np.inf)):
        some = ~ordinary & (gain > low) & (gain <= high)
        name = f"{low:.0%} to {high:.0%}" if np.isfinite(high) else f"more than {low:.0%}"
        lines.append(f"| {name} | {some.sum()} | {share(first[some])} | {share(second[some])} |")
    lines += [
        "",
        f"Of ordinary batches {needed[ordinary].mean():.2f} would gain more than {NEEDED:.0%} too, as more objects of the same kind make better axes. "
        "That is no reason to move a published map, and the first question leaves them alone.",
        "",
    ]
    lines += ["| ordinary batches said to differ (*watch* or *refit*) | beta-binomial, as here | binomial |", "| --- | --- | --- |"]
    ratio = np.array([r[6] for r in rows])
    for name, which in (("fewer newcomers than old objects", ratio < 1), ("as many or more", ratio >= 1)):
        some = [r for r, w in zip(rows, which & ordinary) if w]
        ours = np.mean([r[3].verdict in ("watch", "refit") for r in some])
        lines.append(f"| {name} ({len(some)}) | {ours:.3f} | {np.mean([r[5] for r in some]):.3f} |")
    text = "\n".join(lines) + "\n"
    if args.out:
        pathlib.Path(args.out).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
