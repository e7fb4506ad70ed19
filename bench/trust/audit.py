"""The numerical audit: what adjoin computed, checked in extended precision, beside what others compute of the same numbers.

    python bench/trust/audit.py [--placements 1000000]

Needs the program (ADJOIN, or target/release/adjoin), NumPy, scikit-learn and scikit-bio; R where it is. Residuals are
scaled as LAPACK's tests scale them, by the numbers that were given: 1 is one rounding for each of the n terms of a sum, below
10 is as good as the format of the numbers allows. Extended precision is NumPy's longdouble, 64 bits of mantissa on x86-64 (the script refuses to run
where it is no more than double).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADJOIN = os.environ.get("ADJOIN", str(ROOT / "target/release/adjoin"))
EPSILON = np.finfo(float).eps
LONG = np.longdouble


def adjoin(*arguments, cwd):
    run = subprocess.run([ADJOIN, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    assert run.returncode in (0, 3), run.stderr


def distances(a, b):
    """In extended precision, rounded once at the end."""
    a, b = a.astype(LONG), b.astype(LONG)
    return np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)).astype(float)


def classes(draw):
    """Name, old proximities, newcomers' proximities, d."""
    points = draw.normal(size=(150, 6)) * [9, 5, 3, 1, 0.3, 0.1]
    later = draw.normal(size=(200, 6)) * [9, 5, 3, 1, 0.3, 0.1]
    yield "points in six dimensions", distances(points, points), distances(later, points), 3
    yield "the same, newcomers a million times as far", distances(points, points), distances(1e6 * later, points), 3
    yield "the same in a unit of 1e-60", distances(points, points) * 1e-60, distances(later, points) * 1e-60, 3
    yield "the same in a unit of 1e+60", distances(points, points) * 1e60, distances(later, points) * 1e60, 3
    grid = np.array([(i, j) for i in range(12) for j in range(12)], float)
    above = np.column_stack([grid[draw.integers(0, 144, 200)], draw.integers(0, 40, 200)])
    flat = np.column_stack([grid, np.zeros(144)])
    yield "a grid, newcomers above it (ties)", distances(flat, flat), distances(above, flat), 2
    ray = np.column_stack([np.zeros((200, 2)), draw.uniform(0, 90, 200)])
    centred = flat - flat.mean(axis=0)
    yield "straight above the centroid (hard case)", distances(centred, centred), distances(ray, centred), 2
    thin = draw.normal(size=(120, 3)) * [1, 1e-3, 1e-6]
    thin_later = draw.normal(size=(200, 3)) * [1, 1e-3, 1e-6]
    yield "axes of 1, 1e-3 and 1e-6", distances(thin, thin), distances(thin_later, thin), 3
    counts = draw.negative_binomial(0.7, 0.05, size=(330, 40)) + (draw.random((330, 40)) < 0.02)
    counts[:, 0] += 1
    shared = np.abs(counts[:, None] - counts[None]).sum(axis=2) / (counts[:, None] + counts[None]).sum(axis=2)
    yield "Bray–Curtis of counts (not Euclidean)", shared[:130, :130], shared[130:, :130], 4
    noise = draw.random((330, 330))
    noise = (noise + noise.T) / 2
    np.fill_diagonal(noise, 0)
    yield "symmetric noise (no geometry at all)", noise[:130, :130], noise[130:, :130], 4


def centred(old):
    """B = −½ P Δ₂ P, its means, in extended precision."""
    squared = old.astype(LONG) ** 2
    rows = squared.mean(axis=1)
    mean = rows.mean()
    return -(squared - rows[:, None] - rows[None] + mean) / 2, rows, mean


def border(new, rows, mean):
    squared = new.astype(LONG) ** 2
    own = squared.mean(axis=1)
    b = -(squared - own[:, None] - rows[None] + mean) / 2
    # What b is a difference of: one rounding of a given number moves b by ε times this, however small b itself is.
    given = (np.sqrt((squared**2).sum(axis=1)) + np.sqrt((rows**2).sum())) / 2
    return b, own - mean / 2, given


