"""Maps that were made elsewhere, with a link: nonmetric scaling, t-SNE, scikit-bio; and proofs for stress."""

import pickle
from types import SimpleNamespace

import adjoin
import numpy as np
import pandas as pd
import pytest
from sklearn.manifold import MDS, TSNE


def world(n=40, new=5, seed=3):
    """Return places of old objects and newcomers, and dissimilarities that are a growing function of their distances."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(n + new, 2))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    delta = 1 - np.exp(-distances)
    return places[:n], places[n:], delta[:n, :n], delta[n:, :n]


def test_newcomers_are_where_their_distances_are():
    """A monotone link recovers the places of newcomers, in the unit of the given coordinates, and proves them."""
    old, new, D, D_new = world()
    model = adjoin.GivenMap(link="monotone").fit(D, configuration=100 * old)
    assert np.abs(model.transform(D_new) - 100 * new).max() < 2
    placed = model.place(D_new, prove=True)
    assert placed.strategy == "stress"
    assert placed.certified.all() and (placed.gap <= 1e-9).all()
    assert model.place(D_new).certified is None
    assert np.array_equal(model.embedding_, 100 * old)
    assert model.link_["form"] == "monotone" and model.link_["stress"] < 1e-6
    assert model.link_["knots"].shape[1] == 2 and (np.diff(model.link_["knots"], axis=0) >= 0).all()
    assert len(model.link_["pairs"]) == 780
    assert model.link_error_["median"] < 0.02 * model.link_error_["radius"]
    assert len(model.link_error_["errors"]) == 40
    assert not hasattr(model, "eigenvalues_")
    left_out = model.leave_one_out().coordinates
    assert np.allclose(np.linalg.norm(left_out - 100 * old, axis=1), model.link_error_["errors"])


def test_the_same_by_features():
    """With a metric newcomers come as features."""
    rng = np.random.default_rng(5)
    features = rng.gamma(2.0, size=(30, 8))
    kept = MDS(n_init=1, init="random", random_state=0).fit_transform(features)
    model = adjoin.GivenMap(metric="braycurtis", force=True).fit(features, configuration=kept)
    D = adjoin.ClassicalMDS(metric="braycurtis").fit(features).dissimilarity_matrix_
    other = adjoin.GivenMap(force=True).fit(D, configuration=kept)
    assert np.allclose(model.transform(features[:4]), other.transform(D[:4]), atol=1e-9)


@pytest.mark.parametrize("link", ["monotone", "linear", "ratio", "none"])
def test_maps_are_kept(tmp_path, link):
    """Saved, loaded and pickled maps give the same answers and are GivenMaps."""
    old, _, _, _ = world()
    D = np.linalg.norm(old[:, None] - old[None], axis=2)
    names = [f"plot{i}" for i in range(40)]
    frame = pd.DataFrame(D, names, names)
    model = adjoin.GivenMap(link=link).fit(frame, configuration=old)
    expected = model.place(D[:3] + 0.1)
    assert expected.strategy == ("project" if link == "none" else "stress")
    model.save(tmp_path / "map.adjoin")
    loaded = adjoin.load(tmp_path / "map.adjoin")
    for again in (loaded, pickle.loads(pickle.dumps(model))):
        assert isinstance(again, adjoin.GivenMap) and again.link == link
        assert np.array_equal(again.place(D[:3] + 0.1).coordinates, expected.coordinates)
        assert again.object_names_ == names


def test_embeddings_of_others():
    """Estimators with an embedding_, tables by name in any order, and whatever has samples as OrdinationResults do."""
    cities = adjoin.datasets.eurodist()
    D = cities.to_numpy()
    made = MDS(metric="precomputed", metric_mds=False, n_init=1, init="random", random_state=4).fit(D)
    table = pd.DataFrame(made.embedding_, cities.index, ["NMDS1", "NMDS2"])
    turned = table.iloc[::-1]
    tsne = TSNE(metric="precomputed", init="random", perplexity=5, random_state=1).fit(D)
    for given in (made, table, turned, SimpleNamespace(samples=turned)):
        model = adjoin.GivenMap().fit(cities, configuration=given)
        assert np.array_equal(model.embedding_, made.embedding_)
    model = adjoin.GivenMap(force=True).fit(cities, configuration=tsne)
    assert np.array_equal(model.embedding_, tsne.embedding_.astype(np.float64))
    skbio = pytest.importorskip("skbio")
    results = skbio.OrdinationResults("NMDS", "NMDS", pd.Series([1.0, 1.0]), turned)
    model = adjoin.GivenMap().fit(skbio.DistanceMatrix(D, list(cities.index)), configuration=results)
    assert np.array_equal(model.embedding_, made.embedding_)


def test_weights_are_matched_and_kept():
    """sample_weight goes into the link and into the placing of newcomers."""
    old, new, D, D_new = world()
    names = [f"plot{i}" for i in range(40)]
    frame = pd.DataFrame(D, names, names)
    weights = pd.Series(np.arange(40) % 3, names)
    model = adjoin.GivenMap().fit(frame, configuration=old, sample_weight=weights[::-1])
    plain = model.place(D_new).coordinates
    said = model.place(D_new, weights=weights).coordinates
    assert np.array_equal(plain, said)


def test_a_remark_on_newcomers_from_afar():
    """Dissimilarities far outside those of the old pairs are remarked on."""
    old, _, _, _ = world()
    D = np.linalg.norm(old[:, None] - old[None], axis=2)
    model = adjoin.GivenMap().fit(D, configuration=old)
    far = np.linalg.norm(old - [20, 0], axis=1)[None]
    assert any("far outside those of the old objects" in remark or "unit" in remark for remark in model.place(far).remarks_)
    assert model.place(D[:1] + 0.01).remarks_ == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda D, X: adjoin.GivenMap().fit(D), "configuration: found None"),
        (lambda D, X: adjoin.GivenMap().fit(D, configuration=X[:-1]), "configuration: found 39"),
        (lambda D, X: adjoin.GivenMap(link="cubic").fit(D, configuration=X), 'link: found "cubic"'),
        (lambda D, X: adjoin.GivenMap(kind="similarity").fit(D, configuration=X), "link: found a link beside similarities"),
        (lambda D, X: adjoin.GivenMap(rescale=True).fit(D, configuration=X), "configuration: found a wish to rescale beside a link"),
        (lambda D, X: adjoin.GivenMap().fit(1.0 - np.eye(40), configuration=X), "link: found one dissimilarity, 1,"),
        (lambda D, X: adjoin.GivenMap().fit(D, configuration=np.roll(X, 5, axis=0)), "force takes it all the same"),
        (lambda D, X: adjoin.GivenMap(strategy="project").fit(D, configuration=X).transform(D), "expected stress, its own"),
        (lambda D, X: adjoin.GivenMap().fit(D, configuration=X).compare(D), "a comparison of strategies cannot be had here"),
        (lambda D, X: adjoin.ClassicalMDS(metric="precomputed").fit(D).place(D, prove=True), "prove: found a proof beside project"),
        (lambda D, X: adjoin.ClassicalMDS(4, metric="precomputed").fit(D).place(D, strategy="stress", prove=True), "at most 3"),
        (lambda D, X: adjoin.GivenMap(link="none").fit(D, configuration=1000 * X), "a monotone link"),
        (
            lambda D, X: adjoin.GivenMap().fit(
                pd.DataFrame(D, *[[f"p{i}" for i in range(40)]] * 2),
                configuration=pd.DataFrame(X, [f"q{i}" for i in range(40)]),
            ),
            "configuration: found nothing for 'p0'",
        ),
    ],
)
def test_one_thing_wrong_at_a_time(wrong, words):
    """A ValueError that names the parameter and says what was expected."""
    old, _, _, _ = world()
    D = np.linalg.norm(old[:, None] - old[None], axis=2)
    D = np.sqrt(D)
    with pytest.raises(ValueError, match="expected") as error:
        wrong(D, old)
    assert words in str(error.value)
