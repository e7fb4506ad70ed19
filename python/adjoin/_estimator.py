"""What all estimators share: newcomers in, the core's answers out, in scikit-learn's shapes.

An estimator is its parameters and a way to fit; everything after the fit is here. Newcomers come as features, which the
core compares with the old ones if it has the measure, or as proximities to the old objects.
"""

import os
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _input, _metric
from ._placements import Arc, Comparison, Placements
from ._progress import progress

__all__ = ["Estimator"]


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A map to which newcomers can be added."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = self._precomputed and self._old_kind != "similarity"
        return tags

    @property
    def _n_features_out(self):
        return self.model_.dimensions

    def transform(self, X):
        """Place newcomers by the estimator's strategy, each independently of the others.

        Missing values are refused, and so are columns with names that are not those of the fit, in
        their order; `add` matches columns by name and takes missing proximities.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            Proximities to the old objects if the input is precomputed, otherwise features.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Where the newcomers are. A newcomer that cannot be placed is a ValueError.
        """
        check_is_fitted(self)
        check_strategy(self.strategy)
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        if self._precomputed:
            fits = getattr(X, "shape", ())[1:] == (self.n_features_in_,)
            X = validate_data(self, X, reset=False, **as_it_is(fits))
            arrivals = _arrivals(self._referred(_input.array(X, "X"), "X"))
        else:
            X = validate_data(self, X, reset=False, dtype=np.float64)
            arrivals = self._featured(X, self._feature_names())
        with progress(self.verbose) as tell:
            coordinates, unplaced = self.model_.transform(arrivals, self.strategy, threads(self.n_jobs), tell)
        if unplaced:
            i, why = unplaced[0]
            raise ValueError(
                f"X: found {len(unplaced)} newcomers that {self.strategy} cannot place, the first in row "
                f"{i} ({why}), expected all to have a place: add() gives the others theirs"
            )
        return coordinates

    def add(
        self,
        X_new,
        strategy=None,
        *,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        recentre=False,
        scaled=False,
    ):
        """Place newcomers and tell how far to trust each placement.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n_samples) or (n_new, n_features)
            Proximities to the old objects if the input is precomputed, otherwise features. Columns with
            names are matched by name, in any order; further columns may be newcomers themselves; a
            square over old and new objects is taken apart. NaN and masked proximities are missing.

        strategy : str, default=None
            How to place them; the estimator's strategy if None.

        between : array-like of shape (n_new, n_new) or True, default=None
            Proximities between the newcomers: they are then placed jointly, by reconstruct. True takes
            them from the columns of `X_new`, or computes them from the features.

        self_similarity : float or array-like of shape (n_new,), default=None
            Similarities only: of each newcomer to itself. Every strategy but project needs it.

        weights : array-like of shape (n_samples,), default=None
            How far to trust the proximities to each old object.

        labels : list of str, default=None
            The newcomers, if `X_new` does not name them.

        recentre, scaled : bool, default=False
            Options of augment.

        Returns
        -------
        Placements
            With NaN and a status for a newcomer that cannot be placed.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> placed = model.add(cities.iloc[18:, :18], strategy="reconstruct")
        >>> bool((placed.margin >= 0).all())
        True
        >>> model.add(cities, between=True)
        <Placements of 3 newcomers by reconstruct, jointly, certified: 3 unique>
        """
        check_is_fitted(self)
        jointly = between is not None and between is not False
        strategy = strategy if strategy is not None or jointly else self.strategy
        check_strategy(strategy or "reconstruct")
        if jointly and strategy not in (None, "reconstruct"):
            raise ValueError(
                f"strategy: found {strategy!r} beside between, expected none: newcomers are placed jointly by "
                "reconstruct"
            )
        arrivals, names, between = self._newcomers(X_new, labels, between, self_similarity, weights)
        with progress(self.verbose) as tell:
            if jointly:
                border, answer = self.model_.jointly(arrivals, between, threads(self.n_jobs), tell)
            else:
                border, answer = self.model_.place(
                    arrivals, strategy, recentre, scaled, threads(self.n_jobs), tell
                )
        return Placements._from_core(answer, names, self.model_, border)

    def arc(self, x_new, points=50, *, self_similarity=None, weights=None, label=None):
        """Follow one newcomer from projection to reconstruction.

        Parameters
        ----------
        x_new : array-like of shape (n_samples,) or (n_features,)
            One newcomer: its proximities to the old objects if the input is precomputed, otherwise its
            features. NaN and masked proximities are missing.

        points : int, default=50
            Points on the arc, evenly spaced; at least 2.

        self_similarity : float, default=None
            Similarities only: of the newcomer to itself.

        weights : array-like of shape (n_samples,), default=None
            How far to trust the proximities to each old object.

        label : str, default=None
            The newcomer.

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
        arrivals, names, _ = self._newcomers(
            x_new, None if label is None else [label], None, self_similarity, weights, name="x_new", vector=True
        )
        if len(names) != 1:
            raise ValueError(f"x_new: found {len(names)} newcomers, expected one; Placements.arcs() has all of them")
        with progress(self.verbose) as tell:
            border = self.model_.border(arrivals, threads(self.n_jobs), tell)
        answer = self.model_.arcs(border, points)[0]
        if answer is None:
            raise ValueError(f"x_new: found too few proximities of {names[0]!r}, expected enough to place it")
        return Arc(label=names[0], _diagram=self.model_, **answer)

    def compare(self, X_new, *, between=None, self_similarity=None, weights=None, labels=None):
        """Place newcomers by every strategy, and say how foreign each is to the map.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n_samples) or (n_new, n_features)
            As for `add`.

        between : array-like of shape (n_new, n_new) or True, default=None
            As for `add`; the newcomers are then placed jointly, too.

        self_similarity : float or array-like of shape (n_new,), default=None
            As for `add`.

        weights : array-like of shape (n_samples,), default=None
            As for `add`.

        labels : list of str, default=None
            As for `add`.

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
        jointly = None
        together = between is not None and between is not False
        arrivals, names, between = self._newcomers(X_new, labels, between, self_similarity, weights)
        arrivals["labels"] = names
        with progress(self.verbose) as tell:
            border, answer = self.model_.compare(arrivals, threads(self.n_jobs), tell)
            if together:
                own, joint = self.model_.jointly(arrivals, between, threads(self.n_jobs), tell)
                jointly = Placements._from_core(joint, names, self.model_, own)
        answer["placements"] = {
            by: Placements._from_core(one, names, self.model_, border)
            for by, one in answer["placements"].items()
        }
        return Comparison(labels=names, jointly=jointly, **answer)

    def plot(self, ax=None, *, axes=(0, 1), labels="auto"):
        """Draw the map. Needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if there is none.

        axes : pair of int, default=(0, 1)
            Which two axes of the map.

        labels : {"auto", "all", "none"}, default="auto"
            Whether to write labels; "auto" does if they are few.

        Returns
        -------
        matplotlib.axes.Axes
        """
        check_is_fitted(self)
        from ._plot import draw

        return draw(self.model_, None, ax=ax, axes=axes, labels=labels)

    def report(
        self,
        path,
        X_new=None,
        *,
        strategy=None,
        between=None,
        self_similarity=None,
        weights=None,
        labels=None,
        metadata=None,
        title=None,
    ):
        """Write the interactive page: one HTML file that opens from disk and needs no network.

        Parameters
        ----------
        path : str or path-like
            The page. It appears whole or not at all.

        X_new : array-like of shape (n_new, n_samples) or (n_new, n_features), default=None
            As for `add`; the map alone if there are none.

        strategy : str, default=None
            How newcomers are placed when the page opens; the estimator's strategy if None.

        between : array-like of shape (n_new, n_new) or True, default=None
            As for `add`.

        self_similarity : float or array-like of shape (n_new,), default=None
            As for `add`.

        weights : array-like of shape (n_samples,), default=None
            As for `add`.

        labels : list of str, default=None
            As for `add`.

        metadata : DataFrame or dict, default=None
            What objects are coloured and shaped by: a DataFrame whose index has labels (polars: the first column), or
            a dict of columns, each a dict by label or one value for every old object and perhaps every newcomer.

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

        jointly = between is not None and between is not False
        strategy = strategy if strategy is not None else "reconstruct" if jointly else self.strategy
        check_strategy(strategy)
        if jointly and strategy != "reconstruct":
            raise ValueError(
                f"strategy: found {strategy!r} beside between, expected none: newcomers are placed jointly by "
                "reconstruct"
            )
        arrivals = None
        if X_new is not None:
            arrivals, names, between = self._newcomers(X_new, labels, between, self_similarity, weights)
            arrivals["labels"] = names
        elif jointly or self_similarity is not None or weights is not None or labels is not None:
            raise ValueError("X_new: found None beside what newcomers have, expected newcomers")
        with progress(self.verbose) as tell:
            write(self, path, title, arrivals, strategy, jointly, between, metadata, threads(self.n_jobs), tell)

    def save(self, path):
        """Write the map to a file that `load` and the command line read.

        The file holds the map and what newcomers need: the old features if the core has the measure,
        never the proximities. Python's pickle keeps the whole estimator.

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
        self.model_.save(os.fspath(path))

    def _check_common(self, *, all_axes=False):
        if not (is_auto(self.n_components) or all_axes and self.n_components is None):
            if not isinstance(self.n_components, Integral) or isinstance(self.n_components, bool):
                raise TypeError(f"n_components: found {self.n_components!r}, expected an integer or 'auto'")
            if self.n_components < 1:
                raise ValueError(f"n_components: found {self.n_components}, expected at least 1")
        for name in ("kind", "strategy", "correction", "solver", "disconnected"):
            if not isinstance(getattr(self, name, ""), str):
                raise TypeError(f"{name}: found {getattr(self, name)!r}, expected a word")
        check_strategy(self.strategy)

    def _options(self, labels, **settings):
        """Return what every fit is told; `settings` are the words that the map file keeps."""
        settings = {"dimensions": str(self.n_components), **settings}
        return dict(
            dimensions="all" if self.n_components is None else self.n_components,
            solver=self.solver,
            labels=labels,
            settings={key: str(value) for key, value in settings.items() if value is not None},
            argument="X",
        )

    def _old_proximities(self, X):
        """Return the old proximities as an array, not copied if that is possible, and their labels."""
        if _input.is_distance_matrix(X):
            found = _input.table(X, "X")
            return validate_data(self, found.values, **as_it_is(True)), found.rows
        labelled = _input._is_pandas(X) or _input._is_polars(X)
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        shape = getattr(X, "shape", ())
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if not labelled:
            X = validate_data(self, X, ensure_min_samples=2, **as_it_is(is_square))
            return _input.array(X, "X"), None
        found = _input.square(X, "X")
        if _input._is_polars(X) and found.values.shape[1] != X.width:
            X = X.select(found.columns)
        validate_data(self, X, ensure_min_samples=2, **as_it_is(is_square))
        return found.values, found.columns

    def _old_features(self, X):
        """Return the old features and the labels of their objects; scikit-learn checks them and keeps their names."""
        labels = _input.table(X, "X").rows if _input._is_pandas(X) else None
        return validate_data(self, X, dtype=np.float64, ensure_min_samples=2), labels

    def _feature_names(self):
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _adopt(self, model):
        self.model_ = model
        self.embedding_ = model.configuration
        self.eigenvalues_ = model.eigenvalues
        self.explained_variance_ratio_ = model.proportions
        self.labels_ = model.labels
        self.findings_ = model.findings

    def _referred(self, values, name):
        """Return the columns of `values` that newcomers are compared with; checks how many there are."""
        references = len(self.model_.references)
        if values.shape[1] != references:
            hint = " (it may have to be transposed)" if values.shape[0] == references else ""
            raise ValueError(
                f"{name}: found {values.shape[1]} columns, expected {references}, one for each object of the "
                f"map{hint}"
            )
        return values

    def _relevant(self, table):
        """Return a labelled table without objects that newcomers are not compared with."""
        return table

    def _featured(self, features, names, *, labels=None, weights=None, argument="X"):
        """Return newcomers by their features for the core, which compares them if it has the measure."""
        if self.model_.has_source:
            return _arrivals(features, labels, weights=weights, names=names, features=True, argument=argument)
        values, own = self._compared(features)
        return _arrivals(values, labels, own, weights, argument=argument)

    def _newcomers(self, X, labels, between, self_similarity, weights, name="X_new", vector=False):
        """Return newcomers for the core, their labels, and what is between them (None if nothing is)."""
        found = _input.table(X, name, vector=vector)
        values, names, own = found.values, found.rows, None
        if self._precomputed and found.columns is not None and found.columns != self.model_.references:
            found = self._relevant(found)
            rows = _input.positions(len(found.values)) if found.rows is None else found.rows
            names, values, own = self.model_.matched(
                found.values, rows, found.columns, threads(self.n_jobs), name
            )
        elif self._precomputed:
            values = self._referred(values, name)
        elif values.shape[1] != self.n_features_in_:
            raise ValueError(f"{name}: found {values.shape[1]} features, expected {self.n_features_in_} as at the fit")
        if len(values) == 0:
            raise ValueError(f"{name}: found no newcomers, expected at least one")
        if labels is not None:
            names = [str(label) for label in labels]
            if len(names) != len(values):
                raise ValueError(f"labels: found {len(names)}, expected {len(values)}, one for each newcomer")
        given = names
        names = _input.positions(len(values)) if names is None else names
        weights = _input.numbers(weights, self.model_.references, "weights")
        if not self._precomputed:
            return self._by_features(found, values, given, names, between, weights, name)
        if between is True:
            between = self._between_columns(own, name)
        elif between is not None and between is not False:
            between = _input.between(between, names)
        else:
            between = None
        itself = own if between is None else between
        if self_similarity is None and itself is not None and self.model_.kind == "similarity":
            self_similarity = np.ascontiguousarray(np.diagonal(itself))
        arrivals = _arrivals(
            values,
            given,
            _input.numbers(self_similarity, names, "self_similarity"),
            weights,
            missing=True,
            argument=name,
        )
        return arrivals, names, between

    def _between_columns(self, own, name):
        if own is None:
            raise ValueError(
                f"between: found nothing between the newcomers, expected columns for them in {name}, or an array"
            )
        return own

    def _by_features(self, found, values, given, names, between, weights, name):
        """Return newcomers that come as features; their columns are matched by name if the fit had names."""
        if not np.isfinite(values).all():
            raise ValueError(f"{name}: found features that are missing or not finite, expected finite numbers")
        known = self._feature_names()
        columns = found.columns if known is not None and found.columns is not None else known
        if between is True:
            between = None
            if not self.model_.has_source:
                between = self._compared_with_each_other(values)
        elif between is not None and between is not False:
            between = _input.between(between, names)
        else:
            between = None
        arrivals = self._featured(values, columns, labels=given, weights=weights, argument=name)
        return arrivals, names, between


