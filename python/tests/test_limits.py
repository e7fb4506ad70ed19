"""More than there is memory for is an exception that says how much, not the end of the interpreter."""

import numpy as np
import pytest

import adjoin


def test_a_million_objects_by_their_features():
    features = np.zeros((3_000_000, 2))
    features[:, 0] = np.arange(len(features))
    with pytest.raises(MemoryError, match=r"3000000 × 3000000 numbers, 72\.0 TB"):
        adjoin.ClassicalMDS(2, metric="euclidean").fit(features)
