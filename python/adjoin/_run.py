"""Who works and who is told: threads, and a progress bar for long calls if one is wanted."""

import os
from contextlib import contextmanager
from numbers import Integral

from ._optional import needed


@contextmanager
def running(estimator):
    """Yield the pair that the core's long calls take: threads, and a function for (task, done, total) or None."""
    count = threads(estimator.n_jobs)
    with progress(estimator.verbose) as tell:
        yield count, tell


def threads(n_jobs):
    """Return the number of threads for the core, 0 for all cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected None or an integer other than 0")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


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
