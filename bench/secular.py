"""Reconstruction from (sigma^2, yhat, beta) alone: adjoin beside vectorised NumPy and SciPy's optimisers, in the same run.

    python bench/secular.py [k] [d] [--quick]

Nine newcomers in ten are ordinary, one is near the hard case: far from the map and next to nothing along its last axis.
NumPy solves the secular equation for all newcomers at once, by the same two Newton steps (which never pass the root). SciPy
minimises the objective from the projection, with derivatives, newcomer by newcomer, on a sample.
"""

import pathlib
import tempfile

import numpy as np
from scipy.optimize import minimize

from common import THREADS, Section, Target, Timing, alone, answered, built, digits, in_turn, sizes_given, threads, times, write_numbers

N = 5000
METHODS = ["L-BFGS-B", "BFGS", "trust-exact", "trust-ncg", "Newton-CG"]
EXACT = 1e-12  # relative, of the root


def problem(k, d, rng):
    """Eigenvalues, projections, beta and the squared norm of b."""
    c = N / np.sqrt(1 + np.arange(d))
    y = rng.normal(size=(k, d)) * np.sqrt(c / N)
    beta = np.sum(y * y, axis=1) + rng.exponential(2.0, size=k)
    hard = slice(0, None, 10)
    y[hard, -1] *= 1e-7
    beta[hard] += 2 * c[0]
    return c, y, beta, np.sum(c * y * y, axis=1) * 2


def with_numpy(c, y, beta):
    """The minimisers, d x k: each mu is the root of sum (g / (gap + mu))^2 = kappa + mu right of the pole."""
    gap, g, kappa = (c - c[-1])[:, None], (c * y).T.copy(), beta - c[-1]
    last = np.abs(g[-1])
    # Left of the root: the last axis alone.
    bound = np.cbrt(last * last)
    with np.errstate(invalid="ignore", divide="ignore"):
        mu = np.where(kappa > 0, np.minimum(last / np.sqrt(2 * kappa), 0.79 * bound), np.maximum(bound, -kappa))
    left, G, K, at = np.arange(len(mu)), g, kappa, mu
    for _ in range(100):
        s = gap + at
        z = G / s
        z *= z
        q = z.sum(axis=0)
        z /= s
        slope = -2 * z.sum(axis=0)
        height = K + at
        psi = q - height
        step = psi / (1 - slope)
        with np.errstate(invalid="ignore", divide="ignore"):
            u, v = np.sqrt(q), np.sqrt(height)
            other = psi / (u * v * (u + v)) / (0.5 / (height * v) - 0.5 * slope / (q * u))
        step = np.fmax(step, other)
        at = at + np.fmax(step, 0)
        mu[left] = at
        go = step > EXACT / 10 * at
        if not go.any():
            break
        if go.sum() < 0.7 * len(go):
            left, G, K, at = left[go], G[:, go], K[go], at[go]
    return g / (gap + mu)


def objective(c, y, beta, Y):
    return 2 * np.sum(c * (Y - y) ** 2, axis=-1) + (np.sum(Y * Y, axis=-1) - beta) ** 2


def with_scipy(method, c, y, beta):
    """The minimiser from the projection, in units of order one."""
    unit = np.sqrt(max(c[0], beta))
    C, Y0, B = c / unit**2, y / unit, beta / unit**2

    def value_and_gradient(v):
        step, rest = v - Y0, v @ v - B
        return 2 * (C * step) @ step + rest * rest, 4 * (C * step + rest * v)

    def hessian(v):
        return 4 * (np.diag(C + (v @ v - B)) + 2 * np.outer(v, v))

    second = {} if "BFGS" in method else {"hess": hessian}
    return minimize(value_and_gradient, Y0, jac=True, method=method, **second).x * unit


def measure(quick, k=100_000, d=10):
    k, sample = (2000, 10) if quick else (k, 200)
    program = built("secular_speed")
    c, y, beta, norms = problem(k, d, np.random.default_rng(1))
    section = Section(
        "Secular solves alone",
        f"k = {k} newcomers known by (σ², ŷ, β), d = {d}, one in ten near the hard case. Newcomers a second, from best times. adjoin's "
        "time includes objective, displacement and proof. Excess is the worst objective above adjoin's, relative; missed counts "
        "newcomers more than 1e-6 above.",
        ["threads", "program", "newcomers a second", "adjoin / peer", "excess", "missed", "certified", "stationarity"],
    )
    section.missed = (
        "NumPy is given adjoin's own two Newton steps and start, drops those that are done, and gives coordinates only. "
        "adjoin's time is that of a division for each axis and step, eight newcomers to a vector, and of the evidence. Tried: newcomer by "
        "newcomer (several times slower). 25 × this NumPy would be some 12 ns a newcomer: the divisions of two Newton steps take longer."
    )
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder) / "problem", pathlib.Path(folder) / "out"
        write_numbers(file, [N, k, d], c, y, beta, norms)
        for t in THREADS:
            answer = answered(program, file, out, t, 5)
            ours = Timing(answer["seconds"])
            placed = np.fromfile(out).reshape(k, d)
            best = objective(c, y, beta, placed)
            section.add(
                t, "adjoin", f"{k / ours.best:.3g}", "", "", "", f"{answer['certified']} of {k}", f"{answer['stationarity']:.0e}"
            )
            if t > 1:
                continue
            rate = k / ours.best
            with threads(t):
                peer = in_turn({"NumPy": lambda: with_numpy(c, y, beta)}, 3)["NumPy"]
                excess = objective(c, y, beta, peer.answer.T) / best - 1
                add_peer(section, "NumPy, secular equation", k / peer.best, rate, excess)
                numpy_gain = rate * peer.best / k
                rates = []
                for method in METHODS:
                    found = in_turn({method: lambda: [with_scipy(method, c, *case) for case in zip(y[:sample], beta[:sample])]}, 1)[method]
                    excess = objective(c, y[:sample], beta[:sample], np.array(found.answer)) / best[:sample] - 1
                    add_peer(section, f"SciPy {method}", sample / found.best, rate, excess)
                    rates.append(sample / found.best)
            name = f"secular solves, d = {d}, 1 thread"
            section.targets += [
                Target(name, "≥ 25 × vectorised NumPy", numpy_gain, 25, at_least=True),
                Target(name, "≥ 400 × the fastest SciPy optimiser", rate / max(rates), 400, at_least=True),
                Target(name, "every result certified", answer["certified"] / k, 1, at_least=True),
            ]
    return section


def add_peer(section, name, theirs, ours, excess):
    section.add(1, name, f"{theirs:.3g}", times(ours / theirs), f"{np.max(excess):.0e}", int(np.sum(excess > 1e-6)), "", "")


if __name__ == "__main__":
    k, d = sizes_given(100_000, 10)
    alone(lambda quick: measure(quick, k, d))
