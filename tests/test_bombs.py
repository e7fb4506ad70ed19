"""Small files that say they are large: what they hold is not unpacked beyond the limit on memory, and one message says so."""

import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import time
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADJOIN = os.environ.get("ADJOIN", str(ROOT / "target" / "debug" / "adjoin"))
SIDE = 20_000  # A square of this many doubles is 3.2 GB.

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED: what a child took of memory is asked of Unix")


def header(shape):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return out.getvalue()


def zeros(packer, head=b"", size=1 << 30):
    """So many zero bytes after a head, packed."""
    block = bytes(1 << 20)
    packer.write(head)
    for _ in range(size >> 20):
        packer.write(block)
    packer.close()


def line_without_end(path):
    """A table whose first cell is a gigabyte."""
    zeros(gzip.open(path, "wb", compresslevel=1), b"\ta\tb\n", 1 << 30)


def npy_gz(path):
    zeros(gzip.open(path, "wb", compresslevel=1), header((SIDE, SIDE)), 1 << 30)


def npy_xz(path):
    zeros(lzma.open(path, "wb", preset=0), header((SIDE, SIDE)), 1 << 27)


def npy_bz2(path):
    zeros(bz2.open(path, "wb", compresslevel=1), header((SIDE, SIDE)), 1 << 27)


def npz(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive.open("a.npy", "w", force_zip64=True), header((8192, 8192)), 1 << 29)


def qza(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        root = "6d3e9cbb-4f49-4b36-9f5e-2f0f5e3c2a11"
        archive.writestr(f"{root}/metadata.yaml", f"uuid: {root}\ntype: DistanceMatrix\nformat: DistanceMatrixDirectoryFormat\n")
        zeros(archive.open(f"{root}/data/distance-matrix.tsv", "w", force_zip64=True), b"\ta\tb\n", 1 << 30)


def npy_claims(path):
    """A header alone."""
    path.write_bytes(header((10**9, 10**9)))


def parquet(path):
    """Columns of one value each, by runs: a few bytes for a million rows."""
    ones = pa.array(np.ones(1 << 20), pa.float64())
    names = pa.array([f"{i}" for i in range(1 << 20)]).dictionary_encode()
    pq.write_table(pa.table({"label": names, **{f"{i}": ones for i in range(400)}}), path, compression="zstd")


def arrow(path):
    """A stream whose only batch says that it has 2⁶⁰ rows."""
    out = io.BytesIO()
    table = pa.table({"label": ["a", "b"], "a": [0.0, 1.0], "b": [1.0, 0.0]})
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    data = out.getvalue()
    assert data.count(struct.pack("<q", 2)) >= 3
    path.write_bytes(data.replace(struct.pack("<q", 2), struct.pack("<q", 1 << 60)))


def hdf5(path):
    """A square that was never written: nothing but its shape is in the file."""
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("matrix", (SIDE, SIDE), "f8", chunks=(1000, 1000), compression="gzip")


def hdf5_chunk(path):
    """One chunk that is the whole square, packed a thousandfold."""
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("matrix", data=np.zeros((8192, 8192)), chunks=(8192, 8192), compression="gzip")


def zarr(path):
    """A square without a single chunk, in which every number is the one for what is not there."""
    path.mkdir()
    about = {"zarr_format": 2, "shape": [10**6, 10**6], "chunks": [10**6, 10**6], "dtype": "<f8", "compressor": None,
             "fill_value": 1.0, "order": "C", "filters": None}  # fmt: skip
    (path / ".zarray").write_text(json.dumps(about))


def listed(path):
    """Pairs of labels that are never the same, 300,000 of them: the square has 9 × 10¹⁰ entries."""
    path.write_text("".join(f"a{i}\tb{i}\t1\n" for i in range(150_000)))


BOMBS = {
    "t.tsv.gz": line_without_end,
    "n.npy.gz": npy_gz,
    "n.npy.xz": npy_xz,
    "n.npy.bz2": npy_bz2,
    "n.npz": npz,
    "d.qza": qza,
    "n.npy": npy_claims,
    "p.parquet": parquet,
    "a.arrow": arrow,
    "h.h5": hdf5,
    "c.h5": hdf5_chunk,
    "z.zarr": zarr,
    "l.tsv": listed,
}


def measured(command, cwd):
    """Exit code, words, seconds, and the most memory it held, in megabytes."""
    begin = time.monotonic()
    with open(cwd / "said", "w+") as said:
        child = subprocess.Popen([ADJOIN, *command], cwd=cwd, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        said.seek(0)
        words = said.read()
    (cwd / "said").unlink()
    largest = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return os.waitstatus_to_exitcode(status), words, time.monotonic() - begin, largest


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name, tmp_path):
    BOMBS[name](tmp_path / name)
    more = ["--unlisted", "1", "--format", "long"] if name == "l.tsv" else []
    for command in (["info", name], ["convert", name, "out.csv", *more], ["fit", name, "-d", "2", "-o", "map.adjoin", *more]):
        code, words, seconds, megabytes = measured([*command, "--max-memory", "300M", "--threads", "2"], tmp_path)
        # Beside what is counted: the program itself and small things. A fit by passes may take a gigabyte of room.
        assert megabytes < 1300, (command, megabytes)
        assert seconds < 120, (command, seconds)
        assert "panicked" not in words and "RUST_BACKTRACE" not in words, words
        if command[0] == "info" and code == 0:
            continue
        assert code == 1, (command, code, words)
        assert words.strip().splitlines()[-1].startswith("adjoin: "), words
        assert [p.name for p in tmp_path.iterdir()] == [name], command
