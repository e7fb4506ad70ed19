"""What is promised of single calls: missing features, newcomers without a place, answers as sequences, friendly words."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import adjoin

FAMILY = [
    adjoin.ClassicalMDS(),
    adjoin.ClassicalMDS(metric="seuclidean"),
    adjoin.KernelPCA(2, kernel="rbf"),
    adjoin.LandmarkMDS(),
    adjoin.Isomap(),
    adjoin.LaplacianEigenmaps(),
]


@pytest.mark.parametrize("model", FAMILY, ids=str)
def test_missing_features_are_refused(model, rng):
    """Also what hides beneath a mask, or is there in no library's sense: nothing is read through it."""
    X = rng.normal(size=(30, 4))
    hidden = X.copy()
    hidden[3, 2] = 1e6
    mask = hidden == 1e6
    holes = np.where(mask, np.nan, X)
    nullable = pd.DataFrame(holes).convert_dtypes().convert_dtypes(dtype_backend="numpy_nullable")
    nullable[2] = pd.array([None if np.isnan(v) else v for v in holes[:, 2]], dtype="Float64")
    tables = [
        np.ma.masked_array(hidden, mask=mask),
        holes,
        pd.DataFrame(holes),
        nullable,
        nullable.astype("double[pyarrow]"),
        pl.DataFrame(holes, schema=list("abcd")),
        pa.table({str(j): pa.array(holes[:, j], from_pandas=True) for j in range(4)}),
    ]
    model.fit(X)
    for table in tables:
        with pytest.raises(ValueError, match="NaN|missing"):
            type(model)(**model.get_params()).fit(table)
        with pytest.raises(ValueError, match="NaN|missing|names"):
            model.place(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match="NaN|missing"):
                model.transform(table)
    # A mask that hides nothing is none.
    same = type(model)(**model.get_params()).fit(np.ma.masked_array(X, mask=np.zeros_like(X, dtype=bool)))
    assert np.array_equal(same.embedding_, model.embedding_)


def test_what_is_not_there_is_a_missing_proximity(europe):
    model, new = europe
    holes = new.copy()
    holes.iloc[0, 2] = holes.iloc[1, 7] = np.nan
    expected = model.place(holes, "reconstruct")
    assert expected.known.tolist() == [17, 17, 18]
    nullable = holes.convert_dtypes()
    integers = holes.astype("Int64")
    tables = [nullable, integers, holes.astype("double[pyarrow]"), holes.astype(object).where(holes.notna(), None)]
    tables += [pl.from_pandas(nullable.reset_index()), pa.Table.from_pandas(nullable.reset_index())]
    for table in tables:
        placed = model.place(table, "reconstruct")
        assert placed.labels == expected.labels
        assert np.array_equal(placed.coordinates, expected.coordinates)
        assert placed.known.tolist() == [17, 17, 18]
    with pytest.raises(ValueError, match="X: found NaN .a missing value. between row 0 and \"Brussels\""):
        model.transform(nullable.rename_axis(None))


def test_one_newcomer_without_a_place_does_not_fail_the_others(cities):
    old = cities.iloc[1:19, 1:19]
    new = cities.iloc[[0, 19, 20], 1:19]
    model = adjoin.ClassicalMDS(metric="precomputed", strategy="augment").fit(old)
    with pytest.raises(ValueError, match="found 1 newcomers that augment cannot place, the first in row 0"):
        model.transform(new)
    placed = model.set_params(unplaced="nan").transform(new)
    assert np.isnan(placed[0]).all() and np.isfinite(placed[1:]).all()
    assert np.array_equal(placed, model.place(new).coordinates, equal_nan=True)
    with pytest.raises(ValueError, match="unplaced: found 'zero', expected 'raise' or 'nan'"):
        model.set_params(unplaced="zero").transform(new)
    with pytest.raises(ValueError, match="unplaced: found None"):
        adjoin.KernelPCA(unplaced=None).fit(old)


