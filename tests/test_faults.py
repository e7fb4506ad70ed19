"""Disks that fail, memory that is refused, processes that are killed, places where nothing may be written: an output is whole
or it is not there.

Every call that writes (or reads) is made to fail once, in turn, by a small library that is loaded before C's own
(`faults/fail_nth.c`). ADJOIN_KILLS=200 kills that many processes instead of a few, and ADJOIN_STARVED=1000 refuses memory
so often to every command.
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADJOIN = os.environ.get("ADJOIN", str(ROOT / "target" / "debug" / "adjoin"))
KILLS = int(os.environ.get("ADJOIN_KILLS", "24"))
STARVED = int(os.environ.get("ADJOIN_STARVED", "25"))

linux = pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: interposing and /proc are Linux's here")


def run(*arguments, cwd, env=None, **more):
    env = {**os.environ, **(env or {})}
    return subprocess.run([ADJOIN, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, env=env, **more)


def table(path, matrix, rows, columns):
    lines = ["\t".join(["", *columns])]
    lines += ["\t".join([row, *(repr(float(v)) for v in values)]) for row, values in zip(rows, matrix)]
    path.write_text("\n".join(lines) + "\n")


def world(folder, n=30, k=12):
    """A map, newcomers, and shards of them."""
    points = np.random.default_rng(5).normal(size=(n + k, 3))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    old, new = [f"o{i}" for i in range(n)], [f"n{i}" for i in range(k)]
    table(folder / "old.tsv", distance[:n, :n], old, old)
    table(folder / "new.tsv", distance[n:, :n], new, old)
    table(folder / "between.tsv", distance[n:, n:], new, new)
    table(folder / "all.tsv", distance, old + new, old + new)
    for command in (
        "fit old.tsv -d 2 -o map.adjoin",
        "place map.adjoin new.tsv --shard 1/2 -o one.parquet",
        "place map.adjoin new.tsv --shard 2/2 -o two.parquet",
    ):
        made = run(*command.split(), cwd=folder)
        assert made.returncode == 0, made.stderr


COMMANDS = {
    "fit": "fit old.tsv -d 2 -o {}/out.adjoin",
    "place": "place map.adjoin new.tsv --strategy reconstruct -o {}/out.tsv",
    "csv.gz": "place map.adjoin new.tsv -o {}/out.csv.gz",
    "parquet": "place map.adjoin new.tsv -o {}/out.parquet",
    "json": "place map.adjoin new.tsv -o {}/out.json",
    "npy": "place map.adjoin new.tsv -o {}/out.npy",
    "ordination": "place map.adjoin new.tsv --with-old -o {}/out.ordination",
    "grow": "grow map.adjoin new.tsv -o {}/out.adjoin",
    "gather": "gather one.parquet two.parquet -o {}/out.tsv",
    "refit": "refit map.adjoin all.tsv -o {}/out.adjoin",
    "convert": "convert old.tsv {}/out.csv",
    "convert npy": "convert map.adjoin {}/out.npy",
    "compare": "compare map.adjoin new.tsv -o {}/out.tsv",
    "evaluate": "evaluate map.adjoin old.tsv --repeats 1 -o {}/out.tsv",
    "arc": "arc map.adjoin new.tsv -o {}/out.tsv",
    "report": "report map.adjoin new.tsv -o {}/out.html",
    "plot": "plot map.adjoin new.tsv -o {}/out.svg",
    "png": "plot map.adjoin new.tsv -o {}/out.png",
    "pdf": "plot map.adjoin new.tsv -o {}/out.pdf",
    "jointly": "place map.adjoin new.tsv --jointly --between between.tsv -o {}/out.csv",
    "shard": "place map.adjoin new.tsv --shard 1/2 -o {}/out.parquet",
}


@pytest.fixture(scope="module")
def interposed(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("NOT TESTED: there is no C compiler")
    library = tmp_path_factory.mktemp("faults") / "fail_nth.so"
    source = ROOT / "tests/faults/fail_nth.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def one_line(text):
    """One message, and no trace."""
    assert text.startswith("adjoin: "), text
    assert len(text.strip().splitlines()) == 1, text
    assert "panicked" not in text and "RUST_BACKTRACE" not in text, text


@linux
@pytest.mark.parametrize("name", COMMANDS)
def test_every_write_fails_once(name, tmp_path, interposed):
    world(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    command = ["--quiet", *COMMANDS[name].format("out").split()]
    target = out / pathlib.Path(command[-1]).name
    count = tmp_path / "count"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "write", "FAIL_UNDER": str(out), "FAIL_COUNT": str(count)}
    whole = run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": "0"})
    assert whole.returncode == 0, whole.stderr
    calls, right = int(count.read_text()), target.read_bytes()
    assert calls >= 4, "creating, writing, syncing, renaming"
    before = b"what was there before"
    for nth in range(1, calls + 1):
        target.write_bytes(before)
        failed = run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": str(nth)})
        # The last one syncs the folder, which some systems cannot do at all.
        assert failed.returncode != 0 or nth == calls, nth
        refused_or_right(failed, target, right, [before], nth)


@linux
@pytest.mark.parametrize("name", ["fit", "place", "grow", "gather", "convert", "report"])
def test_every_read_fails_once(name, tmp_path, interposed):
    world(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    command = COMMANDS[name].format("out").split()
    count = tmp_path.parent / f"{tmp_path.name}-count"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "read", "FAIL_UNDER": str(tmp_path), "FAIL_COUNT": str(count)}
    assert run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": "0"}).returncode == 0
    calls = int(count.read_text())
    assert calls >= 2
    right = next(out.iterdir()).read_bytes()
    for nth in range(1, calls + 1):
        shutil.rmtree(out)
        out.mkdir()
        failed = run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": str(nth)})
        # A read that only helps to guess may fail without harm.
        if failed.returncode == 0:
            assert [f.read_bytes() for f in out.iterdir()] == [right], nth
        else:
            assert failed.returncode == 1, (nth, failed.returncode, failed.stderr)
            one_line(failed.stderr)
            assert names(out) == [], nth


@linux
def test_files_that_end_early_are_refused_or_say_less(tmp_path):
    """A map, a table of placements and a Parquet file, cut anywhere: never the same as the whole, and never a trace."""
    world(tmp_path)
    cut = tmp_path / "cut"
    cut.mkdir()
    draw = random.Random(1)
    for file, command in {
        "map.adjoin": "place cut/map.adjoin new.tsv -o out.tsv",
        "one.parquet": "gather cut/one.parquet two.parquet -o out.tsv",
    }.items():
        whole = (tmp_path / file).read_bytes()
        for length in [0, 1, 7, 8, 100, len(whole) - 1, *draw.sample(range(len(whole)), 12)]:
            (cut / file).write_bytes(whole[:length])
            failed = run(*command.split(), cwd=tmp_path)
            assert failed.returncode == 1, (file, length, failed.stdout)
            one_line(failed.stderr)
            assert not (tmp_path / "out.tsv").exists()


@linux
def test_a_full_device(tmp_path):
    world(tmp_path)
    failed = run("place", "map.adjoin", "new.tsv", "-o", "/dev/full", cwd=tmp_path)
    assert failed.returncode == 1
    one_line(failed.stderr)
    assert "no space left" in failed.stderr
    with open("/dev/full", "w") as full:
        told = subprocess.run([ADJOIN, "place", "map.adjoin", "new.tsv"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert told.returncode == 1
    one_line(told.stderr)


@linux
def test_a_file_system_that_is_full(tmp_path):
    """A tmpfs of a few pages, where this user may mount one."""
    world(tmp_path)
    small = tmp_path / "small"
    small.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("NOT TESTED: a small file system, which only root can mount")
    try:
        (small / "out.html").write_bytes(b"before")
        failed = run("report", "map.adjoin", "new.tsv", "-o", "small/out.html", cwd=tmp_path)
        assert failed.returncode == 1
        one_line(failed.stderr)
        assert "no space left" in failed.stderr
        assert (small / "out.html").read_bytes() == b"before"
        assert names(small) == ["out.html"]
    finally:
        subprocess.run(["umount", small], check=True)


@linux
@pytest.mark.parametrize("name", ["fit", "place", "grow", "gather"])
def test_processes_that_are_killed(name, tmp_path):
    """Whole or absent, whenever; and the next run of the same command leaves nothing behind."""
    world(tmp_path, 60, 400)
    out = tmp_path / "out"
    out.mkdir()
    command = COMMANDS[name].format("out").split()
    begin = time.perf_counter()
    assert run(*command, cwd=tmp_path).returncode == 0
    took = time.perf_counter() - begin
    target = next(out.iterdir())
    right = target.read_bytes()
    target.unlink()
    draw = random.Random(name)
    killed = left = ended = 0
    wanted = max(KILLS // 4, 1)
    while killed < wanted and ended < 20 * wanted:
        begin = time.perf_counter()
        child = subprocess.Popen([ADJOIN, *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            child.wait(timeout=draw.uniform(0, took))
            # It was quicker than the one before, which had others beside it.
            ended += 1
            took = max(min(took, time.perf_counter() - begin), 1e-3)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            killed += child.wait() == -signal.SIGKILL
        assert not target.exists() or target.read_bytes() == right
        left += any(file.name.endswith(".partial") for file in out.iterdir())
        target.unlink(missing_ok=True)
    assert killed == wanted
    print(f"{name}: {killed} killed, {left} times with a temporary file left; {ended} ended before")
    # One that surely was left, beside those of the killed.
    (out / f".{target.name}.999999-0.partial").write_bytes(right[:10])
    assert run(*command, cwd=tmp_path).returncode == 0
    assert names(out) == [target.name]
    assert target.read_bytes() == right


@linux
def test_two_processes_and_one_output(tmp_path):
    world(tmp_path, 60, 400)
    commands = [["place", "map.adjoin", "new.tsv", "--strategy", s, "-o", "out.tsv"] for s in ("project", "reconstruct")]
    possible = []
    for command in commands:
        assert run(*command, cwd=tmp_path).returncode == 0
        possible.append((tmp_path / "out.tsv").read_bytes())
    for _ in range(5):
        both = [subprocess.Popen([ADJOIN, *command], cwd=tmp_path, stderr=subprocess.DEVNULL) for command in commands * 2]
        assert [child.wait() for child in both] == [0] * 4
        assert (tmp_path / "out.tsv").read_bytes() in possible
        assert not list(tmp_path.glob(".*.partial"))


def refused_or_right(failed, target, right, before, where):
    """What a command that could not have all it wanted may do: without it, all it was to do; or say so, and nothing else."""
    if failed.returncode == 0:
        assert target.read_bytes() == right, where
    else:
        assert failed.returncode == 1, (where, failed.returncode, failed.stderr)
        one_line(failed.stderr)
        assert target.read_bytes() in before, where
    assert names(target.parent) == [target.name], where


@linux
@pytest.mark.parametrize("name", COMMANDS)
def test_memory_that_is_refused(name, tmp_path, interposed):
    """Any one call for memory, large or small, fails: one message, and no output; from the first of them to the last."""
    world(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    command = ["--quiet", *COMMANDS[name].format("out").split(), "--threads", "1"]
    target = out / pathlib.Path(command[-3]).name
    count = tmp_path / "count"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "memory", "FAIL_UNDER": str(out), "FAIL_COUNT": str(count)}
    assert run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": "0"}).returncode == 0
    calls, right = int(count.read_text()), target.read_bytes()
    assert calls > 100
    before = b"what was there before"
    first = min(STARVED, calls) // 3
    chosen = {*range(1, first + 1), *random.Random(name).sample(range(1, calls + 1), min(STARVED, calls) - first)}
    told = ended = 0
    for nth in sorted(chosen):
        target.write_bytes(before)
        failed = run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": str(nth)})
        if failed.returncode == -signal.SIGABRT and failed.stderr.startswith("memory allocation of "):
            # What the standard library takes for a thread, a few bytes, it takes past the program's allocator, and ends the process
            # itself where it cannot have them.
            assert target.read_bytes() in (before, right), nth
            for left in out.glob(".*.partial"):
                left.unlink()
            ended += 1
            continue
        # It may end when all is done, before it has said so.
        refused_or_right(failed, target, right, [before, right], f"call {nth} of {calls}")
        told += "found that the system refuses" in failed.stderr
    assert told > len(chosen) // 2 and ended <= 2


@linux
def test_less_memory_than_is_needed(tmp_path):
    """The system's own limit, wherever it ends: in a large square, in a small list, or when a thread is started."""
    import resource

    n = 1200
    points = np.random.default_rng(2).normal(size=(n, 3))
    np.save(tmp_path / "old.npy", np.linalg.norm(points[:, None] - points[None], axis=2))

    def within(megabytes, *command):
        limit = megabytes << 20
        return run(*command, cwd=tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    # Below this the system cannot even load the program.
    least = next(m for m in range(8, 2000, 8) if within(m, "--version").returncode == 0)
    codes = set()
    for megabytes in [*range(least, least + 60, 4), *range(least + 60, least + 400, 24), 4000]:
        answer = within(megabytes, "--quiet", "fit", "old.npy", "-d", "2", "-o", "map.adjoin", "--threads", "4")
        codes.add(answer.returncode)
        if answer.returncode == 0:
            (tmp_path / "map.adjoin").unlink()
        else:
            assert answer.returncode == 1, (megabytes, answer.returncode, answer.stderr)
            one_line(answer.stderr)
        assert names(tmp_path) == ["old.npy"]
    assert codes == {0, 1}


@linux
@pytest.mark.parametrize("name", COMMANDS)
def test_threads_that_cannot_be_started(name, tmp_path, interposed):
    """From the nth on none can: those that there are do the work, and find the same."""
    world(tmp_path, 60, 40)
    out = tmp_path / "out"
    out.mkdir()
    command = [*COMMANDS[name].format("out").split(), "--threads", "4"]
    target = out / pathlib.Path(command[-3]).name
    count = tmp_path / "count"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "thread", "FAIL_UNDER": str(out), "FAIL_COUNT": str(count)}
    assert run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": "0"}).returncode == 0
    calls, right = int(count.read_text()), target.read_bytes()
    assert calls > 0
    for nth in sorted({*range(1, min(calls, 6) + 1), *random.Random(name).sample(range(1, calls + 1), min(calls, 6))}):
        target.unlink()
        answer = run(*command, cwd=tmp_path, env={**env, "FAIL_NTH": str(nth)})
        assert answer.returncode == 0, (nth, answer.stderr)
        if pathlib.Path(command[-3]).suffix != ".adjoin" and name != "refit":
            assert target.read_bytes() == right, nth


