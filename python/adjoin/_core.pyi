from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

Progress = Callable[[str, int, int], object] | None
Matrix = NDArray[np.float64] | NDArray[np.float32]

class Border:
    def __init__(
        self,
        dimensions: int,
        projections: NDArray[np.float64],
        beta: NDArray[np.float64],
        b_norm_squared: NDArray[np.float64],
        outside: NDArray[np.float64],
        observed: list[int],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def observed(self) -> NDArray[np.uintp]: ...

class Diagram:
    @staticmethod
    def fit(
        proximities: Matrix,
        options: dict[str, Any],
        configuration: NDArray[np.float64] | None,
        threads: int,
        progress: Progress,
    ) -> Diagram: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Diagram: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Diagram: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def count(self) -> int: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def correction(self) -> tuple[str, float]: ...
    @property
    def centred(self) -> bool: ...
    @property
    def settings(self) -> dict[str, str]: ...
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
        entries: Matrix,
        row_labels: list[str],
        column_labels: list[str],
        threads: int,
        argument: str,
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64] | None]: ...
    def transform(
        self, arrivals: dict[str, Any], by: str, threads: int, progress: Progress
    ) -> tuple[NDArray[np.float64], list[tuple[int, str]]]: ...
    def place(
        self,
        arrivals: dict[str, Any],
        by: str,
        recentre: bool,
        scaled: bool,
        threads: int,
        progress: Progress,
    ) -> tuple[Border, dict[str, Any]]: ...
    def jointly(
        self,
        arrivals: dict[str, Any],
        between: NDArray[np.float64],
        threads: int,
        progress: Progress,
    ) -> tuple[Border, dict[str, Any]]: ...
    def compare(
        self, arrivals: dict[str, Any], threads: int, progress: Progress
    ) -> tuple[Border, dict[str, Any]]: ...
    def border(self, arrivals: dict[str, Any], threads: int, progress: Progress) -> Border: ...
    def project(self, border: Border) -> NDArray[np.float64]: ...
    def arcs(self, border: Border, points: int) -> list[dict[str, Any] | None]: ...

def square(
    entries: Matrix, row_labels: list[str], column_labels: list[str], argument: str
) -> NDArray[np.float64]: ...
def between(
    entries: Matrix,
    row_labels: list[str],
    column_labels: list[str],
    newcomers: list[str],
    argument: str,
) -> NDArray[np.float64]: ...
def numbers(
    values: list[float], labels: list[str], order: list[str], argument: str
) -> NDArray[np.float64]: ...
