"""Estimators that are given a metric: its features in, by the core where it has the metric."""

import warnings

import numpy as np

from . import _input, _metric
from ._estimator import Estimator
from ._fitting import square


class MetricEstimator(Estimator):
    """An estimator with a `metric` and its `metric_params`."""

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _old_kind(self):
        """What the old proximities are: as the metric makes them, unless they are precomputed and it is said."""
        made = "squared" if isinstance(self.metric, str) and self.metric == "sqeuclidean" else "dissimilarity"
        return made if self.kind is None else self.kind

    def _check_metric(self):
        if not (isinstance(self.metric, str) or callable(self.metric)):
            raise TypeError(f"metric: found {self.metric!r}, expected a name or a callable")
        if self.kind is None or self._precomputed:
            return
        if self.kind == "similarity":
            raise ValueError(f"kind: found 'similarity' with metric={self.metric!r}, expected metric='precomputed'")
        # A callable may make either.
        made = "squared" if self.metric == "sqeuclidean" else "dissimilarity"
        if isinstance(self.metric, str) and self.kind != made:
            raise ValueError(
                f"kind: found {self.kind!r} with metric={self.metric!r}, expected {made!r}, which it makes, or nothing"
            )

    def _params(self):
        return dict(self.metric_params or {})

    def _metric_word(self):
        return None if self._precomputed or callable(self.metric) else self.metric

    def _objects(self, X):
        """Return what the core is to be fitted to: features if it has the metric, else proximities."""
        if self._precomputed:
            values, labels = self._old_proximities(X)
            return square(values, self._old_kind, labels)
        if self._packed:
            return self._packed_objects(X)
        X, labels = self._old_features(X)
        if not _input.is_sparse(X) and looks_like_distances(X):
            warnings.warn(
                "X is square and symmetric with zeros on its diagonal, and is taken as features: if it holds distances, "
                'say metric="precomputed"',
                UserWarning,
                stacklevel=3,
            )
        self.X_fit_ = X
        self.metric_params_ = _metric.fitted_params(X, self.metric, self._params())
        measure = _metric.measure(self.metric, self.metric_params_)
        if measure is not None:
            return _metric.objects(X, measure, labels, self._names_in)
        return square(_metric.within(X, self.metric, self.metric_params_), self._old_kind, labels)

    def _measures_itself(self):
        return not self._precomputed and not self._packed and _metric.measure(self.metric, self._params()) is not None

    @property
    def _packed(self):
        return (self.metric_params or {}).get("packed")

    def _packed_objects(self, X):
        """Return objects by packed bits for the core, which has to have the metric."""
        self.X_fit_, labels = self._old_bits(X)
        self.metric_params_ = self._params()
        bits = _metric.packed_bits(self._packed, self.X_fit_)
        measure = _metric.measure(self.metric, self.metric_params_)
        if measure is None:
            raise ValueError(f"metric: found {self.metric!r} for packed bits, expected jaccard, tanimoto, dice or hamming")
        return _metric.objects(self.X_fit_, measure, labels, None, bits)

    def _compared(self, features):
        return _metric.across(features, self.X_fit_, self.metric, self.metric_params_), None

    def _compared_with_each_other(self, features):
        return _metric.within(features, self.metric, self.metric_params_)


def looks_like_distances(X):
    """Whether features are as a matrix of distances would be, which by chance they never are."""
    n, q = X.shape
    if n != q or n < 3 or np.diagonal(X).any():
        return False
    return bool((X >= 0).all() and X.any() and np.allclose(X, X.T, rtol=1e-6, atol=0))


def count(objects):
    """Return how many objects there are."""
    if "features" not in objects:
        return len(objects["square"])
    features = objects["features"]
    if not isinstance(features, tuple):
        return len(features)
    # Packed bits, or sparse rows, which begin at so many places and end at one more.
    return len(features[0]) - (len(features) == 4)
