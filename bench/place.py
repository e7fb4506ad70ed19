"""Placing many newcomers: adjoin beside one plain read of the input, NumPy and scikit-learn, in the same run.

    python bench/place.py [n] [k] [d] [--quick]

The core is measured in bench/programs (place_speed.rs), where the read is in the same process. Then the same distances are
made here, and the Python package, NumPy and scikit-learn place them. NumPy gets its best form: everything that can be is
folded into one n x (d + 1) matrix beforehand, and distances are squared in blocks that stay in cache. scikit-learn gets a
kernel that was made beforehand, and fewer newcomers; its time is scaled up.
"""

import os

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA

import adjoin
from common import ISA, THREADS, Section, Target, Timing, alone, answered, built, in_turn, megabytes, narrow, sizes_given, threads, times

ROUNDS = 3
DIFFERENT = 1000  # as place_speed.rs: the others are these, farther away
CHECKED = 20  # newcomers computed in extended precision
ROWS = 256  # of a block that NumPy squares


def newcomers(n, k, d, rng):
    """Distances among n old objects, and a function that fills an array with those of k newcomers."""
    falling = 1 / np.sqrt(1 + np.arange(d + 10))
    old, new = rng.normal(size=(n, d + 10)) * falling, rng.normal(size=(min(DIFFERENT, k), d + 10)) * falling
    block = cdist(new, old)

    def fill(out):
        for start in range(0, len(out), len(new)):
            part = out[start : start + len(new)]
            np.multiply(block[: len(part)], 1 + start / len(new) / 1000, out=part)

    square = cdist(old, old)
    return (square + square.T) / 2, fill


class Folded:
    """Projection and beta as one product of squared distances with n x (d + 1) numbers, and a constant."""

    def __init__(self, square, X, eigenvalues):
        r = np.mean(square**2, axis=1)
        weights = -0.5 * X / eigenvalues
        self.matrix = np.column_stack([weights, np.full(len(X), 1 / len(X))])
        self.constant = np.append(-r @ weights, -r.mean() / 2)

    def of_squared(self, squared):
        return squared @ self.matrix + self.constant

    def of_distances(self, distances):
        out = np.empty((len(distances), self.matrix.shape[1]))
        buffer = np.empty((ROWS, distances.shape[1]))
        for start in range(0, len(distances), ROWS):
            part = distances[start : start + ROWS]
            squared = np.multiply(part, part, out=buffer[: len(part)])
            np.matmul(squared, self.matrix, out=out[start : start + len(part)])
        out += self.constant
        return out

    def exactly(self, distances):
        """The same in extended precision."""
        squared = distances.astype(np.longdouble) ** 2
        return (squared @ self.matrix.astype(np.longdouble) + self.constant)[:, :-1]


def core(section, n, k, d, rounds):
    """The core beside one read; returns the read of the f64 input by each number of threads."""
    program = built("place_speed")
    read_bound, columns_bound = (1.6, 2) if narrow() else (1.3, 1.6)
    reads = {}
    for t in THREADS:
        answer = answered(program, n, k, d, t, rounds)
        forms = {form: {w: Timing(answer[form][w]) for w in ("read", "border", "project", "reconstruct")} for form in ("rows", "single", "columns")}
        rows = forms["rows"]
        reads[t] = rows["read"].best
        for form, word in (("rows", "f64, rows"), ("single", "f32, rows"), ("columns", "f64, columns")):
            size = n * k * (4 if form == "single" else 8)
            note = {"rows": f"stationarity {answer['stationarity']:.0e}", "single": f"{answer['single_difference']:.0e}", "columns": f"{answer['columns_difference']:.0e}"}[form]
            read = forms[form]["read"]
            section.add(t, word, f"one plain read, {size / read.best / 1e9:.1f} GB/s", read, "1", "", "", "")
            border = forms[form]["border"]
            section.add(t, word, "adjoin, the border alone", border, times(border.best / read.best), "", "", "")
            for strategy in ("project", "reconstruct"):
                time = forms[form][strategy]
                extra = megabytes(answer[form]["extra_bytes"]) if strategy == "reconstruct" else ""
                error = note if strategy == "reconstruct" else ""
                section.add(t, word, f"**adjoin {strategy}**", time, times(time.best / read.best), "", error, extra)
        project = rows["project"].best
        name = f"project, n = {n}, k = {k}, d = {d}, {t} thread(s)"
        section.targets += [
            Target(name, f"≤ {read_bound} × one read", project / rows["read"].best, read_bound),
            Target(f"{name}, f32", "≤ 0.75 × the f64 time", forms["single"]["project"].best / project, 0.75),
            Target(f"{name}, by columns", f"≤ {columns_bound} × one read", forms["columns"]["project"].best / forms["columns"]["read"].best, columns_bound),
            Target(f"{name}, with all that is told", "≤ 1.15 × the border alone", project / rows["border"].best, 1.15),
            Target(f"reconstruct, same input, {t} thread(s)", "≤ 1.1 × project", rows["reconstruct"].best / project, 1.1),
        ]
        section.targets.append(Target(f"reconstruct, same input, {t} thread(s)", "every result certified", answer["certified"] / k, 1, at_least=True))
    return reads


