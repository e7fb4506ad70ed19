"""Placing an .npy file that is far larger than the memory it takes.

    python bench/stream.py [gigabytes]

Makes an array of newcomers (8 GB unless said otherwise) in a temporary folder, places it on a map of 5000 objects,
and prints the file's size, the peak resident memory of `adjoin place`, and the time beside one plain read of the file.
Needs NumPy, SciPy and threadpoolctl.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from common import built, resident

N, AXES = 5000, 10


def main():
    gigabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
    adjoin = built()
    rng = np.random.default_rng(1)
    old = rng.normal(size=(N, 20)) / np.arange(1, 21)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/old.npy", squareform(pdist(old)))
        k = int(gigabytes * 1e9 / 8 / N)
        array = np.lib.format.open_memmap(f"{folder}/new.npy", "w+", "<f8", (k, N))
        block = cdist(rng.normal(size=(2000, 20)) / np.arange(1, 21), old)
        for first in range(0, k, len(block)):
            rows = min(len(block), k - first)
            array[first : first + rows] = block[:rows]
        del array
        size = os.path.getsize(f"{folder}/new.npy")
        subprocess.run([adjoin, "fit", "old.npy", "-d", str(AXES), "-o", "map.adjoin", "--quiet"], cwd=folder, check=True)
        start = time.perf_counter()
        with open(f"{folder}/new.npy", "rb", buffering=0) as file:
            while file.read(1 << 25):
                pass
        plain = time.perf_counter() - start
        start = time.perf_counter()
        command = [adjoin, "place", "map.adjoin", "new.npy", "--strategy", "reconstruct", "-o", "placed.npy", "--quiet"]
        child = subprocess.Popen(command, cwd=folder)
        # Its own high-water mark, read while it runs: what the system adds up for children includes ours.
        peak = 0
        while child.poll() is None:
            try:
                peak = max(peak, resident("VmHWM", child.pid))
            except OSError:
                break
            time.sleep(0.05)
        status = child.wait()
        seconds = time.perf_counter() - start
        assert status == 0
        placed = np.load(f"{folder}/placed.npy")
        assert placed.shape == (k, AXES) and np.isfinite(placed).all()
    print(f"{k} newcomers, {size / 1e9:.2f} GB; peak resident memory {peak / 1e6:.0f} MB")
    print(f"place --strategy reconstruct: {seconds:.1f} s; one plain read of the file: {plain:.1f} s")


if __name__ == "__main__":
    main()
