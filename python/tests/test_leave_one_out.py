"""Old objects on the same footing as newcomers, and p."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import adjoin

X = np.random.default_rng(3).permutation(StandardScaler().fit_transform(load_wine().data))[::2]
OLD, NEW = X[:60], X[60:]
D, D_NEW = cdist(OLD, OLD), cdist(NEW, OLD)


def turned(coordinates, onto):
    """Coordinates of all but one object brought onto others by Procrustes, as a function for further points."""
    a, b = coordinates.mean(axis=0), onto.mean(axis=0)
    u, _, v = np.linalg.svd((coordinates - a).T @ (onto - b))
    return lambda y: (y - a) @ u @ v + b


@pytest.mark.parametrize("strategy", ["project", "reconstruct", "hyperplane", "augment"])
def test_it_is_refitting(strategy):
    """Each old object is where it is placed on a map that is fitted to the others."""
    model = adjoin.ClassicalMDS(3, metric="precomputed").fit(D)
    found = model.leave_one_out(strategy)
    assert found.left_out and len(found) == 60
    for i in (0, 7, 59):
        others = np.arange(60) != i
        refit = adjoin.ClassicalMDS(3, metric="precomputed").fit(D[np.ix_(others, others)])
        placed = refit.place(D[[i]][:, others], strategy=strategy)
        expected = turned(refit.embedding_, model.embedding_[others])(placed.coordinates[0])
        assert found.coordinates[i] == pytest.approx(expected, abs=1e-9)
        assert found.residual[i] == pytest.approx(placed.residual[0], abs=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        adjoin.ClassicalMDS(2),
        adjoin.KernelPCA(2, kernel="rbf"),
        adjoin.LandmarkMDS(2, n_landmarks=25),
        adjoin.Isomap(n_neighbors=10, n_components=2),
        adjoin.LaplacianEigenmaps(2),
    ],
    ids=lambda m: type(m).__name__,
)
def test_every_estimator_has_it(model, tmp_path):
    """Also after it was saved and loaded, and as what fit_transform returns."""
    model.fit(OLD)
    found = model.leave_one_out()
    assert found.coordinates.shape == (60, 2) and np.isfinite(found.coordinates).all()
    assert ((found.p > 0) & (found.p <= 1)).all()
    model.save(tmp_path / "map.adjoin")
    again = adjoin.load(tmp_path / "map.adjoin").leave_one_out()
    assert np.array_equal(again.coordinates, found.coordinates)
    trained = type(model)(**{**model.get_params(), "training": "leave_one_out"})
    assert np.array_equal(trained.fit_transform(OLD), found.coordinates)
    assert np.array_equal(trained.embedding_, model.embedding_)


def test_p_and_what_was_foreign():
    """Newcomers of the same kind are ordinary, others are not; the older word still answers, with a warning."""
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(D)
    placed = model.place(D_NEW)
    assert (placed.p > 0.05).mean() > 0.7
    strange = model.place(np.sqrt(D_NEW**2 + 100))
    assert (strange.p <= 0.05).all() and (strange.p_outside <= 0.05).all()
    assert list(placed.to_frame().columns[8:11]) == ["p", "p_outside", "p_inside"]
    with pytest.deprecated_call(match="p_outside"):
        foreign = strange.foreign
    assert (foreign == 1).all()
    compared = model.compare(D_NEW)
    with pytest.deprecated_call():
        assert compared.foreign.shape == (len(NEW),)


def test_bad_questions():
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(D)
    with pytest.raises(ValueError, match="strategy: .*proximities"):
        model.leave_one_out("stress")
    with pytest.raises(ValueError, match="found old objects"):
        model.leave_one_out().arcs()
    with pytest.raises(ValueError, match="training: found 'no'"):
        adjoin.ClassicalMDS(2, metric="precomputed", training="no").fit(D)
    small = adjoin.ClassicalMDS(1, metric="precomputed").fit(np.array([[0, 1.0], [1, 0]]))
    assert np.isnan(small.place([[1.0, 1]]).p).all()
    with pytest.raises(ValueError, match="loses an axis"):
        small.leave_one_out()
