"""Pictures of maps, by matplotlib: the same picture as the command line's `adjoin plot`."""

import json

import numpy as np

from . import _core
from ._look import WORDS, Looks
from ._optional import needed
from ._report import directions, numbers

# Old objects whose labels can be read side by side; the command line's number too.
_FEW = 50

# The colours of the page and of `adjoin plot`: one table, which all three read. Roles differ in shape too.
_TABLE = json.loads(_core.look())
_ROLES = {name: role["light"] for name, role in _TABLE["roles"].items()}
_OLD, _PROJECTED, _PLACED, _WAY = (_ROLES[role] for role in ("old", "projection", "reconstruction", "arc"))
_TEXT, _NEW_TEXT, _LINE, _GRID, _ORIGIN = "#333333", "#9a4300", "#7a7a7a", "#ececec", "#cfcfcf"


def _axes(ax, axes, dimensions):
    """Return the picture to draw in, the map's axes to draw, and whether there is only one."""
    plt = needed("matplotlib.pyplot", "plot")
    if dimensions == 1:
        axes = (0, None)
    elif len(axes) != 2 or any(not 0 <= a < dimensions for a in axes):
        raise ValueError(f"axes: found {axes!r}, expected two of 0 to {dimensions - 1}")
    if ax is None:
        _, ax = plt.subplots(figsize=(5.6, 2.6 if dimensions == 1 else 4.8), layout="constrained")
    return ax, axes


def _points(coordinates, axes):
    """Return the coordinates on the two axes; a map of one axis is drawn on a line."""
    first, second = axes
    x = coordinates[:, first]
    return x, 0 * x if second is None else coordinates[:, second]


def _frame(ax, map_, axes, names="axis"):
    shares = map_.proportions
    # What the shares are of is said once.
    of = " " + WORDS["complete" if map_.complete else "incomplete"]
    for axis, set_label, of in zip(axes, (ax.set_xlabel, ax.set_ylabel), (of, "")):
        if axis is None:
            ax.set_yticks([])
        else:
            set_label(f"{names} {axis + 1} ({100 * shares[axis]:.1f} %{of})", fontsize=8, color=_TEXT)
    ax.grid(color=_GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.axhline(0, color=_ORIGIN, linewidth=0.6, zorder=0)
    ax.axvline(0, color=_ORIGIN, linewidth=0.6, zorder=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=_LINE, linewidth=0.6)
    ax.tick_params(labelsize=7.5, color=_LINE, labelcolor=_TEXT, width=0.6)
    if axes[1] is None:
        ax.spines["left"].set_visible(False)
    # One unit is as long on one axis as on the other: the picture shows distances.
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)


# Where a label may stand that touches its point: how much of its width is to the left of the point and of its
# height below it, and the cost, by cartographers' preference.
_BESIDE = [(0, 0.5, 0), (0, 0, 0.15), (0, 1, 0.25), (0.5, 0, 0.3), (1, 0.5, 0.35), (1, 0, 0.45), (0.5, 1, 0.5), (1, 1, 0.55)]
# How far out labels stand that a line leads to, in points, and at which points of the line it is looked at.
_RINGS = (8, 13, 19, 27, 36)
_ALONG = np.array([0.1, 0.25, 0.5, 0.75, 0.95])
# Covering another label is out of the question.
_OVERLAP = 1000
# More old objects than these are a cloud.
_CLOUD = 400
# The share of the figure that the legend may be wide.
_LEGEND_SHARE = 0.88


def _inside(points, boxes, reach=0):
    """Return whether points (.., 2) are in boxes (.., 4); NaN are in none."""
    x, y = points[..., 0], points[..., 1]
    across = (boxes[..., 0] - reach < x) & (x < boxes[..., 2] + reach)
    return across & (boxes[..., 1] - reach < y) & (y < boxes[..., 3] + reach)


def _cross(a, b, c, d):
    """Return whether segments from a to b cross those from c to d."""

    def side(p, q, r):
        return (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])

    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)


