"""The interactive page: one HTML file with the map, its newcomers and their arcs."""

import os
from collections.abc import Mapping

import numpy as np

from . import _core, _input, _tables

# How what is not there is printed by pandas, polars and NumPy. As a text it is one: a class may be called None.
_MISSING = ("nan", "NaN", "<NA>", "NaT", "None")


def write(map_, path, title, newcomers, strategy, metadata, variables, beside, flip, run):
    """Write the page of a map and its newcomers to `path`."""
    flip = directions(flip, map_.dimensions)

    def columns(labels):
        old = map_.labels
        return _columns(metadata, old + labels, len(old), map_.named)

    _core.report(
        map_,
        os.fspath(path),
        "A map" if title is None else str(title),
        newcomers,
        strategy,
        None if metadata is None else columns,
        {
            "beside": [beside] if isinstance(beside, str) else list(beside),
            "flip": [axis for axis, sign in enumerate(flip) if sign < 0],
            "variables": None if variables is None else numbers(variables, map_.labels, map_.named),
        },
        run,
    )


def directions(flip, dimensions):
    """Return 1 or -1 for each axis of the map: the direction in which it is drawn."""
    flip = [flip] if isinstance(flip, (int, np.integer)) else list(flip)
    if any(not isinstance(a, (int, np.integer)) or not 0 <= a < dimensions for a in flip):
        raise ValueError(f"flip: found {flip!r}, expected axes of 0 to {dimensions - 1}")
    signs = np.ones(dimensions)
    signs[flip] = -1
    return signs


def numbers(variables, labels, named):
    """Return names and an array of numbers, a row for each old object; NaN where nothing is known."""
    rows, columns = _columns(variables, labels, len(labels), named, "variables")
    at = {label: i for i, label in enumerate(rows)}
    if not any(label in at for label in labels):
        raise ValueError("variables: found none of the map's objects, expected their labels")
    values = np.full((len(labels), len(columns)), np.nan)
    for j, (name, cells) in enumerate(columns):
        for i, label in enumerate(labels):
            cell = cells[at[label]] if label in at else None
            try:
                values[i, j] = np.nan if cell is None else float(cell)
            except ValueError:
                raise ValueError(f"variables: found {cell!r} for {label} in {name!r}, expected numbers") from None
    values[~np.isfinite(values)] = np.nan
    return [name for name, _ in columns], values


def _columns(metadata, labels, old, named, argument="metadata"):
    """Return the labels of a table, and its columns as names and lists of str or None.

    `named` says whether the old objects have names; otherwise their labels only count.
    """
    if _input.is_pandas(metadata) and getattr(metadata, "ndim", 0) == 2:
        rows, counted = _tables.names(metadata.index)
        if counted and not named:
            if len(rows) not in (old, len(labels)):
                raise ValueError(
                    f"{argument}: found {len(rows)} rows without labels, expected {old} for the old objects or {len(labels)} for "
                    "all of them"
                )
            rows = labels[: len(rows)]
        columns = [(str(name), _cells(metadata.iloc[:, j])) for j, name in enumerate(metadata.columns)]
    elif _input.is_polars(metadata):
        first, *rest = metadata.columns
        rows = [str(label) for label in metadata.get_column(first)]
        columns = [(name, _cells(metadata.get_column(name))) for name in rest]
    elif isinstance(metadata, Mapping):
        rows = labels
        columns = [(str(name), _of(name, values, labels, old, named, argument)) for name, values in metadata.items()]
    else:
        raise TypeError(
            f"{argument}: found {type(metadata).__name__}, expected a DataFrame whose index has the labels, or a dict of "
            "columns"
        )
    seen = set()
    for label in rows:
        if label in seen:
            raise ValueError(f"{argument}: found the label {label!r} twice, expected each label once")
        seen.add(label)
    return rows, columns


def _of(name, values, labels, old, named, argument):
    """Return a column of a dict: by label, or one value for each old object and perhaps each newcomer."""
    if _input.is_pandas(values) and values.ndim == 1:
        by, counted = _tables.names(values.index)
        if not counted:
            if not named:
                raise ValueError(f"{argument}: found names in {name!r}, expected a list by position: the old objects have no names")
            if len(set(by)) < len(by):
                twice = next(label for i, label in enumerate(by) if label in by[:i])
                raise ValueError(f"{argument}: found the label {twice!r} twice in {name!r}, expected each label once")
            if not set(by).intersection(labels):
                raise ValueError(f"{argument}: found none of the map's objects in {name!r}, expected their labels")
            values = dict(zip(by, values))
    if isinstance(values, Mapping):
        known = {str(label): value for label, value in values.items()}
        return _cells(known.get(label) for label in labels)
    values = list(values)
    if len(values) not in (old, len(labels)):
        raise ValueError(
            f"{argument}: found {len(values)} values in {name!r}, expected {old} for the old objects or {len(labels)} for "
            "all of them"
        )
    return _cells(values + [None] * (len(labels) - len(values)))


def _cells(values):
    """Return values as text; None where there is none."""

    def cell(value):
        missing = value == "" if isinstance(value, str) else str(value) in _MISSING
        return None if missing else str(value)

    return [cell(value) for value in values]