def eigen_residual(B, X):
    """max over axes ‖Bx − cx‖ / (n ε ‖B‖ ‖x‖), c the axis' Rayleigh quotient."""
    X = X.astype(LONG)
    c = (X * (B @ X)).sum(axis=0) / (X * X).sum(axis=0)
    short = np.sqrt(((B @ X - X * c) ** 2).sum(axis=0))
    size = len(B) * EPSILON * np.sqrt((B * B).sum()) * np.sqrt((X * X).sum(axis=0))
    return float((short / size).max())


def projection_residual(X, b, given, places):
    """max over newcomers ‖X'(Xŷ − b)‖ / (n ε ‖X‖ (‖X‖ ‖ŷ‖ + ‖½δ²‖)): how far from the normal equations."""
    X, places = X.astype(LONG), places.astype(LONG)
    short = np.sqrt((((places @ X.T - b) @ X) ** 2).sum(axis=1))
    norm = np.sqrt((X * X).sum())
    size = norm * np.sqrt((places**2).sum(axis=1)) + given
    return float((short / (len(X) * EPSILON * norm * size)).max())


def objective(C, projection, beta, y):
    """F but for a constant, in extended precision."""
    away = y - projection
    return 2 * np.einsum("ka,ab,kb->k", away, C, away) + ((y * y).sum(axis=1) - beta) ** 2


def stationarity(X, b, beta, given, y):
    """max over newcomers ‖(C + λI)y − g‖ / (n ε · the size of its terms), λ = y'y − β."""
    X, y = X.astype(LONG), y.astype(LONG)
    C, g = X.T @ X, b @ X
    squared = (y * y).sum(axis=1)
    short = y @ C + (squared - beta)[:, None] * y - g
    norm = np.sqrt((X * X).sum())
    size = (norm**2 + squared + np.abs(beta)) * np.sqrt(squared) + norm * given
    return float((np.sqrt((short**2).sum(axis=1)) / (len(X) * EPSILON * size)).max())


def beaten(X, b, beta, y, draw, probes=20):
    """Newcomers for whom one of so many other places has a lower F, beyond rounding."""
    X, y = X.astype(LONG), y.astype(LONG)
    C = X.T @ X
    projection = np.linalg.solve(C.astype(float), (b @ X).T.astype(float)).T.astype(LONG)
    # Refined once in extended precision.
    projection += np.linalg.solve(C.astype(float), (b @ X - projection @ C).T.astype(float)).T
    here = objective(C, projection, beta, y)
    lower = np.zeros(len(y), bool)
    reach = np.sqrt((y * y).sum(axis=1))[:, None] + np.sqrt(np.abs(beta))[:, None]
    for at in range(probes):
        if at < y.shape[1]:
            probe = y.copy()
            probe[:, at] = -probe[:, at]
        elif at == y.shape[1]:
            probe = projection
        else:
            probe = y + reach * 10.0 ** -(at % 5) * draw.normal(size=y.shape)
        there = objective(C, projection, beta, probe)
        lower |= there < here - 1e-15 * np.maximum(here, beta**2)
    return int(lower.sum())


def number(value):
    return "–" if value is None else f"{value:.2g}"


def ours(folder, old, new, d):
    np.save(folder / "old.npy", old)
    np.save(folder / "new.npy", new)
    adjoin("fit", "old.npy", "-d", d, "-o", "map.adjoin", cwd=folder)
    adjoin("convert", "map.adjoin", "x.npy", cwd=folder)
    placed = {}
    for strategy in ("project", "reconstruct"):
        adjoin("place", "map.adjoin", "new.npy", "--strategy", strategy, "-o", "placed.parquet", cwd=folder)
        placed[strategy] = pd.read_parquet(folder / "placed.parquet")
    return np.load(folder / "x.npy"), placed


def axes(table, d):
    return table[[f"axis{i + 1}" for i in range(d)]].to_numpy()


def by_sklearn(old, new, d):
    from sklearn.decomposition import KernelPCA

    try:
        fitted = KernelPCA(d, kernel="precomputed", eigen_solver="dense").fit(-0.5 * old**2)
        X = fitted.eigenvectors_ * np.sqrt(fitted.eigenvalues_)
        return X, fitted.transform(-0.5 * new**2)
    except ValueError:
        return None


