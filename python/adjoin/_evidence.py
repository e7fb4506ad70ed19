"""What newcomers say about the map, and the old objects about newcomers."""

from dataclasses import dataclass

import numpy as np

from . import _tables
from ._optional import frame


@dataclass(frozen=True)
class Assessment:
    """Whether a batch of newcomers calls for another map, and by which numbers.

    Attributes
    ----------
    verdict : str
        `fine`: they do not differ from the old objects. `watch`: they do, but a map of all would hardly be another.
        `refit`: they do, and it would have other axes. `unknown`: their distances from the map's space are not known, or
        there are too few old objects.
    newcomers, unlike : int
        How many have a `p_outside`, and how many of them one of at most 0.1.
    level : float
        The share that would, if all were of the old objects' kind: 0.1, or what so many old objects attain below it.
    chance : float
        How likely `unlike` or more of them then are; below 0.01 they differ.
    weight : float
        What the map does not show of the newcomers, beside its last axis; above 1 it matters.
    between : bool
        Whether `weight` is from what is between the newcomers, or only from each by itself.
    says : str
        All this in a sentence.
    """

    verdict: str
    newcomers: int
    unlike: int
    level: float
    chance: float
    weight: float
    between: bool
    says: str

    def __str__(self):
        return self.says


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Strategies tried on the old objects, by folds that were placed on maps fitted anew to the others.

    Attributes
    ----------
    strategies : list of str
        Those that were tried, project first.
    scores : dict of str to ndarray of shape (n_strategies,)
        By measure, the mean over folds: `neighbours` (of its 10 nearest on the map, the share that is among its 10 nearest as
        given), `rank` (Spearman's correlation of shown and given distances), `between` (relative stress among those of a
        fold), `radius` (median distance from the centre, new beside old), `shown` (sum of shown over given distances),
        `error` (relative stress to the old objects: what some strategies minimise, so no reason to choose one), `unplaced` (a
        share); with classes `knn_fitted` and `knn_loo`.
    differences, errors : dict of str to ndarray
        What each strategy has above project, and the standard error of that (Nadeau and Bengio's).
    folds, repeats, seed : int
        How the objects were divided.
    says : str
        What follows, in a sentence.
    """

    strategies: list
    scores: dict
    differences: dict
    errors: dict
    folds: int
    repeats: int
    seed: int
    says: str

    def to_frame(self, library="pandas"):
        """Return a table with a row for each strategy, as the command line writes it."""
        columns = {"strategy": self.strategies, **self.scores}
        for name in self.scores:
            columns[f"{name}_difference"] = self.differences[name]
            columns[f"{name}_se"] = self.errors[name]
        return frame(columns, library, index="strategy")

    def __repr__(self):
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        return f"<Evaluation of {', '.join(self.strategies)} by {self.folds} folds, {times} (seed {self.seed})>"

    def __str__(self):
        return self.says


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """The old objects that newcomers are nearest to, by the proximities that were given: the nearest first.

    Nearest is the smallest dissimilarity, or the largest similarity. A newcomer of whom fewer proximities are known has -1, None
    and NaN at the end of its row.

    Attributes
    ----------
    labels : list of str
        The newcomers.
    objects : ndarray of str of shape (n_new, k)
        Who they are.
    indices : ndarray of int of shape (n_new, k)
        Their positions among the old objects.
    given : ndarray of shape (n_new, k)
        The proximity to each, as it was given.
    shown : ndarray of shape (n_new, k)
        The distance on the map.
    """

    labels: list
    objects: np.ndarray
    indices: np.ndarray
    given: np.ndarray
    shown: np.ndarray

    @classmethod
    def _of(cls, map_, placements, indices, given):
        names = np.array([*map_.labels, None], dtype=object)
        places = np.vstack([map_.configuration, np.full((1, map_.dimensions), np.nan)])
        shown = np.linalg.norm(placements.coordinates[:, None] - places[indices], axis=2)
        return cls(placements.labels, names[indices], indices, given, shown)

    def to_frame(self, library="pandas"):
        """Return a table with columns `nearest1`, `nearest1_given`, `nearest1_shown` and so on, as the command line has it."""
        columns = {"label": self.labels}
        for j in range(self.indices.shape[1]):
            columns[f"nearest{j + 1}"] = self.objects[:, j]
            columns[f"nearest{j + 1}_given"] = self.given[:, j]
            columns[f"nearest{j + 1}_shown"] = self.shown[:, j]
        return frame(columns, library)

    def __len__(self):
        return len(self.labels)

    def __repr__(self):
        return f"<The {self.indices.shape[1]} nearest old objects of {len(self)} newcomers>"


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """The group of each newcomer by vote of the old objects nearest to it on the map, and what that vote is worth.

    The rule is one for newcomers and for the old objects that it is tried on: every old object stands at its leave-one-out place by
    the strategy that placed the newcomers, and the k nearest vote. A newcomer is asked where it was placed, an old object at its
    leave-one-out place and without its own vote.

    Attributes
    ----------
    labels : list of str
        The newcomers.
    classes : ndarray of shape (n_groups,)
        The groups, sorted.
    group : ndarray of shape (n_new,)
        The group of each newcomer: the most votes, or the one that is met first. None for a newcomer that has no place.
    shares : ndarray of shape (n_new, n_groups)
        The share of the votes that each group has.
    distances : ndarray of shape (n_new, n_groups)
        The distance on the map to the centroid of each group.
    accuracy : float
        The share of old objects whose own group this vote finds.
    largest : float
        The share of the largest group: what always naming it is worth.
    says : str
        The rule and its accuracy in a sentence.
    """

    labels: list
    classes: np.ndarray
    group: np.ndarray
    shares: np.ndarray
    distances: np.ndarray
    accuracy: float
    largest: float
    says: str

    @classmethod
    def _of(cls, labels, classes, answer):
        names = np.empty(len(classes) + 1, dtype=object)
        names[:-1] = classes
        answer["group"] = names[answer["group"]]
        return cls(labels=labels, classes=classes, **answer)

    def to_frame(self, library="pandas"):
        """Return a table with columns `group`, `group_accuracy`, and `vote_…` and `distance_…` of each group."""
        columns = {"label": self.labels, "group": self.group, "group_accuracy": np.full(len(self), self.accuracy)}
        columns.update((f"vote_{name}", self.shares[:, g]) for g, name in enumerate(self.classes))
        columns.update((f"distance_{name}", self.distances[:, g]) for g, name in enumerate(self.classes))
        return frame(columns, library)

    def __len__(self):
        return len(self.labels)

    def __repr__(self):
        return f"<Groups of {len(self)} newcomers among {len(self.classes)}, accuracy {self.accuracy:.3g}>"

    def __str__(self):
        return self.says


def one_for_each(y, labels, count, name):
    """Return what `y` has for each of `count` old objects, as sorted classes and the code of each, as text.

    A pandas Series with an index of its own, or a dict, is matched by label; it is refused where the old objects have no `labels`.
    """
    if isinstance(y, dict):
        keys, values = [str(key) for key in y], list(y.values())
    else:
        found = _tables.opened(y, name, vector=True) if _tables.is_pandas(y) else None
        keys = None if found is None or found.default_columns else found.columns
        values = list(np.asarray(y).ravel()) if found is None else list(np.ravel(found.values))
    if keys is not None and labels is not None:
        by = dict(zip(keys, values))
        absent = [label for label in labels if label not in by]
        if absent:
            raise ValueError(f"{name}: found nothing for {absent[0]!r}, expected a group for each of the {count} old objects")
        values = [by[label] for label in labels]
    elif keys is not None:
        raise ValueError(f"{name}: found names, expected a list by position: the old objects have no names")
    if len(values) != count:
        raise ValueError(f"{name}: found {len(values)}, expected {count}, one for each old object")
    for i, value in enumerate(values):
        if value is None or value != value:
            who = i if labels is None else repr(labels[i])
            raise ValueError(f"{name}: found nothing for {who}, expected a group for each of the {count} old objects")
    classes, codes = np.unique(np.array(values), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"{name}: found one group only, {str(classes[0])!r}, expected at least two")
    # In the order of the classes, whatever they are made of.
    return classes, [f"{code:09d}" for code in codes]
