"""What every fit shares: parameters checked, objects read, one call of the core, and what it found taken over."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from . import _core, _input, _metric
from ._names import known_by, remembered
from ._rows import is_stored, whole
from ._run import running


# Attributes that follow from the map.
_FROM_MAP = ("embedding_", "eigenvalues_", "explained_variance_ratio_", "object_names_", "landmarks_")


class Fitting(BaseEstimator):
    """The part of an estimator that makes its map."""

    def _check_common(self, *, all_axes=False):
        if not (is_auto(self.n_components) or all_axes and self.n_components is None):
            if not isinstance(self.n_components, Integral) or isinstance(self.n_components, bool):
                raise TypeError(f"n_components: found {self.n_components!r}, expected an integer or 'auto'")
            if self.n_components < 1:
                raise ValueError(f"n_components: found {self.n_components}, expected at least 1")
        for name in ("kind", "strategy", "correction", "solver", "disconnected"):
            # Without a word the kind follows from the metric, and the strategy of given maps from their link.
            found = getattr(self, name, "")
            if not isinstance(found, str) and not (found is None and self._optional(name)):
                raise TypeError(f"{name}: found {getattr(self, name)!r}, expected a word")
        check_strategy(self._usual_strategy())
        check_unplaced(self.unplaced)
        if self.training not in ("embedding", "leave_one_out"):
            raise ValueError(f"training: found {self.training!r}, expected 'embedding' or 'leave_one_out'")

    def _optional(self, name):
        return name == "kind"

    # How precomputed proximities are changed before the fit, in the words of the command line: transform and symmetrise; and
    # what was remarkable about that.
    _adapters, _adapting = (None, None), ()

    def _adapt(self, transform, symmetrise):
        """Remember how proximities are to be changed before the fit."""
        for name, word in (("transform", transform), ("symmetrise", symmetrise)):
            if word is None:
                continue
            if not isinstance(word, str):
                raise TypeError(f"{name}: found {word!r}, expected a word")
            if not self._precomputed:
                raise ValueError(f"{name}: found {word!r} beside features, expected it beside precomputed proximities")
        self._adapters, self._adapting = (transform, symmetrise), ()

    def _adapted(self, values, rows, columns):
        """Return proximities as they are to be fitted; rows and columns without names are called by position."""
        if self._adapters == (None, None):
            return values
        sides = [
            [f"object {i}" for i in range(count)] if names is None else names
            for names, count in zip((rows, columns), values.shape)
        ]
        values, self._adapting = _core.adapted(dict(values=values, rows=sides[0], columns=sides[1]), self._adapters, "X")
        return values

    def _fit(self, objects, settings, words):
        """Fit the map of `objects`; return which of them are in it (None: all), and what was done about a graph in pieces.

        `words` are those of the command line that the map file keeps.
        """
        axes = "all" if self.n_components is None else self.n_components
        settings = {"axes": axes, "solver": self.solver, **settings}
        words = {"dimensions": axes, "transform": self._adapters[0], "symmetrise": self._adapters[1], **words}
        words = {key: str(value) for key, value in words.items() if value is not None}
        with running(self) as run:
            fitted, kept, pieces, findings = _core.Map.fit(objects, settings, words, run)
        self._adopt(fitted)
        self.findings_ = [*self._adapting, *findings]
        return kept, pieces

    # Attributes that are n × n proximities, and so are left out of pickles.
    _matrices = ()

    def __getstate__(self):
        """Return what a pickle holds: the map and the parameters, without what follows from the map and without n × n matrices."""
        state = dict(super().__getstate__())
        if not getattr(self, "keep_matrix", False):
            for name in self._matrices:
                state.pop(name, None)
        map_ = state.get("map_")
        if map_ is not None:
            for name in _FROM_MAP:
                state.pop(name, None)
            # Newcomers are compared with what the map has.
            if map_.has_source and state.get("kept_") is None:
                state.pop("X_fit_", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "map_" in state:
            findings = self.findings_
            self._adopt(self.map_)
            self.findings_ = findings
            if self.map_.has_source and "X_fit_" not in state:
                self.X_fit_ = _metric.stored_features(self.map_.source)

    def __dask_tokenize__(self):
        """Return what tells this estimator from others, in Dask's way: parameters, the map, and old features that it lacks."""
        map_ = getattr(self, "map_", None)
        beside = None
        if map_ is not None and not map_.has_source and not self._precomputed:
            beside = getattr(self, "X_fit_", None), getattr(self, "metric_params_", None)
        return type(self).__qualname__, self.get_params(), map_, beside

    def _adopt(self, fitted):
        self.map_ = fitted
        self.embedding_ = fitted.configuration
        self.eigenvalues_ = fitted.eigenvalues
        self.explained_variance_ratio_ = fitted.proportions
        self.object_names_ = fitted.labels if fitted.named else None
        self.findings_ = fitted.findings
        if hasattr(self, "landmarks"):
            self.landmarks_ = None if fitted.landmarks is None else np.array(fitted.landmarks)

    def _old_proximities(self, X):
        """Return the old proximities as an array, not copied if that is possible, and what the objects are called."""
        X = whole(X) if is_stored(X) else X
        found = _input.opened(X, "X")
        shape = getattr(X if found is None else found.values, "shape", ())
        refuse_condensed(shape)
        how = dict(ensure_min_samples=2, **as_it_is(len(shape) == 2 and shape[0] == shape[1]))
        self._names_in = None
        # Of an earlier fit, to features.
        self.__dict__.pop("X_fit_", None)
        if found is None:
            if isinstance(X, np.ma.MaskedArray):
                X = _input.array(X, "X")
            return self._adapted(_input.array(validate_data(self, X, **how), "X"), None, None), None
        found = _input.table(found, "X")
        remembered(self, X, found, **how)
        values, self._names_in = _input.square(found, "X")
        return self._adapted(values, self._names_in, self._names_in), self._names_in

    # Whether features are packed bits: True, or how many there are.
    _packed = None

    def _measures_itself(self):
        """Whether the core has the measure of features: then they are taken as they are, in single precision and sparse too."""
        return False

    def _feature_types(self):
        return [np.float64, np.float32] if self._measures_itself() else np.float64

    def _require_sparse(self, name):
        """Raise unless sparse features, called `name`, are taken."""
        if not self._measures_itself():
            given = getattr(self, "kernel", None) or getattr(self, "metric", None)
            raise TypeError(
                f"{name}: found sparse features with {given!r}, expected a dense array (.toarray()), or one of adjoin's own metrics "
                "and kernels that take sparse features"
            )

    def _old_bits(self, X):
        """Return the old features as rows of bytes, and what the objects are called; the names of columns are remembered."""
        found = _metric.packed_rows(X, "X")
        _metric.packed_bits(self._packed, found.values)
        self._names_in, self.n_features_in_ = found.columns, found.values.shape[1]
        known_by(self, found.columns if found.textual else None)
        return np.ascontiguousarray(found.values), found.rows

    def _old_features(self, X):
        """Return the old features, and what the objects are called; the names of features are remembered."""
        how = dict(dtype=self._feature_types(), ensure_min_samples=2)
        if _input.is_sparse(X):
            self._names_in = None
            self._require_sparse("X")
            return _metric.canonical(validate_data(self, X, accept_sparse="csr", **how)), None
        X = whole(X) if is_stored(X) else X
        found = _input.opened(X, "X")
        self._names_in = None
        if found is None:
            if isinstance(X, np.ma.MaskedArray):
                X = _input.array(X, "X")
            return validate_data(self, X, **how), None
        values = remembered(self, X, found, **how)
        self._names_in = found.columns
        return values, found.rows


