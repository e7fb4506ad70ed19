"""Classical scaling (PCoA): the map of proximities as they are."""

from numbers import Integral

from . import _core, _input
from ._configuration import coordinates
from ._fitting import square
from ._metric_estimator import MetricEstimator
from ._run import running

__all__ = ["ClassicalMDS"]


class ClassicalMDS(MetricEstimator):
    """Classical multidimensional scaling (PCoA) on which newcomers can be placed.

    The parameters and attributes of `sklearn.manifold.ClassicalMDS`, and more: newcomers are placed
    on the fitted map from their dissimilarities to the old objects, and nothing old moves.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of axes. There can be no more than positive eigenvalues. "auto" leaves it to the profile
        likelihood of the eigenvalues.

    metric : str or callable, default="euclidean"
        "precomputed" if the input is proximities; otherwise a metric of adjoin, SciPy or scikit-learn,
        by its name, or a function of two vectors. Then the old features are kept, and newcomers come
        as features.

    metric_params : dict, default=None
        Further arguments of the metric. `{"packed": True}` says that features are bits, packed into arrays of uint8 as
        `numpy.packbits` does: jaccard, tanimoto, dice and hamming count them as they are; a number in the place of
        True says how many bits there are, where the last byte is not full.

    kind : {"dissimilarity", "squared", "similarity"}, default=None
        What precomputed proximities are, "dissimilarity" if None; it is never guessed. A metric says it
        itself ("sqeuclidean" makes squared dissimilarities, hence the map of "euclidean"), and a
        `kind` that contradicts it is refused.

    strategy : {"project", "reconstruct", "hyperplane", "augment", "stress"}, default="project"
        How `transform` places newcomers, and `place` unless it is told otherwise.

    unplaced : {"raise", "nan"}, default="raise"
        What `transform` does about newcomers that cannot be placed: raise a ValueError, or give them NaN.

    training : {"embedding", "leave_one_out"}, default="embedding"
        What `fit_transform` returns: the map, or each old object where it would be as a newcomer to the map of
        the others, by the same strategy as `transform`: what a classifier in a pipeline should be trained on.

    origin : str, int or array-like of shape (n_samples,), default=None
        Where the origin is: None for the centroid, the label or the position of an old object,
        or weights that sum to 1.

    correction : {"none", "lingoes", "cailliez"}, default="none"
        A correction of dissimilarities that are not Euclidean.

    solver : {"auto", "dense", "iterative"}, default="auto"
        Which eigensolver.

    keep_matrix : bool, default=False
        Whether a pickled estimator keeps `dissimilarity_matrix_`: n × n numbers beside a map of a few thousand.

    n_jobs : int, default=None
        Number of threads. None means the cores that this process may use, but no more than `OMP_NUM_THREADS` if that is
        set, as Dask, Ray, Spark and joblib do for their workers; -1 means the cores whatever it says.

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
        The proximities: the input itself, not a copy, if it was precomputed and is not transformed. A loaded map has none, nor
        has a pickled or copied estimator without `keep_matrix`.

    map_ : Map
        What was fitted: small, frozen, picklable.

    object_names_ : list of str or None
        What the old objects are called; None if the input has no names for them, but positions only.

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
    >>> model.place(cdist(new, old), strategy="reconstruct")
    <Placements of 30 newcomers by reconstruct: 30 unique>
    >>> model.place(cdist(new, old), between=cdist(new, new)).certified
    True
    """

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        metric_params=None,
        kind=None,
        strategy="project",
        unplaced="raise",
        training="embedding",
        origin=None,
        correction="none",
        solver="auto",
        keep_matrix=False,
        n_jobs=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.kind = kind
        self.strategy = strategy
        self.unplaced = unplaced
        self.training = training
        self.origin = origin
        self.correction = correction
        self.solver = solver
        self.keep_matrix = keep_matrix
        self.n_jobs = n_jobs
        self.verbose = verbose

    _matrices = ("dissimilarity_matrix_",)

    def fit(self, X, y=None, *, configuration=None, transform=None, symmetrise=None):
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
            would be fitted; `n_components` is then ignored. An array, a DataFrame, an estimator with an `embedding_`, or
            scikit-bio's `OrdinationResults`; names are matched.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : ClassicalMDS
        """
        if _input.is_lazy(X) and configuration is None:
            from .dask import fit

            return fit(self, X, transform=transform, symmetrise=symmetrise)
        self._adapt(transform, symmetrise)
        self._check_common()
        self._check_metric()
        objects = self._objects(X)
        if "features" in objects:
            with running(self) as run:
                made = _core.measured(objects, run)
            objects = square(made, self._old_kind, objects["labels"], objects)
        self.dissimilarity_matrix_ = objects["square"]
        settings = dict(method="cmds", origin=self._origin(objects), correction=self.correction)
        if configuration is None:
            named = self.origin is None or isinstance(self.origin, str)
            words = dict(origin=self.origin if named else "given", metric=self._metric_word())
        else:
            settings.update(axes="all", configuration=coordinates(configuration, objects["labels"]))
            words = dict(dimensions=None, configuration="given")
        self._fit(objects, settings, words)
        return self

    def fit_transform(self, X, y=None, *, configuration=None, transform=None, symmetrise=None):
        """Fit the map and return it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_samples) or (n_samples, n_features)
            As for `fit`.

        y : Ignored
            Present for API consistency.

        configuration, transform, symmetrise
            As for `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The map, `embedding_`.
        """
        return self.fit(X, configuration=configuration, transform=transform, symmetrise=symmetrise)._every_row()

    def _origin(self, objects):
        labels, n = objects["labels"], len(objects["square"])
        if self.origin is None:
            return None
        if isinstance(self.origin, str):
            if labels is None:
                raise ValueError(f"origin: found the name {self.origin!r}, expected a position: the objects have no names")
            if self.origin not in labels:
                raise ValueError(f"origin: found no object called {self.origin!r}, expected one of the old objects")
            return labels.index(self.origin)
        if isinstance(self.origin, Integral):
            if not 0 <= self.origin < n:
                raise ValueError(f"origin: found position {self.origin}, expected one from 0 to {n - 1}")
            return int(self.origin)
        return _input.numbers(self.origin, "origin")
