"""The estimator is one of scikit-learn's, in every way that scikit-learn can check."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import adjoin


@pytest.mark.parametrize("metric", ["precomputed", "euclidean", "cityblock"])
@pytest.mark.filterwarnings("ignore")
def test_check_estimator_passes_without_expected_failures(metric):
    results = check_estimator(adjoin.ClassicalMDS(metric=metric), on_skip=None, on_fail=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] in ("failed", "xfail")]
    assert failed == []
    passed = {r["check_name"] for r in results if r["status"] == "passed"}
    assert len(passed) > 40
    if metric == "precomputed":
        assert "check_fit_non_negative" in passed


@pytest.mark.filterwarnings("ignore")
def test_check_estimator_passes_for_squared_dissimilarities():
    model = adjoin.ClassicalMDS(metric="precomputed", kind="squared")
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []


def test_parameters_begin_as_scikit_learns():
    """A drop-in superset: the same names, defaults and order."""
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no ClassicalMDS")
    import inspect

    theirs = list(inspect.signature(manifold.ClassicalMDS).parameters.values())
    ours = list(inspect.signature(adjoin.ClassicalMDS).parameters.values())
    assert ours[: len(theirs)] == theirs
    X = load_iris().data
    fitted = {a for a in vars(manifold.ClassicalMDS().fit(X)) if a.endswith("_")}
    assert fitted <= set(vars(adjoin.ClassicalMDS().fit(X)))


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X, cdist(X, X), y


def pipeline(**parameters):
    return make_pipeline(adjoin.ClassicalMDS(**parameters), KNeighborsClassifier(5))


def test_cross_validation_slices_rows_and_columns(wine):
    """A precomputed matrix is split in both directions: the same scores as from the features."""
    X, D, y = wine
    from_features = cross_val_score(pipeline(n_components=3), X, y)
    precomputed = cross_val_score(pipeline(n_components=3, metric="precomputed"), D, y)
    assert np.array_equal(from_features, precomputed)
    assert precomputed.mean() > 0.9


def test_grid_search_over_components_and_strategy(wine):
    _, D, y = wine
    grid = {
        "classicalmds__n_components": [1, 2, 3],
        "classicalmds__strategy": ["project", "reconstruct"],
    }
    search = GridSearchCV(pipeline(metric="precomputed"), grid, cv=3, error_score="raise").fit(D, y)
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 6
    assert search.predict(D[:4]).shape == (4,)


def test_grid_search_in_processes(wine):
    _, D, y = wine
    model = pipeline(metric="precomputed", n_jobs=1)
    search = GridSearchCV(model, {"classicalmds__n_components": [1, 2]}, cv=3, n_jobs=2)
    assert search.fit(D, y).best_score_ > 0.8


def test_clone_and_pickle(europe):
    model, new = europe
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(new), model.transform(new))
    with pytest.raises(NotFittedError):
        clone(model).transform(new)
    placed = model.place(new, strategy="reconstruct")
    back = pickle.loads(pickle.dumps(placed))
    assert np.array_equal(back.coordinates, placed.coordinates)
    assert np.array_equal(back.projections, placed.projections)


@pytest.mark.parametrize("call", ["transform", "place", "arc", "compare"])
def test_unfitted_use(call):
    with pytest.raises(NotFittedError):
        getattr(adjoin.ClassicalMDS(), call)(np.zeros((2, 2)))
    with pytest.raises(NotFittedError):
        adjoin.ClassicalMDS().save("nowhere")
    with pytest.raises(NotFittedError):
        adjoin.ClassicalMDS().plot()


def test_output_as_frames(europe):
    model, new = europe
    assert model.get_feature_names_out().tolist() == ["classicalmds0", "classicalmds1"]
    out = clone(model).set_output(transform="pandas").fit(model.dissimilarity_matrix_)
    frame = out.transform(new.to_numpy())
    assert isinstance(frame, pd.DataFrame)
    named = adjoin.ClassicalMDS(metric="precomputed").set_output(transform="pandas")
    frame = named.fit(pd.DataFrame(model.dissimilarity_matrix_, model.object_names_, model.object_names_)).transform(new)
    assert frame.index.tolist() == ["Rome", "Stockholm", "Vienna"]
    assert frame.columns.tolist() == ["classicalmds0", "classicalmds1"]
    out = clone(model).set_output(transform="polars").fit(model.dissimilarity_matrix_)
    assert isinstance(out.transform(new.to_numpy()), pl.DataFrame)


def test_transform_is_row_by_row(split):
    """Any batch gives the same bits."""
    _, _, D, D_new = split
    for strategy in ("project", "reconstruct", "stress"):
        model = adjoin.ClassicalMDS(metric="precomputed", strategy=strategy, n_jobs=2).fit(D)
        whole = model.transform(D_new[:12])
        one_by_one = np.vstack([model.transform(row[None, :]) for row in D_new[:12]])
        assert np.array_equal(whole, one_by_one)
        assert np.array_equal(whole, model.set_params(n_jobs=1).transform(D_new[:12]))
        assert np.array_equal(whole, model.place(D_new[:12]).coordinates)


def test_transform_raises_where_place_gives_a_status(cities):
    """Athens is nearer to some cities than any point could be: augment does not apply."""
    model = adjoin.ClassicalMDS(metric="precomputed", strategy="augment").fit(cities.iloc[1:, 1:])
    athens = cities.iloc[:1, 1:]
    placed = model.place(athens)
    assert placed.status.tolist() == ["not_applicable"] and np.isnan(placed.coordinates).all()
    assert not placed.placed.any()
    with pytest.raises(ValueError, match="not_applicable"):
        model.transform(athens)
