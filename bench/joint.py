"""Joint placement: adjoin beside SciPy's L-BFGS with the same gradient, on the same numbers, in the same run.

    python bench/joint.py [k] [d] [n] [--quick]

SciPy gets the cheapest form of the objective and its gradient (one product of beta with a k x d block an
evaluation), in units where the problem is of order one, from the projections (its best start here) and
is stopped where adjoin's answer is reached to 1e-9, as well as left to run to gtol = 1e-8. adjoin starts
from nothing, goes on to rounding, and its time includes the proof that the minimum is global.
"""

import pathlib
import tempfile

import numpy as np
from scipy.optimize import minimize

from common import THREADS, Section, Target, Timing, alone, built, in_turn, output, sizes_given, threads, times, write_numbers


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
    """The objective reached; stopped early below `enough` if that is given."""
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

    try:
        options = {"maxiter": 100000, "maxfun": 100000, "gtol": 1e-8, "ftol": 0, "maxcor": 10}
        found = minimize(value_and_gradient, np.linalg.solve(C, G.T).T.ravel(), jac=True, method="L-BFGS-B", options=options)
        value = found.fun * s**4
    except Reached as reached:
        value = reached.args[0]
    return value


def with_adjoin(program, file, thread_count, rounds):
    """Seconds, and objective, stationarity, margin, certified, gap, starts, steps."""
    lines = output(program, file, thread_count, rounds + 1).splitlines()
    return Timing([float(word) for word in lines[0].split()][1:], [float(word) for word in lines[1].split()])


def measure(quick, k=1000, d=10, n=500):
    if quick:
        k, n = 60, 80
    rounds = 5 if k <= 2000 else 1
    program = built("joint_speed")
    rng = np.random.default_rng(1)
    section = Section(
        "Jointly",
        f"k = {k} newcomers at once, n = {n}, d = {d}. Seconds, best / median. SciPy's L-BFGS once to its own end (gtol = 1e-8) "
        "and once stopped where it is within 1e-9 of adjoin's objective; excess is its objective above adjoin's.",
        ["data", "threads", "program", "seconds", "adjoin / peer", "certified", "gap", "stationarity", "excess"],
    )
    for kind in ("euclidean", "noisy"):
        C, G, beta, b2 = problem(kind, n, k, d, rng)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "problem"
            write_numbers(file, [n, k, d], [b2], C, G, beta)
            for t in THREADS:
                ours = with_adjoin(program, file, t, rounds)
                objective, stationarity, _, certified, gap, _, _ = ours.answer
                with threads(t):
                    peers = in_turn(
                        {
                            "SciPy L-BFGS": lambda: with_scipy(C, G, beta, b2),
                            "SciPy L-BFGS, stopped": lambda: with_scipy(C, G, beta, b2, objective * (1 + 1e-9)),
                        },
                        rounds,
                    )
                section.add(kind, t, "adjoin", ours, "", "yes" if certified else "no", f"{gap:.0e}", f"{stationarity:.0e}", "")
                for name, peer in peers.items():
                    excess = (peer.answer - objective) / objective
                    section.add(kind, t, name, peer, times(ours.best / peer.best), "", "", "", f"{excess:+.0e}")
                ratio = ours.best / peers["SciPy L-BFGS"].best
                section.targets.append(Target(f"joint, k = {k}, d = {d}, {kind}, {t} thread(s)", "≤ 0.4 × SciPy L-BFGS", ratio, 0.4))
    return section


if __name__ == "__main__":
    k, d, n = sizes_given(1000, 10, 500)
    alone(lambda quick: measure(quick, k, d, n))
