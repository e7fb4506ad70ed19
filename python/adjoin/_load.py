"""Maps from files, as the estimator that their method belongs to."""

import os

import numpy as np

from ._classical_mds import ClassicalMDS
from ._core import Map
from ._isomap import Isomap
from ._kernel_pca import KernelPCA
from ._landmark_mds import LandmarkMDS
from ._laplacian_eigenmaps import LaplacianEigenmaps

__all__ = ["load"]

# scikit-learn's names for parameters of the measures.
_PARAMETERS = {"power": "p", "gamma": "gamma", "degree": "degree", "coef0": "coef0"}


def load(path):
    """Read a map that `save` or the command line has written.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    ClassicalMDS, KernelPCA, LandmarkMDS, Isomap or LaplacianEigenmaps
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
    >>> again.labels_ == model.labels_
    True
    """
    found = Map.load(os.fspath(path))
    source = found.source
    estimator = _MAKE[found.method](found, source)
    estimator._adopt(found)
    names = found.references if source is None else source["names"]
    estimator.n_features_in_ = len(names)
    if names != [str(i + 1) for i in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if source is not None:
        estimator.X_fit_ = source["features"]
    if found.settings.get("origin") in estimator.labels_ and hasattr(estimator, "origin"):
        estimator.origin = found.settings["origin"]
    return estimator


def _metric_of(source):
    """Return the metric's name and its parameters."""
    if source is None:
        return dict(metric="precomputed")
    params = {_PARAMETERS[key]: source[key] for key in _PARAMETERS if source[key] is not None}
    return dict(metric=source["word"], metric_params=params or None)


def _classical(map_, source):
    # A kernel's map without features is one of similarities, whatever it was made by.
    return ClassicalMDS(map_.dimensions, kind=map_.kind, correction=map_.correction[0], **_metric_of(source))


def _kernel(map_, source):
    if source is None:
        return KernelPCA(map_.dimensions, kernel="precomputed")
    given = {key: source[key] for key in ("gamma", "degree", "coef0") if source[key] is not None}
    estimator = KernelPCA(map_.dimensions, kernel=source["word"], **given)
    estimator.gamma_ = source["gamma"]
    return estimator


def _landmark(map_, source):
    parameters = map_.parameters
    return LandmarkMDS(
        map_.dimensions,
        landmarks=map_.landmarks,
        kind=map_.kind,
        rotate=parameters["rotate"],
        **_metric_of(source),
    )


def _isomap(map_, source):
    parameters = map_.parameters
    estimator = Isomap(
        n_neighbors=parameters["n_neighbors"],
        radius=parameters["radius"],
        n_components=map_.dimensions,
        kind=map_.kind,
        landmarks="maxmin" if map_.landmarks is None else map_.landmarks,
        rotate=parameters["rotate"],
        **_metric_of(source),
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
}
