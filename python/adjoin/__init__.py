"""Add points to an existing map.

`ClassicalMDS` is `sklearn.manifold.ClassicalMDS` (PCoA) that can also place newcomers: by
projection (`transform`), by restricted reconstruction and other strategies (`place`), anywhere
between the two (`arc`), or by all of them side by side (`compare`). Nothing old moves. `KernelPCA`,
`LandmarkMDS`, `Isomap` and `LaplacianEigenmaps` do the same on maps of other proximities, and `GivenMap` on
maps that were made elsewhere (nonmetric scaling, t-SNE).

>>> import adjoin
>>> cities = adjoin.datasets.eurodist()
>>> old, new = cities.iloc[:18, :18], cities.iloc[18:, :18]
>>> model = adjoin.ClassicalMDS(metric="precomputed").fit(old)
>>> placed = model.place(new, strategy="reconstruct")
>>> placed.labels
['Rome', 'Stockholm', 'Vienna']
>>> placed.status.tolist()
['unique', 'unique', 'unique']
"""

from importlib import import_module

from . import datasets
from ._classical_mds import ClassicalMDS
from ._core import Map, __version__
from ._evidence import Assessment, Evaluation, Groups, Neighbours
from ._given_map import GivenMap
from ._isomap import Isomap
from ._kernel_pca import KernelPCA
from ._landmark_mds import LandmarkMDS
from ._laplacian_eigenmaps import LaplacianEigenmaps
from ._load import load
from ._placements import Arc, Comparison, Placements

__all__ = [
    "Arc",
    "Assessment",
    "ClassicalMDS",
    "Comparison",
    "Evaluation",
    "GivenMap",
    "Groups",
    "Isomap",
    "KernelPCA",
    "LandmarkMDS",
    "LaplacianEigenmaps",
    "Map",
    "Neighbours",
    "Placements",
    "__version__",
    "datasets",
    "load",
]


def __getattr__(name):
    # Modules for engines are imported when they are first asked for.
    if name in ("arrow", "dask"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
