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
from typing import TYPE_CHECKING

from ._core import Map, __version__

if TYPE_CHECKING:
    from . import arrow, dask, datasets
    from ._arc import Arc
    from ._classical_mds import ClassicalMDS
    from ._comparison import Comparison
    from ._evidence import Assessment, Evaluation, Groups, Neighbours
    from ._given_map import GivenMap
    from ._isomap import Isomap
    from ._kernel_pca import KernelPCA
    from ._landmark_mds import LandmarkMDS
    from ._laplacian_eigenmaps import LaplacianEigenmaps
    from ._load import load
    from ._placements import Placements

# Where each name is. They are looked for when they are first asked for: scikit-learn, which estimators need, takes a second to
# be imported where pandas is installed too.
_WHERE = {
    "Arc": "_arc",
    "Assessment": "_evidence",
    "ClassicalMDS": "_classical_mds",
    "Comparison": "_comparison",
    "Evaluation": "_evidence",
    "GivenMap": "_given_map",
    "Groups": "_evidence",
    "Isomap": "_isomap",
    "KernelPCA": "_kernel_pca",
    "LandmarkMDS": "_landmark_mds",
    "LaplacianEigenmaps": "_laplacian_eigenmaps",
    "Neighbours": "_evidence",
    "Placements": "_placements",
    "load": "_load",
}

# Modules; those for engines need their libraries.
_MODULES = ("arrow", "dask", "datasets")

__all__ = ["Map", "__version__", "datasets", *_WHERE]


def __getattr__(name):
    if name in _WHERE:
        found = getattr(import_module(f".{_WHERE[name]}", __name__), name)
        # Next time it is there.
        globals()[name] = found
        return found
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})
