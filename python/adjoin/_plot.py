"""Pictures of maps, by matplotlib."""

# Old objects whose labels can be read side by side.
_FEW = 40

_OLD, _NEW, _WAY = "#7a8699", "#c8431c", "#e09a3c"


def _axes(ax, axes, dimensions):
    """Return the picture to draw in, the map's axes to draw, and whether there is only one."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot: found no matplotlib, expected it to be installed (pip install 'adjoin[plot]')") from None
    if dimensions == 1:
        axes = (0, None)
    elif len(axes) != 2 or any(not 0 <= a < dimensions for a in axes):
        raise ValueError(f"axes: found {axes!r}, expected two of 0 to {dimensions - 1}")
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 6.5), layout="constrained")
    return ax, axes


def _points(coordinates, axes):
    """Return the coordinates on the two axes; a map of one axis is drawn on a line."""
    first, second = axes
    x = coordinates[:, first]
    return x, 0 * x if second is None else coordinates[:, second]


def _frame(ax, diagram, axes):
    shares = diagram.proportions
    for axis, set_label in zip(axes, (ax.set_xlabel, ax.set_ylabel)):
        if axis is None:
            ax.set_yticks([])
        else:
            set_label(f"axis {axis + 1} ({shares[axis]:.1%})")
    ax.axhline(0, color="#dddddd", linewidth=0.8, zorder=0)
    ax.axvline(0, color="#dddddd", linewidth=0.8, zorder=0)
    ax.spines[["top", "right"]].set_visible(False)
    # One unit is as long on one axis as on the other: the picture shows distances.
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)


# Where a label may stand beside its point: offset in points, and how it is aligned.
_PLACES = [
    ((5, 3), "left", "bottom"),
    ((-5, 3), "right", "bottom"),
    ((5, -3), "left", "top"),
    ((-5, -3), "right", "top"),
    ((0, 6), "center", "bottom"),
    ((0, -6), "center", "top"),
    ((14, 10), "left", "bottom"),
    ((-14, 10), "right", "bottom"),
    ((14, -10), "left", "top"),
    ((-14, -10), "right", "top"),
]


def _write(ax, names, x, y, taken, **style):
    """Write labels beside their points, each where it covers least of what is there already."""
    renderer = ax.figure.canvas.get_renderer()
    for name, a, b in zip(names, x, y):
        if a != a:
            continue
        best = None
        for offset, across, up in _PLACES:
            text = ax.annotate(
                name, (a, b), xytext=offset, textcoords="offset points", ha=across, va=up, zorder=5, **style
            )
            box = text.get_window_extent(renderer)
            covered = sum(box.overlaps(other) for other in taken)
            if best is None or covered < best[0]:
                if best is not None:
                    best[1].remove()
                best = (covered, text, box)
            else:
                text.remove()
            if covered == 0:
                break
        taken.append(best[2])


def _boxes(ax, x, y, size=3):
    """Return the boxes on the canvas that points cover."""
    from matplotlib.transforms import Bbox

    at = ax.transData.transform(list(zip(x, y)))
    return [Bbox.from_extents(a - size, b - size, a + size, b + size) for a, b in at if a == a]


def draw(diagram, placements=None, *, ax=None, axes=(0, 1), labels="auto", arcs=True):
    """Draw the old objects, and newcomers with their arcs if there are any."""
    if labels not in ("auto", "all", "new", "none"):
        raise ValueError(f"labels: found {labels!r}, expected 'auto', 'all', 'new' or 'none'")
    ax, axes = _axes(ax, axes, diagram.dimensions)
    x, y = _points(diagram.configuration, axes)
    many = diagram.count > _FEW
    ax.scatter(x, y, s=14 if many else 26, color=_OLD, alpha=0.6 if many else 0.9, linewidths=0, label="old", zorder=2)
    _frame(ax, diagram, axes)
    if placements is not None:
        u, v = _points(placements.coordinates, axes)
        if arcs:
            p, q = _points(placements.projections, axes)
            jointly = placements.certified is not None
            curves = [] if jointly else [a for a in placements.arcs() if a is not None]
            lines = [_points(curve.coordinates, axes) for curve in curves]
            if jointly:
                # Together they leave their own arcs: a line from the projection to the place.
                lines = [((a, c), (b, d)) for a, b, c, d in zip(p, q, u, v)]
            for i, (a, b) in enumerate(lines):
                name = None if i else ("from projection" if jointly else "arc to reconstruction")
                ax.plot(a, b, color=_WAY, linewidth=1.4, zorder=3, label=name)
            if placements.strategy != "project":
                ax.scatter(p, q, s=22, facecolors="white", edgecolors=_WAY, zorder=3, label="projection")
        ax.scatter(u, v, s=34, color=_NEW, marker="D", linewidths=0, zorder=4, label=f"new ({placements.strategy})")
    if placements is not None:
        ax.legend(frameon=False, loc="best", fontsize="small")
    if labels == "none":
        return ax
    ax.figure.canvas.draw()
    # A cloud of old points cannot be kept clear of; labels then avoid each other and newcomers.
    taken = [] if many else _boxes(ax, x, y)
    if placements is not None:
        taken += _boxes(ax, u, v, size=7)
        if labels != "none" and (labels != "auto" or len(placements) <= _FEW):
            _write(ax, placements.labels, u, v, taken, fontsize=9, color=_NEW, fontweight="bold")
    if labels == "all" or (labels == "auto" and not many):
        _write(ax, diagram.labels, x, y, taken, fontsize=8, color="#4a5568")
    return ax


def draw_arc(diagram, arc, *, ax=None, axes=(0, 1), labels="auto"):
    """Draw the old objects and one arc."""
    ax = draw(diagram, ax=ax, axes=axes, labels=labels)
    _, axes = _axes(ax, axes, diagram.dimensions)
    a, b = _points(arc.coordinates, axes)
    ax.plot(a, b, color=_WAY, linewidth=1.6, zorder=3, label="arc")
    ax.scatter(a[:1], b[:1], s=26, facecolors="white", edgecolors=_WAY, zorder=4, label="projection")
    ax.scatter(a[-1:], b[-1:], s=34, color=_NEW, marker="D", zorder=4, label="reconstruction")
    if labels != "none":
        _write(ax, [arc.label], a[-1:], b[-1:], [], fontsize=9, color=_NEW, fontweight="bold")
    ax.legend(frameon=False, fontsize="small")
    return ax
