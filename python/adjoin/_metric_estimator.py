"""Estimators that are given a metric: its features in, by the core where it has the metric."""

from . import _metric
from ._estimator import Estimator
from ._fitting import square


class MetricEstimator(Estimator):
    """An estimator with a `metric` and its `metric_params`."""

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _old_kind(self):
        return getattr(self, "kind", "dissimilarity")

    def _check_metric(self):
        if not (isinstance(self.metric, str) or callable(self.metric)):
            raise TypeError(f"metric: found {self.metric!r}, expected a name or a callable")
        if self._old_kind == "similarity" and not self._precomputed:
            raise ValueError(f"kind: found 'similarity' with metric={self.metric!r}, expected metric='precomputed'")

    def _params(self):
        return dict(self.metric_params or {})

    def _metric_word(self):
        return None if self._precomputed or callable(self.metric) else self.metric

    def _objects(self, X):
        """Return what the core is to be fitted to: features if it has the metric, else proximities."""
        if self._precomputed:
            values, labels = self._old_proximities(X)
            return square(values, self._old_kind, labels)
        X, labels = self._old_features(X)
        self.X_fit_ = X
        self.metric_params_ = _metric.fitted_params(X, self.metric, self._params())
        measure = _metric.measure(self.metric, self.metric_params_, self._old_kind)
        if measure is not None:
            return _metric.objects(X, measure, labels, self._feature_names())
        return square(_metric.within(X, self.metric, self.metric_params_), self._old_kind, labels)

    def _compared(self, features):
        return _metric.across(features, self.X_fit_, self.metric, self.metric_params_), None

    def _compared_with_each_other(self, features):
        return _metric.within(features, self.metric, self.metric_params_)


def count(objects):
    """Return how many objects there are."""
    return len(objects["features"] if "features" in objects else objects["square"])
