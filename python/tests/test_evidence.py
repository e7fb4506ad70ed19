"""Who newcomers are like, when to refit, and which strategy predicts better."""

import pickle

import adjoin
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist


@pytest.fixture
def placed(cities):
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    return model, cities.iloc[18:, :18]


@pytest.fixture
def cities():
    return adjoin.datasets.eurodist()


def test_a_pickle_has_the_options_and_the_threads_that_it_may(placed, monkeypatch):
    """The same vote before and after, on as many threads as OMP_NUM_THREADS grants."""
    from adjoin import _placements

    model, new = placed
    y = ["a", "b"] * 9
    asked = []

    class Map:
        def __init__(self, map_):
            self._map = map_

        def __getattr__(self, name):
            return getattr(self._map, name)

        def groups(self, places, how, codes, k, run):
            asked.append((how, run))
            return self._map.groups(places, how, codes, k, run)

    monkeypatch.setattr(_placements, "threads", lambda n_jobs: 3)
    for options in (dict(recentre=True), dict(scaled=True)):
        before = model.place(new, "augment", **options)
        after = pickle.loads(pickle.dumps(before))
        object.__setattr__(after, "_map", Map(after._map))
        for found in (after, after[:2]):
            assert found.groups(y).accuracy == before.groups(y).accuracy
        assert asked[-2:] == [(("augment", "recentre" in options, "scaled" in options, False), (3, None))] * 2


def test_nearest_are_those_of_a_sorted_row(placed):
    """By given proximity, kept in the one reading or read later, of all newcomers or some."""
    model, new = placed
    kept = model.place(new, neighbours=4)
    later = model.place(new)
    for found in (kept.neighbours(3), later.neighbours(3)):
        order = np.argsort(new.to_numpy(), axis=1, kind="stable")[:, :3]
        assert (found.indices == order).all()
        assert found.objects.tolist() == new.columns.to_numpy()[order].tolist()
        np.testing.assert_array_equal(found.given, np.take_along_axis(new.to_numpy(), order, axis=1))
        shown = cdist(kept.coordinates, model.embedding_)
        np.testing.assert_allclose(found.shown, np.take_along_axis(shown, order, axis=1))
    some = later[[2, 0]].neighbours(2)
    assert some.labels == ["Vienna", "Rome"]
    assert (some.indices == later.neighbours(2).indices[[2, 0]]).all()
    frame = later.neighbours(2).to_frame()
    assert frame.columns.tolist()[:3] == ["nearest1", "nearest1_given", "nearest1_shown"]


def test_a_pickle_has_the_nearest_that_were_kept(placed):
    """Others' tables do not travel with the answer."""
    model, new = placed
    kept = pickle.loads(pickle.dumps(model.place(new, neighbours=2)))
    assert kept.neighbours(2).indices.shape == (3, 2)
    with pytest.raises(ValueError, match="neighbours=K"):
        kept.neighbours(3)


@pytest.mark.parametrize("k", [0, 19, 2.5])
def test_nearest_that_cannot_be(placed, k):
    model, new = placed
    with pytest.raises(ValueError, match="k: found .*, expected an integer between 1 and 18"):
        model.place(new).neighbours(k)


def test_groups_by_position_and_by_name(placed):
    """A list, a Series in any order and a dict are the same groups; their accuracy is that of the same vote."""
    model, new = placed
    names = new.columns
    south = [name in ("Athens", "Barcelona", "Gibraltar", "Lisbon", "Madrid", "Marseilles", "Milan") for name in names]
    by_name = pd.Series(south, index=names)
    answers = [model.place(new).groups(y, k=3) for y in (south, by_name.iloc[::-1], dict(by_name))]
    for answer in answers:
        assert answer.classes.tolist() == [False, True]
        assert answer.group.tolist() == answers[0].group.tolist()
        np.testing.assert_allclose(answer.shares.sum(axis=1), 1)
    places = model.leave_one_out().coordinates
    far = cdist(places, places)
    np.fill_diagonal(far, np.inf)
    votes = np.array(south)[np.argsort(far, axis=1)[:, :3]].sum(axis=1) >= 2
    assert answers[0].accuracy == pytest.approx(np.mean(votes == south))
    assert answers[0].to_frame().columns[:2].tolist() == ["group", "group_accuracy"]


