"""Landmark MDS: the map of a few, and everybody else placed beside them."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from . import _input, _metric
from ._metric_estimator import MetricEstimator, count
from ._names import known_by

__all__ = ["LandmarkMDS"]


class LandmarkMDS(MetricEstimator):
    """Landmark multidimensional scaling, on which newcomers can be placed by every strategy.

    Classical scaling of some objects, the landmarks; all others are projected into their space from
    their proximities to them. No n × n matrix is formed from features.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of axes.

    n_landmarks : int, default=None
        Number of landmarks; the number of objects, but no more than 100, if None.

    landmarks : {"maxmin", "random"} or array-like of int, default="maxmin"
        How landmarks are chosen: each next one the farthest from those before, at random, or these
        positions.

    metric, metric_params
        As of `ClassicalMDS`. With "precomputed" the input is a square over all objects, or the
        rectangle of their proximities to the landmarks, whose positions are then given.

    kind : {"dissimilarity", "squared", "similarity"}, default=None
        As of `ClassicalMDS`.

    rotate : bool, default=False
        Turn the whole configuration to its principal axes, as its authors do.

    random_state : int, RandomState instance or None, default=0
        Draws the landmarks, or the first of them; with None others at every fit.

    strategy, unplaced, training, solver, n_jobs, verbose
        As of `ClassicalMDS`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, all objects of it.

    landmarks_ : ndarray of int of shape (n_landmarks,)
        Which of the objects are landmarks.

    eigenvalues_, explained_variance_ratio_, object_names_, findings_, n_features_in_, feature_names_in_
        As of `ClassicalMDS`; eigenvalues are those of the landmarks.

    References
    ----------
    .. [1] de Silva and Tenenbaum (2004). Sparse multidimensional scaling using landmark points.
       Technical report, Stanford University.

    Examples
    --------
    >>> import adjoin
    >>> from sklearn.datasets import load_digits
    >>> X = load_digits().data
    >>> model = adjoin.LandmarkMDS(n_landmarks=50).fit(X[:1500])
    >>> model.embedding_.shape, len(model.landmarks_)
    ((1500, 2), 50)
    >>> model.transform(X[1500:]).shape
    (297, 2)
    """

    def __init__(
        self,
        n_components=2,
        *,
        n_landmarks=None,
        landmarks="maxmin",
        metric="euclidean",
        metric_params=None,
        kind=None,
        rotate=False,
        random_state=0,
        strategy="project",
        unplaced="raise",
        training="embedding",
        solver="auto",
        n_jobs=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.metric = metric
        self.metric_params = metric_params
        self.kind = kind
        self.rotate = rotate
        self.random_state = random_state
        self.strategy = strategy
        self.unplaced = unplaced
        self.training = training
        self.solver = solver
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None, *, transform=None, symmetrise=None):
        """Fit the map: the landmarks, and everybody else beside them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), (n_samples, n_samples) or (n_samples, n_landmarks)
            Features, or proximities if `metric="precomputed"`.

        y : Ignored
            Present for API consistency.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : LandmarkMDS
        """
        if _input.is_lazy(X):
            from .dask import fit

            return fit(self, X, transform=transform, symmetrise=symmetrise)
        self._adapt(transform, symmetrise)
        self._check_common()
        self._check_metric()
        settings = dict(method="landmark", rotate=bool(self.rotate))
        if self._precomputed and not isinstance(self.landmarks, str) and _is_rectangle(X, self.landmarks):
            objects = self._rectangle(X)
        else:
            objects = self._objects(X)
            settings["landmarks"] = chosen(self.landmarks, self.n_landmarks, self.random_state, count(objects))
        self._fit(objects, settings, dict(method="landmark", metric=self._metric_word()))
        return self

    def _rectangle(self, X):
        found = _input.table(X, "X")
        which = self._columns_of_landmarks(found)
        values = self._adapted(found.values, found.rows, self._names_in or [f"object {i}" for i in which])
        return dict(rectangle=values, landmarks=which, kind=self._old_kind, labels=found.rows)

    def _columns_of_landmarks(self, found):
        """Return the landmarks in the order of a rectangle's columns, whose names are remembered."""
        which = chosen(self.landmarks, None, self.random_state, found.values.shape[0])
        rows, columns = found.rows, None if found.default_columns else found.columns
        if rows is not None and columns is not None and max(which) < len(rows):
            named = [rows[i] for i in which]
            for at, found_name in zip(named, columns):
                if at != found_name:
                    raise ValueError(
                        f"X: found a column {found_name!r} where landmarks has {at!r}, expected the columns in its order"
                    )
        self.n_features_in_ = found.values.shape[1]
        self._names_in = None if rows is None else [rows[i] for i in which if i < len(rows)]
        known_by(self, self._names_in if columns is not None and found.textual else None)
        # Of an earlier fit, to features.
        self.__dict__.pop("X_fit_", None)
        return which

    def _compared(self, features):
        old = self.X_fit_[self.landmarks_]
        return _metric.across(features, old, self.metric, self.metric_params_), None


def chosen(landmarks, count, seed, objects):
    """Return the choice of landmarks for the core."""
    if seed is None or isinstance(seed, np.random.RandomState):
        seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
    elif isinstance(seed, np.random.Generator):
        seed = seed.integers(np.iinfo(np.int32).max)
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"random_state: found {seed!r}, expected None, an integer of at least 0 or a RandomState")
    if isinstance(landmarks, str):
        count = min(objects, 100) if count is None else count
        if not isinstance(count, Integral) or count < 1:
            raise ValueError(f"n_landmarks: found {count!r}, expected a positive integer")
        return (landmarks, int(count), int(seed))
    which = np.asarray(landmarks)
    if which.ndim != 1 or which.dtype.kind not in "iu" or (which < 0).any():
        raise ValueError(f"landmarks: found {landmarks!r}, expected 'maxmin', 'random' or positions of objects")
    if count is not None and count != len(which):
        raise ValueError(f"n_landmarks: found {count!r} beside {len(which)} landmarks, expected None or as many as these")
    return [int(i) for i in which]


def _is_rectangle(X, landmarks):
    found = _input.opened(X, "X")
    shape = np.shape(X) if found is None else np.shape(found.values)
    return len(shape) == 2 and shape[0] != shape[1] and shape[1] == len(landmarks)
