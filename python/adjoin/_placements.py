"""The answers: where newcomers are placed, and how far to trust each placement."""

import warnings
from dataclasses import dataclass, field, replace
from html import escape
from numbers import Integral

import numpy as np

from . import _core
from ._arc import Arc
from ._core import Border, Map
from ._evidence import Assessment, Groups, Neighbours, one_for_each
from ._input import positions
from ._optional import frame, needed
from ._run import threads
from ._status import has_place, statuses

# Rows of a table in a notebook.
SHOWN = 20

# Columns that are called otherwise where their names are Python's own words.
_ATTRIBUTES = {"lambda": "lambda_"}

# What there is one of for each newcomer, beside labels and coordinates.
_EACH = (
    "lambda_",
    "objective",
    "residual",
    "status",
    "known",
    "share",
    "displacement",
    "relative_stress",
    "p",
    "p_outside",
    "p_inside",
    "p_nearest",
    "margin",
    "stationarity",
    "side",
    "jump",
    "stretch",
)


@dataclass(frozen=True)
class Asked:
    """What placements were made from, by reference: to look who is near, once they are there."""

    newcomers: dict
    threads: int
    which: np.ndarray | None = None

    def some(self, indices):
        """Return the same for some of the newcomers."""
        return replace(self, which=indices if self.which is None else self.which[indices])

    def neighbours(self, map_, count):
        """Return positions of old objects and proximities to them, a row for each newcomer."""
        found = map_.neighbours(self.newcomers, count, (self.threads, None))
        return found if self.which is None else tuple(values[self.which] for values in found)


@dataclass(frozen=True)
class AskedInParts:
    """The same of newcomers that were read some at a time: they are read so once more."""

    part: object
    parts: tuple
    threads: int
    which: np.ndarray | None = None

    some = Asked.some

    def neighbours(self, map_, count):
        """Return positions of old objects and proximities to them, a row for each newcomer."""
        found = [map_.neighbours(self.part(*rows), count, (self.threads, None)) for rows in self.parts]
        found = tuple(np.concatenate(values) for values in zip(*found))
        return found if self.which is None else tuple(values[self.which] for values in found)


