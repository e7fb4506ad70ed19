"""Maps that grow and are refitted: the same answers as the core and the shell, models that do not change, names kept."""

import pickle

import adjoin
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist


@pytest.fixture
def cities():
    return adjoin.datasets.eurodist()


@pytest.fixture
def model(cities):
    return adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])


def test_members_are_where_they_were_placed_and_nobody_moves(cities, model):
    before = model.embedding_.copy()
    placed = model.place(cities.iloc[18:20, :18], strategy="reconstruct")
    grown = model.grow(cities.iloc[18:20, :18], strategy="reconstruct")
    assert type(grown) is type(model) and grown is not model
    np.testing.assert_array_equal(model.embedding_, before)
    np.testing.assert_array_equal(grown.embedding_[:18], before)
    np.testing.assert_array_equal(grown.embedding_[18:], placed.coordinates)
    assert grown.object_names_ == list(cities.columns[:20])
    assert grown.n_features_in_ == 20
    assert list(grown.feature_names_in_) == list(cities.columns[:20])
    [came] = grown.map_.generations
    assert (came["count"], came["strategy"], came["placed_on"], len(came["sha256"])) == (2, "reconstruct", 0, 64)
    # A single member that was reconstructed lands on itself.
    alone = model.grow(cities.iloc[18:19, :18], strategy="reconstruct")
    again = alone.transform(cities.iloc[18:19, :19])
    np.testing.assert_allclose(again[0], alone.embedding_[18], rtol=1e-10)


def test_columns_choose_the_generation(cities, model):
    grown = model.grow(cities.iloc[18:19, :18]).grow(cities.iloc[19:20, :19])
    new = cities.iloc[20:]
    for count, then in [(18, model), (19, grown.generation(1)), (20, grown)]:
        expected = then.place(new.iloc[:, :count], strategy="reconstruct")
        assert expected.known.tolist() == [count]
        for table in [new.iloc[:, :count], new.iloc[:, :count].iloc[:, ::-1], new.iloc[:, :count].to_numpy()]:
            found = grown.place(table, strategy="reconstruct")
            np.testing.assert_array_equal(found.coordinates, expected.coordinates)
            np.testing.assert_array_equal(found.p, expected.p)
        generation = len(then.map_.generations)
        found = grown.place(new.iloc[:, :20], strategy="reconstruct", generation=generation)
        np.testing.assert_array_equal(found.coordinates, expected.coordinates)
        # Arcs belong to the map as it was, too.
        np.testing.assert_array_equal(found.arcs(5)[0].coordinates, expected.arcs(5)[0].coordinates)
        assert grown.compare(new.iloc[:, :count]).placements["project"].known.tolist() == [count]
        assert grown.arc(new.iloc[0, :count], points=3).coordinates.shape == (3, 2)
    hole = new.iloc[:, :20].copy()
    hole.iloc[0, 19] = np.nan
    assert grown.place(hole).known.tolist() == [19]
    with pytest.raises(ValueError, match='no column for "Rome"'):
        grown.place(new.iloc[:, [*range(18), 19]])
    with pytest.raises(ValueError, match="found generation 3, expected one from 0 to 2"):
        grown.place(new.iloc[:, :20], generation=3)
    with pytest.raises(ValueError, match="generation: found -1"):
        grown.place(new.iloc[:, :20], generation=-1)


def test_wrong_members_are_refused(cities, model):
    grown = model.grow(cities.iloc[18:20, :18])
    with pytest.raises(ValueError, match='found the newcomer "Rome", which is on the map already'):
        grown.grow(cities.iloc[18:19, :18])
    features = np.random.default_rng(0).normal(size=(20, 3))
    isomap = adjoin.Isomap(n_neighbors=8).fit(features)
    with pytest.raises(ValueError, match="would have to move"):
        isomap.grow(features[:2])


def test_names_and_numbers(model, cities):
    grown = model.grow(cities.iloc[18:19, :18].to_numpy()).grow(cities.iloc[19:20, :19].to_numpy())
    assert grown.object_names_[18:] == ["new1", "new2"]
    array = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18].to_numpy())
    grown = array.grow(cities.iloc[18:20, :18].to_numpy())
    assert grown.object_names_ is None and len(grown.embedding_) == 20
    assert grown.transform(cities.iloc[20:, :20].to_numpy()).shape == (1, 2)


