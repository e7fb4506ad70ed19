"""Batches of newcomers in Arrow's tables: one callable for Spark, Ray, DuckDB and polars.

>>> import adjoin, adjoin.arrow
>>> import pyarrow as pa
>>> cities = adjoin.datasets.eurodist()
>>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
>>> placer = adjoin.arrow.Placer(model, label="city", strategy="reconstruct", diagnostics=("status",))
>>> placer.ddl
'`label` string, `axis1` double, `axis2` double, `status` string'
>>> batch = pa.table({"city": ["Rome", "Vienna"], **{c: cities.loc[["Rome", "Vienna"], c].to_numpy() for c in cities.columns[:18]}})
>>> placer(batch).column("status").to_pylist()
['unique', 'unique']
"""

import sys

import numpy as np

from . import _core
from ._newcomers import refuse_not_finite
from ._optional import needed
from ._parts import checked_strategy, light, placed

__all__ = ["Placer"]

# What Spark calls the types that tables have here.
_SPARK = {
    "string": "string",
    "large_string": "string",
    "double": "double",
    "float": "float",
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "binary": "binary",
    "date32[day]": "date",
}

# What the columns of the core's list are in Arrow.
_HOLDS = {"number": "float64", "count": "int64", "word": "string", "flag": "bool_"}

# What a newcomer without a place has there.
_WITHOUT = {"number": np.nan, "count": 0, "word": None, "flag": False}


