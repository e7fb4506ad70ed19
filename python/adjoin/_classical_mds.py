"""The estimator: parameters, validation, and the core's answers in scikit-learn's shapes."""

import os
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _input, _metric
from ._placements import Arc, Comparison, Placements
from ._progress import progress

__all__ = ["ClassicalMDS", "load"]


class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Classical multidimensional scaling (PCoA) to which newcomers can be added.

    The parameters and attributes of `sklearn.manifold.ClassicalMDS`, and more: newcomers are placed
    on the fitted map from their dissimilarities to the old objects, and nothing old moves.

    Parameters
    ----------
    n_components : int, default=2
        Number of axes. There can be no more than positive eigenvalues.

    metric : str or callable, default="euclidean"
        "precomputed" if the input is proximities; otherwise a metric of SciPy or scikit-learn, by
        its name, or a function of two vectors. Then the old features are kept, and newcomers come
        as features.

    metric_params : dict, default=None
        Further arguments of the metric.

    kind : {"dissimilarity", "squared", "similarity"}, default="dissimilarity"
        What the proximities are. It is never guessed. "similarity" needs `metric="precomputed"`.

    strategy : {"project", "reconstruct", "hyperplane", "augment", "stress"}, default="project"
        How `transform` places newcomers, and `add` unless it is told otherwise.

    origin : str, int or array-like of shape (n_samples,), default=None
        Where the origin is: None for the centroid, the label or the position of an old object,
        or weights that sum to 1.

    correction : {"none", "lingoes", "cailliez"}, default="none"
        A correction of dissimilarities that are not Euclidean.

    solver : {"auto", "dense", "iterative"}, default="auto"
        Which eigensolver.

    n_jobs : int, default=None
        Number of threads. None and -1 mean all cores.

    verbose : bool or class, default=False
        Whether to show a progress bar of tqdm in long calls; or a class like `tqdm.tqdm`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.

    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues of the axes, descending.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their share of all positive eigenvalues, or of the trace where not all are known.

    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        The proximities: the input itself, not a copy, if it was precomputed. A loaded map has none.

    labels_ : list of str
        The old objects, from the input's labels, or `1 … n`.

    findings_ : list of str
        What was remarkable about the proximities but did not stand in the way.

    n_features_in_ : int
        Number of features seen during `fit`; the number of old objects if precomputed.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns seen during `fit`, if they are all strings.

    See Also
    --------
    load : Read a map that `save` or the command line has written.

    References
    ----------
    .. [1] Gower, J. C. (1968). Adding a point to vector diagrams in multivariate analysis.
       Biometrika 55, 582-585.
    .. [2] Trosset, Tan, Tang and Priebe. Out-of-sample embedding with proximity data: projection
       versus restricted reconstruction.

    Examples
    --------
    >>> import adjoin
    >>> from scipy.spatial.distance import cdist
    >>> from sklearn.datasets import load_iris
    >>> features = load_iris().data
    >>> old, new = features[:120], features[120:]
    >>> model = adjoin.ClassicalMDS(n_components=2, metric="precomputed").fit(cdist(old, old))
    >>> model.transform(cdist(new, old)).shape
    (30, 2)
    >>> model.add(cdist(new, old), strategy="reconstruct")
    <Placements of 30 newcomers by reconstruct: 30 unique>
    >>> model.add(cdist(new, old), between=cdist(new, new)).certified
    True
    """

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        metric_params=None,
        kind="dissimilarity",
        strategy="project",
        origin=None,
        correction="none",
        solver="auto",
        n_jobs=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.kind = kind
        self.strategy = strategy
        self.origin = origin
        self.correction = correction
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        precomputed = self._precomputed
        tags.input_tags.pairwise = precomputed
        tags.input_tags.positive_only = precomputed and self.kind != "similarity"
        return tags

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _n_features_out(self):
        return self.diagram_.dimensions

    def fit(self, X, y=None, *, configuration=None):
        """Fit the map to the old objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            Proximities if `metric="precomputed"`, otherwise features. Arrays of float64 and float32
            are not copied. Tables of pandas and polars and distance matrices of scikit-bio bring
            their labels; rows may come in another order than columns.

        y : Ignored
            Present for API consistency.

        configuration : array-like of shape (n_samples, d), optional
            A map that exists already, to which newcomers are to be added, in the place of the one that
            would be fitted; `n_components` is then ignored.

        Returns
        -------
        self : ClassicalMDS
        """
        self._check_parameters()
        threads = _threads(self.n_jobs)
        if self._precomputed:
            X, labels = self._old_proximities(X)
            self.dissimilarity_matrix_ = X
        else:
            labels = _input.table(X, "X").rows if _input._is_pandas(X) else None
            X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
            self.X_fit_ = X
            self.metric_params_ = _metric.fitted_params(X, self.metric, self.metric_params)
            self.dissimilarity_matrix_ = X = _metric.within(X, self.metric, self.metric_params_)
        settings = {"dimensions": str(self.n_components)}
        if self.origin is not None:
            settings["origin"] = self.origin if isinstance(self.origin, str) else "given"
        if not self._precomputed and isinstance(self.metric, str):
            settings["metric"] = self.metric
        if configuration is not None:
            configuration = np.asarray(_input.array(configuration, "configuration"), dtype=np.float64)
            if configuration.ndim != 2:
                raise ValueError(
                    f"configuration: found a {configuration.ndim}-D array, expected a 2-D array"
                )
            settings = {"configuration": "given"}
        options = dict(
            dimensions=self.n_components,
            kind=self.kind,
            origin=self._origin(labels, len(X)),
            correction=self.correction,
            solver=self.solver,
            labels=labels,
            settings=settings,
            argument="X",
        )
        with progress(self.verbose) as tell:
            diagram = _core.Diagram.fit(X, options, configuration, threads, tell)
        self._adopt(diagram)
        return self

    def fit_transform(self, X, y=None, *, configuration=None):
        """Fit the map and return it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            As for `fit`.

        y : Ignored
            Present for API consistency.

        configuration : array-like of shape (n_samples, d), optional
            As for `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The map, `embedding_`.
        """
        return self.fit(X, configuration=configuration).embedding_

    def transform(self, X):
        """Place newcomers by the estimator's strategy, each independently of the others.

        Missing values are refused, and so are columns with names that are not those of the fit, in
        their order; `add` matches columns by name and takes missing values.

        Parameters
        ----------
        X : array-like of shape (n_new, n_samples) or (n_new, n_features)
            Proximities to the old objects if `metric="precomputed"`, otherwise features.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Where the newcomers are. A newcomer that cannot be placed is a ValueError.
        """
        check_is_fitted(self)
        self._check_strategy(self.strategy)
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        if self._precomputed:
            fits = getattr(X, "shape", ())[1:] == (self.n_features_in_,)
            X = validate_data(self, X, reset=False, **_as_it_is(fits))
            X = _input.array(X, "X")
        else:
            X = validate_data(self, X, reset=False, dtype=np.float64)
            X = _metric.across(X, self.X_fit_, self.metric, self.metric_params_)
        arrivals = _arrivals(X, None, None, None, missing=False, argument="X")
        with progress(self.verbose) as tell:
            coordinates, unplaced = self.diagram_.transform(
                arrivals, self.strategy, _threads(self.n_jobs), tell
            )
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
            Proximities to the old objects if `metric="precomputed"`, otherwise features. Columns with
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
        self._check_strategy(strategy or "reconstruct")
        if jointly and strategy not in (None, "reconstruct"):
            raise ValueError(
                f"strategy: found {strategy!r} beside between, expected none: newcomers are placed jointly by "
                "reconstruct"
            )
        arrivals, names, between = self._newcomers(X_new, labels, between, self_similarity, weights)
        threads = _threads(self.n_jobs)
        with progress(self.verbose) as tell:
            if jointly:
                border, answer = self.diagram_.jointly(arrivals, between, threads, tell)
            else:
                border, answer = self.diagram_.place(
                    arrivals, strategy, recentre, scaled, threads, tell
                )
        return Placements._from_core(answer, names, self.diagram_, border)

    def arc(self, x_new, points=50, *, self_similarity=None, weights=None, label=None):
        """Follow one newcomer from projection to reconstruction.

        Parameters
        ----------
        x_new : array-like of shape (n_samples,) or (n_features,)
            One newcomer: its proximities to the old objects if `metric="precomputed"`, otherwise its
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
            border = self.diagram_.border(arrivals, _threads(self.n_jobs), tell)
        answer = self.diagram_.arcs(border, points)[0]
        if answer is None:
            raise ValueError(f"x_new: found too few proximities of {names[0]!r}, expected enough to place it")
        return Arc(label=names[0], _diagram=self.diagram_, **answer)

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
        arrivals, names, between = self._newcomers(X_new, labels, between, self_similarity, weights)
        arrivals["labels"] = names
        threads = _threads(self.n_jobs)
        jointly = None
        with progress(self.verbose) as tell:
            border, answer = self.diagram_.compare(arrivals, threads, tell)
            if between is not None:
                together = self.diagram_.jointly(arrivals, between, threads, tell)
                jointly = Placements._from_core(together[1], names, self.diagram_, together[0])
        answer["placements"] = {
            by: Placements._from_core(one, names, self.diagram_, border)
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

        return draw(self.diagram_, None, ax=ax, axes=axes, labels=labels)

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
        self._check_strategy(strategy)
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
            between = between if jointly else None
            write(self, path, title, arrivals, strategy, between, metadata, _threads(self.n_jobs), tell)

    def save(self, path):
        """Write the map to a file that `load` and the command line read.

        The file holds the map and what newcomers need, neither the proximities nor features: what
        is loaded takes precomputed proximities. Python's pickle keeps the whole estimator.

        Parameters
        ----------
        path : str or path-like
            The file. It appears whole or not at all.
        """
        check_is_fitted(self)
        if callable(self.metric):
            raise ValueError(
                "metric: found a callable, which cannot be saved, expected a name: fit precomputed dissimilarities "
                "instead"
            )
        self.diagram_.save(os.fspath(path))

    def _check_parameters(self):
        if not isinstance(self.n_components, Integral) or isinstance(self.n_components, bool):
            raise TypeError(f"n_components: found {self.n_components!r}, expected an integer")
        if self.n_components < 1:
            raise ValueError(f"n_components: found {self.n_components}, expected at least 1")
        if not (isinstance(self.metric, str) or callable(self.metric)):
            raise TypeError(f"metric: found {self.metric!r}, expected a name or a callable")
        for name in ("kind", "strategy", "correction", "solver"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name}: found {getattr(self, name)!r}, expected a word")
        self._check_strategy(self.strategy)
        if self.kind == "similarity" and not self._precomputed:
            raise ValueError(
                f"kind: found 'similarity' with metric={self.metric!r}, expected metric='precomputed'"
            )

    @staticmethod
    def _check_strategy(strategy):
        known = ("project", "reconstruct", "hyperplane", "augment", "stress")
        if strategy not in known:
            raise ValueError(f"strategy: found {strategy!r}, expected one of {', '.join(known)}")

    def _old_proximities(self, X):
        """Return the old proximities as an array, not copied if that is possible, and their labels."""
        if _input.is_distance_matrix(X):
            found = _input.table(X, "X")
            return validate_data(self, found.values, **_as_it_is(True)), found.rows
        labelled = _input._is_pandas(X) or _input._is_polars(X)
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        shape = getattr(X, "shape", ())
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if not labelled:
            X = validate_data(self, X, ensure_min_samples=2, **_as_it_is(is_square))
            return _input.array(X, "X"), None
        found = _input.square(X, "X")
        if _input._is_polars(X) and found.values.shape[1] != X.width:
            X = X.select(found.columns)
        validate_data(self, X, ensure_min_samples=2, **_as_it_is(is_square))
        return found.values, found.columns

    def _origin(self, labels, n):
        if self.origin is None:
            return None
        if isinstance(self.origin, str):
            labels = [str(i + 1) for i in range(n)] if labels is None else labels
            if self.origin not in labels:
                raise ValueError(f"origin: found no object called {self.origin!r}, expected one of the old objects")
            return labels.index(self.origin)
        if isinstance(self.origin, Integral):
            if not 0 <= self.origin < n:
                raise ValueError(f"origin: found position {self.origin}, expected one from 0 to {n - 1}")
            return int(self.origin)
        return _input.numbers(self.origin, labels or [], "origin").tolist()

    def _adopt(self, diagram):
        self.diagram_ = diagram
        self.embedding_ = diagram.configuration
        self.eigenvalues_ = diagram.eigenvalues
        self.explained_variance_ratio_ = diagram.proportions
        self.labels_ = diagram.labels
        self.findings_ = diagram.findings

    def _newcomers(self, X, labels, between, self_similarity, weights, name="X_new", vector=False):
        """Return newcomers for the core, their labels, and what is between them (None if nothing is)."""
        found = _input.table(X, name, vector=vector)
        values, names, own = found.values, found.rows, None
        if not self._precomputed:
            if values.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"{name}: found {values.shape[1]} features, expected {self.n_features_in_} as at the fit"
                )
            if not np.isfinite(values).all():
                raise ValueError(f"{name}: found features that are missing or not finite, expected finite numbers")
            features = values
            values = _metric.across(features, self.X_fit_, self.metric, self.metric_params_)
            if between is True:
                own = _metric.within(features, self.metric, self.metric_params_)
        elif found.columns is not None and found.columns != self.labels_:
            names = _input.positions(len(values)) if names is None else names
            names, values, own = self.diagram_.matched(
                values, names, found.columns, _threads(self.n_jobs), name
            )
        elif values.shape[1] != len(self.labels_):
            hint = " (it may have to be transposed)" if values.shape[0] == len(self.labels_) else ""
            raise ValueError(
                f"{name}: found {values.shape[1]} columns, expected {len(self.labels_)}, one for each object of the "
                f"map{hint}"
            )
        if len(values) == 0:
            raise ValueError(f"{name}: found no newcomers, expected at least one")
        if labels is not None:
            names = [str(label) for label in labels]
            if len(names) != len(values):
                raise ValueError(f"labels: found {len(names)}, expected {len(values)}, one for each newcomer")
        given = names
        names = _input.positions(len(values)) if names is None else names
        if between is True:
            if own is None:
                raise ValueError(
                    f"between: found nothing between the newcomers, expected columns for them in {name}, or an array"
                )
            between = own
        elif between is not None and between is not False:
            between = _input.between(between, names)
        else:
            between = None
        itself = own if between is None else between
        if self_similarity is None and itself is not None and self.diagram_.kind == "similarity":
            self_similarity = np.ascontiguousarray(np.diagonal(itself))
        arrivals = _arrivals(
            values,
            given,
            _input.numbers(self_similarity, names, "self_similarity"),
            _input.numbers(weights, self.labels_, "weights"),
            missing=True,
            argument=name,
        )
        return arrivals, names, between


def _as_it_is(fits):
    """Return how scikit-learn is to check proximities: shape and type, as the core checks the numbers.

    If the shape does not fit, the core will not see the numbers: then they are checked, too.
    """
    return dict(dtype=[np.float64, np.float32], ensure_all_finite=not fits)


def load(path):
    """Read a map that `ClassicalMDS.save` or the command line has written.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    ClassicalMDS
        Fitted, with `metric="precomputed"`.

    Examples
    --------
    >>> import adjoin, os, tempfile
    >>> cities = adjoin.datasets.eurodist()
    >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "europe.adjoin"))
    ...     again = adjoin.load(os.path.join(folder, "europe.adjoin"))
    >>> again.labels_ == model.labels_
    True
    """
    diagram = _core.Diagram.load(os.fspath(path))
    model = ClassicalMDS(
        diagram.dimensions,
        metric="precomputed",
        kind=diagram.kind,
        correction=diagram.correction[0],
    )
    model._adopt(diagram)
    if diagram.settings.get("origin") in model.labels_:
        model.origin = diagram.settings["origin"]
    model.n_features_in_ = diagram.count
    if model.labels_ != [str(i + 1) for i in range(diagram.count)]:
        model.feature_names_in_ = np.array(model.labels_, dtype=object)
    return model


def _arrivals(values, labels, self_similarity, weights, *, missing, argument):
    return dict(
        proximities=values,
        labels=labels,
        self_similarity=self_similarity,
        weights=weights,
        missing=missing,
        argument=argument,
    )


def _threads(n_jobs):
    """Return the number of threads for the core, 0 for all cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected None or an integer other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
