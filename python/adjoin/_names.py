"""Which column is which: the names that a fit saw, and what is done about those of newcomers.

scikit-learn looks after names that are all text in tables that it knows. The names of other tables, and names that are
numbers, are looked after here, by the same rules and in the same words: a table in another order is refused by
`transform`, as scikit-learn refuses it, and put in order by `place`.
"""

import warnings

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from . import _input


def remembered(estimator, X, found, **how):
    """Check the table `X` of old objects, opened as `found`, and remember the names of its columns; return its numbers."""
    if _is_pandas_text(X, found):
        validate_data(estimator, X, skip_check_array=True)
    else:
        estimator.n_features_in_ = np.shape(found.values)[1]
        known_by(estimator, found.columns if found.textual else None)
    return check_array(found.values, input_name="X", **how)


def known_by(estimator, names):
    """Remember the names of columns in scikit-learn's way; None forgets those of an earlier fit."""
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    else:
        estimator.__dict__.pop("feature_names_in_", None)


def in_order(estimator, X, **how):
    """Return the numbers of newcomers whose columns are those of the fit, in its order, as scikit-learn checks them."""
    found = _input.opened(X, "X")
    if found is None:
        return validate_data(estimator, X, reset=False, **how)
    known = estimator._names_in
    # Whether scikit-learn knows as much of the fit's names as is known here.
    as_array = known is None or hasattr(estimator, "feature_names_in_")
    if as_array and _is_pandas_text(X, found):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return check_array(found.values, input_name="X", **how)
    if found.columns is None or found.default_columns and found.columns != known and as_array:
        # As an array without names, of which scikit-learn warns if there were names at the fit.
        return validate_data(estimator, _input.array(found.values, "X"), reset=False, **how)
    name, count = type(estimator).__name__, len(found.columns)
    _compare(estimator, found)
    if count != estimator.n_features_in_:
        raise ValueError(
            f"X has {count} features, but {name} is expecting {estimator.n_features_in_} features as input."
        )
    return check_array(found.values, input_name="X", **how)


def bits_in_order(estimator, X):
    """Return packed bits of newcomers, whose columns are those of the fit, in its order, if they have names."""
    found = _input.opened(X, "X")
    if found is None:
        return X
    if has_names(estimator, found):
        _compare(estimator, found)
    return found.values


def has_names(estimator, found):
    """Whether the columns of a table of features have names, rather than numbers that only count."""
    return found.columns is not None and not (found.default_columns and estimator._names_in is None)


def _compare(estimator, found):
    known = estimator._names_in
    if known is None:
        said = f"X has feature names, but {type(estimator).__name__} was fitted without feature names"
        warnings.warn(said, UserWarning, stacklevel=4)
    elif found.columns != known:
        raise ValueError(_difference(found.columns, known))


def _difference(found, known):
    """Say how the names of newcomers' columns differ from those of the fit."""
    said = ["The feature names should match those that were passed during fit."]
    for what, names in (
        ("unseen at fit time", [name for name in found if name not in set(known)]),
        ("seen at fit time, yet now missing", [name for name in known if name not in set(found)]),
    ):
        if names:
            more = "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")
            said.append(f"Feature names {what}:\n{more}")
    if len(said) == 1:
        said.append("Feature names must be in the same order as they were in fit.\n")
    return "\n".join(said)


def _is_pandas_text(X, found):
    """Whether the names are such as scikit-learn looks after: text, in a table of pandas."""
    return _input.is_pandas(X) and found.textual
