"""Rows of arrays that are on a disk, or too large to be copied: some at a time.

Datasets of h5py and arrays of zarr are read by blocks of whole chunks, newcomers among them placed and forgotten; features in
memory, of which the core makes a copy, are handed to it in parts. Each newcomer is placed by itself, so no bit changes.
"""

import numpy as np

from ._tables import is_lazy

# Bytes of newcomers in a part: enough that a call is nothing beside it, little beside any memory.
PART_BYTES = 32 << 20


def is_stored(X):
    """Whether `X` is an array that is somewhere else and gives rows when it is sliced: of h5py, zarr and others like them."""
    # Arrays of xarray have chunks too, and names, which are read elsewhere. The columns of a lazy table are not to be asked for.
    if isinstance(X, np.ndarray) or is_lazy(X) or hasattr(type(X), "columns") or type(X).__module__.partition(".")[0] == "xarray":
        return False
    return all(hasattr(X, name) for name in ("shape", "dtype", "chunks", "__getitem__")) and len(X.shape) == 2


def is_large(X):
    """Whether `X` is an array in memory that deserves to be handed over in parts."""
    return type(X) is np.ndarray and X.ndim == 2 and X.nbytes > 2 * PART_BYTES


def parts(X):
    """Yield the first row of each part, and the row after its last: whole chunks where it is stored in chunks."""
    rows, columns = X.shape
    step = max(PART_BYTES // max(columns * max(np.dtype(X.dtype).itemsize, 1), 1), 1)
    chunk = X.chunks[0] if is_stored(X) and X.chunks else 1
    step = max(step // chunk, 1) * chunk
    for first in range(0, rows, step):
        yield first, min(first + step, rows)


def whole(X):
    """Return a stored array as one in memory: of float32 if it is of that, otherwise of float64, without a second copy of it."""
    made = np.empty(X.shape, dtype=np.float32 if X.dtype == np.float32 else np.float64)
    for first, last in parts(X):
        made[first:last] = X[first:last]
    return made
