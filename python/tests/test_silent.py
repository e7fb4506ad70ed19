"""Classes of silent error, each by many questions: the same answer, a refusal, or a remark. Never another answer without a word.

Names permuted, units scaled, kinds swapped, saved and loaded, split into batches; cli/tests/cli/silent.rs asks the shell.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import ADJOIN
from scipy.spatial.distance import cdist

import adjoin

N, K = 40, 7
STRATEGIES = ("project", "reconstruct", "hyperplane", "augment", "stress")


def bray_curtis(A, B):
    return cdist(A, B, "braycurtis")


def tanimoto(A, B):
    both = A @ B.T
    return both / (A.sum(1)[:, None] + B.sum(1) - both)


class Data:
    """Old objects and newcomers by features and by proximities of every kind; similarities to themselves are 1."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        scales = 4.0 / (1 + np.arange(8))
        self.old_features, self.new_features = (rng.normal(size=(n, 8)) * scales for n in (N, K))
        counts = [rng.poisson(np.exp(np.abs(X))) for X in (self.old_features, self.new_features)]
        groups = rng.random((5, 60)) < 0.3
        bits = (groups[rng.integers(0, 5, N + K)] ^ (rng.random((N + K, 60)) < 0.15)).astype(float)
        self.names = [f"o{i}" for i in rng.permutation(N)]
        A, B = self.old_features, self.new_features
        self.kinds = {
            "euclidean": ("dissimilarity", cdist(A, A), cdist(B, A)),
            "counts": ("dissimilarity", bray_curtis(counts[0], counts[0]), bray_curtis(counts[1], counts[0])),
            "squares": ("squared", cdist(A, A) ** 2, cdist(B, A) ** 2),
            "kernel": ("similarity", np.exp(-0.05 * cdist(A, A) ** 2), np.exp(-0.05 * cdist(B, A) ** 2)),
            "bits": ("similarity", tanimoto(bits[:N], bits[:N]), tanimoto(bits[N:], bits[:N])),
        }

    def fitted(self, name, unit=1.0, **more):
        kind, old, _ = self.kinds[name]
        frame = pd.DataFrame(old * unit, self.names, self.names)
        return adjoin.ClassicalMDS(2, metric="precomputed", kind=kind, n_jobs=1, **more).fit(frame)

    def new(self, name, unit=1.0):
        return pd.DataFrame(self.kinds[name][2] * unit, [f"n{i}" for i in range(K)], self.names)

    def strategies(self, name):
        """Those that there are: stress is about distances."""
        return STRATEGIES[:-1] if self.kinds[name][0] == "similarity" else STRATEGIES

    def own(self, name, unit=1.0):
        return {"self_similarity": unit} if self.kinds[name][0] == "similarity" else {}


KINDS = ("euclidean", "counts", "squares", "kernel", "bits")
SEEDS = (1, 2, 3)


def same(one, other):
    return np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", KINDS)
def test_names_permuted(name, seed):
    """Columns of newcomers, rows and columns of old objects, weights and what is between newcomers, in any order."""
    data, rng = Data(seed), np.random.default_rng(seed)
    model, new, own = data.fitted(name), data.new(name), data.own(name)
    order, rows = rng.permutation(N), rng.permutation(K)
    assert not np.array_equal(order, np.arange(N))
    weights = pd.Series(rng.uniform(0.5, 2, N), data.names)
    for strategy in data.strategies(name):
        expected = model.place(new, strategy, **own)
        found = model.place(new.iloc[rows, order], strategy, **own)
        assert same(found.coordinates, expected.coordinates[rows]), strategy
        assert same(found.residual, expected.residual[rows]) and same(found.p, expected.p[rows])
        if strategy in ("project", "reconstruct"):
            expected = model.place(new, strategy, weights=weights, **own).coordinates
            found = model.place(new.iloc[rows, order], strategy, weights=weights.iloc[rng.permutation(N)], **own)
            assert same(found.coordinates, expected[rows])
    # The old objects in another order are the same map but for the direction of its axes.
    kind, old, _ = data.kinds[name]
    frame = pd.DataFrame(old, data.names, data.names)
    shuffled = adjoin.ClassicalMDS(2, metric="precomputed", kind=kind).fit(frame.iloc[order, order])
    lopsided = adjoin.ClassicalMDS(2, metric="precomputed", kind=kind).fit(frame.iloc[order, rng.permutation(N)])
    place = {label: i for i, label in enumerate(shuffled.object_names_)}
    assert [place[label] for label in data.names] != list(range(N))
    expected = model.place(new, **own).coordinates
    for other in (shuffled, lopsided):
        found = other.place(new, **own).coordinates
        assert np.allclose(np.abs(found), np.abs(expected), rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ("euclidean", "counts", "squares", "kernel", "bits"))