@pytest.mark.parametrize("metric", ["euclidean", "braycurtis", "canberra"])
def test_features(metric):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.gamma(2, size=(30, 4)), columns=list("abcd"), index=[f"s{i}" for i in range(30)])
    model = adjoin.ClassicalMDS(metric=metric).fit(X[:20])
    grown = model.grow(X[20:25])
    assert grown.X_fit_.shape == (25, 4)
    D = cdist(X, X, metric)
    same = adjoin.ClassicalMDS(metric="precomputed").fit(D[:20, :20]).grow(D[20:25, :20])
    found, expected = grown.place(X[25:]).coordinates, same.place(D[25:, :25]).coordinates
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(grown.generation(0).place(X[25:]).coordinates, model.place(X[25:]).coordinates)
    np.testing.assert_array_equal(grown.place(X[25:], generation=0).coordinates, model.place(X[25:]).coordinates)
    # A measure that the core does not have.
    own = adjoin.ClassicalMDS(metric=lambda a, b: np.abs(a - b).sum()).fit(X[:20])
    assert own.grow(X[20:25]).place(X[25:]).known.tolist() == [25] * 5


def test_jointly(cities, model):
    between = cities.iloc[18:, 18:]
    placed = model.place(cities.iloc[18:, :18], between=between)
    grown = model.grow(cities.iloc[18:, :18], between=between)
    np.testing.assert_array_equal(grown.embedding_[18:], placed.coordinates)
    assert grown.map_.generations[0]["jointly"]
    # Placed jointly, and entered again with all proximities, they land on themselves.
    again = grown.transform(cities.iloc[18:, :])
    np.testing.assert_allclose(again, grown.embedding_[18:], rtol=1e-6)


def test_growth_is_kept(cities, model, tmp_path):
    grown = model.grow(cities.iloc[18:20, :18])
    grown.save(tmp_path / "grown.adjoin")
    for again in [adjoin.load(tmp_path / "grown.adjoin"), pickle.loads(pickle.dumps(grown))]:
        assert again.map_.generations == grown.map_.generations
        new = cities.iloc[20:, :20]
        np.testing.assert_array_equal(again.transform(new), grown.transform(new))
        np.testing.assert_array_equal(
            again.place(cities.iloc[20:, :18]).coordinates, model.place(cities.iloc[20:, :18]).coordinates
        )


def test_refit(cities, model):
    anew = model.refit(cities)
    assert len(anew.embedding_) == 21
    moved = anew.refit_
    founders = anew.embedding_[:18] - model.embedding_
    far = np.sqrt((founders**2).sum(axis=1))
    assert moved["root_mean_square"] == pytest.approx(np.sqrt((far**2).mean()))
    assert moved["procrustes"] == pytest.approx((far**2).sum() / (model.embedding_**2).sum())
    assert moved["moved"][0] == (cities.columns[far.argmax()], pytest.approx(far.max()))
    # Turned, not scaled.
    fresh = adjoin.ClassicalMDS(metric="precomputed").fit(cities)
    np.testing.assert_allclose(
        cdist(anew.embedding_, anew.embedding_), cdist(fresh.embedding_, fresh.embedding_), atol=1e-6
    )
    # A founder entered again is where it is.
    np.testing.assert_allclose(anew.transform(cities), anew.embedding_, atol=1e-6)
    with pytest.raises(ValueError, match="found 0 of the map's 18 founders"):
        model.refit(cities.rename(index=str.upper, columns=str.upper))


def tau(P, w, similarity):
    """Gower's τ_w of proximities, written out."""
    A = P if similarity else -0.5 * P**2
    centre = np.eye(len(P)) - np.outer(np.ones(len(P)), w)
    return centre @ A @ centre.T


