"""What newcomers may come as: tables and arrays of proximities or features, and what comes beside them.

Only types and shapes are looked at here. Which row and column is which object, what is between newcomers and how far old
objects are trusted is found out by the core's own rules, the same as for files.
"""

import hashlib

import numpy as np

from . import _core, _input, _metric
from ._names import has_names
from ._rows import is_stored, parts


def newcomers(
    estimator,
    X,
    *,
    labels=None,
    between=None,
    self_similarity=None,
    weights=None,
    uncertainty=None,
    old=None,
    name="X",
    vector=False,
    first=0,
):
    """Return newcomers for the core.

    `X` is called `name` in messages, where its rows are counted from `first`, and may be a single row if `vector`. `between` is None unless they are to be placed
    jointly; True leaves it to the core to find what is between them.
    """
    packed = sparse = rows = None
    if is_stored(X) and estimator._precomputed and X.shape[0] > 0:
        found, rows = _input.Table(np.empty((X.shape[0], 0))), (X.shape[0], stored_rows(estimator, X, name))
    elif estimator._packed:
        found, packed = bits(estimator, X, name)
        labels = found.rows if labels is None and not found.default_rows else labels
    elif _input.is_sparse(X) and not estimator._precomputed:
        found, sparse = sparse_features(estimator, X, name)
    else:
        found = _input.table(X, name, vector=vector)
    if len(found.values) == 0:
        raise ValueError(f"{name}: found no newcomers, expected at least one")
    if found.default_rows:
        found.rows = None
    if packed is not None or sparse is not None or rows is not None:
        known = found
    elif estimator._precomputed:
        known = by_columns(estimator, found, name)
    else:
        found = named(estimator, found, name, first, labels)
        if between is True and not estimator.map_.has_source:
            between = estimator._compared_with_each_other(found.values)
        known, self_similarity = compared(estimator, found, self_similarity)
    if between is not None and between is not True:
        between = vars(_input.between(between))
    if self_similarity is not None:
        one = np.isscalar(self_similarity)
        self_similarity = float(self_similarity) if one else _input.numbers(self_similarity, "self_similarity")
    return given(
        known,
        features=by_features(estimator),
        labels=None if labels is None else [str(label) for label in labels],
        between=between,
        self_similarity=self_similarity,
        weights=_input.numbers(weights, "weights"),
        missing=True,
        argument=name,
        uncertainty=uncertainty,
        old=among_old(estimator, uncertainty, old),
        first=first,
        packed=packed,
        sparse=sparse,
        stored=rows,
    )


def among_old(estimator, uncertainty, old):
    """Return the old objects' proximities to each other for the core, if refits need them."""
    if old is None:
        return None
    if uncertainty != "refit":
        raise ValueError(f'old: found it beside uncertainty={uncertainty!r}, expected "refit", which alone needs it')
    if estimator._precomputed:
        return vars(_input.between(old, "old"))
    found = _input.table(old, "old")
    if estimator.map_.has_source:
        raise ValueError("old: found it on a map that keeps the old objects' features, expected None: they are known")
    return vars(_input.Table(estimator._compared_with_each_other(found.values)))


def bits(estimator, X, name):
    """Return rows of packed bits for the core, beside a table of nothing."""
    found = _metric.packed_rows(X, name)
    if has_names(estimator, found):
        found.values = ordered(estimator, found, name)
    X = found.values
    if X.ndim != 2 or X.dtype != np.uint8 or X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"{name}: found {X.dtype} of shape {X.shape}, expected packed bits: uint8 of {estimator.n_features_in_} columns"
        )
    count = _metric.packed_bits(estimator._packed, X)
    return _input.Table(np.empty((len(X), 0)), found.rows, default_rows=found.default_rows), (X, count)


def sparse_features(estimator, X, name):
    """Return sparse rows for the core, beside a table of nothing."""
    estimator._require_sparse(name)
    if X.ndim != 2 or X.shape[1] != estimator.n_features_in_:
        width = X.shape[1] if X.ndim == 2 else "rows of no"
        raise ValueError(f"{name}: found {width} features, expected {estimator.n_features_in_} as at the fit")
    rows = _metric.sparse_rows(_metric.canonical(X.tocsr()))
    return _input.Table(np.empty((X.shape[0], 0))), rows


