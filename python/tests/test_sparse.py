"""Sparse features, and features of single precision: the same bits as dense doubles, and never made that."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import adjoin


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(2)
    X = rng.poisson(0.15, size=(120, 400)) * rng.uniform(0.5, 2, size=400).astype(np.float32)
    X[:, 0] = 1
    # Which single precision has exactly.
    return X.astype(np.float32).astype(np.float64)


MODELS = {
    **{metric: (adjoin.ClassicalMDS, dict(metric=metric)) for metric in (
        "euclidean", "sqeuclidean", "cosine", "cityblock", "braycurtis", "canberra", "chebyshev", "hamming", "ruzicka", "tanimoto",
    )},
    "jaccard": (adjoin.ClassicalMDS, dict(metric="jaccard")),
    "landmarks": (adjoin.LandmarkMDS, dict(metric="euclidean", n_landmarks=30)),
    "isomap": (adjoin.Isomap, dict(n_neighbors=15, metric="minkowski", p=2)),
    "minkowski": (adjoin.Isomap, dict(n_neighbors=15, metric="minkowski", p=3)),
    "eigenmaps": (adjoin.LaplacianEigenmaps, dict(affinity="nearest_neighbors", n_neighbors=20)),
    **{kernel: (adjoin.KernelPCA, dict(kernel=kernel)) for kernel in ("linear", "rbf", "poly", "sigmoid", "laplacian", "minmax")},
    "cosine kernel": (adjoin.KernelPCA, dict(kernel="cosine")),
}


@pytest.mark.parametrize("form", ["csr", "single"])
@pytest.mark.parametrize("name", MODELS)
def test_other_forms_have_the_bits_of_dense_doubles(name, form, counts, tmp_path):
    estimator, parameters = MODELS[name]
    X = (counts > 0).astype(float) if name == "jaccard" else counts
    stored = sparse.csr_array if form == "csr" else (lambda X: X.astype(np.float32))
    plain = estimator(n_components=3, **parameters).fit(X[:90])
    model = estimator(n_components=3, **parameters).fit(stored(X[:90]))
    assert np.array_equal(model.embedding_, plain.embedding_)
    expected = plain.place(X[90:])
    for new in (stored(X[90:]), X[90:]):
        found = model.place(new)
        assert np.array_equal(found.coordinates, expected.coordinates)
        assert np.array_equal(found.residual, expected.residual, equal_nan=True)
        assert np.array_equal(model.transform(new), plain.transform(X[90:]))
    assert np.array_equal(plain.transform(stored(X[90:])), plain.transform(X[90:]))
    model.save(tmp_path / "map.adjoin")
    for other in (adjoin.load(tmp_path / "map.adjoin"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(other.transform(stored(X[90:])), plain.transform(X[90:]))
        if form == "csr":
            assert sparse.issparse(other.X_fit_)
        else:
            assert other.X_fit_.dtype == np.float32
    adjoin.load(tmp_path / "map.adjoin").save(tmp_path / "again.adjoin")
    assert (tmp_path / "again.adjoin").read_bytes() == (tmp_path / "map.adjoin").read_bytes()


def test_every_layout_of_sparse_matrices(counts):
    """Converted, with entries that come twice or out of order, and zeros that are written."""
    plain = adjoin.KernelPCA(2, kernel="rbf").fit(counts[:90])
    expected = plain.transform(counts[90:])
    for make in (sparse.csc_array, sparse.coo_array, sparse.lil_matrix, sparse.csr_matrix):
        model = adjoin.KernelPCA(2, kernel="rbf").fit(make(counts[:90]))
        assert np.array_equal(model.transform(make(counts[90:])), expected)
    twice = sparse.csr_array((np.array([1.0, 0.0, 2.0, 3.0]), np.array([7, 1, 7, 0]), np.array([0, 4])), shape=(1, 400))
    assert np.array_equal(model.transform(twice), plain.transform(twice.toarray()))
    assert sparse.issparse(model.X_fit_) and not twice.has_canonical_format


def test_a_map_of_sparse_features_is_small(counts):
    """A thousand landmarks of a vocabulary of 50,000 words would be 400 MB as dense doubles."""
    rng = np.random.default_rng(1)
    X = sparse.random_array((600, 50_000), density=0.001, format="csr", rng=rng)
    model = adjoin.LandmarkMDS(2, n_landmarks=200, metric="cosine").fit(X[:500])
    assert model.transform(X[500:]).shape == (100, 2)
    assert len(pickle.dumps(model)) < 3e6


def test_what_is_not_supported_is_refused_by_name(counts):
    X = sparse.csr_array(counts)
    for metric in ("correlation", "aitchison"):
        with pytest.raises(ValueError, match=f"sparse features for {metric}"):
            adjoin.ClassicalMDS(metric=metric).fit(X)
    for estimator in (adjoin.ClassicalMDS(metric="seuclidean"), adjoin.KernelPCA(kernel="chi2")):
        with pytest.raises(TypeError, match="found sparse features with '(seuclidean|chi2)'"):
            estimator.fit(X)
    with pytest.raises(TypeError, match="Sparse data was passed for X|found a sparse matrix"):
        adjoin.ClassicalMDS(metric="precomputed").fit(sparse.csr_array(np.eye(5)))
    model = adjoin.ClassicalMDS(2).fit(X[:90])
    with pytest.raises(ValueError, match="found 399 features, expected 400"):
        model.place(X[90:, 1:])
    with pytest.raises(ValueError, match="399 features"):
        model.transform(X[90:, 1:])
    bad = X[90:].copy()
    bad.data[3] = np.nan
    for call in (model.place, model.transform):
        with pytest.raises(ValueError, match="NaN"):
            call(bad)


def test_members_join_maps_of_every_form(counts):
    """Growing by features: the map is what it would be of dense doubles."""
    dense = adjoin.ClassicalMDS(2).fit(counts[:90])
    expected = dense.grow(counts[90:100]).transform(counts[100:])
    for make in (sparse.csr_array, lambda X: X.astype(np.float32)):
        model = adjoin.ClassicalMDS(2).fit(make(counts[:90])).grow(counts[90:100].astype(np.float32))
        assert np.array_equal(model.transform(make(counts[100:])), expected)
        assert model.X_fit_.shape == (100, 400)
    bits = np.packbits(counts > 0, axis=1)
    packed = adjoin.ClassicalMDS(2, metric="jaccard", metric_params={"packed": True}).fit(bits[:90])
    plain = adjoin.ClassicalMDS(2, metric="jaccard").fit((counts > 0).astype(float)[:90])
    assert np.array_equal(packed.transform(bits[90:]), plain.transform((counts > 0).astype(float)[90:]))
    for strategy in ("project", "reconstruct"):
        grown = packed.grow(bits[90:100], strategy), plain.grow((counts > 0).astype(float)[90:100], strategy)
        found, expected = grown[0].transform(bits[100:]), grown[1].transform((counts > 0).astype(float)[100:])
        assert np.array_equal(found, expected) and len(grown[0].map_.labels) == 100
    other = adjoin.ClassicalMDS(2).fit(sparse.csr_array(counts[:90])).grow(sparse.csr_array(counts[90:100]))
    assert np.array_equal(other.transform(counts[100:]), dense.grow(counts[90:100]).transform(counts[100:]))


def test_strategies_are_tried_on_sparse_features(counts):
    """`evaluate` takes what the fit took: sparse or dense, of the same objects; proximities may not be sparse."""
    X = counts[:60]
    for stored in (sparse.csr_array(X), X):
        model = adjoin.ClassicalMDS(metric="braycurtis").fit(stored)
        answers = [model.evaluate(D, folds=5, repeats=1).scores for D in (sparse.csr_array(X), sparse.coo_array(X), X)]
        for answer in answers[1:]:
            assert all(np.array_equal(values, answers[0][key], equal_nan=True) for key, values in answer.items())
        with pytest.raises(ValueError, match="found other features"):
            model.evaluate(sparse.csr_array(X[::-1]))
    with pytest.raises(TypeError, match="D: found sparse features with 'sokalsneath'"):
        adjoin.ClassicalMDS(metric="sokalsneath").fit(X > 0).evaluate(sparse.csr_array(X))
    precomputed = adjoin.ClassicalMDS(metric="precomputed").fit(model.dissimilarity_matrix_)
    with pytest.raises(TypeError, match="D: found a sparse matrix, expected a dense array: a zero that is not stored"):
        precomputed.evaluate(sparse.csr_array(model.dissimilarity_matrix_))
