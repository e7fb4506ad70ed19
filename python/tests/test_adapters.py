"""Proximities that are changed before the fit, by the words of the command line; the map keeps them, newcomers go through them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import adjoin

TRANSFORMS = {
    "1-x": lambda x: 1 - x,
    "1-x/100": lambda x: 1 - x / 100,
    "100-x": lambda x: 100 - x,
    "sqrt": np.sqrt,
    "x^2": np.square,
    "-log(x)": lambda x: -np.log(x) + 0.0,
    "x/100": lambda x: x / 100,
}

# From what a distance is made by each.
BACK = {
    "1-x": lambda d: 1 - d,
    "1-x/100": lambda d: 100 * (1 - d),
    "100-x": lambda d: 100 - d,
    "sqrt": np.square,
    "x^2": np.sqrt,
    "-log(x)": lambda d: np.exp(-d),
    "x/100": lambda d: 100 * d,
}


@pytest.fixture
def distances(rng):
    """Distances of 30 old objects and 6 newcomers, below 1."""
    points = rng.normal(size=(36, 4))
    every = cdist(points, points)
    return every / (1.1 * every.max())


@pytest.mark.parametrize("word", TRANSFORMS)
def test_every_word_is_what_it_says(word, distances):
    """The map of transformed numbers, and newcomers that come as the old ones did: alone, jointly, as float32, with holes."""
    given = BACK[word](distances)
    made = TRANSFORMS[word](given)
    np.fill_diagonal(made, 0)
    old, new = given[:30, :30], given[30:, :30].copy()
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(old, transform=word)
    plain = adjoin.ClassicalMDS(3, metric="precomputed").fit(made[:30, :30])
    assert np.allclose(model.embedding_, plain.embedding_, rtol=0, atol=1e-12)
    assert model.map_.settings["transform"] == word and "transform" not in plain.map_.settings
    new[1, 4] = np.nan
    theirs = TRANSFORMS[word](new)
    for strategy in ("project", "reconstruct", "stress"):
        found, expected = (m.place(x, strategy).coordinates for m, x in ((model, new), (plain, theirs)))
        assert np.allclose(found, expected, rtol=0, atol=1e-9)
    assert np.allclose(model.transform(new[2:]), plain.transform(theirs[2:]), rtol=0, atol=1e-12)
    single = new.astype(np.float32)
    assert np.allclose(model.place(single).coordinates, plain.place(theirs).coordinates, rtol=0, atol=1e-5)
    between, own = given[30:, 30:], made[30:, 30:]
    found = model.place(given[30:, :30], between=between).coordinates
    assert np.allclose(found, plain.place(made[30:, :30], between=own).coordinates, rtol=0, atol=1e-8)


def test_the_map_keeps_it(distances, tmp_path):
    """In a file, a pickle, a generation, a refit, an evaluation and what places lazily or in batches."""
    similar = 1 - distances
    old, new = similar[:30, :30], similar[30:, :30]
    model = adjoin.ClassicalMDS(3, metric="precomputed", strategy="reconstruct").fit(old, transform="1-x")
    expected = model.transform(new)
    model.save(tmp_path / "map.adjoin")
    for again in (adjoin.load(tmp_path / "map.adjoin"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.transform(new), expected)
    # A map that was not saved knows no strategy.
    assert np.array_equal(model.map_.place(new, "reconstruct").coordinates, expected)
    plain = adjoin.ClassicalMDS(3, metric="precomputed", strategy="reconstruct").fit(distances[:30, :30])
    grown, other = model.grow(new[:2]), plain.grow(distances[30:32, :30])
    found = grown.place(np.hstack([new[2:], similar[32:, 30:32]])).coordinates
    theirs = other.place(np.hstack([distances[32:, :30], distances[32:, 30:32]])).coordinates
    assert np.allclose(found, theirs, rtol=0, atol=1e-9)
    anew, other = model.refit(similar), plain.refit(distances)
    assert anew.map_.settings["transform"] == "1-x"
    assert np.allclose(anew.embedding_, other.embedding_, rtol=0, atol=1e-9)
    tried, same = model.evaluate(old, folds=5), plain.evaluate(distances[:30, :30], folds=5)
    assert np.allclose(tried.scores["error"], same.scores["error"], rtol=1e-9)
    refits = dict(uncertainty="refit", old=old)
    errors = model.place(new, **refits).standard_errors
    assert np.allclose(errors, plain.place(distances[30:, :30], "reconstruct", uncertainty="refit", old=distances[:30, :30]).standard_errors)
    da = pytest.importorskip("dask.array")
    lazy = da.from_array(new, chunks=(2, 30))
    assert np.array_equal(model.transform(lazy).compute(), expected)
    fitted = adjoin.ClassicalMDS(3, metric="precomputed").fit(da.from_array(old, chunks=12), transform="1-x")
    assert np.allclose(np.abs(fitted.embedding_), np.abs(model.embedding_), rtol=0, atol=1e-8)
    projected = plain.place(distances[30:, :30], "project").coordinates
    assert np.allclose(fitted.transform(new), projected, rtol=0, atol=1e-8)


def test_names_and_squares(distances):
    """Tables by name in any order; of a square over old and new the part between newcomers goes through it too."""
    names = [f"o{i}" for i in range(30)] + [f"n{i}" for i in range(6)]
    given = pd.DataFrame(100 * (1 - distances), names, names)
    plain = pd.DataFrame(distances, names, names)
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(given.iloc[:30, :30], transform="1-x/100")
    other = adjoin.ClassicalMDS(2, metric="precomputed").fit(plain.iloc[:30, :30])
    mixed = np.random.default_rng(5).permutation(30)
    found = model.place(given.iloc[30:, mixed])
    assert np.allclose(found.coordinates, other.place(plain.iloc[30:, :30]).coordinates, rtol=0, atol=1e-12)
    found, expected = model.place(given, between=True), other.place(plain, between=True)
    assert found.labels == expected.labels == names[30:]
    assert np.allclose(found.coordinates, expected.coordinates, rtol=0, atol=1e-8)


@pytest.mark.parametrize("make", [adjoin.Isomap, adjoin.LandmarkMDS])
def test_other_methods(make, distances):
    model = make(metric="precomputed").fit(1 - distances, transform="1-x")
    plain = make(metric="precomputed").fit(distances)
    assert np.allclose(model.transform(1 - distances[:3]), plain.transform(distances[:3]), rtol=0, atol=1e-9)
    kernel = adjoin.KernelPCA(2, kernel="precomputed")
    assert kernel.fit(distances, transform="1-x").map_.settings["transform"] == "1-x"


@pytest.mark.parametrize("word, one", [("mean", lambda a, b: (a + b) / 2), ("min", np.minimum), ("max", np.maximum)])
def test_symmetrise(word, one, distances, rng):
    apart = distances * (1 + 0.1 * rng.uniform(size=distances.shape))
    model = adjoin.ClassicalMDS(2, metric="precomputed")
    with pytest.raises(ValueError, match="symmetric"):
        model.fit(apart)
    model.fit(apart, symmetrise=word)
    assert np.allclose(model.dissimilarity_matrix_, one(apart, apart.T), rtol=0, atol=1e-15)
    assert f"the {word} is used" in model.findings_[0]
    assert model.map_.settings["symmetrise"] == word


def test_the_shell_and_python_are_one(distances, shell):
    """A map of the one is a map of the other, and so are newcomers' places, to the last bit."""
    given = 100 * (1 - distances)
    given[:30, :30] *= 1 + 1e-3 * np.triu(np.ones((30, 30)), 1)
    np.save(shell.folder / "old.npy", given[:30, :30])
    np.save(shell.folder / "new.npy", given[30:, :30])
    words = ("--transform", "1-x/100", "--symmetrise", "min")
    shell("fit", "old.npy", *words, "-d", 2, "-o", "shell.adjoin")
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(given[:30, :30], transform="1-x/100", symmetrise="min")
    model.save(shell.folder / "python.adjoin")
    for name in ("shell.adjoin", "python.adjoin"):
        shell("place", name, "new.npy", "--strategy", "reconstruct", "-o", "placed.npy")
        again = adjoin.load(shell.folder / name)
        assert np.array_equal(again.embedding_, model.embedding_)
        placed = again.place(given[30:, :30], "reconstruct").coordinates
        assert np.array_equal(placed, np.load(shell.folder / "placed.npy"))
        assert np.array_equal(placed, model.place(given[30:, :30], "reconstruct").coordinates)


