"""The same numbers as other programs, up to the signs of axes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA, KernelPCA

import adjoin


def close(ours, theirs):
    """Equal but for the direction of each axis and rounding."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    flips = np.sign(np.sum(ours * theirs, axis=0))
    return np.allclose(ours, theirs * flips, rtol=0, atol=1e-9 * np.abs(ours).max())


def test_fit_is_scikit_learns(split):
    manifold = pytest.importorskip("sklearn.manifold")
    if not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no ClassicalMDS")
    old, _, D, _ = split
    for X, metric in ((D, "precomputed"), (old, "euclidean"), (old, "cityblock")):
        ours = adjoin.ClassicalMDS(3, metric=metric).fit(X)
        theirs = manifold.ClassicalMDS(3, metric=metric).fit(X)
        scale = np.abs(theirs.embedding_).max()
        # Not even the signs differ.
        assert np.allclose(ours.embedding_, theirs.embedding_, rtol=0, atol=1e-8 * scale)
        assert np.allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
        assert np.allclose(ours.dissimilarity_matrix_, theirs.dissimilarity_matrix_, atol=1e-6 * scale)


def test_transform_is_kernel_pca_and_principal_components(split):
    old, new, D, D_new = split
    ours = adjoin.ClassicalMDS(3, metric="precomputed").fit(D).transform(D_new)
    kernel = KernelPCA(3, kernel="precomputed").fit(-0.5 * D**2)
    assert close(ours, kernel.transform(-0.5 * D_new**2))
    assert close(ours, PCA(3).fit(old).transform(new))
    assert np.allclose(adjoin.ClassicalMDS(3).fit(old).transform(new), ours, atol=1e-9 * np.abs(ours).max())


def test_similarities_are_kernel_pca(split):
    old, new, _, _ = split
    old, new = old / np.abs(old).max(), new / np.abs(old).max()
    K, K_new = old @ old.T, new @ old.T
    model = adjoin.ClassicalMDS(2, metric="precomputed", kind="similarity").fit(K)
    theirs = KernelPCA(2, kernel="precomputed").fit(K)
    assert close(model.transform(K_new), theirs.transform(K_new))
    itself = np.sum(new * new, axis=1)
    by_distance = adjoin.ClassicalMDS(2).fit(old).place(new, strategy="reconstruct")
    by_kernel = model.place(K_new, strategy="reconstruct", self_similarity=itself)
    assert close(by_kernel.coordinates, by_distance.coordinates)


def test_coordinates_are_scikit_bios(split):
    ordination = pytest.importorskip("skbio.stats.ordination")
    from skbio import DistanceMatrix

    _, _, D, _ = split
    names = [f"s{i}" for i in range(len(D))]
    theirs = ordination.pcoa(DistanceMatrix(D, names), number_of_dimensions=3)
    ours = adjoin.ClassicalMDS(3, metric="precomputed").fit(DistanceMatrix(D, names))
    assert ours.object_names_ == names
    assert close(ours.embedding_, theirs.samples.to_numpy()[:, :3])


def test_squared_dissimilarities(split):
    _, _, D, D_new = split
    plain = adjoin.ClassicalMDS(2, metric="precomputed").fit(D)
    squared = adjoin.ClassicalMDS(2, metric="precomputed", kind="squared").fit(D**2)
    assert close(squared.transform(D_new**2), plain.transform(D_new))
    old, new, _, _ = split
    features = adjoin.ClassicalMDS(2, metric="sqeuclidean", kind="squared").fit(old)
    assert close(features.transform(new), plain.transform(D_new))


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis", "cosine", "l1", "haversine"])
def test_a_metric_means_the_same_at_fit_and_after(metric, rng):
    """Old objects, transformed, land on themselves, alone or together."""
    X = rng.normal(size=(30, 2)) + 1.0
    if metric == "haversine":
        X /= 10
    model = adjoin.ClassicalMDS(2, metric=metric).fit(X)
    assert np.allclose(model.transform(X[:7]), model.embedding_[:7], atol=1e-8)
    assert np.allclose(model.transform(X[3:4]), model.embedding_[3:4], atol=1e-8)


def test_a_callable_metric(rng):
    X = rng.normal(size=(20, 3))
    ours = adjoin.ClassicalMDS(2, metric=lambda a, b: np.abs(a - b).sum()).fit(X)
    assert np.allclose(ours.embedding_, adjoin.ClassicalMDS(2, metric="l1").fit(X).embedding_)
    assert np.allclose(ours.transform(X[:3]), ours.embedding_[:3])


def test_check_values_of_the_paper():
    """Example 2 of the paper: a newcomer whose two best places mirror each other."""
    squares = np.array([[0, 100, 45, 45], [100, 0, 45, 45], [45, 45, 0, 64], [45, 45, 64, 0]], float)
    model = adjoin.ClassicalMDS(2, metric="precomputed", kind="squared").fit(squares)
    assert np.allclose(model.eigenvalues_, [50, 32])
    placed = model.place([[386, 386, 457, 457]], strategy="reconstruct")
    assert np.allclose(np.abs(placed.coordinates), [[0, np.sqrt(368)]])
    assert np.isclose(placed.objective[0], 27776) and np.isclose(placed.lambda_[0], -32)
    assert placed.status[0] == "pair"
    [(who, other)] = placed.alternatives
    assert who == 0 and np.allclose(other, -placed.coordinates[0])


def test_jointly_is_reconstruction_of_one_and_certified(split):
    old, new, D, D_new = split
    model = adjoin.ClassicalMDS(2, metric="precomputed").fit(D)
    one = model.place(D_new[:1], between=[[0.0]])
    alone = model.place(D_new[:1], strategy="reconstruct")
    assert np.allclose(one.coordinates, alone.coordinates) and one.certified and one.gap == 0
    between = cdist(new, new)
    both = model.place(D_new, between=between)
    assert both.certified and both.strategy == "reconstruct"
    features = adjoin.ClassicalMDS(2).fit(old).place(new, between=True)
    assert close(features.coordinates, both.coordinates)


def test_a_given_configuration(cities):
    """Newcomers on a map that came from elsewhere: turned and moved, the same answers."""
    D, new = cities.to_numpy()[:18, :18], cities.to_numpy()[18:, :18]
    fitted = adjoin.ClassicalMDS(metric="precomputed").fit(D)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    given = adjoin.ClassicalMDS(metric="precomputed").fit(D, configuration=fitted.embedding_ @ turn + 7)
    moved = fitted.place(new, "reconstruct").coordinates @ turn + 7
    assert np.allclose(given.place(new, "reconstruct").coordinates, moved)
    assert np.allclose(given.embedding_, fitted.embedding_ @ turn + 7)
