"""Counts the reports of ThreadSanitizer in a log, and those that count: both accesses made by code of adjoin, which is instrumented.

    python bench/trust/races.py LOG

The standard library is not instrumented, so that a lock or a join in it orders nothing that the sanitiser sees: a report in which an
access was made by the library itself, or by the memory's allocator, says nothing. An access is whose function it is in: the
first frame of its stack.
"""

import re
import sys


def reports(text):
    return re.findall(r"WARNING: ThreadSanitizer: (.*?)\n(.*?)={18}", text, re.S)


def accesses(report):
    """The first frame of each access, or of each stack of another kind of report."""
    return re.findall(r"^  \S.*:\n    #0 (.*)$", report, re.M)


def ours(frame):
    return "adjoin::" in frame or "threads::" in frame


def main():
    text = open(sys.argv[1], encoding="utf-8", errors="replace").read()
    found = reports(text)
    serious = [(kind, report) for kind, report in found if sum(ours(frame) for frame in accesses(report)[:2]) == 2]
    print(f"{len(found)} reports, {len(serious)} of them with both accesses in adjoin's own code")
    for kind, report in serious:
        print(kind, report, sep="\n")
    sys.exit(bool(serious))


if __name__ == "__main__":
    main()
