"""Newcomers and proximities in Dask's collections: lazy in, lazy out.

The map goes into the graph once, as a task of its own that any worker can make again, and every block is placed by itself
on one thread, so that what comes out is bit for bit what the whole would give in memory.

>>> import adjoin, adjoin.dask
>>> import dask.array as da
>>> cities = adjoin.datasets.eurodist()
>>> model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18].to_numpy())
>>> new = da.from_array(cities.iloc[18:, :18].to_numpy(), chunks=(2, 18))
>>> adjoin.dask.transform(model, new).chunks
((2, 1), (2,))
>>> adjoin.dask.place(model, new).compute().index.tolist()
['new1', 'new2', 'new3']
"""

import numpy as np

from . import _core, _input, _metric, _tables
from ._classical_mds import ClassicalMDS
from ._elsewhere import Square, rows_of
from ._kernel_pca import KernelPCA
from ._landmark_mds import LandmarkMDS, chosen
from ._names import known_by
from ._optional import frame, needed
from ._parts import checked_strategy, light, placed
from ._run import running

__all__ = ["fit", "place", "transform"]


def transform(model, X, *, unplaced=None):
    """Place newcomers by the model's strategy, lazily: where they are.

    Parameters
    ----------
    model : estimator, Map, str, path-like or bytes
        A fitted estimator, its map, or the file or the bytes of one.

    X : dask.array.Array of shape (n_new, n_samples) or (n_new, n_features), or dask.dataframe.DataFrame
        As for `transform` of estimators; columns of a table must be those of the fit, in its order. Blocks are of rows: an
        array that is cut between columns is put together so.

    unplaced : {"raise", "nan"}, default=None
        What becomes of newcomers that cannot be placed; as the estimator has it if None. An error names the first of them
        by its number among all rows.

    Returns
    -------
    dask.array.Array of shape (n_new, n_components)
    """
    needed("dask.array", "X")
    estimator = light(model)
    _, unplaced = checked_strategy(estimator, None, unplaced)
    estimator.set_params(unplaced=unplaced)
    rows, X = _blocks(estimator, X)
    d = estimator.map_.dimensions
    return X.map_blocks(
        _transformed,
        model=_shipped(estimator),
        dtype=np.float64,
        meta=np.empty((0, d)),
        chunks=(rows, (d,)),
        name=f"adjoin-transform-{_token(estimator, X)}",
    )


def place(
    model,
    X,
    strategy=None,
    *,
    self_similarity=None,
    weights=None,
    recentre=False,
    scaled=False,
    prove=False,
    unplaced="nan",
):
    """Place newcomers, lazily, and tell how far to trust each placement.

    Parameters
    ----------
    model : estimator, Map, str, path-like or bytes
        A fitted estimator, its map, or the file or the bytes of one.

    X : dask.array.Array of shape (n_new, n_samples) or (n_new, n_features), or dask.dataframe.DataFrame
        As for `place` of estimators: columns with names are matched by name, NaN is a missing proximity.

    strategy : str, default=None
        How to place them; the model's strategy if None.

    self_similarity : float, default=None
        Similarities only: of every newcomer to itself.

    weights, recentre, scaled, prove
        As for `place` of estimators.

    unplaced : {"nan", "raise"}, default="nan"
        Whether a newcomer that cannot be placed has no coordinates but a status, or is an error.

    Returns
    -------
    dask.dataframe.DataFrame
        With the columns of `Placements.to_frame()`; the index has the newcomers' labels.
    """
    dd = needed("dask.dataframe", "X")
    delayed = needed("dask", "X").delayed
    estimator = light(model)
    strategy, unplaced = checked_strategy(estimator, strategy, unplaced)
    how = (strategy, bool(recentre), bool(scaled), bool(prove))
    beside = dict(self_similarity=self_similarity, weights=weights, unplaced=unplaced)
    meta = _nobody(estimator, how)
    shipped = _shipped(estimator)
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_placed_table, shipped, how, beside, meta=meta, align_dataframes=False)
    rows, X = _blocks(estimator, X)
    firsts = np.cumsum([0, *rows[:-1]])
    one = delayed(_placed, pure=True)
    parts = [one(block, shipped, _count(first), how, beside) for block, first in zip(X.to_delayed().ravel(), firsts)]
    return dd.from_delayed(parts, meta=meta, prefix="adjoin-place", verify_meta=False)


