"""Kernel PCA: classical scaling of a kernel, on which newcomers can be placed."""

import numpy as np

from . import _input, _metric
from ._estimator import Estimator
from ._fitting import square

__all__ = ["KernelPCA"]


class KernelPCA(Estimator):
    """Kernel principal component analysis on which newcomers can be placed by every strategy.

    The parameters, attributes and answers of `sklearn.decomposition.KernelPCA` (up to the signs of
    axes) where they coincide. `transform` is the projection of scikit-learn; `place` also knows
    restricted reconstruction, and how far to trust each placement. A kernel that is not positive
    semidefinite is taken by its positive eigenvalues.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Number of axes; None for all positive eigenvalues, "auto" for as many as their profile
        likelihood suggests.

    kernel : str or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "tanimoto", "minmax",
        "precomputed", another kernel of scikit-learn, or a function of two vectors.

    gamma : float, default=None
        Of rbf, laplacian, poly and sigmoid; 1/n_features if None.

    degree : float, default=3
        Of poly.

    coef0 : float, default=1
        Of poly and sigmoid.

    kernel_params : dict, default=None
        Arguments of a callable kernel, or of one that only scikit-learn has; or `{"packed": True}` if features are packed bits, as
        of `ClassicalMDS`. A named kernel's gamma, degree and coef0 are parameters of their own.

    strategy : {"project", "reconstruct", "hyperplane", "augment"}, default="project"
        How `transform` places newcomers, and `place` unless it is told otherwise.

    unplaced : {"raise", "nan"}, default="raise"
        What `transform` does about newcomers that cannot be placed: raise a ValueError, or give them NaN.

    training : {"embedding", "leave_one_out"}, default="embedding"
        What `fit_transform` returns: the map, or each old object where it would be as a newcomer to the map of
        the others, by the same strategy as `transform`: what a classifier in a pipeline should be trained on.

    solver : {"auto", "dense", "iterative"}, default="auto"
        Which eigensolver.

    keep_matrix : bool, default=False
        Whether a pickled estimator keeps precomputed similarities: n × n numbers beside a map of a few thousand.

    n_jobs : int, default=None
        Number of threads, as of `ClassicalMDS`.

    verbose : bool or class, default=False
        Whether to show a progress bar of tqdm in long calls; or a class like `tqdm.tqdm`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues of the centred kernel, descending.

    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors.

    embedding_ : ndarray of shape (n_samples, n_components)
        The map.

    gamma_ : float
        The gamma that was used, if the kernel has one.

    X_fit_ : ndarray of shape (n_samples, n_features)
        The old features, or similarities if precomputed; those are left out of pickles, unless `keep_matrix`.

    object_names_, findings_, explained_variance_ratio_, n_features_in_, feature_names_in_
        As of `ClassicalMDS`.

    References
    ----------
    .. [1] Schölkopf, Smola and Müller (1998). Nonlinear component analysis as a kernel eigenvalue
       problem. Neural Computation 10, 1299-1319.

    Examples
    --------
    >>> import adjoin
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = adjoin.KernelPCA(n_components=2, kernel="rbf", gamma=0.1).fit(X[:120])
    >>> model.transform(X[120:]).shape
    (30, 2)
    >>> model.place(X[120:], strategy="reconstruct")
    <Placements of 30 newcomers by reconstruct: 30 unique>
    """

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        strategy="project",
        unplaced="raise",
        training="embedding",
        solver="auto",
        keep_matrix=False,
        n_jobs=None,
        verbose=False,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.strategy = strategy
        self.unplaced = unplaced
        self.training = training
        self.solver = solver
        self.keep_matrix = keep_matrix
        self.n_jobs = n_jobs
        self.verbose = verbose

    _old_kind = "similarity"

    @property
    def _matrices(self):
        return ("X_fit_",) if self._precomputed else ()

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def fit(self, X, y=None, *, transform=None, symmetrise=None):
        """Fit the map to the old objects.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Features, or similarities if `kernel="precomputed"`. Tables of pandas and polars bring
            their labels.

        y : Ignored
            Present for API consistency.

        transform : {"1-x", "1-x/100", "100-x", "sqrt", "x^2", "-log(x)", "x/100"}, default=None
            What becomes of each precomputed number x before the fit. The map keeps it, and newcomers' go through the same:
            they come as the old ones did.

        symmetrise : {"mean", "min", "max"}, default=None
            What becomes of two precomputed numbers for one pair, there and back.

        Returns
        -------
        self : KernelPCA
        """
        if _input.is_lazy(X):
            from .dask import fit

            return fit(self, X, transform=transform, symmetrise=symmetrise)
        self._adapt(transform, symmetrise)
        self._check_common(all_axes=True)
        if not (isinstance(self.kernel, str) or callable(self.kernel)):
            raise TypeError(f"kernel: found {self.kernel!r}, expected a name or a callable")
        _metric.check_kernel(self.kernel)
        _metric.check_kernel_params(self.kernel, self.kernel_params, self.gamma)
        objects = self._objects(X)
        word = None if self._precomputed or callable(self.kernel) else self.kernel
        self._fit(objects, dict(method="kernel-pca"), dict(kernel=word))
        return self

    def _objects(self, X):
        """Return what the core is to be fitted to: features if it has the kernel, else similarities."""
        if self._precomputed:
            self.X_fit_, labels = self._old_proximities(X)
            return square(self.X_fit_, "similarity", labels)
        if self._packed:
            return self._packed_objects(X)
        self.X_fit_, labels = self._old_features(X)
        self.gamma_ = 1 / self.X_fit_.shape[1] if self.gamma is None else self.gamma
        measure = None
        if not self.kernel_params:
            measure = _metric.kernel(self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)
        if measure is not None:
            return _metric.objects(self.X_fit_, measure, labels, self._names_in)
        values = _metric.similarities(self.X_fit_, self.X_fit_, self.kernel, self._params())
        return square(values, "similarity", labels)

    def _measures_itself(self):
        return not self._precomputed and not self.kernel_params and _metric.kernel(self.kernel) is not None

    @property
    def _packed(self):
        return (self.kernel_params or {}).get("packed")

    def _packed_objects(self, X):
        """Return objects by packed bits for the core, which has to have the kernel."""
        self.X_fit_, labels = self._old_bits(X)
        bits = _metric.packed_bits(self._packed, self.X_fit_)
        self.gamma_ = 1 / bits if self.gamma is None else self.gamma
        measure = _metric.kernel(self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)
        if measure is None or set(self.kernel_params) != {"packed"}:
            raise ValueError(f"kernel: found {self.kernel!r} for packed bits, expected tanimoto, or another kernel of adjoin's")
        return _metric.objects(self.X_fit_, measure, labels, None, bits)

    @property
    def eigenvectors_(self):
        """Eigenvectors of the centred kernel: ndarray of shape (n_samples, n_components)."""
        return self.embedding_ / np.sqrt(self.eigenvalues_)

    def _params(self):
        given = dict(self.kernel_params or {})
        return given if callable(self.kernel) else dict(gamma=self.gamma_, degree=self.degree, coef0=self.coef0) | given

    def _compared(self, features):
        values = _metric.similarities(features, self.X_fit_, self.kernel, self._params())
        return values, _metric.similarities_to_itself(features, self.kernel, self._params())

    def _compared_with_each_other(self, features):
        return _metric.similarities(features, features, self.kernel, self._params())
