"""Dask's collections: lazy in, lazy out, bit for bit what the whole gives in memory; workers may die."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xarray
from scipy.spatial.distance import cdist

import adjoin

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

import adjoin.dask  # noqa: E402


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(7)
    return rng.normal(size=(50, 5)), rng.normal(size=(101, 5))


FITTED = {
    "precomputed": lambda X: adjoin.ClassicalMDS(3, metric="precomputed", strategy="reconstruct").fit(cdist(X, X)),
    "features": lambda X: adjoin.ClassicalMDS(3).fit(X),
    "SciPy's metric": lambda X: adjoin.ClassicalMDS(3, metric="seuclidean").fit(X),
    "kernel": lambda X: adjoin.KernelPCA(3, kernel="rbf").fit(X),
    "landmarks": lambda X: adjoin.LandmarkMDS(3, n_landmarks=20).fit(X),
    "Isomap": lambda X: adjoin.Isomap(n_components=3).fit(X),
    "Laplacian": lambda X: adjoin.LaplacianEigenmaps(3).fit(X),
}


@pytest.mark.parametrize("name", FITTED)
def test_lazy_is_the_whole(name, clouds):
    X, Y = clouds
    model = FITTED[name](X)
    new = cdist(Y, X) if model._precomputed else Y
    # Cut between columns too: blocks are put together to whole rows.
    lazy = da.from_array(new, chunks=(17, 2))
    out = model.transform(lazy)
    assert isinstance(out, da.Array) and out.shape == (101, 3) and out.dtype == np.float64
    assert out.chunks == ((17, 17, 17, 17, 17, 16), (3,))
    assert np.array_equal(out.compute(scheduler="sync"), model.transform(new))
    frame = model.place(lazy)
    assert isinstance(frame, dd.DataFrame)
    expected = model.place(new).to_frame()
    found = frame.compute(scheduler="threads")
    pd.testing.assert_frame_equal(found, expected)
    assert list(frame.columns) == list(expected.columns) and (frame.dtypes == expected.dtypes).all()
    assert out.name == adjoin.dask.transform(model, lazy).name
    assert frame._name == adjoin.dask.place(model, lazy)._name
    again = pickle.loads(pickle.dumps(model))
    assert out.name == adjoin.dask.transform(again, lazy).name


def test_tables_by_name(clouds):
    X, Y = clouds
    names = [f"o{i}" for i in range(50)]
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(pd.DataFrame(cdist(X, X), names, names))
    E = pd.DataFrame(cdist(Y, X), [f"n{i}" for i in range(101)], names)
    expected = model.place(E)
    lazy = dd.from_pandas(E, npartitions=4, sort=False)
    assert np.array_equal(model.transform(lazy).compute(), expected.coordinates)
    found = model.place(lazy[names[::-1]]).compute()
    pd.testing.assert_frame_equal(found, expected.to_frame())
    with pytest.raises(ValueError, match="same order"):
        model.transform(lazy[names[::-1]])
    with pytest.raises(ValueError, match='"o7"'):
        model.place(lazy.rename(columns={"o7": "other"})).compute()
    features = adjoin.LandmarkMDS(3, n_landmarks=20).fit(pd.DataFrame(X, columns=list("abcde")))
    table = pd.DataFrame(Y, columns=list("abcde"))
    found = features.place(dd.from_pandas(table[list("edcba")], npartitions=3)).compute()
    assert np.array_equal(found[["axis1", "axis2", "axis3"]].to_numpy(), features.place(table).coordinates)


def test_a_map_a_file_and_its_bytes_will_do(clouds, tmp_path):
    X, Y = clouds
    model = FITTED["precomputed"](X)
    model.save(tmp_path / "map.adjoin")
    lazy = da.from_array(cdist(Y, X), chunks=(40, 50))
    expected = model.transform(cdist(Y, X))
    for given in (tmp_path / "map.adjoin", (tmp_path / "map.adjoin").read_bytes(), adjoin.Map.load(tmp_path / "map.adjoin")):
        assert np.array_equal(adjoin.dask.transform(given, lazy).compute(scheduler="sync"), expected)


def test_the_graph_has_the_map_once():
    """However many blocks there are, and never the n × n matrix."""
    X = np.random.default_rng(0).normal(size=(500, 3))
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(cdist(X, X))
    size = len(pickle.dumps(model.map_))
    lazy = da.random.default_rng(0).normal(size=(4000, 500), chunks=(100, 500)) ** 2
    before = len(pickle.dumps(dict(lazy.__dask_graph__())))
    for collection in (model.transform(lazy), model.place(lazy)):
        graph = dict(collection.__dask_graph__())
        assert len(pickle.dumps(graph)) < 2 * size + before + 80_000
        assert sum("adjoin-model" in str(key) for key in graph) == 1


def test_wrong_rows_are_named_by_their_number_among_all(clouds):
    X, Y = clouds
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(cdist(X, X))
    E = cdist(Y, X)
    E[77, 5] = -1.0
    lazy = da.from_array(E, chunks=(20, 50))
    with pytest.raises(ValueError, match="Negative values in data passed to X: found -1 between row 77 and object 5"):
        model.transform(lazy).compute(scheduler="sync")
    with pytest.raises(ValueError, match="between row 77 and object 5"):
        model.place(lazy).compute(scheduler="sync")
    E[77] = np.nan
    lazy = da.from_array(E, chunks=(20, 50))
    with pytest.raises(ValueError, match="the first in row 77 .too_few"):
        adjoin.dask.place(model, lazy, unplaced="raise").compute(scheduler="sync")
    found = model.place(lazy).compute(scheduler="sync")
    assert found["status"].iloc[77] == "too_few" and found["axis1"].isna().sum() == 1
    not_euclidean = adjoin.ClassicalMDS(3, metric="precomputed", strategy="hyperplane").fit(cdist(X, X, "cityblock") ** 2)
    E = cdist(Y, X, "cityblock") ** 2
    status = not_euclidean.place(E).status
    assert (status == "not_applicable").any()
    lazy = da.from_array(E, chunks=(20, 50))
    # Blocks come in any order: the row is the first of its block.
    with pytest.raises(ValueError, match="the first in row [0-9]+ .not_applicable") as told:
        not_euclidean.transform(lazy).compute(scheduler="sync")
    assert status[int(str(told.value).split("the first in row ")[1].split()[0])] == "not_applicable"
    kept = adjoin.dask.transform(not_euclidean, lazy, unplaced="nan").compute(scheduler="sync")
    assert np.array_equal(np.isnan(kept[:, 0]), status == "not_applicable")
    with pytest.raises(ValueError, match="X: found 49 columns, expected 50"):
        model.transform(lazy[:, :49])


def test_every_part_has_the_columns_of_a_proof(clouds):
    """Where nobody in a part has a place, nothing is certified."""
    X, Y = clouds
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(cdist(X, X))
    E = cdist(Y[:6], X)
    E[2:4] = np.nan
    expected = model.place(E, "stress", prove=True).to_frame()
    for lazy in (da.from_array(E, chunks=(2, 50)), dd.from_pandas(pd.DataFrame(E, [f"new{i + 1}" for i in range(6)]), npartitions=3)):
        found = adjoin.dask.place(model, lazy, "stress", prove=True)
        assert list(found.columns) == list(expected.columns)
        parts = [part.compute() for part in found.to_delayed()]
        assert all(list(part.columns) == list(expected.columns) for part in parts)
        pd.testing.assert_frame_equal(pd.concat(parts), expected)


def test_models_of_other_features_have_other_names(clouds):
    """What the map does not keep tells them apart: here the old features are turned, and newcomers are not."""
    X, Y = clouds
    turned = X.copy()
    turned[:, 0] *= -1
    models = [adjoin.ClassicalMDS(2, metric=lambda a, b: float(np.abs(a - b).sum())).fit(Z) for Z in (X[:9], turned[:9])]
    models[1].metric = models[0].metric
    assert dask.base.tokenize(models[0].map_) == dask.base.tokenize(models[1].map_)
    lazy = da.from_array(Y[:4], chunks=(2, 5))
    first, second = (model.transform(lazy) for model in models)
    assert first.name != second.name
    assert not np.allclose(first.compute(), second.compute())


def test_matrices_stay_at_home(clouds):
    X, _ = clouds
    model = adjoin.ClassicalMDS(2, metric="precomputed", keep_matrix=True).fit(cdist(X, X))
    kernel = adjoin.KernelPCA(2, kernel="precomputed", keep_matrix=True).fit(X @ X.T)
    for one, name in ((model, "dissimilarity_matrix_"), (kernel, "X_fit_")):
        assert hasattr(one, name) and not hasattr(adjoin.dask.light(one), name)
        assert len(pickle.dumps(adjoin.dask.light(one))) < 50 * 50 * 8


def test_what_is_not_done_lazily_is_refused(clouds, tmp_path):
    X, Y = clouds
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(cdist(X, X))
    lazy = da.from_array(cdist(Y, X), chunks=(20, 50))
    with pytest.raises(ValueError, match="neighbours: found 3 with a collection of Dask, expected None"):
        model.place(lazy, neighbours=3)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "new.h5", "w") as file:
        stored = file.create_dataset("new", data=cdist(Y, X), chunks=(20, 50))
        for new in (lazy, stored, cdist(Y, X)):
            with pytest.raises(ValueError, match="old: found it beside uncertainty=None, expected .refit."):
                model.place(new, old=cdist(X, X))


def test_nothing_lazy_is_made_whole_silently(clouds):
    X, Y = clouds
    model = adjoin.ClassicalMDS(3).fit(X)
    lazy = da.from_array(Y, chunks=(20, 5))
    for call in (
        lambda: model.compare(lazy),
        lambda: model.arc(lazy[0]),
        lambda: model.place(lazy, between=True),
        lambda: model.place(xarray.DataArray(Y).chunk(20)),
        lambda: model.fit(xarray.DataArray(X).chunk(20)),
        lambda: adjoin.ClassicalMDS(3).fit(da.from_array(X, chunks=(20, 5))),
        lambda: adjoin.Isomap().fit(dd.from_pandas(pd.DataFrame(X), npartitions=2)),
    ):
        with pytest.raises(TypeError, match="X|x: found a collection of Dask, expected"):
            call()


FITS = {
    "distances": (lambda: adjoin.ClassicalMDS(3, metric="precomputed"), lambda X: cdist(X, X)),
    "single precision": (lambda: adjoin.ClassicalMDS(3, metric="precomputed"), lambda X: cdist(X, X).astype(np.float32)),
    "squares": (lambda: adjoin.ClassicalMDS(3, metric="precomputed", kind="squared"), lambda X: cdist(X, X, "sqeuclidean")),
    "origin": (lambda: adjoin.ClassicalMDS(3, metric="precomputed", origin=5), lambda X: cdist(X, X)),
    "not Euclidean": (lambda: adjoin.ClassicalMDS(3, metric="precomputed"), lambda X: cdist(X, X, "cityblock")),
    "similarities": (lambda: adjoin.KernelPCA(3, kernel="precomputed"), lambda X: np.exp(-0.02 * cdist(X, X) ** 2)),
}


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("n", [120, 800])
def test_a_fit_by_blocks_is_the_fit_of_the_whole(name, n, rng):
    """Both solvers; blocks of unequal sizes, cut otherwise in rows and columns."""
    X, Y = rng.normal(size=(n, 6)) * np.arange(6, 0, -1), rng.normal(size=(9, 6))
    make, measure = FITS[name]
    D = measure(X)
    whole = make().fit(D)
    chunks = ((n // 3, n - n // 3 - 30, 30), (n // 2, n - n // 2))
    lazy = da.from_array(D, chunks=chunks)
    model = make().fit(lazy)
    scale = np.abs(whole.embedding_).max()
    assert np.allclose(model.embedding_, whole.embedding_, rtol=0, atol=1e-8 * scale)
    assert np.allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-9, atol=0)
    assert np.allclose(model.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-8)
    # They rest on further pairs that no fit waits for.
    residuals = whole.map_.old_residuals
    assert np.allclose(model.map_.old_residuals, residuals, rtol=0, atol=1e-3 * np.nanmax(np.abs(residuals)), equal_nan=True)
    new = measure(np.vstack([X, Y]))[n:, :n]
    expected = whole.place(new, "reconstruct" if name != "similarities" else "project")
    found = model.place(new, expected.strategy)
    assert np.allclose(found.coordinates, expected.coordinates, rtol=0, atol=1e-8 * scale)
    assert np.allclose(found.p, expected.p, equal_nan=True)
    assert not hasattr(model, "dissimilarity_matrix_") and model.n_features_in_ == n
    assert model.findings_ == whole.findings_


def test_names_and_faults_of_a_fit_by_blocks(rng):
    X = rng.normal(size=(60, 4))
    D = cdist(X, X)
    names = [f"o{i}" for i in range(60)]
    frame = dd.from_pandas(pd.DataFrame(D, names, names), npartitions=3, sort=False)
    model = adjoin.ClassicalMDS(metric="precomputed").fit(frame)
    assert model.object_names_ == names
    make = lambda: adjoin.ClassicalMDS(metric="precomputed")  # noqa: E731
    lazy = da.from_array(D, chunks=20)

    def with_entry(i, j, value):
        changed = D.copy()
        changed[i, j] = value
        return da.from_array(changed, chunks=20)

    def broken(block, block_id=None):
        if block_id == (1, 2):
            raise RuntimeError("the disk is gone")
        return block

    for call, error, message in (
        (lambda: make().fit(with_entry(3, 45, np.nan)), ValueError, "X: found NaN .a missing value. between object 3 and object 45"),
        (lambda: make().fit(with_entry(45, 3, -7.0)), ValueError, "found -7 between object 45 and object 3"),
        (lambda: make().fit(with_entry(33, 12, 99.0)), ValueError, "found 99 from object 33 to object 12|object 12 to object 33"),
        (lambda: make().fit(with_entry(7, 7, 1.0)), ValueError, "expected 0 from an object to itself"),
        (lambda: make().fit(lazy[:, :40]), ValueError, "X: found a collection of 60 × 40, expected a square"),
        (lambda: make().set_params(correction="lingoes").fit(lazy), ValueError, "correction: found 'lingoes'"),
        (lambda: make().set_params(n_components=60).fit(lazy ** 0.5), ValueError, "n_components|axes"),
        (lambda: make().fit(lazy.map_blocks(broken, dtype=float)), RuntimeError, "the disk is gone"),
        (lambda: adjoin.Isomap(metric="precomputed").fit(lazy), TypeError, "X: found a collection of Dask"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("landmarks", ["maxmin", "random", [3, 50, 12, 77, 20, 41, 8, 60, 33, 90]])
def test_landmarks_of_blocks(landmarks, rng):
    X = rng.normal(size=(150, 5))
    new = rng.normal(size=(8, 5))
    D = cdist(X, X)
    count = None if not isinstance(landmarks, str) else 12

    def make(**more):
        return adjoin.LandmarkMDS(3, n_landmarks=count, landmarks=landmarks, **more)

    whole = make(metric="precomputed").fit(D)
    model = make(metric="precomputed").fit(da.from_array(D, chunks=(40, 70)))
    assert model.landmarks_.tolist() == whole.landmarks_.tolist()
    assert np.allclose(model.embedding_, whole.embedding_, rtol=0, atol=1e-12)
    E = cdist(new, X[whole.landmarks_])
    assert np.allclose(model.transform(E), whole.transform(cdist(new, X)), rtol=0, atol=1e-12)
    lazy = da.from_array(X, chunks=(40, 2))
    if landmarks == "maxmin":
        with pytest.raises(ValueError, match="landmarks: found 'maxmin' for features of Dask"):
            make().fit(lazy)
        return
    whole, model = make(rotate=True).fit(X), make(rotate=True).fit(lazy)
    assert model.landmarks_.tolist() == whole.landmarks_.tolist()
    assert np.allclose(model.embedding_, whole.embedding_, rtol=0, atol=1e-12)
    assert np.array_equal(model.transform(new), whole.transform(new))
    if isinstance(landmarks, list):
        rectangle = da.from_array(D[:, landmarks], chunks=(40, 4))
        model = make(metric="precomputed").fit(rectangle)
        whole = make(metric="precomputed").fit(D[:, landmarks])
        assert np.allclose(model.embedding_, whole.embedding_, rtol=0, atol=1e-12)
        assert model.landmarks_.tolist() == whole.landmarks_.tolist() == landmarks
        E = cdist(new, X[landmarks])
        assert np.allclose(model.transform(E), whole.transform(E), rtol=0, atol=1e-12)
        for wrong in ([*landmarks[:-1], 150], [*landmarks[:-1], 3]):
            told = []
            for Z in (rectangle, D[:, landmarks]):
                with pytest.raises(ValueError, match="landmarks: found|X: found") as caught:
                    adjoin.LandmarkMDS(3, landmarks=wrong, metric="precomputed").fit(Z)
                told.append(str(caught.value))
            assert told[0] == told[1]


def test_names_of_rows_are_the_objects(rng):
    """The index of a table of Dask has the names of its objects, as that of pandas has."""
    X = rng.normal(size=(40, 4))
    D = cdist(X, X)
    names = [f"o{i}" for i in range(40)]
    which = [7, 3, 30, 12, 21]
    make = lambda: adjoin.LandmarkMDS(metric="precomputed", landmarks=which)  # noqa: E731
    rectangle = pd.DataFrame(D[:, which], names, [names[i] for i in which])
    lazily = lambda frame: dd.from_pandas(frame, npartitions=3, sort=False)  # noqa: E731
    whole, model = make().fit(rectangle), make().fit(lazily(rectangle))
    assert model.object_names_ == whole.object_names_ == names
    assert model.feature_names_in_.tolist() == whole.feature_names_in_.tolist() == list(rectangle.columns)
    E = pd.DataFrame(cdist(rng.normal(size=(3, 4)), X[which]), columns=rectangle.columns)
    assert np.allclose(model.place(E.iloc[:, ::-1]).coordinates, whole.place(E).coordinates, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="X: found a column 'o21' where landmarks has 'o7'"):
        make().fit(lazily(rectangle.iloc[:, ::-1]))
    counted = make().fit(dd.concat([lazily(pd.DataFrame(D[:20][:, which])), lazily(pd.DataFrame(D[20:][:, which]))]))
    assert counted.map_.count == 40
    features = pd.DataFrame(X, names, list("abcd"))
    whole = adjoin.LandmarkMDS(landmarks=which).fit(features)
    model = adjoin.LandmarkMDS(landmarks=which).fit(lazily(features))
    assert model.object_names_ == whole.object_names_ == names and model.feature_names_in_.tolist() == list("abcd")
    square = pd.DataFrame(D, names, names)
    for make in (lambda: adjoin.ClassicalMDS(metric="precomputed"), make):
        assert make().fit(lazily(square)).object_names_ == names
        assert make().fit(lazily(square.set_axis(range(40), axis=1))).object_names_ == names
        assert make().fit(lazily(square.set_axis(range(40), axis=0))).object_names_ == names
        with pytest.raises(ValueError, match="X: found a row 'o39' where the columns have 'o0', expected the rows"):
            make().fit(lazily(square.iloc[::-1]))


def test_columns_of_a_fit_by_blocks_are_looked_after(rng):
    X = rng.normal(size=(40, 4))
    names = [f"o{i}" for i in range(40)]
    square = pd.DataFrame(cdist(X, X), names, names)
    E = pd.DataFrame(cdist(rng.normal(size=(3, 4)), X), columns=names)
    features = pd.DataFrame(X, columns=list("abcd"))
    similar, near = (pd.DataFrame(np.exp(-frame.to_numpy()), frame.index, names) for frame in (square, E))
    for make, old, new in (
        (adjoin.ClassicalMDS(metric="precomputed"), square, E),
        (adjoin.KernelPCA(2, kernel="precomputed"), similar, near),
        (adjoin.LandmarkMDS(metric="precomputed", n_landmarks=10), square, E),
        (adjoin.LandmarkMDS(landmarks="random", n_landmarks=10), features, features[:3]),
    ):
        model = make.fit(dd.from_pandas(old, npartitions=3, sort=False))
        new = new[list(model.feature_names_in_)]
        assert np.array_equal(model.transform(new), model.place(new).coordinates)
        with pytest.raises(ValueError, match="same order"):
            model.transform(new.iloc[:, ::-1])
        model.fit(da.from_array(old.to_numpy(), chunks=(15, 2)))
        assert not hasattr(model, "feature_names_in_") and model.object_names_ is None


# Run by itself: two worker processes, one of which is killed in the middle. Prints what the test asserts.
KILLED = """
import os, pickle, signal, sys, threading, time
import numpy as np, dask, dask.array as da
from scipy.spatial.distance import cdist
import adjoin, adjoin.dask

