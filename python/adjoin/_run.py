"""Who works and who is told: threads, and a progress bar for long calls if one is wanted."""

import os
import sys
from contextlib import contextmanager, nullcontext
from numbers import Integral

from . import _core
from ._optional import needed


# What the system says once; it takes it longer than a newcomer takes.
_CORES = _core.cores()


def running(estimator):
    """Return a context of the pair that the core's long calls take: threads, and a function for (task, done, total) or None."""
    count = threads(estimator.n_jobs)
    # Who wants no bar is not kept waiting for one: two contexts take as long as a newcomer.
    return nullcontext((count, None)) if estimator.verbose is False else _told(count, estimator.verbose)


@contextmanager
def _told(count, verbose):
    with progress(verbose) as tell:
        yield count, tell


def threads(n_jobs):
    """Return the number of threads for the core.

    None means the cores that this process may use, but no more than OMP_NUM_THREADS, which schedulers such as Dask, Ray,
    Spark and joblib set for the processes they start; -1 means the cores alone, -2 all but one of them.
    """
    if n_jobs is None:
        return min(cores(), _granted())
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected None or an integer other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, cores() + 1 + int(n_jobs))


def cores():
    """Return how many cores this process may use: by what its container grants, and by its affinity of the moment."""
    affinity = getattr(os, "sched_getaffinity", None)
    return _CORES if affinity is None else min(_CORES, len(affinity(0)))


def _granted():
    """Return the threads that OMP_NUM_THREADS grants, by its first number; any number of them if it says nothing."""
    said = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(said) if said.isdecimal() and int(said) > 0 else sys.maxsize


@contextmanager
def progress(verbose):
    """Yield a function for the core to tell (task, done, total) to, or None.

    `verbose` is False, True for tqdm's own choice of a bar, or a class like `tqdm.tqdm`.
    """
    if not verbose:
        yield None
        return
    make = verbose if callable(verbose) else _tqdm()
    bars = {}

    def tell(task, done, total):
        if task not in bars:
            for bar in bars.values():
                bar.close()
            bars[task] = make(total=total, desc=task)
        bar = bars[task]
        bar.update(done - bar.n)

    try:
        yield tell
    finally:
        for bar in bars.values():
            bar.close()


def _tqdm():
    return needed("tqdm.auto", "verbose", ", or a class like it").tqdm
