"""What became of each newcomer, as words."""

from functools import lru_cache

import numpy as np


def statuses(answer):
    """Return the status of each newcomer of an answer of the core, as a word."""
    words, each = answer["status"]
    return _array(*words)[each]


@lru_cache
def _array(*words):
    # For one newcomer it takes longer than all else that is done with its status.
    return np.array(words, dtype=str)


def has_place(status):
    """Return which statuses are those of newcomers that have a place."""
    return (status != "not_applicable") & (status != "too_few")


def refuse_unplaced(status, strategy, name, first=0, labels=None):
    """Raise if a newcomer has no place; `X` is called `name`, and its rows are counted from `first`."""
    without = np.flatnonzero(~has_place(status))
    if not len(without):
        return
    at = without[0]
    who = f"row {first + at}" if labels is None else f"{labels[at]!r} (row {first + at})"
    raise ValueError(
        f"{name}: found {len(without)} newcomers that {strategy} cannot place, the first in {who} "
        f"({status[at]}), expected all to have a place: unplaced=\"nan\" gives the others theirs"
    )
