"""Memory, threads, the interpreter's lock, Ctrl-C and progress bars."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjoin

# Run by itself: prints how far a call raised the peak of the process's memory, in bytes.
PEAK = """
import numpy as np, adjoin, sys

def peak():
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))

def rise(call):
    open("/proc/self/clear_refs", "w").write("5")
    before = peak()
    call()
    return peak() - before

dtype = np.dtype(sys.argv[1])
x = np.linspace(0, 1, 3000)
D = np.empty((3000, 3000), dtype)
for i in range(3000):
    D[i] = abs(x - x[i]) + 0.1 * (x != x[i])
model = adjoin.ClassicalMDS(metric="precomputed", solver="iterative", n_jobs=2)
model.fit(D[:100, :100].copy())
fit = rise(lambda: model.fit(D))
model.transform(D[:10])
transform = rise(lambda: model.transform(D))
place = rise(lambda: model.place(D, strategy="reconstruct"))
print(D.nbytes, fit, transform, place)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_contiguous_arrays_are_not_copied(dtype):
    """A call raises the peak by a part of the array only: there is no room for a copy."""
    run = subprocess.run([sys.executable, "-c", PEAK, dtype], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    size, fit, transform, place = map(int, run.stdout.split())
    assert max(fit, transform, place) < 0.4 * size, (size, fit, transform, place)


@pytest.fixture(scope="module")
def long_work():
    """A model and newcomers that take a while."""
    rng = np.random.default_rng(3)
    old, new = rng.normal(size=(400, 8)), rng.normal(size=(20_000, 8))
    model = adjoin.ClassicalMDS(5, metric="precomputed", strategy="stress", n_jobs=1)
    return model.fit(cdist(old, old)), cdist(new, old)


def test_threads_change_no_bit(long_work):
    model, new = long_work
    answers = [model.set_params(n_jobs=n).transform(new[:500]) for n in (1, 2, 3, None, -1, -2)]
    model.set_params(n_jobs=1)
    assert all(np.array_equal(a, answers[0]) for a in answers)


def test_other_threads_run_meanwhile(long_work):
    """The lock is released: this thread counts on while the other one works."""
    model, new = long_work
    worker = threading.Thread(target=model.place, args=(new[:4000],))
    count = 0
    worker.start()
    while worker.is_alive():
        count += 1
        time.sleep(0.001)
    assert count > 20


def test_several_threads_use_one_model(long_work):
    model, new = long_work
    answers = [None] * 4

    def work(i):
        answers[i] = model.transform(new[:200])

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(a, answers[0]) for a in answers)


@pytest.fixture
def interruptible():
    """Python's own handler: a shell starts background jobs with the signal ignored, and then there is none."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise")
@pytest.mark.parametrize("call", ["transform", "place", "compare"])
def test_interrupt(long_work, call, interruptible):
    model, new = long_work
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        getattr(model, call)(new)
        # In case the work was done before: the signal is still to come.
        time.sleep(5)
    timer.join()
    assert time.monotonic() - began < 4


# Run by itself: presses Ctrl-C in the middle of a long call, and prints how long that took to be heard.
PRESSED = """
import os, signal, sys, threading, time, numpy as np, adjoin
from scipy.spatial.distance import cdist

rng = np.random.default_rng(0)
X = rng.normal(size=(2500, 40))
D = cdist(X, X) ** 0.7
calls = {
    "dense": lambda: adjoin.ClassicalMDS(metric="precomputed", solver="dense").fit(D),
    "lingoes": lambda: adjoin.ClassicalMDS(metric="precomputed", correction="lingoes").fit(D),
    "cailliez": lambda: adjoin.ClassicalMDS(metric="precomputed", correction="cailliez").fit(D),
    "kernel": lambda: adjoin.KernelPCA(kernel="rbf").fit(X),
    "graph": lambda: adjoin.Isomap(n_neighbors=20).fit(X),
    "jointly": lambda: adjoin.ClassicalMDS(20).fit(X[:300]).place(X[300:1500], between=True),
}
# What is imported at first use is imported now: an import that is interrupted is not what is tried here.
for kind in (adjoin.ClassicalMDS, adjoin.KernelPCA, adjoin.Isomap):
    kind().fit(X[:50]).place(X[50:60])
signal.signal(signal.SIGINT, signal.default_int_handler)
pressed = []

def press():
    pressed.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.7, press).start()
try:
    calls[sys.argv[1]]()
    print("done before")
except KeyboardInterrupt:
    print(time.monotonic() - pressed[0])
    # The package is as good as before.
    adjoin.ClassicalMDS().fit(X[:50]).transform(X[50:60])
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise")
@pytest.mark.parametrize("call", ["dense", "lingoes", "cailliez", "kernel", "graph", "jointly"])
def test_interrupt_in_the_middle_of_anything(call):
    """Within a second, also where the work itself cannot be asked to stop."""
    run = subprocess.run([sys.executable, "-c", PRESSED, call], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    if run.stdout != "done before\n":
        assert float(run.stdout) < 1


# Run by itself: the parent works in threads, then a child does everything again.
FORKED = """
import os, sys, numpy as np, adjoin
from scipy.spatial.distance import cdist

X = np.random.default_rng(0).normal(size=(150, 6))
D, E = cdist(X[:140], X[:140]), cdist(X[140:], X[:140])
E[0, 3] = np.nan
E[1, :9] = np.nan

def everything():
    model = adjoin.ClassicalMDS(metric="precomputed", n_jobs=2).fit(D)
    answers = [model.embedding_, model.place(E, "reconstruct").coordinates, model.compare(E[2:]).foreign]
    answers.append(model.place(E[2:], weights=np.linspace(1, 2, 140)).coordinates)
    answers.append(model.place(E[2:], between=cdist(X[142:], X[142:])).coordinates)
    for estimator in (adjoin.Isomap(n_jobs=2), adjoin.KernelPCA(2, n_jobs=2), adjoin.LaplacianEigenmaps(n_jobs=2)):
        answers.append(estimator.fit(X[:140]).transform(X[140:]))
    return answers

expected = everything()
child = os.fork()
if child == 0:
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(everything(), expected))
    os._exit(0 if same else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_do_everything():
    """It hung once: the pool that the parent had filled has no threads in the child."""
    run = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60)
    assert run.stdout == "0\n", run.stderr


def test_progress(long_work):
    """Any class like tqdm's will do; what it raises ends the work."""
    model, new = long_work
    bars = []

    class Bar:
        def __init__(self, total, desc):
            self.total, self.desc, self.n, self.closed = total, desc, 0, False
            bars.append(self)

        def update(self, steps):
            assert steps >= 0
            self.n += steps

        def close(self):
            self.closed = True

    model.set_params(verbose=Bar).transform(new[:3000])
    assert bars and all(bar.closed and 0 < bar.n <= bar.total for bar in bars)

    class Angry(Bar):
        def update(self, steps):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(verbose=Angry).transform(new)
    model.set_params(verbose=False)


def test_progress_by_tqdm(long_work, capsys):
    pytest.importorskip("tqdm")
    model, new = long_work
    model.set_params(verbose=True).transform(new[:3000])
    model.set_params(verbose=False)
    assert "newcomers" in capsys.readouterr().err