def as_it_is(fits):
    """Return how scikit-learn is to check proximities: shape and type, as the core checks the numbers.

    If the shape does not fit, the core will not see the numbers: then they are checked, too.
    """
    return dict(dtype=[np.float64, np.float32], ensure_all_finite=not fits)


def check_strategy(strategy):
    """Raise unless `strategy` is one of the core's."""
    known = ("project", "reconstruct", "hyperplane", "augment", "stress")
    if strategy not in known:
        raise ValueError(f"strategy: found {strategy!r}, expected one of {', '.join(known)}")


def is_auto(n_components):
    """Whether the number of axes is left to the eigenvalues."""
    return isinstance(n_components, str) and n_components == "auto"


def _arrivals(
    values, labels=None, self_similarity=None, weights=None, *, names=None, features=False, missing=False, argument="X"
):
    return dict(
        values=values,
        features=features,
        names=names,
        labels=labels,
        self_similarity=self_similarity,
        weights=weights,
        missing=missing,
        argument=argument,
    )


def threads(n_jobs):
    """Return the number of threads for the core, 0 for all cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected None or an integer other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


class MetricEstimator(Estimator):
    """An estimator with a `metric` and its `metric_params`."""

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _old_kind(self):
        return getattr(self, "kind", "dissimilarity")

    def _check_metric(self):
        if not (isinstance(self.metric, str) or callable(self.metric)):
            raise TypeError(f"metric: found {self.metric!r}, expected a name or a callable")

    def _params(self):
        return dict(self.metric_params or {})

    def _input(self, X):
        """Return what the core is to be fitted to, and labels: features if it has the metric, else dissimilarities."""
        if self._precomputed:
            return self._old_proximities(X)
        X, labels = self._old_features(X)
        self.X_fit_ = X
        self.metric_params_ = _metric.fitted_params(X, self.metric, self._params())
        measure = _metric.measure(self.metric, self.metric_params_, self._old_kind)
        if measure is not None:
            return _metric.objects(X, measure, labels, self._feature_names()), labels
        return _metric.within(X, self.metric, self.metric_params_), labels

    def _compared(self, features):
        return _metric.across(features, self.X_fit_, self.metric, self.metric_params_), None

    def _compared_with_each_other(self, features):
        return _metric.within(features, self.metric, self.metric_params_)