@linux
@pytest.mark.parametrize("name", COMMANDS)
def test_no_file_is_opened_that_was_not_named(name, tmp_path, interposed):
    world(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    command = COMMANDS[name].format("out").split()
    log = tmp_path / "opened"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "nothing", "FAIL_OPENED": str(log)}
    assert run(*command, cwd=tmp_path, env=env).returncode == 0
    named = {str((tmp_path / word).resolve()) for word in command}
    opened = [(tmp_path / line).resolve() for line in log.read_text().splitlines()]
    assert str((tmp_path / command[1]).resolve()) in map(str, opened)
    for file in opened:
        # What the system says of memory and processors; the output under its temporary name, and its folder to sync.
        system = file.parts[1] in ("proc", "sys", "dev")
        own = file == out or (file.parent == out and file.name.endswith(".partial"))
        assert system or own or str(file) in named, file


@linux
@pytest.mark.parametrize("ahead", [4_000_000_000, -900_000_000])
def test_a_clock_that_jumps(ahead, tmp_path, interposed):
    """Every other reading of any clock is decades away: the same bytes."""
    world(tmp_path)
    out = tmp_path / "out"
    env = {"LD_PRELOAD": str(interposed), "FAIL_WHAT": "nothing", "FAIL_CLOCK": str(ahead)}
    for name, words in COMMANDS.items():
        made = []
        for surroundings in ({}, env):
            out.mkdir()
            answer = run(*words.format("out").split(), cwd=tmp_path, env=surroundings)
            assert answer.returncode == 0, (name, answer.stderr)
            made.append(next(out.iterdir()).read_bytes())
            shutil.rmtree(out)
        assert made[0] == made[1], name