@dataclass(frozen=True, eq=False, repr=False)
class Placements:
    """Where newcomers are on a map, and what is known of each placement.

    Every array has a row for each newcomer, in the order in which they came. NaN stands where there
    is nothing to say. `placements[3]`, `placements["Vienna"]`, slices and masks are the placements of some of
    them, iteration is one by one, and `np.asarray(placements)` is the coordinates.

    Attributes
    ----------
    coordinates : ndarray of shape (n_new, n_components)
        Where they are; NaN for a newcomer that could not be placed (see `status`).
    lambda_ : ndarray of shape (n_new,)
        λ: 0 for project, λ* for reconstruct.
    objective : ndarray of shape (n_new,)
        What the strategy minimises, at the placement; the joint objective on every row if the
        newcomers were placed jointly.
    residual : ndarray of shape (n_new,)
        The squared distance from the newcomer to the map's space.
    status : ndarray of str of shape (n_new,)
        `unique`, `pair`, `sphere`, `not_converged`, `not_applicable` or `too_few`.
    known : ndarray of int of shape (n_new,)
        By how many of its proximities each newcomer was placed.
    share : ndarray of shape (n_new,)
        The residual as a share of the squared distance to the origin.
    displacement : ndarray of shape (n_new,)
        How far the placement is from the projection.
    relative_stress : ndarray of shape (n_new,)
        Stress only: the root of the objective as a share of what there is to show.
    p : ndarray of shape (n_new,)
        How likely an object like the old ones is to be as strange to the map, by either of the two that follow: the share
        of old objects, each left out of the map, that are. Newcomers of their own kind have p ≤ 0.05 in about one of twenty.
    p_outside, p_inside : ndarray of shape (n_new,)
        … to be as far from the map's space, and as far out within it.
    p_nearest : ndarray of shape (n_new,)
        … to be as far from the object it is nearest to.
    margin : ndarray of shape (n_new,)
        At least 0, with `stationarity` at rounding: the proof that no place is better.
    stationarity : ndarray of shape (n_new,)
        The scaled residual of the stationary equation.
    side : ndarray of shape (n_new,)
        Reconstruct with uncertainty: how likely the place is on the wrong side of the last axis. Where it is more than 0.05, and the
        other place is farther than two standard errors, that place is in `alternatives`.
    jump : ndarray of shape (n_new,)
        Reconstruct: how far it is to the mirror image on the other side of the last axis.
    stretch : ndarray of shape (n_new,)
        Reconstruct: by how much the place is farther out on the last axis than the projection. Above 2 that axis shows how long the
        newcomer is rather than where.
    covariance : ndarray of shape (n_new, n_components, n_components) or None
        How certain each place is, if that was asked for: given these axes, how far the old objects disagree about it, or by refits. Not
        the error of measuring the newcomer itself.
    certified : bool, ndarray of bool of shape (n_new,) or None
        Whether the placement is proved to be a global minimiser: of all newcomers together if they were
        placed jointly, of each by hyperplane and, with `prove=True`, by stress; otherwise None (`margin` proves
        reconstruction).
    gap : float, ndarray of shape (n_new,) or None
        How far the objective may be from the minimum, relative to it, likewise: 0 if certified, None
        (hyperplane: NaN) if not known.
    jointly : bool
        Whether the newcomers were placed jointly.
    left_out : bool
        Whether these are old objects, each placed on the map of the others.
    alternatives : list of (int, ndarray)
        Other minimisers, and places on the other side where the side is uncertain: the newcomer's position, and
        coordinates.
    remarks_ : list of str
        What is remarkable about the newcomers as a batch: another unit or kind than the map's, all of them
        novel, few proximities. Nothing on ordinary newcomers.
    labels : list of str
        The newcomers.
    strategy : str
        How they were placed.
    """

    coordinates: np.ndarray
    lambda_: np.ndarray
    objective: np.ndarray
    residual: np.ndarray
    status: np.ndarray
    known: np.ndarray
    share: np.ndarray
    displacement: np.ndarray
    relative_stress: np.ndarray
    p: np.ndarray
    p_outside: np.ndarray
    p_inside: np.ndarray
    p_nearest: np.ndarray
    margin: np.ndarray
    stationarity: np.ndarray
    side: np.ndarray
    jump: np.ndarray
    stretch: np.ndarray
    labels: list
    strategy: str
    alternatives: list = field(default_factory=list)
    remarks_: list = field(default_factory=list)
    certified: bool | np.ndarray | None = None
    gap: float | np.ndarray | None = None
    jointly: bool = False
    left_out: bool = False
    covariance: np.ndarray | None = None
    _reach: np.ndarray | None = None
    _map: Map | None = None
    _border: Border | None = None
    # What is outside the map's space of newcomers that were placed jointly.
    _outside: float | None = None
    # The nearest old objects that were kept, and who reads the newcomers once more if others are wanted.
    _neighbours: tuple | None = None
    _asked: Asked | AskedInParts | None = None
    # The two of augment.
    _options: tuple = (False, False)

    @classmethod
    def _from_core(cls, map_, border, labels, answer, asked=None, options=(False, False)):
        labels = positions(len(border)) if labels is None else labels
        return cls._made(answer, labels=labels, _map=map_, _border=border, _asked=asked, _options=tuple(options))

    @classmethod
    def _of_old(cls, map_, answer):
        labels = map_.labels if map_.named else positions(map_.count)
        return cls._made(answer, labels=labels, left_out=True, _map=map_)

    @classmethod
    def _made(cls, answer, **others):
        """Return an answer of the core, with what it does not say, as Placements."""
        answer["status"] = statuses(answer)
        # Field by field, as a frozen class is made otherwise, takes as long as the core takes for a newcomer.
        made = object.__new__(cls)
        made.__dict__.update({"remarks_": [], **answer, **others})
        return made

    @property
    def projections(self):
        """Where the newcomers are projected to, whatever the strategy: ndarray; their places on a map with a link."""
        self._require_newcomers("projections")
        if self._map.link[0] is not None:
            return self.coordinates
        return self._map.project(self._border)

    @property
    def standard_errors(self):
        """How certain each place is on each axis, the root of its variance: ndarray, or None if it was not asked for."""
        if self.covariance is None:
            return None
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))

    @property
    def assessment_(self):
        """Whether these newcomers, as a batch, call for another map: `Assessment`."""
        self._require_newcomers("assessment_")
        return Assessment(**self._map.assess(self._border, self._outside))

    def neighbours(self, k=5):
        """Return the k old objects that each newcomer is nearest to, by the proximities that were given.

        Those that `place(…, neighbours=K)` kept are at hand. Otherwise the newcomers' table is read again, as it is now:
        placements keep a reference to it, but not in a pickle.

        Parameters
        ----------
        k : int, default=5
            How many.

        Returns
        -------
        Neighbours

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> model.place(cities.iloc[18:, :18]).neighbours(2).objects.tolist()
        [['Milan', 'Athens'], ['Copenhagen', 'Hamburg'], ['Munich', 'Milan']]
        """
        self._require_newcomers("neighbours")
        _check_count(k, self._map.reference_count, "as many as newcomers are compared with")
        if self._neighbours is not None and k <= self._neighbours[0].shape[1]:
            indices, given = (values[:, :k] for values in self._neighbours)
        elif self._asked is None:
            raise ValueError(
                "neighbours: found placements without their newcomers' table, as after unpickling, expected "
                "place(…, neighbours=K) to have kept them"
            )
        else:
            indices, given = self._asked.neighbours(self._map, int(k))
        return Neighbours._of(self._map, self, indices, given)

    def groups(self, y, k=5):
        """Return the group of each newcomer, by vote of the k old objects nearest to it on the map.

        Parameters
        ----------
        y : array-like of shape (n_old,), Series or dict
            The group of each old object, in the order of the map; a Series or a dict is matched by label where they
            have names.

        k : int, default=5
            How many vote.

        Returns
        -------
        Groups
            With the accuracy of the same vote on the old objects, each left out.

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> south = {name: name in ("Athens", "Barcelona", "Gibraltar", "Lisbon", "Madrid", "Marseilles", "Milan", "Lyons")
        ...          for name in cities.index[:18]}
        >>> model.place(cities.iloc[18:, :18]).groups(south, k=3).group.tolist()
        [False, False, False]
        """
        self._require_newcomers("groups")
        _check_count(k, self._map.count - 1, "as many as are left when the vote is tried on an old object")
        labels = self._map.labels if self._map.named else None
        classes, codes = one_for_each(y, labels, self._map.count, "y")
        how = (self.strategy, *self._options, False)
        run = (threads(None) if self._asked is None else self._asked.threads, None)
        places = np.ascontiguousarray(self.coordinates)
        return Groups._of(self.labels, classes, self._map.groups(places, how, codes, int(k), run))

    @property
    def foreign(self):
        """The share of old objects with a smaller residual, in modulus: what `p_outside` says better."""
        return foreign(self._map, self.residual)

    @property
    def placed(self):
        """Which of the newcomers have a place: ndarray of bool."""
        return has_place(self.status)

    def arcs(self, points=50):
        """Return the arc of each newcomer from projection to reconstruction.

        Parameters
        ----------
        points : int, default=50
            Points on each arc.

        Returns
        -------
        list of Arc or None
            None for a newcomer that has no place.
        """
        self._require_newcomers("arcs")
        answers = self._map.arcs(self._border, points)
        return [
            None if answer is None else Arc(label=label, _map=self._map, **answer)
            for label, answer in zip(self.labels, answers)
        ]

    def __getitem__(self, which):
        """Return some of the newcomers: by position, slice, mask or list of them, or by label."""
        indices = self._positions(which)
        fields = {"labels": [self.labels[i] for i in indices]}
        for name in ("coordinates", *_EACH):
            fields[name] = getattr(self, name)[indices]
        for name in ("certified", "gap", "covariance", "_reach"):
            value = getattr(self, name)
            fields[name] = value[indices] if isinstance(value, np.ndarray) else value
        place = {int(i): at for at, i in enumerate(indices)}
        fields["alternatives"] = [(place[i], other) for i, other in self.alternatives if i in place]
        border = None if self._border is None else self._border.take(indices)
        if self._neighbours is not None:
            fields["_neighbours"] = tuple(values[indices] for values in self._neighbours)
        if self._asked is not None:
            fields["_asked"] = self._asked.some(indices)
        # What is between some of them is not known any more.
        return replace(self, _border=border, _outside=None, **fields)

    def _positions(self, which):
        if isinstance(which, str):
            if which not in self.labels:
                raise KeyError(which)
            which = self.labels.index(which)
        elif isinstance(which, list) and which and isinstance(which[0], str):
            return np.concatenate([self._positions(label) for label in which])
        return np.atleast_1d(np.arange(len(self))[which])

    def __getstate__(self):
        # Others' tables do not travel with the answer.
        return {**self.__dict__, "_asked": None}

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        """Return the coordinates, as NumPy asks for them."""
        if copy is False and dtype not in (None, self.coordinates.dtype):
            raise ValueError("found another dtype beside copy=False, expected one of them")
        return np.array(self.coordinates, dtype=dtype, copy=copy is not False)

    def __arrow_c_stream__(self, requested_schema=None):
        """Return the table of the placements, as Arrow's libraries ask for it."""
        return self.to_frame("pyarrow").__arrow_c_stream__(requested_schema)

    def _require_newcomers(self, what):
        if self.left_out:
            raise ValueError(f"{what}: found old objects that were left out, expected newcomers")

    def _columns(self):
        """Return name and values of each column, in the order of the command line's table."""
        columns = {"label": self.labels}
        columns.update((f"axis{j + 1}", axis) for j, axis in enumerate(self.coordinates.T))
        columns.update((name, self._column(name)) for name, *_ in self._listed())
        return columns

    def _listed(self):
        """Return the core's list of columns after the axes."""
        asked = (self.certified is not None, self.covariance is not None)
        return _core.columns(self.strategy, self.coordinates.shape[1], *asked)

    def _column(self, name):
        """Return a column of the core's list."""
        if name.startswith("se") and name[2:].isdecimal():
            return self.standard_errors[:, int(name[2:]) - 1]
        if name == "strategy":
            return [self.strategy] * len(self)
        if name in ("certified", "gap"):
            value = getattr(self, name)
            return np.broadcast_to(np.nan if value is None else value, len(self))
        return getattr(self, _ATTRIBUTES.get(name, name))

    def to_frame(self, library="pandas"):
        """Return the placements as a table.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, default="pandas"
            Whose table. In pandas the labels are the index, otherwise the first column.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table

        Examples
        --------
        >>> import adjoin
        >>> cities = adjoin.datasets.eurodist()
        >>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
        >>> frame = model.place(cities.iloc[18:, :18]).to_frame()
        >>> frame.index.tolist()
        ['Rome', 'Stockholm', 'Vienna']
        >>> frame.columns[:4].tolist()
        ['axis1', 'axis2', 'strategy', 'lambda']
        """
        return frame(self._columns(), library)

    def to_ordination(self, *, with_old=False):
        """Return the placements as an OrdinationResults of scikit-bio, for Emperor and QIIME 2. Needs scikit-bio.

        Parameters
        ----------
        with_old : bool, default=False
            Whether the old objects come first, where they are on the map.

        Returns
        -------
        skbio.OrdinationResults
            With the eigenvalues of the map and their shares.
        """
        skbio = needed("skbio", "to_ordination")
        pandas = needed("pandas", "to_ordination")
        axes = [f"axis{j + 1}" for j in range(self.coordinates.shape[1])]
        samples = pandas.DataFrame(self.coordinates, index=self.labels, columns=axes)
        if with_old:
            old = self._map.labels if self._map.named else [str(i) for i in range(self._map.count)]
            samples = pandas.concat([pandas.DataFrame(self._map.configuration, index=old, columns=axes), samples])
        return skbio.OrdinationResults(
            self.strategy,
            f"newcomers placed by {self.strategy}",
            pandas.Series(self._map.eigenvalues, index=axes),
            samples,
            proportion_explained=pandas.Series(self._map.proportions, index=axes),
        )

    def plot(
        self,
        ax=None,
        *,
        axes=(0, 1),
        labels="auto",
        arcs=True,
        metadata=None,
        colour_by=None,
        shape_by=None,
        size_by=None,
        flip=(),
        ellipses=False,
        hulls=False,
        spiders=False,
        variables=None,
        axis_names="axis",
    ):
        """Draw the map with the newcomers on it, and their arcs. Needs matplotlib.

        If the newcomers were placed with `uncertainty`, the 95 % region of each place is drawn around it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if there is none.
        axes : pair of int, default=(0, 1)
            Which two axes of the map.
        labels : {"auto", "all", "new", "none"}, default="auto"
            Whose labels to write; "auto" writes those of the old objects only if they are few.
        arcs : bool, default=True
            Whether to draw the way from each projection to its reconstruction.
        metadata : DataFrame or dict, optional
            What else is known of the objects, by label.
        colour_by, shape_by, size_by : str or sequence, optional
            Columns of `metadata`, or values, one for each old object and each newcomer.
        flip : int or sequence of int, default=()
            Axes that are drawn the other way round: their direction has no meaning.
        ellipses, hulls, spiders : bool, default=False
            Whether to draw the 95 % ellipse, the hull, or lines from the centroid, of the old objects of each class that
            colours.
        variables : DataFrame or dict, optional
            Numbers by old object (species, soil, climate): those that follow the axes shown are drawn as arrows, as
            vegan's `envfit` does (p ≤ 0.05 by 999 permutations, the eight strongest).
        axis_names : str, default="axis"
            What the axes are called before their number, such as "PCo".

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ._plot import draw

        self._require_newcomers("plot")
        return draw(
            self._map,
            self,
            ax=ax,
            axes=axes,
            labels=labels,
            arcs=arcs,
            metadata=metadata,
            colour_by=colour_by,
            shape_by=shape_by,
            size_by=size_by,
            flip=flip,
            ellipses=ellipses,
            hulls=hulls,
            spiders=spiders,
            variables=variables,
            axis_names=axis_names,
        )

    def __len__(self):
        return len(self.coordinates)

    def __repr__(self):
        words, counts = np.unique(self.status, return_counts=True)
        status = ", ".join(f"{count} {word}" for word, count in zip(words, counts))
        proof = f", jointly, {'' if self.certified else 'not '}certified" if self.jointly else ""
        who = "old objects" if self.left_out else "newcomers"
        proof = ", each left out" if self.left_out else proof
        return f"<Placements of {len(self)} {who} by {self.strategy}{proof}: {status}>"

    def _repr_html_(self):
        return f"<p>{escape(repr(self))}</p>" + _html(self._columns())


def _check_count(k, most, why):
    """Err unless `k` of the old objects can be asked for."""
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= k <= most:
        raise ValueError(f"k: found {k!r}, expected an integer between 1 and {most}, {why}")


def foreign(map_, residual):
    """Return the share of old objects with a smaller residual, with a word about what says it better."""
    warnings.warn(
        "foreign will go: p_outside says how likely an object like the old ones is to be as far from the map's space, "
        "and p whether a newcomer is like them",
        DeprecationWarning,
        stacklevel=3,
    )
    return map_.foreign(np.ascontiguousarray(residual))


def _html(columns):
    def cell(value):
        text = f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
        return f"<td>{escape(text)}</td>"

    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    count = len(columns["label"])
    body = "".join(
        "<tr>" + "".join(cell(values[i]) for values in columns.values()) + "</tr>" for i in range(min(count, SHOWN))
    )
    more = f"<p>… and {count - SHOWN} more</p>" if count > SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