@pytest.mark.parametrize("exponent", (-200, -60, -3, 5, 60, 200))
def test_units_scaled(name, seed, exponent):
    """Whatever the unit, if it is one for all: the same bits, scaled, with the same status and the same evidence."""
    data, unit = Data(seed), 2.0**exponent
    # Lengths are in the root of the unit of squares and of similarities.
    by = 2.0 ** (2 * exponent) if name in ("squares", "kernel", "bits") else unit
    here, there = data.fitted(name), data.fitted(name, by)
    assert same(there.embedding_, here.embedding_ * unit)
    for strategy in data.strategies(name):
        one = here.place(data.new(name), strategy, **data.own(name))
        other = there.place(data.new(name, by), strategy, **data.own(name, by))
        assert same(other.coordinates, one.coordinates * unit), strategy
        assert other.status.tolist() == one.status.tolist()
        assert same(other.p, one.p) and other.known.tolist() == one.known.tolist()
        assert len(other.remarks_) == len(one.remarks_)


@pytest.mark.parametrize("factor", (1e-120, 1e-100, 1e77, 1e110, 1e150, 1e300))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_units_beyond_numbers_are_refused(factor, strategy):
    """Where the answer would overflow or vanish there is none: an error, not a status, and never a proof."""
    data = Data(4)
    with pytest.raises(ValueError, match="expected|finite"):
        data.fitted("euclidean", factor)
    model = data.fitted("euclidean")
    if factor > 1:
        with pytest.raises(ValueError, match="are they in the map's unit|is it in the map's unit"):
            model.place(data.new("euclidean", factor), strategy)
    else:
        assert any("are they of the map's kind and in its unit" in r for r in model.place(data.new("euclidean", factor), strategy).remarks_)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("factor", (1e-3, 0.01, 0.1, 10.0, 100.0, 1000.0))
def test_units_of_newcomers_alone(name, seed, factor):
    """Newcomers in another unit than the map's are remarked on, by every strategy and every call; in its own they are not.

    Similarities that are too small may look like a stranger's, whom nobody is like, where old objects have such means too.
    """
    data = Data(seed)
    model, own = data.fitted(name), data.own(name)
    if name == "squares":
        factor = factor**2
    _, old, new = data.kinds[name]
    means = (old.sum(1) - np.diag(old)) / (N - 1)
    if own and factor < 1 and factor * new.mean(1).max() > means.min() / 3.01:
        assert name == "kernel"
        return
    for strategy in ("project", "reconstruct", data.strategies(name)[-1]):
        assert model.place(data.new(name), strategy, **own).remarks_ == []
        said = model.place(data.new(name, factor), strategy, **own).remarks_
        assert said, (strategy, factor)
        assert any("unit" in remark or "than to itself" in remark for remark in said), said
    assert model.compare(data.new(name, factor), **own).remarks_


