"""Python and the command line: one map file, the same answers bit for bit."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

import adjoin

NUMBERS = ["lambda", "objective", "residual", "known", "p", "p_outside", "p_inside", "gap", "share", "displacement", "p_nearest"]
NUMBERS += ["stationarity", "margin", "side", "jump", "stretch"]


def same(ours, path):
    """The table of the command line has the numbers of our frame, to the last bit."""
    theirs = pd.read_csv(path, sep="\t", index_col=0)
    axes = [c for c in theirs if c.startswith("axis")]
    for name in axes + [n for n in NUMBERS if n in theirs]:
        assert np.array_equal(ours[name].to_numpy(), theirs[name].to_numpy(dtype=float), equal_nan=True), name
    assert ours.index.tolist() == [str(label) for label in theirs.index]
    assert list(ours.columns) == list(theirs.columns)
    for name in ("status", "strategy", "certified"):
        if name in theirs:
            assert ours[name].tolist() == theirs[name].tolist()


@pytest.fixture
def files(split, shell):
    _, _, D, D_new = split
    np.save(shell.folder / "old.npy", D)
    np.save(shell.folder / "new.npy", D_new)
    shell("fit", "old.npy", "-d", 3, "-o", "shell.adjoin", "--threads", 2)
    adjoin.ClassicalMDS(3, metric="precomputed", n_jobs=2).fit(D).save(shell.folder / "python.adjoin")
    return shell, D_new


def test_the_same_map_is_fitted(files):
    shell, _ = files
    ours, theirs = (adjoin.load(shell.folder / f"{name}.adjoin") for name in ("python", "shell"))
    assert np.array_equal(ours.embedding_, theirs.embedding_)
    assert np.array_equal(ours.eigenvalues_, theirs.eigenvalues_)
    assert ours.map_.settings == theirs.map_.settings


@pytest.mark.parametrize("strategy", ["project", "reconstruct", "hyperplane", "augment", "stress"])
@pytest.mark.parametrize("fitted", ["python", "shell"])
def test_the_same_placements(files, strategy, fitted):
    """Fitted in one, used in the other, or in the same: no bit differs."""
    shell, D_new = files
    shell("place", f"{fitted}.adjoin", "new.npy", "--strategy", strategy, "-o", "placed.tsv")
    ours = adjoin.load(shell.folder / f"{fitted}.adjoin").place(D_new, strategy=strategy)
    same(ours.to_frame(), shell.folder / "placed.tsv")


def test_the_same_arcs_and_joint_placements(cities, shell):
    cities.to_csv(shell.folder / "all.tsv", sep="\t")
    cities.iloc[:18, :18].to_csv(shell.folder / "old.tsv", sep="\t")
    cities.iloc[18:, :18].to_csv(shell.folder / "new.tsv", sep="\t")
    shell("fit", "old.tsv", "-d", 2, "-o", "map.adjoin")
    model = adjoin.load(shell.folder / "map.adjoin")
    model.n_jobs = 1
    shell("place", "map.adjoin", "all.tsv", "--jointly", "-o", "joint.tsv", "--threads", 1)
    same(model.place(cities, between=True).to_frame(), shell.folder / "joint.tsv")
    shell("arc", "map.adjoin", "new.tsv", "--points", 7, "-o", "arcs.tsv")
    placed = model.place(cities.iloc[18:, :18])
    ours = pd.concat([arc.to_frame() for arc in placed.arcs(7)])
    theirs = pd.read_csv(shell.folder / "arcs.tsv", sep="\t", index_col=0)
    for name in ("axis1", "axis2", "lambda", "beta", "position"):
        assert np.array_equal(ours[name], theirs[name])
    one = model.arc(cities.iloc[18, :18], points=7)
    assert np.array_equal(one.coordinates, placed.arcs(7)[0].coordinates) and one.label == "Rome"
    shell("compare", "map.adjoin", "all.tsv", "-o", "compared.tsv", "--threads", 1)
    compared = model.compare(cities, between=True)
    theirs = pd.read_csv(shell.folder / "compared.tsv", sep="\t")
    ours = compared.to_frame().reset_index()
    assert list(ours) == list(theirs)
    assert np.array_equal(ours[["axis1", "axis2"]], theirs[["axis1", "axis2"]], equal_nan=True)
    assert ours["says"].tolist() == theirs["says"].tolist()


def test_what_is_refused_is_refused_in_both(cities, shell):
    """One table, one rule: a lopsided square, another map's old part, a map whose landmarks are some of the columns."""
    rng = np.random.default_rng(2)
    names = [f"o{i}" for i in range(30)]
    X = rng.normal(size=(30, 4))
    D = pd.DataFrame(cdist(X, X), names, names)
    old = D.iloc[:26, :26].copy()
    lopsided = old.copy()
    lopsided.iloc[1, 2] += 1
    lopsided.to_csv(shell.folder / "lopsided.csv")
    old.to_csv(shell.folder / "old.csv")
    families = [
        (dict(cls=adjoin.Isomap, n_neighbors=6), ["--method", "isomap", "--neighbors", 6]),
        (dict(cls=adjoin.LandmarkMDS, n_landmarks=12), ["--method", "landmark", "--landmarks", 12]),
        (dict(cls=adjoin.LandmarkMDS, n_landmarks=12, rotate=True), ["--method", "landmark", "--landmarks", 12, "--rotate"]),
    ]
    for parameters, words in families:
        make = parameters.pop("cls")
        shell("fit", "lopsided.csv", "-d", 2, *words, "-o", "map.adjoin", code=1)
        with pytest.raises(ValueError, match="expected a symmetric matrix"):
            make(metric="precomputed", **parameters).fit(lopsided)
        shell("fit", "old.csv", "-d", 2, *words, "-o", "map.adjoin", "--threads", 2)
        model = make(metric="precomputed", n_jobs=2, **parameters).fit(old)
        theirs = adjoin.load(shell.folder / "map.adjoin")
        assert np.array_equal(model.embedding_, theirs.embedding_)
        # Columns for all objects of the map, in any order.
        new = D.iloc[26:, :26].iloc[:, ::-1]
        new.to_csv(shell.folder / "new.csv")
        shell("place", "map.adjoin", "new.csv", "-o", "placed.tsv")
        same(model.place(new).to_frame(), shell.folder / "placed.tsv")
        # Weights by name, of all objects of the map.
        weights = pd.Series(np.arange(1.0, 27.0), index=names[:26])
        weights.to_csv(shell.folder / "weights.csv", header=False)
        shell("place", "map.adjoin", "new.csv", "--weights", "weights.csv", "-o", "placed.tsv")
        same(model.place(new, weights=weights).to_frame(), shell.folder / "placed.tsv")
        # A square whose old part is another map's; what a graph was made of cannot be told from its map.
        (1.5 * D).to_csv(shell.folder / "other.csv")
        if make is adjoin.LandmarkMDS:
            shell("place", "map.adjoin", "other.csv", "-o", "placed.tsv", code=1)
            with pytest.raises(ValueError, match="not as far apart"):
                model.place(1.5 * D)


