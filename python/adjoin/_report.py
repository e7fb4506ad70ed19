"""The interactive page: one HTML file with the map, its newcomers and their arcs."""

import os
from collections.abc import Mapping

from . import _core, _input

# How pandas, polars and NumPy print what is not there.
_MISSING = ("", "nan", "NaN", "<NA>", "NaT", "None")


def write(map_, path, title, newcomers, strategy, metadata, run):
    """Write the page of a map and its newcomers to `path`."""

    def columns(labels):
        old = map_.labels
        return _columns(metadata, old + labels, len(old))

    _core.report(
        map_,
        os.fspath(path),
        "A map" if title is None else str(title),
        newcomers,
        strategy,
        None if metadata is None else columns,
        run,
    )


def _columns(metadata, labels, old):
    """Return the labels of the metadata, and its columns as names and lists of str or None."""
    if _input.is_pandas(metadata) and getattr(metadata, "ndim", 0) == 2:
        rows = [str(label) for label in metadata.index]
        columns = [(str(name), _cells(metadata.iloc[:, j])) for j, name in enumerate(metadata.columns)]
    elif _input.is_polars(metadata):
        first, *rest = metadata.columns
        rows = [str(label) for label in metadata.get_column(first)]
        columns = [(name, _cells(metadata.get_column(name))) for name in rest]
    elif isinstance(metadata, Mapping):
        rows = labels
        columns = [(str(name), _of(name, values, labels, old)) for name, values in metadata.items()]
    else:
        raise TypeError(
            f"metadata: found {type(metadata).__name__}, expected a DataFrame whose index has the labels, or a dict of "
            "columns"
        )
    seen = set()
    for label in rows:
        if label in seen:
            raise ValueError(f"metadata: found the label {label!r} twice, expected each label once")
        seen.add(label)
    return rows, columns


def _of(name, values, labels, old):
    """Return a column of a dict: by label, or one value for each old object and perhaps each newcomer."""
    if isinstance(values, Mapping):
        known = {str(label): value for label, value in values.items()}
        return _cells(known.get(label) for label in labels)
    values = list(values)
    if len(values) not in (old, len(labels)):
        raise ValueError(
            f"metadata: found {len(values)} values in {name!r}, expected {old} for the old objects or {len(labels)} for "
            "all of them"
        )
    return _cells(values + [None] * (len(labels) - len(values)))


def _cells(values):
    """Return values as text; None where there is none."""
    return [None if value is None or str(value) in _MISSING else str(value) for value in values]
