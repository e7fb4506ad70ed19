"""Laplacian eigenmaps and diffusion maps, on which newcomers can be placed."""

from . import _core, _metric
from ._estimator import Estimator
from ._fitting import square
from ._isomap import tell_of

__all__ = ["LaplacianEigenmaps"]


class LaplacianEigenmaps(Estimator):
    """Laplacian eigenmaps (spectral embedding, diffusion maps) on which newcomers can be placed.

    The leading eigenvectors of the normalised kernel K/√(d d') without the constant one, d being the
    sums of the rows of K. Newcomers are placed by their own similarities to the old objects
    (Nyström's formula), by projection, restricted reconstruction, or jointly.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of axes.

    affinity : {"rbf", "nearest_neighbors", "precomputed"} or callable, default="rbf"
        K: exp(-gamma d²) between all objects, or between neighbours if `n_neighbors` or `radius` is
        given; 1 between neighbours, and ½ where only one counts the other; similarities as they are;
        or a function of two vectors.

    gamma : float, default=None
        Of rbf; 1/n_features if None.

    n_neighbors : int, default=None
        Neighbours of each object, itself among them. For "nearest_neighbors" None means a tenth of the
        objects, but at least 2.

    radius : float, default=None
        Everybody within this distance is a neighbour.

    metric : str, default="euclidean"
        A metric of adjoin, of which neighbours and rbf are made.

    alpha : float, default=0.0
        How much of the sampling density to take off first (Coifman and Lafon): 0 none, 1 all.

    time : float or None, default=None
        None for coordinates in the scale of the kernel, √λ u. Otherwise those of the random walk,
        λ^time u/√d: the diffusion map at that time, and at time 0 the eigenmap of Belkin and Niyogi.

    diagonal : bool, default=True
        Whether an object is similar to itself. With False and time=0 the embedding is that of
        `sklearn.manifold.SpectralEmbedding`; residuals then say nothing.

    disconnected : {"refuse", "largest", "join"}, default="refuse"
        What to do with a graph of neighbours that falls apart, as of `Isomap`. The pieces of a graph
        have a constant eigenvector each, of which one only is known: hence a ValueError unless asked
        otherwise. Objects at the ends of links that join pieces do not land on themselves when they
        come again.

    strategy : {"project", "reconstruct"}, default="project"
        How `transform` places newcomers, and `place` unless it is told otherwise.

    unplaced : {"raise", "nan"}, default="raise"
        What `transform` does about newcomers that cannot be placed: raise a ValueError, or give them NaN.

    training : {"embedding", "leave_one_out"}, default="embedding"
        What `fit_transform` returns: the map, or each old object where it would be as a newcomer to the map of
        the others, by the same strategy as `transform`: what a classifier in a pipeline should be trained on.

    solver, n_jobs, verbose
        As of `ClassicalMDS`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.

    eigenvalues_ : ndarray of shape (n_components,)
        Of the normalised kernel, descending, without the 1.

    n_neighbors_ : int or None
        The number of neighbours that was used.

    object_names_, findings_, explained_variance_ratio_, n_features_in_, feature_names_in_
        As of `ClassicalMDS`.

    References
    ----------
    .. [1] Belkin and Niyogi (2003). Laplacian eigenmaps for dimensionality reduction and data
       representation. Neural Computation 15, 1373-1396.
    .. [2] Bengio et al. (2004). Learning eigenfunctions links spectral embedding and kernel PCA.
       Neural Computation 16, 2197-2219.
    .. [3] Coifman and Lafon (2006). Diffusion maps. Applied and Computational Harmonic Analysis 21,
       5-30.

    Examples
    --------
    >>> import adjoin
    >>> from sklearn.datasets import load_digits
    >>> X = load_digits().data
    >>> model = adjoin.LaplacianEigenmaps(affinity="nearest_neighbors", n_neighbors=15).fit(X[:500])
    >>> model.transform(X[500:600]).shape
    (100, 2)
    """

    def __init__(
        self,
        n_components=2,
        *,
        affinity="rbf",
        gamma=None,
        n_neighbors=None,
        radius=None,
        metric="euclidean",
        alpha=0.0,
        time=None,
        diagonal=True,
        disconnected="refuse",
        strategy="project",
        unplaced="raise",
        training="embedding",
        solver="auto",
        n_jobs=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.metric = metric
        self.alpha = alpha
        self.time = time
        self.diagonal = diagonal
        self.disconnected = disconnected
        self.strategy = strategy
        self.unplaced = unplaced
        self.training = training
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose

    _old_kind = "similarity"

    @property
    def _precomputed(self):
        return isinstance(self.affinity, str) and self.affinity == "precomputed"

    def fit(self, X, y=None, *, transform=None, symmetrise=None):
        """Fit the map to the old objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or similarities of at least 0 if `affinity="precomputed"`.

        y : Ignored
            Present for API consistency.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : LaplacianEigenmaps
        """
        self._adapt(transform, symmetrise)
        self._check_common()
        known = ("nearest_neighbors", "rbf", "precomputed")
        if not callable(self.affinity) and self.affinity not in known:
            raise ValueError(f"affinity: found {self.affinity!r}, expected one of {', '.join(known)}, or a callable")
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError("n_neighbors: found a number beside a radius, expected one of them")
        objects = self._objects(X)
        heat = isinstance(self.affinity, str) and self.affinity == "rbf"
        near = isinstance(self.affinity, str) and self.affinity == "nearest_neighbors"
        settings = dict(
            method="laplacian",
            affinity="heat" if heat else "neighbours" if near else "given",
            gamma=float(self.gamma) if heat and self.gamma is not None else None,
            neighbors=self.n_neighbors_,
            radius=self.radius,
            disconnected=self.disconnected,
            alpha=float(self.alpha),
            diagonal=bool(self.diagonal),
            time=None if self.time is None else float(self.time),
        )
        word = None if callable(self.affinity) else self.affinity
        words = dict(method="laplacian", affinity=word, neighbors=self.n_neighbors_)
        self.kept_, pieces = self._fit(objects, settings, words)
        tell_of(pieces)
        return self

    def _objects(self, X):
        """Return what the core is to be fitted to: features, or similarities as they are."""
        self.n_neighbors_ = self.n_neighbors
        if self._precomputed:
            values, labels = self._old_proximities(X)
            return square(values, "similarity", labels)
        X, labels = self._old_features(X)
        self.X_fit_ = X
        if callable(self.affinity):
            return square(_metric.similarities(X, X, self.affinity, {}), "similarity", labels)
        measure = _metric.measure(self.metric, None)
        if measure is None:
            raise ValueError(f"metric: found {self.metric!r}, expected one of {', '.join(_core.METRICS)}")
        if self.affinity == "nearest_neighbors" and self.n_neighbors is None and self.radius is None:
            self.n_neighbors_ = max(X.shape[0] // 10, 2)
        return _metric.objects(X, measure, labels, self._names_in)

    def _measures_itself(self):
        named = isinstance(self.affinity, str) and not self._precomputed
        return named and _metric.measure(self.metric, None) is not None

    def _compared(self, features):
        own = _metric.similarities_to_itself(features, self.affinity, {})
        return _metric.similarities(features, self.X_fit_, self.affinity, {}), own

    def _compared_with_each_other(self, features):
        return _metric.similarities(features, features, self.affinity, {})
