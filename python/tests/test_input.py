"""What may come in: any layout, labels by name, missing values; and one wrong thing at a time."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import adjoin


@pytest.fixture
def arrays(cities):
    D = cities.to_numpy()
    return D[:18, :18].copy(), D[18:, :18].copy(), D[18:, 18:].copy()


def fitted(D, **parameters):
    return adjoin.ClassicalMDS(metric="precomputed", **parameters).fit(D)


def layouts(A, tmp_path):
    """The same numbers in every layout that NumPy knows."""
    wide = np.full((2 * A.shape[0], 3 * A.shape[1]), np.nan)
    wide[::2, ::3] = A
    backwards = np.ascontiguousarray(A[::-1, ::-1])
    np.save(tmp_path / "a.npy", A)
    read_only = A.copy()
    read_only.flags.writeable = False
    packed = np.zeros(A.shape, dtype=[("flag", "i1"), ("value", "f8")])
    packed["value"] = A
    return {
        "C": np.ascontiguousarray(A),
        "Fortran": np.asfortranarray(A),
        "strided": wide[::2, ::3],
        "backwards": backwards[::-1, ::-1],
        "read-only": read_only,
        "memory-mapped": np.load(tmp_path / "a.npy", mmap_mode="r"),
        "other byte order": A.astype(A.dtype.newbyteorder()),
        "not aligned": packed["value"],
        "integers": A.astype(int),
        "list": A.tolist(),
    }


def test_any_layout_is_right(arrays, tmp_path):
    """Cities are whole kilometres, so that no layout or number type loses anything."""
    D, new, _ = arrays
    model = fitted(D)
    expected = model.place(new, "reconstruct").coordinates
    tolerance = 1e-11 * np.abs(expected).max()
    for name, A in layouts(new, tmp_path).items():
        for placed in (model.place(A, "reconstruct").coordinates, model.set_params(strategy="reconstruct").transform(A)):
            assert np.allclose(placed, expected, rtol=0, atol=tolerance), name
    for name, A in layouts(D, tmp_path).items():
        assert np.allclose(fitted(A).embedding_, model.embedding_, rtol=0, atol=tolerance), name
    single = fitted(D.astype(np.float32)).place(new.astype(np.float32), "reconstruct")
    assert np.allclose(single.coordinates, expected, rtol=0, atol=tolerance)


def test_the_matrix_is_referred_to_not_copied(arrays):
    D, _, _ = arrays
    assert fitted(D).dissimilarity_matrix_ is D
    single = D.astype(np.float32)
    assert fitted(single).dissimilarity_matrix_ is single
    frame = pd.DataFrame(D)
    assert np.shares_memory(fitted(frame).dissimilarity_matrix_, frame.to_numpy())


def test_columns_are_matched_by_name(europe, cities):
    model, new = europe
    expected = model.place(new)
    shuffled = model.place(new.iloc[:, ::-1])
    assert np.array_equal(shuffled.coordinates, expected.coordinates)
    assert shuffled.labels == expected.labels == ["Rome", "Stockholm", "Vienna"]
    square = model.place(cities.iloc[::-1])
    assert square.labels == expected.labels[::-1]
    assert np.array_equal(square.coordinates, expected.coordinates[::-1])
    table = pl.from_pandas(new.iloc[:, ::-1], include_index=True)
    assert np.array_equal(model.place(table).coordinates, expected.coordinates)
    assert model.place(table).labels == expected.labels
    unnamed = model.place(table.drop(table.columns[0]))
    assert unnamed.labels == ["new1", "new2", "new3"]
    assert np.array_equal(unnamed.coordinates, expected.coordinates)


def test_who_is_on_the_map_is_no_newcomer(europe, cities):
    """The rules of files hold in the map's own order too: names are used or refused, never ignored."""
    model, new = europe
    with pytest.raises(ValueError, match="X: found 18 rows, all of them on the map already"):
        model.place(cities.iloc[:18, :18])
    with pytest.raises(ValueError, match='X: found the row label "Rome" twice'):
        model.place(pd.concat([new, new]))
    renamed = model.place(cities, labels=["a", "b", "c"])
    assert renamed.labels == ["a", "b", "c"]
    assert np.array_equal(renamed.coordinates, model.place(new).coordinates)


def test_features_by_name_for_metrics_of_scipy(rng):
    """Columns in another order are the same newcomers, whoever computes the distances."""
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))
    model = adjoin.ClassicalMDS(metric="seuclidean").fit(X[:15])
    assert not model.map_.has_source
    expected = model.place(X[15:]).coordinates
    assert np.array_equal(model.place(X[15:][["c", "a", "b"]]).coordinates, expected)
    with pytest.raises(ValueError, match='X: found no feature "a"'):
        model.place(X[15:].rename(columns={"a": "g"}))


