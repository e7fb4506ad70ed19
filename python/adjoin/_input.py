"""What users pass in, as arrays and names: shapes, types and names only.

Whether the numbers themselves are what they may be is for the core to say, which reads them anyway.
"""

import sys

import numpy as np

from . import _core
from ._tables import Table, is_distance_matrix, is_lazy, is_pandas, is_polars, opened, refuse_lazy

__all__ = [
    "Table",
    "array",
    "between",
    "is_distance_matrix",
    "is_lazy",
    "is_pandas",
    "is_polars",
    "is_sparse",
    "numbers",
    "opened",
    "table",
]


def table(X, name, *, vector=False):
    """Read `X`, called `name` in messages, as a Table of float64 or float32, not copied if it was one.

    `vector` allows a single row. What is masked or not there becomes NaN.
    """
    found = X if isinstance(X, Table) else opened(X, name, vector=vector)
    found = Table(X) if found is None else found
    values = array(found.values, name)
    if vector and values.ndim == 1:
        values = values.reshape(1, -1)
    if values.ndim != 2:
        hint = " (reshape a single newcomer to one row)" if values.ndim == 1 else ""
        raise ValueError(f"{name}: found {_a(values.ndim)}-D array, expected a 2-D array{hint}")
    found.values = values
    return found


def array(X, name):
    """Read `X` as an array of float64, or of float32 if it is one; NaN where it is masked."""
    refuse_lazy(X, name)
    if is_sparse(X):
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
    if values.dtype.kind in "mM":
        raise TypeError(f"{name}: found dates or times, expected numbers")
    if values.dtype not in (np.float64, np.float32) or not values.flags.aligned:
        try:
            values = values.astype(np.float32 if values.dtype == np.float32 else np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: found {values.dtype} entries, expected numbers: {error}") from None
    return values


def is_sparse(X):
    """Whether `X` is a sparse matrix or array of SciPy."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(X)


def square(found, name):
    """Return the values of a square table with its rows in the order of its columns, and what its objects are called.

    Names that only count give way to names; if there are no others they are the objects' own.
    """
    rows, columns = found.rows, found.columns
    if found.default_rows and columns is not None:
        rows = None
    elif found.default_columns and rows is not None:
        columns = None
    names = rows if columns is None else columns
    values = found.values
    if rows is not None and columns is not None and rows != columns:
        values = _core.square(dict(values=values, rows=rows, columns=columns), name)
    return values, names


def between(X, name="between"):
    """Read proximities between newcomers, as float64 and with the names they came with."""
    found = table(X, name).without_counted()
    rows = found.columns if found.rows is None else found.rows
    columns = found.rows if found.columns is None else found.columns
    return Table(np.asarray(found.values, dtype=np.float64), rows, columns)


def numbers(values, name):
    """Read a list of numbers for the core, with their names if it is a series with names."""
    if values is None:
        return None
    names = None
    found = opened(values, name, vector=True)
    if found is not None:
        if np.ndim(found.values) == 1:
            names = None if found.default_columns else found.columns
        values = found.values
    values = np.ascontiguousarray(array(values, name), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"{name}: found {_a(values.ndim)}-D array, expected a list of numbers")
    return dict(values=values, labels=names)


def positions(k):
    """Return names for newcomers that have none."""
    return [f"new{i + 1}" for i in range(k)]


def _a(ndim):
    return f"a {ndim}"
