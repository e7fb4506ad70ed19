"""Reading a labelled table: adjoin beside pandas' C reader and numpy.loadtxt, in the same run.

    python bench/parse.py [n] [--quick]
"""

import pathlib
import tempfile

import numpy as np
import pandas as pd

from common import Section, Target, Timing, alone, answered, built, digits, in_turn, sizes_given, times


def measure(quick, n=3000):
    n = 200 if quick else n
    program = built("parse_speed")
    rng = np.random.default_rng(1)
    matrix = rng.random((n, n))
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    names = [f"object{i}" for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/table.tsv"
        pd.DataFrame(matrix, names, names).to_csv(file, sep="\t")
        size = pathlib.Path(file).stat().st_size / 1e6
        ours = answered(program, file)
        peers = in_turn({"pandas `read_csv`, C": lambda: pd.read_csv(file, sep="\t", index_col=0, engine="c")}, 2)
        peers |= in_turn({"`numpy.loadtxt`": lambda: np.loadtxt(file, skiprows=1, usecols=range(1, n + 1))}, 1)
    exact = all(np.array_equal(np.asarray(p.answer), matrix) for p in peers.values())
    section = Section(
        "Reading a table",
        f"A labelled square of {n} objects with 16 to 18 digits, {size:.0f} MB of text in the file cache. "
        f"pandas' numbers are {'' if exact else 'not '}all exactly those that were written; adjoin's are (its tests see to that).",
        ["program", "threads", "seconds", "MB/s", "adjoin on 1 thread is faster by"],
    )
    section.missed = (
        "both readers round 17 digits exactly, and that takes most of the time (three fifths of it in the library that does). Tried: numbers parsed "
        "where they stand, without looking for the end of the cell first, and blocks that stay in cache (both in use)."
    )
    section.add("adjoin", 1, digits(ours["one"]), f"{size / ours['one']:.0f}", "")
    section.add("adjoin", ours["threads"], digits(ours["all"]), f"{size / ours['all']:.0f}", "")
    for name, peer in peers.items():
        section.add(name, 1, peer, f"{size / peer.best:.0f}", times(peer.best / ours["one"]))
    gain = peers["pandas `read_csv`, C"].best / ours["one"]
    section.targets.append(Target("text parsing, 1 thread", "≥ 2.5 × pandas' C reader", gain, 2.5, at_least=True))
    return section


if __name__ == "__main__":
    (n,) = sizes_given(3000)
    alone(lambda quick: measure(quick, n))
