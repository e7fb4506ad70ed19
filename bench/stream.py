"""Placing files that are far larger than the memory it takes.

    python bench/stream.py [gigabytes] [npy|hdf5|parquet|arrow|tsv ...]

Makes a file of newcomers (8 GB of numbers unless said otherwise) of each kind in a temporary folder, places it on a map of
5000 objects, and prints the file's size, the peak resident memory of `adjoin place`, and the time beside one plain read of
the file. HDF5 is contiguous as UniFrac writes it, Parquet has groups of 4000 rows, Arrow batches of 1000, and columns of
tables come in another order than the map's. Needs NumPy, SciPy, threadpoolctl, and h5py or pyarrow for their files.
"""

import os
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from common import built, read_once, watched

N, AXES, BLOCK = 5000, 10, 2000
KINDS = ("npy", "hdf5", "parquet", "arrow", "tsv")


def blocks(block, k):
    for first in range(0, k, BLOCK):
        rows = min(BLOCK, k - first)
        yield first, block[:rows]


def write_npy(path, block, k):
    array = np.lib.format.open_memmap(path, "w+", "<f8", (k, N))
    for first, rows in blocks(block, k):
        array[first : first + len(rows)] = rows


def write_hdf5(path, block, k):
    import h5py

    with h5py.File(path, "w") as file:
        matrix = file.create_dataset("matrix", (k, N), "<f8")
        for first, rows in blocks(block, k):
            matrix[first : first + len(rows)] = rows


def tables(block, k):
    import pyarrow as pa

    # Backwards: columns are found by their names.
    names = [str(j + 1) for j in range(N)][::-1]
    for first, rows in blocks(block, k):
        columns = {"label": [f"n{first + i}" for i in range(len(rows))]}
        yield pa.table(columns | {name: rows[:, N - 1 - j] for j, name in enumerate(names)})


def write_parquet(path, block, k):
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer, pair = None, []
    for table in tables(block, k):
        writer = writer or pq.ParquetWriter(path, table.schema, use_dictionary=False)
        pair.append(table)
        if len(pair) == 2:
            writer.write_table(pa.concat_tables(pair).combine_chunks())
            pair = []
    if pair:
        writer.write_table(pair[0])
    writer.close()


def write_arrow(path, block, k):
    import pyarrow as pa

    writer = None
    for table in tables(block, k):
        writer = writer or pa.ipc.new_file(path, table.schema)
        writer.write_table(table, max_chunksize=1000)
    writer.close()


def write_tsv(path, block, k):
    text = ["\t".join(f"{x:.6g}" for x in row) for row in block[:, ::-1]]
    with open(path, "w") as file:
        file.write("\t" + "\t".join(str(j + 1) for j in reversed(range(N))) + "\n")
        for i in range(k):
            file.write(f"n{i}\t{text[i % BLOCK]}\n")


def main():
    numbers = [float(word) for word in sys.argv[1:] if word not in KINDS]
    kinds = [word for word in sys.argv[1:] if word in KINDS] or ["npy"]
    gigabytes = numbers[0] if numbers else 8.0
    adjoin = os.environ.get("ADJOIN") or built()
    rng = np.random.default_rng(1)
    old = rng.normal(size=(N, 20)) / np.arange(1, 21)
    block = cdist(rng.normal(size=(BLOCK, 20)) / np.arange(1, 21), old)
    k = int(gigabytes * 1e9 / 8 / N)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/old.npy", squareform(pdist(old)))
        with open(f"{folder}/labels.txt", "w") as file:
            file.writelines(f"{j + 1}\n" for j in range(N))
        # Columns with names need a map with names; arrays are by position.
        for name, words in [("named", ["--labels", "labels.txt"]), ("numbered", [])]:
            watched([adjoin, "fit", "old.npy", "-d", str(AXES), "-o", f"{name}.adjoin", "--quiet", *words], folder)
        for kind in kinds:
            path = f"{folder}/new.{'h5' if kind == 'hdf5' else kind}"
            globals()[f"write_{kind}"](path, block, k)
            size = os.path.getsize(path)
            plain = read_once(path)
            by_name = kind in ("parquet", "arrow", "tsv")
            command = [adjoin, "place", "named.adjoin" if by_name else "numbered.adjoin", os.path.basename(path)]
            command += ["--strategy", "reconstruct", "-o", "placed.npy", "--quiet"]
            start = time.perf_counter()
            peak = watched(command, folder)
            seconds = time.perf_counter() - start
            placed = np.load(f"{folder}/placed.npy")
            assert placed.shape == (k, AXES) and np.isfinite(placed).all()
            os.remove(path)
            print(f"{kind}: {k} newcomers, {size / 1e9:.2f} GB; peak resident memory {peak / 1e6:.0f} MB")
            print(f"  place --strategy reconstruct: {seconds:.1f} s; one plain read of the file: {plain:.1f} s", flush=True)


if __name__ == "__main__":
    main()
