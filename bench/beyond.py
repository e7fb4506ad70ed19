"""Fitting squares: held as they are stored, and by passes over a file that is larger than the memory that may be used.

    python bench/beyond.py [gigabytes] [--max-memory SIZE] [--only f4|f8|i4|h5] [--folder FOLDER]

Makes a square of distances (2 GB of single precision unless said otherwise) in a temporary folder, fits it with ten axes, and
prints the peak resident memory of `adjoin fit` beside the file's size, and its time beside one plain read of the file
and, where it is installed, beside the Python package on the same file mapped into memory. With --max-memory the square is
fitted by passes. Without --only all four kinds of file are made, one after the other. With --folder files are made there, and
those that are there already are taken. ADJOIN names a program that is built already.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from common import built, read_once, watched

AXES = 10

PYTHON = """
import numpy as np, adjoin, time
D = np.load("{name}", mmap_mode="r")
start = time.perf_counter()
adjoin.ClassicalMDS({axes}, metric="precomputed").fit(D)
print(time.perf_counter() - start)
"""


def rows(points, first, last, dtype=np.float64):
    """Distances of some points to all, with something that is not Euclidean in them."""
    squares = (points**2).sum(axis=1)
    found = points[first:last] @ (-2 * points.T)
    found += squares[first:last, None]
    found += squares[None]
    # Only now: what is subtracted in single precision is not symmetric.
    found = found.astype(dtype, copy=False)
    np.sqrt(np.maximum(found, 0, out=found), out=found)
    found += 0.1 * np.sin(found)
    found[np.arange(last - first), np.arange(first, last)] = 0
    return found


def write(path, kind, points):
    n = len(points)
    if kind == "h5":
        import h5py

        with h5py.File(path, "w") as file:
            matrix = file.create_dataset("matrix", (n, n), "<f4")
            for first in range(0, n, 500):
                matrix[first : first + 500] = rows(points, first, min(first + 500, n), np.float32)
            file["order"] = [f"o{i}".encode() for i in range(n)]
        return
    array = np.lib.format.open_memmap(path, "w+", f"<{kind}", (n, n))
    for first in range(0, n, 500):
        # In single precision mirrored entries differ by a last bit at most.
        block = rows(points, first, min(first + 500, n), np.float64 if kind == "i4" else np.float32)
        array[first : first + 500] = np.rint(block * 1e5) if kind == "i4" else block


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gigabytes", nargs="?", type=float, default=2.0)
    parser.add_argument("--max-memory")
    parser.add_argument("--only", choices=["f4", "f8", "i4", "h5"])
    parser.add_argument("--folder")
    asked = parser.parse_args()
    adjoin = os.environ.get("ADJOIN") or built()
    rng = np.random.default_rng(2)
    for kind in [asked.only] if asked.only else ["f4", "f8", "i4", "h5"]:
        n = int((asked.gigabytes * 1e9 / (8 if kind == "f8" else 4)) ** 0.5)
        points = rng.normal(size=(n, 24)) / np.arange(1, 25) ** 0.7
        with contextlib.nullcontext(asked.folder) if asked.folder else tempfile.TemporaryDirectory() as folder:
            name = "old.h5" if kind == "h5" else f"old-{kind}.npy"
            if not os.path.exists(f"{folder}/{name}"):
                write(f"{folder}/{name}", kind, points)
            size = os.path.getsize(f"{folder}/{name}")
            plain = read_once(f"{folder}/{name}")
            command = [adjoin, "fit", name, "-d", str(AXES), "-o", "map.adjoin", "-v"]
            command += ["--max-memory", asked.max_memory] if asked.max_memory else []
            start = time.perf_counter()
            peak = watched(command, folder)
            seconds = time.perf_counter() - start
            print(f"{kind}: {n} objects, {size / 1e9:.2f} GB; peak resident memory {peak / 1e6:.0f} MB, {peak / size:.2f} of the file")
            print(f"  fit of {AXES} axes: {seconds:.1f} s; one plain read of the file: {plain:.1f} s", flush=True)
            if kind != "h5" and not asked.max_memory:
                done = subprocess.run([sys.executable, "-c", PYTHON.format(axes=AXES, name=name)], cwd=folder, capture_output=True, text=True)
                says = f"{float(done.stdout):.1f} s" if done.returncode == 0 else "not installed"
                print(f"  the Python package on the same file, mapped: {says}", flush=True)


if __name__ == "__main__":
    main()