class _Places:
    """All places for one label, in points of the page: boxes, the lines that lead to them, and their costs."""

    def __init__(self, at, size, radius, obstacles, area):
        (x, y), (w, h) = at, size
        gap, boxes, ends, costs = radius + 2, [], [], []
        for left, below, preference in _BESIDE:
            dx = gap * (1 - 2 * left) * (0.7 if below != 0.5 else 1)
            dy = gap * (1 - 2 * below) * (0.7 if left != 0.5 else 1)
            boxes.append((x - left * w + dx, y - below * h + dy, x + (1 - left) * w + dx, y + (1 - below) * h + dy))
            ends.append((np.nan, np.nan))
            costs.append(preference)
        for ring in _RINGS:
            for angle in np.arange(16) * np.pi / 8:
                u, v = x + np.cos(angle) * (radius + ring + w / 2), y + np.sin(angle) * (radius + ring + h / 2)
                box = (u - w / 2, v - h / 2, u + w / 2, v + h / 2)
                boxes.append(box)
                ends.append((min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])))
                costs.append(3 + 0.12 * ring)
        boxes, ends = np.array(boxes), np.array(ends)
        keep = (boxes[:, :2] >= area[:2]).all(1) & (boxes[:, 2:] <= area[2:]).all(1)
        self.boxes, self.costs = boxes[keep], np.array(costs)[keep]
        # The line as a few of its points; NaN where there is none.
        self.lines = np.array(at) + _ALONG[:, None] * (ends[keep, None] - np.array(at))
        at_, reach, price = obstacles
        others = (at_ != at).any(1)
        at_, reach, price = at_[others], reach[others], price[others]
        self.costs += _inside(at_, self.boxes[:, None], reach) @ price
        crossed = (abs(self.lines[:, :, None] - at_) < 2).all(-1)
        self.costs += 3 * crossed.sum((1, 2))

    def clashes(self, boxes, lines):
        """Return what each place costs with each of other labels' boxes and lines."""
        mine, theirs = self.boxes[:, None], boxes[None]
        apart = (mine[..., 2:] <= theirs[..., :2]).any(-1) | (theirs[..., 2:] <= mine[..., :2]).any(-1)
        cost = np.where(apart, 0, _OVERLAP)
        cost += 40 * _inside(self.lines[:, None], theirs[:, :, None]).any(-1)
        cost += 40 * _inside(lines[None], mine[:, :, None]).any(-1)
        return cost + 25 * _cross(self.lines[:, None, 0], self.lines[:, None, -1], lines[None, :, 0], lines[None, :, -1])


def _legend(ax, looks):
    """Write the legend above the map, where nothing can be behind it: objects first, then ways, then classes."""
    handles, names = ax.get_legend_handles_labels()
    order = sorted(range(len(names)), key=lambda i: (names[i] in (WORDS["arc"], WORDS["way"]), i))
    handles, names = [handles[i] for i in order], [names[i] for i in order]
    if looks.colour is not None:
        # Where colour is a column's, what objects are is told by marks alone.
        handles = [looks.neutral(handle) for handle in handles]
    blocks = [list(zip(handles, names)), *looks.legend()]
    style = dict(frameon=False, loc="lower left", bbox_to_anchor=(-0.02, 1), fontsize=7.5, labelcolor=_TEXT)
    style |= dict(handlelength=1.4, handletextpad=0.5, columnspacing=1.4)
    # As many columns as there is room for, beside other plots of the figure.
    spec = ax.get_subplotspec()
    room = _LEGEND_SHARE * ax.figure.bbox.width / (1 if spec is None else spec.get_gridspec().ncols)
    for columns in range(min(max(map(len, blocks)), 8), 0, -1):
        lines = _by_rows(blocks, columns)
        legend = ax.legend([h for h, _ in lines], [n for _, n in lines], ncols=columns, **style)
        wide = legend.get_window_extent(ax.figure.canvas.get_renderer()).width
        if wide <= room:
            break


def _by_rows(blocks, columns):
    """Return the lines of a legend so that each block begins in a row of its own; matplotlib fills columns one by one."""
    from matplotlib.lines import Line2D

    lines = []
    for block in blocks:
        lines += block
        lines += [(Line2D([], [], linestyle="none"), "")] * (-len(block) % columns)
    return [line for column in range(columns) for line in lines[column::columns]]


