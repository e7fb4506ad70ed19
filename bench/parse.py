"""Reading a labelled table: adjoin beside pandas' C reader and numpy.loadtxt, in the same run.

    python bench/parse.py [n]

Needs NumPy and pandas.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parent.parent


def seconds(work, repeats=2):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    build = ["cargo", "build", "--release", "-q", "-p", "adjoin-formats", "--example", "parse_speed"]
    subprocess.run(build, cwd=ROOT, check=True)
    rng = np.random.default_rng(1)
    matrix = rng.random((n, n))
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    names = [f"object{i}" for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/table.tsv"
        pd.DataFrame(matrix, names, names).to_csv(file, sep="\t")
        megabytes = pathlib.Path(file).stat().st_size / 1e6
        command = [f"{ROOT}/target/release/examples/parse_speed", file]
        ours = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        pandas = seconds(lambda: pd.read_csv(file, sep="\t", index_col=0, engine="c"))
        loadtxt = seconds(lambda: np.loadtxt(file, skiprows=1, usecols=range(1, n + 1)), 1)
    print(f"{megabytes:.0f} MB: MB/s")
    print(f"adjoin, 1 thread    {megabytes / ours['one']:7.0f}")
    print(f"adjoin, {ours['threads']} threads   {megabytes / ours['all']:7.0f}")
    print(f"pandas              {megabytes / pandas:7.0f}   adjoin on one thread is {pandas / ours['one']:.1f} times as fast")
    print(f"numpy.loadtxt       {megabytes / loadtxt:7.0f}   adjoin on one thread is {loadtxt / ours['one']:.1f} times as fast")


if __name__ == "__main__":
    main()
