"""How often does a region hold what it should? The 50, 90 and 95 % regions of a place, and its variance over other old objects.

    python bench/evidence/coverage.py [--maps 20] [--out bench/evidence/COVERAGE.md]

1. Measured again. On maps that show their objects in full newcomers are given proximities with independent errors, many times over. The region
   around the place of one measurement should hold the place without errors as often as its level says. Regions are (z − y)'Σ⁻¹(z − y) ≤
   dν/(ν−d+1)·F(d, ν−d+1), ν = n−d−1, Σ by `uncertainty="axes"` (HC3); beside them stand those of d·F(d, ν) with the same Σ, and with s²C⁻¹, which a
   regression program would print.
2. Other old objects. On maps that do not show all, what they miss is disagreement between the old objects too. Maps of twenty panels of old
   objects of the same kind are turned onto one, and the variance of newcomers' places over them is compared with what one map says
   of it, given its axes and by refits. Given the axes it should be too small by up to 1/(1 − c_{d+1}/c_d)² on the last of them.
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


def errors(rng, true, how):
    """Return errors of squared dissimilarities, as often as they are measured."""
    noise = rng.normal(size=(MEASUREMENTS, *true.shape))
    if how == "in proportion":
        return 0.2 * true * noise
    if how == "all alike":
        return 0.2 * true.mean() * noise
    # Each old object has its own, up to ten times another's.
    return 0.1 * true.mean() * 10 ** rng.uniform(-1, 0, size=true.shape[1]) * noise


def given_axes(rng, n, d, strategy, how):
    """Return how many of the regions hold the true place: of HC3, of HC3 by d·F(d, ν), and of s²C⁻¹ by the same."""
    jointly = strategy == "jointly"
    old = points(rng, n, d, 0.3)
    new = points(rng, 3 if jointly else 1, d, 0.3)
    model = adjoin.ClassicalMDS(n_components=d, kind="squared", metric="precomputed").fit(squared(old, old))
    true, between = squared(new, old), squared(new, new)
    measured = (true + errors(rng, true, how)).clip(min=0)
    if jointly:
        many = [model.place(m, between=between, uncertainty="axes") for m in measured]
        places = np.array([p.coordinates[0] for p in many])
        covariances = np.array([p.covariance[0] for p in many])
        centre = model.place(true, between=between).coordinates[0]
    else:
        many = model.place(measured[:, 0], strategy=strategy, uncertainty="axes")
        places, covariances = many.coordinates, many.covariance
        centre = model.place(true, strategy=strategy).coordinates[0]
    freedom = n - d - 1
    hotelling = [d * freedom / (freedom - d + 1) * F.ppf(level, d, freedom - d + 1) for level in LEVELS]
    factors = [d * F.ppf(level, d, freedom) for level in LEVELS]
    held = lambda covariances, factors: [inside(centre, places, covariances, f).sum() for f in factors]  # noqa: E731
    # s²C⁻¹ of the projection.
    X = model.embedding_
    r = squared(old, old).mean(1)
    b = -0.5 * (measured[:, 0] - measured[:, 0].mean(1, keepdims=True) - r + r.mean())
    C = X.T @ X
    e = b - b @ X @ np.linalg.inv(C) @ X.T
    plain = (e**2).sum(1)[:, None, None] / freedom * np.linalg.inv(C)
    return held(covariances, hotelling), held(covariances, factors), held(plain, factors)


def over_panels(rng, n, scale, d):
    """Return c_{d+1}/c_d, and actual over predicted variance for other old objects of the same kind: given the axes, in all and on the last, and by
    refits."""
    draw = lambda count: rng.normal(size=(count, len(scale))) * scale  # noqa: E731
    new, anchor = draw(10), draw(n)
    distances = lambda a, b: np.sqrt(squared(a, b))  # noqa: E731
    reference = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(distances(anchor, anchor))
    X = reference.embedding_
    placed, predicted, next_ = [], [], []
    for _ in range(20):
        old = draw(n)
        D = distances(old, old)
        model = adjoin.ClassicalMDS(n_components=d, metric="precomputed").fit(D)
        E = distances(new, old)
        answers = [model.place(E, uncertainty="axes"), model.place(E, uncertainty="refit", old=D)]
        # Turned onto one map, by where that map's objects are projected.
        bridge = model.place(distances(anchor, old)).coordinates
        a, b = bridge - bridge.mean(0), X - X.mean(0)
        u, _, vt = np.linalg.svd(a.T @ b)
        placed.append((answers[0].coordinates - bridge.mean(0)) @ (u @ vt))
        variances = [np.diagonal(answer.covariance, axis1=1, axis2=2).mean(0) for answer in answers]
        predicted.append([variances[0].sum(), variances[0][-1], variances[1].sum()])
        c = np.linalg.eigvalsh(np.cov(old.T, bias=True))[::-1]
        next_.append(c[d] / c[d - 1])
    actual = np.var(np.array(placed), axis=0, ddof=1).mean(0)
    return np.mean(next_), *(np.array([actual.sum(), actual[-1], actual.sum()]) / np.mean(predicted, axis=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    args = parser.parse_args()
    lines = [
        "# Coverage of regions",
        "",
        f"Made by `python bench/evidence/coverage.py --maps {args.maps} --seed {args.seed}`.",
        "",
        "## Measured again",
        "",
        f"{args.maps} maps a line (a quarter of them for jointly), {MEASUREMENTS} measurements of a newcomer on each. Errors of squared dissimilarities are in "
        "proportion to them (20 %), all alike, or of other sizes from old object to old object. Each cell has the share of 50 / 90 / 95 % regions that hold the "
        "place without errors.",
        "",
        "| errors | n | d | strategy | `uncertainty=\"axes\"` (HC3) | HC3 by d·F(d, ν) | s²C⁻¹ by the same |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for how in ("in proportion", "all alike", "of other sizes"):
        for n, d in ((50, 2), (100, 2), (100, 5), (200, 10)):
            for strategy in ("project", "reconstruct", "jointly"):
                maps = max(1, args.maps // 4) if strategy == "jointly" else args.maps
                rng = np.random.default_rng([args.seed, n, d])
                both = sum(np.array(given_axes(rng, n, d, strategy, how)) for _ in range(maps))
                cells = [" / ".join(f"{v:.3f}" for v in row) for row in both / (maps * MEASUREMENTS)]
                lines.append(f"| {how} | {n} | {d} | {strategy} | " + " | ".join(cells) + " |")
                print(lines[-1], file=sys.stderr, flush=True)
    repeats = max(1, args.maps // 5)
    lines += [
        "",
        "## Other old objects",
        "",
        f"{repeats} × twenty maps of other old objects of the same kind, turned onto one: the variance of ten newcomers' places over them, beside what each map "
        "predicts, given its axes and by twenty refits.",
        "",
        "| n | d | c_{d+1}/c_d | actual / predicted, `axes` | on the last axis | 1/(1 − c_{d+1}/c_d)² | actual / predicted, `refit` |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    power = lambda decay: np.arange(1, 21) ** -decay  # noqa: E731
    clear = np.r_[4.0, 3.0, np.ones(18) * 0.7]
    # Two axes, and of the others the first so far below the second.
    after = lambda share: np.sqrt(np.r_[4, 2, 2 * share / np.arange(1, 19)])  # noqa: E731
    kinds = ((100, 2, clear), (100, 2, after(0.3)), (100, 2, after(0.5)), (100, 2, power(0.7)), (100, 2, after(0.7)))
    for n, d, scale in (*kinds, (100, 2, power(0.2)), (200, 5, power(0.5))):
        rng = np.random.default_rng([args.seed, n, d])
        next_, axes, last, refit = np.mean([over_panels(rng, n, scale, d) for _ in range(repeats)], axis=0)
        lines.append(f"| {n} | {d} | {next_:.2f} | {axes:.1f} | {last:.1f} | {1 / (1 - next_) ** 2:.1f} | {refit:.2f} |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    if args.out:
        with open(args.out, "w") as out:
            out.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