def _write(ax, labels, obstacles, rim=False):
    """Write labels so that none covers another: each at its cheapest place, in turns, until nobody moves.

    `labels` are (text, point on the page, radius of its marker, colour), the most important first; a label that
    would still cover an earlier one is left out. With a white rim they can be read on a cloud of points.
    """
    from matplotlib.patheffects import withStroke

    figure = ax.figure
    point = 72 / figure.dpi
    renderer = figure.canvas.get_renderer()
    area = ax.get_window_extent(renderer)
    area = np.array([area.x0, area.y0, area.x1, area.y1]) * point
    wanted, choices = [], []
    for name, at, radius, colour in labels:
        text = ax.annotate(name, at, xycoords="figure points", fontsize=7.5, annotation_clip=False)
        box = text.get_window_extent(renderer)
        text.remove()
        places = _Places(at, (box.width * point, box.height * point), radius, obstacles, area)
        if len(places.costs):
            wanted.append((name, at, radius, colour))
            choices.append(places)
    chosen = [int(places.costs.argmin()) for places in choices]
    boxes = np.array([places.boxes[i] for places, i in zip(choices, chosen)]).reshape(-1, 4)
    lines = np.array([places.lines[i] for places, i in zip(choices, chosen)]).reshape(-1, len(_ALONG), 2)
    for _ in range(20):
        before = list(chosen)
        for i, places in enumerate(choices):
            clashes = places.clashes(boxes, lines)
            clashes[:, i] = 0
            chosen[i] = int((places.costs + clashes.sum(1)).argmin())
            boxes[i], lines[i] = places.boxes[chosen[i]], places.lines[chosen[i]]
        if chosen == before:
            break
    kept = []
    for i, (name, at, radius, colour) in enumerate(wanted):
        box = boxes[i]
        if (choices[i].clashes(boxes[kept], lines[kept])[chosen[i]] >= _OVERLAP).any():
            continue
        kept.append(i)
        u, v = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        # Tied to the data: a label stays with its point when the picture is moved.
        data = ax.transData.inverted().transform((at[0] / point, at[1] / point))
        line = dict(arrowstyle="-", color=_LINE, linewidth=0.5, shrinkA=0, shrinkB=radius + 0.5)
        line["relpos"] = _towards(at, box)
        ax.annotate(
            name,
            data,
            xytext=(u - at[0], v - at[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7.5,
            color=colour,
            zorder=6,
            arrowprops=None if np.isnan(lines[i]).any() else line,
            path_effects=[withStroke(linewidth=2, foreground="white")] if rim else None,
        )


def _towards(at, box):
    """Return the point of a box nearest to another, as shares of its sides."""
    return [min(max((at[i] - box[i]) / (box[i + 2] - box[i]), 0), 1) for i in (0, 1)]


def _table(obstacles):
    """Return where obstacles are, how far they reach, and what it costs to cover them, as arrays."""
    table = np.array([(*at, reach, price) for at, reach, price in obstacles], dtype=float).reshape(-1, 4)
    return table[:, :2], table[:, 2], table[:, 3]


def _on_page(ax, x, y):
    """Return points on the page, in points of type; None for those without a place."""
    at = ax.transData.transform(list(zip(x, y))) * (72 / ax.figure.dpi) if len(x) else []
    return [(float(a), float(b)) if a == a and b == b else None for a, b in at]


def draw(
    map_,
    placements=None,
    *,
    ax=None,
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
    """Draw the old objects, and newcomers with their arcs if there are any."""
    if labels not in ("auto", "all", "new", "none"):
        raise ValueError(f"labels: found {labels!r}, expected 'auto', 'all', 'new' or 'none'")
    signs = directions(flip, map_.dimensions)
    new_labels = [] if placements is None else list(placements.labels)
    looks = Looks.read(metadata, colour_by, shape_by, size_by, list(map_.labels), new_labels, map_.named)
    if (ellipses or hulls or spiders) and not looks.classes:
        raise ValueError("ellipses, hulls, spiders: found no classes, expected colour_by to name a column of them")
    ax, axes = _axes(ax, axes, map_.dimensions)
    x, y = _points(map_.configuration * signs, axes)
    many = map_.count > _FEW
    size = 16 if not many else max(3, 16 * (_FEW / map_.count) ** 0.3)
    looks.old(ax, x, y, size, _OLD)
    arrows = []
    if axes[1] is not None:
        looks.outlines(ax, x, y, ellipses, hulls, spiders)
        if variables is not None:
            arrows = _arrows(ax, map_, variables, axes, signs, (x, y))
    _frame(ax, map_, axes, axis_names)
    marks, ends, lines = [], None, []
    if placements is not None:
        # On a map with a link there is one place for each newcomer.
        arcs = arcs and map_.link[0] is None
        p, q = _points(placements.projections * signs, axes)
        lines, ends, place, way = _newcomers(placements, axes, arcs, signs)
        colours = looks.new_colours
        if placements.covariance is not None and axes[1] is not None:
            _regions(ax, placements, axes, signs, colours)
        for i, (a, b) in enumerate(lines):
            colour = _WAY if colours is None else colours[i]
            ax.plot(a, b, color=colour, linewidth=1, zorder=3, label=None if i else way)
        on_arc = place == WORDS["reconstruction"]
        if ends is None or arcs:
            looks.projections(ax, p, q, _ROLES, alone=ends is None)
            marks.append((p, q))
        if ends is not None:
            role, mark = (_PLACED, "D") if on_arc else (_ROLES["strategy"], "s")
            looks.places(ax, *ends, role, mark, place)
            marks.append(ends)
    if placements is not None or looks.any:
        _legend(ax, looks)
    if labels != "none":
        _name(ax, map_, placements, labels, many, (x, y), marks, lines, arrows)
    return ax


def _arrows(ax, map_, variables, axes, signs, old):
    """Draw the variables that follow the axes shown as arrows, as `adjoin plot --variables` does; return names and tips."""
    from matplotlib.patheffects import withStroke

    names, values = numbers(variables, list(map_.labels), map_.named)
    two = np.ascontiguousarray(map_.configuration[:, list(axes)])
    rule = _TABLE["arrows"]
    fitted = _core.variables(two, [float(map_.eigenvalues[a]) for a in axes], values, rule["permutations"])
    shown = [j for j in fitted["strongest"] if fitted["p"][j] <= rule["p"]][: rule["most"]]
    tips = [np.array(fitted["arrows"][j]) * signs[list(axes)] for j in shown]
    drawn = []
    if not shown:
        return drawn
    scale = rule["reach"] * np.hypot(*old).max() / max(np.hypot(*tip) for tip in tips)
    for j, tip in zip(shown, tips):
        u, v = scale * tip
        ax.annotate("", (u, v), (0, 0), arrowprops=dict(arrowstyle="-|>", color=_TEXT, linewidth=0.8, shrinkA=0, shrinkB=0), zorder=5)
        across = "left" if u > 0 else "right"
        up = "bottom" if v > 0 else "top"
        text = ax.annotate(names[j], (u, v), (2 * np.sign(u), 2 * np.sign(v)), textcoords="offset points", ha=across, va=up, fontsize=7.5, color=_TEXT, zorder=6)
        text.set_path_effects([withStroke(linewidth=2, foreground="white")])
        drawn.append((text, (u, v)))
        # The view has room for the arrows too.
        ax.update_datalim([(u, v)])
    ax.autoscale_view()
    return drawn


def _name(ax, map_, placements, labels, many, old, marks, lines, arrows):
    """Write labels beside the marks."""
    ax.figure.canvas.draw()
    old = _on_page(ax, *old)
    new = [at for u, v in marks for at in _on_page(ax, u, v)]
    # A cloud of old points cannot be kept clear of; labels then avoid each other and newcomers.
    cloud = map_.count > _CLOUD
    obstacles = [] if cloud else [(at, 2, 8) for at in old if at]
    obstacles += [(at, 3, 16) for at in new if at]
    obstacles += [(at, 1, 1) for a, b in lines for at in _on_page(ax, a, b) if at]
    for patch in ax.patches:
        # Ellipses and hulls.
        corners = patch.get_transform().transform_path(patch.get_path()).to_polygons()
        point = 72 / ax.figure.dpi
        obstacles += [(tuple(at), 1, 1) for line in corners for at in _dense(line * point).tolist()]
    for text, (u, v) in arrows:
        way = np.linspace(0, 1, 24)
        obstacles += [(at, 1, 2) for at in _on_page(ax, u * way, v * way) if at]
        box = text.get_window_extent()
        point = 72 / ax.figure.dpi
        across = np.arange(box.x0, box.x1 + 4, 4)
        obstacles += [((float(x * point), float((box.y0 + box.y1) / 2 * point)), box.height / 2 * point, 16) for x in across]
    obstacles = _table(obstacles)
    wanted = []
    if marks and (labels != "auto" or len(placements) <= _FEW):
        anchors = _on_page(ax, *marks[-1])
        if len(marks) == 2:
            # Where a strategy has no place for a newcomer, its projection has its name.
            anchors = [at or other for at, other in zip(anchors, _on_page(ax, *marks[0]))]
        wanted += [(name, at, 3, _NEW_TEXT) for name, at in zip(placements.labels, anchors) if at]
    if labels == "all" or (labels == "auto" and not many):
        wanted += [(name, at, 2, _TEXT) for name, at in zip(map_.labels, old) if at]
    _write(ax, wanted, obstacles, rim=cloud)


def _dense(line, step=3):
    """Return points along a line, no farther than `step` from each other."""
    pieces = [np.linspace(a, b, max(2, int(np.hypot(*(b - a)) / step) + 1)) for a, b in zip(line[:-1], line[1:])]
    return np.concatenate(pieces) if pieces else line


def _newcomers(placements, axes, arcs, signs):
    """Return the ways to draw, the places if they are not the projections, and what both are called."""
    strategy, jointly = placements.strategy, placements.jointly
    ends = None if strategy == "project" else _points(placements.coordinates * signs, axes)
    on_arc = strategy in ("project", "reconstruct") and not jointly
    place = WORDS["reconstruction"] if on_arc else WORDS["jointly"] if jointly else f"{WORDS['placed']} {strategy}"
    if not arcs:
        return [], ends, place, None
    if on_arc:
        curves = [None if arc is None else arc.coordinates * signs for arc in placements.arcs(33)]
        if all(curve is None for curve in curves):
            # Reconstruction needs similarities of newcomers to themselves that are not known.
            return [], ends, place, None
        if strategy == "project":
            last = 0 * placements.projections
            for i, curve in enumerate(curves):
                last[i] = float("nan") if curve is None else curve[-1]
            ends = _points(last, axes)
        return [_points(curve, axes) for curve in curves if curve is not None], ends, place, WORDS["arc"]
    # Other places are not on the arc: a line from the projection.
    (p, q), (u, v) = _points(placements.projections * signs, axes), ends
    return [((a, c), (b, d)) for a, b, c, d in zip(p, q, u, v)], ends, place, WORDS["way"]


def _regions(ax, placements, axes, signs, colours):
    """Draw where each newcomer may be: the 95 % region of its place on the two axes."""
    turn = 2 * np.pi * np.arange(49) / 48
    circle = np.stack([np.cos(turn), np.sin(turn)])
    two = list(axes)
    centres = (placements.coordinates * signs)[:, two]
    covariances = (placements.covariance * np.outer(signs, signs))[:, two][:, :, two]
    role = _PLACED if placements.strategy == "reconstruct" else _PROJECTED
    first = True
    for i, (centre, covariance, reach) in enumerate(zip(centres, covariances, placements._reach)):
        if not np.isfinite([*centre, *covariance.ravel(), reach]).all():
            continue
        values, vectors = np.linalg.eigh(covariance)
        half = np.sqrt(reach * values.clip(min=0))
        a, b = centre[:, None] + vectors @ (half[:, None] * circle)
        colour = role if colours is None else colours[i]
        ax.fill(a, b, facecolor=colour, alpha=0.1, zorder=2)
        ax.plot(a, b, color=colour, linewidth=0.6, alpha=0.7, zorder=2, label=WORDS["region"] if first else None)
        first = False


def draw_arc(map_, arc, *, ax=None, axes=(0, 1), labels="auto"):
    """Draw the old objects and one arc."""
    ax = draw(map_, ax=ax, axes=axes, labels=labels)
    _, axes = _axes(ax, axes, map_.dimensions)
    a, b = _points(arc.coordinates, axes)
    ax.plot(a, b, color=_WAY, linewidth=1, zorder=3, label=WORDS["arc"])
    ax.scatter(a[:1], b[:1], s=20, facecolors="white", edgecolors=_PROJECTED, linewidths=1, zorder=4, label=WORDS["projection"])
    ax.scatter(a[-1:], b[-1:], s=22, color=_PLACED, marker="D", linewidths=0, zorder=5, label=WORDS["reconstruction"])
    if labels != "none":
        ax.figure.canvas.draw()
        at = _on_page(ax, a[-1:], b[-1:])[0]
        _write(ax, [(arc.label, at, 3, _NEW_TEXT)], _table([(p, 1, 1) for p in _on_page(ax, a, b)]))
    _legend(ax, Looks())
    return ax
