"""Proximities of features: by the core where it has the measure, otherwise by SciPy and scikit-learn.

Either way fit and transform mean the same by a metric. What the core computes it also keeps with the map, so that a
saved map takes features; what SciPy computes it does not.
"""

from numbers import Integral

import numpy as np

from . import _core, _input
from ._rows import is_stored

# scikit-learn's other names for SciPy's metrics.
_ALIASES = {"l1": "cityblock", "l2": "euclidean", "manhattan": "cityblock"}

# Metrics that scikit-learn has and SciPy has not.
_SKLEARN_ONLY = {"haversine", "nan_euclidean"}

# Metrics of the core for texts, which are no features here.
_TEXTS = {"levenshtein", "jaro-winkler"}

# Kernels by scikit-learn's names, and the parameters that they have.
_KERNELS = {
    "linear": (),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    "cosine": (),
    "tanimoto": (),
    "minmax": (),
}


def measure(metric, params):
    """Return the core's measure for a metric with these parameters, or None if it has none."""
    if not isinstance(metric, str):
        return None
    params = dict(params or {})
    metric = _ALIASES.get(metric, metric)
    power = params.pop("p", None) if metric == "minkowski" else None
    params.pop("packed", None)
    if params or metric not in set(_core.METRICS) - _TEXTS:
        return None
    if metric == "minkowski" and power in (None, 1, 2):
        metric, power = ("cityblock" if power == 1 else "euclidean"), None
    return _measure(False, metric, power=power)


def check_kernel(name):
    """Raise unless there is such a kernel."""
    if not isinstance(name, str) or name in _KERNELS or name == "precomputed":
        return
    from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

    known = [*_KERNELS, *sorted(set(PAIRWISE_KERNEL_FUNCTIONS) - set(_KERNELS)), "precomputed"]
    if name not in known:
        raise ValueError(f"kernel: found {name!r}, expected one of {', '.join(known)}, or a callable")


def check_kernel_params(name, params, gamma):
    """Raise unless `params` beside a kernel are such as it has: parameters that are none of the estimator's own, each given once."""
    if callable(name):
        return
    from sklearn.metrics.pairwise import KERNEL_PARAMS

    own = () if name in _KERNELS else KERNEL_PARAMS.get(name, ())
    for key in params or {}:
        if key not in own and key != "packed":
            raise ValueError(
                f"kernel_params: found {key!r} beside kernel={name!r}, expected 'packed' alone: gamma, degree and coef0 are parameters "
                "of their own, and other arguments are those of a callable kernel"
            )
        if key == "gamma" and gamma is not None:
            raise ValueError(f"kernel_params: found 'gamma' beside gamma={gamma!r}, expected one of them")


def kernel(name, *, gamma=None, degree=None, coef0=None):
    """Return the core's measure for a kernel, or None if it has none."""
    if not isinstance(name, str) or name not in _KERNELS:
        return None
    given = dict(gamma=gamma, degree=degree, coef0=coef0)
    return _measure(True, name, **{key: given[key] for key in _KERNELS[name]})


def _measure(is_kernel, word, *, power=None, gamma=None, degree=None, coef0=None):
    number = [None if value is None else float(value) for value in (power, gamma, degree, coef0)]
    return dict(zip(("kernel", "word", "power", "gamma", "degree", "coef0"), (is_kernel, word, *number)))


def objects(X, measure, labels, names, bits=None):
    """Return objects by their features for the core; `bits` says how many each has where they are packed."""
    if _input.is_sparse(X):
        X = sparse_rows(X)
    return dict(features=X if bits is None else (X, bits), labels=labels, names=names, measure=measure)


def canonical(X):
    """Return compressed sparse rows in which every number is stored once."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def sparse_rows(X):
    """Return compressed sparse rows for the core: where rows begin, columns, numbers, and how many columns there are."""
    arrays = ((X.indptr, np.int64), (X.indices, np.uint32), (X.data, np.float64))
    return (*(np.ascontiguousarray(values, dtype=dtype) for values, dtype in arrays), X.shape[1])


def stored_features(source):
    """Return the features that a map keeps, as they came."""
    features = source["features"]
    if not isinstance(features, tuple):
        return features
    from scipy.sparse import csr_array

    parts, shape = features
    return csr_array(parts, shape=shape)


def packed_rows(X, name):
    """Return rows of bytes, called `name` in messages, as a Table with the names that they came with."""
    _input.refuse_lazy(X, name)
    found = _input.opened(X, name)
    if found is None:
        return _input.Table(X[:] if is_stored(X) else np.asarray(X))
    found.values = np.asarray(found.values)
    return found


def packed_bits(said, X):
    """Return how many bits each row of bytes has: all of them, or as many as `said`."""
    if X.ndim != 2 or X.dtype != np.uint8:
        raise TypeError(f"X: found {X.ndim}-D {X.dtype}, expected packed bits: a 2-D array of uint8, as numpy.packbits makes it")
    bits = 8 * X.shape[1] if said is True else said
    if not isinstance(bits, Integral) or not 8 * (X.shape[1] - 1) < bits <= 8 * X.shape[1]:
        raise ValueError(f"packed: found {said!r} for {X.shape[1]} bytes a row, expected True, or the number of bits in them")
    return int(bits)


def fitted_params(X, metric, params):
    """Return the metric's parameters with those that SciPy would estimate from whatever it is given."""
    params = dict(params or {})
    if "packed" in params:
        return params
    if metric == "seuclidean":
        params.setdefault("V", np.var(X, axis=0, ddof=1))
    elif metric == "mahalanobis" and "VI" not in params:
        params["VI"] = np.linalg.inv(np.cov(X.T)).T
    return params


def within(X, metric, params):
    """Dissimilarities between all pairs of rows of `X`: a square."""
    metric = _ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if metric in _SKLEARN_ONLY:
        return _pairwise(X, None, metric, params)
    from scipy.spatial.distance import pdist, squareform

    return squareform(_said(pdist, X, metric=metric, **params), checks=False)


def across(X_new, X, metric, params):
    """Dissimilarities from each row of `X_new` to each row of `X`."""
    metric = _ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if metric in _SKLEARN_ONLY:
        return _pairwise(X_new, X, metric, params)
    from scipy.spatial.distance import cdist

    return _said(cdist, X_new, X, metric=metric, **params)


def _pairwise(X, Y, metric, params):
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(X, Y, metric=metric, **params)


def similarities(X, Y, kernel, params):
    """Similarities of each row of `X` to each row of `Y`, by scikit-learn."""
    from sklearn.metrics.pairwise import pairwise_kernels

    return np.asarray(pairwise_kernels(X, Y, metric=kernel, filter_params=True, **params), dtype=float)


def similarities_to_itself(X, kernel, params):
    """Similarity of each row of `X` to itself."""
    return np.array([similarities(row[None, :], row[None, :], kernel, params)[0, 0] for row in X])


def _said(compute, *arrays, metric, **params):
    try:
        return compute(*arrays, metric=metric, **params)
    except ValueError as error:
        if "Unknown Distance Metric" in str(error):
            raise ValueError(f"metric: found {metric!r}, expected 'precomputed', a metric of adjoin, SciPy or "
                             "scikit-learn, or a callable") from None
        raise
