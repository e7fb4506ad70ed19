"""How the cost of fitting and placing grows with n, k and d.

    python bench/growth.py [--quick]

One thread, best of three; one size grows, the others stay. The exponent is the slope on logarithmic scales. Placing should
grow like n k (d + a constant: reading and squaring), fitting like n^2 times the number of passes.
"""

import tempfile

import numpy as np
from scipy.spatial.distance import cdist

from common import Growth, Section, alone, answered, built
from fit import Fitter, euclidean_mixture, mixture

ROUNDS = 3
LARGE = False  # whether `bench/run --large` was asked for


def placing(quick):
    program = built("place_speed")
    n, k, d = (200, 500, 10) if quick else (2000, 8000, 10)
    doubled = [1, 2, 4] if quick else [1, 2, 4, 8]
    many = [*doubled, 250] if LARGE else doubled  # k = 1,000,000: 16 GB of f64
    series = {
        ("n", f"k = {k}, d = {d}"): [(n // 2 * f, k, d) for f in doubled],
        ("k", f"n = {n}, d = {d}"): [(n, k // 2 * f, d) for f in many],
        ("d", f"n = {n}, k = {k}"): [(n, k, 4 * f) for f in [*doubled, *([] if quick else [16])]],
    }
    for (size, fixed), shapes in series.items():
        answers = [answered(program, *shape, 1, ROUNDS)["rows"] for shape in shapes]
        sizes = [shape["nkd".index(size)] for shape in shapes]
        for strategy in ("project", "reconstruct"):
            yield Growth(strategy, size, fixed, sizes, [min(a[strategy]) for a in answers])


def fitting(quick):
    program = built("fit_speed")
    sizes, d = ([800, 1200, 1600], 10) if quick else ([1000, 2000, 4000, 8000], 10)
    seconds = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            fitter = Fitter(program, euclidean_mixture(n, np.random.default_rng(1)), folder)
            seconds.append(fitter.run(d, 1, ROUNDS).best)
            if n == sizes[1]:
                wide = [4, 8] if quick else [4, 8, 16, 32]
                by_d = Growth("fit", "d", f"n = {n}", wide, [fitter.run(w, 1, ROUNDS).best for w in wide])
    growths = [Growth("fit", "n", f"d = {d}", sizes, seconds), by_d]
    if LARGE:
        sizes = [5000, 10_000, 20_000, 40_000]
        growths.append(Growth("fit", "n", f"d = {d}, f32", sizes, [in_singles(program, n, d) for n in sizes]))
    return growths


def in_singles(program, n, d):
    """Seconds of a fit of n objects in single precision, whose distances are made a few rows at a time."""
    points = mixture(n, np.random.default_rng(1))
    matrix = np.empty((n, n), dtype=np.float32)
    for start in range(0, n, 1000):
        matrix[start : start + 1000] = cdist(points[start : start + 1000], points)
    with tempfile.TemporaryDirectory() as folder:
        fitter = Fitter(program, matrix, folder)
        del matrix
        return fitter.run(d, 1, 1).best


def measure(quick):
    section = Section(
        "How the cost grows",
        "One thread, f64 rows, best of three. The exponent is the slope on logarithmic scales, over all sizes and over the last "
        "doubling. [scaling.svg](scaling.svg) shows them.",
        ["task", "grows", "stays", "sizes", "seconds", "exponent", "at the end"],
    )
    section.growth = [*placing(quick), *fitting(quick)]
    for growth in section.growth:
        overall, last = growth.slopes()
        section.add(
            growth.task, growth.size, growth.fixed, ", ".join(map(str, growth.sizes)),
            ", ".join(f"{s:.2g}" for s in growth.seconds), f"{overall:.2f}", f"{last:.2f}",
        )
    return section


def draw(growths, file):
    """One panel for each size that grows, on logarithmic scales."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "adjoin"
    figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    for panel, size in zip(panels, "nkd"):
        for growth, mark in zip([g for g in growths if g.size == size], "osd"):
            label = f"{growth.task}, {growth.fixed}: exponent {growth.slopes()[0]:.2f}"
            panel.loglog(growth.sizes, growth.seconds, marker=mark, label=label)
        panel.set(xlabel=size, ylabel="seconds")
        panel.legend(fontsize=6, frameon=False)
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    alone(measure)
