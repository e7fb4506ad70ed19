"""Kernel PCA, Landmark MDS, Isomap and Laplacian eigenmaps: scikit-learn's answers, and what scikit-learn has not."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.spatial.distance import cdist
from sklearn import decomposition, manifold
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine, make_swiss_roll
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import adjoin

FAMILIES = {
    "classical": lambda **p: adjoin.ClassicalMDS(**p),
    "kernel": lambda **p: adjoin.KernelPCA(**{"n_components": 2, "kernel": "rbf", "gamma": 0.05, **p}),
    "landmark": lambda **p: adjoin.LandmarkMDS(**{"n_landmarks": 40, **p}),
    "isomap": lambda **p: adjoin.Isomap(**{"n_neighbors": 8, **p}),
    "landmark isomap": lambda **p: adjoin.Isomap(**{"n_neighbors": 8, "n_landmarks": 30, **p}),
    "laplacian": lambda **p: adjoin.LaplacianEigenmaps(**{"gamma": 0.05, **p}),
    "eigenmap": lambda **p: adjoin.LaplacianEigenmaps(
        **{"affinity": "nearest_neighbors", "n_neighbors": 12, "time": 0, **p}
    ),
}


@pytest.fixture(params=FAMILIES)
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    order = np.random.default_rng(1).permutation(len(X))
    return X[order], y[order]


def same(found, expected, tolerance=1e-9):
    """Equal up to the signs of axes, which are taken from all rows together."""
    signs = np.sign(np.sum(found * expected, axis=0))
    assert np.abs(found - signs * expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize(
    "model",
    [
        adjoin.KernelPCA(),
        adjoin.KernelPCA(2, kernel="rbf"),
        adjoin.KernelPCA(2, kernel="precomputed"),
        adjoin.LandmarkMDS(),
        adjoin.LandmarkMDS(metric="precomputed"),
        adjoin.Isomap(),
        adjoin.Isomap(metric="precomputed"),
        adjoin.LaplacianEigenmaps(),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_check_estimator_passes_without_expected_failures(model):
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] in ("failed", "xfail")] == []
    assert sum(r["status"] == "passed" for r in results) > 40


# ---------------------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize(
    "kernel, parameters",
    [
        ("linear", {}),
        ("rbf", {"gamma": 0.07}),
        ("rbf", {}),
        ("poly", {"degree": 2, "coef0": 0.5}),
        ("sigmoid", {"gamma": 0.01}),
        ("cosine", {}),
    ],
)
def test_kernel_pca_is_scikit_learns(wine, kernel, parameters):
    X, _ = wine
    theirs = decomposition.KernelPCA(3, kernel=kernel, eigen_solver="dense", **parameters).fit(X[:120])
    ours = adjoin.KernelPCA(3, kernel=kernel, **parameters).fit(X[:120])
    both = [np.vstack([m.transform(X[:120]), m.transform(X[120:])]) for m in (ours, theirs)]
    same(*both)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    same(ours.eigenvectors_, theirs.eigenvectors_)
    np.testing.assert_array_equal(ours.X_fit_, theirs.X_fit_)
    np.testing.assert_allclose(ours.embedding_, ours.transform(X[:120]), atol=1e-9 * np.abs(ours.embedding_).max())


def test_kernels_precomputed_callable_and_of_scikit_learn_only(wine):
    X, _ = wine
    X = np.abs(X)
    expected = adjoin.KernelPCA(2, kernel="rbf", gamma=0.1).fit(X[:120])
    K, K_new = pairwise_kernels(X[:120], metric="rbf", gamma=0.1), pairwise_kernels(X[120:], X[:120], metric="rbf", gamma=0.1)
    precomputed = adjoin.KernelPCA(2, kernel="precomputed").fit(K)
    by_hand = adjoin.KernelPCA(2, kernel=lambda a, b: np.exp(-0.1 * np.sum((a - b) ** 2))).fit(X[:120])
    for strategy in ("project", "reconstruct"):
        wanted = expected.place(X[120:], strategy=strategy).coordinates
        same(precomputed.place(K_new, strategy=strategy, self_similarity=1.0).coordinates, wanted)
        same(by_hand.place(X[120:], strategy=strategy).coordinates, wanted)
    jointly = expected.place(X[120:130], between=True)
    same(by_hand.place(X[120:130], between=True).coordinates, jointly.coordinates, 1e-6)
    # All old objects are as similar to themselves: newcomers are taken to be.
    assumed = precomputed.place(K_new, strategy="reconstruct")
    same(assumed.coordinates, expected.place(X[120:], strategy="reconstruct").coordinates)
    assert "taken to be 1, as all old objects' are" in assumed.remarks_[0]
    uneven = adjoin.KernelPCA(2, kernel="precomputed").fit(K + np.diag(np.linspace(0, 0.5, 120)))
    with pytest.raises(ValueError, match="self_similarity: found no similarity of row 0 to itself"):
        uneven.place(K_new, strategy="reconstruct")
    with pytest.raises(ValueError, match="callable, which cannot be saved"):
        by_hand.save("nowhere")
    # A kernel that only scikit-learn has.
    theirs = decomposition.KernelPCA(2, kernel="precomputed", eigen_solver="dense")
    chi2 = theirs.fit(pairwise_kernels(X[:120], metric="chi2")).transform(pairwise_kernels(X[120:], X[:120], metric="chi2"))
    same(adjoin.KernelPCA(2, kernel="chi2", gamma=1.0).fit(X[:120]).transform(X[120:]), chi2)


def test_kernel_params_beside_a_name(wine):
    """Nothing that is given is ignored."""
    X = np.abs(wine[0][:60])
    for kernel, given, message in (
        ("rbf", dict(gamma=0.1, kernel_params={"gamma": 0.5}), "kernel_params: found 'gamma' beside kernel='rbf', expected 'packed' alone"),
        ("poly", dict(degree=2, kernel_params={"coef0": 2}), "kernel_params: found 'coef0' beside kernel='poly'"),
        ("chi2", dict(kernel_params={"degree": 2}), "kernel_params: found 'degree' beside kernel='chi2'"),
        ("chi2", dict(gamma=0.1, kernel_params={"gamma": 0.5}), "kernel_params: found 'gamma' beside gamma=0.1, expected one of them"),
        ("precomputed", dict(kernel_params={"gamma": 0.5}), "kernel_params: found 'gamma' beside kernel='precomputed'"),
    ):
        with pytest.raises(ValueError, match=message):
            adjoin.KernelPCA(2, kernel=kernel, **given).fit(X)
    by_name = adjoin.KernelPCA(2, kernel="chi2", kernel_params={"gamma": 0.5}).fit(X)
    assert np.array_equal(by_name.embedding_, adjoin.KernelPCA(2, kernel="chi2", gamma=0.5).fit(X).embedding_)


def test_all_components(wine):
    X, _ = wine
    assert adjoin.KernelPCA().fit(X).embedding_.shape == (178, 13)
    assert adjoin.ClassicalMDS("auto").fit(X).embedding_.shape[1] in range(1, 13)


@pytest.mark.parametrize("parameters", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 7.0}, {"n_neighbors": 6, "p": 1}])
def test_isomap_is_scikit_learns(parameters):
    X, _ = make_swiss_roll(400, random_state=2)
    theirs = manifold.Isomap(eigen_solver="dense", **parameters).fit(X[:300])
    ours = adjoin.Isomap(**parameters).fit(X[:300])
    both = [np.vstack([m.embedding_, m.transform(X[300:])]) for m in (ours, theirs)]
    same(*both)
    D = cdist(X, X[:300], metric="cityblock" if "p" in parameters else "euclidean")
    for kind, power in (("dissimilarity", 1), ("squared", 2)):
        own = {key: value for key, value in parameters.items() if key != "p"}
        precomputed = adjoin.Isomap(metric="precomputed", kind=kind, **own).fit(D[:300] ** power)
        same(np.vstack([precomputed.embedding_, precomputed.transform(D[300:] ** power)]), both[0], 1e-7)


def test_isomap_parameters_begin_as_scikit_learns():
    import inspect

    ours = inspect.signature(adjoin.Isomap).parameters
    theirs = inspect.signature(manifold.Isomap).parameters
    for name in ("n_neighbors", "radius", "n_components", "n_jobs", "metric", "p", "metric_params"):
        assert ours[name] == theirs[name]
    ours = inspect.signature(adjoin.KernelPCA).parameters
    theirs = inspect.signature(decomposition.KernelPCA).parameters
    for name in ("n_components", "kernel", "gamma", "degree", "coef0", "kernel_params", "n_jobs"):
        assert ours[name] == theirs[name]


def test_pieces_of_a_graph(rng):
    X = np.vstack([rng.standard_normal((20, 3)), rng.standard_normal((9, 3)) + 50])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = manifold.Isomap(n_neighbors=4, eigen_solver="dense").fit(X)
    with pytest.warns(UserWarning, match="2 components: every two of them were joined"):
        ours = adjoin.Isomap(n_neighbors=4).fit(X)
    same(ours.embedding_, theirs.embedding_)
    assert "joined" in ours.findings_[-1]
    with pytest.raises(ValueError, match=r'in 2 pieces \(of 20, 9 objects\).*object 20 is outside'):
        adjoin.Isomap(n_neighbors=4, disconnected="refuse").fit(X)
    with pytest.warns(UserWarning, match="9 of 29 objects"):
        largest = adjoin.Isomap(n_neighbors=4, disconnected="largest").fit(X)
    assert largest.kept_ == list(range(20)) and largest.object_names_ is None and len(largest.embedding_) == 20
    assert largest.transform(X[:3]).shape == (3, 2)
    by_hand = adjoin.Isomap(n_neighbors=4, disconnected="largest", metric=lambda a, b: np.linalg.norm(a - b))
    with pytest.warns(UserWarning):
        same(by_hand.fit(X).transform(X[:20]), largest.embedding_, 1e-6)
    with pytest.raises(ValueError, match="in 2 pieces"):
        adjoin.LaplacianEigenmaps(affinity="nearest_neighbors", n_neighbors=4).fit(X)


@pytest.mark.parametrize("parameters", [{"affinity": "rbf", "gamma": 0.03}, {"affinity": "nearest_neighbors", "n_neighbors": 15}])
def test_spectral_embedding_is_scikit_learns(wine, parameters):
    X, _ = wine
    theirs = manifold.SpectralEmbedding(2, eigen_solver="arpack", eigen_tol=1e-14, random_state=0, **parameters)
    ours = adjoin.LaplacianEigenmaps(2, time=0, diagonal=False, **parameters).fit(X)
    same(ours.embedding_, theirs.fit_transform(X), 1e-7)


def test_laplacian_of_given_similarities(wine):
    X, _ = wine
    K = pairwise_kernels(X[:120], metric="rbf", gamma=0.05)
    K_new = pairwise_kernels(X[120:], X[:120], metric="rbf", gamma=0.05)
    expected = adjoin.LaplacianEigenmaps(gamma=0.05, alpha=0.5).fit(X[:120])
    given = adjoin.LaplacianEigenmaps(affinity="precomputed", alpha=0.5).fit(K)
    by_hand = adjoin.LaplacianEigenmaps(affinity=lambda a, b: np.exp(-0.05 * np.sum((a - b) ** 2)), alpha=0.5).fit(X[:120])
    wanted = expected.place(X[120:], strategy="reconstruct").coordinates
    same(given.place(K_new, strategy="reconstruct", self_similarity=1.0).coordinates, wanted)
    same(by_hand.place(X[120:], strategy="reconstruct").coordinates, wanted)


def test_landmark_mds(wine):
    X, _ = wine
    D = cdist(X, X)
    whole = adjoin.ClassicalMDS(2).fit(X)
    everybody = adjoin.LandmarkMDS(2, n_landmarks=178, rotate=False).fit(X)
    same(everybody.embedding_, whole.embedding_, 1e-10)
    some = adjoin.LandmarkMDS(2, n_landmarks=30).fit(X)
    from_square = adjoin.LandmarkMDS(2, n_landmarks=30, metric="precomputed").fit(D)
    assert np.array_equal(some.landmarks_, from_square.landmarks_)
    same(from_square.embedding_, some.embedding_, 1e-10)
    rectangle = D[:, some.landmarks_]
    from_rectangle = adjoin.LandmarkMDS(2, landmarks=some.landmarks_, metric="precomputed").fit(rectangle)
    same(from_rectangle.embedding_, some.embedding_, 1e-10)
    # Everybody comes again: by features, by all columns, by the landmarks' columns.
    for model, again in ((some, X), (from_square, D), (from_rectangle, rectangle), (from_square, rectangle)):
        shown = model.place(again).coordinates
        np.testing.assert_allclose(shown, model.embedding_, atol=1e-9)
    by_hand = adjoin.LandmarkMDS(2, n_landmarks=30, metric=lambda a, b: np.linalg.norm(a - b)).fit(X)
    same(by_hand.transform(X), some.embedding_, 1e-8)
    drawn = adjoin.LandmarkMDS(n_landmarks=20, landmarks="random", random_state=4).fit(X)
    assert len(set(drawn.landmarks_)) == 20
    with pytest.raises(ValueError, match="n_landmarks: found 500"):
        adjoin.LandmarkMDS(n_landmarks=500).fit(X)
    with pytest.raises(ValueError, match="landmarks: found a landmark with the number 179"):
        adjoin.LandmarkMDS(landmarks=[0, 1, 178]).fit(X)
    with pytest.raises(ValueError, match="landmarks: found \"best\""):
        adjoin.LandmarkMDS(landmarks="best").fit(X)


def test_landmark_isomap_is_turned_if_asked_and_takes_weights(wine):
    X, _ = wine
    plain = adjoin.Isomap(n_neighbors=8, n_landmarks=30).fit(X[:150])
    turned = adjoin.Isomap(n_neighbors=8, n_landmarks=30, rotate=True).fit(X[:150])
    assert np.array_equal(plain.landmarks_, turned.landmarks_) and len(plain.landmarks_) == 30
    # Principal axes: uncorrelated coordinates. The landmarks' own are not.
    off = [abs(np.corrcoef(model.embedding_.T)[0, 1]) for model in (plain, turned)]
    assert off[1] < 1e-9 < off[0]
    trusted = np.ones(150)
    trusted[plain.landmarks_[:10]] = 0.0
    heavier = plain.place(X[150:], weights=trusted).coordinates
    assert np.abs(heavier - plain.place(X[150:]).coordinates).max() > 1e-6
    with pytest.raises(ValueError, match="rotate: found a rotation"):
        adjoin.Isomap(n_neighbors=8, rotate=True).fit(X)


def test_a_lopsided_square_is_refused_by_every_family(wine):
    X, _ = wine
    D = cdist(X[:40], X[:40])
    D[1, 2] += 1
    K = np.exp(-D)
    for model, square in (
        (adjoin.ClassicalMDS(metric="precomputed"), D),
        (adjoin.KernelPCA(2, kernel="precomputed"), K),
        (adjoin.LandmarkMDS(n_landmarks=10, metric="precomputed"), D),
        (adjoin.Isomap(metric="precomputed"), D),
        (adjoin.LaplacianEigenmaps(affinity="precomputed"), K),
    ):
        with pytest.raises(ValueError, match="X: found .* the other way, expected a symmetric matrix"):
            model.fit(square)


def test_landmark_tables(wine):
    """A labelled square over everybody: landmarks are found by name, other old objects are not in the way."""
    X, _ = wine
    labels = [f"w{i}" for i in range(len(X))]
    D = pd.DataFrame(cdist(X, X), labels, labels)
    model = adjoin.LandmarkMDS(n_landmarks=30, metric="precomputed").fit(D.iloc[:150, :150])
    expected = model.place(D.to_numpy()[150:, :150]).coordinates
    placed = model.place(D.iloc[150:, :150].sample(frac=1, axis=1, random_state=0))
    np.testing.assert_array_equal(placed.coordinates, expected)
    assert placed.labels == labels[150:]
    together = model.place(D, between=True)
    assert together.labels == labels[150:] and together.certified is not None
    # Weights by name may be of all objects; by position they are of the landmarks.
    weights = pd.Series(np.arange(1.0, 151.0), index=labels[:150])
    by_name = model.place(D.iloc[150:, :150], weights=weights)
    by_position = model.place(D.iloc[150:, :150], weights=weights.to_numpy()[model.landmarks_])
    np.testing.assert_array_equal(by_name.coordinates, by_position.coordinates)


# -------------------------------------------------------------------------------- what all share


def test_every_family_has_every_call(family, wine):
    X, _ = wine
    model = family().fit(X[:150])
    new = X[150:]
    assert model.embedding_.shape == (150, 2)
    shown = model.transform(new)
    assert np.array_equal(shown, model.place(new).coordinates)
    assert np.array_equal(shown, np.vstack([model.transform(x[None, :]) for x in new]))
    placed = model.place(new, strategy="reconstruct")
    assert np.array_equal(placed.projections, shown)
    assert (placed.margin >= 0).all()
    assert (placed.objective <= model.place(new).objective * (1 + 1e-9)).all()
    arc = model.arc(new[0], points=7)
    np.testing.assert_allclose(arc.coordinates[0], shown[0], atol=1e-12)
    np.testing.assert_allclose(arc.coordinates[-1], placed.coordinates[0], atol=1e-9 * np.abs(shown).max())
    np.testing.assert_array_equal(placed.arcs(7)[0].coordinates, arc.coordinates)
    jointly = model.place(new[:6], between=True)
    assert jointly.certified is not None and np.isfinite(jointly.coordinates).all()
    comparison = model.compare(new[:4], between=True)
    assert {"project", "reconstruct"} <= set(comparison.placements) and comparison.jointly is not None
    assert np.array_equal(comparison.placements["project"].coordinates, shown[:4])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.transform(new), shown)
    back = pickle.loads(pickle.dumps(placed))
    assert np.array_equal(back.projections, placed.projections)
    with pytest.raises(NotFittedError):
        clone(model).transform(new)
    name = type(model).__name__.lower()
    assert model.get_feature_names_out().tolist() == [f"{name}0", f"{name}1"]
    assert model.plot() is not None and placed.plot() is not None


def test_threads_change_nothing(family, wine):
    X, _ = wine
    one, two = (family(n_jobs=jobs).fit(X[:150]) for jobs in (1, 2))
    np.testing.assert_allclose(one.embedding_, two.embedding_, atol=1e-10 * np.abs(one.embedding_).max())
    assert np.array_equal(one.transform(X[150:]), one.set_params(n_jobs=2).transform(X[150:]))


def test_saved_maps_take_features(family, wine, tmp_path):
    X, _ = wine
    model = family().fit(X[:150])
    model.save(tmp_path / "map.adjoin")
    again = adjoin.load(tmp_path / "map.adjoin")
    assert type(again) is type(model)
    assert np.array_equal(again.embedding_, model.embedding_)
    assert np.array_equal(again.transform(X[150:]), model.transform(X[150:]))
    for strategy in ("project", "reconstruct"):
        ours, theirs = (m.place(X[150:], strategy=strategy) for m in (again, model))
        assert np.array_equal(ours.coordinates, theirs.coordinates)
    assert again.n_features_in_ == 13
    # Fitted again from its own parameters and features, it is the same map.
    if type(model) is not adjoin.LandmarkMDS:
        refitted = clone(again).fit(X[:150])
        same(refitted.embedding_, model.embedding_, 1e-8)


def test_columns_are_matched_by_name(family, wine):
    X, _ = wine
    names = [f"f{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, [f"w{i}" for i in range(len(X))], names)
    model = family().fit(frame[:150])
    assert model.object_names_[3] == "w3"
    plain = family().fit(X[:150])
    assert np.array_equal(plain.embedding_, model.embedding_)
    expected = plain.place(X[150:]).coordinates
    turned = frame[150:][names[::-1]]
    placed = model.place(turned)
    assert np.array_equal(placed.coordinates, expected) and placed.labels[0] == "w150"
    assert np.array_equal(model.place(pl.DataFrame(X[150:], schema=names)).coordinates, expected)
    with pytest.raises(ValueError, match='found no feature "f0"'):
        model.place(turned.rename(columns={"f0": "g"}))
    with pytest.raises(ValueError, match="feature names"):
        model.transform(turned)
    with pytest.raises(ValueError, match="missing or not finite"):
        model.place(np.where(X[150:] == X[150, 0], np.nan, X[150:]))


def test_cross_validation(family, wine):
    X, y = wine
    scores = cross_val_score(make_pipeline(family(), KNeighborsClassifier(5)), X, y)
    assert scores.mean() > 0.8
    search = GridSearchCV(make_pipeline(family(), KNeighborsClassifier(5)), {f"{type(family()).__name__.lower()}__strategy": ["project", "reconstruct"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.75


@pytest.mark.parametrize("name", ["landmark", "isomap"])
def test_a_precomputed_square_is_sliced_both_ways(name, wine):
    X, y = wine
    scores = [
        cross_val_score(make_pipeline(FAMILIES[name](**p), KNeighborsClassifier(5)), data, y)
        for p, data in (({}, X), ({"metric": "precomputed"}, cdist(X, X)))
    ]
    np.testing.assert_allclose(*scores, atol=0.06)


def test_a_newcomer_that_nobody_is_near():
    X = np.linspace(0, 10, 40)[:, None] * [1.0, 0.5]
    model = adjoin.Isomap(n_neighbors=None, radius=1.0, n_components=1).fit(X)
    placed = model.place([[2.0, 1.0], [500.0, 0.0]])
    assert placed.status.tolist() == ["unique", "too_few"] and np.isnan(placed.coordinates[1]).all()
    with pytest.raises(ValueError, match="too_few"):
        model.transform([[500.0, 0.0]])


@pytest.mark.parametrize(
    "model, match",
    [
        (adjoin.Isomap(n_neighbors=150), "n_neighbors: found 150 neighbours for each of 150 objects"),
        (adjoin.Isomap(n_neighbors=3, radius=1.0), "n_neighbors: found 3 beside a radius"),
        (adjoin.Isomap(n_neighbors=None, radius=-1.0), "radius: found -1"),
        (adjoin.Isomap(n_neighbors=2.5), "n_neighbors: found 2.5"),
        (adjoin.Isomap(n_neighbors=None), "n_neighbors: found None and no radius"),
        (adjoin.KernelPCA(strategy="guess"), "strategy: found 'guess'"),
        (adjoin.Isomap(disconnected="maybe"), "disconnected: found \"maybe\""),
        (adjoin.LaplacianEigenmaps(gamma=-1.0), "gamma: found -1"),
        (adjoin.LaplacianEigenmaps(affinity="magic"), "affinity: found 'magic'"),
        (adjoin.LaplacianEigenmaps(metric="magic"), "metric: found 'magic'"),
        (adjoin.KernelPCA(kernel="magic"), "magic"),
        (adjoin.KernelPCA(400, kernel="rbf"), "n_components: found 149 positive eigenvalues"),
        (adjoin.ClassicalMDS(metric="magic"), "metric: found 'magic'"),
        (adjoin.ClassicalMDS("some"), "n_components"),
        (adjoin.ClassicalMDS(metric="braycurtis"), "Negative values in data|at least 0|negative"),
    ],
    ids=str,
)
def test_what_cannot_be_had_is_said(model, match, wine):
    with pytest.raises((ValueError, TypeError), match=match):
        model.fit(wine[0][:150])


def test_metrics_of_the_core_are_scipys(wine):
    X = np.abs(wine[0])
    for metric in ("euclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation", "braycurtis", "canberra"):
        params = {"p": 3} if metric == "minkowski" else {}
        model = adjoin.ClassicalMDS(metric=metric, metric_params=params).fit(X)
        np.testing.assert_allclose(model.dissimilarity_matrix_, cdist(X, X, metric, **params), atol=1e-12)
        assert model.map_.has_source


def test_digits():
    """Isomap of digits tells most of them apart, newcomers too."""
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(adjoin.Isomap(n_neighbors=10, n_components=8), KNeighborsClassifier(5))
    assert model.fit(X[:700], y[:700]).score(X[700:1100], y[700:1100]) > 0.85
