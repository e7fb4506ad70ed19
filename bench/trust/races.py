"""Counts the reports of ThreadSanitizer in a log, and those that count: both accesses made by code of adjoin, which is instrumented.

    python bench/trust/races.py LOG

The standard library is not instrumented, so that a lock or a join in it orders nothing that the sanitiser sees: a report in which an
access was made by the library itself, or by the memory's allocator, says nothing; nor does one in another crate that only has
adjoin's types in its name. An access is whose function it is in: the first frame of its stack, or, of a copy that the sanitiser
makes itself, who asked for it.
"""

import pathlib
import re
import sys

ROOT = str(pathlib.Path(__file__).resolve().parents[2])


def reports(text):
    return re.findall(r"WARNING: ThreadSanitizer: (.*?)\n(.*?)={18}", text, re.S)


def accesses(report):
    """The frames of each access, or of each stack of another kind of report."""
    return [stack.splitlines() for stack in re.findall(r"^  \S.*:\n((?:    #\d+ .*\n)+)", report, re.M)]


def ours(frames):
    first, *others = frames
    if "/compiler-rt/" in first:
        # What the library's own code copies for us may be ordered by the library.
        return "__tsan_mem" in first and any(f" {ROOT}/" in frame for frame in others[:1])
    return ("adjoin::" in first or "threads::" in first or f" {ROOT}/" in first) and "/registry/" not in first


def main():
    text = open(sys.argv[1], encoding="utf-8", errors="replace").read()
    found = reports(text)
    serious = [(kind, report) for kind, report in found if sum(ours(frames) for frames in accesses(report)[:2]) == 2]
    print(f"{len(found)} reports, {len(serious)} of them with both accesses in adjoin's own code")
    for kind, report in serious:
        print(kind, report, sep="\n")
    sys.exit(bool(serious))


if __name__ == "__main__":
    main()