def test_groups_that_cannot_be(placed):
    """One wrong thing at a time."""
    model, new = placed
    found = model.place(new)
    y = ["a", "b"] * 9
    assert len(found.groups(y)) == 3
    with pytest.raises(ValueError, match="y: found 17, expected 18"):
        found.groups(y[1:])
    with pytest.raises(ValueError, match="y: found one group only, 'a', expected"):
        found.groups(["a"] * 18)
    with pytest.raises(ValueError, match="y: found nothing for 'Athens'"):
        found.groups([None, *y[1:]])
    with pytest.raises(ValueError, match="y: found nothing for 'Lyons'"):
        found.groups(pd.Series(y, index=new.columns).drop("Lyons"))
    nameless = adjoin.ClassicalMDS(metric="precomputed").fit(model.dissimilarity_matrix_)
    assert len(nameless.place(new.to_numpy()).groups(pd.Series(y))) == 3
    with pytest.raises(ValueError, match="y: found names, expected a list by position: the old objects have no names"):
        nameless.place(new.to_numpy()).groups(pd.Series(y, index=new.columns))
    for k in (0, 18, 2.5, True):
        with pytest.raises(ValueError, match="k: found .*, expected an integer between 1 and 17"):
            found.groups(y, k=k)
    with pytest.raises(ValueError, match="strategy"):
        model.place(new, strategy="stress").groups(y)


def test_a_verdict_on_each_batch(rng=np.random.default_rng(5)):
    """Newcomers of the old objects' kind are fine; many with an axis of their own are not."""
    points = rng.normal(size=(120, 12)) / np.arange(1, 13)
    points[80:, 11] += rng.normal(size=40) * 3
    distances = cdist(points, points)
    model = adjoin.ClassicalMDS(metric="precomputed").fit(distances[:60, :60])
    assert model.place(distances[60:80, :60]).assessment_.verdict == "fine"
    strange = model.place(distances[80:, :60])
    found = strange.assessment_
    assert (found.verdict, found.newcomers, found.between) == ("refit", 40, False)
    assert found.chance < 0.01 and found.weight > 1 and found.says.startswith("refit: ")
    assert strange[:1].assessment_.verdict == "fine"
    together = model.place(distances[80:, :60], between=distances[80:, 80:])
    assert together.assessment_.between and not together[:20].assessment_.between
    assert model.compare(distances[80:, :60]).assessment_.verdict == "refit"
    with pytest.raises(ValueError, match="expected newcomers"):
        model.leave_one_out().assessment_


def test_strategies_are_evaluated(cities):
    """A row a strategy, the same for any number of threads and any order of the objects."""
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cities)
    south = [name in ("Athens", "Barcelona", "Gibraltar", "Lisbon", "Madrid", "Marseilles", "Milan", "Rome") for name in cities]
    found = model.evaluate(cities, y=south, folds=7, repeats=2)
    frame = found.to_frame()
    assert frame.index.tolist() == ["project", "reconstruct"]
    assert frame.columns[:7].tolist() == ["neighbours", "rank", "between", "radius", "shown", "error", "unplaced"]
    assert "knn_loo_se" in frame and found.says
    turned = model.set_params(n_jobs=1).evaluate(cities.iloc[::-1, ::-1], y=south, folds=7, repeats=2)
    pd.testing.assert_frame_equal(frame, turned.to_frame())
    with pytest.raises(ValueError, match="folds: found 22 folds, expected at most 21"):
        model.evaluate(cities, folds=22)
    with pytest.raises(ValueError, match="folds: found 10 folds, expected at most 2"):
        model.evaluate(cities, groups=south)
    with pytest.raises(ValueError, match="y: found one group only, '1', expected"):
        model.evaluate(cities, y=[1] * 21)
    with pytest.raises(ValueError, match="D: "):
        model.evaluate(cities * 1.1)
    with pytest.raises(ValueError, match="D: found nothing for 'Vienna'"):
        model.evaluate(cities.iloc[:20, :20])


@pytest.mark.parametrize("metric", ["euclidean", "canberra", "callable"])
def test_features_are_evaluated_by_their_metric(metric, rng=np.random.default_rng(3)):
    """By a metric of the core's, of SciPy's, and of one's own."""
    X = rng.random((40, 4)) + 0.1
    own = (lambda a, b: np.abs(a - b).sum()) if metric == "callable" else metric
    model = adjoin.ClassicalMDS(metric=own).fit(X)
    found = model.evaluate(X, folds=4, repeats=1)
    distances = cdist(X, X, own)
    expected = adjoin.ClassicalMDS(metric="precomputed").fit(distances).evaluate(distances, folds=4, repeats=1)
    np.testing.assert_allclose(found.scores["between"], expected.scores["between"], rtol=1e-6)
