"""A map that exists already: given coordinates, and the link by which they follow the dissimilarities."""

from . import _core
from ._configuration import coordinates, weights
from ._fitting import square
from ._metric_estimator import MetricEstimator
from ._run import running

__all__ = ["GivenMap"]


class GivenMap(MetricEstimator):
    """A map that was made elsewhere, by nonmetric scaling or by hand, on which newcomers can be placed.

    Coordinates that do not show dissimilarities in their own unit (`metaMDS`, `isoMDS`, SMACOF, t-SNE) follow them by a link:
    a function from dissimilarity to shown distance, which the old pairs tell. Newcomers are placed by the map's own criterion,
    raw stress with the old objects held fixed, of the distances that the link makes of their dissimilarities.

    Parameters
    ----------
    link : {"monotone", "linear", "ratio", "none"}, default="monotone"
        How shown distances follow dissimilarities: in their order only (isotonic regression with ties by Kruskal's primary
        approach), in a straight line, or in one through 0. "none" is for coordinates that are in the unit of the
        dissimilarities; newcomers are then placed as on a map by classical scaling.

    metric : str or callable, default="precomputed"
        "precomputed" if the input is dissimilarities; otherwise a metric of adjoin, SciPy or scikit-learn. Then the old
        features are kept, and newcomers come as features.

    metric_params : dict, default=None
        Further arguments of the metric.

    kind : {"dissimilarity", "squared"}, default=None
        What precomputed proximities are, "dissimilarity" if None; similarities only without a link.

    strategy : str, default=None
        How newcomers are placed: by "stress", which is the only way with a link and what None means there; without a link by
        any strategy, "project" if None.

    force : bool, default=False
        Whether to take a link that places old objects, each left out, farther from where they are than half the map's
        radius (in the median).

    rescale : bool, default=False
        Without a link: multiply the coordinates by the factor that brings them onto the scale of the dissimilarities.

    unplaced : {"raise", "nan"}, default="raise"
        What `transform` does about newcomers that cannot be placed: raise a ValueError, or give them NaN.

    training : {"embedding", "leave_one_out"}, default="embedding"
        What `fit_transform` returns: the map, or each old object where the others place it.

    n_jobs : int, default=None
        Number of threads. None means the cores that this process may use, but no more than `OMP_NUM_THREADS` if that is
        set; -1 means the cores whatever it says.

    verbose : bool or class, default=False
        Whether to show a progress bar of tqdm in long calls; or a class like `tqdm.tqdm`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, as it was given.

    link_ : dict or None
        The link: its `form`, its `knots` (an array of dissimilarities and shown distances, one a row), the `stress` of the old
        map (Kruskal's, formula 1), the `pairs` of its Shepard diagram, the `range` of the old dissimilarities.

    link_error_ : dict or None
        How far old objects are placed from where they are, each left out: the `median`, the ninth decile (`most`), the `radius`
        of the map to judge these by, and the `errors` of all.

    map_ : Map
        What was fitted: small, frozen, picklable.

    object_names_ : list of str or None
        What the old objects are called; None if the input has no names for them, but positions only.

    findings_ : list of str
        What was found about the link and the dissimilarities.

    n_features_in_ : int
        Number of features seen during `fit`; the number of old objects if precomputed.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns seen during `fit`, if they are all strings.

    See Also
    --------
    ClassicalMDS : Maps in the unit of the dissimilarities.
    load : Read a map that `save` or the command line has written.

    References
    ----------
    .. [1] Kruskal, J. B. (1964). Nonmetric multidimensional scaling: a numerical method. Psychometrika 29, 115-129.

    Examples
    --------
    >>> import adjoin
    >>> from sklearn.manifold import MDS
    >>> cities = adjoin.datasets.eurodist()
    >>> old = cities.iloc[:18, :18]
    >>> made = MDS(metric="precomputed", metric_mds=False, n_init=1, init="random", random_state=4).fit(old.to_numpy())
    >>> model = adjoin.GivenMap(link="monotone").fit(old, configuration=made)
    >>> model.place(cities.iloc[18:, :18], prove=True).certified.tolist()
    [True, True, True]
    """

    def __init__(
        self,
        link="monotone",
        *,
        metric="precomputed",
        metric_params=None,
        kind=None,
        strategy=None,
        force=False,
        rescale=False,
        unplaced="raise",
        training="embedding",
        n_jobs=None,
        verbose=False,
    ):
        self.link = link
        self.metric = metric
        self.metric_params = metric_params
        self.kind = kind
        self.strategy = strategy
        self.force = force
        self.rescale = rescale
        self.unplaced = unplaced
        self.training = training
        self.n_jobs = n_jobs
        self.verbose = verbose

    # What a fit says of axes: all that were given.
    n_components = None
    solver = "auto"

    def fit(self, X, y=None, *, configuration=None, sample_weight=None, transform=None, symmetrise=None):
        """Take the map over, and fit the link.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            Dissimilarities between the old objects if `metric="precomputed"`, otherwise features. Tables of pandas and
            polars and distance matrices of scikit-bio bring their labels.

        y : Ignored
            Present for API consistency.

        configuration : array-like of shape (n_samples, d), estimator or OrdinationResults
            The coordinates: an array, a DataFrame, what a fitted estimator of scikit-learn has as `embedding_`, or what
            scikit-bio's `OrdinationResults` have as `samples`. If they and the objects have names, these are matched.

        sample_weight : array-like of shape (n_samples,), default=None
            With a link: how far to trust each old object; a pair weighs the product of two, and newcomers are placed with the
            same weights.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : GivenMap
        """
        self._adapt(transform, symmetrise)
        self._check_common(all_axes=True)
        self._check_metric()
        if configuration is None:
            raise ValueError("configuration: found None, expected the coordinates of the old objects")
        objects = self._objects(X)
        if "features" in objects:
            with running(self) as run:
                made = _core.measured(objects, run)
            objects = square(made, self._old_kind, objects["labels"], objects)
        settings = dict(
            method="cmds",
            configuration=coordinates(configuration, objects["labels"]),
            link=self.link,
            force=bool(self.force),
            rescale=bool(self.rescale),
        )
        if sample_weight is not None:
            settings["link_weights"] = weights(sample_weight, objects["labels"])
        words = dict(dimensions=None, configuration="given", link=self.link, metric=self._metric_word())
        self._fit(objects, settings, words)
        return self

    def fit_transform(self, X, y=None, *, configuration=None, sample_weight=None, transform=None, symmetrise=None):
        """Take the map over and return it: `embedding_`, or what `leave_one_out` says if `training` is that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            As for `fit`.

        y : Ignored
            Present for API consistency.

        configuration, sample_weight, transform, symmetrise
            As for `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        how = dict(transform=transform, symmetrise=symmetrise)
        return self.fit(X, configuration=configuration, sample_weight=sample_weight, **how)._every_row()

    def _check_common(self, **how):
        if not isinstance(self.link, str):
            raise TypeError(f"link: found {self.link!r}, expected a word")
        super()._check_common(**how)

    def _optional(self, name):
        return name in ("kind", "strategy")

    def _adopt(self, fitted):
        super()._adopt(fitted)
        self.link_, self.link_error_ = fitted.link
        if self.link_ is not None:
            # Coordinates that follow dissimilarities by a link have none.
            del self.eigenvalues_, self.explained_variance_ratio_

    def _usual_strategy(self):
        usual = "stress" if self.link != "none" else "project"
        return usual if self.strategy is None else self.strategy
