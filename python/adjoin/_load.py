"""Maps from files, as the estimator that their method belongs to."""

import json
import os
from numbers import Integral

import numpy as np

from ._classical_mds import ClassicalMDS
from ._core import Map
from ._given_map import GivenMap
from ._isomap import Isomap
from ._kernel_pca import KernelPCA
from ._landmark_mds import LandmarkMDS
from ._laplacian_eigenmaps import LaplacianEigenmaps
from ._metric import stored_features

__all__ = ["load"]

# The word under which a map file keeps what Python's estimator was told beside the map.
TOLD = "python"

# Parameters that change no answer.
_PASSING = ("n_jobs", "verbose", "keep_matrix")

# Parameters of measures.
_MEASURE = ("metric", "metric_params", "p", "kernel", "kernel_params", "gamma", "degree", "coef0", "affinity", "kind")

# scikit-learn's names for parameters of the measures.
_PARAMETERS = {"power": "p", "gamma": "gamma", "degree": "degree", "coef0": "coef0"}


def load(path):
    """Read a map that `save` or the command line has written.

    Parameters
    ----------
    path : str, path-like or bytes
        The file, or its bytes.

    Returns
    -------
    ClassicalMDS, KernelPCA, LandmarkMDS, Isomap, LaplacianEigenmaps or GivenMap
        Fitted, by the map's method. It takes features if the map has them, otherwise precomputed
        proximities.

    Examples
    --------
    >>> import adjoin, os, tempfile
    >>> cities = adjoin.datasets.eurodist()
    >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "europe.adjoin"))
    ...     again = adjoin.load(os.path.join(folder, "europe.adjoin"))
    >>> again.object_names_ == model.object_names_
    True
    """
    return estimator_of(Map(path) if isinstance(path, (bytes, bytearray, memoryview)) else Map.load(os.fspath(path)))


def estimator_of(found):
    """Return the estimator that a map belongs to, fitted, with the parameters that it was told, as the map keeps them."""
    estimator = of_map(found)
    told = json.loads(found.settings.get(TOLD, "{}"))
    known = estimator.get_params()
    return estimator.set_params(**{name: value for name, value in told.items() if name in known})


def of_map(found):
    """Return the estimator that a map belongs to, fitted, with the parameters that follow from the map."""
    source = found.source
    estimator = _MAKE[found.method](found, source)
    estimator._adopt(found)
    if source is None:
        names = found.references if found.named else None
        estimator.n_features_in_ = found.reference_count
    else:
        names = source["names"]
        estimator.n_features_in_ = source["width"]
        estimator.X_fit_ = stored_features(source)
        if hasattr(estimator, "metric_params"):
            estimator.metric_params_ = dict(estimator.metric_params or {})
    estimator._names_in = names
    # Names that were numbers are none of scikit-learn's.
    if names is not None and not all(name.isdigit() for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if found.settings.get("origin") in found.labels and found.named and hasattr(estimator, "origin"):
        estimator.origin = found.settings["origin"]
    return estimator


def told(estimator):
    """Return what an estimator was told that does not follow from its map, for the map file to keep; None if nothing.

    Of a measure that the map does not have nothing is kept: the loaded estimator takes proximities.
    """
    map_ = estimator.map_
    follows = of_map(map_).get_params()
    given = estimator.get_params()
    if not isinstance(given.get("origin"), (str, Integral, list, tuple, np.ndarray, type(None))):
        # Weights by name, in the map's order.
        given["origin"] = map_.origin
    passing = {*_PASSING, *(_MEASURE if not map_.has_source else ())}
    kept = {}
    for name, value in given.items():
        value = _plain(value)
        if name not in passing and value != _plain(follows[name]):
            kept[name] = value
    return json.dumps(kept, sort_keys=True) if kept else None


def _plain(value):
    """Return a parameter as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (tuple, range)):
        return list(value)
    # A stream of random numbers is at another place by now.
    return None if isinstance(value, (np.random.RandomState, np.random.Generator)) else value


def _metric_of(map_, source):
    """Return the metric's name and its parameters, or what precomputed proximities are."""
    if source is None:
        return dict(metric="precomputed", kind=None if map_.kind == "dissimilarity" else map_.kind)
    params = {_PARAMETERS[key]: source[key] for key in _PARAMETERS if source[key] is not None}
    params.update(_packed_of(source))
    return dict(metric=source["word"], metric_params=params or None)


def _packed_of(source):
    """Return what says that features are packed bits."""
    if source["packed"] is None:
        return {}
    return {"packed": True if source["packed"] == 8 * source["width"] else source["packed"]}


def _classical(map_, source):
    # Those that were given with a link, be it "none".
    if "link" in map_.settings:
        return _given(map_, source)
    # A kernel's map without features is one of similarities, whatever it was made by.
    return ClassicalMDS(map_.dimensions, correction=map_.correction[0], **_metric_of(map_, source))


def _given(map_, source):
    form = map_.link[0]
    return GivenMap("none" if form is None else form["form"], **_metric_of(map_, source))


def _kernel(map_, source):
    if source is None:
        return KernelPCA(map_.dimensions, kernel="precomputed")
    given = {key: source[key] for key in ("gamma", "degree", "coef0") if source[key] is not None}
    estimator = KernelPCA(map_.dimensions, kernel=source["word"], kernel_params=_packed_of(source) or None, **given)
    estimator.gamma_ = source["gamma"]
    return estimator


def _landmark(map_, source):
    parameters = map_.parameters
    return LandmarkMDS(
        map_.dimensions,
        landmarks=map_.landmarks,
        rotate=parameters["rotate"],
        **_metric_of(map_, source),
    )


def _isomap(map_, source):
    parameters = map_.parameters
    estimator = Isomap(
        n_neighbors=parameters["n_neighbors"],
        radius=parameters["radius"],
        n_components=map_.dimensions,
        landmarks="maxmin" if map_.landmarks is None else map_.landmarks,
        rotate=parameters["rotate"],
        **_metric_of(map_, source),
    )
    estimator.kept_ = None
    return estimator


def _laplacian(map_, source):
    parameters = map_.parameters
    near = parameters["n_neighbors"] is not None or parameters["radius"] is not None
    if source is None:
        affinity = "precomputed"
    else:
        affinity = "nearest_neighbors" if near and "gamma" not in parameters else "rbf"
    estimator = LaplacianEigenmaps(
        map_.dimensions,
        affinity=affinity,
        gamma=parameters.get("gamma"),
        n_neighbors=parameters["n_neighbors"],
        radius=parameters["radius"],
        alpha=parameters["alpha"],
        time=parameters.get("time"),
        diagonal=parameters["diagonal"],
        metric="euclidean" if source is None else source["word"],
    )
    estimator.n_neighbors_, estimator.kept_ = parameters["n_neighbors"], None
    return estimator


_MAKE = {
    "cmds": _classical,
    "pca": _classical,
    "kernel-pca": _kernel,
    "landmark": _landmark,
    "isomap": _isomap,
    "laplacian": _laplacian,
    "given": _given,
}
