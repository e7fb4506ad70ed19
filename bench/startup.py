"""Start-up of the binary: `adjoin --version`, twenty times.

    python bench/startup.py
"""

import subprocess

from common import Section, Target, alone, built, in_turn

RUNS = 20


def measure(quick):
    program = built()
    timing = in_turn({"adjoin": lambda: subprocess.run([program, "--version"], check=True, capture_output=True)}, RUNS)["adjoin"]
    section = Section(
        "Start-up", f"`adjoin --version`, {RUNS} runs, from the start of the process to its end: milliseconds.", ["program", "best", "median", "worst"]
    )
    best, median, worst = (f"{1000 * s:.1f}" for s in (timing.best, timing.median, max(timing.seconds)))
    section.add("`adjoin --version`", best, median, worst)
    section.targets.append(Target("start-up of the binary, median", "≤ 20 ms", 1000 * timing.median, 20))
    return section


if __name__ == "__main__":
    alone(measure)