# What newcomers are given as on a map of which kind, and the word of what is said; None where the numbers cannot tell, which
# docs/formats.md says: a row of 1 − d, or of squares of numbers below 1, has the range of the distances themselves.
SWAPPED = {
    ("euclidean", "squared"): (lambda d: d**2, "squared dissimilarities"),
    ("euclidean", "similarities"): (lambda d: np.exp(-d), "similarities"),
    ("euclidean", "percent"): (lambda d: 100 * d, "percentages"),
    ("squares", "not squared"): (np.sqrt, "not squared|measured as the map's were"),
    ("squares", "similarities"): (lambda d: np.exp(-d), "similarities"),
    ("kernel", "distances"): (lambda s: np.sqrt(-np.log(np.clip(s, 1e-9, 1)) * 20), "itself|dissimilarities"),
    ("bits", "percent"): (lambda s: 100 * s, "percentages|than to itself"),
    ("counts", "1 - d"): (lambda d: 1 - d, None),
    ("counts", "squared"): (lambda d: d**2, None),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name, wrong", SWAPPED)
def test_kinds_swapped(name, wrong, seed):
    data = Data(seed)
    change, word = SWAPPED[name, wrong]
    model = data.fitted(name)
    placed = model.place(change(data.new(name)), "project", **data.own(name))
    if word is not None:
        assert any(any(w in remark for w in word.split("|")) for remark in placed.remarks_), placed.remarks_


@pytest.mark.parametrize("seed", SEEDS)
def test_kinds_of_old_objects_swapped(seed):
    """Squares said to be squares are the same map; similarities taken for distances are refused, with and without a diagonal."""
    data = Data(seed)
    plain, squared = data.fitted("euclidean"), data.fitted("squares")
    scale = np.abs(plain.embedding_).max()
    assert np.allclose(plain.embedding_, squared.embedding_, rtol=0, atol=1e-10 * scale)
    one, other = plain.place(data.new("euclidean"), "reconstruct"), squared.place(data.new("squares"), "reconstruct")
    assert np.allclose(one.coordinates, other.coordinates, rtol=0, atol=1e-9 * scale)
    for name in ("kernel", "bits"):
        similar = data.kinds[name][1].copy()
        for kind in ("dissimilarity", "squared"):
            with pytest.raises(ValueError, match="expected 0 from an object to itself"):
                adjoin.ClassicalMDS(metric="precomputed", kind=kind).fit(similar)
    tight = np.where(np.arange(12)[:, None] // 6 == np.arange(12) // 6, 0.95, 0.02)
    np.fill_diagonal(tight, 0.0)
    with pytest.raises(ValueError, match="are these similarities"):
        adjoin.ClassicalMDS(metric="precomputed").fit(tight)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", KINDS)
def test_saved_and_loaded(name, seed, tmp_path):
    """By a file, by a pickle, and through the shell, which answers with the same digits."""
    import subprocess

    data = Data(seed)
    model, own = data.fitted(name, strategy="reconstruct"), data.own(name)
    new = data.new(name)
    model.save(tmp_path / "map.adjoin")
    for other in (adjoin.load(tmp_path / "map.adjoin"), pickle.loads(pickle.dumps(model))):
        for strategy in (None, *data.strategies(name)):
            one, two = model.place(new, strategy, **own), other.place(new.iloc[:, ::-1], strategy, **own)
            assert one.strategy == two.strategy
            for field in ("coordinates", "residual", "p", "p_outside", "p_inside"):
                assert same(getattr(one, field), getattr(two, field)), (strategy, field)
            assert one.remarks_ == two.remarks_
    new.to_csv(tmp_path / "new.tsv", sep="\t")
    flags = ["--self", "1"] if own else []
    run = subprocess.run(
        [ADJOIN, "place", "map.adjoin", "new.tsv", "--strategy", "reconstruct", *flags, "-o", "placed.tsv"],
        cwd=tmp_path, capture_output=True, text=True,
    )
    assert run.returncode == 0, run.stderr
    theirs = pd.read_csv(tmp_path / "placed.tsv", sep="\t", index_col=0)
    assert same(theirs[["axis1", "axis2"]].to_numpy(), model.place(new, **own).coordinates)


FAMILY = {
    "ClassicalMDS": lambda: adjoin.ClassicalMDS(2),
    "KernelPCA": lambda: adjoin.KernelPCA(2, kernel="rbf"),
    "LandmarkMDS": lambda: adjoin.LandmarkMDS(2, n_landmarks=20),
    "Isomap": lambda: adjoin.Isomap(n_components=2, n_neighbors=8),
    "LaplacianEigenmaps": lambda: adjoin.LaplacianEigenmaps(2),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*KINDS, *FAMILY])
def test_split_into_batches(name, seed):
    """Newcomers with and without holes, in one batch or in any parts, in any order: each has the same bits."""
    data, rng = Data(seed), np.random.default_rng(seed + 10)
    if name in FAMILY:
        model, new, own = FAMILY[name]().fit(data.old_features), data.new_features, {}
    else:
        model, new, own = data.fitted(name), data.new(name).to_numpy(), data.own(name)
        new = np.where(rng.random(new.shape) < 0.1, np.nan, new)
        new[0] = data.kinds[name][2][0]
    for strategy in data.strategies(name) if name in KINDS else ("project", "reconstruct"):
        whole = model.place(new, strategy, **own)
        for _ in range(3):
            order = rng.permutation(K)
            cuts = np.split(order, np.sort(rng.choice(np.arange(1, K), 2, replace=False)))
            for part in cuts:
                found = model.place(new[part], strategy, **own)
                for field in ("coordinates", "residual", "p", "known"):
                    assert same(getattr(found, field), getattr(whole, field)[part]), (strategy, field)
                assert found.status.tolist() == [whole.status[i] for i in part]
