"""The surface that all estimators share: newcomers in, the core's answers out, in scikit-learn's shapes.

An estimator is its parameters and a way to fit (`_fitting`); everything after the fit is here. Newcomers come as features,
which the core compares with the old ones if it has the measure, or as proximities to the old objects (`_newcomers`).
"""

import os
from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from . import _input
from ._evidence import Evaluation, one_for_each
from ._fitting import Fitting, as_it_is, check_strategy, check_unplaced
from ._generations import as_it_was, with_map
from ._names import in_order
from ._newcomers import checked, digest, named, newcomers, old_objects
from ._placements import Asked, Comparison, Placements, has_place, refuse_unplaced, statuses
from ._run import running

__all__ = ["Estimator"]


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Fitting):
    """A map on which newcomers can be placed."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = self._precomputed and self._old_kind != "similarity"
        return tags

    @property
    def _n_features_out(self):
        return self.map_.dimensions

    @property
    def model_(self):
        """The older name of `map_`."""
        return self.map_

    def fit_transform(self, X, y=None):
        """Fit the map and return it: `embedding_`, or what `leave_one_out` says if `training` is that.

        An object that is not on the map, as its graph was in pieces, has a row of NaN.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            As for `fit`.

        y : Ignored
            Present for API consistency.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X)._every_row()

    def _every_row(self):
        kept = getattr(self, "kept_", None)
        places = self.embedding_ if self.training == "embedding" else self.leave_one_out().coordinates
        if kept is None:
            return places
        rows = np.full((self.n_features_in_ if self._precomputed else len(self.X_fit_), self._n_features_out), np.nan)
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
        return self._transform(self._in_order(X))

    def _in_order(self, X):
        """Return the numbers of newcomers as `transform` takes them: with the columns of the fit, in its order."""
        # What scikit-learn would look for has been seen, and the core looks at the numbers: its checks take longer than a newcomer.
        known = type(X) is np.ndarray and X.dtype in (np.float64, np.float32) and X.ndim == 2 and len(X)
        if known and X.shape[1] == self.n_features_in_ and self._precomputed and not hasattr(self, "feature_names_in_"):
            return X
        if self._packed:
            return X
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        if self._precomputed:
            fits = getattr(X, "shape", ())[1:] == (self.n_features_in_,)
            return in_order(self, X, **as_it_is(fits))
        return in_order(self, X, dtype=np.float64)

    def _transform(self, X, first=0):
        """Place newcomers, of whom `X` begins with number `first`, and return their coordinates."""
        strategy = self._strategy(None, None)
        check_unplaced(self.unplaced)
        with running(self) as run:
            _, _, answer = self.map_._place(checked(self, X, first), (strategy, False, False, False), run)
        if self.unplaced == "raise" and not has_place(np.array(answer["status"][0])).all():
            refuse_unplaced(statuses(answer), strategy, "X", first)
        return answer["coordinates"]

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
        check_is_fitted(self)
        between = None if between is False else between
        strategy = self._strategy(strategy, between)
        if _input.is_lazy(X) and between is None and labels is None and generation is None and uncertainty is None:
            from .dask import place

            options = dict(
                self_similarity=self_similarity, weights=weights, recentre=recentre, scaled=scaled, prove=prove
            )
            return place(self, X, strategy, **options)
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
            return past._place(new, strategy, bool(recentre), bool(scaled), bool(prove), neighbours=neighbours)
        if prove:
            raise ValueError("prove: found it beside between, expected one of them: what is placed jointly comes with its proof")
        with running(self) as run:
            placed = past.map_.jointly(new, run, neighbours)
            return Placements._from_core(past.map_, *placed, Asked(new, run[0]))

    def grow(
        self,
        X,
        strategy=None,
        *,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        generation=None,
    ):
        """Take newcomers in for good: a new model, on which they are members and nobody has moved.

        Whoever comes later is compared with them too; or, by giving proximities to the founders or the members up to some
        generation only, is placed on the map as it was then. This model does not change.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            As for `place`.

        strategy : str, default=None
            How to place them; the estimator's strategy if None.

        between, self_similarity, weights, labels
            As for `place`. Members without names are called `new1`, `new2` … where the founders have names.

        generation : int, default=None
            As for `place`.

        Returns
        -------
        self : object
            A model of the same class. `map_.generations` tells who came when.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> grown = model.grow(cities.iloc[18:20, :18], strategy="reconstruct")
        >>> grown.object_names_[18:]
        ['Rome', 'Stockholm']
        >>> grown.place(cities.iloc[20:, :20], strategy="reconstruct")
        <Placements of 1 newcomers by reconstruct: 1 unique>
        >>> grown.generation(0).place(cities.iloc[20:, :18]).known.tolist()
        [18]
        """
        check_is_fitted(self)
        between = None if between is False else between
        strategy = self._strategy(strategy, between)
        past, X = as_it_was(self, X, generation)
        X = _input.table(X, "X")
        new = newcomers(
            past, X, labels=labels, between=between, self_similarity=self_similarity, weights=weights
        )
        how = (strategy, False, False, False)
        source = (f"{' × '.join(map(str, X.values.shape))} numbers", digest(X))
        with running(self) as run:
            grown = self.map_.grow(new, how, len(past.map_.generations), source, run)
        more = None if self._precomputed else named(past, X, "X").values
        return with_map(self, grown, more)

    def refit(self, X):
        """Fit everybody anew with this model's parameters, turned and shifted onto its map: a new model.

        Nothing is scaled. `refit_` of the new model says how far the founders of this one moved: `procrustes` (the sum of
        their squared moves over that of their squared distances from their mean), `root_mean_square`, the old map's `spread`
        to judge them by, and `moved`, pairs of an object and how far, the farthest first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            As for `fit`: of all objects, old and new, by their names; without names the old ones come first.

        Returns
        -------
        self : object
            A model of the same class.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> anew = model.refit(cities)
        >>> len(anew.embedding_), anew.refit_["moved"][0][0]
        (21, 'Athens')
        """
        check_is_fitted(self)
        model = clone(self).fit(X)
        turned, moved = model.map_.onto(self.map_)
        model._adopt(turned)
        model.refit_ = moved
        return model

    def generation(self, generation):
        """Return the model of the map as it was at a generation, 0 being its founders, to the bit.

        Parameters
        ----------
        generation : int
            How many generations had come.

        Returns
        -------
        self : object
            A model of the same class; this one if nobody came since.
        """
        check_is_fitted(self)
        if generation == len(self.map_.generations):
            return self
        return with_map(self, self.map_.generation(generation))

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
        'Stockholm'
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

    def plot(
        self,
        ax=None,
        *,
        axes=(0, 1),
        labels="auto",
        metadata=None,
        colour_by=None,
        shape_by=None,
        size_by=None,
        flip=(),
        ellipses=False,
        hulls=False,
        spiders=False,
        variables=None,
        axis_names="axis",
    ):
        """Draw the map. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if there is none.

        axes : pair of int, default=(0, 1)
            Which two axes of the map.

        labels : {"auto", "all", "none"}, default="auto"
            Whether to write labels; "auto" does if they are few.

        metadata : DataFrame or dict, optional
            What else is known of the objects, by label.
        colour_by, shape_by, size_by : str or sequence, optional
            Columns of `metadata`, or values, one for each old object and each newcomer.
        flip : int or sequence of int, default=()
            Axes that are drawn the other way round: their direction has no meaning.
        ellipses, hulls, spiders : bool, default=False
            Whether to draw the 95 % ellipse, the hull, or lines from the centroid, of the old objects of each class that
            colours.
        variables : DataFrame or dict, optional
            Numbers by old object (species, soil, climate): those that follow the axes shown are drawn as arrows, as
            vegan's `envfit` does (p ≤ 0.05 by 999 permutations, the eight strongest).
        axis_names : str, default="axis"
            What the axes are called before their number, such as "PCo".

        Returns
        -------
        matplotlib.axes.Axes
        """
        check_is_fitted(self)
        from ._plot import draw

        return draw(
            self.map_,
            None,
            ax=ax,
            axes=axes,
            labels=labels,
            metadata=metadata,
            colour_by=colour_by,
            shape_by=shape_by,
            size_by=size_by,
            flip=flip,
            ellipses=ellipses,
            hulls=hulls,
            spiders=spiders,
            variables=variables,
            axis_names=axis_names,
        )

    def report(
        self,
        path,
        X=None,
        *,
        strategy=None,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        generation=None,
        metadata=None,
        variables=None,
        beside=(),
        flip=(),
        title=None,
    ):
        """Write the interactive page: one HTML file that opens from disk and needs no network.

        Parameters
        ----------
        path : str or path-like
            The page. It appears whole or not at all.

        X : array-like of shape (n_new, n_samples) or (n_new, n_features), default=None
            As for `place`; the map alone if there are none.

        strategy : str, default=None
            How newcomers are placed when the page opens; the estimator's strategy if None.

        between, self_similarity, weights, labels, generation
            As for `place`.

        metadata : DataFrame or dict, default=None
            What objects are coloured and shaped by: a DataFrame whose index has labels (polars: the first column), or
            a dict of columns, each a dict by label or one value for every old object and perhaps every newcomer.

        variables : DataFrame or dict, default=None
            Numbers by old object (species, soil, climate): those that follow the axes are drawn as arrows.

        beside : str or sequence of str, default=()
            Further strategies to compare with, side by side: hyperplane, augment, stress.

        flip : int or sequence of int, default=()
            Axes that are drawn the other way round when the page opens: their direction has no meaning.

        title : str, default=None
            What the page is called.

        Examples
        --------
        >>> import adjoin, os, tempfile
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = os.path.join(folder, "page.html")
        ...     model.report(page, cities.iloc[18:, :18], title="European cities")
        ...     os.path.getsize(page) > 100_000
        True
        """
        check_is_fitted(self)
        from ._report import write

        between = None if between is False else between
        told = dict(labels=labels, between=between, self_similarity=self_similarity, weights=weights)
        strategy = self._strategy(strategy, between)
        if X is None and any(value is not None for value in told.values()):
            raise ValueError("X: found None beside what newcomers have, expected newcomers")
        past, X = (self, None) if X is None else as_it_was(self, X, generation)
        new = None if X is None else newcomers(past, X, **told)
        with running(self) as run:
            write(past.map_, path, title, new, strategy, metadata, variables, beside, flip, run)

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
            return Placements._from_core(self.map_, *placed, Asked(new, run[0], how[1:3]))

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