def fit(estimator, X, *, transform=None, symmetrise=None):
    """Fit an estimator to proximities, or landmarks among features, that no machine has to hold.

    Means and products with the proximities are computed by Dask on the blocks on and above the diagonal, which are read
    once for every pass (some tens of them; `verbose` shows the progress); the small algebra is done here. The map is that
    of `estimator.fit` of the whole, within rounding. Whatever Dask does about a worker that dies is done in every pass.

    Parameters
    ----------
    estimator : ClassicalMDS or KernelPCA with precomputed proximities, or LandmarkMDS
        What is fitted: it is changed, and returned.

    X : dask.array.Array or dask.dataframe.DataFrame
        The n × n proximities, as for `fit` of the estimator. For LandmarkMDS also the n × L proximities to the landmarks that
        it was given, or features: then the proximities to landmarks are made on Dask's workers, and rows of them are read
        here block by block.

    transform : str, default=None
        As for `fit` of the estimator: done to each block where it lies.

    symmetrise : None
        What takes two blocks is for Dask to do: `(X + X.T) / 2`.

    Returns
    -------
    The estimator.
    """
    needed("dask.array", "X")
    estimator._adapt(transform, symmetrise)
    if symmetrise is not None:
        raise ValueError(f"symmetrise: found {symmetrise!r} with a collection of Dask, expected it done there: (X + X.T) / 2")
    if isinstance(estimator, LandmarkMDS):
        return _fit_landmarks(estimator, X)
    if not isinstance(estimator, (ClassicalMDS, KernelPCA)) or not estimator._precomputed:
        raise TypeError(
            f"X: found a collection of Dask, expected an array or a table for {estimator!r}: of what is still to be computed "
            "maps are made by ClassicalMDS or KernelPCA of precomputed proximities, and by LandmarkMDS"
        )
    estimator._check_common(all_axes=isinstance(estimator, KernelPCA))
    found = _opened(X)
    _require_square(found.values)
    names = _names_of_square(found)
    X = _changed(found.values, transform)
    square = Square(X, estimator._old_kind, names)
    estimator._names_in, estimator.n_features_in_ = names, X.shape[0]
    known_by(estimator, found.columns if found.textual else None)
    for stale in ("X_fit_", "dissimilarity_matrix_"):
        estimator.__dict__.pop(stale, None)
    if isinstance(estimator, ClassicalMDS):
        if estimator.correction != "none":
            raise ValueError(
                f"correction: found {estimator.correction!r} with a collection of Dask, expected 'none': a correction needs the "
                "lowest eigenvalue too"
            )
        named = estimator.origin is None or isinstance(estimator.origin, str)
        settings = dict(method="cmds", origin=estimator._origin(dict(labels=names, square=range(X.shape[0]))))
        words = dict(origin=estimator.origin if named else "given")
    else:
        settings, words = dict(method="kernel-pca"), {}
    estimator._fit(square.objects(), settings, words)
    return estimator


