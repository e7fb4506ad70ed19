"""Stress: adjoin beside SciPy's local methods on the same newcomers, in the same run.

    python bench/stress.py [n] [newcomers] [--quick]

SciPy gets analytic derivatives, a start close to the answer (the true place of the newcomer, jittered)
and one descent; adjoin gets neither start nor hint and searches from several. Times are per newcomer on
one thread: the median for SciPy, a share of one call for all of them for adjoin, preparation included.
"worse" counts newcomers whose stress is more than 1e-6 above the other side's.
"""

import pathlib
import tempfile
import time

import numpy as np
from scipy.optimize import least_squares, minimize

from common import Section, Target, alone, built, digits, output, sizes_given, threads, times, write_numbers

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
    """Seconds a newcomer, and the stress of each."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "problem"
        write_numbers(file, [*X.shape, len(delta)], X, delta)
        lines = output(program, file).splitlines()
    return float(lines[0]), np.array(lines[1:], dtype=float)


def measure(quick, n=1000, k=100):
    if quick:
        n, k = 100, 5
    program = built("stress_speed")
    section = Section(
        "Stress",
        f"{k} newcomers by raw stress beside n = {n} fixed objects, one thread: microseconds a newcomer, for SciPy the median, for "
        "adjoin a share of one call for all of them, preparation included. SciPy descends once from a start near the answer; adjoin "
        "searches from several, without a hint. Worse: newcomers whose stress is more than "
        "1e-6 above the other's.",
        ["d", "program", "µs", "peer / adjoin", "SciPy worse", "adjoin worse"],
    )
    section.missed = (
        "SciPy descends once, from a start near the answer; adjoin from five, on a sample of 128 objects, and with the deepest one to three on all of them. At d = 10 stress, gradient "
        "and Hessian are some 115 operations on vectors for eight objects with AVX-512 (72 of them products of offsets, by blocks of four axes), twice as many with AVX2: 1.7 and 3.3 µs for a thousand "
        "objects at two a cycle and 4.3 GHz, where L-BFGS, which needs no Hessian, spends 30 µs in NumPy on each of 14 gradients. Of adjoin's time half are these sums, an eighth "
        "Cholesky decompositions, a tenth the choice of starts. Tried: two rows of products at a time, which load a third less (a tenth slower with AVX-512, a quarter with AVX2: one row of four sums is what the compiler does best). With AVX2 at d = 2 it is bound by roots and divisions, half as many at a time."
    )
    for d in (1, 2, 3, 10):
        X, delta, starts = problem(n, d, k, np.random.default_rng(d))
        seconds, ours = with_adjoin(program, X, delta)
        section.add(d, "adjoin", digits(1e6 * seconds), "", "", "")
        gains = []
        with threads(1):
            for method in METHODS:
                runs = [with_scipy(method, X, row, y) for row, y in zip(delta, starts)]
                median = np.median([r[0] for r in runs])
                theirs = np.array([r[1] for r in runs])
                worse = np.sum(theirs > ours * (1 + 1e-6)), np.sum(ours > theirs * (1 + 1e-6))
                section.add(d, f"SciPy {method}", digits(1e6 * median), times(median / seconds), *worse)
                gains.append(median / seconds)
        section.targets.append(Target(f"stress, n = {n}, d = {d}", "≥ 8 × SciPy's best", min(gains), 8, at_least=True))
    return section


if __name__ == "__main__":
    n, k = sizes_given(1000, 100)
    alone(lambda quick: measure(quick, n, k))
