"""What every fit shares: parameters checked, objects read, one call of the core, and what it found taken over."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from . import _core, _input
from ._run import running


class Fitting(BaseEstimator):
    """The part of an estimator that makes its map."""

    def _check_common(self, *, all_axes=False):
        if not (is_auto(self.n_components) or all_axes and self.n_components is None):
            if not isinstance(self.n_components, Integral) or isinstance(self.n_components, bool):
                raise TypeError(f"n_components: found {self.n_components!r}, expected an integer or 'auto'")
            if self.n_components < 1:
                raise ValueError(f"n_components: found {self.n_components}, expected at least 1")
        for name in ("kind", "strategy", "correction", "solver", "disconnected"):
            if not isinstance(getattr(self, name, ""), str):
                raise TypeError(f"{name}: found {getattr(self, name)!r}, expected a word")
        check_strategy(self.strategy)

    def _fit(self, objects, settings, words):
        """Fit the map of `objects`; return which of them are in it (None: all), and what was done about a graph in pieces.

        `words` are those of the command line that the map file keeps.
        """
        axes = "all" if self.n_components is None else self.n_components
        settings = {"axes": axes, "solver": self.solver, **settings}
        words = {"dimensions": axes, **words}
        words = {key: str(value) for key, value in words.items() if value is not None}
        with running(self) as run:
            fitted, kept, pieces, findings = _core.Map.fit(objects, settings, words, run)
        self._adopt(fitted)
        self.findings_ = findings
        return kept, pieces

    def _adopt(self, fitted):
        self.map_ = fitted
        self.embedding_ = fitted.configuration
        self.eigenvalues_ = fitted.eigenvalues
        self.explained_variance_ratio_ = fitted.proportions
        self.labels_ = fitted.labels
        self.findings_ = fitted.findings
        if hasattr(self, "landmarks"):
            self.landmarks_ = None if fitted.landmarks is None else np.array(fitted.landmarks)

    def _old_proximities(self, X):
        """Return the old proximities as an array, not copied if that is possible, and their labels."""
        if _input.is_distance_matrix(X):
            found = _input.table(X, "X")
            return validate_data(self, found.values, **as_it_is(True)), found.rows
        labelled = _input.is_pandas(X) or _input.is_polars(X)
        if isinstance(X, np.ma.MaskedArray):
            X = _input.array(X, "X")
        shape = getattr(X, "shape", ())
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if not labelled:
            X = validate_data(self, X, ensure_min_samples=2, **as_it_is(is_square))
            return _input.array(X, "X"), None
        found = _input.square(X, "X")
        if _input.is_polars(X) and found.values.shape[1] != X.width:
            X = X.select(found.columns)
        validate_data(self, X, ensure_min_samples=2, **as_it_is(is_square))
        return found.values, found.columns

    def _old_features(self, X):
        """Return the old features and the labels of their objects; scikit-learn checks them and keeps their names."""
        labels = _input.table(X, "X").rows if _input.is_pandas(X) else None
        return validate_data(self, X, dtype=np.float64, ensure_min_samples=2), labels

    def _feature_names(self):
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]


def square(values, kind, labels, made_of=None):
    """Return objects by their proximities for the core, perhaps with the features that those were made of."""
    return dict(square=values, kind=kind, labels=labels, made_of=made_of)


def as_it_is(fits):
    """Return how scikit-learn is to check proximities: shape and type, as the core checks the numbers.

    If the shape does not fit, the core will not see the numbers: then they are checked, too.
    """
    return dict(dtype=[np.float64, np.float32], ensure_all_finite=not fits)


def check_strategy(strategy):
    """Raise unless `strategy` is one of the core's."""
    if strategy not in _core.STRATEGIES:
        raise ValueError(f"strategy: found {strategy!r}, expected one of {', '.join(_core.STRATEGIES)}")


def is_auto(n_components):
    """Whether the number of axes is left to the eigenvalues."""
    return isinstance(n_components, str) and n_components == "auto"