def test_the_same_with_missing_proximities(cities, shell):
    old, new = cities.iloc[:18, :18], cities.iloc[18:, :18].copy()
    new.iloc[0, 3] = new.iloc[2, 5] = np.nan
    old.to_csv(shell.folder / "old.tsv", sep="\t")
    new.to_csv(shell.folder / "new.tsv", sep="\t")
    adjoin.ClassicalMDS(metric="precomputed").fit(old).save(shell.folder / "map.adjoin")
    shell("place", "map.adjoin", "new.tsv", "--strategy", "reconstruct", "-o", "placed.tsv")
    ours = adjoin.load(shell.folder / "map.adjoin").place(new, strategy="reconstruct")
    same(ours.to_frame(), shell.folder / "placed.tsv")


def test_round_trips(cities, tmp_path, shell):
    model = adjoin.ClassicalMDS(metric="precomputed", correction="lingoes").fit(cities.iloc[:18, :18])
    model.save(tmp_path / "one.adjoin")
    again = adjoin.load(str(tmp_path / "one.adjoin"))
    assert again.correction == "lingoes" and again.object_names_ == model.object_names_
    assert not hasattr(again, "dissimilarity_matrix_")
    new = cities.iloc[18:, :18]
    assert np.array_equal(again.transform(new), model.transform(new))
    again.save(tmp_path / "two.adjoin")
    assert (tmp_path / "one.adjoin").read_bytes() == (tmp_path / "two.adjoin").read_bytes()
    assert "lingoes" in shell("info", "one.adjoin")


