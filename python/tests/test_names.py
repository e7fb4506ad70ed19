"""Names are used or refused, never ignored: every estimator, every kind of table."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import adjoin

xarray = pytest.importorskip("xarray")
narwhals = pytest.importorskip("narwhals")


class Subclass(pd.DataFrame):
    """A table such as GeoPandas makes."""

    @property
    def _constructor(self):
        return Subclass


class Stream:
    """Anything that speaks Arrow's protocol."""

    def __init__(self, frame):
        self.table = pa.table({str(name): frame[name].to_numpy() for name in frame.columns})

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def arrow(frame):
    return pa.table({str(name): frame[name].to_numpy() for name in frame.columns})


# A pandas frame as a table of every library; columns with numbers for names stay so only where a library has such.
TABLES = {
    "pandas": lambda frame: frame,
    "subclass of pandas": Subclass,
    "polars": lambda frame: pl.from_pandas(frame.reset_index(drop=True)),
    "polars, lazy": lambda frame: pl.from_pandas(frame.reset_index(drop=True)).lazy(),
    "pyarrow Table": arrow,
    "pyarrow RecordBatch": lambda frame: arrow(frame).to_batches()[0],
    "Arrow stream": Stream,
    "RecordBatchReader": lambda frame: arrow(frame).to_reader(),
    "xarray DataArray": lambda frame: xarray.DataArray(frame, dims=("who", "what")),
    "xarray Dataset": lambda frame: xarray.Dataset(
        {name: ("who", frame[name].to_numpy()) for name in frame.columns}
    ),
    "narwhals": narwhals.from_native,
    "narwhals, lazy": lambda frame: narwhals.from_native(pl.from_pandas(frame.reset_index(drop=True)).lazy()),
}


@pytest.fixture(params=TABLES)
def made(request):
    return TABLES[request.param]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = pd.DataFrame(StandardScaler().fit_transform(X), columns=[f"f{j}" for j in range(13)])
    return X[::2].reset_index(drop=True), X[1::2].reset_index(drop=True), y


FAMILY = {
    "ClassicalMDS": lambda: adjoin.ClassicalMDS(3),
    "ClassicalMDS, by SciPy": lambda: adjoin.ClassicalMDS(3, metric="seuclidean"),
    "KernelPCA": lambda: adjoin.KernelPCA(3, kernel="rbf"),
    "LandmarkMDS": lambda: adjoin.LandmarkMDS(3, n_landmarks=30),
    "Isomap": lambda: adjoin.Isomap(n_components=3, n_neighbors=8),
    "LaplacianEigenmaps": lambda: adjoin.LaplacianEigenmaps(3),
}