def square(values, kind, labels, made_of=None):
    """Return objects by their proximities for the core, perhaps with the features that those were made of."""
    return dict(square=values, kind=kind, labels=labels, made_of=made_of)


def as_it_is(fits):
    """Return how scikit-learn is to check proximities: shape and type, as the core checks the numbers.

    If the shape does not fit, the core will not see the numbers: then they are checked, too.
    """
    return dict(dtype=[np.float64, np.float32], ensure_all_finite=not fits)


def refuse_condensed(shape):
    """Raise if proximities are in SciPy's condensed form, one for each pair."""
    n = round((1 + np.sqrt(1 + 8 * shape[0])) / 2) if len(shape) == 1 else 0
    if n > 2 and n * (n - 1) // 2 == shape[0]:
        raise ValueError(
            f"X: found {shape[0]} proximities in one row, as scipy.spatial.distance.pdist gives them for {n} objects, expected a "
            "square: scipy.spatial.distance.squareform makes one"
        )


def check_strategy(strategy):
    """Raise unless `strategy` is one of the core's."""
    if strategy not in _core.STRATEGIES:
        raise ValueError(f"strategy: found {strategy!r}, expected one of {', '.join(_core.STRATEGIES)}")


def check_unplaced(unplaced):
    """Raise unless `unplaced` says what becomes of newcomers that cannot be placed."""
    if unplaced not in ("raise", "nan"):
        raise ValueError(f"unplaced: found {unplaced!r}, expected 'raise' or 'nan'")


def is_auto(n_components):
    """Whether the number of axes is left to the eigenvalues."""
    return isinstance(n_components, str) and n_components == "auto"