def test_grid_search_scores_every_strategy(rng):
    """City-block distances, where some newcomers have no place by some strategies: no fold is lost."""
    X = rng.normal(size=(60, 6))
    y = (X[:, 0] > 0).astype(int)
    D = cdist(X, X, "cityblock")
    from sklearn.impute import SimpleImputer

    model = make_pipeline(
        adjoin.ClassicalMDS(2, metric="precomputed", unplaced="nan"), SimpleImputer(), KNeighborsClassifier(5)
    )
    grid = {"classicalmds__strategy": ["project", "hyperplane", "augment"]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(D, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_fit_transform_has_a_row_for_each(rng):
    X = np.vstack([rng.normal(size=(20, 3)), rng.normal(size=(9, 3)) + 50])[rng.permutation(29)]
    outside = X[:, 0] > 20
    for model, Z in [
        (adjoin.Isomap(n_neighbors=4, disconnected="largest"), X),
        (adjoin.Isomap(n_neighbors=4, disconnected="largest", metric="precomputed"), cdist(X, X)),
        (adjoin.Isomap(n_neighbors=4, disconnected="largest", metric="canberra"), X),
        (adjoin.LaplacianEigenmaps(n_neighbors=4, disconnected="largest"), X),
    ]:
        rows = model.fit_transform(Z)
        assert rows.shape == (29, 2)
        left_out = np.ones(29, dtype=bool)
        left_out[model.kept_ if model.kept_ is not None else slice(None)] = False
        assert np.array_equal(np.isnan(rows).all(1), left_out)
        assert np.array_equal(rows[~left_out], model.embedding_)
        if model.metric != "canberra":
            assert np.array_equal(left_out, outside)
        frame = model.set_output(transform="pandas").fit_transform(pd.DataFrame(Z))
        assert frame.shape == (29, 2)
        model.set_output(transform="default")
        # Rows of the square that was fitted are newcomers like any other.
        assert np.allclose(model.transform(Z[~left_out][:5]), model.embedding_[:5])
        assert np.allclose(model.place(pd.DataFrame(Z)[~left_out][:5].set_axis(list("abcde"))).coordinates, model.embedding_[:5])


def test_placements_are_a_sequence(europe, cities):
    model, new = europe
    placed = model.place(new, "reconstruct")
    assert np.array_equal(np.asarray(placed), placed.coordinates)
    assert np.asarray(placed, dtype=np.float32).dtype == np.float32
    assert np.array_equal(np.add(placed, 0), placed.coordinates)
    assert [one.labels for one in placed] == [["Rome"], ["Stockholm"], ["Vienna"]]
    assert placed["Vienna"].labels == placed[-1].labels == placed[[False, False, True]].labels == ["Vienna"]
    some = placed[1:]
    assert some.labels == ["Stockholm", "Vienna"] == placed[["Stockholm", "Vienna"]].labels
    assert np.array_equal(some.coordinates, placed.coordinates[1:])
    assert np.array_equal(some.projections, placed.projections[1:])
    assert np.array_equal(some.arcs(5)[1].coordinates, placed.arcs(5)[2].coordinates)
    assert some.to_frame().equals(placed.to_frame().iloc[1:])
    assert repr(some) == "<Placements of 2 newcomers by reconstruct: 2 unique>"
    with pytest.raises(IndexError):
        placed[3]
    with pytest.raises(KeyError, match="Atlantis"):
        placed["Atlantis"]
    joint = model.place(cities, between=True)
    assert joint[0].certified is True and joint[0].jointly
    assert placed[:1].plot().texts


def test_alternatives_keep_their_newcomer():
    squares = np.array([[0, 100, 45, 45], [100, 0, 45, 45], [45, 45, 0, 64], [45, 45, 64, 0]], float)
    model = adjoin.ClassicalMDS(2, metric="precomputed", kind="squared").fit(squares)
    placed = model.place([[60, 60, 70, 80], [386, 386, 457, 457]], strategy="reconstruct")
    assert [i for i, _ in placed.alternatives] == [1]
    assert [i for i, _ in placed[1].alternatives] == [0] and placed[0].alternatives == []


def test_arrow_tables_out(europe):
    model, new = europe
    placed = model.place(new)
    table = placed.to_frame("pyarrow")
    assert table.column_names == ["label", *placed.to_frame().columns]
    assert table.column("label").to_pylist() == placed.labels
    assert str(pa.table(placed)) == str(table)
    assert pl.from_arrow(pa.table(placed)).columns == placed.to_frame("polars").columns


def test_remarks(europe):
    """Newcomers squared, or with few proximities; nothing on ordinary ones."""
    model, new = europe
    assert model.place(new).remarks_ == [] == model.compare(new).remarks_
    squared = model.place(new**2)
    assert len(squared.remarks_) >= 1
    few = new.copy()
    few.iloc[0, 5:] = np.nan
    assert any("Rome" in remark for remark in model.place(few).remarks_)
    assert model.compare(new**2).remarks_ == squared.remarks_ == squared[0].remarks_


def test_rounding_below_zero_is_zero(rng):
    """What `1 - cosine_similarity(X)` leaves on the diagonal and between equal objects: zero, with a finding or a remark."""
    from sklearn.metrics.pairwise import cosine_similarity

    X = rng.normal(size=(40, 6))
    D = 1 - cosine_similarity(X)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    plain = adjoin.ClassicalMDS(metric="precomputed").fit(D)
    assert plain.findings_ == []
    below = D.copy()
    np.fill_diagonal(below, -2.220446049250313e-16)
    model = adjoin.ClassicalMDS(metric="precomputed").fit(below)
    assert any("taken as zero" in finding for finding in model.findings_), model.findings_
    assert np.allclose(model.embedding_, plain.embedding_, rtol=0, atol=1e-12)
    new = D[:2].copy()
    new[0, 0] = -2.220446049250313e-16
    placed = model.place(new)
    assert any("below 0 by rounding" in remark for remark in placed.remarks_), placed.remarks_
    assert np.allclose(placed.coordinates, plain.embedding_[:2], rtol=0, atol=1e-12)
    # A number that rounding does not explain is refused.
    new[0, 0] = below[3, 5] = below[5, 3] = -1e-3
    with pytest.raises(ValueError, match="found -0.001 between row 0 and object 0|found -0.001"):
        model.place(new)
    with pytest.raises(ValueError, match="found -0.001"):
        adjoin.ClassicalMDS(metric="precomputed").fit(below)


def test_messages_count_as_numpy_does(europe, rng):
    """Rows of arrays by position from 0, everything that has a name by its name."""
    model, new = europe
    bad = new.copy()
    bad.iloc[1, 4] = -5.0
    with pytest.raises(ValueError, match='between row 1 and "Cherbourg"'):
        model.place(bad.to_numpy())
    with pytest.raises(ValueError, match='between "Stockholm" and "Cherbourg"'):
        model.place(bad)
    with pytest.raises(ValueError, match='between row 1 and "Cherbourg"'):
        model.transform(bad)
    D = cdist(*[rng.normal(size=(9, 2))] * 2)
    D[3, 5] = np.inf
    with pytest.raises(ValueError, match="between object 3 and object 5"):
        adjoin.ClassicalMDS(metric="precomputed").fit(D)
    with pytest.raises(ValueError, match='between "3" and "5"'):
        adjoin.ClassicalMDS(metric="precomputed").fit(pd.DataFrame(D))


def test_random_states(rng):
    X = rng.normal(size=(80, 3))
    fits = [adjoin.LandmarkMDS(n_landmarks=10, landmarks="random", random_state=None).fit(X) for _ in range(6)]
    assert len({tuple(model.landmarks_) for model in fits}) > 1
    for make in (np.random.RandomState, np.random.default_rng):
        one, two = (
            adjoin.LandmarkMDS(n_landmarks=10, landmarks="random", random_state=make(3)).fit(X) for _ in range(2)
        )
        assert np.array_equal(one.landmarks_, two.landmarks_)
    with pytest.raises(ValueError, match="random_state: found 'x', expected None, an integer of at least 0"):
        adjoin.LandmarkMDS(random_state="x").fit(X)


def test_an_unknown_kernel_is_answered_with_those_there_are(rng):
    with pytest.raises(ValueError, match="kernel: found 'gauss', expected one of .*rbf.*tanimoto.*minmax.*precomputed"):
        adjoin.KernelPCA(kernel="gauss").fit(rng.normal(size=(9, 3)))


BARE = """
import sys
for library in sys.argv[1:]:
    sys.modules[library] = None
import numpy as np, adjoin
model = adjoin.ClassicalMDS().fit(np.random.default_rng(0).normal(size=(20, 3)))
placed = model.place(np.ones((2, 3)))
model.transform(np.ones((2, 3)))
assert len(placed) == 2 and "<table>" in placed._repr_html_()
for call in (adjoin.datasets.eurodist, placed.to_frame, lambda: placed.to_frame("polars"), lambda: placed.to_frame("pyarrow"), placed.plot):
    try:
        call()
    except ImportError as error:
        print(error)
"""


def test_without_the_libraries_that_only_some_calls_need():
    libraries = ["pandas", "polars", "pyarrow", "matplotlib", "matplotlib.pyplot", "xarray", "dask"]
    run = subprocess.run([sys.executable, "-c", BARE, *libraries], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "eurodist: found no pandas, expected it to be installed (pip install 'adjoin[frames]')",
        "library: found no pandas, expected it to be installed (pip install 'adjoin[frames]')",
        "library: found no polars, expected it to be installed (pip install 'polars')",
        "library: found no pyarrow, expected it to be installed (pip install 'pyarrow')",
        "plot: found no matplotlib, expected it to be installed (pip install 'adjoin[plot]')",
    ]


LOADED = """
import sys, numpy as np
import sklearn.base, sklearn.metrics, sklearn.utils.validation
before = set(sys.modules)
import adjoin
adjoin.ClassicalMDS().fit(np.eye(5)).place(np.eye(5))
print([name for name in ("pandas", "polars", "pyarrow", "xarray", "dask") if name in set(sys.modules) - before])
"""


def test_nothing_is_imported_that_is_not_asked_for():
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr
