"""Isomap: classical scaling of geodesics, to which newcomers are attached through their neighbours."""

import warnings
from numbers import Integral

from ._landmark_mds import chosen
from ._metric_estimator import MetricEstimator, count

__all__ = ["Isomap"]


class Isomap(MetricEstimator):
    """Isomap on which newcomers can be placed by every strategy.

    The parameters, attributes and answers of `sklearn.manifold.Isomap` (up to the signs of axes)
    where they coincide. `transform` is scikit-learn's; `place` also knows restricted reconstruction,
    and how far to trust each placement.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours of each object; None if a radius is given.

    radius : float or None, default=None
        Everybody within this distance is a neighbour.

    n_components : int or "auto", default=2
        Number of axes.

    n_jobs : int, default=None
        Number of threads, as of `ClassicalMDS`.

    metric : str or callable, default="minkowski"
        As of `ClassicalMDS`.

    p : float, default=2
        The power of the metric "minkowski".

    metric_params : dict, default=None
        Further arguments of the metric.

    kind : {"dissimilarity", "squared"}, default=None
        As of `ClassicalMDS`.

    disconnected : {"join", "largest", "refuse"}, default="join"
        What to do with a graph of neighbours that falls apart: join its pieces by their nearest pairs
        as scikit-learn does, with a warning; go on with the largest piece, with a warning; or raise
        a ValueError that names an object outside the largest.

    n_landmarks : int, default=None
        Embed so many landmarks and project the rest: landmark Isomap. None for all objects.

    landmarks : {"maxmin", "random"} or array-like of int, default="maxmin"
        As of `LandmarkMDS`; used if `n_landmarks` is given or these are positions.

    rotate : bool, default=False
        With landmarks: turn the whole configuration to its principal axes.

    random_state : int, RandomState instance or None, default=0
        Draws the landmarks, or the first of them; with None others at every fit.

    strategy, unplaced, training, solver, verbose
        As of `ClassicalMDS`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.

    eigenvalues_, explained_variance_ratio_, object_names_, findings_, n_features_in_, feature_names_in_
        As of `ClassicalMDS`.

    landmarks_ : ndarray of int of shape (n_landmarks,) or None
        Which of the objects are landmarks; None if all are embedded.

    kept_ : list of int or None
        Which objects are on the map, if a piece of the graph was left out.

    References
    ----------
    .. [1] Tenenbaum, de Silva and Langford (2000). A global geometric framework for nonlinear
       dimensionality reduction. Science 290, 2319-2323.
    .. [2] Bengio et al. (2003). Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and
       spectral clustering. NIPS 16.

    Examples
    --------
    >>> import adjoin
    >>> from sklearn.datasets import make_swiss_roll
    >>> X, _ = make_swiss_roll(500, random_state=0)
    >>> model = adjoin.Isomap(n_neighbors=10).fit(X[:400])
    >>> model.transform(X[400:]).shape
    (100, 2)
    >>> model.place(X[400:], between=True).certified in (True, False)
    True
    """

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=None,
        n_components=2,
        n_jobs=None,
        metric="minkowski",
        p=2,
        metric_params=None,
        kind=None,
        disconnected="join",
        n_landmarks=None,
        landmarks="maxmin",
        rotate=False,
        random_state=0,
        strategy="project",
        unplaced="raise",
        training="embedding",
        solver="auto",
        verbose=False,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.kind = kind
        self.disconnected = disconnected
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.rotate = rotate
        self.random_state = random_state
        self.strategy = strategy
        self.unplaced = unplaced
        self.training = training
        self.solver = solver
        self.verbose = verbose

    def fit(self, X, y=None, *, transform=None, symmetrise=None):
        """Fit the map to the old objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or dissimilarities if `metric="precomputed"`.

        y : Ignored
            Present for API consistency.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : Isomap
        """
        self._adapt(transform, symmetrise)
        self._check_common()
        self._check_metric()
        check_neighbours(self.n_neighbors, self.radius)
        objects = self._objects(X)
        some = self.n_landmarks is not None or not isinstance(self.landmarks, str)
        settings = dict(
            method="isomap",
            neighbors=self.n_neighbors,
            radius=self.radius,
            disconnected=self.disconnected,
            landmarks=chosen(self.landmarks, self.n_landmarks, self.random_state, count(objects)) if some else None,
            rotate=bool(self.rotate),
        )
        words = dict(method="isomap", neighbors=self.n_neighbors, radius=self.radius, metric=self._metric_word())
        self.kept_, pieces = self._fit(objects, settings, words)
        tell_of(pieces)
        return self

    def _params(self):
        params = super()._params()
        return {"p": self.p, **params} if self.metric == "minkowski" else params


def check_neighbours(n_neighbors, radius):
    """Raise unless one of the two is given, and is a number."""
    if n_neighbors is not None and (not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool)):
        raise TypeError(f"n_neighbors: found {n_neighbors!r}, expected an integer or None")
    if n_neighbors is None and radius is None:
        raise ValueError("n_neighbors: found None and no radius, expected one of them")
    if n_neighbors is not None and radius is not None:
        raise ValueError(
            f"n_neighbors: found {n_neighbors} beside a radius of {radius}, expected one of them: set n_neighbors=None "
            "to use the radius"
        )


def tell_of(pieces):
    """Warn of a graph that fell apart."""
    if pieces is not None:
        warnings.warn(f"{pieces}; ask for more neighbours to avoid it", UserWarning, stacklevel=3)
