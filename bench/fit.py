"""Fit: adjoin beside SciPy's eigsh, scikit-learn, scikit-bio and R on the same matrices, in the same run.

    python bench/fit.py [n] [d] [--quick]

Two spectra: a Euclidean mixture (fast decay) and Bray-Curtis dissimilarities of Poisson counts (slow decay,
indefinite). SciPy multiplies by the implicitly centred matrix, tol 1e-6; its squared dissimilarities are formed
beforehand and not counted.
"""

import pathlib
import shutil
import subprocess
import tempfile
import time

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.spatial.distance import pdist, squareform

from common import THREADS, Section, Target, Timing, alone, answered, built, digits, in_turn, megabytes, sizes_given, threads, times

ROUNDS = 3


def mixture(n, rng):
    centres = rng.normal(size=(12, 50)) * 4
    return centres[rng.integers(0, 12, n)] + rng.normal(size=(n, 50))


def euclidean_mixture(n, rng):
    return squareform(pdist(mixture(n, rng)))


def bray_curtis(n, rng):
    rates = rng.gamma(0.7, 3.0, size=200)
    return squareform(pdist(rng.poisson(rates, size=(n, 200)).astype(float), "braycurtis"))


SPECTRA = {"fast": euclidean_mixture, "slow": bray_curtis}


def with_eigsh(squared, d, tol=1e-6):
    """The d largest eigenvalues, descending, and the number of products."""
    n = len(squared)
    calls = 0

    def product(v):
        nonlocal calls
        calls += 1
        v = v.ravel() - v.mean()
        u = squared @ v
        return -0.5 * (u - u.mean())

    start = np.random.default_rng(0).normal(size=n)
    values = eigsh(LinearOperator((n, n), matvec=product, dtype=float), k=d, which="LA", tol=tol, v0=start)[0]
    return values[::-1], calls


class Fitter:
    """Our fits of one matrix, each in a process of its own; the best of them is the answer."""

    def __init__(self, program, matrix, folder):
        self.program, self.n, self.precision = program, len(matrix), matrix.dtype.name.replace("float", "f")
        self.file = pathlib.Path(folder) / "matrix"
        matrix.tofile(self.file)

    def run(self, d, thread_count, rounds):
        answers = [answered(self.program, self.file, self.n, d, thread_count, self.precision) for _ in range(rounds + 1)][1:]
        best = min(answers, key=lambda a: a["seconds"])
        return Timing([a["seconds"] for a in answers], best, best["extra_bytes"])


def relative(found, exact):
    return float(np.max(np.abs(np.asarray(found) - exact)) / exact[0])


def against_eigsh(section, program, n, d, rounds):
    for spectrum, make in SPECTRA.items():
        matrix = make(n, np.random.default_rng(1))
        size = matrix.nbytes
        with tempfile.TemporaryDirectory() as folder:
            fitter = Fitter(program, matrix, folder)
            np.square(matrix, out=matrix)
            exact, _ = with_eigsh(matrix, d, tol=0)
            worst_error = worst_extra = 0
            for t in THREADS:
                ours = fitter.run(d, t, rounds)
                with threads(t):
                    theirs = in_turn({"eigsh": lambda: with_eigsh(matrix, d)}, rounds)["eigsh"]
                ratio, error, extra = ours.best / theirs.best, relative(ours.answer["eigenvalues"], exact), ours.extra / size
                worst_error, worst_extra = max(worst_error, error), max(worst_extra, extra)
                section.add(
                    n, spectrum, t, "adjoin", ours, "", times(ours.best / ours.answer["read"]), f"{ours.answer['passes']} passes",
                    f"{error:.0e}", f"{megabytes(ours.extra)} ({100 * extra:.1f} %)",
                )
                values, calls = theirs.answer
                section.add(
                    n, spectrum, t, "SciPy `eigsh`", theirs, times(ratio), times(theirs.best / ours.answer["read"]),
                    f"{calls} products", f"{relative(values, exact):.0e}", megabytes(theirs.extra or 0),
                )
                name = f"fit, n = {n}, d = {d}, {spectrum} spectrum"
                section.targets.append(Target(f"{name}, {t} thread(s)", "≤ 0.5 × SciPy `eigsh`", ratio, 0.5))
            section.targets.append(Target(name, "eigenvalue error ≤ 1e-10", worst_error, 1e-10))
            section.targets.append(Target(name, "extra memory ≤ 10 % of the input", worst_extra, 0.1))


def against_packages(section, program, n, d, rounds, quick):
    """scikit-learn, scikit-bio and R compute all eigenvalues (but fsvd); so n is smaller."""
    from skbio import DistanceMatrix
    from skbio.stats.ordination import pcoa
    from sklearn.manifold import ClassicalMDS

    matrix = euclidean_mixture(n, np.random.default_rng(1))
    labelled = DistanceMatrix(matrix)
    exact, _ = with_eigsh(matrix**2, d, tol=0)
    peers = {
        "scikit-learn `ClassicalMDS`": lambda: ClassicalMDS(d, metric="precomputed").fit(matrix).eigenvalues_,
        "scikit-bio `pcoa`, eigh": lambda: pcoa(labelled, dimensions=d).eigvals.to_numpy()[:d],
        "scikit-bio `pcoa`, fsvd": lambda: pcoa(labelled, method="fsvd", dimensions=d, seed=1).eigvals.to_numpy()[:d],
    }
    with tempfile.TemporaryDirectory() as folder:
        fitter = Fitter(program, matrix, folder)
        for t in THREADS:
            ours = fitter.run(d, t, rounds)
            with threads(t):
                theirs = in_turn(peers, 1 if n >= 1000 else rounds)
            if t == 1:
                theirs.update(with_r(fitter.file, n, d))
            share = ours.extra / matrix.nbytes
            section.add(
                n, "fast", t, "adjoin", ours, "", times(ours.best / ours.answer["read"]), f"{ours.answer['passes']} passes",
                f"{relative(ours.answer['eigenvalues'], exact):.0e}", f"{megabytes(ours.extra)} ({100 * share:.1f} %)",
            )
            for name, peer in theirs.items():
                section.add(
                    n, "fast", t, name, peer, times(ours.best / peer.best), times(peer.best / ours.answer["read"]), "",
                    f"{relative(peer.answer, exact):.0e}", megabytes(peer.extra) if peer.extra is not None else "",
                )
            ratio = ours.best / theirs["scikit-learn `ClassicalMDS`"].best
            section.targets.append(Target(f"fit, n = {n}, d = {d}, {t} thread(s)", "≤ 1/15 of scikit-learn `ClassicalMDS`", ratio, 1 / 15))
            ratio = ours.best / theirs["scikit-bio `pcoa`, fsvd"].best
            section.targets.append(Target(f"fit, n = {n}, d = {d}, {t} thread(s)", "≤ 0.5 × scikit-bio `pcoa`, fsvd", ratio, 0.5))


R_SCRIPT = """
values <- readBin(commandArgs(TRUE)[1], "double", as.numeric(commandArgs(TRUE)[2])^2, endian = "little")
D <- matrix(values, nrow = as.numeric(commandArgs(TRUE)[2])); d <- as.numeric(commandArgs(TRUE)[3])
report <- function(name, run) {
  seconds <- system.time(found <- run())[["elapsed"]]
  cat(name, seconds, format(found[1:d], digits = 17), sep = "\\t"); cat("\\n")
}
report("R `cmdscale`", function() cmdscale(D, k = d, eig = TRUE)$eig)
if (requireNamespace("vegan", quietly = TRUE))
  report("vegan `wcmdscale`", function() vegan::wcmdscale(as.dist(D), k = d, eig = TRUE)$eig)
"""


def with_r(file, n, d):
    """Timings by R where it is installed, one run each: they are long."""
    if not shutil.which("Rscript"):
        return {}
    run = subprocess.run(["Rscript", "-e", R_SCRIPT, str(file), str(n), str(d)], capture_output=True, text=True)
    if run.returncode:
        print(f"R failed and is left out: {run.stderr.strip()}")
        return {}
    lines = [line.split("\t") for line in run.stdout.splitlines() if line]
    return {name: Timing([float(seconds)], np.array(values, dtype=float)) for name, seconds, *values in lines}


def measure(quick, sizes=(5000, 10_000), d=10):
    section = Section(
        "Fit",
        "Seconds, best / median. The ratio is adjoin's best time over that of the peer in the row; the limit is one plain read of "
        "the n × n input by as many threads. Errors are those of the eigenvalues, relative to the largest, beside `eigsh` with "
        "tol = 0. Memory is what the call took beside the input.",
        ["n", "spectrum", "threads", "program", "seconds", "adjoin / peer", "× one read", "passes", "error", "extra memory"],
    )
    section.missed = (
        "`eigsh` multiplies one vector at a time, at the speed at which the matrix can be read. adjoin multiplies four to residuals of 1e-10 in the place of "
        "1e-6, reads one triangle, checks the input, and leaves every object out, none of which is asked of `eigsh`. A pass takes 1.1 to 1.25 × a read "
        "of one triangle on one thread (rows as they lie in memory, three at a time: two fused multiply-adds of a number for each "
        "entry and column, an eighth or a fourth of that in vectors, and the matrix of four numbers per row in cache). On a slow spectrum at n = 5000 on one "
        "thread more than three quarters of the time are 33 passes (two thirds with two threads), 6 to 8 % the comparison of mirror images (1.5 to 2 × a read), 6 to 8 % making the "
        "basis orthonormal, 3 % leaving every object out, 2 to 3 % each row sums and eigenvalues of matrices up to 132 × 132. Small products are by one thread: to wake the other "
        "one costs more than it does, which was a tenth of the time on two. "
        "Where memory is fast `eigsh` is fast too, and passes are bound by what happens in cache: on the EPYC (Zen 5, 4.3 GHz, one core reads 41 GB/s: half the matrix in 2.3 ms) a pass takes 3.3 ms with AVX-512 and "
        "5 with AVX2, where `eigsh` multiplies a vector in 5.2 and 2.9. The loop, copied out, takes 0.17 ns an entry from the second cache (27 multiply-adds of vectors, 11 loads and 4 stores for 24 entries: "
        "0.14 at best), 0.22 from memory where rows begin at a cache line, and 0.30 where they do not, as NumPy's, which the system hands out 16 bytes after a page. With AVX2 0.33, 0.34 and 0.38. "
        "On two threads what they do not share is a third of the time. Tried: eight columns, as wide as a vector of AVX-512, each entry "
        "spread over a vector by a tile in cache (2.3 × the time of a pass for a quarter fewer passes; with the next tile loaded during the products no better), six and eight columns with rows as "
        "they lie (a third more a pass, and more columns to keep orthonormal), blocks of d + 2 and more; four rows at a time; segments of 128 to 4096 columns, "
        "bands of 12 to 384 rows, prefetch hints 32 to 512 entries ahead, for the first, second and no cache, for one, two and four lines of a row at a time (two are in use: a tenth off the time with AVX2; four are no better); 4 × 4 in the place of 8 × 8 blocks of mirror images (no gain). Memory: the "
        "basis and its products, kept so that residuals need no pass of their own, take 16 n bytes a column, up to 192 columns where the spectrum is "
        "slow: 15 MB of the 200 MB at n = 5000, half of that share at 10,000."
    )
    program = built("fit_speed")
    for n in (900,) if quick else sizes:
        against_eigsh(section, program, n, d, ROUNDS if n <= 5000 else 2)
    against_packages(section, program, 300 if quick else 2000, d, ROUNDS, quick)
    return section


if __name__ == "__main__":
    n, d = sizes_given(5000, 10)
    alone(lambda quick: measure(quick, (n,), d))