def test_old_rows_in_any_order(cities, europe):
    model, new = europe
    old = cities.iloc[:18, :18]
    again = fitted(old.iloc[::-1])
    assert again.object_names_ == list(old.columns)
    assert np.array_equal(again.embedding_, model.embedding_)
    table = fitted(pl.from_pandas(old, include_index=True))
    assert table.object_names_ == list(old.columns)
    assert np.array_equal(table.embedding_, model.embedding_)
    assert table.feature_names_in_.tolist() == list(old.columns)


def test_scikit_bio_matrices(cities, europe):
    skbio = pytest.importorskip("skbio")
    model, _ = europe
    D = cities.to_numpy()
    old = skbio.DistanceMatrix(D[:18, :18], cities.columns[:18])
    everything = skbio.DistanceMatrix(D, cities.columns)
    again = fitted(old)
    assert again.object_names_ == model.object_names_
    placed = again.place(everything, between=True)
    assert placed.labels == ["Rome", "Stockholm", "Vienna"] and placed.certified
    expected = model.place(cities, between=True)
    assert np.array_equal(placed.coordinates, expected.coordinates)


def test_between_and_numbers_by_name(europe, cities):
    model, new = europe
    later = cities.iloc[18:, 18:]
    expected = model.place(new, between=later.to_numpy())
    assert np.array_equal(model.place(new, between=later.iloc[::-1, ::-1]).coordinates, expected.coordinates)
    weights = pd.Series(np.arange(1.0, 19.0), index=model.object_names_)
    by_position = model.place(new, weights=weights.to_numpy())
    assert np.array_equal(model.place(new, weights=weights.iloc[::-1]).coordinates, by_position.coordinates)


def test_similarities_take_their_own_from_the_diagonal(rng):
    X = rng.normal(size=(20, 4))
    names = [f"o{i}" for i in range(20)]
    K = pd.DataFrame(X @ X.T, names, names)
    model = fitted(K.iloc[:15, :15], kind="similarity")
    given = model.place(K.iloc[15:, :15], "reconstruct", self_similarity=np.diag(K)[15:])
    assert np.array_equal(model.place(K, "reconstruct").coordinates, given.coordinates)
    with pytest.raises(ValueError, match="self_similarity: found no similarity of \"o15\""):
        model.place(K.iloc[15:, :15], "reconstruct")
    assert np.isnan(model.place(K.iloc[15:, :15]).residual).all()
    assert "reconstruct" in model.compare(K.iloc[15:, :15]).left_out
    assert len(model.arc(K.iloc[15, :15], self_similarity=K.iloc[15, 15])) == 50


def test_missing_values(arrays):
    D, new, between = arrays
    model = fitted(D)
    holes = new.copy()
    holes[0, 2] = holes[1, 7] = np.nan
    masked = np.ma.masked_array(new, mask=np.isnan(holes))
    for strategy in ("project", "reconstruct", "stress"):
        by_nan, by_mask = model.place(holes, strategy), model.place(masked, strategy)
        assert np.array_equal(by_nan.coordinates, by_mask.coordinates)
        assert by_nan.placed.all()
        assert np.array_equal(by_nan.coordinates[2], model.place(new, strategy).coordinates[2])
    assert len(model.arc(holes[0], points=5)) == 5 == len(model.arc(masked[0], points=5))
    assert np.isfinite(model.compare(masked).placements["project"].coordinates).all()
    hidden = between.copy()
    hidden[0, 1] = hidden[1, 0] = np.nan
    assert np.isfinite(model.place(new, between=hidden).coordinates).all()
    nearly = np.full_like(new, np.nan)
    nearly[:, 0] = 1
    assert model.place(nearly).status.tolist() == ["too_few"] * 3
    with pytest.raises(ValueError, match="too few"):
        model.arc(nearly[0])
    for call in (model.transform, model.fit):
        with pytest.raises(ValueError, match="NaN"):
            call(holes)
        with pytest.raises(ValueError, match="NaN"):
            call(masked)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.ma.masked_array(D, mask=np.eye(18)[::-1]))


def with_entry(A, at, value):
    A = A.copy()
    A[at] = value
    return A


def asymmetric(D):
    return with_entry(D, (1, 2), 1.0)


