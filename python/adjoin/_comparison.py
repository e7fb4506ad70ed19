"""Every strategy on the same newcomers."""

from dataclasses import dataclass, field
from html import escape

import numpy as np

from ._input import positions
from ._optional import frame
from ._placements import SHOWN, Placements, foreign


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Every strategy on the same newcomers.

    Attributes
    ----------
    placements : dict of str to Placements
        By strategy; those that this map and these newcomers allow.
    jointly : Placements or None
        All newcomers together, if what is between them was given.
    distance_error : dict of str to ndarray
        By strategy, and for `jointly`: root mean square of shown minus given distances to the old objects.
    ranking : ndarray of int of shape (n_new,)
        The newcomers, those least like the old objects (by `p`) first.
    sentences : list of str
        What the strategies say of each newcomer.
    left_out : dict of str to str
        Strategies that cannot be had here, and why.
    spread : float
        The root mean square distance of the old objects from the origin, to judge lengths by.
    remarks_ : list of str
        As of `Placements`.
    labels : list of str
        The newcomers.
    """

    placements: dict
    distance_error: dict
    ranking: np.ndarray
    sentences: list
    left_out: dict
    spread: float
    labels: list
    jointly: Placements | None = None
    remarks_: list = field(default_factory=list)

    @property
    def assessment_(self):
        """Whether these newcomers, as a batch, call for another map: `Assessment`."""
        return (self.jointly or self.placements["project"]).assessment_

    @classmethod
    def _from_core(cls, map_, border, labels, answer, asked=None):
        labels = positions(len(border)) if labels is None else labels
        by = answer["placements"]
        answer["placements"] = {word: Placements._from_core(map_, border, labels, by[word], asked) for word in by}
        if "jointly" in answer:
            answer["jointly"] = Placements._from_core(map_, border, labels, answer["jointly"], asked)
        return cls(labels=labels, **answer)

    @property
    def foreign(self):
        """The share of old objects with a smaller residual, in modulus: what `p_outside` of the placements says better."""
        projected = self.placements["project"]
        return foreign(projected._map, projected.residual)

    def to_frame(self, library="pandas"):
        """Return a table with a row for each newcomer and strategy."""
        parts = [(by, p, self.distance_error[by]) for by, p in self.placements.items()]
        if self.jointly is not None:
            parts.append(("jointly", self.jointly, self.distance_error["jointly"]))
        rows = [(i, by, p, error[i]) for i in range(len(self)) for by, p, error in parts]
        columns = {"label": [self.labels[i] for i, *_ in rows]}
        for j in range(parts[0][1].coordinates.shape[1]):
            columns[f"axis{j + 1}"] = [p.coordinates[i, j] for i, _, p, _ in rows]
        columns["strategy"] = [by for _, by, *_ in rows]
        columns["lambda"] = [p.lambda_[i] for i, _, p, _ in rows]
        for name in ("objective", "residual", "status", "known"):
            columns[name] = [getattr(p, name)[i] for i, _, p, _ in rows]
        columns["distance_error"] = [error for *_, error in rows]
        for name in ("displacement", "share"):
            columns[name] = [getattr(p, name)[i] for i, _, p, _ in rows]
        for name in ("p", "p_outside", "p_inside", "p_nearest"):
            columns[name] = [getattr(p, name)[i] for i, _, p, _ in rows]
        rank = {int(i): place for place, i in enumerate(self.ranking, 1)}
        columns["rank"] = [rank[i] for i, *_ in rows]
        columns["says"] = [self.sentences[i] for i, *_ in rows]
        return frame(columns, library)

    def __len__(self):
        return len(self.labels)

    def __repr__(self):
        names = ", ".join(self.placements)
        return f"<Comparison of {names} on {len(self)} newcomers>"

    def __str__(self):
        said = [self.sentences[i] for i in self.ranking]
        said.append(self.assessment_.says)
        said += [f"{strategy} was left out: {why}" for strategy, why in self.left_out.items()]
        return "\n".join(said)

    def _repr_html_(self):
        items = "".join(f"<li>{escape(line)}</li>" for line in str(self).splitlines()[:SHOWN])
        return f"<p>{escape(repr(self))}</p><ul>{items}</ul>"
