"""Dissimilarities of features, by SciPy, so that fit and transform mean the same by a metric."""

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics import pairwise_distances

# scikit-learn's other names for SciPy's metrics.
_ALIASES = {"l1": "cityblock", "l2": "euclidean", "manhattan": "cityblock"}

# Metrics that scikit-learn has and SciPy has not.
_SKLEARN_ONLY = {"haversine", "nan_euclidean"}


def fitted_params(X, metric, params):
    """Return the metric's parameters with those that SciPy would estimate from whatever it is given."""
    params = dict(params or {})
    if metric == "seuclidean":
        params.setdefault("V", np.var(X, axis=0, ddof=1))
    elif metric == "mahalanobis" and "VI" not in params:
        params["VI"] = np.linalg.inv(np.cov(X.T)).T
    return params


def within(X, metric, params):
    """Dissimilarities between all pairs of rows of `X`: a square."""
    metric = _ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if metric in _SKLEARN_ONLY:
        return pairwise_distances(X, metric=metric, **params)
    return squareform(_said(pdist, X, metric=metric, **params), checks=False)


def across(X_new, X, metric, params):
    """Dissimilarities from each row of `X_new` to each row of `X`."""
    metric = _ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if metric in _SKLEARN_ONLY:
        return pairwise_distances(X_new, X, metric=metric, **params)
    return _said(cdist, X_new, X, metric=metric, **params)


def _said(compute, *arrays, metric, **params):
    try:
        return compute(*arrays, metric=metric, **params)
    except ValueError as error:
        if "Unknown Distance Metric" in str(error):
            raise ValueError(f"metric: found {metric!r}, expected 'precomputed', a metric of SciPy or scikit-learn, "
                             "or a callable") from None
        raise
