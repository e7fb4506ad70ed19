"""How far one machine goes: the costs that docs/scale.md states, measured at two sizes each.

    python bench/scale.py [--quick] [--only latency placing fitting fingerprints] [--write]

In an environment with adjoin, dask and numpy. Every line has what is done, its size, seconds of CPU on one thread (of wall for one
newcomer), the rate, and how far it raised the peak of memory. The last is a million newcomers by 2048 packed bits on 1000
landmarks, beside the same as float64. --write keeps the lines in SCALE.md.
"""

import argparse
import datetime
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import adjoin


LINES = []


def line(what, size, seconds, rate, rise=None):
    memory = "" if rise is None else f"{rise / 1e6:8.0f} MB"
    LINES.append([what, size, f"{seconds:.3g} s", rate, memory.strip()])
    print(f"{what:34} {size:>22} {seconds:10.3f} s {rate:>24} {memory}", flush=True)


def timed(call, least=0.3):
    """Seconds of CPU that a call takes, the best of a few."""
    call()
    best, spent = np.inf, 0.0
    while spent < least:
        began = time.process_time()
        call()
        took = time.process_time() - began
        best, spent = min(best, took), spent + took + 1e-9
    return best


def distances(n, k, d, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, d + 2)), rng.normal(size=(k, d + 2))
    return np.sqrt(((X[:, None] - X) ** 2).sum(-1)) if n <= 600 else _gram(X, X, True), _gram(Y, X, False)


def _gram(Y, X, same):
    D = np.sqrt(np.maximum((Y * Y).sum(1)[:, None] + (X * X).sum(1) - 2 * Y @ X.T, 0))
    if same:
        np.fill_diagonal(D, 0)
        D = (D + D.T) / 2
    return D


def placing(quick):
    for n in (500, 2000) if quick else (2000, 5000):
        D, E = distances(n, 2000, 5)
        model = adjoin.ClassicalMDS(5, metric="precomputed", n_jobs=1).fit(D)
        complete = timed(lambda: model.place(E))
        line("place, project", f"{len(E)} on n = {n}", complete, f"{E.nbytes / complete / 1e9:.2f} GB/s")
        reconstruct = timed(lambda: model.place(E, "reconstruct"))
        line("place, reconstruct", f"{len(E)} on n = {n}", reconstruct, f"{len(E) / reconstruct:,.0f} a second")
        for share in (0.0005, 0.1, 0.5):
            holes = np.where(np.random.default_rng(1).uniform(size=E.shape) < share, np.nan, E)
            holes[:, 3] = np.nan
            took = timed(lambda: model.place(holes))
            line(f"… {share:.2%} missing", f"{len(E)} on n = {n}", took, f"{took / complete:.1f} x complete")
        weights = np.linspace(1, 2, n)
        took = timed(lambda: model.place(E, weights=weights))
        line("… weighted", f"{len(E)} on n = {n}", took, f"{took / complete:.1f} x complete")


def latency():
    D, E = distances(100, 1, 2)
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(D)
    for name, call in (("transform", model.transform), ("place", model.place), ("Map.transform", model.map_.transform)):
        call(E)
        began = time.perf_counter()
        for _ in range(2000):
            call(E)
        took = (time.perf_counter() - began) / 2000
        line(f"one newcomer, {name}", "n = 100", took, f"{took * 1e6:.0f} µs of wall")


class Counted:
    """An array on disk that counts how often its first block is read: once a pass."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.ndim, self.reads = array, array.shape, array.dtype, array.ndim, 0

    def __getitem__(self, where):
        self.reads += all(not part.start for part in where)
        return self.array[where]


def fitting(quick):
    import dask.array as da

    # What is imported at the first fit is not measured.
    adjoin.ClassicalMDS(2, metric="precomputed", n_jobs=1).fit(da.from_array(distances(300, 1, 10)[0], chunks=100))
    for n in (1000, 2000) if quick else (4000, 8000):
        D, _ = distances(n, 1, 10)
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file, D)
            counted = Counted(np.load(file.name, mmap_mode="r"))
            lazy = da.from_array(counted, chunks=n // 4, asarray=False, meta=np.empty((0, 0)))
            began, cpu = time.perf_counter(), time.process_time()
            adjoin.ClassicalMDS(5, metric="precomputed", n_jobs=1).fit(lazy)
            took, cpu = time.perf_counter() - began, time.process_time() - cpu
            line("fit by Dask's blocks", f"n = {n}", cpu, f"{counted.reads} passes, {took:.1f} s of wall")
            line("… a pass and entry", f"n = {n}", cpu, f"{cpu / counted.reads / (n * n / 2) * 1e9:.2f} ns of CPU")


# Run by itself, so that the peak is its own: newcomers by fingerprints on landmarks.
FINGERPRINTS = """
import sys, time, numpy as np, adjoin
count, packed = int(sys.argv[1]), sys.argv[2] == "packed"
rng = np.random.default_rng(0)
old = rng.integers(0, 256, size=(1000, 256), dtype=np.uint8) & rng.integers(0, 256, size=(1000, 256), dtype=np.uint8)
new = rng.integers(0, 256, size=(count, 256), dtype=np.uint8) & rng.integers(0, 256, size=(count, 256), dtype=np.uint8)
if packed:
    model = adjoin.LandmarkMDS(2, n_landmarks=1000, landmarks=list(range(1000)), metric="jaccard", metric_params={"packed": True}, n_jobs=1)
else:
    old, new = np.unpackbits(old, axis=1).astype(float), np.unpackbits(new, axis=1).astype(float)
    model = adjoin.LandmarkMDS(2, n_landmarks=1000, landmarks=list(range(1000)), metric="jaccard", n_jobs=1)
model.fit(old)
def held(what):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))
open("/proc/self/clear_refs", "w").write("5")  # the peak is what is held now
before = held("VmRSS")
began = time.process_time()
model.transform(new)
print(time.process_time() - began, held("VmHWM") - before, new.nbytes)
"""


def fingerprints(quick):
    sizes = {"packed": (10_000, 100_000) if quick else (100_000, 1_000_000), "float64": (2_000,) if quick else (10_000, 50_000)}
    for form, counts in sizes.items():
        for count in counts:
            run = subprocess.run([sys.executable, "-c", FINGERPRINTS, str(count), form], capture_output=True, text=True, check=True)
            seconds, rise, size = map(float, run.stdout.split())
            line(f"2048 bits as {form}, {size / 1e6:.0f} MB", f"{count:,} on 1000", seconds, f"{count * 1000 / seconds / 1e6:.0f} M pairs/s", rise)


def write():
    from suite import machine

    columns = ["what", "at", "time", "rate", "memory"]
    rows = [columns, ["---"] * len(columns), *LINES]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    pathlib.Path(__file__).with_name("SCALE.md").write_text(
        "# What newcomers and fits cost on one thread\n\n"
        f"Written by `bench/scale.py` on {datetime.date.today()}: seconds of CPU, and how far the peak of memory rose.\n\n"
        + "".join(f"- {said}\n" for said in machine())
        + f"\n{table}\n"
    )


PARTS = {"latency": lambda quick: latency(), "placing": placing, "fitting": fitting, "fingerprints": fingerprints}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    for name in asked.only:
        PARTS[name](asked.quick)
    if asked.write:
        write()
