"""Fit: adjoin beside SciPy's eigsh on the same matrix, in the same run.

    python bench/fit.py [n] [d]

Two spectra: a Euclidean mixture (fast decay) and Bray-Curtis dissimilarities of Poisson counts (slow
decay, indefinite). SciPy multiplies by the implicitly centred matrix, tol 1e-6; its squared
dissimilarities are formed beforehand and not counted. Needs NumPy and SciPy.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.spatial.distance import pdist, squareform

ROOT = pathlib.Path(__file__).resolve().parent.parent


def euclidean_mixture(n, rng):
    centres = rng.normal(size=(12, 50)) * 4
    return squareform(pdist(centres[rng.integers(0, 12, n)] + rng.normal(size=(n, 50))))


def bray_curtis(n, rng):
    rates = rng.gamma(0.7, 3.0, size=200)
    return squareform(pdist(rng.poisson(rates, size=(n, 200)).astype(float), "braycurtis"))


def with_eigsh(squared, d):
    n = len(squared)
    calls = 0

    def product(v):
        nonlocal calls
        calls += 1
        v = v.ravel() - v.mean()
        u = squared @ v
        return -0.5 * (u - u.mean())

    start = time.perf_counter()
    values = eigsh(LinearOperator((n, n), matvec=product, dtype=float), k=d, which="LA", tol=1e-6)[0]
    return time.perf_counter() - start, values[::-1], calls


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    d = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "adjoin", "--example", "fit_speed"], cwd=ROOT, check=True)
    target = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--format-version=1", "--no-deps"], cwd=ROOT, check=True, capture_output=True
        ).stdout
    )["target_directory"]
    print(f"n = {n}, d = {d}: seconds, best of three; memory as a multiple of the input")
    for name, make in [("euclidean mixture", euclidean_mixture), ("bray-curtis", bray_curtis)]:
        matrix = make(n, np.random.default_rng(1))
        with tempfile.NamedTemporaryFile(suffix=".f64") as file:
            matrix.tofile(file.name)
            ours = []
            for _ in range(3):
                command = [f"{target}/release/examples/fit_speed", file.name, str(n), str(d), "0"]
                ours.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
        theirs = [with_eigsh(matrix**2, d) for _ in range(3)]
        best = min(ours, key=lambda r: r["seconds"])
        peer = min(theirs, key=lambda r: r[0])
        error = np.max(np.abs(np.array(best["eigenvalues"]) - peer[1]) / peer[1][0])
        print(
            f"{name:18} adjoin {best['seconds']:.3f} ({best['passes']} passes, checking {best['checking']:.3f},"
            f" residual {best['residual']:.0e})  eigsh {peer[0]:.3f} ({peer[2]} products)"
            f"  ratio {best['seconds'] / peer[0]:.2f}  memory {best['peak_bytes'] / matrix.nbytes:.3f}"
            f"  difference of eigenvalues {error:.0e}"
        )


if __name__ == "__main__":
    main()
