"""Reads what `cargo run -p adjoin-formats --example write_samples -- FOLDER` wrote, with the programs
that people will read it with. Needs numpy, pandas, pyarrow and scikit-bio."""

import json
import struct
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import skbio

# Exact in every version of pandas; the newest does it by default and says so.
warnings.filterwarnings("ignore", "The 'float_precision' argument")

folder = Path(sys.argv[1])
labels = ["a", 'b, "two"', "Ω 3"]
axes = np.array([[0.1, 2.0], [-1e-300, 123456789.125], [1 / 3, -0.0]])
columns = ["label", "axis1", "axis2", "lambda", "certified", "minimiser"]


def same(found, expected):
    """To the bit."""
    found, expected = np.asarray(found, "<f8"), np.asarray(expected, "<f8")
    assert found.tobytes() == expected.tobytes(), (found, expected)


for name, frame in {
    "tsv": pd.read_csv(folder / "sample.tsv", sep="\t", float_precision="round_trip"),
    "csv": pd.read_csv(folder / "sample.csv", float_precision="round_trip"),
    "parquet": pd.read_parquet(folder / "sample.parquet"),
    "json": pd.DataFrame(json.loads((folder / "sample.json").read_text())),
}.items():
    assert list(frame.columns) == columns, name
    assert list(frame["label"]) == labels, name
    same(frame[["axis1", "axis2"]].to_numpy(), axes)
    assert frame["lambda"].isna().tolist() == [False, True, False], name
    assert frame["certified"][0] in (True, "True") and frame["certified"].isna()[1], name
    assert frame["minimiser"].tolist() == [1, 2, 3], name

same(np.load(folder / "sample.npy"), axes)

results = skbio.OrdinationResults.read(folder / "sample.ordination", format="ordination")
assert list(results.samples.index) == labels
same(results.samples.to_numpy(), axes)
same(results.eigvals.to_numpy(), [3.5, 2.25])
assert list(results.features.index) == ["pH"]
same(results.features.to_numpy(), [[0.25, -1.5]])
same(results.proportion_explained.to_numpy(), [0.5, 0.25])

# A map, by the safetensors layout alone.
data = (folder / "sample.adjoin").read_bytes()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + length])
words = json.loads(header["__metadata__"]["adjoin"])
assert words["labels"] == ["1", "2", "3", "4"] and words["format"] == 3
begin, end = header["configuration"]["data_offsets"]
X = np.frombuffer(data[8 + length :][begin:end], "<f8").reshape(header["configuration"]["shape"])
assert np.allclose(np.linalg.norm(X[0] - X[2]), 5)

print("read back: tables, ordination and map")
