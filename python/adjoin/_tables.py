"""Tables of every library, as numbers with names.

A table is known by its type or by a protocol. Nothing is imported that the caller has not: who has a table of a library has
the library, so it is looked up among what is loaded already. Only Arrow's stream, a protocol without a library, needs
one (pyarrow) to be read.
"""

import sys
from dataclasses import dataclass

import numpy as np


@dataclass
class Table:
    """A matrix and the names of its rows and columns, None where it has none.

    `default_rows` and `default_columns` say that a library counted for want of names: 0, 1, 2 …; `textual` that the names
    of columns were text before they were written here as text.
    """

    values: np.ndarray
    rows: list | None = None
    columns: list | None = None
    default_rows: bool = False
    default_columns: bool = False
    textual: bool = True

    def without_counted(self):
        """Return the same table without names that only count."""
        rows = None if self.default_rows else self.rows
        columns = None if self.default_columns else self.columns
        return Table(self.values, rows, columns)


def opened(X, name, *, vector=False):
    """Return `X` as a Table whose numbers are not converted yet, or None if it is no table: an array, a list.

    `vector` says that a series is one row, its names those of the columns; otherwise a series is refused.
    """
    if type(X) is np.ndarray:
        return None
    refuse_lazy(X, name)
    X = eager(X)
    for read in (_pandas, _polars, _xarray, _distance_matrix, _arrow):
        found = read(X, name)
        if found is not None:
            break
    else:
        if callable(getattr(X, "to_pandas", None)) and hasattr(X, "columns"):
            return opened(X.to_pandas(), name, vector=vector)
        if hasattr(X, "__dataframe__") or hasattr(X, "columns"):
            raise TypeError(
                f"{name}: found a table of {type(X).__module__}, whose names cannot be read here, expected one of pandas, "
                "polars, pyarrow, xarray or Dask, or an array"
            )
        return None
    if np.ndim(found.values) == 1:
        if not vector:
            raise ValueError(f"{name}: found a series, expected a table: make a table of one row of it")
        return Table(found.values, found.columns, found.rows, False, found.default_rows)
    return found


def is_lazy(X):
    """Whether `X` is an array or a table of Dask."""
    return _library(X) in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def refuse_lazy(X, name):
    """Raise if `X` is still to be computed by Dask: it may be larger than memory."""
    graph = getattr(X, "__dask_graph__", None)
    if graph is not None and graph() is not None:
        raise TypeError(
            f"{name}: found a collection of Dask, expected an array or a table: it is never made whole silently. transform, "
            "place and fit take one, as adjoin.dask does; for anything else, .compute() it if it fits into memory"
        )


def eager(X):
    """Return the table itself where `X` is a wrapper of one, or is a lazy one of polars."""
    library = _library(X)
    if library == "narwhals" and hasattr(X, "to_native"):
        return eager(X.to_native())
    if library == "polars" and hasattr(X, "collect"):
        return X.collect()
    return X


def is_pandas(X):
    """Whether `X` is a table or a series of pandas, or of a subclass."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, (pandas.DataFrame, pandas.Series))


def is_polars(X):
    """Whether `X` is a table or a series of polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, (polars.DataFrame, polars.Series))


def is_distance_matrix(X):
    """Whether `X` is scikit-bio's DistanceMatrix, or looks like it."""
    return hasattr(X, "data") and not callable(getattr(X, "ids", len))


def _library(X):
    return type(X).__module__.partition(".")[0]


def _pandas(X, name):
    if not is_pandas(X):
        return None
    values = X.to_numpy()
    if values.dtype == object:
        try:
            # Nullable and Arrow-backed columns: what is not there is missing.
            values = X.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            pass  # said by whoever reads the numbers
    rows, default_rows = names(X.index)
    if values.ndim == 1:
        # A series that was a row of a table is called as that row was.
        own = None if X.name is None else [str(X.name)]
        return Table(values, rows, own, default_rows)
    columns, default_columns = names(X.columns)
    textual = all(isinstance(column, str) for column in X.columns)
    return Table(values, rows, columns, default_rows, default_columns, textual)


def _polars(X, name):
    if not is_polars(X):
        return None
    polars = sys.modules["polars"]
    if isinstance(X, polars.Series):
        return Table(X.to_numpy())
    rows, columns = None, list(X.columns)
    if X.width and X.dtypes[0] == polars.String:
        rows, columns = X.get_column(columns[0]).to_list(), columns[1:]
        X = X.select(columns)
    return Table(X.to_numpy(), rows, columns)


def _xarray(X, name):
    xarray = sys.modules.get("xarray")
    if xarray is None or not isinstance(X, (xarray.DataArray, xarray.Dataset)):
        return None
    if isinstance(X, xarray.Dataset):
        variables = list(X.data_vars)
        dims = {X[variable].dims for variable in variables}
        if len(variables) == 1 and X[variables[0]].ndim == 2:
            return _xarray(X[variables[0]], name)
        if len(dims) != 1 or len(next(iter(dims))) != 1:
            raise TypeError(
                f"{name}: found a Dataset whose variables have the dimensions {sorted(map(str, X.sizes))}, expected "
                "variables along one dimension, or one variable along two"
            )
        rows, default_rows = _along(X, next(iter(dims))[0])
        values = np.column_stack([X[variable].values for variable in variables])
        return Table(values, rows, [str(variable) for variable in variables], default_rows)
    if X.ndim not in (1, 2):
        return Table(X.values)
    rows, default_rows = _along(X, X.dims[0])
    if X.ndim == 1:
        return Table(X.values, rows, None, default_rows)
    columns, default_columns = _along(X, X.dims[1])
    textual = columns is not None and all(isinstance(column, str) for column in X.indexes[X.dims[1]])
    return Table(X.values, rows, columns, default_rows, default_columns, textual)


def _along(X, dim):
    """Return the names along a dimension of xarray, if it has any."""
    index = X.indexes.get(dim)
    return (None, False) if index is None else names(index)


def _distance_matrix(X, name):
    if not is_distance_matrix(X):
        return None
    labels = [str(label) for label in X.ids]
    return Table(X.data if np.ndim(X.data) == 2 else X.redundant_form(), labels, labels)


def _arrow(X, name):
    if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
        return None
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{name}: found a table of Arrow's, expected pyarrow to be installed to read it") from None
    if isinstance(X, (pyarrow.Array, pyarrow.ChunkedArray)):
        return Table(X.to_numpy(zero_copy_only=False) if isinstance(X, pyarrow.Array) else X.to_numpy())
    table = pyarrow.table(X)
    types = pyarrow.types
    for column in table.schema:
        if types.is_nested(column.type):
            raise TypeError(f"{name}: found lists or structures in the column {column.name!r}, expected numbers")
    rows, columns = None, table.column_names
    if columns and (types.is_string(table.schema[0].type) or types.is_large_string(table.schema[0].type)):
        rows, columns = table.column(0).to_pylist(), columns[1:]
        table = table.select(columns)
    if not columns:
        return Table(np.empty((table.num_rows, 0)), rows, columns)
    return Table(np.column_stack([column.to_numpy() for column in table.columns]), rows, list(columns))


def names(index):
    """Return the names in a pandas index, and whether it only counts from 0 as pandas does without names."""
    default = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return [str(label) for label in index], default