class Placer:
    """Places newcomers batch by batch, in any engine that speaks Arrow. Needs pyarrow.

    It is small and picklable, whatever the model was fitted to, keeps no state between batches, and gives the same bits
    however newcomers are split. What comes out is known before any batch does: `schema`, and `ddl` for Spark.

    Parameters
    ----------
    model : estimator, Map, str, path-like or bytes
        What newcomers are placed on: a fitted estimator, its map, or the file or the bytes of one.

    strategy : str, default=None
        How to place them; the estimator's strategy if None.

    vector : str, default=None
        The column that holds each newcomer's proximities, or its features, as a list (of any kind) of numbers in the order of
        the fit. Without it they are in columns of their own, which are matched by name.

    label : str, default=None
        The column with the newcomers' names, by which messages call them; it comes out as `label`.

    keep : sequence of str or dict of str to pyarrow.DataType, default=()
        Further columns that come out as they went in: as strings, or as the types of a dict.

    diagnostics : sequence of str or "all", default=None
        Which columns come out beside `label`, those kept and `axis1` … : those of the table of `Placements.to_frame`. None
        means the ones that every table has.

    self_similarity : float or str, default=None
        Similarities only: that of each newcomer to itself, or the column that holds it.

    unplaced : {"raise", "nan"}, default="raise"
        Whether a newcomer that cannot be placed, or has no vector, ends the job, or has no coordinates but a `status`.

    n_jobs : int, default=1
        Threads for each batch: engines bring their own processes.

    Examples
    --------
    Spark: ``df.mapInArrow(placer.batches, placer.ddl)``. Ray: ``dataset.map_batches(placer, batch_format="pyarrow")``. DuckDB:
    ``con.create_function("place", placer.scalar, ["DOUBLE[]"], "DOUBLE[2]", type="arrow")`` on a map of two axes. polars:
    ``frame.map_batches(placer)`` lazily, or ``pl.col("v").map_batches(placer.scalar)``.
    """

    def __init__(
        self,
        model,
        *,
        strategy=None,
        vector=None,
        label=None,
        keep=(),
        diagnostics=None,
        self_similarity=None,
        unplaced="raise",
        n_jobs=1,
    ):
        self._pa = None
        self.model = light(model, n_jobs)
        self.strategy, self.unplaced = checked_strategy(self.model, strategy, unplaced)
        self.vector, self.label, self.self_similarity = vector, label, self_similarity
        if isinstance(keep, str):
            raise TypeError(f"keep: found the text {keep!r}, expected a sequence of names")
        self.keep = dict(keep) if isinstance(keep, dict) else dict.fromkeys(keep)
        known = _core.columns(self.strategy, self.model.map_.dimensions, False, False)
        names = [name for name, *_ in known]
        if diagnostics is None:
            chosen = [name for name, _, contract in known if contract]
        elif isinstance(diagnostics, str) and diagnostics == "all":
            chosen = names
        else:
            chosen = [diagnostics] if isinstance(diagnostics, str) else list(diagnostics)
            for name in chosen:
                if name not in names:
                    raise ValueError(f"diagnostics: found {name!r}, expected some of {', '.join(names)}, or 'all'")
        self.diagnostics = {name: holds for name, holds, _ in known if name in chosen}
        self._own = self._expected()

    def __getstate__(self):
        return {**self.__dict__, "_pa": None}

    def __repr__(self):
        return f"<Placer by {self.strategy} on {self.model.map_!r}>"

    @property
    def _arrow(self):
        if self._pa is None:
            self._pa = needed("pyarrow", "Placer")
        return self._pa

    def _expected(self):
        """Return the names of the columns that newcomers are in; None if they are in one."""
        if self.vector is not None:
            return None
        map_, model = self.model.map_, self.model
        names = (map_.references if map_.named else None) if model._precomputed else model._names_in
        if names is None:
            what = "objects" if model._precomputed else "features"
            raise ValueError(
                f"vector: found None, expected the column that holds the numbers of each newcomer: the map's {what} have "
                "positions only, so columns cannot be matched by name"
            )
        return list(names)

    @property
    def schema(self):
        """What comes out: pyarrow.Schema."""
        pa = self._arrow
        fields = [] if self.label is None else [pa.field("label", pa.string())]
        fields += [pa.field(name, pa.string() if kind is None else kind) for name, kind in self.keep.items()]
        fields += [pa.field(f"axis{j + 1}", pa.float64()) for j in range(self.model.map_.dimensions)]
        fields += [pa.field(name, getattr(pa, _HOLDS[holds])()) for name, holds in self.diagnostics.items()]
        doubled = {field.name for field in fields if sum(other.name == field.name for other in fields) > 1}
        if doubled:
            raise ValueError(f"keep: found {sorted(doubled)[0]!r}, expected names that the table does not have already")
        return pa.schema(fields)

    @property
    def ddl(self):
        """The same for Spark: str."""
        return ", ".join(f"`{field.name}` {_spark(self._arrow, field.type)}" for field in self.schema)

    def __call__(self, batch):
        """Place one batch: a Table or RecordBatch of Arrow, a DataFrame of pandas or polars, or a dict of arrays; returns the same.

        Rows are counted from the first of the batch in messages.
        """
        pa = self._arrow
        answer = self._placed(self._opened(batch), 0)
        if isinstance(batch, pa.RecordBatch):
            return answer
        table = pa.Table.from_batches([answer])
        if isinstance(batch, pa.Table):
            return table
        if isinstance(batch, dict):
            return {name: table.column(name).to_numpy() for name in table.column_names}
        polars = sys.modules.get("polars")
        if polars is not None and isinstance(batch, polars.DataFrame):
            return polars.from_arrow(table)
        return table.to_pandas()

    def batches(self, iterator):
        """Place batches one by one: an iterator of RecordBatch in, one out, for Spark's `mapInArrow`.

        Rows are counted from the first of the iterator, which in Spark is a partition, whose number messages have too.
        """
        first = 0
        for batch in iterator:
            try:
                yield self._placed(batch, first)
            except ValueError as error:
                raise ValueError(f"{_partition()}{error}") from None
            first += batch.num_rows

    def scalar(self, vectors):
        """Place the newcomers of one column of lists: their coordinates, as a fixed-size list for each.

        For an Arrow function of DuckDB, and for polars' `map_batches` of an expression, where a Series comes and goes.
        """
        pa = self._arrow
        if isinstance(self.self_similarity, str):
            raise ValueError(
                f"self_similarity: found the column {self.self_similarity!r}, expected a number: scalar has the column of vectors only"
            )
        polars = sys.modules.get("polars")
        series = polars is not None and isinstance(vectors, polars.Series)
        values, there = self._vectors(vectors.to_arrow() if series else vectors, _Named(0, None))
        d = self.model.map_.dimensions
        points = np.full((len(values), d), np.nan)
        there, found = self._found(values, there, 0, None, self.self_similarity, self.vector or "vector")
        if found is not None:
            points[there] = found.coordinates
        answer = pa.FixedSizeListArray.from_arrays(pa.array(points.ravel()), d)
        return polars.Series(vectors.name, answer) if series else answer

    def _opened(self, batch):
        """Return a batch of any kind as one of Arrow's."""
        pa = self._arrow
        if isinstance(batch, (pa.RecordBatch, pa.Table)):
            return batch
        if isinstance(batch, dict):
            return pa.table({str(name): _column(pa, values) for name, values in batch.items()})
        if hasattr(batch, "__arrow_c_stream__"):
            return pa.table(batch)
        if hasattr(batch, "columns") and hasattr(batch, "dtypes"):
            return pa.table({str(name): _column(pa, batch[name].to_numpy()) for name in batch.columns})
        raise TypeError(
            f"batch: found {type(batch).__name__}, expected a table of Arrow, pandas or polars, or a dict of arrays"
        )

    def _placed(self, batch, first):
        """Return a RecordBatch for a batch whose first row is number `first`."""
        pa, count = self._arrow, batch.num_rows
        schema = self.schema
        if count == 0:
            return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
        column = {name: _whole(pa, batch.column(i)) for i, name in enumerate(batch.schema.names)}
        for given, what in ((self.label, "label"), (self.vector, "vector"), *((name, "keep") for name in self.keep)):
            if given is not None and given not in column:
                raise ValueError(f"{what}: found no column {given!r}, expected one: there are {_few(column)}")
        labels = None if self.label is None else _labels(column[self.label].cast(pa.string()), first)
        values, there = self._rows(column, _Named(first, labels))
        there, found = self._found(values, there, first, labels, self._itself(column), self.vector or "X")
        out = {} if self.label is None else {"label": pa.array(labels, pa.string())}
        out.update((name, column[name]) for name in self.keep)
        for j in range(self.model.map_.dimensions):
            out[f"axis{j + 1}"] = self._spread(there, "number", np.nan, None if found is None else found.coordinates[:, j])
        for name, holds in self.diagnostics.items():
            without = {"status": "too_few", "strategy": self.strategy}.get(name, _WITHOUT[holds])
            out[name] = self._spread(there, holds, without, None if found is None else found._column(name))
        arrays = [_typed(pa, out[field.name], field) for field in schema]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _found(self, values, there, first, labels, itself, name):
        """Return which newcomers were placed, and their placements, None if there are none.

        Proximities may be missing. Features may not: who lacks some is left out, if that may be.
        """
        there = np.ones(len(values), dtype=bool) if there is None else there
        features = not self.model._precomputed and not self.model._packed
        if features and self.unplaced == "nan":
            there = there & ~np.isnan(values).any(axis=1)
            refuse_not_finite(np.where(there[:, None], values, 0), name, first, labels)
        if not there.any():
            return there, None
        how = (self.strategy, False, False, False)
        beside = dict(name=name, unplaced=self.unplaced)
        if there.all():
            return there, placed(self.model, values, how, first=first, labels=labels, self_similarity=itself, **beside)
        # Their numbers would count those who are left out, too.
        at = np.flatnonzero(there)
        labels = [f"row {first + i}" if labels is None else labels[i] for i in at]
        itself = itself if itself is None or np.isscalar(itself) else itself[at]
        return there, placed(self.model, values[at], how, labels=labels, self_similarity=itself, **beside)

    def _spread(self, there, holds, without, values):
        """Return a column for all newcomers from one of those that were placed; the others have `without`."""
        if values is not None and there.all():
            return values
        kinds = {"number": np.float64, "count": np.int64, "word": object, "flag": bool}
        column = np.full(len(there), without, dtype=kinds[holds])
        if values is not None:
            column[there] = values
        return column

    def _rows(self, column, who):
        """Return the numbers of the newcomers, a row each, and which rows are there, if not all are."""
        if self.vector is not None:
            return self._vectors(column[self.vector], who)
        pa = self._arrow
        beside = {self.label, self.self_similarity if isinstance(self.self_similarity, str) else None, *self.keep}
        expected = set(self._own)
        for name in column:
            if name not in expected and name not in beside:
                raise ValueError(f"X: found a column {name!r}, expected only {_few(self._own)}, and columns that keep names")
        for name in self._own:
            if name not in column:
                raise ValueError(f"X: found no column {name!r}, expected one for each of {_few(self._own)}")
        columns = [_numbers(pa, column[name], name) for name in self._own]
        return np.column_stack(columns), None

    def _vectors(self, column, who):
        """Return a column of lists as the rows of a matrix, and which are there, if not all are.

        One that is not there is a row of NaN, if that may be.
        """
        pa, name = self._arrow, self.vector or "vector"
        column = _whole(pa, column)
        if isinstance(column, pa.ExtensionArray):
            column = column.storage
        types, width = pa.types, self.model.n_features_in_
        if self.model._packed:
            return self._bits(column, name, who)
        lists = types.is_list(column.type) or types.is_large_list(column.type)
        if not lists and not types.is_fixed_size_list(column.type):
            raise TypeError(f"{name}: found a column of {column.type}, expected one of lists of numbers")
        if column.null_count and self.unplaced == "raise":
            at = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise ValueError(f"{name}: found nothing in {who(at)}, expected a list of {width} numbers")
        valid = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
        if lists:
            import pyarrow.compute

            lengths = pyarrow.compute.list_value_length(column).fill_null(width).to_numpy(zero_copy_only=False)
        else:
            lengths = np.full(len(column), column.type.list_size)
        wrong = np.flatnonzero(lengths != width)
        if len(wrong):
            raise ValueError(
                f"{name}: found {lengths[wrong[0]]} numbers in {who(wrong[0])}, expected {width}, one for each "
                f"{'object of the map' if self.model._precomputed else 'feature'}"
            )
        values = _numbers(pa, column.flatten(), name).reshape(-1, width)
        if valid is None:
            return values, None
        rows = np.full((len(column), width), np.nan, dtype=values.dtype)
        rows[valid] = values
        return rows, None

    def _bits(self, column, name, who):
        """Return a column of fixed-size binary as rows of bytes, and which are there, if not all are."""
        pa, width = self._arrow, self.model.n_features_in_
        if column.type != pa.binary(width):
            raise TypeError(f"{name}: found a column of {column.type}, expected {pa.binary(width)}, the packed bits of each newcomer")
        there = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None
        if there is not None and self.unplaced == "raise":
            raise ValueError(f"{name}: found nothing in {who(int(np.flatnonzero(~there)[0]))}, expected {width} bytes")
        data = np.frombuffer(column.buffers()[1], dtype=np.uint8)
        begin = column.offset * width
        return data[begin:begin + len(column) * width].reshape(-1, width), there

    def _itself(self, column):
        if not isinstance(self.self_similarity, str):
            return self.self_similarity
        if self.self_similarity not in column:
            raise ValueError(f"self_similarity: found no column {self.self_similarity!r}, expected one: there are {_few(column)}")
        return np.asarray(_numbers(self._arrow, column[self.self_similarity], self.self_similarity), dtype=np.float64)


