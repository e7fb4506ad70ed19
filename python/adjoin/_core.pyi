from collections.abc import Callable
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["__version__", "Model", "Border", "METRICS", "KERNELS", "measured", "square", "between", "numbers", "report"]

__version__: str
METRICS: list[str]
KERNELS: list[str]

_Progress = Callable[[str, int, int], object] | None
_Matrix = NDArray[np.float64] | NDArray[np.float32]
_Options = dict[str, Any]
_Input = _Matrix | dict[str, Any]

@final
class Border:
    def __new__(
        cls,
        dimensions: int,
        projections: NDArray[np.float64],
        beta: NDArray[np.float64],
        b_norm_squared: NDArray[np.float64],
        outside: NDArray[np.float64],
        observed: list[int],
        degrees: NDArray[np.float64],
    ) -> Border: ...
    def __len__(self) -> int: ...
    @property
    def observed(self) -> NDArray[np.uintp]: ...

@final
class Model:
    @staticmethod
    def fit(
        proximities: _Matrix,
        options: _Options,
        more: _Options,
        configuration: NDArray[np.float64] | None,
        source: dict[str, Any] | None,
        threads: int,
        progress: _Progress,
    ) -> Model: ...
    @staticmethod
    def kernel_pca(input: _Input, options: _Options, threads: int, progress: _Progress) -> Model: ...
    @staticmethod
    def landmark(
        input: _Input,
        options: _Options,
        more: tuple[str, tuple[str, int, int] | list[int], bool],
        threads: int,
        progress: _Progress,
    ) -> tuple[Model, list[int]]: ...
    @staticmethod
    def isomap(
        input: _Input, options: _Options, more: _Options, threads: int, progress: _Progress
    ) -> tuple[Model, list[int] | None, str | None]: ...
    @staticmethod
    def laplacian(
        input: _Input, options: _Options, more: _Options, threads: int, progress: _Progress
    ) -> tuple[Model, list[int] | None, str | None]: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def count(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def references(self) -> list[str]: ...
    @property
    def method(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def correction(self) -> tuple[str, float]: ...
    @property
    def centred(self) -> bool: ...
    @property
    def settings(self) -> dict[str, str]: ...
    @property
    def has_source(self) -> bool: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def source(self) -> dict[str, Any] | None: ...
    @property
    def configuration(self) -> NDArray[np.float64]: ...
    @property
    def eigenvalues(self) -> NDArray[np.float64]: ...
    @property
    def proportions(self) -> NDArray[np.float64]: ...
    @property
    def leave_one_out(self) -> NDArray[np.float64]: ...
    @property
    def findings(self) -> list[str]: ...
    def matched(
        self,
        entries: _Matrix,
        row_labels: list[str],
        column_labels: list[str],
        threads: int,
        argument: str,
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64] | None]: ...
    def transform(
        self, arrivals: dict[str, Any], by: str, threads: int, progress: _Progress
    ) -> tuple[NDArray[np.float64], list[tuple[int, str]]]: ...
    def place(
        self,
        arrivals: dict[str, Any],
        by: str,
        recentre: bool,
        scaled: bool,
        threads: int,
        progress: _Progress,
    ) -> tuple[Border, dict[str, Any]]: ...
    def jointly(
        self,
        arrivals: dict[str, Any],
        between: NDArray[np.float64] | None,
        threads: int,
        progress: _Progress,
    ) -> tuple[Border, dict[str, Any]]: ...
    def compare(
        self, arrivals: dict[str, Any], threads: int, progress: _Progress
    ) -> tuple[Border, dict[str, Any]]: ...
    def border(self, arrivals: dict[str, Any], threads: int, progress: _Progress) -> Border: ...
    def project(self, border: Border) -> NDArray[np.float64]: ...
    def arcs(self, border: Border, points: int) -> list[dict[str, Any] | None]: ...

def measured(
    objects: dict[str, Any], new: _Matrix | None, argument: str, threads: int, progress: _Progress
) -> NDArray[np.float64]: ...
def square(
    entries: _Matrix, row_labels: list[str], column_labels: list[str], argument: str
) -> NDArray[np.float64]: ...
def between(
    entries: _Matrix,
    row_labels: list[str],
    column_labels: list[str],
    newcomers: list[str],
    argument: str,
) -> NDArray[np.float64]: ...
def numbers(
    values: list[float], labels: list[str], order: list[str], argument: str
) -> NDArray[np.float64]: ...
def report(
    model: Model,
    path: str | PathLike[str],
    title: str,
    arrivals: dict[str, Any] | None,
    by: str,
    jointly: bool,
    between: NDArray[np.float64] | None,
    metadata: tuple[list[str], list[tuple[str, list[str | None]]]] | None,
    threads: int,
    progress: _Progress,
) -> list[tuple[int, str]]: ...