def by_skbio(old, d):
    from skbio import DistanceMatrix
    from skbio.stats.ordination import pcoa

    try:
        return pcoa(DistanceMatrix(old), dimensions=d).samples.to_numpy()
    except Exception:
        return None


def by_r(folder, d):
    if shutil.which("Rscript") is None:
        return None
    code = f"x <- as.matrix(read.csv('old.csv', header = FALSE)); write.table(format(cmdscale(as.dist(x), k = {d}), digits = 17), 'r.txt', quote = FALSE, row.names = FALSE, col.names = FALSE)"
    np.savetxt(folder / "old.csv", np.load(folder / "old.npy"), delimiter=",", fmt="%.17g")
    if subprocess.run(["Rscript", "-e", code], cwd=folder, capture_output=True).returncode:
        return None
    return np.loadtxt(folder / "r.txt").reshape(-1, d)


def table(draw):
    print("| problem | eigen-residual | scikit-learn | scikit-bio | R | projection | scikit-learn | reconstruction | certified | beaten by a probe |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, old, new, d in classes(draw):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            X, placed = ours(folder, old, new, d)
            B, rows, mean = centred(old)
            b, beta, given = border(new, rows, mean)
            project, reconstruct = axes(placed["project"], d), axes(placed["reconstruct"], d)
            certified = placed["reconstruct"]["margin"].to_numpy() >= 0
            theirs = by_sklearn(old, new, d)
            good = theirs is not None and np.isfinite(theirs[0]).all() and (theirs[0] != 0).any(axis=0).all()
            samples, r = by_skbio(old, d), by_r(folder, d)
            usable = lambda x: x is not None and x.shape == X.shape and np.isfinite(x).all() and (x != 0).any(axis=0).all()
            print(
                f"| {name} | {number(eigen_residual(B, X))} | {number(eigen_residual(B, theirs[0]) if good else None)} "
                f"| {number(eigen_residual(B, samples) if usable(samples) else None)} | {number(eigen_residual(B, r) if usable(r) else None)} "
                f"| {number(projection_residual(X, b, given, project))} | {number(projection_residual(theirs[0], b, given, theirs[1]) if good and np.isfinite(theirs[1]).all() else None)} "
                f"| {number(stationarity(X, b, beta, given, reconstruct))} | {certified.sum()} of {len(new)} | {beaten(X, b, beta, reconstruct, draw)} |",
                flush=True,
            )


def many(count, draw):
    """Random newcomers to a random map: near, far, on it, straight above it, not Euclidean."""
    n, d, step = 16, 3, 100_000
    points = draw.normal(size=(n, 5)) * [5, 3, 2, 1, 0.5]
    old = distances(points, points)
    worst_projection = worst = 0.0
    certified = lower = done = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        while done < count:
            k = min(step, count - done)
            scale = 10.0 ** draw.uniform(-3, 6, size=(k, 1))
            later = draw.normal(size=(k, 5)) * scale
            new = np.sqrt(((later[:, None] - points[None]) ** 2).sum(axis=2))
            wrong = draw.random((k, 1)) < 0.3
            new = np.where(wrong, new * draw.uniform(0.5, 1.5, size=new.shape), new)
            X, placed = ours(folder, old, new, d)
            B, rows, mean = centred(old)
            b, beta, given = border(new, rows, mean)
            reconstruct = axes(placed["reconstruct"], d)
            worst_projection = max(worst_projection, projection_residual(X, b, given, axes(placed["project"], d)))
            worst = max(worst, stationarity(X, b, beta, given, reconstruct))
            certified += int((placed["reconstruct"]["margin"].to_numpy() >= 0).sum())
            lower += beaten(X, b, beta, reconstruct, draw, probes=6)
            done += k
    print(f"\n{done:,} random newcomers: worst scaled residual {worst_projection:.2g} of projection, {worst:.2g} of reconstruction; "
          f"{certified:,} certified, {lower} beaten by one of 6 probes each")


def main():
    assert np.finfo(LONG).eps < 1e-18, "longdouble is no more than double here"
    parser = argparse.ArgumentParser()
    parser.add_argument("--placements", type=int, default=1_000_000)
    arguments = parser.parse_args()
    table(np.random.default_rng(17))
    many(arguments.placements, np.random.default_rng(18))


if __name__ == "__main__":
    main()