@pytest.mark.parametrize("kind", ["euclidean", "braycurtis", "rbf"])
def test_places_follow_from_tau_of_everybody(kind):
    """Two generations, and newcomers to all of them, beside τ_w with w on the founders and Z = (X; Y), by NumPy alone."""
    rng = np.random.default_rng([3, len(kind)])
    points = rng.gamma(1.5, size=(34, 7))
    similarity = kind == "rbf"
    P = np.exp(-0.05 * cdist(points, points, "sqeuclidean")) if similarity else cdist(points, points, kind)
    n, first, second, d = 20, 5, 6, 3
    own = np.diag(P)

    def itself(rows):
        return dict(self_similarity=own[rows]) if similarity else {}

    model = (adjoin.KernelPCA if similarity else adjoin.ClassicalMDS)(
        n_components=d, **({"kernel": "precomputed"} if similarity else {"metric": "precomputed"})
    ).fit(P[:n, :n])
    a, b = n + first, n + first + second
    grown = model.grow(P[n:a, :n], **itself(slice(n, a))).grow(P[a:b, :a], strategy="reconstruct", **itself(slice(a, b)))

    w = np.r_[np.full(n, 1 / n), np.zeros(len(P) - n)]
    B = tau(P, w, similarity)
    Z = grown.embedding_
    C, G, beta = Z.T @ Z, B[b:, :b] @ Z, np.diag(B)[b:]
    assert abs(C[0, 1]) > 1e-3 * C[0, 0]
    size = np.abs(Z).max()
    # The second generation, reconstructed on founders and the first: the equation of its stationary points, and the least of them.
    for i in range(a, b):
        y, X = Z[i], Z[:a]
        lam = y @ y - B[i, i]
        np.testing.assert_allclose((X.T @ X + lam * np.eye(d)) @ y, B[i, :a] @ X, atol=1e-9 * C[0, 0] * size)
        assert np.linalg.eigvalsh(X.T @ X)[0] + lam > 0
    placed = grown.place(P[b:, :b], **itself(slice(b, None)))
    np.testing.assert_allclose(placed.coordinates, np.linalg.solve(C, G.T).T, atol=1e-10 * size)
    # The residual is that on the founders' map, by which newcomers are measured.
    alone = np.linalg.solve(Z[:n].T @ Z[:n], (B[b:, :n] @ Z[:n]).T).T
    np.testing.assert_allclose(model.place(P[b:, :n], **itself(slice(b, None))).residual, beta - (alone**2).sum(1), atol=1e-10 * size**2)
    reconstructed = grown.place(P[b:, :b], strategy="reconstruct", **itself(slice(b, None)))
    for y, g, own_beta in zip(reconstructed.coordinates, G, beta):
        lam = y @ y - own_beta
        np.testing.assert_allclose((C + lam * np.eye(d)) @ y, g, atol=1e-9 * C[0, 0] * size)
        assert np.linalg.eigvalsh(C)[0] + lam > -1e-9 * C[0, 0]


def test_a_thousand_one_at_a_time():
    """Members who come one by one, each with the founders' columns only, are where all at once would be, and a later one by all of them."""
    rng = np.random.default_rng(8)
    points = rng.normal(size=(1031, 4)) * [4, 3, 2, 1]
    D = cdist(points, points)
    model = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(D[:30, :30])
    grown = model
    for i in range(30, 1030):
        grown = grown.grow(D[i : i + 1, :30])
    together = model.grow(D[30:1030, :30])
    assert len(grown.map_.generations) == 1000
    np.testing.assert_array_equal(grown.embedding_, together.embedding_)
    np.testing.assert_array_equal(grown.transform(D[1030:, :1030]), together.transform(D[1030:, :1030]))
    np.testing.assert_array_equal(grown.generation(500).embedding_, grown.embedding_[:530])


def test_features_of_members_are_in_the_order_of_the_fit():
    X = pd.DataFrame(np.random.default_rng(5).normal(size=(30, 4)), columns=list("abcd"))
    for metric in ("euclidean", "seuclidean"):
        grown = adjoin.ClassicalMDS(metric=metric).fit(X[:25]).grow(X.iloc[25:, ::-1])
        np.testing.assert_array_equal(grown.X_fit_, X.to_numpy())