def test_a_map_of_features_takes_features_when_loaded(split, tmp_path):
    old, new, _, D_new = split
    model = adjoin.ClassicalMDS(2).fit(old)
    model.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    assert loaded.metric == "euclidean" and loaded.map_.settings["metric"] == "euclidean"
    assert np.array_equal(loaded.transform(new), model.transform(new))
    # A metric that only SciPy has cannot be kept: distances are wanted then.
    model = adjoin.ClassicalMDS(2, metric="euclidean", metric_params={"w": np.ones(old.shape[1])}).fit(old)
    model.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    assert loaded.metric == "precomputed"
    assert np.allclose(loaded.transform(D_new), model.transform(new))


@pytest.mark.parametrize(
    "model, words",
    [
        (adjoin.ClassicalMDS(2), ["--method", "pca"]),
        (adjoin.ClassicalMDS(2, metric="canberra"), ["--metric", "canberra"]),
        (adjoin.LandmarkMDS(2, n_landmarks=20), ["--method", "landmark", "--metric", "euclidean", "--landmarks", "20"]),
        (adjoin.KernelPCA(2, kernel="rbf", gamma=0.05), ["--kernel", "rbf", "--gamma", "0.05"]),
        (adjoin.Isomap(n_neighbors=8), ["--method", "isomap", "--metric", "euclidean", "--neighbors", "8"]),
        (adjoin.LaplacianEigenmaps(gamma=0.05), ["--method", "laplacian", "--metric", "euclidean", "--gamma", "0.05"]),
    ],
    ids=["pca", "classical", "landmark", "kernel", "isomap", "laplacian"],
)
def test_families_are_the_same_in_the_shell(model, words, shell, tmp_path):
    """Fitted in one and used in the other, both ways: the same numbers, features in, coordinates out."""
    X = load_wine().data[::2, [0, 1, 4, 6, 9]]
    frame = pd.DataFrame(X, [f"w{i}" for i in range(len(X))], list("abcde"))
    old, new = frame[:70], frame[70:]
    old.to_csv(tmp_path / "old.csv")
    new.to_csv(tmp_path / "new.csv")
    shell("fit", "old.csv", "-d", "2", *words, "-o", "theirs.adjoin")
    model.fit(old).save(tmp_path / "ours.adjoin")
    loaded = adjoin.load(tmp_path / "theirs.adjoin")
    assert type(loaded) is type(model)
    np.testing.assert_allclose(loaded.embedding_, model.embedding_, atol=1e-9 * np.abs(model.embedding_).max())
    for name, one in (("ours", model), ("theirs", loaded)):
        shell("place", f"{name}.adjoin", "new.csv", "--strategy", "reconstruct", "-o", "out.csv")
        out = pd.read_csv(tmp_path / "out.csv", index_col="label")
        placed = one.place(new, strategy="reconstruct")
        assert out.index.tolist() == placed.labels
        assert np.array_equal(out[["axis1", "axis2"]].to_numpy(), placed.coordinates)


def test_files_that_cannot_be_read_or_written(europe, tmp_path):
    model, _ = europe
    with pytest.raises(FileNotFoundError):
        adjoin.load(tmp_path / "nowhere.adjoin")
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder.adjoin")
    with pytest.raises(OSError):
        adjoin.load(tmp_path)
    path = tmp_path / "map.adjoin"
    model.save(path)
    whole = path.read_bytes()
    for damaged in (whole[:-9], whole[:200] + b"?" + whole[201:], b"label\taxis1\n", b""):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="expected"):
            adjoin.load(path)
    with pytest.raises(ValueError, match="callable.*cannot be saved"):
        adjoin.ClassicalMDS(1, metric=lambda a, b: abs(a - b).sum()).fit(np.arange(8.0).reshape(4, 2)).save(path)
