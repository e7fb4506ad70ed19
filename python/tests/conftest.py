"""What the tests share. They test the installed package, never the source tree."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjoin

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADJOIN = os.environ.get("ADJOIN", str(ROOT / "target" / "debug" / "adjoin"))


@pytest.fixture
def shell(tmp_path):
    """The command line, in a folder of its own."""

    def run(*arguments, code=0):
        done = subprocess.run(
            [ADJOIN, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


@pytest.fixture(params=["iris", "wine", "digits", "breast_cancer"])
def split(request):
    """Real features, two thirds of them old, and their Euclidean distances."""
    from sklearn import datasets

    features = getattr(datasets, f"load_{request.param}")().data[::3].astype(float)
    at = len(features) * 2 // 3
    old, new = features[:at], features[at:]
    return old, new, cdist(old, old), cdist(new, old)


@pytest.fixture
def cities():
    return adjoin.datasets.eurodist()


@pytest.fixture
def europe(cities):
    """A map of 18 cities, and what is known of three more."""
    model = adjoin.ClassicalMDS(metric="precomputed").fit(cities.iloc[:18, :18])
    return model, cities.iloc[18:, :18]


@pytest.fixture
def rng():
    return np.random.default_rng(5)