def _fit_landmarks(estimator, X):
    estimator._check_common()
    estimator._check_metric()
    found = _opened(X)
    X = found.values
    if X.ndim != 2:
        raise ValueError(f"X: found a collection of {X.ndim} dimensions, expected an array of two")
    n = X.shape[0]
    settings = dict(method="landmark", rotate=bool(estimator.rotate))
    source = None
    if estimator._precomputed:
        X = _changed(X, estimator._adapters[0])
        squared = X.shape[0] == X.shape[1]
        if not squared and (isinstance(estimator.landmarks, str) or X.shape[1] != len(estimator.landmarks)):
            raise ValueError(
                f"X: found proximities of {n} × {X.shape[1]}, expected a square, or a column for each of the landmarks"
            )
        if squared:
            which, labels = _landmarks(estimator, X, n), _names_of_square(found)
            rectangle = X[:, which]
            estimator.n_features_in_, estimator._names_in = len(which), None if labels is None else [labels[i] for i in which]
            known_by(estimator, estimator._names_in if labels is not None and labels == found.columns and found.textual else None)
        else:
            # The core says which positions there are; columns stay in the order in which they were named.
            _landmarks(estimator, None, n)
            which, labels, rectangle = estimator._columns_of_landmarks(found), found.rows, X
        kind = estimator._old_kind
    else:
        which, labels, names, kind = _landmarks(estimator, None, n), found.rows, found.columns, None
        packed = estimator._packed
        old = np.ascontiguousarray(X[which].compute(), dtype=None if packed else np.float64)
        estimator.n_features_in_, estimator._names_in = X.shape[1], names
        known_by(estimator, names if found.textual else None)
        estimator.metric_params_ = dict(estimator.metric_params or {})
        measure = _metric.measure(estimator.metric, estimator.metric_params_)
        if measure is None:
            raise ValueError(
                f"metric: found {estimator.metric!r} for features of Dask, expected one of {', '.join(_core.METRICS)}"
            )
        bits = _metric.packed_bits(packed, old) if packed else None
        called = [str(i + 1) if labels is None else labels[i] for i in which]
        source = _metric.objects(old, measure, called, None if packed else names, bits)
        kind = "squared" if measure["word"] == "sqeuclidean" else "dissimilarity"
        rectangle = X.rechunk({1: -1}).map_blocks(
            _compared, source, dtype=np.float64, meta=np.empty((0, 0)), chunks=(X.chunks[0], (len(which),))
        )
    rows = rows_of(rectangle.rechunk({1: -1}), which)
    objects = dict(rows=rows, count=n, landmarks=which, kind=kind, labels=labels, made_of=source)
    estimator._fit(objects, settings, dict(method="landmark", metric=estimator._metric_word()))
    estimator.__dict__.pop("X_fit_", None)
    return estimator


def _landmarks(estimator, square, n):
    """Return the positions of the landmarks, ascending: as the core would choose them, a row of the square for each by maxmin."""
    wanted = chosen(estimator.landmarks, estimator.n_landmarks, estimator.random_state, n)
    if isinstance(wanted, tuple) and wanted[0] == "maxmin" and square is None:
        raise ValueError(
            "landmarks: found 'maxmin' for features of Dask, which would read all of them for every landmark, expected 'random' "
            "or positions"
        )
    if square is None:
        return _core.landmarks(wanted, n, estimator._old_kind, None, None)
    itself = needed("dask.array", "X").diagonal(square).compute() if estimator._old_kind == "similarity" else None
    get = needed("dask.base", "X").get_scheduler(collections=[square])

    def rows(first, last):
        return np.ascontiguousarray(square[first:last].compute(scheduler=get), dtype=np.float64)

    return _core.landmarks(wanted, n, estimator._old_kind, rows, None if itself is None else itself.tolist())


def _compared(block, source):
    """Return proximities of the features of a block to those of the landmarks."""
    features = np.ascontiguousarray(block)
    bits = source["features"][1] if isinstance(source["features"], tuple) else None
    features = features.astype(np.float64) if bits is None else features
    return _core.rectangle(source, _metric.objects(features, source["measure"], None, None, bits), (1, None))


def _opened(X):
    """Return a collection as a lazy array with the names of its rows and columns, if it has any."""
    if not hasattr(X, "columns"):
        return _input.Table(X)
    values, index = X.to_dask_array(lengths=True), X.index.compute()
    rows, default_rows = _tables.names(index)
    if index.dtype.kind in "iu" and not default_rows:
        # What counts from 0 may be no RangeIndex any more when its parts are put together, and begins anew in each file.
        begins = index == 0
        if len(index) and begins[0] and (begins[1:] | (np.diff(index) == 1)).all():
            rows, default_rows = (rows if begins.sum() == 1 else None), True
    columns, default_columns = _tables.names(X.columns)
    textual = all(isinstance(column, str) for column in X.columns)
    return _input.Table(values, rows, columns, default_rows, default_columns, textual)


