"""How objects look by what is known of them: colours, shapes and sizes from columns, as on the page and in `adjoin plot`."""

import json

import numpy as np

from . import _core
from ._report import _columns

# The shapes of the table in matplotlib's letters.
_MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D", "wedge": "v", "plus": "P", "cross": "X"}
_TABLE = json.loads(_core.look())
_SHAPES = [_MARKERS[name] for name in _TABLE["shapes"]]
# What legends call things, as on the page and in `adjoin plot`.
WORDS = {name: role["word"] for name, role in _TABLE["roles"].items()} | _TABLE["words"]
WORDS["old"] += "s"
_OTHER, _NEUTRAL = _TABLE["other"]["light"], "#555555"


class Looks:
    """Colours, markers and areas of all objects, old ones first; none where no column was named."""

    def __init__(self, colour=None, shape=None, size=None, old=0, names=(None, None, None)):
        self.colour, self.shape, self.size, self.count, self.names = colour, shape, size, old, names

    @classmethod
    def read(cls, metadata, colour_by, shape_by, size_by, old, new, named):
        """Read the columns that were named; a column may also be given as values, one for each object."""
        asked = {"colour_by": colour_by, "shape_by": shape_by, "size_by": size_by}
        cells = {key: _cells(key, by, metadata, old, new, named) for key, by in asked.items() if by is not None}
        if metadata is not None and not cells:
            raise ValueError("metadata: found it alone, expected colour_by, shape_by or size_by beside it")
        read = {key: _core.column(values) for key, values in cells.items()}
        names = tuple(by if isinstance(by, str) else None for by in asked.values())
        size = read.get("size_by")
        if size is not None and not len(size["numbers"]):
            raise ValueError(f"size_by: found {size['kind']}, expected numbers")
        return cls(read.get("colour_by"), read.get("shape_by"), size, len(old), names)

    @property
    def any(self):
        return any(column is not None for column in (self.colour, self.shape, self.size))

    @property
    def classes(self):
        """The words that have a colour."""
        return [] if self.colour is None else self.colour.get("shown", [])

    @property
    def new_colours(self):
        return None if self.colour is None else self.colour["colours"][self.count :]

    def _markers(self):
        """The marker of each object: the most frequent words have their own."""
        words, codes = self.shape["words"], self.shape["codes"]
        if not words:
            raise ValueError(f"shape_by: found {self.shape['kind']}, expected classes")
        counts = np.bincount([c for c in codes if c is not None], minlength=len(words))
        room = len(_SHAPES) if len(words) <= len(_SHAPES) else len(_SHAPES) - 1
        own = sorted(sorted(range(len(words)), key=lambda c: -counts[c])[:room])
        return [_SHAPES[own.index(c)] if c in own else _SHAPES[-1] for c in codes], own

    def _factors(self):
        """What the area of each mark is multiplied by: from a third to three."""
        v = np.asarray(self.size["numbers"], dtype=float)
        low, high = np.nanmin(v), np.nanmax(v)
        share = (v - low) / (high - low) if high > low else np.where(np.isnan(v), np.nan, 0.25)
        return np.where(np.isnan(v), 0.25, 1 / 3 + 8 / 3 * np.nan_to_num(share))

    def _draw(self, ax, x, y, part, size, colour, marker, label, **rest):
        """Draw some objects, those of one marker at a time."""
        n = len(x)
        colours = np.array([colour] * n if self.colour is None else self.colour["colours"][part])
        sizes = size * (np.ones(n) if self.size is None else self._factors()[part])
        markers = np.array([marker] * n if self.shape is None else self._markers()[0][part])
        for kind in dict.fromkeys(markers):
            own = markers == kind
            ax.scatter(x[own], y[own], s=sizes[own], color=colours[own], marker=kind, label=label, **rest)
            label = None

    def old(self, ax, x, y, size, colour):
        """Draw the old objects."""
        self._draw(ax, x, y, slice(0, self.count or len(x)), size, colour, "o", WORDS["old"], linewidths=0, zorder=2)

    def projections(self, ax, p, q, roles, alone):
        """Draw projections: rings, or the newcomers themselves where there is nothing else of them."""
        if alone:
            self._draw(ax, p, q, slice(self.count, None), 22, roles["newcomer"], "o", WORDS["projection"], edgecolors="black", linewidths=0.4, zorder=4)
            return
        edges = roles["projection"] if self.colour is None else self.new_colours
        ax.scatter(p, q, s=20, facecolors="white", edgecolors=edges, linewidths=1, zorder=4, label=WORDS["projection"])

    def places(self, ax, u, v, colour, marker, word):
        """Draw newcomers where they are placed; a dark outline says who is new where colour says something else."""
        width = 0.5 if self.any else 0
        self._draw(ax, u, v, slice(self.count, None), 22, colour, marker, word, edgecolors="black", linewidths=width, zorder=5)

    def outlines(self, ax, x, y, ellipses, hulls, spiders):
        """Draw the 95 % ellipse, the hull and the spider of the old objects of each class, and where their centroid is."""
        from matplotlib.patches import Ellipse, Polygon

        if not (ellipses or hulls or spiders):
            return
        shown = len(self.classes)
        codes = [c if c is not None and c < shown else None for c in self.colour["codes"][: self.count]]
        groups = _core.outlines(np.column_stack([x, y]).tolist(), codes, shown)
        for at, (colour, (around, corners)) in enumerate(zip(self.colour["palette"], groups)):
            own = np.array([c == at for c in codes])
            if own.any():
                centre = x[own].mean(), y[own].mean()
                if spiders:
                    legs = np.column_stack([np.column_stack([x[own], y[own]]), np.tile([*centre, np.nan, np.nan], (own.sum(), 1))])
                    legs = legs.reshape(-1, 2)
                    ax.plot(legs[:, 0], legs[:, 1], color=colour, linewidth=0.4, alpha=0.6, zorder=1.5)
                # The centroid of one object is that object.
                if own.sum() > 1:
                    ax.plot(*centre, marker="+", color=colour, markersize=6, markeredgewidth=1.2, zorder=1.6)
            if ellipses and around is not None:
                centre, (long, short), angle = around
                patch = Ellipse(centre, 2 * long, 2 * short, angle=np.degrees(angle), fill=False, edgecolor=colour, zorder=1.5)
                ax.add_patch(patch)
            if hulls and len(corners) > 2:
                ax.add_patch(Polygon(corners, fill=False, edgecolor=colour, linestyle="--", linewidth=0.8, zorder=1.5))

    @staticmethod
    def neutral(handle):
        """Return the handle of a role without the colour of a class."""
        from copy import copy

        from matplotlib.collections import PathCollection

        plain = copy(handle)
        if isinstance(plain, PathCollection):
            filled = handle.get_label() != WORDS["projection"]
            plain.set_facecolor(_NEUTRAL if filled else "white")
            outlined = handle.get_label() not in (WORDS["old"], WORDS["projection"])
            plain.set_edgecolor("black" if outlined else _NEUTRAL)
            plain.set_sizes([18])
        else:
            plain.set_color(_NEUTRAL)
        return plain

    def legend(self):
        """Handles and words of classes or scales, of shapes and of sizes, each a list."""
        from matplotlib.lines import Line2D

        def mark(colour, marker="o"):
            return Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=4.5)

        def headed(at):
            """Where a column was named, its name stands before its classes, as in `adjoin plot`."""
            return [] if self.names[at] is None else [(Line2D([], [], linestyle="none"), f"{self.names[at]}:")]

        blocks = []
        if self.colour is not None:
            lines = headed(0)
            lines += [(mark(c), w) for w, c in zip(self.classes, self.colour.get("palette", []))]
            if not self.classes:
                v = np.asarray(self.colour["numbers"])
                ends = np.nanargmin(v), np.nanargmax(v)
                lines += [(mark(self.colour["colours"][i]), _words(v[i], self.colour["kind"])) for i in ends]
            if self.colour["beyond"]:
                lines.append((mark(_OTHER), f"{self.colour['beyond']} other{'' if self.colour['beyond'] == 1 else 's'}"))
            blocks.append(lines)
        if self.shape is not None:
            _, own = self._markers()
            blocks.append(headed(1) + [(mark(_NEUTRAL, _SHAPES[at]), self.shape["words"][c]) for at, c in enumerate(own)])
        if self.size is not None:
            v = np.asarray(self.size["numbers"])
            low, high = f"{np.nanmin(v):g}", f"{np.nanmax(v):g}"
            dots = [Line2D([], [], linestyle="none", marker="o", color=_NEUTRAL, markersize=4.5 * area**0.5) for area in (1 / 3, 3)]
            name = "size" if self.names[2] is None else self.names[2]
            blocks.append([(dots[0], f"{name}: {low}"), (dots[1], high)])
        return blocks


def _words(value, kind):
    """Return a number as the legend writes it."""
    return str(np.datetime64(int(value), "D")) if kind == "dates" else f"{value:g}"


def _cells(key, by, metadata, old, new, named):
    """Return what a column says of each object, old ones first, as text or None."""
    labels = old + new
    if not isinstance(by, str):
        _, [(_, cells)] = _columns({key: by}, labels, len(old), named)
        return cells
    if metadata is None:
        raise ValueError(f"{key}: found the name {by!r} and no metadata, expected metadata= beside it, or values")
    rows, columns = _columns(metadata, labels, len(old), named)
    found = dict(columns)
    if by not in found:
        raise ValueError(f"{key}: found {by!r}, expected one of {', '.join(found)}")
    cells = dict(zip(rows, found[by]))
    return [cells.get(label) for label in labels]