# What is wrong, what is raised, and what the message says.
BAD_FIT = [
    (lambda D: D[:, :5], ValueError, "X: found 18 rows and 5 columns, expected a square"),
    (lambda D: D[0], ValueError, "Expected 2D array, got 1D array"),
    (lambda D: D[None], ValueError, "dim 3"),
    (lambda D: D[:1, :1], ValueError, "1 sample"),
    (lambda D: D.astype(complex), ValueError, "Complex data not supported"),
    (lambda D: sparse.csr_array(D), TypeError, "[Ss]parse"),
    (lambda D: np.full(D.shape, "far"), ValueError, "could not convert"),
    (lambda D: np.full(D.shape, {}, dtype=object), TypeError, "must be a string or a real number"),
    (asymmetric, ValueError, "X: found .* from .* but .* the other way, expected a symmetric"),
    (lambda D: with_entry(D, (3, 3), 9.0), ValueError, "X: found 9 .* expected 0 from an object to itself"),
    (lambda D: -D, ValueError, "Negative values in data passed to X: found -"),
    (lambda D: with_entry(D, (0, 4), np.inf), ValueError, "X: found inf between object 0 and object 4"),
    (lambda D: with_entry(D, (0, 4), np.nan), ValueError, "X: found NaN .a missing value. between"),
    (lambda D: 0 * D, ValueError, "n_components: found no positive eigenvalue"),
    (lambda D: pd.DataFrame(D, [f"r{i}" for i in range(18)], [f"c{i}" for i in range(18)]), ValueError,
     "X: found a column but no row for \"c0\""),
    (lambda D: pd.DataFrame(D, ["a"] * 18, ["a"] * 18), ValueError, "unique column names|twice"),
]


@pytest.mark.parametrize("wrong, error, message", BAD_FIT)
def test_bad_old_proximities(arrays, wrong, error, message):
    with pytest.raises(error, match=message):
        fitted(wrong(arrays[0]))


BAD_NEW = [
    (lambda A: A[:, :5], ValueError, "X: found 5 columns, expected 18"),
    (lambda A: np.tile(A[:1].T, 3), ValueError, "may have to be transposed"),
    (lambda A: A[0], ValueError, "X: found a 1-D array, expected a 2-D array .reshape"),
    (lambda A: A[None], ValueError, "X: found a 3-D array"),
    (lambda A: A[:0], ValueError, "X: found no newcomers"),
    (lambda A: A.astype(complex), ValueError, "X: found complex"),
    (lambda A: sparse.csr_array(A), TypeError, "X: found a sparse matrix"),
    (lambda A: np.full(A.shape, "far"), ValueError, "X: found .* expected numbers"),
    (lambda A: np.full(A.shape, {}, dtype=object), TypeError, "X: found object entries"),
    (lambda A: -A, ValueError, "Negative values in data passed to X: found -"),
    (lambda A: with_entry(A, (1, 4), np.inf), ValueError, "X: found inf between row 1 and \"Cherbourg\""),
    (lambda A: pd.DataFrame(A, columns=list("abcdefghijklmnopqr")), ValueError, "X: found no column for \"Athens\""),
]


@pytest.mark.parametrize("wrong, error, message", BAD_NEW)
def test_bad_newcomers(europe, wrong, error, message):
    model, new = europe
    for call in (model.place, model.compare):
        with pytest.raises(error, match=message):
            call(wrong(new.to_numpy()))


def test_condensed_distances_are_told_what_makes_a_square(rng):
    from scipy.spatial.distance import pdist, squareform

    X = rng.normal(size=(12, 3))
    for model in (adjoin.ClassicalMDS(metric="precomputed"), adjoin.Isomap(n_neighbors=4, metric="precomputed")):
        with pytest.raises(ValueError, match="X: found 66 proximities in one row.* 12 objects, expected a square: .*squareform"):
            model.fit(pdist(X))
        assert len(model.fit(squareform(pdist(X))).embedding_) == 12
        # Any other row is scikit-learn's to refuse.
        with pytest.raises(ValueError, match="2D array"):
            model.fit(pdist(X)[:-1])


def test_bad_labels(europe, cities):
    model, new = europe
    cases = [
        (new.drop(columns="Paris"), 'found no column for "Paris"'),
        (new.T, "transpose the table"),
        (new.assign(Atlantis=1.0), 'found the unknown column "Atlantis"'),
        (pd.concat([new, new]), 'the row label "Rome" twice'),
        (cities.iloc[:18, :18], "X: found 18 columns|all of them on the map"),
        (cities.iloc[1:], 'on the map, but none for "Athens"'),
        (1.5 * cities, "the old objects are not as far apart"),
    ]
    for table, message in cases[:4] + cases[5:]:
        with pytest.raises(ValueError, match=message):
            model.place(table.iloc[:, ::-1])
    with pytest.raises(ValueError, match="order|Feature names"):
        model.transform(new.iloc[:, ::-1])
    with pytest.raises(ValueError, match="labels: found 1, expected 3"):
        model.place(new, labels=["one"])