def beside_peers(section, n, k, d, rounds, reads):
    square, fill = newcomers(n, k, d, np.random.default_rng(1))
    model = adjoin.ClassicalMDS(d, metric="precomputed").fit(square)
    folded = Folded(square, model.embedding_, model.eigenvalues_)
    kernel = KernelPCA(d, kernel="precomputed", eigen_solver="arpack" if n > 200 else "dense", random_state=1).fit(-0.5 * square**2)
    distances = np.empty((k, n))
    fill(distances)
    exact = folded.exactly(distances[:CHECKED])
    signs = np.sign(np.sum(kernel.transform(-0.5 * distances[:CHECKED] ** 2) * exact, axis=0))

    def add(t, word, name, timing, scale=1):
        found = timing.answer[:CHECKED, :d] * (signs if name.startswith("scikit-learn") else 1)
        error = float(np.max(np.abs(found - exact)) / np.max(np.abs(exact)))
        seconds = Timing([scale * s for s in timing.seconds])
        ratio = "" if name.startswith("adjoin") else times(ours[t].best / seconds.best)
        extra = "" if timing.extra is None else megabytes(scale * timing.extra)
        section.add(t, word, name, seconds, times(seconds.best / reads[t]), ratio, f"{error:.0e}", extra)

    ours = {}
    for t in THREADS:
        model.n_jobs = t
        works = {
            "adjoin in Python, `transform`": lambda: model.transform(distances),
            "adjoin in Python, `place`": lambda: model.place(distances).coordinates,
            "NumPy, from distances": lambda: folded.of_distances(distances),
        }
        with threads(t):
            timings = in_turn(works, rounds)
        ours[t] = timings["adjoin in Python, `transform`"]
        ratio = timings["adjoin in Python, `place`"].best / ours[t].best
        section.targets.append(Target(f"`place` in Python with all that is told, {t} thread(s)", "≤ 1.15 × `transform`", ratio, 1.15))
        for name, timing in timings.items():
            add(t, "f64, rows", name, timing)
    # In place: there is room for one copy.
    np.square(distances, out=distances)
    for t in THREADS:
        with threads(t):
            timing = in_turn({"NumPy": lambda: folded.of_squared(distances)}, rounds)["NumPy"]
        add(t, "squared beforehand", "NumPy, one product", timing)
    few = max(k // 10, CHECKED)
    np.multiply(distances[:few], -0.5, out=distances[:few])
    for t in THREADS:
        with threads(t):
            timing = in_turn({"kernel": lambda: kernel.transform(distances[:few])}, rounds)["kernel"]
        add(t, "kernel beforehand", "scikit-learn `KernelPCA.transform`", timing, k / few)


def measure(quick, n=5000, k=100_000, d=10):
    if quick:
        n, k = 300, 2000
    section = Section(
        "Placing newcomers",
        f"n = {n}, k = {k}, d = {d}: {8 * n * k / 1e9:.2g} GB of f64 distances. Seconds, best / median. The limit is one plain read of "
        "the same bytes, summed in vectors by as many threads in the same process. Errors: of reconstruction the worst scaled "
        "stationarity, or the largest difference from that of f64 rows; of projection the largest beside extended precision; "
        "relative to the largest coordinate. Memory is what the call took beside the input.",
        ["threads", "input", "program", "seconds", "× one read", "adjoin / peer", "error", "extra memory"],
    )
    section.missed = (
        "An entry costs d products and five further operations (its shift, u, the sums of u and u², the nearest), fifteen with d = 10, of which a core "
        "does two vectors a cycle: 0.94 cycles with AVX-512, 1.9 with AVX2, where one read takes some 1.7 to 2. So f64 is bound by memory with AVX-512 and by arithmetic "
        "with AVX2. f32 halves the bytes and not the sums, and a vector has to be widened besides (one or two operations more), so it cannot be much faster than "
        "arithmetic is: 0.7 to 0.8 × the f64 time with AVX-512, 0.9 with AVX2. Sums in f32 would be twice as fast and 1e-7 off where the numbers are exact in f32 (counts, "
        "edit distances); that is not done. Tried: one newcomer to a block of registers with AVX-512 (a third slower); with AVX2 two newcomers by two blocks of five columns from a "
        "buffer of u, four by two, three and four in lockstep (all within 2 %: loads are not what it waits for); by columns the same tiles (2 to 4 %); stretches of 64 to 512 "
        "entries for 4 to 32 newcomers at a time (192 in use, 128 is 2 to 6 % slower, 512 leaves the innermost cache); prefetch hints (in use); by columns, 8 to 64 old "
        "objects for 256 to 8192 newcomers at a time. The input lies in large pages, as NumPy asks for: with small ones in a virtual machine a read and a placing both take a tenth to a third longer."
        " On the EPYC of 2026-11-18 (Zen 3, 3.0 GHz) one core reads an entry in 0.41 to 0.44 ns, and was measured to do two fused multiply-adds of vectors a cycle from registers (0.16 ns each), 0.18 to 0.20 ns with one operand from the innermost cache: twelve of them for four entries are 0.5 to 0.6 ns an entry. The loop by itself, copied out of the program, takes 0.72 to 0.77 on newcomers of 480 entries in the innermost cache, and 0.85 to 0.93 at n = 5000, where each stretch of Z comes from the third cache for every eight newcomers (10 bytes an entry, more than the proximities' own 8); with Z across cache lines 1.06. So 1.6 × a read, 0.66 to 0.7, is below what these loops do in cache: 2 × is what is left to be had."
        " On the EPYC with AVX-512 (L1 48 KB, one core reads an entry in 0.19 ns, more than twice as fast as the other) the same loop, copied out, takes 0.26 to 0.27 ns an entry with AVX-512 on newcomers in the second cache, and 0.42 to 0.45 with AVX2, 1.4 and 2.3 × that machine's read, before anything comes from memory: there arithmetic is the bound for both. From memory 0.36 to 0.42 and 0.45; where rows begin at a cache line, which NumPy's do not, 0.33 to 0.35 with AVX-512. Tried there: stretches of 64 to 1280 entries for 2 to 64 newcomers at a time, hints for the first, second and no cache, at the next stretch or 8 to 48 lines ahead (96 entries are a tenth faster in the copied loop and a twentieth slower in the program); without hints it takes twice as long. A newcomer costs 240 ns besides its entries (the guess of its mean, sums put away and added up), and 220 to 350 more for all that is told of it (half of that since), which at n = 5000 is 13 and 17 % of AVX-512's time."
        " From the innermost cache it takes 0.18 there, and two newcomers that are read straight on, by eight rows of Z that stay in that cache, 0.27 from memory (hints 64 lines ahead, two lines at a time), 0.31 (one at a time), 0.42 (none): the processor looks ahead over 448 instructions, ten rounds of the loop or 29 ns, a quarter of what memory takes to answer, so what hints do not bring in time adds to arithmetic and does not hide behind it. In the program hints for two or four lines at a time gain nothing. Stretches of 256 in single precision, as many bytes as 192 in double, are 5 % faster."
        " On a Xeon (Cascade Lake, 2.5 GHz, a virtual machine whose neighbours are felt) one core reads an entry in 0.7 to 0.85 ns and does a fused multiply-add of a vector in 0.19 to 0.23 ns from registers, 0.33 with an operand from the innermost cache: fifteen operations and thirteen loads are 0.41 ns an entry with AVX-512, 0.73 to 1.1 with AVX2, and the loop by itself takes 0.68 to 0.95 and 1.0 to 1.4 there, twice as long in some minutes as in others. So it is about as fast as memory, and does not hide it wholly: 1.4 × a read. Hints for the first and second cache, at the next stretch or 8 to 16 lines ahead, stretches of 96 to 1024 entries of 4 to 16 newcomers are within 10 % there, no hints 30 % slower."
    )
    rounds = ROUNDS
    reads = core(section, n, k, d, rounds)
    if ISA not in os.environ:
        beside_peers(section, n, k, d, rounds, reads)
    return section


if __name__ == "__main__":
    n, k, d = sizes_given(5000, 100_000, 10)
    alone(lambda quick: measure(quick, n, k, d))
