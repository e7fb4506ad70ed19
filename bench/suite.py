"""Runs every script in order and writes RESULTS.md and scaling.svg; called by `bench/run`.

    python bench/suite.py [--quick] [--large] [--only NAME ...] [--isa NAME ...] [--pieces] [--out FOLDER]
"""

import argparse
import datetime
import importlib
import importlib.metadata
import os
import pathlib
import pickle
import platform
import re
import shutil
import subprocess
import time

import growth
from common import ISA, ROOT, build, digits

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ["place", "secular", "fit", "joint", "stress", "parse", "startup", "growth", "distances"]
FORCED = ["place", "secular", "fit", "joint", "stress", "distances"]  # those whose programs run on the kernels
SETS = ["scalar", "avx2", "avx512"]
NATIVE = "native"
KEPT = ROOT / "target" / "bench-sections"  # by `--pieces`: a folder for each commit and set, a file for each script


def said(*command):
    """The first line that a program prints, or nothing."""
    if not shutil.which(command[0]):
        return ""
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return (run.stdout or run.stderr).strip().split("\n")[0]


def machine():
    """Lines on the processor, its caches and the memory, where the system tells."""
    cpu = pathlib.Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    fields = [line.partition(":") for line in lines]
    model = next((v.strip() for k, _, v in fields if k.strip() == "model name"), platform.processor())
    flags = next((v.split() for k, _, v in fields if k.strip() == "flags"), [])
    cores = sum(k.strip() == "processor" for k, _, _ in fields)
    yield f"{model}, {cores} cores, {'AVX-512' if 'avx512f' in flags else 'AVX2' if 'avx2' in flags else platform.machine()}"
    caches = []
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        caches.append(f"L{level} {kind.lower()} {size}")
    yield "caches: " + (", ".join(caches) or "not told")
    memory = pathlib.Path("/proc/meminfo")
    if memory.exists():
        yield f"memory: {int(memory.read_text().split()[1]) / 2**20:.0f} GiB"
    yield f"{platform.system()} {platform.release()}, {platform.machine()}"


def versions():
    from threadpoolctl import threadpool_info

    # The results themselves are written while this runs.
    changed = said("git", "status", "--porcelain", "--", ".", ":!bench/RESULTS.md", ":!bench/scaling.svg")
    commit = said("git", "describe", "--always", "--abbrev=10") + ("-dirty" if changed else "")
    yield f"adjoin {importlib.metadata.version('adjoin')}, commit {commit}"
    yield said("rustc", "--version")
    packages = ["numpy", "scipy", "scikit-learn", "scikit-bio", "pandas"]
    yield f"Python {platform.python_version()}, " + ", ".join(f"{p} {importlib.metadata.version(p)}" for p in packages)
    blas = {f"{i['internal_api']} {i['version']} ({i.get('architecture', '')})" for i in threadpool_info() if i["user_api"] == "blas"}
    yield "BLAS of NumPy and SciPy: " + ", ".join(sorted(blas))
    yield said("R", "--version") or "R: not here"


def collected(names, quick):
    for name in names:
        if not (HERE / f"{name}.py").exists():
            continue
        start = time.perf_counter()
        section = importlib.import_module(name).measure(quick)
        print(f"{section.title}: {time.perf_counter() - start:.0f} s", flush=True)
        yield name, section


def forced(isa, names, quick):
    """The sections by programs whose kernels use one instruction set."""
    os.environ[ISA] = isa
    try:
        yield from collected([name for name in names if name in FORCED], quick)
    finally:
        del os.environ[ISA]


def folder(isa, quick):
    return KEPT / (said("git", "rev-parse", "HEAD") + ("-quick" if quick else "")) / isa


def keep(folder, name, section):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(pickle.dumps(section))


def kept(folder, measured):
    """What was measured now, by name, and what earlier pieces of the same commit have, in the order of the scripts."""
    earlier = {file.name: pickle.loads(file.read_bytes()) for file in folder.glob("*")}
    return {name: (earlier | measured)[name] for name in SCRIPTS if name in earlier | measured}


def key(target):
    """Targets of one task are told apart by what is wanted, whose bound may differ between instruction sets."""
    return target.task, re.sub(r"[\d.]+", "", target.wanted)


