"""What is given beside the old objects, one row or one number for each: coordinates and weights, by name or by position."""

import numpy as np

from . import _input


def coordinates(given, labels):
    """Return given coordinates as an array, in the order of the objects that `labels` names where both have names.

    They may be an array, a table, an estimator with an `embedding_`, or have `samples` as OrdinationResults do.
    """
    samples = getattr(given, "samples", None)
    if len(getattr(samples, "shape", ())) == 2:
        given = samples
    elif hasattr(given, "embedding_"):
        given = given.embedding_
    found = _input.table(given, "configuration")
    values = np.ascontiguousarray(found.values, dtype=np.float64)
    if found.rows is None or found.default_rows:
        return values
    return values[order(found.rows, labels, "configuration")]


def weights(given, labels):
    """Return one weight for each old object, matched by name where both have names."""
    found = _input.numbers(given, "sample_weight")
    values, names = found["values"], found["labels"]
    if names is not None:
        values = values[order(names, labels, "sample_weight")]
    return values.tolist()


def order(names, labels, name):
    """Return where each of `labels` is among `names`."""
    if labels is None:
        raise ValueError(f"{name}: found names, expected a list by position: the old objects have no names")
    at = {label: i for i, label in enumerate(names)}
    missing = [label for label in labels if label not in at]
    if missing:
        raise ValueError(f"{name}: found nothing for {missing[0]!r}, expected a row for every old object")
    if len(names) != len(labels):
        known = set(labels)
        stranger = next((label for label in names if label not in known), names[-1])
        raise ValueError(f"{name}: found {stranger!r}, expected the {len(labels)} old objects only, each once")
    return [at[label] for label in labels]