def _names_of_square(found):
    """Return what the objects of a square are called; rows that are not in the order of the columns are refused."""
    rows, columns = found.rows, found.columns
    if rows is None or columns is None or found.default_rows:
        return columns
    if found.default_columns:
        return rows
    for row, column in zip(rows, columns):
        if row != column:
            raise ValueError(
                f"X: found a row {row!r} where the columns have {column!r}, expected the rows of a collection of Dask in the order "
                "of its columns"
            )
    return columns


def _changed(X, transform):
    """Return proximities that are transformed block by block, if they are to be."""
    if transform is None:
        return X
    return X.map_blocks(_changed_block, transform, dtype=np.float64, meta=np.empty((0, 0)))


def _changed_block(block, transform, block_info=None):
    at = [first for first, _ in block_info[0]["array-location"]] if block_info else [0, 0]
    return _core.transformed(_input.array(block, "X"), transform, tuple(at), "X")


def _require_square(X):
    if X.ndim != 2 or X.shape[0] != X.shape[1]:
        raise ValueError(f"X: found a collection of {' × '.join(map(str, X.shape))}, expected a square of proximities")


def _shipped(estimator):
    """Return the estimator as a task of its own, of which there is one in a graph however many blocks use it."""
    dask = needed("dask", "X")
    return dask.delayed(estimator, pure=True, name=f"adjoin-model-{dask.base.tokenize(estimator)}", traverse=False)


def _token(estimator, X):
    return needed("dask.base", "X").tokenize(estimator, X.name)


def _blocks(estimator, X):
    """Return the numbers of rows of the blocks, and an array whose blocks are whole rows; names are checked as `transform` does."""
    if hasattr(X, "columns"):
        estimator._in_order(X._meta_nonempty)
        X = X.to_dask_array()
    if getattr(X, "ndim", None) != 2:
        raise ValueError(f"X: found a collection of {getattr(X, 'ndim', 'no')} dimensions, expected an array of two")
    width, expected = X.shape[1], estimator.n_features_in_
    if width != expected and width != estimator.map_.reference_count:
        what = "one for each object of the map" if estimator._precomputed else "as at the fit"
        raise ValueError(f"X: found {width} columns, expected {expected}, {what}")
    X = X.rechunk({1: -1})
    return X.chunks[0], X


def _transformed(block, model=None, block_info=None):
    """Place a block of rows."""
    if len(block) == 0:
        return np.empty((0, model.map_.dimensions))
    first = block_info[0]["array-location"][0][0] if block_info else 0
    with running(model) as run:
        return model._transform(model._in_order(block), run, _count(first))


def _placed(block, model, first, how, beside):
    """Return the table of a block of rows, of which the first is number `first`."""
    if len(block) == 0:
        return _nobody(model, how)
    answer = placed(model, block, how, first=first, **beside)
    labels = [f"new{first + i + 1}" for i in range(len(answer))]
    return _like(_nobody(model, how), frame({**answer._columns(), "label": labels}, "pandas"))


def _placed_table(part, model, how, beside):
    """Return the table of a part of a table, whose index has the labels."""
    if len(part) == 0:
        return _nobody(model, how)
    labels = [str(label) for label in part.index]
    return _like(_nobody(model, how), placed(model, part, how, labels=labels, **beside).to_frame())


def _like(meta, table):
    """Return a table with the columns that all parts have: where nobody's gap is known, nothing is certified."""
    if "gap" in meta and "gap" not in table:
        table = table.assign(certified=False, gap=np.nan)
    return table[list(meta.columns)]


def _count(first):
    """Return the number of a row; of a collection whose blocks are of unknown length it is counted from the block's first."""
    return 0 if np.isnan(first) else int(first)


def _nobody(estimator, how):
    """Return the table of no newcomers, from which Dask knows the columns and their types."""
    like = {"number": np.zeros(1), "count": np.zeros(1, dtype=np.int64), "word": np.array(["-"]), "flag": np.zeros(1, dtype=bool)}
    columns = {"label": ["-"]}
    columns.update((f"axis{j + 1}", like["number"]) for j in range(estimator.map_.dimensions))
    columns.update((name, like[holds]) for name, holds, _ in _core.columns(how[0], estimator.map_.dimensions, how[3], False))
    return frame(columns, "pandas").iloc[:0]
