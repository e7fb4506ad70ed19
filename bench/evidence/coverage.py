"""How often does a region hold what a new measurement gives? The 50, 90 and 95 % regions of a place.

    python bench/evidence/coverage.py [--maps 20] [--out bench/evidence/COVERAGE.md]

On each map newcomers are given proximities with independent errors of very different sizes (each old object has its own), many times
over. The region around the place of one measurement should hold the place that measurements have on average as often as its level says.
Regions are (z − y)'Σ⁻¹(z − y) ≤ d·F(d, n−d−1), Σ by `uncertainty="axes"`; beside them stand those of s²C⁻¹, which most programs would
print. The last column compares refits with what other old objects of the same kind really give.
"""

import argparse
import sys

import adjoin
import numpy as np
from scipy.stats import f as F

LEVELS = (0.5, 0.9, 0.95)
MEASUREMENTS = 200


def points(rng, count, features, decay):
    return rng.normal(size=(count, features)) * np.arange(1, features + 1) ** -decay


def squared(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)


def inside(centre, places, covariances, factor):
    steps = places - centre
    good = np.isfinite(covariances).all((1, 2))
    solved = np.linalg.solve(covariances[good], steps[good][..., None])[..., 0]
    return (steps[good] * solved).sum(-1) <= factor


def given_axes(rng, n, d, features, decay, strategy, jointly):
    """Return how many of the regions hold the true place: of HC3, and of s²C⁻¹."""
    old = points(rng, n, features, decay)
    new = points(rng, 3 if jointly else 1, features, decay)
    model = adjoin.ClassicalMDS(n_components=d, kind="squared", metric="precomputed").fit(squared(old, old))
    true, between = squared(new, old), squared(new, new)
    # Errors differ from old object to old object by a factor of up to 10.
    sizes = 0.1 * true.mean() * 10 ** rng.uniform(-1, 0, size=n)
    shape = (MEASUREMENTS, *true.shape)
    measured = true + sizes * rng.normal(size=shape)
    extra = dict(between=between) if jointly else {}
    if jointly:
        many = [model.place(m, **extra, uncertainty="axes") for m in measured.clip(min=0)]
        places = np.array([p.coordinates[0] for p in many])
        covariances = np.array([p.covariance[0] for p in many])
    else:
        many = model.place(measured[:, 0].clip(min=0), strategy=strategy, uncertainty="axes")
        places, covariances = many.coordinates, many.covariance
    # What measurements without error give.
    centre = model.place(true, **(extra or dict(strategy=strategy))).coordinates[0]
    factors = [d * F.ppf(level, d, n - d - 1) for level in LEVELS]
    ours = np.array([inside(centre, places, covariances, factor).sum() for factor in factors])
    # s²C⁻¹ of the projection.
    X = model.embedding_
    r = squared(old, old).mean(1)
    b = -0.5 * (measured[:, 0] - measured[:, 0].mean(1, keepdims=True) - r + r.mean())
    C = X.T @ X
    e = b - b @ X @ np.linalg.inv(C) @ X.T
    plain = (e**2).sum(1)[:, None, None] / (n - d - 1) * np.linalg.inv(C)
    theirs = np.array([inside(centre, places, plain, factor).sum() for factor in factors])
    return ours, theirs


def by_refits(rng, n, d, features, decay):
    """Return actual over predicted variance for other old objects of the same kind, and c_{d+1}/c_d."""
    new = points(rng, 10, features, decay)
    anchor = points(rng, n, features, decay)
    reference = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(np.sqrt(squared(anchor, anchor)))
    X = reference.embedding_
    placed, predicted = [], []
    for _ in range(20):
        old = points(rng, n, features, decay)
        D = np.sqrt(squared(old, old))
        model = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(D)
        answer = model.place(np.sqrt(squared(new, old)), uncertainty="refit", old=D)
        # Turned onto one map, by where that map's objects are projected.
        bridge = model.place(np.sqrt(squared(anchor, old))).coordinates
        a, b = bridge - bridge.mean(0), X - X.mean(0)
        u, _, vt = np.linalg.svd(a.T @ b)
        placed.append((answer.coordinates - bridge.mean(0)) @ (u @ vt))
        predicted.append(np.trace(answer.covariance, axis1=1, axis2=2))
    actual = np.var(np.array(placed), axis=0, ddof=1).sum(-1)
    return actual.mean() / np.mean(predicted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    lines = [
        "# Coverage of regions",
        "",
        f"Made by `bench/evidence/coverage.py`: {args.maps} maps a line, {MEASUREMENTS} measurements of a newcomer on each, with independent errors whose "
        f"sizes differ by up to 10 from old object to old object, seed {args.seed}. Each cell has the share of 50 / 90 / 95 % regions that hold the place without errors.",
        "",
        "| n | d | strategy | `uncertainty=\"axes\"` (HC3) | s²C⁻¹ |",
        "| --- | --- | --- | --- | --- |",
    ]
    for n, d in ((50, 2), (100, 2), (100, 5), (200, 10)):
        for strategy in ("project", "reconstruct", "jointly"):
            maps = max(1, args.maps // 4) if strategy == "jointly" else args.maps
            rng = np.random.default_rng([args.seed, n, d])
            both = np.zeros((2, len(LEVELS)))
            for _ in range(maps):
                both += given_axes(rng, n, d, 20, 0.7, strategy, strategy == "jointly")
            ours, theirs = both / (maps * MEASUREMENTS)
            cell = " / ".join
            lines.append(f"| {n} | {d} | {strategy} | {cell(f'{v:.3f}' for v in ours)} | {cell(f'{v:.3f}' for v in theirs)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    lines += [
        "",
        "## Refits",
        "",
        "Twenty maps of other old objects of the same kind, turned onto one: the variance of ten newcomers' places over them, beside what "
        '`uncertainty="refit"` of each map predicts.',
        "",
        "| n | d | decay of the spectrum | actual / predicted variance |",
        "| --- | --- | --- | --- |",
    ]
    for n, d, decay in ((100, 2, 0.7), (100, 2, 0.2), (200, 5, 0.5)):
        rng = np.random.default_rng([args.seed, n, d])
        ratio = np.mean([by_refits(rng, n, d, 20, decay) for _ in range(max(1, args.maps // 10))])
        lines.append(f"| {n} | {d} | {decay} | {ratio:.2f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if args.out:
        with open(args.out, "w") as out:
            out.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
