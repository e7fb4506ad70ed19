"""Newcomers in parts, for engines that hold all of them: blocks of Dask, batches of Arrow.

Each part is placed by itself, which changes no bit, and what is wrong with a newcomer is said with its number among all of
them, or with its label.
"""

import copy
import os

from ._core import Map
from ._fitting import check_unplaced
from ._load import load
from ._newcomers import newcomers
from ._placements import Placements
from ._run import running
from ._status import refuse_unplaced

__all__ = ["checked_strategy", "light", "placed"]


def light(model, n_jobs=1):
    """Return a fitted estimator that travels: the map and its parameters, without n × n matrices, on `n_jobs` threads.

    `model` is an estimator, a Map, or the file or the bytes of one.
    """
    if isinstance(model, (str, os.PathLike, bytes, bytearray, memoryview)):
        model = load(model)
    elif isinstance(model, Map):
        model = model.to_estimator()
    elif hasattr(model, "map_"):
        model = copy.copy(model)
        for name in model._matrices:
            model.__dict__.pop(name, None)
    else:
        raise TypeError(f"model: found {type(model).__name__}, expected a fitted estimator, a Map, or the file of one")
    return model.set_params(n_jobs=n_jobs, verbose=False)


def placed(estimator, X, how, *, first=0, name="X", unplaced="nan", **beside):
    """Place a part of all newcomers, which begins with number `first` of them; `name` is what they are called in messages.

    `how` is a strategy, the two options of augment, and whether to prove.
    """
    new = newcomers(estimator, X, name=name, first=first, **beside)
    with running(estimator) as run:
        answer = estimator.map_._place(new, how, run)
    answer = Placements._from_core(estimator.map_, *answer, options=how[1:3])
    if unplaced == "raise":
        # Without names of their own newcomers are known by their number.
        named = beside.get("labels") is not None
        refuse_unplaced(answer.status, answer.strategy, name, first, answer.labels if named else None)
    return answer


def checked_strategy(estimator, strategy, unplaced):
    """Return the strategy that is meant, and what becomes of newcomers that cannot be placed."""
    strategy = estimator._strategy(strategy, None)
    unplaced = estimator.unplaced if unplaced is None else unplaced
    check_unplaced(unplaced)
    return strategy, unplaced
