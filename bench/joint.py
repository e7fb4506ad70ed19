"""Joint placement: adjoin beside SciPy's L-BFGS with the same gradient, on the same numbers, in the same run.

    python bench/joint.py [k] [d] [n] [threads]

SciPy gets the cheapest form of the objective and its gradient (one product of beta with a k x d block an
evaluation), in units where the problem is of order one, from the projections (its best start here) and
is stopped where adjoin's answer is reached to 1e-9, as well as left to run to gtol = 1e-8. adjoin starts
from nothing, goes on to rounding, and its time includes the proof that the minimum is global. Best of several
runs, alternating. Needs NumPy and SciPy.
"""

import os
import sys

K, D, N, THREADS = (list(map(int, sys.argv[1:])) + [1000, 10, 500, 1][len(sys.argv) - 1 :])[:4]
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, str(THREADS))

import pathlib
import subprocess
import tempfile
import time

import numpy as np
from scipy.optimize import minimize

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 5 if K <= 2000 else 1
INNER = 4 if K <= 2000 else 1  # a process warms up once, as SciPy's did


def problem(kind, n, k, d, rng):
    """Objects in 3d dimensions with falling variances; distances exact or multiplied by noise."""
    points = rng.normal(size=(n + k, 3 * d)) / np.sqrt(1 + np.arange(3 * d))
    inner = points @ points.T
    squared = np.maximum(np.add.outer(np.diag(inner), np.diag(inner)) - 2 * inner, 0)
    np.fill_diagonal(squared, 0)
    if kind == "noisy":
        noise = np.exp(0.2 * np.triu(rng.normal(size=squared.shape), 1))
        squared = squared * np.triu(noise, 1)
        squared = squared + squared.T
    r = squared[:n, :n].mean(axis=1)
    m = r.mean()
    values, vectors = np.linalg.eigh(-0.5 * (squared[:n, :n] - r[:, None] - r + m))
    X = vectors[:, ::-1][:, :d] * np.sqrt(values[::-1][:d])
    means = squared[n:, :n].mean(axis=1)
    b = -0.5 * (squared[:n, n:] - means - r[:, None] + m)
    beta = 0.5 * (means[:, None] + means - m - squared[n:, n:])
    return X.T @ X, b.T @ X, np.ascontiguousarray(beta), np.sum(b * b)


def with_scipy(C, G, beta, b2, enough=None):
    """Seconds, objective and evaluations; stopped early below `enough` if that is given."""
    k, d = G.shape
    s = np.sqrt(max(np.max(np.diag(beta)), np.max(C)))
    C, G, beta = C / s**2, G / s**3, beta / s**2
    constant = 2 * b2 / s**4 + np.sum(beta * beta)

    class Reached(Exception):
        pass

    def value_and_gradient(y):
        Y = y.reshape(k, d)
        YC, BY, YY = Y @ C, beta @ Y, Y.T @ Y
        value = constant + 2 * np.sum((YC - 2 * G) * Y) + np.sum(YY * YY) - 2 * np.sum(BY * Y)
        if enough is not None and value * s**4 <= enough:
            raise Reached(value * s**4)
        return value, 4 * (YC - G + Y @ YY - BY).ravel()

    begin = time.perf_counter()
    try:
        options = {"maxiter": 100000, "maxfun": 100000, "gtol": 1e-8, "ftol": 0, "maxcor": 10}
        found = minimize(value_and_gradient, np.linalg.solve(C, G.T).T.ravel(), jac=True, method="L-BFGS-B", options=options)
        value = found.fun * s**4
    except Reached as reached:
        value = reached.args[0]
    return time.perf_counter() - begin, value


def main():
    subprocess.run(["cargo", "build", "--release", "-q", "-p", "adjoin", "--example", "joint_speed"], cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "release" / "examples" / "joint_speed"
    rng = np.random.default_rng(1)
    print(f"n = {N}, k = {K}, d = {D}, {THREADS} thread(s); seconds, best of {RUNS * INNER}")
    for kind in ("euclidean", "noisy"):
        C, G, beta, b2 = problem(kind, N, K, D, rng)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "problem"
            numbers = [np.array([b2]), C.ravel(), G.ravel(), beta.ravel()]
            file.write_bytes(np.array([N, K, D], dtype=np.uint64).tobytes() + np.concatenate(numbers).tobytes())
            ours, full, short = [], [], []
            for _ in range(RUNS):
                lines = subprocess.run([program, file, str(THREADS), str(INNER)], check=True, capture_output=True, text=True).stdout.split("\n")
                ours.append(min(float(word) for word in lines[0].split()))
                objective, stationarity, margin, certified, gap, starts, steps = map(float, lines[1].split())
                full += [with_scipy(C, G, beta, b2) for _ in range(INNER)]
                short += [with_scipy(C, G, beta, b2, objective * (1 + 1e-9)) for _ in range(INNER)]
        ours, scipy, early = min(ours), min(t for t, _ in full), min(t for t, _ in short)
        print(f"{kind:10} adjoin {ours:.3f} (certified {bool(certified)}, gap {gap:.1e}, stationarity {stationarity:.0e}, starts {starts:.0f}, "
              f"steps {steps:.0f}); L-BFGS {scipy:.3f} to gtol, {early:.3f} to 1e-9; ratio {scipy / ours:.1f} and {early / ours:.1f}; "
              f"F {objective:.12g}, theirs {(full[-1][1] - objective) / objective:+.1e}")


if __name__ == "__main__":
    main()