def test_bad_arguments(europe, arrays):
    model, frame = europe
    D, new, between = arrays
    cases = [
        (dict(strategy="guess"), "strategy: found 'guess', expected one of project"),
        (dict(strategy="stress", between=between), "strategy: found 'stress' beside between"),
        (dict(between=between[:2]), "between: found an array of 2 × 3, expected 3 × 3"),
        (dict(between=-between), "between: found -"),
        (dict(between=True), "between: .*found nothing between"),
        (dict(between=frame), "between: found"),
        (dict(weights=[1.0]), "weights: found 1"),
        (dict(weights=-np.ones(18)), "weights: found the weight -1 for \"Athens\""),
        (dict(weights=np.ones((2, 2))), "weights: found a 2-D array"),
        (dict(weights=pd.Series(1.0, index=list("abc"))), "weights: found"),
        (dict(self_similarity=np.ones(7)), "self_similarity: found 7"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            model.place(new, **arguments)
    for arguments, error, message in [
        (dict(n_components=0), ValueError, "n_components: found 0"),
        (dict(n_components=40), ValueError, "n_components: found .* positive eigenvalues"),
        (dict(n_components=1.5), TypeError, "n_components: found 1.5"),
        (dict(kind="distance"), ValueError, "kind: found \"distance\""),
        (dict(strategy="guess"), ValueError, "strategy: found 'guess'"),
        (dict(correction="more"), ValueError, "correction: found \"more\""),
        (dict(solver="fast"), ValueError, "solver: found \"fast\""),
        (dict(origin="Atlantis"), ValueError, "origin: found the name 'Atlantis', expected a position"),
        (dict(origin=18), ValueError, "origin: found position 18"),
        (dict(origin=np.ones(18)), ValueError, "origin: found weights that sum to 18"),
        (dict(n_jobs=0), ValueError, "n_jobs: found 0"),
        (dict(kind=3), TypeError, "kind: found 3"),
        (dict(metric=3), TypeError, "metric: found 3"),
    ]:
        with pytest.raises(error, match=message):
            adjoin.ClassicalMDS(**{"metric": "precomputed", **arguments}).fit(D)
    with pytest.raises(ValueError, match="metric: found 'guess'"):
        adjoin.ClassicalMDS(metric="guess").fit(D)
    with pytest.raises(ValueError, match="kind: found 'similarity' with metric='euclidean'"):
        adjoin.ClassicalMDS(kind="similarity").fit(D)
    for points in (1, 2.5):
        with pytest.raises(ValueError, match=re.escape(f"points: found {points}")):
            model.arc(new[0], points=points)
    with pytest.raises(ValueError, match="x: found 3 newcomers, expected one"):
        model.arc(new)
    with pytest.raises(ValueError, match="x: found 4 columns"):
        model.arc(new[0, :4])


def test_features(rng):
    X = rng.normal(size=(20, 3))
    frame = pd.DataFrame(X, [f"s{i}" for i in range(20)], list("abc"))
    model = adjoin.ClassicalMDS().fit(frame.iloc[:15])
    assert model.object_names_[0] == "s0" and model.feature_names_in_.tolist() == list("abc")
    placed = model.place(frame.iloc[15:], "reconstruct")
    assert placed.labels == ["s15", "s16", "s17", "s18", "s19"]
    assert len(model.arc(frame.iloc[16], points=3)) == 3 and model.arc(frame.iloc[16]).label == "s16"
    with pytest.raises(ValueError, match="X: found 2 features, expected 3"):
        model.place(X[:, :2])
    with pytest.raises(ValueError, match="X: found features that are missing"):
        model.place(np.full((1, 3), np.nan))


def test_origins(arrays):
    D, new, _ = arrays
    at_object = fitted(pd.DataFrame(D), origin=3)
    assert np.allclose(at_object.embedding_[3], 0, atol=1e-9 * np.abs(at_object.embedding_).max())
    by_label = fitted(pd.DataFrame(D), origin="3")
    assert np.array_equal(by_label.embedding_, at_object.embedding_)
    weights = np.zeros(18)
    weights[3] = 1.0
    assert np.allclose(fitted(D, origin=weights).transform(new), at_object.transform(new))


def test_no_warnings(europe):
    model, new = europe
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(new)
        model.place(new, "reconstruct").to_frame()
        model.compare(new).to_frame("polars")
