"""Batches of Arrow's: one callable for Spark, Ray, DuckDB and polars."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.spatial.distance import cdist

import adjoin
from adjoin.arrow import Placer

CONTRACT = ["strategy", "lambda", "objective", "residual", "status", "known", "p", "p_outside", "p_inside"]


@pytest.fixture(scope="module")
def named():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(30, 5)), rng.normal(size=(17, 5))
    names = [f"o{i}" for i in range(30)]
    D = pd.DataFrame(cdist(X, X), names, names)
    return adjoin.ClassicalMDS(2, metric="precomputed").fit(D), cdist(Y, X), names


def columns(values, names, **beside):
    table = {name: values[:, j] for j, name in enumerate(names)}
    return pa.table({**beside, **table})


def lists(values, kind=None):
    return pa.array([row for row in values], kind or pa.list_(pa.float64()))


def test_columns_are_matched_by_name_in_any_order(named):
    model, new, names = named
    placer = Placer(model, label="id", keep={"n": pa.int32()}, strategy="reconstruct")
    table = columns(new, names, id=[f"n{i}" for i in range(17)], n=np.arange(17))
    expected = model.place(new, "reconstruct")
    out = placer(table)
    assert out.column_names == ["label", "n", "axis1", "axis2", *CONTRACT]
    assert out.schema == placer.schema
    assert np.array_equal(np.column_stack([out["axis1"], out["axis2"]]), expected.coordinates)
    assert out["status"].to_pylist() == expected.status.tolist()
    assert out["label"].to_pylist() == [f"n{i}" for i in range(17)] and out["n"].type == pa.int32()
    backwards = table.select(table.column_names[::-1])
    assert placer(backwards).equals(out)
    assert placer.ddl.startswith("`label` string, `n` int, `axis1` double, `axis2` double, `strategy` string, `lambda` double")
    assert "`known` bigint" in placer.ddl


@pytest.mark.parametrize("strategy", ["project", "hyperplane", "stress", "augment"])
def test_all_columns_of_the_table(named, strategy):
    model, new, names = named
    out = Placer(model, strategy=strategy, diagnostics="all", unplaced="nan")(columns(new, names)).to_pandas()
    frame = model.place(new, strategy).to_frame().reset_index(drop=True)
    assert list(out.columns) == list(frame.columns)
    for name in frame.columns:
        assert out[name].equals(frame[name]) or (out[name] == frame[name]).all(), name


KINDS = {
    "list": pa.list_(pa.float64()),
    "large list": pa.large_list(pa.float64()),
    "fixed-size list": pa.list_(pa.float64(), 30),
    "single precision": pa.list_(pa.float32(), 30),
}


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_of_any_kind(named, kind):
    model, new, _ = named
    single = kind == "single precision"
    new = new.astype(np.float32) if single else new
    placer = Placer(model, vector="v", diagnostics=())
    table = pa.table({"v": lists(new, KINDS[kind])})
    expected = model.place(new).coordinates
    for piece, rows in ((table, slice(None)), (table.slice(3, 5), slice(3, 8))):
        out = placer(piece)
        assert out.column_names == ["axis1", "axis2"]
        assert np.array_equal(np.column_stack([out["axis1"], out["axis2"]]), expected[rows])
    points = placer.scalar(table["v"])
    assert points.type == pa.list_(pa.float64(), 2)
    assert np.array_equal(points.flatten().to_numpy().reshape(-1, 2), expected)


def test_every_library_gets_what_it_gave(named):
    model, new, names = named
    placer = Placer(model, vector="v", keep=("id",))
    expected = model.place(new).coordinates
    table = pa.table({"id": np.arange(17), "v": lists(new)})
    found = {
        "dict": placer({"id": np.arange(17), "v": new}),
        "dict of objects": placer({"id": np.arange(17), "v": np.array([*new, None], dtype=object)[:-1]}),
        "pandas": placer(pd.DataFrame({"id": np.arange(17), "v": list(new)})),
        "polars": placer(pl.from_arrow(table)),
        "batch": placer(table.to_batches()[0]),
    }
    kinds = {"dict": dict, "dict of objects": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "batch": pa.RecordBatch}
    for name, out in found.items():
        assert isinstance(out, kinds[name])
        assert np.array_equal(np.column_stack([out["axis1"], out["axis2"]]), expected), name
    lazy = pl.from_arrow(table).lazy().map_batches(placer, schema=dict(pl.from_arrow(placer.schema.empty_table()).schema))
    assert np.array_equal(lazy.collect().select("axis1", "axis2").to_numpy(), expected)
    series = pl.from_arrow(table).select(pl.col("v").map_batches(placer.scalar, return_dtype=pl.Array(pl.Float64, 2)))
    assert np.array_equal(np.array(series["v"].to_list()), expected)
    by_name = Placer(model)(pd.DataFrame(new, columns=names))
    assert np.array_equal(by_name[["axis1", "axis2"]].to_numpy(), expected)


def test_batches_of_any_size_give_the_same_bits(named):
    model, new, _ = named
    placer = pickle.loads(pickle.dumps(Placer(model.map_, vector="v", strategy="reconstruct")))
    table = pa.table({"v": lists(new)})
    whole = placer(table)
    for size in (1, 4, 17):
        parts = list(placer.batches(iter(table.to_batches(max_chunksize=size))))
        assert all(part.schema == placer.schema for part in parts)
        assert pa.Table.from_batches(parts).equals(whole.combine_chunks())
    empty = table.to_batches()[0].slice(0, 0)
    assert list(placer.batches([empty]))[0].num_rows == 0
    assert len(pickle.dumps(placer)) < 20_000


def test_features_by_name_and_by_vector():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(40, 4)), rng.normal(size=(6, 4))
    for model in (adjoin.KernelPCA(2, kernel="rbf"), adjoin.LandmarkMDS(n_landmarks=20), adjoin.ClassicalMDS(metric="seuclidean")):
        model.fit(pd.DataFrame(X, columns=list("abcd")))
        expected = model.place(pd.DataFrame(Y, columns=list("abcd"))).coordinates
        out = Placer(model)(columns(Y[:, ::-1], "dcba"))
        assert np.allclose(np.column_stack([out["axis1"], out["axis2"]]), expected, rtol=0, atol=1e-12)
        out = Placer(model, vector="x")(pa.table({"x": lists(Y)}))
        assert np.allclose(np.column_stack([out["axis1"], out["axis2"]]), expected, rtol=0, atol=1e-12)


def test_a_file_and_bytes_will_do(named, tmp_path):
    model, new, _ = named
    model.save(tmp_path / "map.adjoin")
    table = pa.table({"v": lists(new)})
    expected = Placer(model, vector="v")(table)
    for given in (tmp_path / "map.adjoin", str(tmp_path / "map.adjoin"), (tmp_path / "map.adjoin").read_bytes(), model.map_):
        assert Placer(given, vector="v")(table).equals(expected)


def test_similarities_to_themselves():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    model = adjoin.KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    own = (Y * Y).sum(1)
    expected = model.place(Y @ X.T, "reconstruct", self_similarity=own).coordinates
    table = pa.table({"v": lists(Y @ X.T), "own": own})
    out = Placer(model, vector="v", strategy="reconstruct", self_similarity="own")(table)
    assert np.array_equal(np.column_stack([out["axis1"], out["axis2"]]), expected)


def test_wrong_batches_name_their_rows(named):
    """One wrong thing at a time; rows are counted over all batches of an iterator."""
    model, new, names = named
    good = [list(row) for row in new]

    def wrong(change, **how):
        rows = [list(row) for row in good]
        change(rows)
        table = pa.table({"v": pa.array(rows, pa.list_(pa.float64())), "id": [f"n{i}" for i in range(17)]})
        placer = Placer(model, vector="v", **how)
        with pytest.raises(ValueError) as caught:
            list(placer.batches(iter(table.to_batches(max_chunksize=4))))
        return str(caught.value)

    assert wrong(lambda rows: rows[9].pop()).startswith("v: found 29 numbers in row 9, expected 30")
    assert wrong(lambda rows: rows[9].pop(), label="id").startswith("v: found 29 numbers in 'n9' (row 9), expected 30")
    assert "between row 13 and \"o4\"" in wrong(lambda rows: rows[13].__setitem__(4, float("inf")))
    assert "between row 13 and \"o4\"" in wrong(lambda rows: rows[13].__setitem__(4, -1.0))
    assert "between \"n13\" and \"o4\"" in wrong(lambda rows: rows[13].__setitem__(4, -1.0), label="id")
    holes = [float("nan")] * 29 + [1.0]
    assert "the first in row 6 (too_few)" in wrong(lambda rows: rows.__setitem__(6, holes))
    assert "the first in 'n6' (row 6) (too_few)" in wrong(lambda rows: rows.__setitem__(6, holes), label="id")
    assert wrong(lambda rows: rows.__setitem__(6, None)) == "v: found nothing in row 6, expected a list of 30 numbers"
    rows = pa.array([None, good[1], holes], pa.list_(pa.float64()))
    out = Placer(model, vector="v", unplaced="nan")(pa.table({"v": rows}))
    assert out["status"].to_pylist() == ["too_few", "unique", "too_few"]
    assert np.isnan(out["axis1"][0].as_py()) and out["axis1"][1].as_py() == model.place(new[1:2]).coordinates[0, 0]
    table = columns(new, names)
    with pytest.raises(ValueError, match="X: found no column 'o3', expected one"):
        Placer(model)(table.drop_columns("o3"))
    with pytest.raises(ValueError, match="X: found a column 'other', expected only"):
        Placer(model)(table.append_column("other", table["o1"]))
    with pytest.raises(ValueError, match="label: found no column 'who'"):
        Placer(model, label="who")(table)
    with pytest.raises(TypeError, match="v: found a column of double, expected one of lists"):
        Placer(model, vector="v")(pa.table({"v": [1.0]}))
    with pytest.raises(TypeError, match="found a column of list<.*string.*expected numbers|found a column of string, expected numbers"):
        Placer(model, vector="v")(pa.table({"v": [["a"] * 30]}))


def test_wrong_wishes_are_refused(named):
    model, *_ = named
    unnamed = adjoin.ClassicalMDS(metric="precomputed").fit(model.dissimilarity_matrix_)
    for call, message in (
        (lambda: Placer(unnamed), "vector: found None, expected the column"),
        (lambda: Placer(model, diagnostics=("colour",)), "diagnostics: found 'colour', expected some of strategy"),
        (lambda: Placer(model, strategy="guess"), "strategy: found 'guess'"),
        (lambda: Placer(model, unplaced="drop"), "unplaced: found 'drop'"),
        (lambda: Placer(model, keep=("axis1",)).schema, "keep: found 'axis1', expected names"),
        (lambda: Placer(model, keep={"x": pa.duration("s")}).ddl, "keep: found duration"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    for call in (lambda: Placer(3), lambda: Placer(model, keep="id"), lambda: Placer(model)(7)):
        with pytest.raises(TypeError, match="found"):
            call()


def test_placements_are_arrows_too(named):
    model, new, _ = named
    placed = model.place(new)
    assert pa.table(placed).to_pandas().equals(placed.to_frame("pyarrow").to_pandas())
    assert pl.DataFrame(placed).columns[0] == "label"
    assert np.array_equal(np.asarray(placed), placed.coordinates)


def test_scalar_has_the_similarity_to_itself():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    model = adjoin.KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    expected = model.place(Y @ X.T, "reconstruct", self_similarity=9.0).coordinates
    points = Placer(model, vector="v", strategy="reconstruct", self_similarity=9.0).scalar(lists(Y @ X.T))
    assert np.array_equal(points.flatten().to_numpy().reshape(-1, 2), expected)
    with pytest.raises(ValueError, match="self_similarity: found the column 'own', expected a number"):
        Placer(model, vector="v", strategy="reconstruct", self_similarity="own").scalar(lists(Y @ X.T))


MISSING = {
    "the core's metric": lambda X: adjoin.ClassicalMDS(2).fit(X),
    "SciPy's metric": lambda X: adjoin.ClassicalMDS(2, metric="seuclidean").fit(X),
    "kernel": lambda X: adjoin.KernelPCA(2, kernel="rbf", strategy="reconstruct").fit(X),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_features_are_no_end(name):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(40, 4)), rng.normal(size=(6, 4))
    frame = lambda values: pd.DataFrame(values, columns=list("abcd"))  # noqa: E731
    model = MISSING[name](frame(X))
    expected = model.place(frame(Y)).to_frame().reset_index(drop=True)
    rows = [None if i == 1 else list(row) for i, row in enumerate(Y)]
    rows[4][2] = None
    lost = [1, 4]
    table = pa.table({"v": pa.array(rows, pa.list_(pa.float64())), "id": [f"n{i}" for i in range(6)]})
    holes = pd.DataFrame([[np.nan] * 4 if row is None else row for row in rows], columns=list("abcd"), dtype=float)
    with_label = Placer(model, vector="v", label="id", unplaced="nan", diagnostics="all")
    by_name = Placer(model, unplaced="nan", diagnostics="all")
    for out in (with_label(table).drop_columns("label").to_pandas(), by_name(pa.Table.from_pandas(holes)).to_pandas()):
        pd.testing.assert_frame_equal(out.drop(lost), expected.drop(lost), check_dtype=False)
        assert out["status"][lost].tolist() == ["too_few"] * 2 and out["strategy"].equals(expected["strategy"])
        assert out.loc[lost, ["axis1", "p"]].isna().all(axis=None) and out["known"][lost].tolist() == [0, 0]
    assert with_label(table).column("label").to_pylist() == [f"n{i}" for i in range(6)]
    points = with_label.scalar(table["v"]).flatten().to_numpy().reshape(-1, 2)
    assert np.array_equal(np.isnan(points[:, 0]), np.isin(np.arange(6), lost))
    nobody = Placer(model, vector="v", unplaced="nan")(pa.table({"v": pa.array([None, None], pa.list_(pa.float64()))}))
    assert nobody["status"].to_pylist() == ["too_few"] * 2 and nobody.schema == Placer(model, vector="v").schema
    # Who is wrong is named by its number among all, or by its label.
    parts = lambda values: pa.table({"v": pa.array(values, table["v"].type)}).to_batches(max_chunksize=2)  # noqa: E731
    rows[5][0] = float("inf")
    for how in ("raise", "nan"):
        rows[1] = rows[0]
        at = 4 if how == "raise" else 5
        with pytest.raises(ValueError, match=f"v: found features that are missing or not finite in row {at}, expected"):
            list(Placer(model, vector="v", unplaced=how).batches(iter(parts(rows))))
    with pytest.raises(ValueError, match="v: found features that are missing or not finite in 'n4' .row 4., expected"):
        Placer(model, vector="v", label="id")(table.set_column(0, "v", pa.array(rows, table["v"].type)))
    with pytest.raises(ValueError, match="X: found features that are missing or not finite in row 1, expected"):
        model.place(holes)
    with pytest.raises(ValueError, match="X: found features that are missing or not finite in 'n1' .row 1., expected"):
        model.place(holes.set_axis([f"n{i}" for i in range(6)]))


def test_packed_bits_that_are_missing_are_no_end():
    bits = np.packbits(np.random.default_rng(6).uniform(size=(40, 64)) < 0.3, axis=1)
    model = adjoin.ClassicalMDS(2, metric="jaccard", metric_params={"packed": True}).fit(bits[:35])
    expected = model.place(bits[35:]).coordinates
    cells = [row.tobytes() for row in bits[35:]]
    cells[2] = None
    column = pa.array(cells, pa.binary(8))
    out = Placer(model, vector="f", unplaced="nan")(pa.table({"f": column}))
    assert out["status"].to_pylist()[2] == "too_few" and np.isnan(out["axis1"].to_numpy()).tolist() == [i == 2 for i in range(5)]
    there = [0, 1, 3, 4]
    assert np.array_equal(np.column_stack([out["axis1"], out["axis2"]])[there], expected[there])
    with pytest.raises(ValueError, match="f: found nothing in row 2, expected 8 bytes"):
        Placer(model, vector="f")(pa.table({"f": column}))
