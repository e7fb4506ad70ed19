"""Proximities in Dask's blocks, as the core asks for them: looked at once, then multiplied by, on and above the diagonal."""

import numpy as np

from . import _core

# Lines of a progress bar aside, a pass is worth a note of nobody: vectors in the graph are its data.
_QUIETLY = {"distributed.admin.large-graph-warning-threshold": "1GB"}


class Square:
    """A lazy n × n array, cut alike in rows and columns, with what the core needs to know of it."""

    def __init__(self, X, kind, names):
        import dask

        self._dask = dask
        # Blocks of rows decide; of single precision they stay so.
        X = X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)
        self._array = X if X.chunks[0] == X.chunks[1] else X.rechunk((X.chunks[0], X.chunks[0]))
        self.kind, self.names, self.count = kind, names, X.shape[0]
        self._starts = np.cumsum([0, *self._array.chunks[0]])
        self._blocks = self._array.to_delayed()
        # Who computes is found out here, on the caller's thread: passes are asked for from another one.
        self._get = dask.base.get_scheduler(collections=[self._array])
        m = len(self._blocks)
        self._upper = [(i, j) for i in range(m) for j in range(i, m)]

    def objects(self):
        """Return it for the core; every block is looked at now."""
        return dict(multiply=self.multiply, looks=self.looks(), count=self.count, kind=self.kind, labels=self.names)

    def _compute(self, tasks):
        with self._dask.config.set(_QUIETLY):
            return self._dask.compute(*tasks, scheduler=self._get)

    def _at(self, i, j):
        return int(self._starts[i]), int(self._starts[j])

    def looks(self):
        """Look at every block and its mirror image, once."""
        look = self._dask.delayed(_look)
        blocks = self._blocks
        return list(self._compute(
            look(blocks[i, j], None if i == j else blocks[j, i], self._at(i, j), self.kind) for i, j in self._upper
        ))

    def multiply(self, unit, shift, V):
        """Return (T − c ee')V: a pass over the blocks, each read once for both of its places."""
        delayed = self._dask.delayed
        parts = [delayed(V[a:b], traverse=False) for a, b in zip(self._starts[:-1], self._starts[1:])]
        pieces = [[] for _ in parts]
        multiply = delayed(_multiply, nout=2)
        for i, j in self._upper:
            down, across = multiply(self._blocks[i, j], (self._at(i, j), self.kind), (unit, shift), parts[i], parts[j])
            pieces[i].append(down)
            if i != j:
                pieces[j].append(across)
        total = delayed(_total)
        return np.concatenate(self._compute(total(some) for some in pieces))


def _block(block):
    block = np.asarray(block)
    return block if block.dtype in (np.float64, np.float32) and block.flags.aligned else block.astype(np.float64)


def _look(block, mirror, at, kind):
    return _core.look_over(_block(block), None if mirror is None else _block(mirror), at, kind)


def _multiply(block, at, scale, above, beside):
    return _core.multiply(_block(block), at, scale, (_block(above), _block(beside)))


def _total(pieces):
    """Add pieces up, in their order whoever was first."""
    total = pieces[0].copy()
    for piece in pieces[1:]:
        total += piece
    return total


def rows_of(rectangle, landmarks):
    """Return a function that makes rows of a lazy rectangle.

    Rows of landmarks, which are wanted first and one by one, are fetched together; all others come block by block, in order.
    """
    import dask

    get = dask.base.get_scheduler(collections=[rectangle])

    def compute(some):
        return np.ascontiguousarray(dask.compute(some, scheduler=get)[0], dtype=np.float64)

    own = dict(zip(landmarks, compute(rectangle[landmarks])))
    starts = np.cumsum([0, *rectangle.chunks[0]])
    held = {}

    def rows(first, last):
        if last == first + 1 and first in own:
            return own[first][None, :]
        parts = []
        for b in range(int(np.searchsorted(starts, first, side="right")) - 1, int(np.searchsorted(starts, last, side="left"))):
            if b not in held:
                held.clear()
                held[b] = compute(rectangle.blocks[b])
            a, z = max(first, starts[b]) - starts[b], min(last, starts[b + 1]) - starts[b]
            parts.append(held[b][a:z])
        return np.ascontiguousarray(np.concatenate(parts))

    return rows