def report(sections, by_set, quick, seconds):
    lines = ["# Results", ""]
    if quick:
        lines += ["**Tiny sizes, to see that the scripts work: these numbers mean nothing.**", ""]
    lines += [
        f"Made by `bench/run` on {datetime.date.today()} in {f'{seconds / 60:.0f} minutes' if seconds else 'pieces'}; [README.md](README.md) says how. Ratios hold "
        "within this run; times depend on the machine.",
        "",
        *(f"- {line}" for line in [*machine(), *versions()]),
        "",
        "## Targets",
        "",
        "| " + " | ".join(["task", "target", "measured", "met", *(f"{isa} forced" for isa in by_set)]) + " |",
        "| " + " | ".join(["---"] * (4 + len(by_set))) + " |",
    ]
    for section in sections:
        for target in section.targets:
            cells = [target.task, target.wanted, digits(target.measured), "yes" if target.met else "**no**"]
            for others in by_set.values():
                found = [t for s in others if s.title == section.title for t in s.targets if key(t) == key(target)]
                cells.append(" ".join(digits(t.measured) + (f" ({t.wanted})" if t.bound != target.bound else "") for t in found))
                if not all(t.met for t in found):
                    cells[-1] = f"**{cells[-1]}**"
            lines.append("| " + " | ".join(cells) + " |")
    missed = {s.title for some in [sections, *by_set.values()] for s in some if not all(t.met for t in s.targets)}
    reasons = [f"- {s.title}: {s.missed}" for s in sections if s.missed and s.title in missed]
    if reasons:
        lines += ["", "What is missed, why, and what was tried:", "", *reasons]
    for section in sections:
        lines += ["", f"## {section.title}", "", section.about, "", section.table()]
    for isa, others in by_set.items():
        lines += ["", f"# With {isa} forced", "", "The programs of `bench/programs`, but for the products of the linear algebra library; peers and the Python package are as above."]
        for section in others:
            lines += ["", f"## {section.title}", "", section.table()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Runs every script in order and writes RESULTS.md and scaling.svg.")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that the scripts work")
    parser.add_argument("--only", nargs="+", choices=SCRIPTS, default=SCRIPTS, help="only these scripts")
    parser.add_argument("--isa", nargs="+", choices=SETS, default=[], help="after all else, the kernels once more by these instruction sets")
    parser.add_argument("--large", action="store_true", help="growth to n = 40,000 in single precision and k = 1,000,000: 16 GB of memory, an hour")
    parser.add_argument("--pieces", action="store_true", help="keep what is measured, and report it with what earlier pieces have kept")
    parser.add_argument("--out", type=pathlib.Path, help="folder of the results (bench/, or target/bench-quick with --quick)")
    arguments = parser.parse_args()
    out = arguments.out or (ROOT / "target" / "bench-quick" if arguments.quick else HERE)
    out.mkdir(parents=True, exist_ok=True)
    # All of it before anything is measured.
    build()
    start = time.perf_counter()
    results = {isa: {} for isa in [NATIVE, *arguments.isa]}  # sections by the names of their scripts
    growth.LARGE = arguments.large

    def written(isa, name, section):
        """After each section, so that a run that is stopped loses nothing."""
        results[isa][name] = section
        shown = results
        if arguments.pieces:
            keep(folder(isa, arguments.quick), name, section)
            shown = {isa: kept(folder(isa, arguments.quick), results.get(isa, {})) for isa in [NATIVE, *SETS]}
        native, *others = ((isa, list(sections.values())) for isa, sections in shown.items() if sections or isa == NATIVE)
        growths = [g for section in native[1] for g in section.growth]
        if growths:
            growth.draw(growths, out / "scaling.svg")
        (out / "RESULTS.md").write_text(report(native[1], dict(others), arguments.quick, None if arguments.pieces else time.perf_counter() - start))

    if not (arguments.pieces and arguments.isa):
        for name, section in collected(arguments.only, arguments.quick):
            written(NATIVE, name, section)
    for isa in arguments.isa:
        for name, section in forced(isa, arguments.only, arguments.quick):
            written(isa, name, section)
    sections = results[NATIVE].values()
    targets = [t for section in sections for t in section.targets]
    print(f"{sum(t.met for t in targets)} of {len(targets)} targets met; see {out / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