@pytest.mark.parametrize("name", FAMILY)
def test_features_of_any_table_are_matched_by_name(wine, made, name):
    """Columns in reverse order are the same newcomers, in place, compare, arc and fit."""
    old, new, _ = wine
    model = FAMILY[name]().fit(old)
    expected = model.place(new).coordinates
    backwards = made(new.iloc[:, ::-1])
    assert np.array_equal(model.place(backwards).coordinates, expected)
    with pytest.raises(ValueError, match="feature|Feature|column"):
        model.transform(made(new.iloc[:, ::-1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(model.transform(made(new)), expected)
    again = FAMILY[name]().fit(made(old))
    assert again.feature_names_in_.tolist() == list(old.columns)
    # SciPy sums in another order where columns lie otherwise in memory.
    assert np.allclose(again.place(new.iloc[:, ::-1]).coordinates, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    with pytest.raises(ValueError, match='"f3"|f3'):
        model.place(made(new.rename(columns={"f3": "g"})))


def test_compare_and_arc_by_name(wine, made):
    old, new, _ = wine
    model = adjoin.ClassicalMDS(3).fit(old)
    expected = model.compare(new[:4])
    found = model.compare(made(new[:4].iloc[:, ::-1]))
    for strategy in expected.placements:
        assert np.array_equal(found.placements[strategy].coordinates, expected.placements[strategy].coordinates)
    arc = model.arc(made(new[:1].iloc[:, ::-1]), points=5)
    assert np.array_equal(arc.coordinates, model.arc(new.iloc[0], points=5).coordinates)


def test_reversed_columns_lose_nothing(wine):
    """What went wrong once: 5-NN accuracy .897 by name, .517 for the same table as Arrow's."""
    from sklearn.neighbors import KNeighborsClassifier

    old, new, y = wine
    model = adjoin.ClassicalMDS(2).fit(old)
    vote = KNeighborsClassifier(5).fit(model.embedding_, y[::2])
    scores = [vote.score(model.place(made(new.iloc[:, ::-1])).coordinates, y[1::2]) for made in TABLES.values()]
    assert min(scores) == max(scores) > 0.9


PRECOMPUTED = {
    "ClassicalMDS": lambda: adjoin.ClassicalMDS(3, metric="precomputed"),
    "KernelPCA": lambda: adjoin.KernelPCA(3, kernel="precomputed"),
    "LandmarkMDS": lambda: adjoin.LandmarkMDS(3, metric="precomputed", n_landmarks=30),
    "Isomap": lambda: adjoin.Isomap(n_components=3, n_neighbors=8, metric="precomputed"),
    "LaplacianEigenmaps": lambda: adjoin.LaplacianEigenmaps(3, affinity="precomputed"),
}


@pytest.mark.parametrize("name", PRECOMPUTED)
def test_proximities_of_any_table_are_matched_by_name(wine, made, name):
    old, new, _ = wine
    names = [f"o{i}" for i in range(len(old))]
    D, E = cdist(old, old), cdist(new, old)
    if name in ("KernelPCA", "LaplacianEigenmaps"):
        D, E = np.exp(-0.05 * D**2), np.exp(-0.05 * E**2)
    model = PRECOMPUTED[name]().fit(pd.DataFrame(D, names, names))
    assert model.object_names_ == names
    table = pd.DataFrame(E, columns=names)
    expected = model.place(table).coordinates
    assert np.array_equal(model.place(E).coordinates, expected)
    assert np.array_equal(model.place(made(table.iloc[:, ::-1])).coordinates, expected)
    with pytest.raises(ValueError, match='no column for "o7"'):
        model.place(made(table.rename(columns={"o7": "stranger"})))


def test_squares_of_any_table_bring_names(wine, made):
    old, new, _ = wine
    names = [f"o{i}" for i in range(len(old))]
    D = pd.DataFrame(cdist(old, old), columns=names)
    model = adjoin.ClassicalMDS(metric="precomputed").fit(made(D))
    assert model.object_names_ == names
    E = pd.DataFrame(cdist(new, old), columns=names)
    assert np.array_equal(model.place(E.iloc[:, ::-1]).coordinates, model.place(E.to_numpy()).coordinates)


@pytest.mark.parametrize("table", ["pandas", "subclass of pandas", "xarray DataArray", "narwhals"])
def test_numbers_are_names(wine, table):
    """Columns 5, 4, 3, 2, 1 are those, not the first to the fifth."""
    made = TABLES[table]
    old, new, _ = wine
    old, new = old.iloc[:, :5].set_axis([5, 4, 3, 2, 1], axis=1), new.iloc[:, :5].set_axis([5, 4, 3, 2, 1], axis=1)
    model = adjoin.ClassicalMDS().fit(made(old))
    assert not hasattr(model, "feature_names_in_")
    expected = model.transform(made(new))
    backwards = new[[1, 2, 3, 4, 5]]
    assert np.array_equal(model.place(made(backwards)).coordinates, expected)
    with pytest.raises(ValueError, match="same order"):
        model.transform(made(backwards))
    with pytest.raises(ValueError, match='"5"|5'):
        model.place(made(new.set_axis([0, 1, 2, 3, 4], axis=1)))
    assert np.array_equal(model.transform(new.to_numpy()), expected)


@pytest.mark.parametrize("name", FAMILY)
def test_an_array_is_taken_by_position(wine, name):
    old, new, _ = wine
    by_name, by_position = FAMILY[name]().fit(old), FAMILY[name]().fit(old.to_numpy())
    expected = by_name.place(new).coordinates
    assert np.array_equal(by_name.place(new.to_numpy()).coordinates, expected)
    assert np.array_equal(by_position.place(new.to_numpy()).coordinates, expected)
    # Names that only count are positions.
    assert np.array_equal(by_position.place(pd.DataFrame(new.to_numpy())).coordinates, expected)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(by_name.transform(new.to_numpy()), expected)


@pytest.mark.parametrize("name", FAMILY)
def test_names_on_a_map_of_positions_are_refused(wine, made, name):
    old, new, _ = wine
    model = FAMILY[name]().fit(old.to_numpy())
    assert model.object_names_ is None
    with pytest.raises(ValueError, match="X: found features with names, the first .f0., expected an array without names"):
        model.place(made(new))
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without feature names"):
        model.transform(made(new))


@pytest.mark.parametrize("name", PRECOMPUTED)
def test_names_of_objects_that_have_none_are_refused(wine, name):
    """Columns 1 … n are not the objects 0 … n − 1."""
    old, new, _ = wine
    D, E = np.exp(-cdist(old, old)), np.exp(-cdist(new, old))
    if name not in ("KernelPCA", "LaplacianEigenmaps"):
        D, E = cdist(old, old), cdist(new, old)
    model = PRECOMPUTED[name]().fit(D)
    assert model.object_names_ is None and not model.map_.named
    shifted = pd.DataFrame(E, columns=range(1, len(old) + 1))
    with pytest.raises(ValueError, match='X: found columns with labels, the first "1", expected columns by position'):
        model.place(shifted)
    expected = model.place(E).coordinates
    assert np.array_equal(model.place(pd.DataFrame(E)).coordinates, expected)
    # A map of a frame that counts has its own names, from 0.
    counted = PRECOMPUTED[name]().fit(pd.DataFrame(D))
    assert counted.object_names_ == [str(i) for i in range(len(old))]
    with pytest.raises(ValueError, match='X: found no column for "0"|X: found the unknown column "89"'):
        counted.place(shifted)
    assert np.array_equal(counted.place(pd.DataFrame(E).iloc[:, ::-1]).coordinates, expected)


def test_rows_that_only_count_are_nobody(wine):
    """Newcomers in a fresh frame are not the map's objects 0, 1, 2 …"""
    old, new, _ = wine
    D, E = pd.DataFrame(cdist(old, old)), pd.DataFrame(cdist(new, old))
    model = adjoin.ClassicalMDS(metric="precomputed").fit(D)
    placed = model.place(E)
    assert placed.labels[:2] == ["new1", "new2"] and len(placed) == len(E)
    assert np.array_equal(model.place(E.iloc[:, ::-1]).coordinates, placed.coordinates)
    # The rows of a table that was cut have names, which are used.
    cut = E.set_axis(range(len(old), len(old) + len(new)))
    assert model.place(cut).labels[0] == str(len(old))
    with pytest.raises(ValueError, match="on the map"):
        model.place(D.loc[[3, 4]])


def test_a_split_of_one_frame(wine):
    """The rows of `df.loc[test, train]` find their columns, whatever the order of train."""
    old, _, _ = wine
    D = pd.DataFrame(cdist(old, old))
    order = np.random.default_rng(0).permutation(len(D))
    train, test = list(order[:60]), list(order[60:])
    model = adjoin.ClassicalMDS(metric="precomputed").fit(D.loc[train, train])
    expected = model.place(D.loc[test, train]).coordinates
    assert np.array_equal(model.place(D.loc[test, sorted(train)]).coordinates, expected)
    assert np.array_equal(model.transform(D.loc[test, train]), expected)


def test_numbers_beside_a_map_of_positions(wine):
    old, new, _ = wine
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cdist(old, old))
    named = pd.Series(1.0, index=[str(i + 1) for i in range(len(old))])
    with pytest.raises(ValueError, match="weights: found names, expected a list by position"):
        model.place(cdist(new, old), weights=named)
    with pytest.raises(ValueError, match="origin: found names, expected a list by position"):
        adjoin.ClassicalMDS(metric="precomputed", origin=named / len(old)).fit(cdist(old, old))


def test_coordinates_and_weights_are_matched_by_name(wine):
    """Rows of a configuration in another order are the same objects, whoever brings them; names that nobody has are refused."""
    old, new, _ = wine
    names = [f"o{i}" for i in range(len(old))]
    D, E = cdist(old, old), cdist(new, old)
    frame = pd.DataFrame(D, names, names)
    made = adjoin.ClassicalMDS(metric="precomputed").fit(frame)
    xy = pd.DataFrame(made.embedding_, names, ["x", "y"])
    order = np.random.default_rng(3).permutation(len(old))
    weights = pd.Series(np.linspace(1, 2, len(old)), names)
    for model in (adjoin.ClassicalMDS(metric="precomputed"), adjoin.GivenMap(link="none"), adjoin.GivenMap(link="ratio")):
        more = {} if isinstance(model, adjoin.ClassicalMDS) or model.link == "none" else dict(sample_weight=weights.iloc[order])
        straight = {key: weights for key in more}
        expected = model.fit(frame, configuration=xy, **straight).place(E).coordinates
        for given in (xy.iloc[order], xy.to_numpy(), made):
            found = model.fit(frame, configuration=given, **more)
            assert np.array_equal(found.embedding_, made.embedding_)
            assert np.array_equal(found.place(E).coordinates, expected)
        with pytest.raises(ValueError, match="configuration: found nothing for 'o3'"):
            model.fit(frame, configuration=xy.rename(index={"o3": "stranger"}))
        with pytest.raises(ValueError, match="configuration: found names, expected a list by position"):
            model.fit(D, configuration=xy)
        if more:
            with pytest.raises(ValueError, match="sample_weight: found names, expected a list by position"):
                model.fit(D, configuration=made, sample_weight=weights)


def test_names_survive_the_file(wine, tmp_path):
    old, new, _ = wine
    for X, named in ((old, True), (old.to_numpy(), False)):
        for model in (FAMILY["Isomap"]().fit(X), FAMILY["LandmarkMDS"]().fit(X), FAMILY["ClassicalMDS"]().fit(X)):
            model.save(tmp_path / "map.adjoin")
            again = adjoin.load(tmp_path / "map.adjoin")
            assert again.map_.named is named and again.object_names_ == model.object_names_
            assert hasattr(again, "feature_names_in_") is named
            if named:
                assert np.array_equal(again.place(new.iloc[:, ::-1]).coordinates, model.place(new).coordinates)
            else:
                with pytest.raises(ValueError, match="expected an array without names"):
                    again.place(new)


def test_landmarks_of_a_rectangle_are_those_that_were_said(wine):
    old, _, _ = wine
    names = [f"o{i}" for i in range(len(old))]
    D = pd.DataFrame(cdist(old, old), names, names)
    which = [3, 10, 20, 30, 40, 50]
    rectangle = D.iloc[:, which]
    model = adjoin.LandmarkMDS(metric="precomputed", landmarks=which).fit(rectangle)
    assert np.array_equal(model.place(rectangle.iloc[:, ::-1].add_prefix("new", axis=0)).coordinates[5:9], model.embedding_[5:9])
    with pytest.raises(ValueError, match="found a column 'o50' where landmarks has 'o3'"):
        adjoin.LandmarkMDS(metric="precomputed", landmarks=which).fit(rectangle.iloc[:, ::-1])


def test_transform_knows_the_names_of_a_rectangle(wine):
    old, new, _ = wine
    names = [f"o{i}" for i in range(len(old))]
    D, E = pd.DataFrame(cdist(old, old), names, names), pd.DataFrame(cdist(new, old), columns=names)
    which = [30, 3, 10, 50, 20, 40]
    model = adjoin.LandmarkMDS(metric="precomputed", landmarks=which).fit(D)
    rectangle, near = D.iloc[:, which], E.iloc[:, which]
    expected = model.fit(rectangle).place(near).coordinates
    assert model.feature_names_in_.tolist() == list(rectangle.columns)
    assert np.array_equal(model.transform(near), expected)
    with pytest.raises(ValueError, match="same order"):
        model.transform(near.iloc[:, ::-1])
    # Rows alone have names, or nobody.
    model.fit(rectangle.set_axis(range(6), axis=1))
    assert not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.transform(near), expected)
    with pytest.raises(ValueError, match="same order"):
        model.transform(near.iloc[:, ::-1])
    model.fit(D).fit(rectangle.to_numpy())
    assert not hasattr(model, "feature_names_in_") and model._names_in is None


def test_transform_knows_names_of_digits(wine, tmp_path):
    old, new, _ = wine
    names = [str(j) for j in range(1, 14)]
    model = adjoin.ClassicalMDS().fit(old.set_axis(names, axis=1))
    model.save(tmp_path / "map.adjoin")
    again, near = adjoin.load(tmp_path / "map.adjoin"), new.set_axis(names, axis=1)
    assert np.array_equal(again.transform(near), model.transform(near))
    with pytest.raises(ValueError, match="same order"):
        again.transform(near.iloc[:, ::-1])


def test_tables_that_cannot_be_read_are_refused(wine):
    old, new, _ = wine
    model = adjoin.ClassicalMDS().fit(old)

    class Strange:
        columns = list(old.columns)
        shape = new.shape

        def __array__(self, dtype=None, copy=None):
            return new.to_numpy()

    with pytest.raises(TypeError, match="X: found a table of .*, whose names cannot be read"):
        model.place(Strange())
    with pytest.raises(TypeError, match="X: found lists or structures in the column 'v'"):
        model.place(pa.table({"v": [[1.0, 2.0]]}))
    with pytest.raises(ValueError, match="X: found a series"):
        model.place(new.iloc[0])
    with pytest.raises(TypeError, match="X: found dates or times"):
        model.place(pd.DataFrame({"f0": pd.to_datetime(["2020-01-01"])}))