def commas(folder):
    """Surroundings in which C writes decimal commas, and whether they are really so."""
    if shutil.which("localedef") is None:
        return None
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"], capture_output=True)
    env = {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"}
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    told = subprocess.run([sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True)
    return env if made.returncode in (0, 1) and told.stdout.strip() == "," else None


@linux
def test_decimal_commas(tmp_path):
    world(tmp_path)
    env = commas(tmp_path)
    if env is None:
        pytest.skip("NOT TESTED: decimal commas, as no such locale can be made here (Debian: apt-get install locales)")
    out = tmp_path / "out"
    for name, words in COMMANDS.items():
        made = []
        for surroundings in ({}, env):
            out.mkdir()
            assert run(*words.format("out").split(), cwd=tmp_path, env=surroundings).returncode == 0, name
            made.append(next(out.iterdir()).read_bytes())
            shutil.rmtree(out)
        assert made[0] == made[1], name


@linux
def test_a_folder_that_is_read_only(tmp_path):
    """Also to root: a file system that is mounted so, or else a folder without the right to write."""
    world(tmp_path)
    command = ["place", "map.adjoin", "new.tsv", "--strategy", "reconstruct"]
    usual = run(*command, cwd=tmp_path).stdout
    folder = tmp_path / "locked"
    folder.mkdir()
    root = os.geteuid() == 0
    if root and subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("NOT TESTED: root may write everywhere, and cannot mount a file system here")
    try:
        for file in ("map.adjoin", "new.tsv"):
            shutil.copy(tmp_path / file, folder)
        if root:
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        else:
            folder.chmod(0o555)
        answer = run(*command, cwd=folder)
        assert (answer.returncode, answer.stdout) == (0, usual)
        for words in COMMANDS.values():
            if words.split()[0] == "place" and "map.adjoin new.tsv -o" in words:
                failed = run(*words.format(".").split(), cwd=folder)
                assert failed.returncode == 1
                one_line(failed.stderr)
        assert names(folder) == ["map.adjoin", "new.tsv"]
    finally:
        if root:
            subprocess.run(["umount", folder], check=True)
        else:
            folder.chmod(0o755)


@linux
def test_strange_surroundings(tmp_path):
    """Other zones and languages, no home, no surroundings at all: the same bytes."""
    world(tmp_path)
    command = ["place", "map.adjoin", "new.tsv", "--strategy", "reconstruct"]
    usual = run(*command, cwd=tmp_path).stdout
    for env in ({"LC_NUMERIC": "fr_FR"}, {"TZ": "Antarctica/Troll"}, {"LC_ALL": "C"}, {"HOME": "/nowhere", "TMPDIR": "/nowhere"}):
        assert run(*command, cwd=tmp_path, env=env).stdout == usual
    bare = subprocess.run([ADJOIN, *command], cwd=tmp_path, env={}, capture_output=True, text=True)
    assert (bare.returncode, bare.stdout) == (0, usual)
