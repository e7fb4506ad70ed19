"""The map as a value: frozen, hashable, picklable as its own bytes; estimators that travel light; how many threads are meant."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import adjoin


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(11)
    return rng.normal(size=(60, 6)), rng.normal(size=(9, 6))


FITTED = {
    "precomputed": lambda X: adjoin.ClassicalMDS(3, metric="precomputed").fit(cdist(X, X)),
    "features": lambda X: adjoin.ClassicalMDS(3).fit(X),
    "SciPy's metric": lambda X: adjoin.ClassicalMDS(3, metric="seuclidean").fit(X),
    "kernel": lambda X: adjoin.KernelPCA(3, kernel="rbf").fit(X),
    "similarities": lambda X: adjoin.KernelPCA(3, kernel="precomputed").fit(np.exp(-0.1 * cdist(X, X) ** 2)),
    "landmarks": lambda X: adjoin.LandmarkMDS(3, n_landmarks=20).fit(X),
    "Isomap": lambda X: adjoin.Isomap(n_components=3).fit(X),
    "Laplacian": lambda X: adjoin.LaplacianEigenmaps(3).fit(X),
}


def arriving(model, X, Y):
    if not model._precomputed:
        return Y
    D = cdist(Y, X)
    return np.exp(-0.1 * D**2) if model._old_kind == "similarity" else D


@pytest.mark.parametrize("name", FITTED)
def test_a_map_is_a_value(name, clouds, tmp_path):
    X, Y = clouds
    model = FITTED[name](X)
    map_ = model.map_
    assert isinstance(map_, adjoin.Map) and len(map_.digest) == 64
    again = pickle.loads(pickle.dumps(map_))
    assert again == map_ and hash(again) == hash(map_) and {map_: 1}[again] == 1
    other = FITTED[name](X[::-1].copy()).map_
    assert other != map_ and map_ != "a map"
    with pytest.raises(AttributeError):
        map_.digest = "another"
    map_.save(tmp_path / "map.adjoin")
    assert adjoin.Map.load(tmp_path / "map.adjoin") == map_
    data = (tmp_path / "map.adjoin").read_bytes()
    assert adjoin.Map(data) == map_ and adjoin.load(data).map_ == map_
    # Pickled as its own bytes.
    assert len(pickle.dumps(map_)) < len(data) + 100
    if model._precomputed or map_.has_source:
        new = arriving(model, X, Y)
        for one in (map_, again):
            assert np.array_equal(one.transform(new), model.transform(new))
            placed = one.place(new, "project")
            assert np.array_equal(placed.coordinates, model.place(new, "project").coordinates)


def test_a_map_places_as_it_was_told(clouds, tmp_path):
    X, Y = clouds
    model = adjoin.ClassicalMDS(3, metric="precomputed", strategy="reconstruct").fit(cdist(X, X))
    model.save(tmp_path / "map.adjoin")
    told = adjoin.Map.load(tmp_path / "map.adjoin")
    assert told.place(cdist(Y, X)).strategy == "reconstruct"
    assert told.place(cdist(Y, X), "augment").strategy == "augment"
    estimator = told.to_estimator(n_jobs=1, unplaced="nan")
    assert (estimator.strategy, estimator.n_jobs, estimator.unplaced) == ("reconstruct", 1, "nan")
    with pytest.raises(ValueError, match="Invalid parameter"):
        told.to_estimator(colour="red")


def test_a_damaged_or_newer_map_is_refused(clouds):
    X, _ = clouds
    data = adjoin.ClassicalMDS(3).fit(X).map_.__getnewargs__()[0]
    for wrong in (data[:-8], data[:200] + b"x" + data[201:], b""):
        with pytest.raises(ValueError):
            adjoin.Map(wrong)
        with pytest.raises(ValueError):
            adjoin.load(wrong)


@pytest.mark.parametrize("name", FITTED)
def test_a_pickled_estimator_is_its_map(name, clouds):
    """Without n × n matrices and without what the map has already, it gives the same answers."""
    X, Y = clouds
    model = FITTED[name](X)
    new = arriving(model, X, Y)
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other.map_ == model.map_
        assert np.array_equal(other.embedding_, model.embedding_)
        assert np.array_equal(other.eigenvalues_, model.eigenvalues_)
        assert other.findings_ == model.findings_ and other.object_names_ == model.object_names_
        assert np.array_equal(other.transform(new), model.transform(new))
        assert repr(other) == repr(model) and clone(other).get_params() == clone(model).get_params()
    matrices = [v for v in vars(pickle.loads(pickle.dumps(model))).values() if np.shape(v) == (60, 60)]
    assert not matrices


def test_pickles_are_small():
    """Under 1.5 MB for 2000 objects on three axes, where the matrix has 32 MB."""
    X = np.random.default_rng(0).normal(size=(2000, 3))
    D = cdist(X, X)
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(D)
    assert len(pickle.dumps(model)) < 1.5e6
    names = [f"object {i}" for i in range(2000)]
    named = adjoin.ClassicalMDS(3, metric="precomputed").fit(pd.DataFrame(D, names, names))
    assert len(pickle.dumps(named)) < 1.5e6
    assert model.dissimilarity_matrix_ is D
    kept = pickle.dumps(model.set_params(keep_matrix=True))
    assert len(kept) > D.nbytes
    assert np.array_equal(pickle.loads(kept).dissimilarity_matrix_, D)


COUNTED = """
import adjoin._run, os, sys
print([adjoin._run.threads(eval(word)) for word in sys.argv[1:]])
"""


@pytest.mark.parametrize("granted, cores, expected", [
    (None, "all", ["all", 1, 3, "all"]),
    ("1", "all", [1, 1, 3, "all"]),
    ("2,1", "all", ["two", 1, 3, "all"]),
    ("64", "all", ["all", 1, 3, "all"]),
    ("many", "all", ["all", 1, 3, "all"]),
    ("64", "one", [1, 1, 3, 1]),
])
def test_threads_that_are_meant(granted, cores, expected):
    """None is the cores of this process and no more than OMP_NUM_THREADS; a number is that number."""
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    if granted is not None:
        environment["OMP_NUM_THREADS"] = granted
    everything = sorted(os.sched_getaffinity(0))
    pin = everything[:1] if cores == "one" else everything
    run = subprocess.run(
        [sys.executable, "-c", COUNTED, "None", "1", "3", "-1"],
        capture_output=True, text=True, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, pin),
    )
    assert run.returncode == 0, run.stderr
    from adjoin._run import cores as there_are

    there = there_are() if cores == "all" else 1
    meaning = {"all": there, "two": min(2, there)}
    assert run.stdout.strip() == str([meaning.get(value, value) for value in expected])
    for wrong in (0, 1.5, "2"):
        with pytest.raises(ValueError, match="n_jobs: found"):
            adjoin.ClassicalMDS(n_jobs=wrong).fit(np.eye(5))


# Run by itself: the most threads that the process had while each piece of work was done, less those it had before.
ALONE = """
import os, sys, threading, time, numpy as np, adjoin
from scipy.spatial.distance import cdist

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(900, 8)), rng.normal(size=(600, 8))
D, E = cdist(X, X), cdist(Y, X)
holes = np.where(rng.uniform(size=E.shape) < 0.2, np.nan, E)
model = adjoin.ClassicalMDS(4, metric="precomputed", n_jobs=1).fit(D)
work = {
    "fit": lambda: adjoin.ClassicalMDS(4, metric="precomputed", n_jobs=1).fit(D),
    "dense": lambda: adjoin.ClassicalMDS(4, metric="precomputed", solver="dense", n_jobs=1).fit(D),
    "holes": lambda: model.place(holes),
    "weights": lambda: model.place(E, weights=np.linspace(1, 2, 900)),
    "leave one out": lambda: model.leave_one_out("reconstruct"),
    "jointly": lambda: model.place(E[:150], between=cdist(Y[:150], Y[:150])),
    "stress": lambda: model.place(E[:100], "stress"),
    "features": lambda: adjoin.ClassicalMDS(4, n_jobs=1).fit(X).place(Y),
    "Isomap": lambda: adjoin.Isomap(n_jobs=1).fit(X[:400]).transform(Y[:50]),
    "uncertainty": lambda: model.place(E[:100], uncertainty="axes", neighbours=3),
    "evaluate": lambda: adjoin.ClassicalMDS(4, metric="precomputed", n_jobs=1).fit(D[:200, :200]).evaluate(D[:200, :200], folds=3),
}
count = lambda: len(os.listdir("/proc/self/task"))
most, over = 0, False

def watch():
    global most
    while not over:
        most = max(most, count())
        time.sleep(0.0005)

watcher = threading.Thread(target=watch)
watcher.start()
for name, call in work.items():
    time.sleep(0.05)
    before = count()
    most = before
    call()
    print(name, most - before)
over = True
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_one_thread_is_one_thread():
    """In every path: a worker, beside the caller who waits for it, and nobody else; never two of them, one after the other."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stderr
    found = dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())
    assert len(found) == 11 and all(int(more) <= 1 for more in found.values()), found
