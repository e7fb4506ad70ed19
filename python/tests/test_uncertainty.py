"""How certain places are: the formulas by NumPy, refits, and what is refused."""

import adjoin
import numpy as np
import pytest
from scipy.spatial.distance import cdist


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    points = rng.normal(size=(60, 8)) * np.arange(1, 9) ** -1.0
    old, new = points[:50], points[50:]
    D = cdist(old, old)
    return adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(D), D, cdist(new, old), cdist(new, new)


@pytest.mark.parametrize("strategy", ["project", "reconstruct"])
def test_covariances_are_hc3(data, strategy):
    """C⁻¹[Σ e²/(1−h)² xx']C⁻¹, and H⁻¹[Σ e²/(1−h)² zz']H⁻¹ with z = x − 2y/n."""
    model, D, new, _ = data
    placed = model.place(new, strategy=strategy, uncertainty="axes")
    X, n = model.embedding_, len(D)
    C = X.T @ X
    r = (D**2).mean(1)
    for i, a in enumerate(new):
        b = -0.5 * (a**2 - (a**2).mean() - r + r.mean())
        e = b - X @ placed.projections[i]
        h = 1 / n + np.einsum("ij,jk,ik->i", X, np.linalg.inv(C), X)
        y, lambda_ = placed.coordinates[i], placed.lambda_[i]
        if strategy == "project":
            Z, H = X, C
        else:
            Z, H = X - 2 * y / n, C + lambda_ * np.eye(2) + 2 * np.outer(y, y)
        J = np.linalg.inv(H)
        expected = J @ (Z.T * (e / (1 - h)) ** 2 @ Z) @ J
        np.testing.assert_allclose(placed.covariance[i], expected, rtol=1e-8)
    np.testing.assert_allclose(placed.standard_errors**2, np.diagonal(placed.covariance, axis1=1, axis2=2), rtol=1e-14)
    frame = placed.to_frame()
    assert frame.columns[-2:].tolist() == ["se1", "se2"]
    np.testing.assert_array_equal(frame["se2"], placed.standard_errors[:, 1])
    # Some of them.
    some = placed[[3, 1]]
    np.testing.assert_array_equal(some.covariance, placed.covariance[[3, 1]])
    assert np.isfinite(placed.side).all() == (strategy == "reconstruct")


def test_without_asking_nothing_is_told(data):
    """No covariance, no columns for it; what needs none is there."""
    model, _, new, _ = data
    placed = model.place(new, strategy="reconstruct")
    assert placed.covariance is None and placed.standard_errors is None
    assert np.isnan(placed.side).all() and (placed.jump > 0).all()
    np.testing.assert_allclose(placed.stretch, placed.coordinates[:, 1] / placed.projections[:, 1], rtol=1e-8)
    assert "se1" not in placed.to_frame()
    with pytest.raises(AttributeError):
        placed.rival


def test_jointly_and_by_refits(data):
    """Joint places have covariances; refits take the old objects' proximities, as an array or a table in any order."""
    pandas = pytest.importorskip("pandas")
    model, D, new, between = data
    jointly = model.place(new, between=between, uncertainty="axes")
    assert np.isfinite(jointly.covariance).all() and jointly.covariance.shape == (10, 2, 2)
    refitted = model.place(new, strategy="augment", uncertainty="refit", old=D)
    np.testing.assert_array_equal(refitted.coordinates, model.place(new, strategy="augment").coordinates)
    assert (refitted.standard_errors > 0).all()
    names = [f"o{i}" for i in range(50)]
    table = pandas.DataFrame(D, names, names)
    named = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(table)
    shuffled = table.iloc[::-1, ::-1]
    again = named.place(pandas.DataFrame(new, columns=names), strategy="augment", uncertainty="refit", old=shuffled)
    np.testing.assert_allclose(again.covariance, refitted.covariance, rtol=1e-6)


def test_refits_of_features_need_nothing():
    """The map keeps the features and makes what refits need."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(45, 3))
    model = adjoin.ClassicalMDS(n_components=2).fit(X[:40])
    placed = model.place(X[40:], uncertainty="refit")
    D, new = cdist(X[:40], X[:40]), cdist(X[40:], X[:40])
    precomputed = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(D)
    expected = precomputed.place(new, uncertainty="refit", old=D)
    np.testing.assert_allclose(placed.covariance, expected.covariance, rtol=1e-5)


@pytest.mark.parametrize(
    "how, message",
    [
        (dict(uncertainty="refit"), "old: found None beside uncertainty=\"refit\", expected the proximities"),
        (dict(uncertainty="refit", old=1.2), "old: found a mean squared dissimilarity"),
        (dict(uncertainty="axes", old=1.0), "old: found it beside uncertainty='axes', expected \"refit\""),
        (dict(old=1.0), "old: found it beside uncertainty=None"),
        (dict(uncertainty="sometimes"), "uncertainty: found \"sometimes\", expected None, \"axes\" or \"refit\""),
        (dict(uncertainty="axes", strategy="hyperplane"), "strategy: .*expected project or reconstruct"),
    ],
)
def test_wrong_questions(data, how, message):
    """One wrong thing at a time."""
    model, D, new, _ = data
    if "old" in how:
        how["old"] = how["old"] * D
    with pytest.raises(ValueError, match=message):
        model.place(new, **how)


def test_uncertain_axes_are_remarked_on():
    """A batch says that the axes themselves are uncertain."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(70, 10))
    D = cdist(X, X)
    model = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(D[:60, :60])
    told = model.place(D[60:, :60], uncertainty="axes").remarks_
    assert any("would have made another axis 2" in remark for remark in told)
    assert not any("axis 2" in remark for remark in model.place(D[60:, :60]).remarks_)


def test_pictures_have_regions(data):
    """One outline for each newcomer."""
    pytest.importorskip("matplotlib").use("Agg")
    model, _, new, _ = data
    plain = model.place(new, strategy="reconstruct").plot()
    told = model.place(new, strategy="reconstruct", uncertainty="axes").plot()
    assert len(told.lines) == len(plain.lines) + 10
    assert "95 % region" in [text.get_text() for text in told.get_legend().get_texts()]