def stored_rows(estimator, X, name):
    """Return a function that gives rows of proximities that are stored elsewhere, as the map wants them."""
    transform = estimator.map_.settings.get("transform")
    step = next(last for _, last in parts(X))
    held = {}

    def block(b):
        if b not in held:
            # As many as threads may ask for beside each other.
            while len(held) > 2:
                held.pop(next(iter(held)))
            values = referred(estimator, _input.array(X[b * step : (b + 1) * step], name), name)
            if transform is not None:
                values = _core.transformed(values, transform, (b * step, 0), name)
            held[b] = values
        return held[b]

    def rows(first, last):
        some = [block(b)[max(first - b * step, 0) : last - b * step] for b in range(first // step, (last - 1) // step + 1)]
        return np.ascontiguousarray(some[0] if len(some) == 1 else np.concatenate(some), dtype=np.float64)

    # What is wrong with the columns is said before anybody asks.
    referred(estimator, np.empty((0, X.shape[1])), name)
    return rows


def checked(estimator, X, first=0):
    """Return newcomers for the core from an array that scikit-learn has looked over: all there, all in order."""
    if _input.is_sparse(X):
        table, sparse = sparse_features(estimator, X, "X")
        return given(table, features=True, first=first, sparse=sparse)
    if estimator._packed:
        table, packed = bits(estimator, X, "X")
        return given(table, features=True, first=first, packed=packed)
    if estimator._precomputed:
        return given(_input.Table(referred(estimator, _input.array(X, "X"), "X")), first=first)
    found = _input.Table(X)
    known, itself = compared(estimator, found, None)
    itself = _input.numbers(itself, "self_similarity")
    return given(known, features=by_features(estimator), self_similarity=itself, first=first)


def given(
    table,
    *,
    features=False,
    labels=None,
    between=None,
    self_similarity=None,
    weights=None,
    missing=False,
    argument="X",
    uncertainty=None,
    old=None,
    first=0,
    packed=None,
    sparse=None,
    stored=None,
):
    """Return newcomers as the core takes them."""
    return dict(
        table=vars(table),
        features=features,
        labels=labels,
        between=between,
        self_similarity=self_similarity,
        weights=weights,
        missing=missing,
        argument=argument,
        uncertainty=uncertainty,
        old=old,
        first=first,
        packed=packed,
        sparse=sparse,
        stored=stored,
    )


def digest(values):
    """Return the SHA-256 of numbers, row by row in double precision, or of packed bits, by which they are known again."""
    if _input.is_sparse(values):
        made = hashlib.sha256()
        for part in _metric.sparse_rows(_metric.canonical(values.tocsr()))[:3]:
            made.update(part)
        return made.hexdigest()
    values = np.asarray(values)
    return hashlib.sha256(np.ascontiguousarray(values, dtype=np.uint8 if values.dtype == np.uint8 else "<f8")).hexdigest()


def by_features(estimator):
    """Whether newcomers go to the core as features, because it has the measure."""
    return not estimator._precomputed and estimator.map_.has_source


def compared(estimator, found, self_similarity):
    """Return features for the core if it has the measure, otherwise proximities made of them by SciPy or scikit-learn."""
    if estimator.map_.has_source:
        return found, self_similarity
    values, own = estimator._compared(found.values)
    if getattr(estimator, "kept_", None) is not None:
        values = values[:, estimator.kept_]
    return _input.Table(values, found.rows), own if self_similarity is None else self_similarity


def by_columns(estimator, found, name):
    """Return a table of proximities for the core: by the names of its columns, or by position if it has none."""
    map_ = estimator.map_
    if found.columns is None or found.default_columns and not map_.named:
        return _input.Table(referred(estimator, found.values, name), found.rows)
    left_out = set(estimator._names_in or ()).difference(map_.labels) if map_.named else ()
    if left_out:
        # Objects that a graph in pieces was fitted without are no strangers.
        stay = [j for j, column in enumerate(found.columns) if column not in left_out]
        return _input.Table(found.values[:, stay], found.rows, [found.columns[j] for j in stay])
    return found


def referred(estimator, values, name):
    """Return columns of an array without names that newcomers are compared with; checks how many there are."""
    map_, width = estimator.map_, values.shape[1]
    count, landmarks, kept = map_.reference_count, map_.landmarks, getattr(estimator, "kept_", None)
    if kept is not None and width == estimator.n_features_in_:
        values = values[:, kept]
    # A square's rows, as of cross-validation, have columns for all objects.
    elif landmarks is not None and width == map_.count != count:
        values = values[:, landmarks]
    if values.shape[1] != count:
        hint = " (it may have to be transposed)" if values.shape[0] == count else ""
        raise ValueError(f"{name}: found {width} columns, expected {count}, one for each object of the map{hint}")
    return values


def refuse_not_finite(values, name, first=0, labels=None):
    """Raise if a feature is missing or not finite: in the row of that label, or of that number, counted from `first`."""
    finite = np.isfinite(values)
    if finite.all():
        return
    at = int(np.flatnonzero(~finite.all(axis=1))[0])
    who = f"row {first + at}" if labels is None else f"{labels[at]!r} (row {first + at})"
    raise ValueError(f"{name}: found features that are missing or not finite in {who}, expected finite numbers")


def named(estimator, found, name, first=0, labels=None):
    """Return a table of features as the fit had them: by name, or in the fit's order if it has no names.

    Rows are called by `labels`, or by their own, and counted from `first` in messages.
    """
    known, values = estimator._names_in, found.values
    by_name = has_names(estimator, found)
    if not by_name and values.shape[1] != estimator.n_features_in_:
        raise ValueError(f"{name}: found {values.shape[1]} features, expected {estimator.n_features_in_} as at the fit")
    own = None if found.default_rows else found.rows
    refuse_not_finite(values, name, first, own if labels is None or len(labels) != len(values) else labels)
    if not by_name:
        return _input.Table(values, found.rows)
    # The core matches names itself where it has the measure.
    if estimator.map_.has_source or found.columns == known:
        return _input.Table(values, found.rows, found.columns)
    return _input.Table(ordered(estimator, found, name), found.rows, known)


def ordered(estimator, found, name):
    """Return the numbers of a table of features, whose columns have names, with those of the fit in its order."""
    known = estimator._names_in
    if found.columns == known:
        return found.values
    if known is None:
        raise ValueError(
            f"{name}: found features with names, the first {found.columns[0]!r}, expected an array without names: the "
            "map's features have positions only"
        )
    place = {column: j for j, column in enumerate(found.columns)}
    for column in known:
        if column not in place:
            raise ValueError(f'{name}: found no feature "{column}", expected every feature of the old objects')
    if len(found.columns) != len(known):
        raise ValueError(f"{name}: found {len(found.columns)} features, expected the {len(known)} of the old objects only")
    return found.values[:, [place[column] for column in known]]


def old_objects(estimator, D):
    """Return what the map was fitted to in its order, and its features as the core takes them, if it is those.

    Whether they are the same the core says.
    """
    map_ = estimator.map_
    if estimator._packed:
        old, packed = bits(estimator, D, "D")
        return old.without_counted(), packed
    if _input.is_sparse(D) and not estimator._precomputed:
        return sparse_features(estimator, D, "D")
    found = _input.table(D, "D")
    if not estimator._precomputed:
        found = named(estimator, found, "D")
        if map_.has_source:
            old = _input.Table(found.values, None if found.default_rows else found.rows, found.columns)
            return old, found.values
        return _input.Table(estimator._compared_with_each_other(found.values)), None
    values, names = _input.square(found, "D")
    if map_.named and names is not None and names != map_.labels:
        place = {name: i for i, name in enumerate(names)}
        absent = [label for label in map_.labels if label not in place]
        if absent or len(names) != map_.count:
            what = f"nothing for {absent[0]!r}" if absent else f"{len(names)} objects"
            raise ValueError(f"D: found {what}, expected the {map_.count} objects of the map")
        order = [place[label] for label in map_.labels]
        values = values[np.ix_(order, order)]
    return _input.Table(values), None
