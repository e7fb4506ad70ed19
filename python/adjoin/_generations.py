"""Maps that have grown: the map as it was, and the estimator that belongs to another map than its own."""

import copy
from numbers import Integral

import numpy as np

from . import _input

__all__ = ["as_it_was", "with_map"]


def as_it_was(estimator, X, generation, name="X", *, vector=False):
    """Return the estimator of the generation that newcomers are for, and the newcomers.

    Absent columns, exactly those of all later generations, choose one; or it is asked for by its number, and columns of
    later members are then left out.
    """
    map_ = estimator.map_
    if generation is not None and (not isinstance(generation, Integral) or isinstance(generation, bool) or generation < 0):
        raise ValueError(f"generation: found {generation!r}, expected a number, 0 for the founders")
    if generation is None and not map_.generations:
        return estimator, X
    if not estimator._precomputed:
        return (estimator if generation is None else estimator.generation(generation)), X
    found = _input.table(X, name, vector=vector)
    columns = None if found.default_columns and not map_.named else found.columns
    chosen = map_.generation_of(columns, found.values.shape[1]) if generation is None else int(generation)
    past = estimator.generation(chosen)
    if past is estimator or generation is None or past.map_.reference_count == map_.reference_count:
        return past, found
    if columns is None:
        if found.values.shape[1] == map_.reference_count:
            found.values = found.values[:, : past.map_.reference_count]
        return past, found
    later = set(map_.labels[past.map_.count :]).difference(found.rows or ())
    stay = [j for j, column in enumerate(columns) if column not in later]
    found.values, found.columns = found.values[:, stay], [columns[j] for j in stay]
    return past, found


def with_map(estimator, map_, more=None):
    """Return an estimator like this one with another map of the same kind; `more` are features of those who came."""
    model = copy.copy(estimator)
    model._adopt(map_)
    # What only the founders have.
    model.__dict__.pop("dissimilarity_matrix_", None)
    if not estimator._precomputed:
        if map_.landmarks is None:
            # What came, or what was there before it came.
            model.X_fit_ = (estimator.X_fit_ if more is None else _stacked(estimator.X_fit_, more))[: map_.count]
        return model
    if map_.landmarks is None:
        model.n_features_in_ = map_.reference_count
        model._names_in = map_.references if map_.named else None
        if hasattr(estimator, "feature_names_in_"):
            model.feature_names_in_ = np.array(map_.references, dtype=object)
    return model


def _stacked(old, more):
    if not _input.is_sparse(old):
        return np.vstack([old, more])
    from scipy.sparse import csr_array, vstack

    return vstack([old, csr_array(more)], format="csr")
