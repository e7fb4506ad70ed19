"""What users pass in, as arrays and labels: shapes, types and names only.

Whether the numbers themselves are what they may be is for the core to say, which reads them anyway.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from . import _core


@dataclass
class Table:
    """A matrix of float64 or float32, not copied if it was one, and the labels it came with."""

    values: np.ndarray
    rows: list | None = None
    columns: list | None = None


def table(X, name, *, vector=False):
    """Read `X`, called `name` in messages, as a Table.

    `vector` allows a single row. Masked entries become NaN.
    """
    rows = columns = None
    if vector and is_pandas(X) and getattr(X, "ndim", 0) == 1:
        columns = _labels(X.index)
        rows = None if X.name is None else [str(X.name)]
        X = X.to_numpy()
    elif is_pandas(X):
        rows, columns = _labels(X.index), _labels(X.columns)
        X = X.to_numpy()
    elif is_polars(X):
        columns = list(X.columns)
        if X.width and X.dtypes[0] == _polars().String:
            rows, columns = X.get_column(columns[0]).to_list(), columns[1:]
            X = X.select(columns)
        X = X.to_numpy()
    elif is_distance_matrix(X):
        rows = [str(label) for label in X.ids]
        columns = rows
        X = X.data if np.ndim(X.data) == 2 else X.redundant_form()
    values = array(X, name)
    if vector and values.ndim == 1:
        values = values.reshape(1, -1)
    if values.ndim != 2:
        hint = " (reshape a single newcomer to one row)" if values.ndim == 1 else ""
        raise ValueError(f"{name}: found {_a(values.ndim)}-D array, expected a 2-D array{hint}")
    return Table(values, rows, columns)


def array(X, name):
    """Read `X` as an array of float64, or of float32 if it is one; NaN where it is masked."""
    if sparse.issparse(X):
        raise TypeError(
            f"{name}: found a sparse matrix, expected a dense array: a zero that is not stored would be "
            "taken for a distance of 0. Use .toarray() if that is what it means"
        )
    if isinstance(X, np.ma.MaskedArray):
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        X = X.astype(dtype).filled(np.nan)
    values = np.asarray(X)
    if values.dtype.kind == "c":
        raise ValueError(f"{name}: found complex numbers, expected real ones. Complex data not supported")
    if values.dtype not in (np.float64, np.float32) or not values.flags.aligned:
        try:
            values = values.astype(np.float32 if values.dtype == np.float32 else np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: found {values.dtype} entries, expected numbers: {error}") from None
    return values


def square(X, name):
    """Read a square: its values with rows in the order of the columns, and its labels."""
    found = table(X, name)
    if found.rows is not None and found.columns is not None and found.rows != found.columns:
        found.values = _core.square(vars(found), name)
    labels = found.rows if found.columns is None else found.columns
    return Table(found.values, labels, labels)


def between(X, name="between"):
    """Read proximities between newcomers, as float64 and with the labels they came with."""
    found = table(X, name)
    rows = found.columns if found.rows is None else found.rows
    columns = found.rows if found.columns is None else found.columns
    return Table(np.asarray(found.values, dtype=np.float64), rows, columns)


def numbers(values, name):
    """Read a list of numbers for the core, with their labels if it is a pandas Series with names."""
    if values is None:
        return None
    labels = None
    if is_pandas(values):
        labels = _labels(values.index)
        values = values.to_numpy(dtype=float)
    values = np.ascontiguousarray(array(values, name), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"{name}: found {_a(values.ndim)}-D array, expected a list of numbers")
    return dict(values=values, labels=labels)


def positions(k):
    """Return names for newcomers that have none."""
    return [f"new{i + 1}" for i in range(k)]


def is_distance_matrix(X):
    """Whether `X` is scikit-bio's DistanceMatrix, or looks like it."""
    return hasattr(X, "data") and not callable(getattr(X, "ids", len))


def _a(ndim):
    return f"a {ndim}"


def is_pandas(X):
    """Whether `X` is a table or a series of pandas."""
    return type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "to_numpy")


def is_polars(X):
    """Whether `X` is a table of polars."""
    return type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "columns")


def _polars():
    import polars

    return polars


def _labels(index):
    """Return the labels of a pandas index, or None if it only counts from 0."""
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    return [str(label) for label in index]