def peak():
    import pandas, pyarrow, sklearn.metrics, adjoin.dask  # what a worker imports is not what the work takes
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

def slowly(block):
    time.sleep(0.05)
    return block

BLOCKS, ROWS = 40, 2500  # 8 MB each

def made(number):
    return np.random.default_rng(number).uniform(1, 3, size=(ROWS, 400))

def made_there(block_info=None):
    return made(block_info[None]["chunk-location"][0])

if __name__ == "__main__":
    from dask.distributed import Client, LocalCluster
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    model = adjoin.ClassicalMDS(3, metric="precomputed", strategy="reconstruct").fit(cdist(X, X))
    expected = np.concatenate([model.transform(made(number)) for number in range(BLOCKS)])
    lazy = da.map_blocks(made_there, chunks=((ROWS,) * BLOCKS, (400,)), dtype=float).map_blocks(slowly, dtype=float)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        before = client.run(peak)
        victim = next(iter(client.run(os.getpid).values()))
        future = client.compute(model.transform(lazy))
        time.sleep(0.6)
        undone = future.status == "pending"
        os.kill(victim, signal.SIGKILL)
        same = np.array_equal(future.result(timeout=60), expected)
        gone = victim not in client.run(os.getpid).values()
        risen = max(after - min(before.values()) for after in client.run(peak).values())

        # The same for a fit, some passes after it has begun.
        D = cdist(X, X)
        whole = adjoin.ClassicalMDS(3, metric="precomputed", solver="iterative").fit(D)
        victim = next(iter(client.run(os.getpid).values()))
        passes = []

        class Bar:
            def __init__(self, total, desc):
                self.n = 0

            def update(self, steps):
                self.n += steps
                passes.append(self.n)
                if self.n >= 1 and not killed:
                    killed.append(victim)
                    os.kill(victim, signal.SIGKILL)

            def close(self):
                pass

        killed = []
        lazily = da.from_array(D, chunks=(100, 100)).map_blocks(slowly, dtype=float)
        fitted = adjoin.ClassicalMDS(3, metric="precomputed", solver="iterative", verbose=Bar).fit(lazily)
        near = np.allclose(fitted.embedding_, whole.embedding_, rtol=0, atol=1e-8 * np.abs(whole.embedding_).max())
        print(risen, file=sys.stderr)
        print(undone, gone, same, risen < 120e6, bool(killed), near)
"""


def test_a_killed_worker_changes_nothing(tmp_path):
    """Forty blocks in two processes: bits equal to the local run, and no worker ever holds more than a few blocks."""
    pytest.importorskip("distributed")
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=150)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.strip().endswith("True True True True True True"), run.stdout
