"""Whatever changes an answer is kept: by files, by pickle, by clone; with every parameter that is not a default."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import adjoin

ESTIMATORS = [
    adjoin.ClassicalMDS,
    adjoin.KernelPCA,
    adjoin.LandmarkMDS,
    adjoin.Isomap,
    adjoin.LaplacianEigenmaps,
]

# For every parameter values other than its default, with what they need beside them.
VALUES = {
    "n_components": [3, "auto"],
    "metric": ["cityblock", "sqeuclidean", "cosine", "seuclidean", "precomputed"],
    "metric_params": [dict(metric="minkowski", metric_params={"p": 3}), dict(metric_params={"w": np.arange(1.0, 14.0)})],
    "kind": [
        dict(metric="sqeuclidean", kind="squared"),
        dict(metric="precomputed", kind="squared"),
        dict(metric="precomputed", kind="similarity"),
    ],
    "strategy": ["reconstruct", "hyperplane", "augment", "stress"],
    "unplaced": ["nan"],
    "training": ["leave_one_out"],
    "origin": [7, np.eye(60)[4], np.full(60, 1 / 60)],
    "correction": ["lingoes", "cailliez"],
    "solver": ["dense", "iterative"],
    "keep_matrix": [True],
    "n_jobs": [1],
    "verbose": [False],
    "kernel": ["rbf", "laplacian", "poly", "sigmoid", "tanimoto", "chi2", "precomputed"],
    "gamma": [0.3],
    "degree": [dict(kernel="poly", degree=2)],
    "coef0": [dict(kernel="poly", coef0=2.0)],
    "kernel_params": [dict(kernel="chi2", kernel_params={"gamma": 0.5})],
    "n_landmarks": [25],
    "landmarks": [dict(landmarks="random", n_landmarks=25), dict(landmarks=list(range(0, 60, 2)))],
    "rotate": [dict(rotate=True, n_landmarks=25)],
    "random_state": [dict(random_state=3, n_landmarks=25)],
    "n_neighbors": [9],
    "radius": [dict(n_neighbors=None, radius=6.0)],
    "p": [1, 3],
    "disconnected": ["largest", "join", "refuse"],
    "affinity": ["nearest_neighbors", "precomputed"],
    "alpha": [0.5],
    "time": [0, 2.0],
    "diagonal": [False],
}


# What some estimators refuse: stress is about distances, neighbours are the nearest, and these centre anew.
NOT_OFFERED = {
    "stress": (adjoin.KernelPCA, adjoin.LaplacianEigenmaps),
    "hyperplane": (adjoin.LaplacianEigenmaps,),
    "augment": (adjoin.LaplacianEigenmaps,),
    "similarity": (adjoin.Isomap,),
}


def cases():
    for estimator in ESTIMATORS:
        yield pytest.param(estimator, {}, id=f"{estimator.__name__}, defaults")
        for name in inspect.signature(estimator).parameters:
            for value in VALUES[name]:
                given = dict(value) if isinstance(value, dict) else {name: value}
                if name == "disconnected" and estimator is adjoin.LaplacianEigenmaps:
                    given["n_neighbors"] = 8
                if name == "gamma" and estimator is adjoin.KernelPCA:
                    given["kernel"] = "rbf"
                if estimator is adjoin.LaplacianEigenmaps and name == "metric" and value in ("seuclidean", "precomputed"):
                    continue
                if estimator in NOT_OFFERED.get(value if isinstance(value, str) else given.get("kind"), ()):
                    continue
                shown = ", ".join(f"{key}={v}"[:30] for key, v in given.items())
                yield pytest.param(estimator, given, id=f"{estimator.__name__}, {shown}")


@pytest.fixture(scope="module")
def wine():
    X = StandardScaler().fit_transform(load_wine().data)
    X = X - X.min(0) + 0.1
    return X[::3], X[1::3][:12]


def prepared(model, old, new):
    """What the model is fitted to, and its newcomers: features, or proximities if they are precomputed."""
    if not model._precomputed:
        return old, new
    D, E = cdist(old, old), cdist(new, old)
    if model._old_kind == "similarity":
        return np.exp(-0.1 * D**2), np.exp(-0.1 * E**2)
    return (D**2, E**2) if model._old_kind == "squared" else (D, E)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("estimator, given", list(cases()))
def test_answers_are_kept(estimator, given, wine, tmp_path):
    old, new = wine
    given = {"n_components": 2, **given}
    model = estimator(**given)
    X, Y = prepared(model, old, new)
    model.fit(X)
    # Only proximities are left of a measure that adjoin does not have.
    foreign = not model._precomputed and not model.map_.has_source
    newcomers, own = model._compared(Y) if foreign else (Y, None)
    model.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    assert type(loaded) is type(model)
    for other, Z in ((loaded, newcomers), (pickle.loads(pickle.dumps(model)), Y)):
        assert np.array_equal(other.transform(Z), model.transform(Y), equal_nan=True)
        for strategy in (None, "project"):
            beside = {} if Z is Y else dict(self_similarity=own)
            ours, theirs = other.place(Z, strategy, **beside), model.place(Y, strategy)
            assert ours.strategy == theirs.strategy
            assert np.array_equal(ours.coordinates, theirs.coordinates, equal_nan=True)
            assert np.array_equal(ours.residual, theirs.residual, equal_nan=True)
        assert other.unplaced == model.unplaced
        assert np.array_equal(other.embedding_, model.embedding_)
    again = clone(model).fit(X)
    assert np.array_equal(again.embedding_, model.embedding_)
    if not foreign:
        # By as many threads: a fit has the same bits only then.
        refitted = clone(loaded).set_params(n_jobs=model.n_jobs).fit(X)
        assert np.array_equal(refitted.embedding_, model.embedding_)
        for name, value in model.get_params().items():
            if name not in ("n_jobs", "verbose", "keep_matrix"):
                assert np.array_equal(getattr(loaded, name), value), name
    loaded.save(tmp_path / "again.adjoin")
    assert (tmp_path / "again.adjoin").read_bytes() == (tmp_path / "map.adjoin").read_bytes()


def test_every_parameter_is_tried():
    for estimator in ESTIMATORS:
        assert set(inspect.signature(estimator).parameters) <= set(VALUES)
    estimators = {name for name in adjoin.__all__ if hasattr(getattr(adjoin, name), "get_params")}
    assert estimators == {estimator.__name__ for estimator in ESTIMATORS} | {"GivenMap"}
    tried = {name for given in GIVEN for name in given}
    assert tried == set(inspect.signature(adjoin.GivenMap).parameters)


# Every parameter of a GivenMap, with what it needs beside it.
GIVEN = [
    *({"link": link} for link in ("monotone", "linear", "none")),
    {"link": "ratio", "force": True},
    *({"link": "none", "strategy": strategy} for strategy in ("reconstruct", "hyperplane", "augment", "stress")),
    {"metric": "cityblock"},
    {"metric": "minkowski", "metric_params": {"p": 3}},
    {"kind": "squared"},
    {"link": "none", "rescale": True},
    {"unplaced": "nan"},
    {"training": "leave_one_out"},
    {"n_jobs": 1},
    {"verbose": False},
]


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_answers_of_given_maps_are_kept(given, wine, tmp_path):
    old, new = wine
    model = adjoin.GivenMap(**given)
    X, Y = prepared(model, old, new)
    xy = adjoin.ClassicalMDS(2).fit(old).embedding_ * (10.0 if given.get("rescale") else 1.0)
    model.fit(X, configuration=xy)
    model.save(tmp_path / "map.adjoin")
    for other in (adjoin.load(tmp_path / "map.adjoin"), pickle.loads(pickle.dumps(model))):
        assert type(other) is adjoin.GivenMap
        assert same_or_nan(other.transform(Y), model.transform(Y))
        ours, theirs = other.place(Y), model.place(Y)
        assert ours.strategy == theirs.strategy
        for field in ("coordinates", "residual", "objective"):
            assert same_or_nan(getattr(ours, field), getattr(theirs, field)), field
        assert np.array_equal(other.embedding_, model.embedding_)
        for name, value in model.get_params().items():
            if name not in ("n_jobs", "verbose", "force", "rescale"):
                assert np.array_equal(getattr(other, name), value), name
        # The map is on its scale, and its link was looked at: a refit to the map itself is the same map.
        again = clone(other).set_params(force=model.link != "none").fit(X, configuration=model.embedding_)
        assert np.allclose(again.transform(Y), model.transform(Y), rtol=0, atol=1e-9 * np.abs(xy).max(), equal_nan=True)


def same_or_nan(one, other):
    return np.array_equal(one, other, equal_nan=True)


def test_parameters_that_are_set_after_the_fit_are_kept(wine, tmp_path):
    old, new = wine
    model = adjoin.ClassicalMDS().fit(old).set_params(strategy="reconstruct")
    model.save(tmp_path / "map.adjoin")
    assert np.array_equal(adjoin.load(tmp_path / "map.adjoin").transform(new), model.transform(new))
    model.set_params(strategy="project").save(tmp_path / "map.adjoin")
    assert adjoin.load(tmp_path / "map.adjoin").strategy == "project"


def test_an_origin_by_name_is_kept(wine, tmp_path):
    old, new = wine
    frame = pd.DataFrame(old, [f"w{i}" for i in range(60)])
    weights = pd.Series(np.eye(60)[9], index=frame.index)[::-1]
    for origin in ("w9", weights):
        model = adjoin.ClassicalMDS(origin=origin).fit(frame)
        model.save(tmp_path / "map.adjoin")
        loaded = adjoin.load(tmp_path / "map.adjoin")
        assert np.array_equal(loaded.transform(new), model.transform(new))
        assert np.array_equal(clone(loaded).fit(frame).embedding_, model.embedding_)


def test_features_of_an_earlier_fit_are_gone(wine):
    old, new = wine
    model = adjoin.ClassicalMDS().fit(old)
    model.set_params(metric="precomputed").fit(cdist(old, old))
    assert not hasattr(model, "X_fit_")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_batches_change_no_bit(estimator, wine):
    """However newcomers are split, by transform and by place, with holes and without."""
    old, new = wine
    model = estimator(n_components=2).fit(old)
    for strategy in ("project", "reconstruct"):
        whole = model.place(new, strategy).coordinates
        parts = [model.place(new[i:j], strategy).coordinates for i, j in ((0, 1), (1, 5), (5, 12))]
        assert np.array_equal(np.vstack(parts), whole)
        assert np.array_equal(model.set_params(strategy=strategy).transform(new), whole)


def test_a_kind_that_contradicts_the_metric_is_refused(wine):
    old, new = wine
    for estimator in (adjoin.ClassicalMDS, adjoin.LandmarkMDS, adjoin.Isomap):
        for metric, kind, expected in (
            ("euclidean", "squared", "dissimilarity"),
            ("cityblock", "squared", "dissimilarity"),
            ("sqeuclidean", "dissimilarity", "squared"),
        ):
            with pytest.raises(ValueError, match=f"kind: found '{kind}' with metric='{metric}', expected '{expected}'"):
                estimator(metric=metric, kind=kind).fit(old)
        with pytest.raises(ValueError, match="kind: found 'similarity' with metric="):
            estimator(metric="euclidean", kind="similarity").fit(old)
        # Squared Euclidean distances are known to be squared: the same map.
        plain, squared = (estimator(metric=metric).fit(old) for metric in ("euclidean", "sqeuclidean"))
        scale = np.abs(plain.embedding_).max()
        assert np.allclose(squared.embedding_, plain.embedding_, rtol=0, atol=1e-9 * scale)
        assert np.allclose(squared.transform(new), plain.transform(new), rtol=0, atol=1e-9 * scale)
        assert np.array_equal(estimator(metric="sqeuclidean", kind="squared").fit(old).embedding_, squared.embedding_)


def test_kinds_swapped_are_another_map(wine):
    """The kind is used: the same numbers as distances, as squares and as similarities are three maps."""
    old, _ = wine
    K = np.exp(-0.1 * cdist(old, old) ** 2)
    D = cdist(old, old)
    maps = [adjoin.ClassicalMDS(metric="precomputed", kind=kind).fit(D).embedding_ for kind in ("dissimilarity", "squared")]
    assert not np.allclose(maps[0], maps[1])
    assert adjoin.ClassicalMDS(metric="precomputed", kind="similarity").fit(K).map_.kind == "similarity"
    with pytest.raises(ValueError, match="expected 0 from an object to itself"):
        adjoin.ClassicalMDS(metric="precomputed").fit(K)


def test_distances_taken_as_features_are_warned_of(wine):
    old, _ = wine
    D = cdist(old, old)
    for estimator in (adjoin.ClassicalMDS, adjoin.LandmarkMDS, adjoin.Isomap):
        with pytest.warns(UserWarning, match='if it holds distances, say metric="precomputed"'):
            estimator().fit(D)