class _Named:
    """How a row of a batch is called in messages: by its label, if it has one, and its number, counted from that of the first."""

    def __init__(self, first, labels):
        self.first, self.labels = first, labels

    def __call__(self, at):
        row = f"row {self.first + at}"
        return row if self.labels is None else f"{self.labels[at]!r} ({row})"


def _whole(pa, column):
    """Return a column in one piece."""
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column


def _column(pa, values):
    """Return an array, of one dimension or a row for each newcomer, as a column of Arrow's."""
    values = np.asarray(values)
    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(values).ravel()), values.shape[1])
    return pa.array(list(values) if values.dtype == object else values)


def _numbers(pa, column, name):
    """Return a column as float64, or as float32 if it is of that; NaN where nothing is."""
    types, kind = pa.types, column.type
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
        raise TypeError(f"{name}: found a column of {kind}, expected numbers")
    single = types.is_float32(kind)
    if not single and not types.is_float64(kind):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def _labels(column, first):
    """Return labels as text; a newcomer without one has its number."""
    return [f"row {first + i}" if label is None else label for i, label in enumerate(column.to_pylist())]


def _typed(pa, values, field):
    """Return a column as its field has it."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values.cast(field.type)
    return pa.array(values, field.type)


def _spark(pa, kind):
    types = pa.types
    if types.is_timestamp(kind):
        return "timestamp"
    if types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return f"array<{_spark(pa, kind.value_type)}>"
    if str(kind) not in _SPARK:
        raise ValueError(f"keep: found {kind}, which Spark has no type for, expected one of {', '.join(_SPARK)}")
    return _SPARK[str(kind)]


def _partition():
    """Return the number of Spark's partition that is worked on, for a message."""
    pyspark = sys.modules.get("pyspark")
    context = pyspark.TaskContext.get() if pyspark is not None and hasattr(pyspark, "TaskContext") else None
    return "" if context is None else f"partition {context.partitionId()}: "


def _few(names):
    names = list(names)
    return ", ".join(map(repr, names[:3])) + (f" … ({len(names)} in all)" if len(names) > 3 else "")
