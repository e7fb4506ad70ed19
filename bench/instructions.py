#!/usr/bin/env python3
"""Guards the hot paths against getting slower, by counting instructions: a count does not depend on how busy a machine is.

    python3 bench/instructions.py            # counts beside those of instructions.json; fails above 1.25 times as many
    python3 bench/instructions.py --write    # keeps the counts as those to compare with

Needs valgrind (Debian: `apt-get install valgrind`) and nothing of Python but its own library. Valgrind shows programs a processor
with AVX2 at most, so the counts are those of that path on every x86-64 machine; on others there is nothing to compare with. Other versions
of the compiler count a little differently, hence the wide bound: what it finds is a loop that is no longer SIMD, or done twice.
"""

import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "bench" / "instructions.json"
TASKS = {  # of hot_paths.rs, and what one time of each reads or makes
    "rows": ("projecting, f64 by rows", "entry", 203 * 807),
    "singles": ("projecting, f32 by rows", "entry", 203 * 807),
    "columns": ("projecting, f64 by columns", "entry", 203 * 807),
    "holes": ("projecting, a tenth missing", "entry", 203 * 807),
    "weighted": ("projecting, weighted", "entry", 203 * 807),
    "reconstruct": ("reconstructing, f64 by rows", "entry", 203 * 807),
    "fit": ("fitting", "entry of the square", 807 * 807),
    "jointly": ("placing jointly", "pair of newcomers", 203 * 203),
}
BOUND = 1.25


def executed(program, task, times):
    """Instructions of the whole program."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, task, str(times)]
    run = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr[-2000:]}")
    return int(found.group(1))


def counted(program):
    """Instructions of each task: what a second and a third time add."""
    return {task: (executed(program, task, 3) - executed(program, task, 1)) // 2 for task in TASKS}


def main():
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"NOT TESTED: instruction counts are kept for x86-64, found {platform.machine()}")
        return
    if not shutil.which("valgrind"):
        sys.exit("found no valgrind, expected it to be installed (Debian: apt-get install valgrind)")
    # As bench/run builds it: what it has built is taken.
    command = ["cargo", "build", "--profile", "dist", "-q", "-p", "adjoin-bench", "-p", "adjoin-cli", "--bins"]
    subprocess.run(command, cwd=ROOT, check=True)
    metadata = subprocess.run(["cargo", "metadata", "--format-version=1", "--no-deps"], cwd=ROOT, check=True, capture_output=True).stdout
    counts = counted(pathlib.Path(json.loads(metadata)["target_directory"]) / "dist" / "hot_paths")
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps(counts, indent=1) + "\n")
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else counts
    if not KEPT.exists():
        print(f"NOT TESTED: found no {KEPT.name} to compare with; --write makes it of these counts")
    worse = []
    for task, (words, unit, size) in TASKS.items():
        ratio = counts[task] / kept[task]
        print(f"{words:28} {counts[task]:>12,} instructions, {counts[task] / size:6.2f} for each {unit}, {ratio:.2f} of what is kept")
        if ratio > BOUND:
            worse.append(words)
    if worse:
        sys.exit(f"more than {BOUND} times the instructions that are kept: {', '.join(worse)}")


if __name__ == "__main__":
    main()
