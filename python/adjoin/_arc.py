"""The way of one newcomer from projection to reconstruction."""

from dataclasses import dataclass

import numpy as np

from ._core import Map
from ._optional import frame


@dataclass(frozen=True, eq=False, repr=False)
class Arc:
    """The way of one newcomer from projection to reconstruction, evenly spaced by length.

    Attributes
    ----------
    coordinates : ndarray of shape (n_points, n_components)
        The first is the projection, the last the reconstruction.
    lambda_ : ndarray of shape (n_points,)
        λ of each point.
    beta : ndarray of shape (n_points,)
        The squared distance from the origin for which each point is the reconstruction.
    position : ndarray of shape (n_points,)
        How far along the arc each point is, from 0 to 1.
    length : float
        Of the whole arc.
    label : str
        The newcomer.
    """

    coordinates: np.ndarray
    lambda_: np.ndarray
    beta: np.ndarray
    position: np.ndarray
    length: float
    label: str
    _map: Map | None = None

    def to_frame(self, library="pandas"):
        """Return the points as a table of pandas or polars."""
        columns = {"label": [self.label] * len(self), "point": np.arange(1, len(self) + 1)}
        columns.update((f"axis{j + 1}", axis) for j, axis in enumerate(self.coordinates.T))
        columns.update({"lambda": self.lambda_, "beta": self.beta, "position": self.position})
        return frame(columns, library)

    def plot(self, ax=None, *, axes=(0, 1), labels="auto"):
        """Draw the arc on the map; see `Placements.plot`."""
        from ._plot import draw_arc

        return draw_arc(self._map, self, ax=ax, axes=axes, labels=labels)

    def __len__(self):
        return len(self.coordinates)

    def __repr__(self):
        return f"<Arc of {self.label!r} in {len(self)} points, of length {self.length:.6g}>"
