"""Arrays that are stored elsewhere, and features too large to be copied: read some rows at a time, with the same bits."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjoin
from adjoin import _rows


@pytest.fixture(params=["h5py", "zarr"])
def stored(request, tmp_path):
    """Return a function that stores an array and gives it back as a dataset."""
    library = pytest.importorskip(request.param)
    if request.param == "h5py":
        file = library.File(tmp_path / "data.h5", "w")
        yield lambda name, X: file.create_dataset(name, data=X, chunks=(min(len(X), 7), X.shape[1]))
        file.close()
    else:
        group = library.open_group(str(tmp_path / "data.zarr"), mode="w")

        def store(name, X):
            array = group.create_array(name, shape=X.shape, chunks=(min(len(X), 7), X.shape[1]), dtype=X.dtype)
            array[:] = X
            return array

        yield store


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(_rows, "PART_BYTES", 40_000)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(60, 6)), rng.normal(size=(500, 6))
    return X, Y, cdist(X, X), cdist(Y, X)


def same(found, expected):
    for name in ("coordinates", "residual", "p", "objective", "known"):
        assert np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True), name
    assert found.status.tolist() == expected.status.tolist()
    assert found.labels == expected.labels and found.remarks_ == expected.remarks_
    assert [i for i, _ in found.alternatives] == [i for i, _ in expected.alternatives]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_stored_is_in_memory(stored, small_parts, problem, dtype):
    """Fit, transform and place of what is stored have the bits of the same in memory, whatever its type."""
    X, Y, D, E = problem
    D, E = (100 * D).astype(dtype), (100 * E).astype(dtype)
    plain = adjoin.ClassicalMDS(3, metric="precomputed").fit(D)
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(stored("old", D))
    assert np.array_equal(model.embedding_, plain.embedding_)
    new = stored("new", E)
    assert _rows.is_stored(new) and len(list(_rows.parts(new))) > 2
    assert np.array_equal(model.transform(new), plain.transform(E))
    for strategy in ("project", "reconstruct", "stress"):
        same(model.place(new, strategy), plain.place(E, strategy))
    near = model.place(new, neighbours=2)
    assert np.array_equal(near.neighbours(2).objects, plain.place(E).neighbours(2).objects)
    assert np.array_equal(model.place(new)[5:400].neighbours(3).objects, plain.place(E)[5:400].neighbours(3).objects)
    named = model.place(new, labels=[f"n{i}" for i in range(500)], weights=np.linspace(1, 2, 60))
    same(named, plain.place(E, labels=[f"n{i}" for i in range(500)], weights=np.linspace(1, 2, 60)))
    some = stored("some", E[:60])
    ours, theirs = model.compare(some), plain.compare(E[:60])
    assert list(ours.placements) == list(theirs.placements)
    for strategy, found in ours.placements.items():
        same(found, theirs.placements[strategy])
    between = cdist(Y[:60], Y[:60])
    assert np.array_equal(model.place(some, between=between).coordinates, plain.place(E[:60], between=between).coordinates)
    sure = model.place(new, uncertainty="axes")
    assert np.array_equal(sure.covariance, plain.place(E, uncertainty="axes").covariance)


def test_stored_features(stored, small_parts, problem):
    X, Y, *_ = problem
    for estimator in (adjoin.ClassicalMDS(), adjoin.KernelPCA(2, kernel="rbf"), adjoin.LandmarkMDS(n_landmarks=20),
                      adjoin.ClassicalMDS(metric="seuclidean")):
        name = repr(estimator)
        plain = estimator.fit(X)
        expected = plain.place(np.tile(Y, (4, 1)), "reconstruct")
        new = stored(name, np.tile(Y, (4, 1)))
        assert len(list(_rows.parts(new))) > 2
        same(plain.place(new, "reconstruct"), expected)
        assert np.array_equal(estimator.fit(stored(name + "old", X)).transform(new), plain.transform(np.tile(Y, (4, 1))))


def test_what_is_wrong_is_said_by_its_number_among_all(stored, small_parts, problem):
    *_, D, E = problem
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(D)
    E = E.copy()
    E[333, 5] = -1
    with pytest.raises(ValueError, match="row 333"):
        model.place(stored("negative", E))
    E[333] = np.nan
    missing = stored("missing", E)
    assert np.flatnonzero(~model.place(missing).placed).tolist() == [333]
    with pytest.raises(ValueError, match="found 59 columns"):
        model.place(stored("narrow", E[:, 1:]))
    with pytest.raises(ValueError, match="found 59 columns"):
        model.compare(stored("narrower", E[:, 1:]))
    with pytest.raises(ValueError, match="labels: found 3, expected 500"):
        model.place(missing, labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="minimum of 1 is required|no newcomers"):
        model.transform(stored("nobody", E[:1])[:0])


def test_features_in_memory_come_in_parts_too(small_parts, problem):
    X, Y, *_ = problem
    Y = np.tile(Y, (5, 1))
    assert _rows.is_large(Y) and len(list(_rows.parts(Y))) > 2
    model = adjoin.ClassicalMDS(2).fit(X)
    found, places = model.place(Y, "reconstruct"), model.transform(Y)
    _rows.PART_BYTES = 1 << 30
    same(found, model.place(Y, "reconstruct"))
    assert np.array_equal(places, model.transform(Y))


# Run by itself: how far calls raise the peak of memory, in bytes, for a dataset that is larger.
PEAK = """
import h5py, numpy as np, adjoin, sys

def peak():
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))

def rise(call):
    open("/proc/self/clear_refs", "w").write("5")
    before = peak()
    call()
    return peak() - before

x = np.linspace(0, 1, 2000)
with h5py.File(sys.argv[1], "w") as file:
    new = file.create_dataset("new", (30_000, 1000), "f8")
    for i in range(0, 30_000, 1000):
        new[i:i + 1000] = np.abs(np.linspace(0, 1, 1000)[:, None] - x[None, :1000]) + 0.1
    old = file.create_dataset("old", (2000, 2000), "f8")
    old[:] = np.abs(x[:, None] - x) + 0.1 * (x[:, None] != x)
    model = adjoin.ClassicalMDS(metric="precomputed", n_jobs=1).fit(old[:1000, :1000])
    model.transform(new[:10])
    print(8 * new.size, rise(lambda: model.transform(new)), rise(lambda: model.place(new, "reconstruct")))
    print(8 * old.size, rise(lambda: adjoin.ClassicalMDS(metric="precomputed", n_jobs=1, solver="iterative").fit(old)))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
def test_stored_arrays_are_never_made_whole(tmp_path):
    """A call on 240 MB raises the peak by some parts, and a fit by one copy and not two."""
    pytest.importorskip("h5py")
    run = subprocess.run([sys.executable, "-c", PEAK, str(tmp_path / "data.h5")], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    size, transform, place, square, fit = map(int, run.stdout.split())
    assert max(transform, place) < 0.5 * size, (size, transform, place)
    # Beside the copy: the solver's vectors, and what matrix products set aside.
    assert fit < 1.9 * square, (square, fit)
