"""A progress bar for long calls, if one is wanted."""

from contextlib import contextmanager


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
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "verbose: found no tqdm, expected it to be installed (pip install 'adjoin[progress]'), or a class like it"
        ) from None
    return tqdm
