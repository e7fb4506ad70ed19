"""Fingerprints as packed bits: the same maps and places as numbers that are 0 or 1, to the bit."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import adjoin
from adjoin.arrow import Placer


@pytest.fixture(scope="module")
def fingerprints():
    rng = np.random.default_rng(1)
    sets = rng.uniform(size=(90, 100)) < rng.uniform(0.1, 0.6, size=(90, 1))
    return sets.astype(float), np.packbits(sets, axis=1)


MODELS = {
    "jaccard": (adjoin.ClassicalMDS, dict(metric="jaccard")),
    "tanimoto": (adjoin.ClassicalMDS, dict(metric="tanimoto")),
    "dice": (adjoin.LandmarkMDS, dict(metric="dice", n_landmarks=25)),
    "hamming": (adjoin.Isomap, dict(metric="hamming", n_neighbors=12)),
    "kernel": (adjoin.KernelPCA, dict(kernel="tanimoto")),
}


def told(estimator, parameters, packed):
    name = "kernel_params" if estimator is adjoin.KernelPCA else "metric_params"
    return estimator(n_components=3, **parameters, **{name: {"packed": packed}})


@pytest.mark.parametrize("name", MODELS)
def test_packed_is_unpacked(name, fingerprints, tmp_path):
    numbers, bits = fingerprints
    estimator, parameters = MODELS[name]
    plain = estimator(n_components=3, **parameters).fit(numbers[:70])
    packed = told(estimator, parameters, 100).fit(bits[:70])
    assert np.array_equal(packed.embedding_, plain.embedding_)
    for strategy in ("project", "reconstruct"):
        expected = plain.place(numbers[70:], strategy)
        found = packed.place(bits[70:], strategy)
        assert np.array_equal(found.coordinates, expected.coordinates)
        assert np.array_equal(found.residual, expected.residual)
    expected = plain.transform(numbers[70:])
    assert np.array_equal(packed.transform(bits[70:]), expected)
    packed.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    loaded.save(tmp_path / "again.adjoin")
    assert (tmp_path / "again.adjoin").read_bytes() == (tmp_path / "map.adjoin").read_bytes()
    for other in (loaded, pickle.loads(pickle.dumps(packed)), packed.map_):
        assert np.array_equal(other.transform(bits[70:]), expected)
    # As small as the bits are, beside the numbers.
    assert len(pickle.dumps(packed)) < len(pickle.dumps(plain))
    column = pa.array([row.tobytes() for row in bits[70:]], pa.binary(13))
    for piece in (column, pa.concat_arrays([column[:3], column])[3:]):
        out = Placer(packed, vector="f")(pa.table({"f": piece}))
        assert np.array_equal(np.column_stack([out[f"axis{j}"] for j in (1, 2, 3)]), expected)
    da = pytest.importorskip("dask.array")
    assert np.array_equal(packed.transform(da.from_array(bits[70:], chunks=(6, 5))).compute(), expected)


def test_whole_bytes_need_no_number(fingerprints):
    numbers, bits = fingerprints
    plain = adjoin.ClassicalMDS(metric="hamming").fit(np.hstack([numbers, np.zeros((90, 4))]))
    packed = adjoin.ClassicalMDS(metric="hamming", metric_params={"packed": True}).fit(bits)
    assert np.array_equal(packed.embedding_, plain.embedding_)
    tried = [model.evaluate(X, folds=3, repeats=1).scores for model, X in ((packed, bits), (plain, plain.X_fit_))]
    assert all(np.array_equal(values, tried[1][key], equal_nan=True) for key, values in tried[0].items())
    with pytest.raises(ValueError, match="D: found float64 of shape .*, expected packed bits"):
        packed.evaluate(numbers)


@pytest.mark.parametrize("name", ["jaccard", "dice", "kernel"])
def test_names_of_packed_bits(name, fingerprints, tmp_path):
    """Rows have the names of the objects, columns are matched by name or refused."""
    _, bits = fingerprints
    columns, names = [f"b{j}" for j in range(13)], [f"m{i}" for i in range(90)]
    frame = pd.DataFrame(bits, names, columns)
    new, backwards = frame[70:], frame.iloc[70:, ::-1]
    expected = told(*MODELS[name], 100).fit(bits[:70]).place(bits[70:]).coordinates
    model = told(*MODELS[name], 100).fit(frame[:70])
    assert model.object_names_ == names[:70] and model.feature_names_in_.tolist() == columns
    placed = model.place(backwards)
    assert placed.labels == names[70:] and np.array_equal(placed.coordinates, expected)
    assert np.array_equal(model.transform(new), expected) and np.array_equal(model.transform(bits[70:]), expected)
    with pytest.raises(ValueError, match="same order"):
        model.transform(backwards)
    with pytest.raises(ValueError, match='X: found no feature "b3"'):
        model.place(new.rename(columns={"b3": "other"}))
    if name == "jaccard":
        tried = [model.evaluate(D, folds=3, repeats=1).scores["neighbours"] for D in (frame.iloc[:70, ::-1], bits[:70])]
        assert np.array_equal(*tried)
        assert np.array_equal(model.grow(backwards).X_fit_, bits)
    dask = pytest.importorskip("dask.dataframe")
    lazy = dask.from_pandas(backwards, npartitions=2, sort=False)
    assert np.array_equal(model.place(lazy).compute()[["axis1", "axis2", "axis3"]], expected)
    for call in (lambda: model.compare(lazy), lambda: model.compare(lazy.to_dask_array(lengths=True))):
        with pytest.raises(TypeError, match="X: found a collection of Dask"):
            call()
    with pytest.raises(ValueError, match="same order"):
        model.transform(lazy)
    model.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    assert loaded.object_names_ == names[:70] and np.array_equal(loaded.place(bits[70:]).coordinates, expected)
    with pytest.raises(ValueError, match="X: found features with names, the first 'b0'"):
        loaded.place(new)


def test_what_is_not_packed_is_refused(fingerprints):
    numbers, bits = fingerprints
    model = adjoin.ClassicalMDS(metric="jaccard", metric_params={"packed": 100})
    for call, error, message in (
        (lambda: model.fit(numbers), TypeError, "X: found 2-D float64, expected packed bits"),
        (lambda: model.fit(bits[0]), TypeError, "X: found 1-D uint8"),
        (lambda: adjoin.ClassicalMDS(metric="jaccard", metric_params={"packed": 90}).fit(bits), ValueError, "packed: found 90"),
        (lambda: adjoin.ClassicalMDS(metric="cosine", metric_params={"packed": 100}).fit(bits), ValueError, "packed bits for cosine"),
        (lambda: adjoin.ClassicalMDS(metric="yule", metric_params={"packed": 100}).fit(bits), ValueError, "metric: found 'yule'"),
        (lambda: adjoin.KernelPCA(kernel="chi2", kernel_params={"packed": 100}).fit(bits), ValueError, "kernel: found 'chi2'"),
        (lambda: model.fit(bits).transform(numbers), ValueError, "X: found float64 of shape"),
        (lambda: model.fit(bits).place(bits[:, :5]), ValueError, "expected packed bits: uint8 of 13 columns"),
        (lambda: model.fit(bits | 1), ValueError, "bits beyond the first 100"),
        (lambda: Placer(model.fit(bits), vector="f")(pa.table({"f": [b"abc"]})), TypeError, "f: found a column of binary, expected"),
    ):
        with pytest.raises(error, match=message):
            call()