def test_what_makes_no_sense_is_refused(distances, rng):
    model = adjoin.ClassicalMDS(2, metric="precomputed")
    with pytest.raises(ValueError, match="transform: found \"2x\", expected one of 1-x, "):
        model.fit(distances, transform="2x")
    with pytest.raises(ValueError, match="symmetrise: found \"median\", expected one of mean, min, max"):
        model.fit(distances, symmetrise="median")
    with pytest.raises(TypeError, match="transform: found 3, expected a word"):
        model.fit(distances, transform=3)
    with pytest.raises(ValueError, match="transform: found '1-x' beside features"):
        adjoin.ClassicalMDS(2).fit(rng.normal(size=(9, 3)), transform="1-x")
    with pytest.raises(ValueError, match='X: found 0 between "object 0" and "object 0", expected a number of which'):
        model.fit(distances, transform="-log(x)")
    model.fit(np.exp(-distances[:30, :30]), transform="-log(x)")
    new = np.exp(-distances[30:, :30])
    new[2, 5] = 0
    with pytest.raises(ValueError, match="X: found 0 in row 2, column 5, expected a number of which -log"):
        model.transform(new)
    similar = adjoin.ClassicalMDS(2, metric="precomputed", kind="similarity").fit(1 - distances[:30, :30], transform="x^2")
    with pytest.raises(ValueError, match="self_similarity: found it on a map of proximities that went through x\\^2"):
        similar.place((1 - distances)[30:, :30], self_similarity=1.0)
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="symmetrise: found 'mean' with a collection of Dask"):
        model.fit(da.from_array(distances, chunks=10), symmetrise="mean")
