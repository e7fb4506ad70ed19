"""What the scripts of this folder share: building, timing, memory, and the form of a result.

Each script has a function `measure(quick)` that returns a `Section`; `suite.py` collects them into RESULTS.md, and
`alone` prints one when its script is run by itself.
"""

import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = (1, 2)
PROFILE = "dist"  # of Cargo.toml: what is handed out
ISA = "ADJOIN_BENCH_ISA"  # by which programs are told the instruction set of their kernels


@dataclass
class Target:
    """What is wanted of a task, and what was measured."""

    task: str
    wanted: str
    measured: float
    bound: float
    at_least: bool = False

    @property
    def met(self):
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound


@dataclass
class Growth:
    """Seconds of a task as one of its sizes grows and the others stay."""

    task: str
    size: str
    fixed: str
    sizes: list
    seconds: list

    def slopes(self):
        """The exponent over all sizes (least squares on logarithms), and over the last step alone."""
        x, y = np.log(self.sizes), np.log(self.seconds)
        return np.polyfit(x, y, 1)[0], (y[-1] - y[-2]) / (x[-1] - x[-2])


@dataclass
class Section:
    """One task: a table, what it says of the targets, and how the cost grows."""

    title: str
    about: str
    columns: list
    rows: list = field(default_factory=list)
    targets: list = field(default_factory=list)
    growth: list = field(default_factory=list)
    missed: str = ""  # why a target may be missed, and what was tried

    def add(self, *cells):
        self.rows.append([str(c) for c in cells])

    def table(self):
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@dataclass
class Timing:
    """Seconds of several runs, the answer of the last, and peak memory above what was there before, if measured."""

    seconds: list
    answer: object = None
    extra: int | None = None

    @property
    def best(self):
        return min(self.seconds)

    @property
    def median(self):
        return statistics.median(self.seconds)

    def __str__(self):
        return f"{digits(self.best)} / {digits(self.median)}"


def digits(value):
    """Three significant digits without an exponent where that is short."""
    return f"{value:.3g}" if 1e-3 <= abs(value) < 1e3 or value == 0 else f"{value:.0f}" if value >= 1e3 else f"{value:.1e}"


def times(ratio):
    return f"{ratio:.2f} ×" if ratio < 10 else f"{ratio:.0f} ×"


def megabytes(size):
    return f"{size / 1e6:.0f} MB" if size >= 1e7 else f"{size / 1e6:.1f} MB"


def in_turn(works, rounds):
    """Runs each of the named works once to warm up, with its memory measured, then all of them in turn, `rounds` times."""
    timings = {}
    for name, work in works.items():
        answer, extra = with_peak(work)
        timings[name] = Timing([], answer, extra)
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            answer = work()
            timings[name].seconds.append(time.perf_counter() - start)
            timings[name].answer = answer
    return timings


def with_peak(work):
    """The answer of `work` and how far the resident memory of this process rose (None where the system does not tell)."""
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before = resident("VmRSS")
    except OSError:
        return work(), None
    answer = work()
    return answer, max(resident("VmHWM") - before, 0)


def watched(command, folder):
    """Run a command that must succeed; return its peak resident memory in bytes."""
    child = subprocess.Popen(command, cwd=folder)
    # Its own high-water mark, read while it runs: what the system adds up for children includes ours.
    peak = 0
    while child.poll() is None:
        try:
            peak = max(peak, resident("VmHWM", child.pid))
        except OSError:
            break
        time.sleep(0.05)
    assert child.wait() == 0, command
    return peak


def read_once(path):
    """Return the seconds of one plain read of a file."""
    start = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 25):
            pass
    return time.perf_counter() - start


def resident(name, process="self"):
    """VmRSS or VmHWM (its peak) of a process, in bytes."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":")), 0)


def threads(count):
    """A context in which BLAS and OpenMP use so many threads."""
    return threadpool_limits(limits=count)


@functools.cache
def build():
    """Builds all programs that are measured, together: one by one, their libraries would be built for each anew."""
    command = ["cargo", "build", "--profile", PROFILE, "-q", "-p", "adjoin-bench", "-p", "adjoin-cli", "--bins"]
    subprocess.run(command, cwd=ROOT, check=True)


def narrow():
    """Whether the kernels have no AVX-512, of this machine or as forced."""
    cpu = pathlib.Path("/proc/cpuinfo")
    return os.environ.get(ISA, "avx512") != "avx512" or not cpu.exists() or "avx512f" not in cpu.read_text()


def built(name="adjoin"):
    """The path of a program of this repository, built as it is handed out: one of bench/programs, or `adjoin` itself."""
    build()
    command = ["cargo", "metadata", "--format-version=1", "--no-deps"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    folder = pathlib.Path(metadata["target_directory"]) / PROFILE
    return folder / (name + (".exe" if os.name == "nt" else ""))


def output(program, *arguments):
    """What a program prints."""
    command = [str(a) for a in (program, *arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def answered(program, *arguments):
    """What a program prints, as JSON."""
    return json.loads(output(program, *arguments))


def write_numbers(file, shape, *arrays):
    """Counts as u64 and then arrays as f64, in native byte order, as bench/programs read them."""
    with open(file, "wb") as stream:
        np.array(shape, dtype=np.uint64).tofile(stream)
        for array in arrays:
            np.ascontiguousarray(array, dtype=np.float64).tofile(stream)


def sizes_given(*defaults):
    """The sizes on the command line, with defaults for those that are not there."""
    given = [int(a) for a in sys.argv[1:] if not a.startswith("--")]
    return [*given, *defaults[len(given) :]][: len(defaults)]


def alone(measure):
    """Runs one script's `measure` and prints its section."""
    section = measure("--quick" in sys.argv)
    print(f"{section.title}\n{section.about}\n\n{section.table()}\n")
    for target in section.targets:
        print(f"{target.task}: {digits(target.measured)}, wanted {target.wanted}: {'met' if target.met else 'missed'}")
