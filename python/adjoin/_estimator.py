"""The surface that all estimators share: newcomers in, the core's answers out, in scikit-learn's shapes.

An estimator is its parameters and a way to fit (`_fitting`); what is asked of it after the fit is here. Members that join for
good are in `_growing`, pictures and pages in `_shown`. Newcomers come as features, which the core compares with the old ones if
it has the measure, or as proximities to the old objects (`_newcomers`).
"""

import os
from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _input, _metric
from ._comparison import Comparison
from ._evidence import Evaluation, one_for_each
from ._fitting import Fitting, as_it_is, check_strategy, check_unplaced
from ._generations import as_it_was
from ._growing import Growing
from ._names import bits_in_order, in_order
from ._newcomers import among_old, checked, newcomers, old_objects
from ._placements import Asked, AskedInParts, Placements
from ._rows import is_large, is_stored, parts
from ._run import running
from ._shown import Shown
from ._status import has_place, refuse_unplaced, statuses

__all__ = ["Estimator"]


class Estimator(Growing, Shown, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Fitting):
    """A map on which newcomers can be placed."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = self._precomputed and self._old_kind != "similarity"
        tags.input_tags.sparse = self._measures_itself()
        return tags

    @property
    def _n_features_out(self):
        return self.map_.dimensions

    @property
    def model_(self):
        """The older name of `map_`."""
        return self.map_

    def fit_transform(self, X, y=None, *, transform=None, symmetrise=None):
        """Fit the map and return it: `embedding_`, or what `leave_one_out` says if `training` is that.

        An object that is not on the map, as its graph was in pieces, has a row of NaN.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            As for `fit`.

        y : Ignored
            Present for API consistency.

        transform, symmetrise
            As for `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, transform=transform, symmetrise=symmetrise)._every_row()

    def _every_row(self):
        kept = getattr(self, "kept_", None)
        places = self.embedding_ if self.training == "embedding" else self.leave_one_out().coordinates
        if kept is None:
            return places
        rows = np.full((self.n_features_in_ if self._precomputed else self.X_fit_.shape[0], self._n_features_out), np.nan)
        rows[kept] = places
        return rows

    def transform(self, X):
        """Place newcomers by the estimator's strategy, each independently of the others.

        Missing values are refused, and so are columns with names that are not those of the fit, in
        their order; `place` matches columns by name and takes missing proximities.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            Proximities to the old objects if the input is precomputed, otherwise features. A collection of Dask is
            left lazy, as by `adjoin.dask.transform`.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Where the newcomers are. A newcomer that cannot be placed is a ValueError, or a row of NaN if
            `unplaced="nan"`.
        """
        if not hasattr(self, "map_"):
            check_is_fitted(self)
        if _input.is_lazy(X):
            from .dask import transform

            return transform(self, X)
        if is_stored(X) or is_large(X) and not self._precomputed:
            return self._transform_parts(X)
        with running(self) as run:
            return self._transform(self._in_order(X), run)

    def _in_order(self, X):
        """Return the numbers of newcomers as `transform` takes them: with the columns of the fit, in its order."""
        # What scikit-learn would look for has been seen, and the core looks at the numbers: its checks take longer than a newcomer.
        known = type(X) is np.ndarray and X.dtype in (np.float64, np.float32) and X.ndim == 2 and len(X)
        if known and X.shape[1] == self.n_features_in_ and self._precomputed and not hasattr(self, "feature_names_in_"):
            return X
        if self._packed:
            return bits_in_order(self, X)
        if _input.is_sparse(X) and not self._precomputed:
            self._require_sparse("X")
            return _metric.canonical(
                validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])
            )
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        if self._precomputed:
            fits = getattr(X, "shape", ())[1:] == (self.n_features_in_,)
            return in_order(self, X, **as_it_is(fits))
        return in_order(self, X, dtype=self._feature_types())

    def _transform_parts(self, X):
        """Place newcomers that are stored elsewhere, or too many to be copied, and return their coordinates."""
        places = np.empty((X.shape[0], self._n_features_out))
        if not len(places):
            # Said as of any array.
            return self._transform(self._in_order(X[:0]), (1, None))
        with running(self) as (threads, tell):
            for first, last in parts(X):
                places[first:last] = self._transform(self._in_order(X[first:last]), (threads, None), first)
                if tell is not None:
                    tell("reading newcomers", last, len(places))
        return places

    def _transform(self, X, run, first=0):
        """Place newcomers, of whom `X` begins with number `first`, and return their coordinates."""
        strategy = self._strategy(None, None)
        check_unplaced(self.unplaced)
        places, status = self.map_._coordinates(checked(self, X, first), (strategy, False, False, False), run)
        if self.unplaced == "raise" and not all(map(has_place, status[0])):
            refuse_unplaced(statuses(dict(status=status)), strategy, "X", first)
        return places

    def place(
        self,
        X,
        strategy=None,
        *,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        generation=None,
        neighbours=None,
        recentre=False,
        scaled=False,
        prove=False,
        uncertainty=None,
        old=None,
    ):
        """Place newcomers and tell how far to trust each placement.

        Newcomers are also called supplementary, passive or query samples; to place them is what others call to predict,
        to project, or to add them. Nothing old moves.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            Proximities to the old objects if the input is precomputed, otherwise features. Columns with
            names are matched by name, in any order; further columns may be newcomers themselves; a
            square over old and new objects is taken apart. NaN and masked proximities are missing.

        strategy : str, default=None
            How to place them; the estimator's strategy if None.

        between : array-like of shape (n_new, n_new) or True, default=None
            Proximities between the newcomers: they are then placed jointly, by reconstruct. True takes
            them from the columns of `X`, or computes them from the features.

        self_similarity : float or array-like of shape (n_new,), default=None
            Similarities only: of each newcomer to itself. Every strategy but project needs it; if it is one
            for all old objects, that is taken where nothing is said, and `remarks_` says so.

        weights : array-like of shape (n_references,), default=None
            How far to trust the proximities to each of the objects that newcomers are compared with: all
            old objects, or the landmarks. A pandas Series is matched by name, and may have other old objects.

        labels : list of str, default=None
            The newcomers, if `X` does not name them.

        neighbours : int, default=None
            Keep so many of the old objects that each newcomer is nearest to, while it is read, for `Placements.neighbours`.

        generation : int, default=None
            Place them on a map that has grown as it was then, 0 being its founders. None is the newest generation whose
            objects `X` has columns for.

        recentre, scaled : bool, default=False
            Options of augment.

        prove : bool, default=False
            Stress, on at most three axes: prove that no place is better, or find the one that is; `certified` and `gap` tell.
        uncertainty : {"axes", "refit"}, default=None
            Whether to tell how certain each place is. "axes": given these axes, how far the old objects disagree about it, for
            project and reconstruct, alone and jointly. "refit": by 20 refits without a twentieth of the old objects each, as far as
            other old objects would have made another map, for every strategy. Neither is the error of measuring the
            newcomer itself.

        old : array-like of shape (n_references, n_references), default=None
            With "refit", the old objects' proximities that the map was fitted to; not needed where it keeps their features.

        Returns
        -------
        Placements
            With NaN and a status for a newcomer that cannot be placed.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> placed = model.place(cities.iloc[18:, :18], strategy="reconstruct")
        >>> bool((placed.margin >= 0).all())
        True
        >>> model.place(cities, between=True)
        <Placements of 3 newcomers by reconstruct, jointly, certified: 3 unique>
        >>> placed = model.place(cities.iloc[18:, :18], uncertainty="axes")
        >>> placed.standard_errors.shape, placed.covariance.shape
        ((3, 2), (3, 2, 2))
        """
        # Which looks at far more than whether there is a map, for as long as a newcomer takes.
        if not hasattr(self, "map_"):
            check_is_fitted(self)
        between = None if between is False else between
        strategy = self._strategy(strategy, between)
        if uncertainty != "refit":
            among_old(self, uncertainty, old)
        if _input.is_lazy(X) and between is None and labels is None and generation is None and uncertainty is None:
            from .dask import place

            if neighbours is not None:
                raise ValueError(
                    f"neighbours: found {neighbours!r} with a collection of Dask, expected None: newcomers that are in memory keep them"
                )
            options = dict(
                self_similarity=self_similarity, weights=weights, recentre=recentre, scaled=scaled, prove=prove
            )
            return place(self, X, strategy, **options)
        options = (bool(recentre), bool(scaled), bool(prove))
        if between is None and self._in_parts(X, generation, uncertainty):
            told = dict(labels=labels, self_similarity=self_similarity, weights=weights, uncertainty=uncertainty)
            return self._place_parts(X, strategy, options, neighbours, told)
        past, X = as_it_was(self, X, generation)
        new = newcomers(
            past,
            X,
            labels=labels,
            between=between,
            self_similarity=self_similarity,
            weights=weights,
            uncertainty=uncertainty,
            old=old,
        )
        if between is None:
            return past._place(new, strategy, *options, neighbours=neighbours)
        if prove:
            raise ValueError("prove: found it beside between, expected one of them: what is placed jointly comes with its proof")
        with running(self) as run:
            placed = past.map_.jointly(new, run, neighbours)
            return Placements._from_core(past.map_, *placed, Asked(new, run[0]))

    def leave_one_out(self, strategy=None, *, recentre=False, scaled=False):
        """Place each old object where it would be as a newcomer to the map of the others.

        Fitted objects are nearer to the map than newcomers can be: projected newcomers look shrunk beside them. Here old
        objects are on the same footing as newcomers that are placed by the same strategy, without any refitting. It is what to
        train a classifier on, or to compare newcomers with.

        Parameters
        ----------
        strategy : {"project", "reconstruct", "hyperplane", "augment"}, default=None
            How to place them; the estimator's strategy if None.

        recentre, scaled : bool, default=False
            Options of augment.

        Returns
        -------
        Placements
            Of the old objects, in their order. One without which an axis does not exist is `not_applicable`.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities)
        >>> model.leave_one_out("reconstruct")
        <Placements of 21 old objects by reconstruct, each left out: 21 unique>
        """
        check_is_fitted(self)
        strategy = self._strategy(strategy, None)
        with running(self) as run:
            answer = self.map_.leave_one_out((strategy, bool(recentre), bool(scaled), False), run)
        return Placements._of_old(self.map_, answer)

    def add(self, X_new, strategy=None, **options):
        """Place newcomers: the older name of `place`, with the same parameters and answers."""
        return self.place(X_new, strategy, **options)

    def arc(self, x, points=50, *, self_similarity=None, weights=None, label=None, generation=None):
        """Follow one newcomer from projection to reconstruction.

        Parameters
        ----------
        x : array-like of shape (n_samples,) or (n_features,)
            One newcomer: its proximities to the old objects if the input is precomputed, otherwise its
            features. NaN and masked proximities are missing.

        points : int, default=50
            Points on the arc, evenly spaced; at least 2.

        self_similarity : float, default=None
            Similarities only: of the newcomer to itself.

        weights : array-like of shape (n_references,), default=None
            As for `place`.

        label : str, default=None
            The newcomer.

        generation : int, default=None
            As for `place`.

        Returns
        -------
        Arc
            A newcomer that has no place is a ValueError.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> model.arc(cities.loc["Vienna"].iloc[:18], points=5).position.tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        check_is_fitted(self)
        if not isinstance(points, Integral) or points < 2:
            raise ValueError(f"points: found {points!r}, expected an integer of at least 2")
        past, x = as_it_was(self, x, generation, "x", vector=True)
        new = newcomers(past, x, self_similarity=self_similarity, weights=weights, name="x", vector=True)
        placed = past._place(new, "reconstruct")
        if len(placed) != 1:
            raise ValueError(f"x: found {len(placed)} newcomers, expected one; Placements.arcs() has all of them")
        name = placed.labels[0] if label is None else str(label)
        arc = placed.arcs(points)[0]
        if arc is None:
            raise ValueError(f"x: found too few proximities of {name!r}, expected enough to place it")
        return replace(arc, label=name)

    def compare(self, X, *, between=None, self_similarity=None, weights=None, labels=None, generation=None):
        """Place newcomers by every strategy, and say whether each is like the old objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            As for `place`.

        between : array-like of shape (n_new, n_new) or True, default=None
            As for `place`; the newcomers are then placed jointly, too.

        self_similarity : float or array-like of shape (n_new,), default=None
            As for `place`.

        weights : array-like of shape (n_references,), default=None
            As for `place`.

        labels : list of str, default=None
            As for `place`.

        generation : int, default=None
            As for `place`.

        Returns
        -------
        Comparison

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> comparison = model.compare(cities.iloc[18:, :18])
        >>> list(comparison.placements)
        ['project', 'reconstruct', 'hyperplane', 'augment', 'stress']
        >>> comparison.labels[comparison.ranking[0]]
        'Rome'
        """
        check_is_fitted(self)
        between = None if between is False else between
        past, X = as_it_was(self, X, generation)
        new = newcomers(
            past, X, labels=labels, between=between, self_similarity=self_similarity, weights=weights
        )
        with running(self) as run:
            return Comparison._from_core(past.map_, *past.map_.compare(new, run), Asked(new, run[0]))

    def evaluate(
        self, D, y=None, groups=None, folds=10, repeats=None, strategies=("project", "reconstruct"), seed=1
    ):
        """Try strategies on the old objects: folds of them, each placed on a map that is fitted anew to the others.

        It tells how well newcomers of the old objects' kind will be shown. That is a property of the data more than of the
        strategy: it picks winners hardly better than the rule in the docs does.

        Parameters
        ----------
        D : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            What the map was fitted to.

        y : array-like of shape (n_samples,), default=None
            Classes: then also how often the vote of the 5 nearest finds them, old objects where they were fitted and at their
            leave-one-out places. A Series or a dict is matched by label.

        groups : array-like of shape (n_samples,), default=None
            Objects with the same value stay in one fold.

        folds : int, default=10
            Into how many folds the objects are divided.

        repeats : int, default=None
            How often; once from 500 objects on, more often below, if None.

        strategies : sequence of str, default=("project", "reconstruct")
            Which; project is always one of them.

        seed : int, default=1
            Which division into folds. The answer is the same for any number of threads.

        Returns
        -------
        Evaluation

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities)
        >>> answer = model.evaluate(cities, folds=7)
        >>> answer
        <Evaluation of project, reconstruct by 7 folds, 10 times (seed 1)>
        >>> bool(answer.scores["neighbours"][0] > 0.5)
        True
        """
        check_is_fitted(self)
        strategies = [strategies] if isinstance(strategies, str) else list(strategies)
        for strategy in strategies:
            check_strategy(strategy)
        for name, value in (("folds", folds), ("repeats", 1 if repeats is None else repeats), ("seed", seed)):
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 0:
                raise ValueError(f"{name}: found {value!r}, expected an integer of at least 0")
        labels = self.map_.labels if self.map_.named else None
        words = [
            None if values is None else one_for_each(values, labels, self.map_.count, name)[1]
            for name, values in (("groups", groups), ("y", y))
        ]
        old, features = old_objects(self, D)
        with running(self) as run:
            how = (int(folds), None if repeats is None else int(repeats), int(seed))
            return Evaluation(**self.map_.evaluate(vars(old), features, how, strategies, *words, run))

    def save(self, path):
        """Write the map to a file that `load` and the command line read.

        The file holds the map, what newcomers need (the old features if the core has the measure, never the
        proximities), and the estimator's parameters, so that what is loaded gives the same answers.
        Python's pickle keeps the whole estimator.

        Parameters
        ----------
        path : str or path-like
            The file. It appears whole or not at all.
        """
        check_is_fitted(self)
        for name in ("metric", "kernel", "affinity"):
            if callable(getattr(self, name, None)):
                raise ValueError(
                    f"{name}: found a callable, which cannot be saved, expected a name: fit precomputed proximities "
                    "instead"
                )
        from ._load import TOLD, told

        words = told(self)
        self.map_.save(os.fspath(path), {} if words is None else {TOLD: words})

    def _place(self, new, strategy, *options, neighbours=None):
        how = (strategy, *options, *[False] * (3 - len(options)))
        with running(self) as run:
            placed = self.map_._place(new, how, run, neighbours)
            return Placements._from_core(self.map_, *placed, Asked(new, run[0]), how[1:3])

    def _in_parts(self, X, generation, uncertainty):
        """Whether newcomers are read some at a time."""
        if not is_stored(X) and (self._precomputed or not is_large(X)):
            return False
        # Which generation they are for is seen from all of them, and refits are made once.
        return X.shape[0] > 0 and generation is None and not self.map_.generations and uncertainty != "refit"

    def _place_parts(self, X, strategy, options, neighbours, told):
        """Place newcomers some at a time; `told` is what comes beside all of them."""
        itself, labels = told.pop("self_similarity"), told.pop("labels")
        one = itself is None or np.isscalar(itself)
        itself = itself if one else _input.numbers(itself, "self_similarity")["values"]
        labels = None if labels is None else list(labels)
        for name, values in (("labels", labels), ("self_similarity", None if one else itself)):
            if values is not None and len(values) != X.shape[0]:
                raise ValueError(f"{name}: found {len(values)}, expected {X.shape[0]}, one for each newcomer")

        def part(first, last):
            own = dict(labels=None if labels is None else labels[first:last])
            own["self_similarity"] = itself if one else itself[first:last]
            return newcomers(self, X[first:last], first=first, **own, **told)

        with running(self) as (threads, tell):

            def read():
                for first, last in parts(X):
                    yield part(first, last)
                    if tell is not None:
                        tell("reading newcomers", last, X.shape[0])

            placed = self.map_._place_parts(read(), (strategy, *options), (threads, None), neighbours)
            asked = AskedInParts(part, tuple(parts(X)), threads)
            return Placements._from_core(self.map_, *placed, asked, options[:2])

    def _usual_strategy(self):
        return self.strategy

    def _strategy(self, strategy, between):
        """Return how newcomers are placed: jointly always by reconstruct."""
        if between is None:
            strategy = self._usual_strategy() if strategy is None else strategy
            check_strategy(strategy)
            return strategy
        if strategy not in (None, "reconstruct"):
            check_strategy(strategy)
            raise ValueError(
                f"strategy: found {strategy!r} beside between, expected none: newcomers are placed jointly by "
                "reconstruct"
            )
        return "reconstruct"
