"""Stress: adjoin beside SciPy's local methods on the same newcomers, in the same run.

    python bench/stress.py [n] [newcomers]

SciPy gets analytic derivatives, a start close to the answer (the true place of the newcomer, jittered)
and one descent; adjoin gets neither start nor hint and searches from several. Times are medians per
newcomer on one thread. "worse" counts newcomers whose stress is more than 1e-6 above the other side's.
Needs NumPy and SciPy.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.optimize import least_squares, minimize

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = ["lm", "trf", "BFGS", "L-BFGS-B", "trust-exact", "Newton-CG"]


def problem(n, d, k, rng):
    """A configuration, k newcomers partly off its space, and jittered true places."""
    X = rng.normal(size=(n, d)) * np.linspace(2, 1, d)
    truth = 1.5 * rng.normal(size=(k, d))
    squared = np.sum((truth[:, None] - X) ** 2, axis=2) + rng.uniform(0, 2, size=(k, 1))
    delta = np.sqrt(squared) * np.exp(0.1 * rng.normal(size=(k, n)))
    return X, delta, truth + 0.3 * rng.normal(size=(k, d))


def with_scipy(method, X, delta, start):
    identity = np.eye(X.shape[1])

    def residuals(y):
        Z = y - X
        return np.sqrt(np.einsum("ij,ij->i", Z, Z)) - delta

    def jacobian(y):
        Z = y - X
        return Z / np.sqrt(np.einsum("ij,ij->i", Z, Z))[:, None]

    def value_and_gradient(y):
        Z = y - X
        r = np.sqrt(np.einsum("ij,ij->i", Z, Z))
        e = r - delta
        return e @ e, 2 * ((e / r) @ Z)

    def hessian(y):
        Z = y - X
        r = np.sqrt(np.einsum("ij,ij->i", Z, Z))
        q = delta / r
        return 2 * ((1 - q).sum() * identity + (Z * (q / r**2)[:, None]).T @ Z)

    begin = time.perf_counter()
    if method in ("lm", "trf"):
        y = least_squares(residuals, start, jac=jacobian, method=method).x
    elif method in ("BFGS", "L-BFGS-B"):
        y = minimize(value_and_gradient, start, jac=True, method=method).x
    else:
        y = minimize(value_and_gradient, start, jac=True, hess=hessian, method=method).x
    return time.perf_counter() - begin, value_and_gradient(y)[0]


def with_adjoin(program, X, delta):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "problem"
        shape = np.array([*X.shape, len(delta)], dtype=np.uint64)
        file.write_bytes(shape.tobytes() + np.ascontiguousarray(X).tobytes() + np.ascontiguousarray(delta).tobytes())
        lines = subprocess.run([program, file], check=True, capture_output=True, text=True).stdout.split("\n")
    seconds, preparing = map(float, lines[0].split())
    return seconds, preparing, np.array(lines[1:-1], dtype=float)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    k = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    build = ["cargo", "build", "--release", "-q", "-p", "adjoin", "--example", "stress_speed"]
    subprocess.run(build, cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--format-version=1", "--no-deps"]
    metadata = subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout
    program = pathlib.Path(json.loads(metadata)["target_directory"]) / "release/examples/stress_speed"
    print(f"n = {n}, {k} newcomers: microseconds per newcomer")
    for d in (1, 2, 3, 10):
        X, delta, starts = problem(n, d, k, np.random.default_rng(d))
        seconds, preparing, ours = with_adjoin(program, X, delta)
        print(f"d = {d}: adjoin {1e6 * seconds:.1f} (and once {1e6 * preparing:.0f} to prepare)")
        best = None
        for method in METHODS:
            runs = [with_scipy(method, X, row, y) for row, y in zip(delta, starts)]
            median = np.median([r[0] for r in runs])
            theirs = np.array([r[1] for r in runs])
            worse = np.sum(theirs > ours * (1 + 1e-6)), np.sum(ours > theirs * (1 + 1e-6))
            print(f"   {method:12} {1e6 * median:8.1f}  worse: SciPy {worse[0]}, adjoin {worse[1]}")
            best = min(best or (median, method), (median, method))
        print(f"   adjoin is {best[0] / seconds:.1f} times as fast as SciPy's best, {best[1]}")


if __name__ == "__main__":
    main()
